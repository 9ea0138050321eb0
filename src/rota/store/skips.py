"""Taking single coming occurrences out of a schedule, and back in."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection

from rota.errors import Conflict, InvalidValue
from rota.model.by import By
from rota.model.event import event
from rota.model.firing import Plan
from rota.model.instants import local, rfc3339
from rota.model.schedule import ACTIVE, PAUSED
from rota.model.timing import coming, holds, last_of
from rota.store import dialect, events
from rota.store.schedules import Locked, Ref, lock, touch
from rota.store.tables import EPOCH, of


def skip(conn: Connection, ref: Ref, at: datetime, by: By) -> int:
    """Take out one coming occurrence: when it is due it is decided as skipped/operator. The schedule's id.

    Raises InvalidValue where `at` is no occurrence, naming its neighbours, or is decided already.
    """
    locked = lock(conn, ref)
    if locked.cursor.state not in (ACTIVE, PAUSED):
        raise Conflict(f"schedule {locked.row['name']} is {locked.cursor.state}: it has no coming occurrence to skip")
    if not holds(locked.plan, at):
        raise InvalidValue(
            f"instant: {rfc3339(at)} is no occurrence of {locked.row['name']}; {neighbours(locked.plan, at)}"
        )
    if at <= locked.cursor.watermark:
        raise InvalidValue(f"instant: {rfc3339(at)} is decided already; rota why tells how")
    row = {"schedule_id": locked.id, "scheduled_for": at, "at": locked.now, "actor": by.actor, "reason": by.reason}
    if dialect.insert_many(conn, of(conn).skips, [row], ignore=True, returning="schedule_id"):
        _told(conn, locked, "skip", at, by)
    return locked.id


def unskip(conn: Connection, ref: Ref, at: datetime, by: By) -> int:
    """Take back a skip; an occurrence that is not skipped stays as it is. The schedule's id.

    Raises InvalidValue for one that is decided already.
    """
    locked = lock(conn, ref)
    if at <= locked.cursor.watermark:
        raise InvalidValue(f"instant: {rfc3339(at)} is decided already; to run it now, backfill it")
    sql = "DELETE FROM {skips} WHERE schedule_id = %s AND scheduled_for = %s"
    if dialect.execute(conn, sql, [locked.id, dialect.at(conn, at)]):
        _told(conn, locked, "unskip", at, by)
    return locked.id


def _told(conn: Connection, locked: Locked, action: str, at: datetime, by: By) -> None:
    key, shown = locked.definition.key, {"scheduled_for": rfc3339(at)}
    touch(conn, locked)
    events.change(conn, locked.now, key, action, by, after=shown)
    data = {"action": action, "by": by.actor, "channel": by.channel, "reason": by.reason}
    events.write(conn, [event("schedule.updated", locked.now, key, **data, after=shown)])


def neighbours(plan: Plan, at: datetime) -> str:
    """`the one before is …, the next one is …`, in the schedule's zone."""
    zone = plan.definition.zone
    before, following = last_of(plan, EPOCH, at, 1), coming(plan, at, 1)
    texts = [f"the one before is {local(before[0], zone)}"] if before else []
    texts += [f"the next one is {local(following[0], zone)}"] if following else []
    return ", ".join(texts) or "it has none"
