"""Runs: reading them, their JSON, their events. Claims, settlements and requests are beside this file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, select
from sqlalchemy.sql import Select

from rota.errors import InvalidValue, RunNotFound
from rota.model.event import Event, event
from rota.model.instants import rfc3339
from rota.model.run import FINAL
from rota.store import dialect
from rota.store.tables import of


def invocation(key: str, scheduled_for: datetime) -> str:
    """The idempotency key of an occurrence's run."""
    return f"{key}@{rfc3339(scheduled_for)}"


@dataclass(frozen=True, slots=True)
class Subject:
    """What a run's events are about: the schedule's key or, without a schedule, the job's own definition's."""

    key: str
    job: str
    schedule_id: int | None


class Settled(NamedTuple):
    """A run that was really settled, as it is now; `scheduled_for` as the driver returns it."""

    id: int
    token: int
    state: str
    schedule_id: int | None
    definition_id: int
    scheduled_for: Any
    cause: str

    @property
    def final(self) -> bool:
        """Whether the run has ended."""
        return self.state != "queued"


def run_event(kind: str, at: datetime, subject: Subject, run: int, **data: Any) -> Event:
    """An event of a run: subject, run, job and schedule are the same for all of them."""
    schedule = subject.key if subject.schedule_id is not None else None
    return event(kind, at, subject.key, run=run, job=subject.job, schedule=schedule, **data)


def tell(conn: Connection, ids: Sequence[int], now: datetime) -> None:
    """Write one event for what each of these runs has just become, from its row, in the order of ids.

    `run.STATE` where it ended; `run.retried` or `run.handed_back` where it is queued again.
    """
    for start in range(0, len(ids), 10_000):
        member, params = dialect.in_list(conn, ids[start : start + 10_000])
        rows = f"(SELECT * FROM {{runs}} WHERE id {member})"
        dialect.execute(conn, telling(conn, rows), [dialect.at(conn, now), *params])


def telling(conn: Connection, rows: str) -> str:
    """The statement of `tell` for rows of runs that an SQL expression or a name gives; its first parameter is `now`."""
    kind = (
        "CASE WHEN r.state <> 'queued' THEN 'run.' || r.state WHEN r.reason = 'retry' THEN 'run.retried'"
        " ELSE 'run.handed_back' END"
    )
    always = {
        "run": "r.id",
        "job": "d.job",
        "schedule": "CASE WHEN d.schedule_id IS NOT NULL THEN d.key END",
        "reason": "r.reason",
        "attempt": "r.attempt",
    }
    given = {
        "scheduled_for": dialect.instant_text(conn, "r.scheduled_for"),
        "next_attempt_at": dialect.instant_text(conn, "r.admit_at"),
        "error": dialect.stored_json(conn, "r.error"),
    }
    where = "event_inbox" if dialect.is_postgresql(conn) else "events"
    # Most runs have none of the rest, and for those it would cost more than all else in this statement.
    bare = "r.scheduled_for IS NULL AND r.admit_at IS NULL AND r.error IS NULL"
    few, all_of_them = dialect.json_object(conn, always, {}), dialect.json_object(conn, always, given)
    data = f"CASE WHEN {bare} THEN {few} ELSE {all_of_them} END"
    return (
        f"INSERT INTO {{{where}}} (type, at, subject, data)"
        f" SELECT {kind}, {dialect.instant_mark(conn)}, d.key, {data}"
        f" FROM {rows} r JOIN {{definitions}} d ON d.id = r.definition_id ORDER BY r.id"
    )


def subjects(conn: Connection, definitions: Iterable[int]) -> dict[int, Subject]:
    """The subjects of the runs of these definitions."""
    found: dict[int, Subject] = {}
    wanted = sorted(set(definitions))
    for start in range(0, len(wanted), 10_000):
        member, params = dialect.in_list(conn, wanted[start : start + 10_000])
        sql = f"SELECT id, key, job, schedule_id FROM {{definitions}} WHERE id {member}"
        rows = dialect.query(conn, sql, params)
        found |= {row["id"]: Subject(row["key"], row["job"], row["schedule_id"]) for row in rows}
    return found


def ended_events(conn: Connection, ids: Sequence[int], now: datetime) -> list[Event]:
    """One event for the final state of each of these runs, in the order of `ids`."""
    rows: dict[int, dict[str, Any]] = {}
    for start in range(0, len(ids), 10_000):
        member, params = dialect.in_list(conn, ids[start : start + 10_000])
        sql = (
            "SELECT r.id, r.state, r.reason, r.scheduled_for, d.key, d.job, d.schedule_id"
            f" FROM {{runs}} r JOIN {{definitions}} d ON d.id = r.definition_id WHERE r.id {member}"
        )
        rows |= {row["id"]: row for row in dialect.query(conn, sql, params)}
    return [_ended(rows[i], now) for i in ids if i in rows and rows[i]["state"] in FINAL]


def _ended(row: Mapping[str, Any], now: datetime) -> Event:
    at = dialect.read_at(row["scheduled_for"])
    subject = Subject(row["key"], row["job"], row["schedule_id"])
    scheduled_for = None if at is None else rfc3339(at)
    return run_event(f"run.{row['state']}", now, subject, row["id"], reason=row["reason"], scheduled_for=scheduled_for)


def cancelled_events(conn: Connection, ids: Sequence[int], now: datetime) -> list[Event]:
    """The `run.cancelled` events of runs that this transaction has just made cancelled."""
    return ended_events(conn, ids, now)


def get(conn: Connection, run_id: int) -> dict[str, Any]:
    """One run's record (`record`); raises RunNotFound."""
    tables = of(conn)
    row = conn.execute(_wide(conn).where(tables.runs.c.id == run_id)).mappings().first()
    if row is None:
        raise RunNotFound(f"no run {run_id}")
    return _records(conn, [row])[0]


@dataclass(frozen=True, slots=True)
class Filter:
    """Which runs to list. `schedule` is a key or a name, `after` the id of the last run of the page before."""

    schedule_id: int | None = None
    schedule: str | None = None
    states: tuple[str, ...] = ()
    job: str | None = None
    lane: str | None = None
    node: str | None = None
    cause: str | None = None
    scope: tuple[str, str, str] | None = None
    since: datetime | None = None
    until: datetime | None = None
    after: int | None = None
    oldest_first: bool = False


def page(conn: Connection, wanted: Filter, limit: int = 50) -> list[dict[str, Any]]:
    """At most `limit` records, newest first (or oldest first), from the cursor `wanted.after` on.

    The order is that of ids, which is the order of creation; the cursor of the next page is the last record's id.
    `since` and `until` bound created_at.
    """
    if limit < 1:
        raise InvalidValue(f"limit: {limit} is not a whole number from 1 on")
    table = of(conn).runs
    order = table.c.id if wanted.oldest_first else table.c.id.desc()
    statement = _filtered(conn, _wide(conn), wanted).order_by(order).limit(limit)
    return _records(conn, list(conn.execute(statement).mappings()))


def _filtered(conn: Connection, statement: Select[Any], wanted: Filter) -> Select[Any]:
    runs, definitions = of(conn).runs, of(conn).definitions
    conditions: list[Any] = []
    if wanted.schedule_id is not None:
        conditions.append(runs.c.schedule_id == wanted.schedule_id)
    if wanted.schedule is not None:
        exact = "/" in wanted.schedule
        conditions.append(
            definitions.c.key == wanted.schedule
            if exact
            else definitions.c.key.endswith(f"/{wanted.schedule}", autoescape=True)
        )
        conditions.append(runs.c.schedule_id.is_not(None))
    if wanted.scope is not None:
        conditions.append(definitions.c.key.startswith("/".join(wanted.scope) + "/", autoescape=True))
    if wanted.states:
        conditions.append(runs.c.state.in_(wanted.states))
    if wanted.job is not None:
        conditions.append(definitions.c.job == wanted.job)
    columns = {name: getattr(wanted, name) for name in ("lane", "node", "cause")}
    conditions += [runs.c[name] == value for name, value in columns.items() if value is not None]
    if wanted.since is not None:
        conditions.append(runs.c.created_at >= wanted.since)
    if wanted.until is not None:
        conditions.append(runs.c.created_at <= wanted.until)
    if wanted.after is not None:
        conditions.append(runs.c.id > wanted.after if wanted.oldest_first else runs.c.id < wanted.after)
    return statement.where(*conditions)


def _wide(conn: Connection) -> Select[Any]:
    tables = of(conn)
    runs, definitions = tables.runs, tables.definitions
    columns = [
        definitions.c.key.label("_key"),
        definitions.c.job.label("job"),
        definitions.c.args.label("_args"),
        definitions.c.revision.label("revision"),
    ]
    return select(*runs.c, *columns).join_from(runs, definitions, definitions.c.id == runs.c.definition_id)


def _records(conn: Connection, rows: Sequence[Any]) -> list[dict[str, Any]]:
    from rota.store.cancels import cancels_of

    running = [row["id"] for row in rows if row["state"] == "running"]
    ids = [row["id"] for row in rows]
    asked = cancels_of(conn, running) if running else {}
    progress = _progress(conn, ids) if ids else {}
    return [record(row, asked.get(row["id"]), progress.get(row["id"])) for row in rows]


def _progress(conn: Connection, ids: Sequence[int]) -> dict[int, dict[str, Any]]:
    found: dict[int, dict[str, Any]] = {}
    for start in range(0, len(ids), 10_000):
        member, params = dialect.in_list(conn, ids[start : start + 10_000])
        sql = f"SELECT run_id, done, total FROM {{progress}} WHERE run_id {member}"
        rows = dialect.query(conn, sql, params)
        found |= {row["run_id"]: {"done": row["done"], "total": row["total"]} for row in rows}
    return found


def record(row: Mapping[str, Any], asked: str | None, progress: dict[str, Any] | None) -> dict[str, Any]:
    """A run as document 5 shows it; instants are datetimes, `result` and `error` JSON values."""
    scheduled, error = row["scheduled_for"], row["error"]
    name = row["invocation"] or (invocation(row["_key"], scheduled) if scheduled is not None else None)
    covers = {"from": row["covers_from"], "to": row["covers_to"], "count": row["covers_count"]}
    return {
        "id": row["id"],
        "schedule": row["_key"] if row["schedule_id"] is not None else None,
        "schedule_id": row["schedule_id"],
        "revision": row["revision"] if row["schedule_id"] is not None else None,
        "job": row["job"],
        "args": row["_args"] if row["args"] is None else row["args"],
        "lane": row["lane"],
        "priority": row["priority"],
        "scheduled_for": scheduled,
        "not_before": row["not_before"],
        "invocation": name,
        "state": row["state"],
        "reason": row["reason"],
        "cause": row["cause"],
        "attempt": row["attempt"],
        "token": row["token"],
        "retry_of": row["retry_of"],
        "node": row["node"],
        "waiting": row["waiting"],
        "next_attempt_at": row["admit_at"],
        "cancelling": asked in ("cancel", "replace"),
        "progress": progress,
        "covers": covers if row["covers_count"] else None,
        "result": _value(row["result"]),
        "error": error,
        "exit_code": row["exit_code"],
        "created_at": row["created_at"],
        "started_at": row["started_at"],
        "finished_at": row["finished_at"],
    }


def _value(text: str | None) -> Any:
    """The JSON value of a stored result; text that is no JSON stands for itself."""
    if text is None:
        return None
    try:
        return json.loads(text)
    except ValueError:
        return text


def states(conn: Connection, ids: Sequence[int]) -> dict[int, str]:
    """The state of each of these runs that exists: what a caller that waits looks at."""
    found: dict[int, str] = {}
    for start in range(0, len(ids), 10_000):
        member, params = dialect.in_list(conn, ids[start : start + 10_000])
        rows = dialect.query(conn, f"SELECT id, state FROM {{runs}} WHERE id {member}", params)
        found |= {row["id"]: row["state"] for row in rows}
    return found
