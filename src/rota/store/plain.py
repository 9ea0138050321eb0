"""The common firing, set-based: one run that may start at once, under a key of its own or none, and its cursor moved.

The general way (`intake.place`) serves every firing; this one serves those that need no judgement, at a fraction of the
cost, and leaves to the general way whatever it finds taken. A conformance test fires everything both ways.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple, TypeGuard

from sqlalchemy import Connection

from rota.model.event import CODES, Event
from rota.model.firing import Fire, Firing
from rota.model.instants import rfc3339
from rota.model.schedule import ACTIVE, Cursor
from rota.store import dialect, events, intake
from rota.store.definitions import Target
from rota.store.tables import of


class Plain(NamedTuple):
    """One common firing: of which definition, what it fires, and its cursor afterwards."""

    target: Target
    fire: Fire
    cursor: Cursor


_GIVEN: Final = (
    ("schedule_id", "bigint"),
    ("definition_id", "bigint"),
    ("key", "text"),
    ("job", "text"),
    ("lane", "text"),
    ("priority", "integer"),
    ("flight", "text"),
    ("cause", "text"),
    ("scheduled_for", "timestamptz"),
    ("said_for", "text"),
    ("expires_at", "timestamptz"),
    ("covers_from", "timestamptz"),
    ("covers_to", "timestamptz"),
    ("covers_count", "integer"),
    ("watermark", "timestamptz"),
    ("next_at", "timestamptz"),
    ("due_at", "timestamptz"),
    ("last_wall", "text"),
)
_MOVES: Final = ("watermark", "next_at", "due_at", "last_wall")
_BORN: Final = {"state": "queued", "waiting": False, "judged": True, "attempt": 0, "lost": 0, "token": 0}
_KIND: Final = "schedule.fired"


def is_plain(target: Any, before: Cursor, firing: Firing) -> TypeGuard[Target]:
    """Whether this firing needs no judgement but whether its own key is free, and only moves its cursor on."""
    if len(firing.fires) != 1 or firing.always_wait or not isinstance(target, Target) or target.named_flight:
        return False
    after = firing.cursor
    if before.state != ACTIVE or after.state != ACTIVE or after.cut_until is not None:
        return False
    if before.cut_until is not None or before.wake_at is not None:
        return False
    return firing.fires[0].not_before is None and firing.fires[0].cause in ("schedule", "catchup")


def commit(conn: Connection, now: datetime, plain: Sequence[Plain], node: str) -> list[int]:
    """Insert the runs whose key is free and that are no duplicates, each with its key, `ready` row, event and cursor.

    The schedules whose run did not go in: to the general way, whatever became of their cursors. The caller holds them.
    """
    if not plain:
        return []
    if not dialect.is_postgresql(conn):
        return _in_steps(conn, now, plain, node)
    if intake.any_waits(conn):
        taken = intake.key_states(conn, [p.target.flight for p in plain if p.target.flight is not None])
        free = [p for p in plain if p.target.flight not in taken]
        left = [p.target.schedule_id for p in plain if p.target.flight in taken]
        return left + (_one_statement(conn, now, free, node) if free else [])
    return _one_statement(conn, now, plain, node)


def _columns(plain: Sequence[Plain]) -> list[list[Any]]:
    """The values of `_GIVEN`, by column."""
    targets, fires, cursors = zip(*plain, strict=True)
    said = {at: rfc3339(at) for at in {fire.at for fire in fires}}
    return [
        [t.schedule_id for t in targets],
        [t.id for t in targets],
        [t.key for t in targets],
        [t.job for t in targets],
        [t.lane for t in targets],
        [t.priority for t in targets],
        [t.flight for t in targets],
        [f.cause for f in fires],
        [f.at for f in fires],
        [said[f.at] for f in fires],
        [f.expires_at for f in fires],
        [f.covers_from for f in fires],
        [f.covers_to for f in fires],
        [f.covers_count for f in fires],
        [c.watermark for c in cursors],
        [c.next_at for c in cursors],
        [c.due_at for c in cursors],
        [None if c.last_wall is None else c.last_wall.isoformat() for c in cursors],
    ]


def _one_statement(conn: Connection, now: datetime, plain: Sequence[Plain], node: str) -> list[int]:
    """The key first: what gets none makes no run. A key whose run turns out a duplicate names no run, and is free."""
    source, params = dialect.derived_columns(conn, "s", _GIVEN, _columns(plain))
    sql = (
        "WITH moment AS (SELECT %s::timestamptz AS at), "
        f"a AS MATERIALIZED (SELECT nextval('{{runs}}_id_seq') AS id, s.* FROM {source}), "
        "moved AS (UPDATE {cursors} t SET " + ", ".join(f"{name} = a.{name}" for name in _MOVES) + " FROM a"
        " WHERE t.schedule_id = a.schedule_id), "
        "held AS (INSERT INTO {flights} (flight, run_id) SELECT flight, id FROM a WHERE flight IS NOT NULL"
        + intake.take_over("flights")
        + " RETURNING run_id), "
        "made AS (INSERT INTO {runs} (id, schedule_id, definition_id, scheduled_for, state, cause, lane, priority, flight,"
        " waiting, judged, expires_at, attempt, lost, token, covers_from, covers_to, covers_count, created_at)"
        " SELECT id, schedule_id, definition_id, scheduled_for, 'queued', cause, lane, priority, flight, false, true,"
        " expires_at, 0, 0, 0, covers_from, covers_to, covers_count, (SELECT at FROM moment) FROM a"
        " WHERE flight IS NULL OR id IN (SELECT run_id FROM held)"
        " ON CONFLICT (schedule_id, scheduled_for) WHERE scheduled_for IS NOT NULL AND retry_of IS NULL DO NOTHING"
        " RETURNING id, lane, priority), "
        "ready AS (INSERT INTO {ready} (lane, priority, run_id) SELECT lane, priority, id FROM made), "
        "told AS (INSERT INTO {event_inbox} (type, at, subject, code, data)"
        " SELECT %s, (SELECT at FROM moment), a.key, %s, jsonb_build_object('run', a.id, 'job', a.job, 'schedule', a.key,"
        " 'scheduled_for', a.said_for, 'cause', a.cause, 'place', 'start', 'node', %s::text)"
        " FROM made m JOIN a ON a.id = m.id ORDER BY a.id)"
        " SELECT CASE WHEN count(*) < %s THEN"
        " ARRAY(SELECT schedule_id FROM a WHERE id NOT IN (SELECT id FROM made)) END FROM made"
    )
    ((left,),) = dialect.tuples(conn, sql, [now, *params, _KIND, CODES[_KIND], node, len(plain)])
    return left or []


def _in_steps(conn: Connection, now: datetime, plain: Sequence[Plain], node: str) -> list[int]:
    """The same inside SQLite's one write transaction: whatever has an id above the last one is of this batch."""
    taken = intake.key_states(conn, [p.target.flight for p in plain if p.target.flight is not None])
    free = [p for p in plain if p.target.flight not in taken] if taken else plain
    left = [p.target.schedule_id for p in plain if p.target.flight in taken] if taken else []
    if not free:
        return left
    tables = of(conn)
    given = dict(zip((name for name, _ in _GIVEN), _columns(free), strict=True))
    moves = {name: given.pop(name) for name in _MOVES}
    dialect.update_columns(conn, tables.cursors, {"schedule_id": given["schedule_id"], **moves}, key="schedule_id")
    keys, jobs, said = given.pop("key"), given.pop("job"), given.pop("said_for")
    ids = dialect.draw_ids(conn, tables.runs, len(free))
    born = {name: [value] * len(free) for name, value in (*_BORN.items(), ("created_at", now))}
    went = dialect.insert_columns(conn, tables.runs, {"id": ids, **given, **born}, ignore=True, returning="id")
    mine = " FROM {runs} WHERE id >= %s"
    held = "INSERT INTO {flights} (flight, run_id) SELECT flight, id" + mine + " AND flight IS NOT NULL"
    dialect.execute(conn, held + intake.take_over(dialect.name_of(conn, "flights")), ids[:1])
    dialect.execute(conn, "INSERT INTO {ready} (lane, priority, run_id) SELECT lane, priority, id" + mine, ids[:1])
    told = list(zip(ids, jobs, keys, said, given["cause"], given["schedule_id"], strict=True))
    if len(went) < len(ids):
        made = set(went)
        left += [one[-1] for one in told if one[0] not in made]
        told = [one for one in told if one[0] in made]
    events.write(conn, [_fired(now, node, one) for one in told])
    return left


def _fired(now: datetime, node: str, told: tuple[Any, ...]) -> Event:
    run, job, key, said, cause, _ = told
    data = {
        "run": run,
        "job": job,
        "schedule": key,
        "scheduled_for": said,
        "cause": cause,
        "place": "start",
        "node": node,
    }
    return Event(_KIND, now, key, data, CODES[_KIND])
