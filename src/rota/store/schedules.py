"""Schedules: finding and locking one, and the acts that change its state (document 2, the table of acts).

Each act locks the schedule's cursor first, asks the clock then, and looks at the state after that. It writes who did it
and the event in the same transaction; the caller commits. Watermarks only grow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import get_close_matches
from typing import Any

from sqlalchemy import Connection, select

from rota.errors import Conflict, InvalidValue, ScheduleNotFound
from rota.model import reasons
from rota.model.by import By
from rota.model.event import event
from rota.model.firing import Decision, Plan, plan_firing, rearm, undecided
from rota.model.instants import rfc3339
from rota.model.schedule import ACTIVE, DISABLED, DONE, PAUSED, REMOVED, Cursor, Definition, Key
from rota.model.timing import plan_of
from rota.store import decisions, definitions, dialect, events, firings
from rota.store.tables import of

Ref = Key | int


@dataclass(frozen=True, slots=True)
class Locked:
    """A schedule under its lock: its row, its cursor and its plan as they are, and the clock asked after the lock."""

    row: Mapping[str, Any]
    cursor: Cursor
    plan: Plan
    now: datetime

    @property
    def id(self) -> int:
        """The schedule's id."""
        return self.cursor.schedule_id

    @property
    def definition(self) -> Definition:
        """The definition in force."""
        return self.plan.definition

    def at(self, **changes: Any) -> Locked:
        """The same with another cursor."""
        return replace(self, cursor=self.cursor._replace(**changes))

    def armed(self) -> Locked:
        """The same with next_at, due_at and `done` as rule, state and watermark name them."""
        return replace(self, cursor=rearm(self.plan, self.cursor, self.now))


def row_of(conn: Connection, ref: Ref) -> dict[str, Any] | None:
    """The row of `schedules`, removed ones included, or None."""
    table = of(conn).schedules
    if isinstance(ref, Key):
        found = conn.execute(
            table.select().where(
                table.c.tenant == ref.tenant, table.c.stack == ref.stack,
                table.c.environment == ref.environment, table.c.name == ref.name,
            )
        )  # fmt: skip
    else:
        found = conn.execute(table.select().where(table.c.id == ref))
    row = found.mappings().first()
    return None if row is None else dict(row)


def locate(conn: Connection, ref: Ref) -> int:
    """The id of a schedule that is not removed; raises ScheduleNotFound, with the nearest name."""
    row = row_of(conn, ref)
    if row is None or row["removed_at"] is not None:
        raise not_found(conn, ref)
    found: int = row["id"]
    return found


def not_found(conn: Connection, ref: Ref) -> ScheduleNotFound:
    """The error that names what was asked for and, where one is near, what there is."""
    if not isinstance(ref, Key):
        return ScheduleNotFound(f"no schedule has the id {ref}")
    table = of(conn).schedules
    place = (table.c.tenant == ref.tenant, table.c.stack == ref.stack, table.c.environment == ref.environment)
    names = list(conn.execute(select(table.c.name).where(*place, table.c.removed_at.is_(None)).limit(1000)).scalars())
    near = get_close_matches(ref.name, names, 1, 0.6)
    return ScheduleNotFound(f"no schedule {ref.short!r}" + (f": did you mean {near[0]}?" if near else ""))


def lock(conn: Connection, ref: Ref, *, removed: bool = False) -> Locked:
    """Lock a schedule's cursor, then ask the clock, then read the rest. Raises ScheduleNotFound.

    A removed schedule is only found with `removed`. An active one that nothing would wake is armed again (repair).
    """
    row = row_of(conn, ref)
    cursor = None if row is None else firings.lock(conn, row["id"])
    if row is None or cursor is None or (cursor.state == REMOVED and not removed):
        raise not_found(conn, ref)
    now = dialect.instant(conn)
    fresh = row_of(conn, cursor.schedule_id)
    locked = Locked(fresh or row, cursor, _plan(conn, cursor), now)
    return _repaired(conn, locked) if cursor.state == ACTIVE and cursor.due_at is None else locked


def _plan(conn: Connection, cursor: Cursor) -> Plan:
    return plan_of(definitions.load(conn, [cursor.definition_id])[cursor.definition_id])


def _repaired(conn: Connection, locked: Locked) -> Locked:
    armed = locked.armed()
    save(conn, armed)
    events.write(conn, [event("repair.armed", locked.now, locked.definition.key, reason="active without due_at")])
    return armed


def save(conn: Connection, locked: Locked) -> None:
    """Write the cursor; forget skips that the watermark has passed."""
    firings.write_cursor(conn, locked.cursor)
    sql = "DELETE FROM {skips} WHERE schedule_id = %s AND scheduled_for <= %s"
    dialect.execute(conn, sql, [locked.id, dialect.at(conn, locked.cursor.watermark)])


def touch(conn: Connection, locked: Locked, **columns: Any) -> None:
    """Set `updated_at`, and more columns of the row of `schedules`."""
    table = of(conn).schedules
    conn.execute(table.update().where(table.c.id == locked.id).values(updated_at=locked.now, **columns))


def told(
    conn: Connection,
    locked: Locked,
    kind: str,
    by: By,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> None:
    """Record a change with who made it, and its event `schedule.KIND`."""
    key, reason = locked.definition.key, by.reason
    events.change(conn, locked.now, key, kind, by, before=before, after=after)
    data = {
        "schedule_id": locked.id,
        "job": locked.definition.job,
        "by": by.actor,
        "channel": by.channel,
        "reason": reason,
    }
    events.write(conn, [event(f"schedule.{kind}", locked.now, key, **data, before=before, after=after)])


def record_decision(conn: Connection, locked: Locked, decision: Decision | None, by: By) -> None:
    """Record what became of occurrences without a run; a decision that touches the last one extends it."""
    if decision is None:
        return
    fresh = decisions.record(
        conn, locked.now, by.actor, [decisions.Decided(locked.id, locked.cursor.revision, decision)]
    )
    kind = "schedule.skipped" if decision.what == reasons.SKIPPED else "schedule.coalesced"
    written = [
        event(
            kind, locked.now, locked.definition.key, reason=one.decision.reason,
            after=rfc3339(one.decision.after_at), until=rfc3339(one.decision.until_at),
        )
        for one in fresh
    ]  # fmt: skip
    events.write(conn, written)


def skip_undecided(conn: Connection, locked: Locked, reason: str, by: By) -> Locked:
    """Record what is due and undecided as skipped for this reason, and raise the watermark to now."""
    mark = locked.cursor.watermark
    record_decision(conn, locked, undecided(locked.plan, mark, locked.now, reason), by)
    return locked.at(watermark=max(mark, locked.now), cut_until=None)


def decide_due(conn: Connection, locked: Locked, node: str) -> Locked:
    """Fire what is due of this one schedule, by its policies, as a scheduler would; also what one firing cuts off."""
    while True:
        skips = firings.skips(conn, [locked.cursor]).get(locked.id, frozenset())
        firing = plan_firing(locked.plan, locked.cursor, locked.now, skips)
        firings.commit(conn, locked.now, [firings.Judged(locked.definition, locked.cursor, firing)], node)
        moved = firing.cursor.watermark > locked.cursor.watermark
        locked = replace(locked, cursor=firing.cursor)
        if firing.cursor.cut_until is None or not moved:
            return locked


def settle_pause(conn: Connection, locked: Locked, by: By) -> Locked:
    """A timed pause whose end has passed is over, whether or not a scheduler has seen it; anything else stays."""
    until = locked.cursor.paused_until
    if locked.cursor.state != PAUSED or until is None or until > locked.now:
        return locked
    mark = locked.cursor.watermark
    over = locked.at(state=ACTIVE, paused_until=None)
    if locked.definition.policies.on_resume == "skip" and until > mark:
        record_decision(conn, locked, undecided(locked.plan, mark, until, reasons.PAUSED), by)
        over = over.at(watermark=until, cut_until=None)
    events.write(conn, [event("schedule.resumed", locked.now, locked.definition.key, reason="the pause ended")])
    over = over.armed()
    save(conn, over)
    return over


def enable(conn: Connection, ref: Ref, by: By) -> int:
    """Make a disabled schedule active from now on; one that is not disabled stays as it is. Its id."""
    locked = lock(conn, ref)
    if locked.cursor.state == DISABLED:
        _enable(conn, locked, by)
    return locked.id


def locked_as(conn: Connection, cursor: Cursor, now: datetime) -> Locked | None:
    """The schedule whose cursor the caller holds; None where its row is gone. Raises where its rule cannot be made."""
    row = row_of(conn, cursor.schedule_id)
    return None if row is None else Locked(row, cursor, _plan(conn, cursor), now)


def enable_locked(conn: Connection, cursor: Cursor, now: datetime, reason: str) -> None:
    """The engine's own enabling of a disabled schedule whose cursor is locked."""
    locked = locked_as(conn, cursor, now)
    if locked is not None:
        enabled(conn, locked, reason)


def enabled(conn: Connection, locked: Locked, reason: str) -> None:
    """The same (a probe succeeded) of a schedule that the engine holds already."""
    if locked.cursor.state == DISABLED:
        _enable(conn, locked, By("rota", "engine", reason))


def _enable(conn: Connection, locked: Locked, by: By) -> None:
    before = {"state": DISABLED, "disabled_reason": locked.cursor.disabled_reason}
    mark = max(locked.cursor.watermark, locked.now)
    after = locked.at(state=ACTIVE, watermark=mark, disabled_reason=None, probe_at=None, cut_until=None).armed()
    save(conn, after)
    touch(conn, after)
    told(conn, after, "enabled", by, before, {"state": after.cursor.state, "disabled_reason": None})
    dialect.execute(conn, "UPDATE {health} SET consecutive_failures = 0 WHERE schedule_id = %s", [locked.id])


def disable(conn: Connection, ref: Ref, by: By) -> int:
    """Disable a schedule; one that is disabled by hand stays as it is. Its id.

    One that failures disabled is disabled by hand from now on: no probe of it, planned or waiting, starts any more.
    """
    from rota.store.health import by_failures

    locked = lock(conn, ref)
    reason = by.reason or f"disabled by {by.actor}"
    if locked.cursor.state != DISABLED or by_failures(locked.cursor.disabled_reason):
        _end(conn, locked, DISABLED, by, f"{reason}, says {by.actor}" if by_failures(reason) else reason)
    return locked.id


def disable_locked(conn: Connection, cursor: Cursor, reason: str, now: datetime, node: str) -> None:
    """The engine's own disabling of a schedule whose cursor is locked."""
    locked = locked_as(conn, cursor, now)
    if locked is not None:
        disabled(conn, locked, reason, node)


def disabled(conn: Connection, locked: Locked, reason: str, node: str) -> None:
    """The same (failures) of a schedule that the engine holds already."""
    if locked.cursor.state in (ACTIVE, PAUSED, DONE):
        _end(conn, locked, DISABLED, By(node, "engine", reason), reason)


def remove(conn: Connection, ref: Ref, by: By) -> int:
    """Remove a schedule: its row and history stay, its name is free. Its id."""
    locked = lock(conn, ref)
    _end(conn, locked, REMOVED, by, None)
    dialect.execute(conn, "DELETE FROM {skips} WHERE schedule_id = %s", [locked.id])
    return locked.id


def _end(conn: Connection, locked: Locked, state: str, by: By, reason: str | None) -> None:
    """Disable or remove: decide what is due, stop the cursor, end the runs. In this order, in one transaction."""
    why = locked.cursor.disabled_reason
    before = {"state": locked.cursor.state} | ({} if why is None else {"disabled_reason": why})
    if locked.cursor.state in (ACTIVE, PAUSED, DONE):
        locked = settle_pause(conn, locked, by)
        paused = locked.cursor.state == PAUSED
        locked = skip_undecided(conn, locked, reasons.PAUSED if paused else reasons.OPERATOR, by)
    ended = locked.at(
        state=state, paused_until=None, probe_at=None, disabled_reason=reason, next_at=None, due_at=None, cut_until=None
    )
    save(conn, ended)
    touch(conn, ended, **({"removed_at": locked.now} if state == REMOVED else {}))
    kind = "removed" if state == REMOVED else "disabled"
    told(conn, ended, kind, by, before, {"state": state, "disabled_reason": reason})
    _end_runs(conn, ended, kind, by)


def _end_runs(conn: Connection, locked: Locked, reason: str, by: By) -> None:
    """Forbid every further start of runs that exist, then cancel those that wait.

    The first statement covers a run that is being settled at this moment: whoever would queue it again finds the row.
    """
    from rota.store.runs import cancelled_events

    at = dialect.at(conn, locked.now)
    dialect.execute(
        conn,
        "INSERT INTO {cancels} (run_id, kind, at, actor, reason) SELECT id, 'no_retry', %s, %s, %s FROM {runs}"
        " WHERE schedule_id = %s AND state IN ('queued', 'running') ON CONFLICT DO NOTHING",
        [at, by.actor, reason, locked.id],
    )
    rows = dialect.query(
        conn,
        "UPDATE {runs} SET state = 'cancelled', reason = %s, waiting = false, admit_at = NULL, finished_at = %s"
        " WHERE schedule_id = %s AND state = 'queued' RETURNING id",
        [reason, at, locked.id],
    )
    events.write(conn, cancelled_events(conn, sorted(row["id"] for row in rows), locked.now))


def pause(conn: Connection, ref: Ref, by: By, *, until: datetime | None = None) -> int:
    """Fire nothing until `resume` or, inclusive, `until`. What is due and undecided waits for the end. Its id.

    Raises Conflict for a schedule that is disabled or done, InvalidValue for an `until` that is not in the future.
    """
    locked = settle_pause(conn, lock(conn, ref), by)
    if locked.cursor.state in (DISABLED, DONE):
        state = locked.cursor.state
        raise Conflict(f"schedule {locked.row['name']} is {state}: only an active one can be paused")
    if until is not None and until <= locked.now:
        raise InvalidValue(f"until: {rfc3339(until)} is not in the future (now is {rfc3339(locked.now)})")
    if (locked.cursor.state, locked.cursor.paused_until) == (PAUSED, until):
        return locked.id
    before = _pause_shown(locked)
    paused = locked.at(state=PAUSED, paused_until=until).armed()
    save(conn, paused)
    touch(conn, paused)
    told(conn, paused, "paused", by, before, _pause_shown(paused))
    return locked.id


def _pause_shown(locked: Locked) -> dict[str, Any]:
    until = locked.cursor.paused_until
    return {"state": locked.cursor.state, "paused_until": None if until is None else rfc3339(until)}


def resume(conn: Connection, ref: Ref, by: By) -> int:
    """End a pause; `on_resume` says whether what it kept undecided is skipped or caught up with. Its id.

    One that is not paused stays as it is; raises Conflict for a disabled one.
    """
    locked = settle_pause(conn, lock(conn, ref), by)
    if locked.cursor.state == DISABLED:
        raise Conflict(f"schedule {locked.row['name']} is disabled, not paused: enable it")
    if locked.cursor.state != PAUSED:
        return locked.id
    before = _pause_shown(locked)
    if locked.definition.policies.on_resume == "skip":
        locked = skip_undecided(conn, locked, reasons.PAUSED, by)
    resumed = locked.at(state=ACTIVE, paused_until=None).armed()
    save(conn, resumed)
    touch(conn, resumed)
    told(conn, resumed, "resumed", by, before, _pause_shown(resumed))
    if resumed.cursor.due_at is not None and resumed.cursor.due_at <= resumed.now:
        decide_due(conn, resumed, by.actor)
    return locked.id
