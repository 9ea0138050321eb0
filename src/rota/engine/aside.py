"""Setting one bad schedule aside, and taking it up again with another version (design document 4, "One bad row"; law 3)."""

from __future__ import annotations

import logging
from datetime import datetime
from typing import TYPE_CHECKING, Final

from rota.calendar.civil import zone_data_version
from rota.errors import CannotCompute
from rota.model.timing import plan_of
from rota.store import definitions, dialect, firings, schedules
from rota.store.database import Connection, StatementRefused
from rota.version import VERSION

if TYPE_CHECKING:
    from rota.engine.scheduler import Scheduler, Turned

log = logging.getLogger("rota.scheduler")

UNCOMPUTABLE: Final = CannotCompute.code
REFUSED: Final = StatementRefused.code


def versions() -> str:
    """What is on record with a schedule that could not be fired: another version tries once more."""
    return f"rota {VERSION}, zone data {zone_data_version()}"


def cannot(error: Exception) -> CannotCompute:
    """The error of a schedule whose next occurrence cannot be computed, with the versions that could not."""
    return CannotCompute(f"{error!r:.500} ({versions()})")


def in_halves(scheduler: Scheduler, now: datetime | None) -> Turned:
    """Fire what is due in ever smaller parts, after the database refused a batch for good.

    The schedule whose firing is refused alone is disabled in a transaction of its own; all others fire.
    """
    database = scheduler.database
    at = now or database.read(dialect.instant)
    done = type(scheduler.totals)()
    parts = [database.read(firings.due_ids, at, scheduler.settings.batch)]
    while parts:
        part = parts.pop()
        try:
            made = database.call(scheduler.fire, at, only=part)
        except StatementRefused as error:
            if len(part) == 1:
                database.call(
                    _set_aside, part[0], at, f"{REFUSED}: {error.message:.500} ({versions()})", scheduler.node
                )
                done.claimed += 1
            else:
                middle = len(part) // 2
                parts += [part[middle:], part[:middle]]
        else:
            done.fired += made.fired
            done.claimed += made.claimed
            done.coalesced += made.coalesced
            done.skipped.update(made.skipped)
    return done


def _set_aside(conn: Connection, schedule_id: int, now: datetime, reason: str, node: str) -> None:
    cursor = firings.lock(conn, schedule_id)
    if cursor is not None and cursor.state == "active":
        log.error("schedule.set_aside", extra={"schedule_id": schedule_id, "reason": reason})
        schedules.disable_locked(conn, cursor, reason, now, node)


def heal(scheduler: Scheduler) -> bool:
    """Try the schedules that another version of rota or zone data could not fire, once; True when done.

    What can be computed now is enabled again, with the reason on record; what still cannot keeps this version's mark.
    """
    database = scheduler.database
    for code in (UNCOMPUTABLE, REFUSED):
        for schedule in database.read(firings.disabled_for, code, versions()):
            database.call(_try_again, schedule)
    return True


def _try_again(conn: Connection, schedule_id: int) -> None:
    cursor = firings.lock(conn, schedule_id)
    if (
        cursor is None
        or cursor.state != "disabled"
        or not (cursor.disabled_reason or "").startswith(("X200900", "X500"))
    ):
        return
    now = dialect.instant(conn)
    try:
        definition = definitions.load(conn, [cursor.definition_id])[cursor.definition_id]
        rule = plan_of(definition).recurrence
        rule.last_until(now)
        rule.next_after(now)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is put on record with this version
        fault = cannot(error)
        reason = f"{fault.code}: {fault.message}"
        dialect.execute(conn, "UPDATE {cursors} SET disabled_reason = %s WHERE schedule_id = %s", [reason, schedule_id])
        return
    schedules.enable_locked(conn, cursor, now, f"this version computes it ({versions()})")
