"""What the database itself can do: the rows that rota writes, written by one set-based statement a batch, durable.

On PostgreSQL nothing travels: each statement makes its rows on the server. On SQLite one executemany a table, with the
values made before the clock starts. No rule is computed, no result is read, no row that does not match is looked for.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from time import perf_counter
from typing import Any, Final

import psycopg

from bench.fill import DUE, JOB, SCOPE
from rota.store.types import to_micros

BATCH: Final = 1000
_NEXT: Final = DUE + timedelta(minutes=1)

_FIRE: Final = f"""
WITH c AS (UPDATE rota.cursors SET watermark = %(now)s, next_at = %(next)s, due_at = %(next)s
  WHERE schedule_id BETWEEN %(low)s AND %(high)s RETURNING schedule_id, definition_id),
r AS (INSERT INTO rota.runs (schedule_id, definition_id, scheduled_for, state, cause, lane, priority, flight, waiting,
  judged, attempt, lost, token, created_at)
  SELECT schedule_id, definition_id, %(now)s, 'queued', 'schedule', 'default', 0, 's:' || schedule_id, false, true,
  0, 0, 0, %(now)s FROM c RETURNING id, schedule_id, flight),
f AS (INSERT INTO rota.flights (flight, run_id) SELECT flight, id FROM r),
q AS (INSERT INTO rota.ready (lane, priority, run_id) SELECT 'default', 0, id FROM r)
INSERT INTO rota.event_inbox (type, at, subject, data)
  SELECT 'schedule.fired', %(now)s, '{SCOPE}/s' || schedule_id, jsonb_build_object('run', id, 'job', '{JOB}',
  'schedule', '{SCOPE}/s' || schedule_id, 'scheduled_for', %(text)s::text, 'cause', 'schedule', 'place', 'start')
  FROM r
"""

_CLAIM: Final = """
WITH q AS (DELETE FROM rota.ready WHERE lane = 'default' AND priority = 0 AND run_id BETWEEN %(low)s AND %(high)s),
r AS (UPDATE rota.runs SET state = 'running', token = token + 1, attempt = attempt + 1, node = 'floor',
  started_at = %(now)s WHERE id BETWEEN %(low)s AND %(high)s RETURNING id, token)
INSERT INTO rota.claims (run_id, token, node, lane) SELECT id, token, 'floor', 'default' FROM r
"""

_SETTLE: Final = f"""
WITH c AS (DELETE FROM rota.claims WHERE run_id BETWEEN %(low)s AND %(high)s),
r AS (UPDATE rota.runs SET state = 'succeeded', finished_at = %(now)s
  WHERE id BETWEEN %(low)s AND %(high)s AND state = 'running' AND token = 1 RETURNING id, attempt)
INSERT INTO rota.event_inbox (type, at, subject, data)
  SELECT 'run.succeeded', %(now)s, '{SCOPE}/{JOB}', jsonb_build_object('run', id, 'job', '{JOB}', 'schedule', null,
  'reason', null, 'attempt', attempt) FROM r
"""


def fire(url: str, count: int) -> dict[str, Any]:
    """Seconds to write the fires of the schedules 1 to `count`."""
    return _on(url, count, [_FIRE], _sqlite_fire)


def work(url: str, count: int) -> dict[str, Any]:
    """Seconds to claim and settle the runs 1 to `count`, in two transactions a batch."""
    return _on(url, count, [_CLAIM, _SETTLE], _sqlite_work)


def _on(url: str, count: int, statements: Sequence[str], sqlite: Callable[[str, int], float]) -> dict[str, Any]:
    if url.startswith("sqlite"):
        return {"seconds": sqlite(url.removeprefix("sqlite:///"), count)}
    with psycopg.connect(url, autocommit=True) as conn:
        begin = perf_counter()
        for low in range(1, count + 1, BATCH):
            high = min(low + BATCH - 1, count)
            for statement in statements:
                given = {"low": low, "high": high, "now": DUE, "next": _NEXT, "text": DUE.isoformat()}
                done = conn.execute(statement.encode(), given)
                if done.rowcount != high - low + 1:
                    raise RuntimeError(f"the floor wrote {done.rowcount} rows, not {high - low + 1}")
        return {"seconds": perf_counter() - begin}


# The same on SQLite: a statement, and the values that it takes for the row i.
_ADVANCE: Final = "UPDATE rota_cursors SET watermark = ?, next_at = ?, due_at = ? WHERE schedule_id = ?"
_RUN: Final = (
    "INSERT INTO rota_runs (id, schedule_id, definition_id, scheduled_for, state, cause, lane, priority, flight, waiting,"
    " judged, attempt, lost, token, created_at)"
    " VALUES (?, ?, ?, ?, 'queued', 'schedule', 'default', 0, ?, 0, 1, 0, 0, 0, ?)"
)
_FLIGHT: Final = "INSERT INTO rota_flights (flight, run_id) VALUES (?, ?)"
_READY: Final = "INSERT INTO rota_ready (lane, priority, run_id) VALUES ('default', 0, ?)"
_EVENT: Final = "INSERT INTO rota_events (type, at, subject, data) VALUES (?, ?, ?, ?)"
_TAKE: Final = "DELETE FROM rota_ready WHERE lane = 'default' AND priority = 0 AND run_id = ?"
_BEGIN: Final = (
    "UPDATE rota_runs SET state = 'running', token = token + 1, attempt = attempt + 1, node = 'floor', started_at = ?"
    " WHERE id = ?"
)
_HOLD: Final = "INSERT INTO rota_claims (run_id, token, node, lane) VALUES (?, 1, 'floor', 'default')"
_RELEASE: Final = "DELETE FROM rota_claims WHERE run_id = ?"
_FINISH: Final = (
    "UPDATE rota_runs SET state = 'succeeded', finished_at = ? WHERE id = ? AND state = 'running' AND token = 1"
)

Step = tuple[str, list[tuple[Any, ...]]]
Transaction = list[Step]


def _batches(count: int) -> Iterator[range]:
    for low in range(1, count + 1, BATCH):
        yield range(low, min(low + BATCH, count + 1))


def _sqlite_fire(path: str, count: int) -> float:
    now, following = to_micros(DUE), to_micros(_NEXT)
    transactions: list[Transaction] = [
        [
            (_ADVANCE, [(now, following, following, i) for i in ids]),
            (_RUN, [(i, i, i, now, f"s:{i}", now) for i in ids]),
            (_FLIGHT, [(f"s:{i}", i) for i in ids]),
            (_READY, [(i,) for i in ids]),
            (_EVENT, [("schedule.fired", now, f"{SCOPE}/s{i}", _fired(i)) for i in ids]),
        ]
        for ids in _batches(count)
    ]
    return _write(path, transactions)


def _fired(i: int) -> str:
    key = f"{SCOPE}/s{i}"
    at = DUE.isoformat()
    return json.dumps(
        {"run": i, "job": JOB, "schedule": key, "scheduled_for": at, "cause": "schedule", "place": "start"}
    )


def _sqlite_work(path: str, count: int) -> float:
    now, subject = to_micros(DUE), f"{SCOPE}/{JOB}"
    transactions: list[Transaction] = []
    for ids in _batches(count):
        one = [(i,) for i in ids]
        timed = [(now, i) for i in ids]
        transactions.append([(_TAKE, one), (_BEGIN, timed), (_HOLD, one)])
        written = [("run.succeeded", now, subject, _succeeded(i)) for i in ids]
        transactions.append([(_RELEASE, one), (_FINISH, timed), (_EVENT, written)])
    return _write(path, transactions)


def _succeeded(i: int) -> str:
    return json.dumps({"run": i, "job": JOB, "schedule": None, "reason": None, "attempt": 1})


def _write(path: str, transactions: list[Transaction]) -> float:
    """Seconds for these transactions, one after the other."""
    conn = sqlite3.connect(path, isolation_level=None)
    for pragma in ("journal_mode=WAL", "synchronous=FULL"):
        conn.execute(f"PRAGMA {pragma}")
    begin = perf_counter()
    for steps in transactions:
        conn.execute("BEGIN IMMEDIATE")
        for statement, values in steps:
            if conn.executemany(statement, values).rowcount != len(values):
                raise RuntimeError(f"the floor's statement missed rows: {statement}")
        conn.execute("COMMIT")
    seconds = perf_counter() - begin
    conn.close()
    return seconds
