"""Adding schedules and editing what they are: a new definition per edit, and what an edit does to what is due.

An edit that changes nothing writes nothing (law 9). Only an edit of the timing touches watermark and next_at.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from rota.calendar.civil import zone_data_version
from rota.errors import RevisionMoved, ScheduleExists
from rota.model import reasons
from rota.model.by import By
from rota.model.firing import rearm
from rota.model.schedule import ACTIVE, DONE, PAUSED, REMOVED, Cursor, Definition, Key
from rota.model.spec import DEFAULTS, normalise
from rota.model.timing import holds, plan_of
from rota.store import dialect, firings, lanes, schedules
from rota.store.schedules import Locked, Ref, decide_due, lock, save, settle_pause, skip_undecided, told, touch
from rota.store.specs import Asked, Built, build, content_of, spec_of
from rota.store.tables import of


@dataclass(frozen=True, slots=True)
class Birth:
    """Where a new schedule comes from. `past`: one without a coming occurrence is accepted, and is done at once."""

    source: str = "user"
    origin: str | None = None
    applied: Mapping[str, Any] | None = None
    past: bool = False


def add(conn: Connection, key: Key, fields: Mapping[str, Any], by: By, birth: Birth | None = None) -> int:
    """Create a schedule; its id. A removed one of this key is revived: same id, next revision, watermark now.

    Raises ScheduleExists, and whatever `build` finds wrong; nothing is written then.
    """
    birth = birth or Birth()
    spec = normalise(fields)
    enabled = spec.pop("enabled", True)
    known = schedules.row_of(conn, key)
    if known is not None and known["removed_at"] is None:
        raise _exists(key)
    made = _revive(conn, key, spec, by, birth) if known is not None else _create(conn, key, spec, by, birth)
    if not enabled:
        schedules.disable(conn, made, by.because(by.reason or "added as disabled"))
    return made


def _exists(key: Key) -> ScheduleExists:
    return ScheduleExists(f"schedule {key.short!r} exists already: update it, put it, or use another name")


def _create(conn: Connection, key: Key, spec: Mapping[str, Any], by: By, birth: Birth) -> int:
    table = of(conn).schedules
    (drawn,) = dialect.draw_ids(conn, table, 1)
    now = dialect.instant(conn)
    row = {
        "id": drawn, "tenant": key.tenant, "stack": key.stack, "environment": key.environment, "name": key.name,
        "owner": None, "labels": {}, "note": None, "created_at": now, "updated_at": now, "removed_at": None,
        **_origin(birth),
    }  # fmt: skip
    if not dialect.insert_many(conn, table, [row], ignore=True, returning="id"):
        raise _exists(key)  # somebody else added it between the look and this write
    built = build(conn, Asked(key, spec, now, now, past=birth.past))
    definition = built.insert(conn, drawn, 1, now)
    locked = _fresh(Locked(row, _cursor(drawn, definition, now), plan_of(definition), now))
    dialect.insert_many(conn, of(conn).cursors, [firings.cursor_row(locked.cursor)])
    _born(conn, locked, built, by)
    return drawn


def _origin(birth: Birth) -> dict[str, Any]:
    applied = None if birth.applied is None else dict(birth.applied)
    return {"source": birth.source, "origin": birth.origin, "applied": applied}


def _cursor(schedule_id: int, definition: Definition, now: datetime) -> Cursor:
    return Cursor(
        schedule_id, definition.id, definition.revision, ACTIVE, now, None, None, zone_data=zone_data_version()
    )  # fmt: skip


def _fresh(locked: Locked) -> Locked:
    return replace(locked, cursor=rearm(locked.plan, locked.cursor, locked.now))


def _born(conn: Connection, locked: Locked, built: Built, by: By) -> None:
    lanes.ensure_lane(conn, locked.definition.lane, locked.now)
    touch(conn, locked, owner=built.owner, labels=built.labels, note=built.note)
    row = {"owner": built.owner, "labels": built.labels, "note": built.note}
    told(conn, locked, "created", by, None, _shown(spec_of(locked.definition, row)))


def _shown(spec: Mapping[str, Any]) -> dict[str, Any]:
    """A spec without what is as it would be anyway."""
    return {name: value for name, value in spec.items() if name not in DEFAULTS or value != DEFAULTS[name]}


def _revive(conn: Connection, key: Key, spec: Mapping[str, Any], by: By, birth: Birth) -> int:
    locked = lock(conn, key, removed=True)
    if locked.cursor.state != REMOVED:
        raise _exists(key)
    built = build(conn, Asked(key, spec, locked.now, locked.now, past=birth.past))
    definition = built.insert(conn, locked.id, locked.cursor.revision + 1, locked.now)
    mark = max(locked.cursor.watermark, locked.now)
    alive = _fresh(replace(locked, cursor=_cursor(locked.id, definition, mark), plan=plan_of(definition)))
    save(conn, alive)
    touch(conn, alive, removed_at=None, created_at=locked.now, **_origin(birth))
    dialect.execute(conn, "UPDATE {health} SET consecutive_failures = 0 WHERE schedule_id = %s", [locked.id])
    _born(conn, alive, built, by)
    return locked.id


def put(conn: Connection, key: Key, fields: Mapping[str, Any], by: By, birth: Birth | None = None) -> int:
    """Create a schedule, or make it equal: what `fields` do not name gets its default; its id.

    An equal one changes nothing. `enabled` and pauses stay as they are unless `enabled` is given.
    """
    known = schedules.row_of(conn, key)
    if known is None or known["removed_at"] is not None:
        return add(conn, key, fields, by, birth)
    spec = normalise(fields)
    enabled = spec.pop("enabled", None)
    change(conn, lock(conn, key), DEFAULTS | spec, by)
    switch(conn, known["id"], enabled, by)
    return int(known["id"])


def update(conn: Connection, ref: Ref, changes: Mapping[str, Any], by: By, *, revision: int | None = None) -> int:
    """Change the fields that `changes` name; the schedule's id.

    With `revision` it must still be at it: RevisionMoved. Raises whatever `build` finds wrong; nothing is written then.
    """
    locked = lock(conn, ref)
    if revision is not None and revision != locked.cursor.revision:
        raise RevisionMoved(
            f"schedule {locked.row['name']!r} is at revision {locked.cursor.revision}, not {revision}: read it again"
        )
    spec = normalise(changes)
    enabled = spec.pop("enabled", None)
    change(conn, locked, spec_of(locked.definition, locked.row) | spec, by)
    switch(conn, locked.id, enabled, by)
    return locked.id


def switch(conn: Connection, schedule_id: int, enabled: bool | None, by: By) -> None:
    """Enable or disable, where it is asked for and not so already."""
    if enabled is not None:
        (schedules.enable if enabled else schedules.disable)(conn, schedule_id, by)


def change(conn: Connection, locked: Locked, spec: Mapping[str, Any], by: By, *, past: bool = False) -> bool:
    """Make a locked schedule what a whole normal spec says; whether anything changed."""
    before = locked.definition
    key = Key.parse(before.key)
    built = build(conn, Asked(key, spec, locked.now, locked.row["created_at"], before=before, past=past))
    beside = {"owner": built.owner, "labels": built.labels, "note": built.note}
    if built.equals(before) and all(locked.row[name] == value for name, value in beside.items()):
        return False
    timing = not built.same_timing(before) or content_of(before)["ends_at"] != built.content["ends_at"]
    if timing:
        locked = _before_new_timing(conn, locked, built, by)
    definition = built.insert(conn, locked.id, locked.cursor.revision + 1, locked.now)
    edited = replace(locked, plan=plan_of(definition)).at(definition_id=definition.id, revision=definition.revision)
    if timing:
        # The last wall time guards against newer zone data; the same wall time of another timing is another occurrence.
        edited = edited.at(zone_data=zone_data_version(), last_wall=None).armed()
        _forget_skips(conn, edited)
    if edited.cursor.probe_at is not None and definition.policies.probe_after is None:
        edited = edited.at(probe_at=None, due_at=None)
    save(conn, edited)
    lanes.ensure_lane(conn, definition.lane, locked.now)
    touch(conn, edited, **beside)
    was, now = spec_of(before, locked.row), spec_of(definition, beside)
    differ = [name for name in {**was, **now} if was.get(name) != now.get(name)]
    told(conn, edited, "updated", by, {n: was.get(n) for n in differ}, {n: now.get(n) for n in differ})
    return True


def _before_new_timing(conn: Connection, locked: Locked, built: Built, by: By) -> Locked:
    """What the old timing left undecided: decided first, or recorded as skipped/edited. The watermark becomes now."""
    locked = settle_pause(conn, locked, by)
    if locked.cursor.state == PAUSED:
        return skip_undecided(conn, locked, reasons.EDITED, by)
    if locked.cursor.state == ACTIVE:
        if built.content["policies"]["on_edit"] == "skip":
            return skip_undecided(conn, locked, reasons.EDITED, by)
        locked = decide_due(conn, locked, by.actor)
    mark = max(locked.cursor.watermark, locked.now)
    state = ACTIVE if locked.cursor.state == DONE else locked.cursor.state
    return locked.at(watermark=mark, state=state, cut_until=None)


def _forget_skips(conn: Connection, locked: Locked) -> None:
    """Skips of coming occurrences that the new timing does not have."""
    for at in firings.skips(conn, [locked.cursor]).get(locked.id, ()):
        if not holds(locked.plan, at):
            sql = "DELETE FROM {skips} WHERE schedule_id = %s AND scheduled_for = %s"
            dialect.execute(conn, sql, [locked.id, dialect.at(conn, at)])
