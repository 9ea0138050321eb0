"""The common firing, set-based: one run that may start at once, under a key of its own or none.

The general way (`intake.place`) serves every firing; this one serves those that need no judgement, at a fraction of the
cost, and leaves to the general way whatever it finds taken. A conformance test fires everything both ways.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, TypeGuard

from sqlalchemy import Connection

from rota.model.event import CODES, Event
from rota.model.firing import Fire, Firing
from rota.model.instants import rfc3339
from rota.store import dialect, events, intake
from rota.store.definitions import Target
from rota.store.tables import of

_GIVEN: Final = (
    ("schedule_id", "bigint"),
    ("definition_id", "bigint"),
    ("key", "text"),
    ("job", "text"),
    ("lane", "text"),
    ("priority", "integer"),
    ("flight", "text"),
    ("scheduled_for", "timestamptz"),
    ("said_for", "text"),
    ("cause", "text"),
    ("expires_at", "timestamptz"),
    ("covers_from", "timestamptz"),
    ("covers_to", "timestamptz"),
    ("covers_count", "integer"),
)
_RUNS: Final = (
    "INSERT INTO {{runs}} (schedule_id, definition_id, scheduled_for, state, cause, lane, priority, flight, waiting,"
    " judged, expires_at, attempt, lost, token, covers_from, covers_to, covers_count, created_at)"
    " SELECT a.schedule_id, a.definition_id, a.scheduled_for, 'queued', a.cause, a.lane, a.priority, a.flight, false,"
    " true, a.expires_at, 0, 0, 0, a.covers_from, a.covers_to, a.covers_count, {now} FROM {given}"
    " WHERE true ON CONFLICT DO NOTHING"
)
_BORN: Final = {"state": "queued", "waiting": False, "judged": True, "attempt": 0, "lost": 0, "token": 0}
_KIND: Final = "schedule.fired"


def is_plain(target: Any, firing: Firing) -> TypeGuard[Target]:
    """Whether this firing needs no judgement but whether its own key is free."""
    if len(firing.fires) != 1 or firing.always_wait or not isinstance(target, Target) or target.named_flight:
        return False
    return firing.fires[0].not_before is None and firing.fires[0].cause in ("schedule", "catchup")


def insert(conn: Connection, now: datetime, plain: Sequence[tuple[Target, Fire]]) -> dict[int, int]:
    """Insert the runs whose key is free and that are no duplicates, each with its key, `ready` row and event.

    Schedule id -> run id of those that went in; the others are untouched. The caller holds their cursors.
    """
    taken = intake.key_states(conn, [target.flight for target, _ in plain if target.flight is not None])
    free = [(target, fire) for target, fire in plain if target.flight not in taken]
    if not free:
        return {}
    return _one_statement(conn, now, free) if dialect.is_postgresql(conn) else _in_steps(conn, now, free)


def _said(free: Sequence[tuple[Target, Fire]]) -> list[str]:
    """The occurrences as events tell them; there are few different ones."""
    known = {fire.at: rfc3339(fire.at) for _, fire in free}
    return [known[fire.at] for _, fire in free]


def _rows(free: Sequence[tuple[Target, Fire]]) -> list[tuple[Any, ...]]:
    rows = []
    for (t, fire), text in zip(free, _said(free), strict=True):
        timing = (fire.at, text, fire.cause, fire.expires_at, fire.covers_from, fire.covers_to, fire.covers_count)
        rows.append((t.schedule_id, t.id, t.key, t.job, t.lane, t.priority, t.flight, *timing))
    return rows


def _one_statement(conn: Connection, now: datetime, free: Sequence[tuple[Target, Fire]]) -> dict[int, int]:
    source, params = dialect.derived(conn, "a", _GIVEN, _rows(free))
    runs = _RUNS.format(given="a", now="(SELECT at FROM moment)")
    sql = (
        "WITH moment AS (SELECT %s::timestamptz AS at), "
        f"a AS MATERIALIZED (SELECT * FROM {source}), "
        f"made AS ({runs} RETURNING id, schedule_id, flight, lane, priority), "
        "held AS (INSERT INTO {flights} (flight, run_id) SELECT flight, id FROM made WHERE flight IS NOT NULL"
        + intake.take_over("flights")
        + " RETURNING 1), "
        "ready AS (INSERT INTO {ready} (lane, priority, run_id) SELECT lane, priority, id FROM made), "
        "told AS (INSERT INTO {event_inbox} (type, at, subject, code, data)"
        " SELECT %s, (SELECT at FROM moment), a.key, %s, jsonb_build_object('run', m.id, 'job', a.job, 'schedule', a.key,"
        " 'scheduled_for', a.said_for, 'cause', a.cause, 'place', 'start')"
        " FROM made m JOIN a ON a.schedule_id = m.schedule_id ORDER BY m.id)"
        " SELECT schedule_id, id, flight IS NOT NULL AS keyed, (SELECT count(*) FROM held) AS held FROM made"
    )
    found = dialect.tuples(conn, sql, [now, *params, _KIND, CODES[_KIND]])
    if found and sum(keyed for _, _, keyed, _ in found) != found[0][3]:
        raise dialect.Repeat  # somebody took a key between the look and this write
    return {schedule: run for schedule, run, _, _ in found}


def _in_steps(conn: Connection, now: datetime, free: Sequence[tuple[Target, Fire]]) -> dict[int, int]:
    """The same inside SQLite's one write transaction: whatever has an id above the last one is of this batch."""
    tables, count = of(conn), len(free)
    ids = dialect.draw_ids(conn, tables.runs, count)
    columns: dict[str, list[Any]] = {
        "id": ids,
        "schedule_id": [t.schedule_id for t, _ in free],
        "definition_id": [t.id for t, _ in free],
        "scheduled_for": [fire.at for _, fire in free],
        "cause": [fire.cause for _, fire in free],
        "lane": [t.lane for t, _ in free],
        "priority": [t.priority for t, _ in free],
        "flight": [t.flight for t, _ in free],
        "expires_at": [fire.expires_at for _, fire in free],
        "covers_from": [fire.covers_from for _, fire in free],
        "covers_to": [fire.covers_to for _, fire in free],
        "covers_count": [fire.covers_count for _, fire in free],
    }
    columns |= {name: [value] * count for name, value in (*_BORN.items(), ("created_at", now))}
    went = set(dialect.insert_columns(conn, tables.runs, columns, ignore=True, returning="id"))
    mine = " FROM {runs} WHERE id >= %s"
    take = intake.take_over(dialect.name_of(conn, "flights"))
    held = "INSERT INTO {flights} (flight, run_id) SELECT flight, id" + mine + " AND flight IS NOT NULL" + take
    dialect.execute(conn, held, ids[:1])
    dialect.execute(conn, "INSERT INTO {ready} (lane, priority, run_id) SELECT lane, priority, id" + mine, ids[:1])
    made = [(run, t, fire, text) for run, (t, fire), text in zip(ids, free, _said(free), strict=True) if run in went]
    told: list[dict[str, Any]] = [
        {"run": run, "job": t.job, "schedule": t.key, "scheduled_for": text, "cause": fire.cause, "place": "start"}
        for run, t, fire, text in made
    ]
    events.write(conn, [Event(_KIND, now, d["schedule"], d, CODES[_KIND]) for d in told])
    return {t.schedule_id: run for run, t, _, _ in made}
