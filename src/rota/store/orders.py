"""Runs that somebody orders: requests for a job without a schedule, and retries by hand."""

from __future__ import annotations

import functools
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from rota.errors import Conflict, RunNotFound
from rota.model.by import By
from rota.model.event import Event
from rota.model.overlap import NewRun, RunSet
from rota.model.run import FINAL
from rota.model.schedule import REMOVED, Definition
from rota.model.storable import clean
from rota.store import definitions, dialect, events, firings, intake, jobs, lanes
from rota.store.runs import Subject, invocation, run_event
from rota.store.types import Json


@dataclass(frozen=True, slots=True)
class Order:
    """A request for one run of a job. `lane` and `priority` None: the job's own.

    `drawn` is drawn before the first try, so that a repeat after a lost answer finds the run that the first one made;
    a `dedupe_key` of the caller's takes its place.
    """

    job: str
    scope: str = "default/default/default"
    args: Mapping[str, Any] = field(default_factory=dict)
    lane: str | None = None
    priority: int | None = None
    not_before: datetime | None = None
    dedupe_key: str | None = None
    drawn: str = field(default_factory=functools.partial(secrets.token_hex, 16))
    cause: str = "manual"


def enqueue(conn: Connection, order: Order, now: datetime, by: By, job: Mapping[str, Any] | None = None) -> int:
    """Place the run; its id. A second request with the same key gets the first one's run, and changes nothing.

    The run is queued, or `skipped` from birth where the job's overlap policy says so. `job` is the registry's row of the
    job where the caller has read it. Raises JobNotFound.
    """
    definition = jobs.definition_of(conn, order.scope, job or jobs.get(conn, order.job), now)
    run = new_run(order, definition)
    lanes.ensure_lane(conn, run.lane, now)
    policies = definition.policies
    wanted = RunSet(
        (run,), definition.flight, policies.overlap, policies.queue_max, by_hand=True, named=definition.named_flight
    )
    return _place(conn, wanted, subject(definition), now, by)


def new_run(order: Order, definition: Definition) -> NewRun:
    """The run that is asked for, of the job's own definition."""
    drawn = f"{definition.key}@{order.cause}-{order.drawn}"
    return NewRun(
        definition.id,
        definition.key,
        order.cause,
        order.lane if order.lane is not None else definition.lane,
        definition.priority if order.priority is None else order.priority,
        not_before=order.not_before,
        scope=order.scope,
        invocation=clean(order.dedupe_key) if order.dedupe_key is not None else drawn,
        args=clean(dict(order.args)),
    )


def _place(conn: Connection, wanted: RunSet, about: Subject, now: datetime, by: By) -> int:
    """Place one run by hand, with its events; the id of the run, or of the one that has its invocation already."""
    (placed,) = intake.place(conn, now, [wanted])[0]
    run = wanted.runs[0]
    if placed.id is None:
        sql = "SELECT id FROM {runs} WHERE scope = %s AND invocation = %s"
        found = dialect.query(conn, sql, [run.scope, run.invocation])
        if not found:
            raise dialect.Repeat  # it was there a moment ago, and retention has just taken it
        return int(found[0]["id"])
    told = [requested(now, about, run, placed.id, by)]
    if placed.place == "skip":
        told.append(run_event("run.skipped", now, about, placed.id, reason="overlap"))
    events.write(conn, told)
    return placed.id


def requested(now: datetime, about: Subject, run: NewRun, id_: int, by: By) -> Event:
    """The event of a request."""
    who = {"by": by.actor, "channel": by.channel}
    return run_event("run.requested", now, about, id_, cause=run.cause, retry_of=run.retry_of, **who)


def subject(definition: Definition) -> Subject:
    """What the events of the definition's runs are about."""
    return Subject(definition.key, definition.job, definition.schedule_id)


def retry(conn: Connection, run_id: int, by: By, now: datetime | None = None) -> int:
    """A new run for what a final run stood for, with its definition and arguments; its id.

    Its invocation is the first one's with `#2`, `#3`, … behind it. It always waits for its key. Raises RunNotFound, and
    Conflict where the run is not final or its schedule was removed. The clock is asked after the schedule's lock.
    """
    first = _first(conn, run_id)
    schedule = first["schedule_id"]
    if schedule is not None:
        cursor = firings.lock(conn, schedule)
        if cursor is None or cursor.state == REMOVED:
            raise Conflict(
                f"run {run_id}: its schedule was removed, so it is not run again; add the schedule again first"
            )
    else:
        dialect.query(conn, "SELECT 1 FROM {runs} WHERE id = %s" + dialect.for_update(conn), [first["id"]])
    at = now or dialect.instant(conn)
    state = dialect.query(conn, "SELECT state FROM {runs} WHERE id = %s", [run_id])[0]["state"]
    if state not in FINAL:
        raise Conflict(f"run {run_id} is {state}; only a run that has ended is run again")
    definition = definitions.load(conn, [first["definition_id"]])[first["definition_id"]]
    return _place(conn, _again(conn, first, run_id, definition), subject(definition), at, by)


def _first(conn: Connection, run_id: int) -> dict[str, Any]:
    """The run that this one goes back to, through all retries by hand."""
    wanted: int | None = run_id
    row: dict[str, Any] | None = None
    while wanted is not None:
        rows = dialect.query(conn, "SELECT * FROM {runs} WHERE id = %s", [wanted])
        if not rows:
            break
        row, wanted = rows[0], rows[0]["retry_of"]
    if row is None:
        raise RunNotFound(f"no run {run_id}")
    return row


def _again(conn: Connection, first: Mapping[str, Any], run_id: int, definition: Definition) -> RunSet:
    at = dialect.read_at(first["scheduled_for"])
    base = first["invocation"] or (
        invocation(definition.key, at) if at is not None else f"{definition.key}#{first['id']}"
    )
    scope = definition.key.rsplit("/", 1)[0]
    run = NewRun(
        definition.id,
        definition.key,
        "retry",
        first["lane"],
        first["priority"],
        schedule_id=first["schedule_id"],
        scheduled_for=at,
        scope=scope,
        invocation=_numbered(conn, scope, base),
        args=dialect.decode(Json(), first["args"]),
        retry_of=run_id,
        covers_from=dialect.read_at(first["covers_from"]),
        covers_to=dialect.read_at(first["covers_to"]),
        covers_count=first["covers_count"],
    )
    policies = definition.policies
    return RunSet(
        (run,), definition.flight, policies.overlap, policies.queue_max, always_wait=True, by_hand=True,
        named=definition.named_flight,
    )  # fmt: skip


def _numbered(conn: Connection, scope: str, base: str) -> str:
    number = 2
    sql = "SELECT 1 FROM {runs} WHERE scope = %s AND invocation = %s"
    while dialect.query(conn, sql, [scope, f"{base}#{number}"]):
        number += 1
    return f"{base}#{number}"
