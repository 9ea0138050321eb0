"""Admit: letting queued runs into `ready` when their time has come and their key is free.

Only a fire, a request by hand and admit ever write `ready`. Admit locks the run's row first, passing over those locked
elsewhere, with conditions on the run's own columns, so that they are judged again on the newest version (race r02).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection

from rota.model.run import QUEUED
from rota.store import dialect, events, intake
from rota.store.cancels import REASONS, cancels_of, forget_these
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


# A scalar subquery keeps the runs on their index, whatever the planner believes about the tables' sizes.
_ASKED: Final = (
    "SELECT a.run_id, a.state FROM (SELECT c.run_id,"
    " coalesce((SELECT r.state FROM {runs} r WHERE r.id = c.run_id), 'gone') AS state FROM {cancels} c) AS a"
    " WHERE a.state <> 'running' ORDER BY a.run_id"
)


def _cancel(conn: Connection, now: datetime, limit: int) -> int:
    """Cancel queued runs that somebody asked to end; how many.

    Requests about runs that run are passed over (as many as there are), those about runs that have ended are forgotten
    here: each is read once, however many there are.
    """
    asked = dialect.query(conn, f"{_ASKED} LIMIT {int(limit)}")
    forget_these(conn, {row["run_id"] for row in asked if row["state"] != QUEUED})
    ids = sorted({row["run_id"] for row in asked if row["state"] == QUEUED})
    if not ids:
        return 0
    member, params = dialect.in_list(conn, ids)
    _withdraw(conn, dialect.tuples(conn, f"SELECT lane, priority, id FROM {{runs}} WHERE id {member}", params))
    free = dialect.query(
        conn, f"SELECT id FROM {{runs}} WHERE id {member} AND state = 'queued'" + dialect.skip_locked(conn), params
    )
    return _end(conn, now, [row["id"] for row in free]) if free else 0


def _end(conn: Connection, now: datetime, ids: Sequence[int]) -> int:
    """Make these queued runs, whose rows are locked, cancelled, each for the reason of its strongest request."""
    reasons: dict[str, list[int]] = {}
    for run, kind in cancels_of(conn, ids).items():
        reasons.setdefault(REASONS[kind], []).append(run)
    ended: list[int] = []
    for reason, runs in sorted(reasons.items()):
        member, params = dialect.in_list(conn, runs)
        sql = (
            "UPDATE {runs} SET state = 'cancelled', reason = %s, waiting = false, admit_at = NULL, finished_at = %s"
            f" WHERE id {member} AND state = 'queued' RETURNING id"
        )
        ended += [row["id"] for row in dialect.query(conn, sql, [reason, dialect.at(conn, now), *params])]
    events.write(conn, cancelled_events(conn, sorted(ended), now))
    return len(ended)


def _withdraw(conn: Connection, keys: Iterable[tuple[Any, ...]]) -> None:
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


_FREE: Final = (
    "coalesce((SELECT (SELECT h.state FROM {runs} h WHERE h.id = f.run_id) FROM {flights} f"
    " WHERE f.flight = k.flight), 'gone') NOT IN ('queued', 'running')"
)
# From one key to the next through the index of waiting runs: a key costs a probe, however many wait for it. PostgreSQL and
# SQLite both walk on only as far as LIMIT asks.
_FIRST: Final = (
    "WITH RECURSIVE k(flight) AS ("
    "SELECT * FROM (SELECT flight FROM {runs} WHERE waiting ORDER BY flight, id LIMIT 1) AS a"
    " UNION ALL SELECT (SELECT n.flight FROM {runs} n WHERE n.waiting AND n.flight > k.flight"
    " ORDER BY n.flight, n.id LIMIT 1) FROM k WHERE k.flight IS NOT NULL)"
    " SELECT w.id FROM (SELECT (SELECT x.id FROM {runs} x WHERE x.waiting AND x.flight = k.flight"
    " AND x.state = 'queued' ORDER BY x.flight, x.id LIMIT 1) AS id FROM k WHERE k.flight IS NOT NULL AND "
    + _FREE
    + ") AS w"
    " WHERE (SELECT y.not_before IS NULL OR y.not_before <= %s FROM {runs} y WHERE y.id = w.id)"
)


def _any_waits(conn: Connection) -> bool:
    """Whether any run waits for its key. Its transaction then reads in the index's order, and sorts nothing."""
    order = dialect.in_index_order(conn)
    sql = f"SELECT 1 AS one, {order} AS index_order FROM {{runs}} WHERE waiting ORDER BY flight, id LIMIT 1"
    return bool(dialect.query(conn, sql))


def _first_waiting(conn: Connection, now: datetime, limit: int) -> list[Row]:
    """The first waiting run of each key that nobody holds."""
    if not _any_waits(conn):
        return []
    instant = dialect.at(conn, now)
    found = [row["id"] for row in dialect.query(conn, f"{_FIRST} LIMIT {int(limit)}", [instant])]
    if not found:
        return []
    member, params = dialect.in_list(conn, found)
    sql = (
        f"SELECT r.id, r.lane, r.priority, r.flight FROM {{runs}} r WHERE r.id {member}"
        " AND r.waiting AND r.state = 'queued' AND (r.not_before IS NULL OR r.not_before <= %s) ORDER BY r.id"
    )
    return dialect.query(conn, sql + dialect.skip_locked(conn), [*params, instant])


def _make_ready(conn: Connection, rows: Sequence[Row]) -> None:
    tables = of(conn)
    ready = [{"lane": r["lane"], "priority": r["priority"], "run_id": r["id"]} for r in rows]
    dialect.insert_many(conn, tables.ready, ready, ignore=True)
    changes = [{"id": r["id"], "admit_at": None, "waiting": False} for r in rows]
    dialect.update_many(conn, tables.runs, changes, key="id")
