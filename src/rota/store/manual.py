"""Runs that somebody asks for: of a schedule now, of a job at any time, and runs that somebody else carried out."""

from __future__ import annotations

import functools
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from rota.errors import Conflict, InvalidValue
from rota.model.arguments import check_arguments
from rota.model.by import By
from rota.model.instants import rfc3339
from rota.model.overlap import NewRun, RunSet
from rota.model.run import FINAL
from rota.model.schedule import ACTIVE, PAUSED, Definition
from rota.model.spec import normalise
from rota.model.storable import storable
from rota.store import dialect, events, health, intake, jobs, orders, runs
from rota.store.orders import Order
from rota.store.schedules import Locked, Ref, disable_locked, lock
from rota.store.tables import of

_AHEAD = timedelta(days=36525)


@dataclass(frozen=True, slots=True)
class Request:
    """A request for a run of a schedule. `drawn` is drawn before the first try, so that a repeat finds the first run.

    `args` go over the schedule's own. A `dedupe_key`, unique among the kept runs of the place, stands for `drawn`.
    """

    args: Mapping[str, Any] = field(default_factory=dict)
    dedupe_key: str | None = None
    drawn: str = field(default_factory=functools.partial(secrets.token_hex, 16))


def request_run(conn: Connection, ref: Ref, request: Request, by: By) -> int:
    """Request a run of a schedule now; the run's id, or that of the first one with the same key.

    Where the flight key is held the overlap policy decides; a skipped one is a run, `skipped` from birth.
    Raises ScheduleNotFound also for a removed schedule, InvalidArguments.
    """
    locked = lock(conn, ref)
    d = locked.definition
    given = normalise({"args": request.args})["args"]
    if given:
        given = d.args | given
        check_arguments(d.job, given, jobs.get(conn, d.job)["parameters"])
    new = NewRun(
        definition_id=d.id,
        key=d.key,
        cause="manual",
        lane=d.lane,
        priority=d.priority,
        schedule_id=locked.id,
        scope=d.key.rsplit("/", 1)[0],
        invocation=f"{d.key}@manual-{request.drawn}"
        if request.dedupe_key is None
        else check_dedupe_key(request.dedupe_key),
        args=given or None,
    )
    return _place(conn, locked.now, new, d, by)


def check_dedupe_key(key: object) -> str:
    """`key` if it is 1-200 printable characters."""
    if not isinstance(key, str) or not 1 <= len(key) <= 200 or not key.isprintable():
        raise InvalidValue(f"dedupe_key: {key!r} is not a text of 1-200 printable characters")
    return key


def _place(conn: Connection, now: datetime, new: NewRun, d: Definition, by: By) -> int:
    policies = d.policies
    flight = d.flight
    wanted = RunSet((new,), flight, policies.overlap, policies.queue_max, by_hand=True, named=d.named_flight)
    ((placed,),) = intake.place(conn, now, [wanted], by.actor)
    if placed.id is None:
        return _first(conn, new)
    data = {"by": by.actor, "channel": by.channel, "reason": by.reason, "cause": new.cause, "place": placed.place}
    subject = runs.Subject(d.key, d.job, new.schedule_id)
    written = [runs.run_event("run.requested", now, subject, placed.id, **data)]
    if placed.place == "skip":
        written += runs.ended_events(conn, [placed.id], now)
    events.write(conn, written)
    return placed.id


def _first(conn: Connection, new: NewRun) -> int:
    """The run that has this invocation already."""
    sql = "SELECT id FROM {runs} WHERE scope = %s AND invocation = %s"
    rows = dialect.query(conn, sql, [new.scope, new.invocation])
    if not rows:
        raise dialect.Repeat  # it was inserted, and is gone again: look anew
    found: int = rows[0]["id"]
    return found


def enqueue(conn: Connection, order: Order, by: By) -> int:
    """Queue a run of a job, its arguments checked against the registry; its id (`orders.enqueue`).

    Raises JobNotFound, InvalidArguments, InvalidValue.
    """
    now = dialect.began(conn)
    job = jobs.get(conn, order.job)
    check_order(order, job)
    if order.not_before is not None and order.not_before > now + _AHEAD:
        raise InvalidValue(f"not_before: {rfc3339(order.not_before)} is more than a hundred years ahead")
    return orders.enqueue(conn, order, now, by, job)


def check_order(order: Order, job: Mapping[str, Any]) -> None:
    """Raise InvalidArguments or InvalidValue for what is wrong with an order but its time; `job` is the registry's row."""
    given = {"args": order.args, "lane": order.lane, "priority": order.priority}
    told: dict[str, Any] = {name: value for name, value in given.items() if value is not None and value != {}}
    spec = normalise(told) if told else told
    check_arguments(order.job, spec.get("args", {}), job["parameters"])
    if order.dedupe_key is not None:
        check_dedupe_key(order.dedupe_key)


@dataclass(frozen=True, slots=True)
class Recorded:
    """A run that somebody else carried out; `result` is any JSON value."""

    scheduled_for: datetime
    state: str
    started_at: datetime
    finished_at: datetime
    result: Any = None


def record_run(conn: Connection, ref: Ref, recorded: Recorded, by: By) -> int:
    """Write a run that is final from birth (cause recorded); its id. It moves health, never the watermark.

    Raises InvalidValue for a state that is not final or times out of order, Conflict where the occurrence has a run.
    """
    if recorded.state not in FINAL:
        raise InvalidValue(f"state: {recorded.state!r} is not one of {', '.join(FINAL)}")
    if recorded.finished_at < recorded.started_at:
        raise InvalidValue(f"finished_at: {rfc3339(recorded.finished_at)} is before started_at")
    locked = lock(conn, ref)
    (drawn,) = dialect.draw_ids(conn, of(conn).runs, 1)
    row = _recorded_row(drawn, locked, recorded)
    if not dialect.insert_many(conn, of(conn).runs, [row], ignore=True, returning="id"):
        raise Conflict(f"the occurrence {rfc3339(recorded.scheduled_for)} of {locked.row['name']} has a run already")
    settled = runs.Settled(
        drawn, 0, recorded.state, locked.id, locked.definition.id, recorded.scheduled_for, "recorded"
    )
    failures = health.move(conn, [settled], locked.now).get(locked.id, 0)
    events.write(conn, [_recorded_event(locked, drawn, recorded, by)])
    limit = locked.definition.policies.disable_after
    if limit is not None and failures >= limit and locked.cursor.state in (ACTIVE, PAUSED):
        disable_locked(conn, locked.cursor, f"{failures} {health.FAILURES}", locked.now, by.actor)
    return drawn


def _recorded_row(drawn: int, locked: Locked, recorded: Recorded) -> dict[str, Any]:
    d = locked.definition
    return {
        "id": drawn, "schedule_id": locked.id, "definition_id": d.id, "scheduled_for": recorded.scheduled_for,
        "state": recorded.state, "reason": "recorded", "cause": "recorded", "lane": d.lane, "priority": d.priority,
        "flight": None, "waiting": False, "judged": True, "attempt": 1, "lost": 0, "token": 0,
        "result": None if recorded.result is None else storable(recorded.result).text,
        "created_at": locked.now, "started_at": recorded.started_at, "finished_at": recorded.finished_at,
    }  # fmt: skip


def _recorded_event(locked: Locked, drawn: int, recorded: Recorded, by: By) -> Any:
    subject = runs.Subject(locked.definition.key, locked.definition.job, locked.id)
    data = {"scheduled_for": rfc3339(recorded.scheduled_for), "by": by.actor, "reason": "recorded"}
    return runs.run_event(f"run.{recorded.state}", locked.now, subject, drawn, **data)
