"""Admit: letting queued runs into `ready` when their time has come and their key is free.

Only a fire, a request by hand and admit ever write `ready`. Admit locks the run's row first, passing over those locked
elsewhere, with conditions on the run's own columns, so that they are judged again on the newest version (race r02).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from rota.store import dialect, events, intake
from rota.store.runs import cancelled_events
from rota.store.tables import of

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Admitted:
    """How many runs one admit let in, how many it cancelled, and the lanes that got runs."""

    ready: int
    cancelled: int
    lanes: frozenset[str]

    @property
    def any(self) -> bool:
        """Whether it did anything."""
        return self.ready + self.cancelled > 0


def admit(conn: Connection, now: datetime, limit: int) -> Admitted:
    """Admit at most `limit` runs of each kind: those whose time has come, the first of each key that is free.

    A queued run with a row in `cancels` becomes cancelled, whatever its time.
    """
    cancelled = _cancel(conn, now, limit)
    due = _due(conn, now, limit)
    free = _first_waiting(conn, now, limit)
    got = set(intake.take_keys(conn, [(row["flight"], row["id"]) for row in free]))
    chosen = due + [row for row in free if row["id"] in got]
    _make_ready(conn, chosen)
    return Admitted(len(chosen), cancelled, frozenset(row["lane"] for row in chosen))


def next_admission(conn: Connection) -> datetime | None:
    """When the first delayed run may start, or None. One probe of an index."""
    value = dialect.query(conn, "SELECT min(admit_at) AS at FROM {runs} WHERE admit_at IS NOT NULL")[0]["at"]
    found: datetime | None = dialect.read_at(value)
    return found


def _cancel(conn: Connection, now: datetime, limit: int) -> int:
    rows = dialect.query(
        conn,
        "SELECT r.id, r.lane, r.priority FROM {cancels} c JOIN {runs} r ON r.id = c.run_id"
        f" WHERE r.state = 'queued' ORDER BY r.id LIMIT {int(limit)}",
    )
    if not rows:
        return 0
    _withdraw(conn, {(row["lane"], row["priority"], row["id"]) for row in rows})
    member, params = dialect.in_list(conn, sorted({row["id"] for row in rows}))
    free = dialect.query(
        conn, f"SELECT id FROM {{runs}} WHERE id {member} AND state = 'queued'" + dialect.skip_locked(conn), params
    )
    if not free:
        return 0
    mine, mine_params = dialect.in_list(conn, [row["id"] for row in free])
    reason = (
        "CASE (SELECT min(c.kind) FROM {cancels} c WHERE c.run_id = {runs}.id)"
        " WHEN 'no_retry' THEN 'disabled' WHEN 'replace' THEN 'replaced' ELSE 'cancelled' END"
    )
    name = of(conn).runs.name
    done = dialect.query(
        conn,
        "UPDATE {runs} SET state = 'cancelled', waiting = false, admit_at = NULL, finished_at = %s, reason = "
        + reason.replace("{runs}", name)
        + f" WHERE id {mine} AND state = 'queued' RETURNING id",
        [dialect.at(conn, now), *mine_params],
    )
    events.write(conn, cancelled_events(conn, [row["id"] for row in done], now))
    return len(done)


def _withdraw(conn: Connection, keys: set[tuple[str, int, int]]) -> None:
    """Delete these rows of `ready`, but for those a claim holds: it looks at the run's state itself."""
    mine = " WHERE lane = %s AND priority = %s AND run_id = %s"
    for key in sorted(keys):
        if dialect.query(conn, "SELECT 1 FROM {ready}" + mine + dialect.skip_locked(conn), key):
            dialect.execute(conn, "DELETE FROM {ready}" + mine, key)


def _due(conn: Connection, now: datetime, limit: int) -> list[Row]:
    sql = (
        "SELECT id, lane, priority, flight FROM {runs} WHERE admit_at <= %s AND state = 'queued' AND NOT waiting"
        f" ORDER BY admit_at LIMIT {int(limit)}"
    )
    return dialect.query(conn, sql + dialect.skip_locked(conn), [dialect.at(conn, now)])


def _first_waiting(conn: Connection, now: datetime, limit: int) -> list[Row]:
    """The first waiting run of each key that nobody holds."""
    if not intake.any_waits(conn):
        return []
    sql = (
        "SELECT r.id, r.lane, r.priority, r.flight FROM {runs} r WHERE r.waiting AND r.state = 'queued'"
        " AND (r.not_before IS NULL OR r.not_before <= %s)"
        " AND NOT EXISTS (SELECT 1 FROM {runs} x WHERE x.waiting AND x.flight = r.flight AND x.id < r.id"
        " AND x.state = 'queued')"
        " AND coalesce((SELECT (SELECT h.state FROM {runs} h WHERE h.id = f.run_id) FROM {flights} f"
        " WHERE f.flight = r.flight), 'gone') NOT IN ('queued', 'running')"
        f" ORDER BY r.id LIMIT {int(limit)}"
    )
    return dialect.query(conn, sql + dialect.skip_locked(conn, of_table="r"), [dialect.at(conn, now)])


def _make_ready(conn: Connection, rows: Sequence[Row]) -> None:
    tables = of(conn)
    ready = [{"lane": r["lane"], "priority": r["priority"], "run_id": r["id"]} for r in rows]
    dialect.insert_many(conn, tables.ready, ready, ignore=True)
    changes = [{"id": r["id"], "admit_at": None, "waiting": False} for r in rows]
    dialect.update_many(conn, tables.runs, changes, key="id")
