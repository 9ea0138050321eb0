"""The keeper's repairs: what should never be, found and set right, each with an event that tells the reason."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection

from rota.errors import Error
from rota.model.event import event
from rota.model.policy import stored_policies
from rota.model.schedule import ACTIVE
from rota.model.settlement import Held, Settlement, lost
from rota.store import dialect, events, firings, lanes, nodes, settlements
from rota.store.cancels import cancels_of
from rota.store.rearming import readable, rearmed
from rota.store.runs import run_event, subjects

_LOOK: Final = 20_000
"""Rows of `ready` that one sweep looks at."""


def move_on(conn: Connection, now: datetime, keeper: str, limit: int = 1000) -> list[int]:
    """Move on the running runs whose node is not live: queued again, lost, or cancelled. Their ids.

    By token, passing over rows locked elsewhere; every sweep repeats it until nothing is left.
    """
    found = nodes.strays(conn, limit)
    asked = cancels_of(conn, [stray.run_id for stray in found]) if found else {}
    decided = [_lost(stray, asked.get(stray.run_id), now) for stray in found]
    wanted = [settlement for settlement in decided if settlement is not None]
    return sorted(settlements.settle(conn, wanted, now, keeper)) if wanted else []


def _lost(stray: nodes.Stray, cancel: str | None, now: datetime) -> Settlement | None:
    """What the run becomes. None where this version cannot read its policies: keepers of the version that wrote them can."""
    try:
        policies = stored_policies(stray.policies)
    except Error:
        return None
    held = Held(stray.run_id, stray.token, stray.lost, cancel)
    return lost(held, policies, now, f"its node {stray.node} was lost")


def arm(conn: Connection, now: datetime, limit: int = 100) -> list[int]:
    """Arm the active schedules that have no due_at; their ids. One that cannot be computed here is due at once."""
    rows = dialect.query(
        conn,
        "SELECT schedule_id FROM {cursors} WHERE due_at IS NULL AND state = 'active'"
        f" ORDER BY schedule_id LIMIT {int(limit)}" + dialect.skip_locked(conn),
    )
    armed = []
    for schedule in [row["schedule_id"] for row in rows]:
        cursor = firings.lock(conn, schedule)
        if cursor is None or cursor.state != ACTIVE or cursor.due_at is not None:
            continue
        known = cursor.definition_id
        after = rearmed(readable(conn, [known]).get(known), cursor, now)
        firings.write_cursor(conn, after)
        key = subjects(conn, [known])[known].key
        events.write(conn, [event("repair.armed", now, key, reason="active without due_at", state=after.state)])
        armed.append(schedule)
    return armed


def admit_forgotten(conn: Connection, now: datetime, after: int, limit: int = 5000) -> tuple[list[int], int]:
    """Look at the next `limit` runs above the id `after`: the queued ones that nothing would start get a time.

    Answers their ids and the last id that was looked at (0: the end was reached). Admit does the rest.
    """
    ids = [
        r["id"]
        for r in dialect.query(conn, f"SELECT id FROM {{runs}} WHERE id > %s ORDER BY id LIMIT {int(limit)}", [after])
    ]
    if not ids:
        return [], 0
    rows = dialect.query(
        conn,
        "SELECT r.id, r.definition_id FROM {runs} r WHERE r.id > %s AND r.id <= %s AND r.state = 'queued'"
        " AND NOT r.waiting AND r.judged AND r.admit_at IS NULL"
        " AND NOT EXISTS (SELECT 1 FROM {ready} q WHERE q.lane = r.lane AND q.priority = r.priority AND q.run_id = r.id)"
        " AND NOT EXISTS (SELECT 1 FROM {lanes} l WHERE l.name = r.lane AND l.engine IS NOT NULL)"
        " ORDER BY r.id" + dialect.skip_locked(conn, of_table="r"),
        [after, ids[-1]],
    )
    _give_time(conn, now, rows)
    return [row["id"] for row in rows], ids[-1] if len(ids) == limit else 0


def _give_time(conn: Connection, now: datetime, rows: Sequence[dict[str, Any]]) -> None:
    if not rows:
        return
    member, params = dialect.in_list(conn, [row["id"] for row in rows])
    dialect.execute(conn, f"UPDATE {{runs}} SET admit_at = %s WHERE id {member}", [dialect.at(conn, now), *params])
    about = subjects(conn, {row["definition_id"] for row in rows})
    reason = "queued, outside ready, without a reason to wait"
    events.write(
        conn, [run_event("repair.admitted", now, about[r["definition_id"]], r["id"], reason=reason) for r in rows]
    )


def drop_stale_ready(conn: Connection, now: datetime) -> list[int]:
    """Delete rows of `ready` whose run is not queued, and create lanes that `ready` names and nobody made; run ids."""
    some = f"(SELECT lane, priority, run_id FROM {{ready}} LIMIT {_LOOK}) q"
    unknown = dialect.query(
        conn, f"SELECT DISTINCT q.lane FROM {some} WHERE NOT EXISTS (SELECT 1 FROM {{lanes}} l WHERE l.name = q.lane)"
    )
    lanes.ensure_lanes(conn, [row["lane"] for row in unknown], now)
    rows = dialect.query(
        conn,
        f"SELECT q.lane, q.priority, q.run_id FROM {some} LEFT JOIN {{runs}} r ON r.id = q.run_id"
        " WHERE r.id IS NULL OR r.state <> 'queued' ORDER BY q.run_id LIMIT 1000",
    )
    dropped = [row["run_id"] for row in rows if _drop(conn, row)]
    reason = "a row in ready without a queued run"
    events.write(conn, [event("repair.ready", now, f"run:{run}", run=run, reason=reason) for run in dropped])
    return dropped


def _drop(conn: Connection, row: dict[str, Any]) -> bool:
    """Delete the row unless a claim holds it, or its run is queued after all."""
    key = [row["lane"], row["priority"], row["run_id"]]
    mine = "lane = %s AND priority = %s AND run_id = %s"
    if not dialect.query(conn, f"SELECT 1 AS one FROM {{ready}} WHERE {mine}" + dialect.skip_locked(conn), key):
        return False
    queued = "EXISTS (SELECT 1 FROM {runs} r WHERE r.id = {ready}.run_id AND r.state = 'queued')"
    return dialect.execute(conn, f"DELETE FROM {{ready}} WHERE {mine} AND NOT {queued}", key) == 1
