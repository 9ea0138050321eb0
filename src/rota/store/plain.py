"""The common firing, set-based: one run that may start at once, under a key of its own or none.

The general way (`intake.place`) serves every firing; this one serves those that need no judgement, at a fraction of the
cost, and leaves to the general way whatever it finds taken. A conformance test fires everything both ways.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, TypeGuard

from sqlalchemy import Connection

from rota.model.event import CODES
from rota.model.firing import Fire, Firing
from rota.store import dialect, intake
from rota.store.definitions import Target

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
    said: dict[datetime, str] = {}
    rows = []
    for t, fire in free:
        text = said.get(fire.at) or said.setdefault(fire.at, fire.at.isoformat())
        timing = (fire.at, text, fire.cause, fire.expires_at, fire.covers_from, fire.covers_to, fire.covers_count)
        rows.append((t.schedule_id, t.id, t.key, t.job, t.lane, t.priority, t.flight, *timing))
    source, params = dialect.derived(conn, "a", _GIVEN, rows)
    if dialect.is_postgresql(conn):
        return _one_statement(conn, now, source, params)
    return _in_steps(conn, now, source, params)


def _one_statement(conn: Connection, now: datetime, source: str, params: list[Any]) -> dict[int, int]:
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


def _in_steps(conn: Connection, now: datetime, source: str, params: list[Any]) -> dict[int, int]:
    """The same inside SQLite's one write transaction: whatever has an id above the last one is of this batch."""
    last = dialect.tuples(conn, "SELECT coalesce(max(id), 0) FROM {runs}")[0][0]
    instant = dialect.at(conn, now)
    dialect.execute(conn, _RUNS.format(given=source, now="%s"), [instant, *params])
    mine = " FROM {runs} WHERE id > %s"
    take = intake.take_over(dialect.name_of(conn, "flights"))
    held = "INSERT INTO {flights} (flight, run_id) SELECT flight, id" + mine + " AND flight IS NOT NULL" + take
    dialect.execute(conn, held, [last])
    dialect.execute(conn, "INSERT INTO {ready} (lane, priority, run_id) SELECT lane, priority, id" + mine, [last])
    told = (
        "INSERT INTO {events} (type, at, subject, code, data) SELECT %s, %s, a.key, %s, json_object('run', r.id, 'job',"
        " a.job, 'schedule', a.key, 'scheduled_for', a.said_for, 'cause', a.cause, 'place', 'start')"
        f" FROM {source} JOIN {{runs}} r ON r.schedule_id = a.schedule_id AND r.scheduled_for = a.scheduled_for"
        " AND r.retry_of IS NULL WHERE r.id > %s ORDER BY r.id"
    )
    dialect.execute(conn, told, [_KIND, instant, CODES[_KIND], *params, last])
    return dict(dialect.tuples(conn, "SELECT schedule_id, id" + mine, [last]))
