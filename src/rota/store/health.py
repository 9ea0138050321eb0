"""What the end of a scheduled run does to its schedule: health, disabling after failures, probes, `wake_at`.

The caller holds the cursor of every schedule that is touched; health rows are written in the order of their ids.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
from rota.store import beyond, dialect, events, firings, schedules
from rota.store.runs import Settled
from rota.store.schedules import Locked

FAILURES: Final = "consecutive failures"
"""How the reason of a schedule that failures disabled ends."""
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
        _probe_later(conn, locked.id, one.policies, locked.now)
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


def _probe_later(conn: Connection, schedule_id: int, policies: Mapping[str, Any], now: datetime) -> None:
    """Plan the next probe, where the policies want one."""
    cursor, wait = firings.lock(conn, schedule_id), _wait(policies)
    if wait is not None and cursor is not None and cursor.state == DISABLED:
        firings.write_cursor(conn, cursor._replace(probe_at=now + wait, due_at=now + wait))


def _wait(policies: Mapping[str, Any]) -> timedelta | None:
    """`probe_after`; None where there is none, or one that only a later version can read."""
    try:
        return length(policies["probe_after"], "probe_after")
    except (KeyError, InvalidValue):
        return None


def _after_probe(conn: Connection, locked: Locked, one: Touch, now: datetime) -> None:
    """A probe that succeeded enables its schedule if it is still disabled for failures by the same revision."""
    cursor = locked.cursor
    by_failures = (cursor.disabled_reason or "").endswith(FAILURES)
    if cursor.state != DISABLED or not by_failures or cursor.definition_id != one.row.definition_id:
        return
    if one.row.state != "succeeded":
        _probe_later(conn, locked.id, one.policies, now)
        return
    schedules.enabled(conn, locked, "a probe succeeded")
    key = locked.definition.key
    events.write(conn, [event("schedule.recovered", now, key, run=one.row.id, reason="a probe succeeded")])
