"""Cancel requests: rows of their own, so that nothing others write about a running run is in its row. They outlive a crash."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection

from rota.errors import Conflict, RunNotFound
from rota.model.by import By
from rota.model.run import QUEUED, RUNNING
from rota.store import dialect, events
from rota.store.runs import cancelled_events
from rota.store.tables import of

_CANCELLED: Final = "cancelled"
REMOVED: Final = "removed"
STRENGTH: Final = ("cancel", "replace", "no_retry", REMOVED)
"""Kinds of cancel requests, strongest first. `no_retry` lets code that runs go on; `removed` is one by a removal."""
REASONS: Final[Mapping[str, str]] = {
    "cancel": "cancelled", "replace": "replaced", "no_retry": "disabled", REMOVED: "removed",
}  # fmt: skip
"""Kind of a cancel request -> the reason of the run that it ended."""


def cancels_of(conn: Connection, ids: Sequence[int]) -> dict[int, str]:
    """The strongest cancel request of each of these runs that has one, as STRENGTH names them."""
    found: dict[int, str] = {}
    for start in range(0, len(ids), 10_000):
        among, params = _among(conn, ids[start : start + 10_000])
        for row in dialect.query(conn, f"SELECT run_id, kind, reason FROM {{cancels}} WHERE {among}", params):
            kind = REMOVED if (row["kind"], row["reason"]) == ("no_retry", REMOVED) else row["kind"]
            known = found.get(row["run_id"])
            if known is None or STRENGTH.index(kind) < STRENGTH.index(known):
                found[row["run_id"]] = kind
    return found


def _among(conn: Connection, ids: Collection[int]) -> tuple[str, list[Any]]:
    """A condition on `run_id`, and its parameters. The range leads through the index, whatever the statistics say."""
    member, params = dialect.in_list(conn, ids)
    return f"run_id >= %s AND run_id <= %s AND run_id {member}", [min(ids), max(ids), *params]


def request_cancel(
    conn: Connection, run_id: int, kind: str, by: By, now: datetime, *, reason: str | None = None
) -> str:
    """Ask for the end of a run; the state it has then: `cancelled`, or `running` until its code has really stopped.

    A queued run is cancelled at once; a running one gets a row in `cancels` that its worker notices within one renewal.
    Asking again changes nothing. Raises RunNotFound, and Conflict for a run that has ended otherwise.
    """
    rows = dialect.query(conn, "SELECT id, lane, priority FROM {runs} WHERE id = %s", [run_id])
    if not rows:
        raise RunNotFound(f"no run {run_id}")
    # `ready` before the run, as a claim does it: whoever comes second finds what the first has done.
    key = [rows[0]["lane"], rows[0]["priority"], run_id]
    dialect.execute(conn, "DELETE FROM {ready} WHERE lane = %s AND priority = %s AND run_id = %s", key)
    state = dialect.query(conn, "SELECT state FROM {runs} WHERE id = %s" + dialect.for_update(conn), [run_id])[0][
        "state"
    ]
    if state == QUEUED:
        _end(conn, run_id, REASONS[kind], now)
        return _CANCELLED
    if state == RUNNING:
        row = {"run_id": run_id, "kind": kind, "at": now, "actor": by.actor, "reason": reason or by.reason}
        dialect.insert_many(conn, of(conn).cancels, [row], ignore=True)
        return RUNNING
    if state != _CANCELLED:
        raise Conflict(f"run {run_id} has ended: it is {state}, and final is final")
    return _CANCELLED


def _end(conn: Connection, run_id: int, reason: str, now: datetime) -> None:
    dialect.execute(
        conn,
        "UPDATE {runs} SET state = 'cancelled', reason = %s, waiting = false, admit_at = NULL, finished_at = %s WHERE id = %s",
        [reason, dialect.at(conn, now), run_id],
    )
    events.write(conn, cancelled_events(conn, [run_id], now))


def of_claims(conn: Connection, node: str) -> dict[int, str]:
    """The strongest request to stop of each run that `node` has in its hands: what a worker looks at.

    A request that only forbids another start is none.
    """
    rows = dialect.query(
        conn,
        "SELECT k.run_id FROM {cancels} k JOIN {claims} c ON c.run_id = k.run_id"
        " WHERE c.node = %s AND k.kind <> 'no_retry'",
        [node],
    )
    return cancels_of(conn, sorted({row["run_id"] for row in rows})) if rows else {}


def forget(conn: Connection, limit: int) -> int:
    """Delete requests about runs that have ended; how many. They are of no use any more: final is final."""
    rows = dialect.query(
        conn,
        "SELECT a.run_id FROM (SELECT k.run_id,"
        " coalesce((SELECT r.state FROM {runs} r WHERE r.id = k.run_id), 'gone') AS state FROM {cancels} k) AS a"
        f" WHERE a.state NOT IN ('queued', 'running') ORDER BY a.run_id LIMIT {int(limit)}",
    )
    return forget_these(conn, {row["run_id"] for row in rows})


def forget_these(conn: Connection, ids: Collection[int]) -> int:
    """Delete the requests about these runs, which have ended; how many. Those that somebody else deletes are passed over."""
    if not ids:
        return 0
    among, params = _among(conn, ids)
    sql = f"SELECT run_id FROM {{cancels}} WHERE {among} ORDER BY run_id" + dialect.skip_locked(conn)
    mine = {row["run_id"] for row in dialect.query(conn, sql, params)}
    if not mine:
        return 0
    among, params = _among(conn, mine)
    return dialect.execute(conn, f"DELETE FROM {{cancels}} WHERE {among}", params)
