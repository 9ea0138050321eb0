"""Retention: history older than a horizon goes, in batches, oldest first; the last runs of each schedule stay.

Each function deletes one batch in the caller's transaction and says whether there may be more, so that no transaction
is long. Positions only spare work: a pass that starts again at the beginning finds the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection

from rota.model.run import FINAL
from rota.store import dialect, leases
from rota.store.events import FORGOTTEN

_CHILDREN: Final = ("logs", "progress", "artifacts", "cancels")
_OF_SCHEDULES: Final = ("decisions", "skips", "health", "definitions", "cursors")


@dataclass(frozen=True, slots=True)
class Batch:
    """What one batch did: rows deleted, where the next one starts, whether the end was reached."""

    deleted: int
    after: int
    end: bool


def runs(conn: Connection, cutoff: datetime, keep: int, after: int, limit: int) -> Batch:
    """Delete runs that ended before `cutoff`, with all that belongs to them, but for the last `keep` of each schedule."""
    rows = dialect.query(
        conn,
        "SELECT id, schedule_id, state, flight, created_at, finished_at FROM {runs} WHERE id > %s"
        f" ORDER BY id LIMIT {int(limit)}",
        [after],
    )
    old = [r for r in rows if dialect.read_at(r["created_at"]) < cutoff]
    ended = [r for r in old if r["state"] in FINAL and dialect.read_at(r["finished_at"] or r["created_at"]) < cutoff]
    floors = _floors(conn, sorted({r["schedule_id"] for r in ended if r["schedule_id"] is not None}), keep)
    gone = [r for r in ended if r["schedule_id"] is None or r["id"] < floors.get(r["schedule_id"], 0)]
    _delete_runs(conn, [r["id"] for r in gone])
    _free_keys(conn, [(r["flight"], r["id"]) for r in gone if r["flight"] is not None])
    return Batch(len(gone), old[-1]["id"] if old else after, len(old) < limit)


def _floors(conn: Connection, schedules: Sequence[int], keep: int) -> dict[int, int]:
    """Per schedule the id of the oldest run that is kept; schedules with fewer runs are left out."""
    if not schedules:
        return {}
    source, params = dialect.derived(conn, "s", (("schedule_id", "bigint"),), [(s,) for s in schedules])
    if keep <= 0:
        nth = "(SELECT max(r.id) + 1 FROM {runs} r WHERE r.schedule_id = s.schedule_id)"
    else:
        nth = (
            "(SELECT r.id FROM {runs} r WHERE r.schedule_id = s.schedule_id"
            f" ORDER BY r.id DESC LIMIT 1 OFFSET {int(keep) - 1})"
        )
    rows = dialect.query(conn, f"SELECT s.schedule_id AS schedule_id, {nth} AS floor FROM {source}", params)
    return {row["schedule_id"]: row["floor"] for row in rows if row["floor"] is not None}


def _delete_runs(conn: Connection, ids: Sequence[int]) -> None:
    if not ids:
        return
    member, params = dialect.in_list(conn, ids)
    for child in _CHILDREN:
        dialect.execute(conn, f"DELETE FROM {{{child}}} WHERE run_id {member}", params)
    dialect.execute(conn, f"DELETE FROM {{runs}} WHERE id {member}", params)


def _free_keys(conn: Connection, gone: Sequence[tuple[str, int]]) -> None:
    """Forget the holders among these (flight key, run): a key whose run is gone is free.

    The conditions are on the key's own row, so that they are judged again where a run has just taken the key over.
    """
    if not gone:
        return
    keys, params = dialect.in_list(conn, sorted({flight for flight, _ in gone}), "text")
    runs_, more = dialect.in_list(conn, [run for _, run in gone])
    dialect.execute(conn, f"DELETE FROM {{flights}} WHERE flight {keys} AND run_id {runs_}", [*params, *more])


def prefix(conn: Connection, table: str, cutoff: datetime, limit: int) -> Batch:
    """Delete from the front of `events` or `changes` what is older than `cutoff`: their ids grow with time."""
    rows = dialect.query(conn, f"SELECT id, at FROM {{{table}}} ORDER BY id LIMIT {int(limit)}")
    old = 0
    while old < len(rows) and dialect.read_at(rows[old]["at"]) < cutoff:
        old += 1
    if old:
        dialect.execute(conn, f"DELETE FROM {{{table}}} WHERE id <= %s", [rows[old - 1]["id"]])
        if table == "events":
            leases.remember(conn, FORGOTTEN, rows[old - 1]["id"])
    return Batch(old, 0, old < limit)


def decisions(conn: Connection, cutoff: datetime, after: int, limit: int) -> Batch:
    """Delete decisions that end before `cutoff`. They grow at their end, so age does not follow their ids."""
    rows = dialect.query(
        conn, f"SELECT id, until_at FROM {{decisions}} WHERE id > %s ORDER BY id LIMIT {int(limit)}", [after]
    )
    old = [row["id"] for row in rows if dialect.read_at(row["until_at"]) < cutoff]
    if old:
        member, params = dialect.in_list(conn, old)
        sql = f"DELETE FROM {{decisions}} WHERE id {member} AND until_at < %s"
        dialect.execute(conn, sql, [*params, dialect.at(conn, cutoff)])
    return Batch(len(old), rows[-1]["id"] if rows else after, len(rows) < limit)


def nodes(conn: Connection, cutoff: datetime) -> int:
    """Forget nodes that ended before `cutoff` and have nothing in their hands."""
    return dialect.execute(
        conn,
        "DELETE FROM {nodes} WHERE state <> 'live' AND ended_at < %s"
        " AND NOT EXISTS (SELECT 1 FROM {claims} c WHERE c.node = {nodes}.id)",
        [dialect.at(conn, cutoff)],
    )


def removed_schedules(conn: Connection, cutoff: datetime, limit: int) -> int:
    """Delete the rows of schedules that were removed before `cutoff` and whose last run is gone; how many."""
    found = dialect.query(
        conn,
        "SELECT s.id FROM {schedules} s WHERE s.removed_at < %s"
        " AND NOT EXISTS (SELECT 1 FROM {runs} r WHERE r.schedule_id = s.id)"
        f" ORDER BY s.id LIMIT {int(limit)}",
        [dialect.at(conn, cutoff)],
    )
    gone = [row["id"] for row in found if _still_removed(conn, row["id"])]
    if gone:
        member, params = dialect.in_list(conn, gone)
        for table in _OF_SCHEDULES:
            dialect.execute(conn, f"DELETE FROM {{{table}}} WHERE schedule_id {member}", params)
        dialect.execute(conn, f"DELETE FROM {{schedules}} WHERE id {member}", params)
    return len(gone)


def _still_removed(conn: Connection, schedule: int) -> bool:
    """Under the cursor's lock: nobody has added it again meanwhile."""
    sql = "SELECT state FROM {cursors} WHERE schedule_id = %s" + dialect.for_update(conn)
    rows: list[dict[str, Any]] = dialect.query(conn, sql, [schedule])
    return not rows or rows[0]["state"] == "removed"
