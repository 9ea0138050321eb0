"""The registry of jobs in the database: what processes know how to run, kept after they are gone (law 11)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from difflib import get_close_matches
from typing import Any, Final

from sqlalchemy import Connection, func, select

from rota.errors import InvalidValue, JobNotFound
from rota.model.policy import parse_policies
from rota.model.schedule import Definition
from rota.store import dialect
from rota.store.definitions import from_row
from rota.store.tables import EPOCH, of

SAY_EVERY: Final = timedelta(minutes=1)
"""How often living workers say which jobs they know."""
_SIGHT: Final = 3 * SAY_EVERY
"""A job that was not said for so long, by the time of the worker heard last, is known to none of them."""


@dataclass(frozen=True, slots=True)
class JobRow:
    """What a process says about one of its jobs. `parameters`: a JSON Schema, None where any object will do."""

    name: str
    kind: str
    version: int = 1
    parameters: Mapping[str, Any] | None = None
    defaults: Mapping[str, Any] = field(default_factory=dict)
    lane: str = "default"
    priority: int = 0
    origin: str | None = None


def register(conn: Connection, rows: Sequence[JobRow]) -> list[str]:
    """Make the registry say what `rows` say; the names of the jobs that are new or changed. Others stay as they are.

    Every row's `seen_at` becomes now. Two processes at once are safe: rows are locked in the order of their names.
    """
    table = of(conn).jobs
    now = dialect.instant(conn)
    ordered = sorted(rows, key=lambda row: row.name)
    stored = [_stored(row) | {"created_at": now, "seen_at": now} for row in ordered]
    there = set(conn.execute(select(table.c.name).where(table.c.name.in_([row["name"] for row in stored]))).scalars())
    missing = [row for row in stored if row["name"] not in there]
    fresh = set(dialect.insert_many(conn, table, missing, ignore=True, returning="name"))
    changed = [row["name"] for row in stored if row["name"] in fresh]
    for row in stored:
        if row["name"] in fresh:
            continue
        known = conn.execute(table.select().where(table.c.name == row["name"]).with_for_update()).mappings().one()
        same = all(known[name] == row[name] for name in row if name not in ("created_at", "seen_at"))
        if not same:
            changed.append(row["name"])
        values = {"seen_at": now} if same else {k: v for k, v in row.items() if k != "created_at"}
        conn.execute(table.update().where(table.c.name == row["name"]).values(values))
    return changed


def say(conn: Connection, names: Sequence[str], now: datetime) -> int:
    """A living worker knows these jobs: `seen_at` of those that nobody has said lately becomes now; how many.

    However many workers know a job, its row is written once in `SAY_EVERY`. Rows locked elsewhere are passed over.
    """
    late = dialect.at(conn, now - SAY_EVERY * 0.9)
    said = 0
    for start in range(0, len(names), 10_000):
        member, params = dialect.in_list(conn, sorted(names)[start : start + 10_000], "text")
        sql = f"SELECT name FROM {{jobs}} WHERE name {member} AND seen_at <= %s ORDER BY name"
        rows = dialect.query(conn, sql + dialect.skip_locked(conn), [*params, late])
        if rows:
            mine, those = dialect.in_list(conn, [row["name"] for row in rows], "text")
            update = f"UPDATE {{jobs}} SET seen_at = %s WHERE name {mine}"
            said += dialect.execute(conn, update, [dialect.at(conn, now), *those])
    return said


def horizon(conn: Connection) -> datetime:
    """Jobs seen before this instant are known to no live worker (law 11). Without a worker nobody can tell: the epoch.

    By the time at which the workers themselves were heard last: a job is not forgotten for an outage of all of them.
    """
    sql = "SELECT max(seen_at) AS at FROM {nodes} WHERE state = 'live' AND roles LIKE %s"
    heard: datetime | None = dialect.read_at(dialect.query(conn, sql, ["%worker%"])[0]["at"])
    return EPOCH if heard is None else heard - _SIGHT


def _stored(row: JobRow) -> dict[str, Any]:
    policies = parse_policies(row.defaults).to_json()
    return {
        "name": row.name,
        "kind": row.kind,
        "version": row.version,
        "parameters": None if row.parameters is None else dict(row.parameters),
        "defaults": {name: policies[name] for name in row.defaults},
        "lane": row.lane,
        "priority": row.priority,
        "origin": row.origin,
    }


def get(conn: Connection, name: str) -> dict[str, Any]:
    """The registry's row of a job; raises JobNotFound with the nearest name."""
    table = of(conn).jobs
    found = conn.execute(table.select().where(table.c.name == name)).mappings().first()
    if found is not None:
        return dict(found)
    names = list(conn.execute(select(table.c.name).limit(1000)).scalars())
    near = get_close_matches(name, names, 1, 0.6)
    hint = (
        f"did you mean {near[0]}?" if near else "start a process that declares it first (rota job ls shows those known)"
    )
    raise JobNotFound(
        f"no job is called {name!r}: {hint}", errors=[{"pointer": "/job", "detail": f"no job is called {name!r}"}]
    )


def page(conn: Connection, *, after: str | None = None, limit: int = 100) -> list[dict[str, Any]]:
    """At most `limit` jobs with names above `after`, in the order of names, with how many schedules each has."""
    if not 1 <= limit <= 1000:
        raise InvalidValue(f"limit: {limit!r} is not a whole number from 1 to 1000")
    tables = of(conn)
    statement = tables.jobs.select().order_by(tables.jobs.c.name).limit(limit)
    if after is not None:
        statement = statement.where(tables.jobs.c.name > after)
    rows = [dict(row) for row in conn.execute(statement).mappings()]
    counts = _schedules(conn, [row["name"] for row in rows])
    return [row | {"schedules": counts.get(row["name"], 0)} for row in rows]


def _schedules(conn: Connection, names: Sequence[str]) -> dict[str, int]:
    cursors, definitions = of(conn).cursors, of(conn).definitions
    statement = (
        select(definitions.c.job, func.count())
        .join_from(cursors, definitions, definitions.c.id == cursors.c.definition_id)
        .where(definitions.c.job.in_(names), cursors.c.state != "removed")
        .group_by(definitions.c.job)
    )
    return {row[0]: row[1] for row in conn.execute(statement)}


def definition_of(conn: Connection, scope: str, job: Mapping[str, Any], now: datetime) -> Definition:
    """The definition that runs requested in `scope` for this job, a row of `get`, refer to.

    A new revision if the registry has moved on.
    """
    name = job["name"]
    table = of(conn).definitions
    key = f"{scope}/{name}"
    newest = table.select().where(table.c.schedule_id.is_(None), table.c.key == key).order_by(table.c.revision.desc())
    known = conn.execute(newest.limit(1)).mappings().first()
    wanted = _requested(job, key)
    if known is not None and all(known[name] == value for name, value in wanted.items()):
        return from_row(dict(known))
    (drawn,) = dialect.draw_ids(conn, table, 1)
    row = wanted | {
        "id": drawn,
        "schedule_id": None,
        "revision": 1 if known is None else known["revision"] + 1,
        "created_at": now,
    }
    if not dialect.insert_many(conn, table, [row], ignore=True, returning="id"):
        raise dialect.Repeat  # another process made this revision between the look and the write
    conn.execute(of(conn).jobs.update().where(of(conn).jobs.c.name == name).values(definition_id=drawn))
    return from_row(
        row | dict.fromkeys(("timezone", "anchor", "valid_from", "valid_until", "max_occurrences", "ends_at"))
    )


def _requested(job: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {
        "key": key,
        "when_text": "",
        "canonical": "",
        "zone": "UTC",
        "job": job["name"],
        "args": {},
        "lane": job["lane"],
        "priority": job["priority"],
        "policies": parse_policies(job["defaults"]).to_json(),
        "given": {},
        "dst_gap": "auto",
        "dst_overlap": "auto",
    }
