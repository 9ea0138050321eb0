"""What the end of a scheduled run does to its schedule: health, disabling after failures, probes, `wake_at`.

The caller holds the cursor of every schedule that is touched; health rows are written in the order of their ids.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Connection

from rota.model.event import event
from rota.model.firing import rearm
from rota.model.policy import length
from rota.model.schedule import ACTIVE, DISABLED, DONE, PAUSED, Cursor
from rota.model.timing import plan_of
from rota.store import definitions, dialect, events, firings
from rota.store.runs import Settled, subjects

FAILURES: Final = "consecutive failures"
"""How the reason of a schedule that failures disabled ends."""
_TICK: Final = timedelta(microseconds=1)
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
    """Do to the schedule, whose cursor is locked, what its final run demands."""
    row, schedule = one.row, one.row.schedule_id
    cursor = firings.lock(conn, schedule) if schedule is not None else None
    if cursor is None:
        return
    if row.cause == "probe":
        _after_probe(conn, cursor, one, now)
    limit = one.policies.get("disable_after")
    if row.state in ("failed", "lost") and limit is not None and failures >= limit and cursor.state in (ACTIVE, PAUSED):
        _disable(conn, cursor, one, failures, node)
    if one.wake_at is not None:
        arm_at(conn, cursor.schedule_id, one.wake_at)


def arm_at(conn: Connection, schedule_id: int, when: datetime) -> bool:
    """Let the schedule fire at `when`, beside its rule's own occurrences; whether it was done. The caller holds its cursor.

    A schedule that is done is active again; a disabled or removed one stays as it is. A `when` that is not after the
    watermark becomes the instant just after it: the watermark only grows. A later call replaces an earlier one.
    """
    cursor = firings.lock(conn, schedule_id)
    if cursor is None or cursor.state not in (ACTIVE, PAUSED, DONE):
        return False
    definition = definitions.load(conn, [cursor.definition_id])[cursor.definition_id]
    asked = cursor._replace(wake_at=max(when, cursor.watermark + _TICK))
    firings.write_cursor(conn, rearm(plan_of(definition), asked, dialect.instant(conn)))
    return True


def _disable(conn: Connection, cursor: Cursor, one: Touch, failures: int, node: str) -> None:
    from rota.store.schedules import disable_locked

    now = dialect.instant(conn)
    disable_locked(conn, cursor, f"{failures} {FAILURES}", now, node)
    after = one.policies.get("probe_after")
    if after is not None:
        _probe_later(conn, cursor.schedule_id, now + length(after, "probe_after"))


def _probe_later(conn: Connection, schedule_id: int, at: datetime) -> None:
    cursor = firings.lock(conn, schedule_id)
    if cursor is not None and cursor.state == DISABLED:
        firings.write_cursor(conn, cursor._replace(probe_at=at, due_at=at))


def _after_probe(conn: Connection, cursor: Cursor, one: Touch, now: datetime) -> None:
    """A probe that succeeded enables its schedule if it is still disabled for failures by the same revision."""
    by_failures = (cursor.disabled_reason or "").endswith(FAILURES)
    if cursor.state != DISABLED or not by_failures or cursor.definition_id != one.row.definition_id:
        return
    if one.row.state != "succeeded":
        after = one.policies.get("probe_after")
        if after is not None:
            _probe_later(conn, cursor.schedule_id, now + length(after, "probe_after"))
        return
    from rota.store.schedules import enable_locked

    enable_locked(conn, cursor, dialect.instant(conn), "a probe succeeded")
    subject = subjects(conn, [cursor.definition_id])[cursor.definition_id]
    events.write(conn, [event("schedule.recovered", now, subject.key, run=one.row.id, reason="a probe succeeded")])
