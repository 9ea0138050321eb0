"""Passes over all schedules, in slices: after a clock that stood in the future was set right, after newer zone data.

A pass is a value in `meta` that says how far it has come, so that any keeper can go on with it. It is read and written
under the lock of a row of its own in `leases`: a keeper that is slow cannot write an older state over a newer one. Each
slice locks its cursors, waiting for them, and asks the clock after that (races r13, r14).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Connection

from rota.model import reasons
from rota.model.event import event
from rota.model.firing import TICK, Decision
from rota.model.instants import rfc3339
from rota.model.schedule import ACTIVE, PAUSED, Cursor, Definition
from rota.store import dialect, events, firings, leases
from rota.store.decisions import Decided, record
from rota.store.rearming import computed, readable, rearmed
from rota.store.runs import subjects
from rota.store.tables import of

BACK: Final = timedelta(hours=1)
"""A clock that goes back by more than this was wrong before; by less, schedules simply wait."""
FORWARD: Final = timedelta(days=1)
"""After a step forward by more than this retention deletes nothing for as long: the clock may be wrong now."""
AGAIN: Final = timedelta(minutes=1)
"""The second round starts this much after the first: for fires that had asked the clock before the step."""
SLICE: Final = 500

_CLOCK: Final = "clock_pass"
_ZONES: Final = "zone_pass"
_VERSION: Final = "zone_data"
_FORWARD_AT: Final = "clock_forward_at"


def watch_clock(conn: Connection, now: datetime | None = None) -> datetime:
    """Remember the latest instant seen; the instant asked for after the row's lock.

    A backward step of more than an hour begins a pass over all schedules.
    """
    leases.ensure(conn, "clock")
    row = dialect.query(conn, "SELECT at FROM {leases} WHERE name = 'clock'" + dialect.for_update(conn))[0]
    at, last = now or dialect.instant(conn), dialect.read_at(row["at"])
    if last is not None and at < last - BACK:
        start = {"round": 1, "after": 0, "not_before": rfc3339(at), "from": rfc3339(last)}
        _wait_for(conn, _CLOCK)
        leases.remember(conn, _CLOCK, start)
    if last is not None and at > last + FORWARD:
        leases.remember(conn, _FORWARD_AT, rfc3339(at))
    if last is None or at > last or at < last - BACK:
        dialect.execute(conn, "UPDATE {leases} SET at = %s WHERE name = 'clock'", [dialect.at(conn, at)])
    return at


def _wait_for(conn: Connection, name: str) -> None:
    """Lock a pass for this transaction, waiting for whoever is at it."""
    leases.ensure(conn, name)
    dialect.query(conn, "SELECT 1 AS one FROM {leases} WHERE name = %s" + dialect.for_update(conn), [name])


def _under_lock(conn: Connection, name: str) -> dict[str, Any] | None:
    """The state of a pass, locked for this transaction; None where there is none, or another keeper is at it now."""
    if leases.recall(conn, name) is None:
        return None
    leases.ensure(conn, name)
    sql = "SELECT 1 AS one FROM {leases} WHERE name = %s" + dialect.skip_locked(conn)
    if not dialect.query(conn, sql, [name]):
        return None
    state: dict[str, Any] | None = leases.recall(conn, name)
    return state


def may_delete(conn: Connection, now: datetime) -> bool:
    """Whether retention may delete: not in the 24 h after a forward step of more than a day."""
    stepped = leases.recall(conn, _FORWARD_AT)
    return stepped is None or not timedelta(0) <= now - datetime.fromisoformat(stepped) < FORWARD


def clock_slice(conn: Connection, node: str, now: datetime | None = None, limit: int = SLICE) -> int | None:
    """Do one slice of the pass after a backward step: how many schedules were set right.

    None where there is no pass, its next round is not due, or another keeper is at it.
    """
    state = _under_lock(conn, _CLOCK)
    if state is None:
        return None
    if (now or dialect.instant(conn)) < datetime.fromisoformat(state["not_before"]):
        return None
    cursors = _slice(conn, state["after"], limit, "")
    at = now or dialect.instant(conn)
    wrong = [c for c in cursors if c.watermark > at]
    known = readable(conn, [c.definition_id for c in wrong]) if wrong else {}
    for cursor in wrong:
        _set_right(conn, cursor, known.get(cursor.definition_id), at, node)
    _go_on(conn, state, cursors, limit, at)
    return len(wrong)


def _slice(conn: Connection, after: int, limit: int, where: str) -> list[Cursor]:
    sql = f"SELECT schedule_id FROM {{cursors}} WHERE schedule_id > %s{where} ORDER BY schedule_id LIMIT {int(limit)}"
    ids = [row["schedule_id"] for row in dialect.query(conn, sql, [after])]
    return firings.lock_many(conn, ids) if ids else []


def _go_on(conn: Connection, state: dict[str, Any], cursors: Sequence[Cursor], limit: int, now: datetime) -> None:
    if len(cursors) == limit:
        leases.remember(conn, _CLOCK, state | {"after": cursors[-1].schedule_id})
    elif state["round"] == 1:
        leases.remember(conn, _CLOCK, state | {"round": 2, "after": 0, "not_before": rfc3339(now + AGAIN)})
    else:
        leases.remember(conn, _CLOCK, None)


def _set_right(conn: Connection, cursor: Cursor, definition: Definition | None, now: datetime, node: str) -> None:
    """The one way in which a watermark falls: it was set by a clock that stood in the future."""
    instant = dialect.at(conn, now)
    _take_out_again(conn, cursor.schedule_id, now)
    dialect.execute(
        conn, "DELETE FROM {decisions} WHERE schedule_id = %s AND after_at >= %s", [cursor.schedule_id, instant]
    )
    dialect.execute(
        conn,
        "UPDATE {decisions} SET until_at = %s WHERE schedule_id = %s AND until_at > %s",
        [instant, cursor.schedule_id, instant],
    )
    lowered = cursor._replace(watermark=now, cut_until=None, last_wall=None)
    firings.write_cursor(conn, rearmed(definition, lowered, now))
    record(
        conn,
        now,
        node,
        [Decided(cursor.schedule_id, cursor.revision, Decision(now, now, reasons.SKIPPED, reasons.CLOCK))],
    )
    told = {"reason": "the clock had stood in the future", "from": rfc3339(cursor.watermark), "to": rfc3339(now)}
    events.write(conn, [event("repair.clock", now, _key(conn, cursor), **told)])


def _key(conn: Connection, cursor: Cursor) -> str:
    return subjects(conn, [cursor.definition_id])[cursor.definition_id].key


def is_newer(version: str, than: str) -> bool:
    """Whether a zone-data version (2026.10, or 2026j) is newer than another: its numbers count, not its letters."""
    return _numbers(version) > _numbers(than)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(piece) if piece.isdigit() else ord(piece) - 96 for piece in re.findall(r"[0-9]+|[a-z]", version))


def _take_out_again(conn: Connection, schedule_id: int, now: datetime) -> None:
    """Occurrences that an operator took out and the false future has decided are to come again, and stay out.

    Such a decision covers one occurrence alone; the skip itself went when the watermark passed it.
    """
    rows = dialect.query(
        conn,
        "SELECT after_at, until_at FROM {decisions} WHERE schedule_id = %s AND until_at > %s AND what = %s AND reason = %s",
        [schedule_id, dialect.at(conn, now), reasons.SKIPPED, reasons.OPERATOR],
    )
    spans = [(dialect.read_at(row["after_at"]), dialect.read_at(row["until_at"])) for row in rows]
    said = "taken out before the clock was set right"
    out = [
        {"schedule_id": schedule_id, "scheduled_for": until, "at": now, "actor": "rota", "reason": said}
        for after, until in spans
        if until - after == TICK
    ]
    dialect.insert_many(conn, of(conn).skips, out, ignore=True)


def watch_zone_data(conn: Connection, version: str) -> bool:
    """Keep the newest zone-data version that any node has started with; a newer one begins a pass. Whether it did."""
    _wait_for(conn, _ZONES)
    newest = leases.recall(conn, _VERSION)
    if newest is not None and not is_newer(version, newest):
        return False
    leases.remember(conn, _VERSION, version)
    if newest is not None:
        leases.remember(conn, _ZONES, {"version": version, "after": 0})
    return newest is not None


def newest_zone_data(conn: Connection) -> str | None:
    """The newest zone-data version that any node of this deployment has started with."""
    newest: str | None = leases.recall(conn, _VERSION)
    return newest


def zone_slice(conn: Connection, version: str, now: datetime | None = None, limit: int = SLICE) -> int | None:
    """Do one slice of the pass after newer zone data: how many next fires changed.

    None where there is no pass for this version, or another keeper is at it.
    """
    state = _under_lock(conn, _ZONES)
    if state is None or state["version"] != version:
        return None
    cursors = _slice(conn, state["after"], limit, " AND state IN ('active', 'paused')")
    at = now or dialect.instant(conn)
    known = readable(conn, [c.definition_id for c in cursors]) if cursors else {}
    changed = sum(
        _recomputed(conn, c, known.get(c.definition_id), version, at) for c in cursors if c.state in (ACTIVE, PAUSED)
    )
    ended = len(cursors) < limit
    leases.remember(conn, _ZONES, None if ended else state | {"after": cursors[-1].schedule_id})
    return changed


def _recomputed(conn: Connection, cursor: Cursor, definition: Definition | None, version: str, now: datetime) -> bool:
    """next_at from the watermark with the data of today; whether it changed."""
    found = computed(definition, cursor, now)
    after = rearmed(None, cursor, now) if found is None else found._replace(zone_data=version)
    firings.write_cursor(conn, after)
    if after.next_at == cursor.next_at:
        return False
    shown = {
        name: None if x is None else rfc3339(x) for name, x in (("before", cursor.next_at), ("after", after.next_at))
    }
    events.write(conn, [event("repair.zone_data", now, _key(conn, cursor), reason=f"zone data {version}", **shown)])
    return True
