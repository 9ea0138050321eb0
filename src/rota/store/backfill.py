"""Backfill: runs for past occurrences that have none, on request."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, select

from rota.errors import InvalidValue
from rota.model.by import By
from rota.model.firing import TICK
from rota.model.instants import rfc3339
from rota.model.overlap import NewRun, RunSet
from rota.model.timing import inside
from rota.store import events, intake, runs
from rota.store.schedules import Locked, Ref, lock
from rota.store.tables import of

MOST = 10_000
"""Occurrences of one backfill."""


@dataclass(frozen=True, slots=True)
class Backfilling:
    """Which occurrences: those in [start, end] up to now. `again` allows what is older than `retention`."""

    start: datetime
    end: datetime
    retention: timedelta
    again: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Backfilled:
    """The occurrences that got runs (or would), their ids in the same order, and how many had a run already."""

    occurrences: tuple[datetime, ...]
    runs: tuple[int, ...]
    existing: int


def backfill(conn: Connection, ref: Ref, asked: Backfilling, by: By) -> Backfilled:
    """Make a run for each occurrence without one; they wait for each other and are never skipped.

    The timing in force names the occurrences. Raises ScheduleNotFound also for a removed schedule, InvalidValue for an
    empty span, one with more than 10,000 occurrences, or one that reaches beyond retention without `again`.
    """
    locked = lock(conn, ref)
    if asked.end < asked.start:
        raise InvalidValue(f"end: {rfc3339(asked.end)} is before start {rfc3339(asked.start)}")
    horizon = locked.now - asked.retention
    if asked.start < horizon and not asked.again:
        raise InvalidValue(
            f"start: history before {rfc3339(horizon)} is not kept, so what ran then may run a second time;"
            " ask for it with again (--again)"
        )
    found = inside(locked.plan, asked.start - TICK, min(asked.end, locked.now), MOST + 1)
    if len(found) > MOST:
        raise InvalidValue(f"start, end: more than {MOST} occurrences; backfill a shorter span at a time")
    known = _with_runs(conn, locked.id, asked.start, asked.end)
    wanted = [at for at in found if at not in known]
    existing = len(found) - len(wanted)
    if asked.dry_run or not wanted:
        return Backfilled(tuple(wanted), (), existing)
    made = _make(conn, locked, wanted, by)
    return Backfilled(tuple(wanted), made, existing)


def _with_runs(conn: Connection, schedule_id: int, start: datetime, end: datetime) -> set[datetime]:
    table = of(conn).runs
    statement = select(table.c.scheduled_for).where(
        table.c.schedule_id == schedule_id,
        table.c.scheduled_for.between(start, end),
        table.c.retry_of.is_(None),
    )
    return set(conn.execute(statement).scalars())


def _make(conn: Connection, locked: Locked, wanted: list[datetime], by: By) -> tuple[int, ...]:
    d = locked.definition
    like = NewRun(d.id, d.key, "backfill", d.lane, d.priority, schedule_id=locked.id)
    group = RunSet(
        tuple(like._replace(scheduled_for=at) for at in wanted), d.flight, d.policies.overlap, d.policies.queue_max,
        always_wait=True, named=d.named_flight,
    )  # fmt: skip
    (placed,) = intake.place(conn, locked.now, [group], by.actor)
    made = tuple(one.id for one in placed if one.id is not None)
    subject = runs.Subject(d.key, d.job, locked.id)
    data = {"by": by.actor, "channel": by.channel, "reason": by.reason, "cause": "backfill"}
    shown = {"from": rfc3339(wanted[0]), "to": rfc3339(wanted[-1]), "runs": len(made)}
    events.change(conn, locked.now, d.key, "backfill", by, after=shown)
    events.write(conn, [runs.run_event("run.requested", locked.now, subject, i, **data) for i in made])
    return made
