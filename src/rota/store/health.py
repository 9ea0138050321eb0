"""What the end of a scheduled run does to its schedule: health, disabling after failures, probes, `wake_at`.

The caller holds the cursor of every schedule that is touched; health rows are written in the order of their ids.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from rota.errors import InvalidValue
from rota.model.event import event
from rota.model.firing import TICK
from rota.model.policy import length
from rota.model.schedule import ACTIVE, DISABLED, DONE, PAUSED, Cursor
from rota.store import beyond, definitions, dialect, events, firings, leases, schedules
from rota.store.runs import Settled
from rota.store.schedules import Locked

FAILURES: Final = "consecutive failures"
"""How the reason of a schedule that failures disabled ends."""
_BY_FAILURES: Final = re.compile(rf"[0-9]+ {FAILURES}")
_PROBES: Final = "probes"
"""Under this name the last schedule that `replan_probes` has looked at is remembered."""
_LOOK: Final = 1000
"""A probe that is under way is among the schedule's last runs: since it was disabled, only acts by hand made others."""
Finder = Callable[[Connection, Cursor, datetime], Locked | None]
_COLUMNS: Final = (
    ("schedule_id", "bigint"),
    ("failures", "integer"),
    ("success_at", "timestamptz"),
    ("success_for", "timestamptz"),
)


@dataclass(slots=True)
class _Change:
    """Runs of one schedule, in order: failures since the last success among them."""

    failures: int = 0
    success_at: datetime | None = None
    success_for: datetime | None = None


def move(conn: Connection, rows: Sequence[Settled], now: datetime) -> dict[int, int]:
    """Count final runs of schedules; per schedule that had any its consecutive failures now.

    failed and lost count one more, succeeded counts from zero again, everything else leaves health alone.
    """
    changes: dict[int, _Change] = {}
    for row in rows:
        if row.schedule_id is None or row.state not in ("succeeded", "failed", "lost"):
            continue
        change = changes.setdefault(row.schedule_id, _Change())
        if row.state == "succeeded":
            occurrence = dialect.read_at(row.scheduled_for)
            latest = max((x for x in (change.success_for, occurrence) if x is not None), default=None)
            changes[row.schedule_id] = _Change(0, now, latest)
        else:
            change.failures += 1
    return _write(conn, changes) if changes else {}


def _write(conn: Connection, changes: dict[int, _Change]) -> dict[int, int]:
    values = [(key, c.failures, c.success_at, c.success_for) for key, c in sorted(changes.items())]
    source, params = dialect.derived(conn, "s", _COLUMNS, values)
    later = "CASE WHEN h.{0} IS NULL OR excluded.{0} > h.{0} THEN excluded.{0} ELSE h.{0} END"
    rows = dialect.query(
        conn,
        "INSERT INTO {health} AS h (schedule_id, consecutive_failures, last_success_at, last_success_for)"
        f" SELECT schedule_id, failures, success_at, success_for FROM {source} WHERE true ORDER BY schedule_id"
        " ON CONFLICT (schedule_id) DO UPDATE SET consecutive_failures = excluded.consecutive_failures"
        " + CASE WHEN excluded.last_success_at IS NULL THEN h.consecutive_failures ELSE 0 END,"
        f" last_success_at = {later.format('last_success_at')}, last_success_for = {later.format('last_success_for')}"
        " RETURNING schedule_id, consecutive_failures",
        params,
    )
    return {row["schedule_id"]: row["consecutive_failures"] for row in rows}


@dataclass(frozen=True, slots=True)
class Touch:
    """A settled run that may touch its schedule: its definition's policies, and what the handler asked for."""

    row: Settled
    policies: dict[str, Any]
    wake_at: datetime | None


def touch(conn: Connection, one: Touch, failures: int, now: datetime, node: str) -> None:
    """Do to the schedule, whose cursor is locked, what its final run demands.

    A schedule that cannot be computed here keeps neither its own run nor others of the batch from being settled (law 3):
    what is demanded is done without its rule, and a scheduler judges it at once.
    """
    limit = one.policies.get("disable_after")
    enough = one.row.state in ("failed", "lost") and isinstance(limit, int) and failures >= limit
    reason = f"{failures} {FAILURES}" if enough else None
    if reason is None and one.wake_at is None and one.row.cause != "probe":
        return
    try:
        with conn.begin_nested():
            _touch(conn, one, (reason, node), now, schedules.locked_as)
    except (SQLAlchemyError, dialect.Repeat):
        raise
    except Exception:  # noqa: BLE001 - whatever one rule's computation does
        _touch(conn, one, (reason, node), now, beyond.locked_as)


def _touch(conn: Connection, one: Touch, disabling: tuple[str | None, str], now: datetime, locked_as: Finder) -> None:
    cursor = firings.lock(conn, one.row.schedule_id) if one.row.schedule_id is not None else None
    locked = None if cursor is None else locked_as(conn, cursor, dialect.instant(conn))
    if locked is None:
        return
    if one.row.cause == "probe":
        _after_probe(conn, locked, one, now)
    reason, node = disabling
    if reason is not None and locked.cursor.state in (ACTIVE, PAUSED):
        schedules.disabled(conn, locked, reason, node)
        _probe_later(conn, locked.id, locked.now)
    if one.wake_at is not None:
        _wake_at(conn, locked, one.wake_at)


def _wake_at(conn: Connection, locked: Locked, when: datetime) -> None:
    """Let the schedule fire at `when`, beside its rule's own occurrences.

    A schedule that is done is active again; a disabled or removed one stays as it is. A `when` that is not after the
    watermark becomes the instant just after it: the watermark only grows. A later call replaces an earlier one.
    """
    cursor = firings.lock(conn, locked.id)
    if cursor is not None and cursor.state in (ACTIVE, PAUSED, DONE):
        asked = replace(locked, cursor=cursor._replace(wake_at=max(when, cursor.watermark + TICK)))
        firings.write_cursor(conn, asked.armed().cursor)


def by_failures(reason: str | None) -> bool:
    """Whether this is the reason of a schedule that failures disabled: a probe may enable it, an act by hand may not wait."""
    return reason is not None and _BY_FAILURES.fullmatch(reason) is not None


def _probe_later(conn: Connection, schedule_id: int, now: datetime) -> bool:
    """Plan the next probe of a schedule that failures disabled, where the policies in force want one; whether it is."""
    cursor = firings.lock(conn, schedule_id)
    if cursor is None or cursor.state != DISABLED or not by_failures(cursor.disabled_reason):
        return False
    wait = _wait(conn, cursor.definition_id)
    if wait is not None:
        firings.write_cursor(conn, cursor._replace(probe_at=now + wait, due_at=now + wait))
    return wait is not None


def _wait(conn: Connection, definition_id: int) -> timedelta | None:
    """`probe_after`; None where there is none, or one that only a later version can read."""
    sql = "SELECT policies ->> 'probe_after' AS wait FROM {definitions} WHERE id = %s"
    try:
        return length(dialect.query(conn, sql, [definition_id])[0]["wait"], "probe_after")
    except InvalidValue:
        return None


def _after_probe(conn: Connection, locked: Locked, one: Touch, now: datetime) -> None:
    """A probe that succeeded enables its schedule if it is still disabled for failures by the same revision.

    After any other end there will be another one.
    """
    cursor = locked.cursor
    if cursor.state != DISABLED or not by_failures(cursor.disabled_reason):
        return
    if one.row.state != "succeeded" or cursor.definition_id != one.row.definition_id:
        _probe_later(conn, locked.id, now)
        return
    schedules.enabled(conn, locked, "a probe succeeded")
    key = locked.definition.key
    events.write(conn, [event("schedule.recovered", now, key, run=one.row.id, reason="a probe succeeded")])


def replan_probes(conn: Connection, now: datetime, limit: int = 10_000) -> int:
    """Plan a probe for schedules that failures disabled, that want one and have neither one planned nor under way; how many.

    So it ends where a probe was cancelled, displaced or expired before a worker had it, or `probe_after` came later. Looks
    at the next `limit` schedules after those of the call before; rows locked elsewhere are passed over.
    """
    after = int(leases.recall(conn, _PROBES) or 0)
    part = f"(SELECT schedule_id FROM {{cursors}} WHERE schedule_id > %s ORDER BY schedule_id LIMIT {int(limit)}) AS c"
    end = dialect.query(conn, f"SELECT max(schedule_id) AS last, count(*) AS n FROM {part}", [after])[0]
    following = end["last"] if end["n"] == limit else 0
    if following != after:
        leases.remember(conn, _PROBES, following or None)
    if not end["n"]:
        return 0
    wanted = "(SELECT d.policies ->> 'probe_after' FROM {definitions} d WHERE d.id = c.definition_id) IS NOT NULL"
    rows = dialect.query(
        conn,
        "SELECT c.schedule_id, c.definition_id FROM {cursors} c WHERE c.schedule_id > %s AND c.schedule_id <= %s"
        f" AND c.state = 'disabled' AND c.probe_at IS NULL AND c.disabled_reason LIKE %s AND {wanted}"
        " ORDER BY c.schedule_id" + dialect.skip_locked(conn, of_table="c"),
        [after, end["last"], f"%{FAILURES}"],
    )
    return sum(_replan(conn, row["schedule_id"], row["definition_id"], now) for row in rows)


def _replan(conn: Connection, schedule_id: int, definition_id: int, now: datetime) -> bool:
    last = f"SELECT cause, state FROM {{runs}} WHERE schedule_id = %s ORDER BY id DESC LIMIT {_LOOK}"
    under_way = f"SELECT 1 AS one FROM ({last}) AS r WHERE cause = 'probe' AND state IN ('queued', 'running')"
    named = definitions.names(conn, definition_id)
    if named is None or dialect.query(conn, under_way, [schedule_id]) or not _probe_later(conn, schedule_id, now):
        return False
    reason = "disabled for failures, and no probe to come"
    events.write(conn, [event("repair.probe", now, named[0], reason=reason)])
    return True
