"""What is coming: the next occurrences of one schedule or of many, in order."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select

from rota.model.instants import local
from rota.model.schedule import ACTIVE, PAUSED
from rota.model.timing import coming, plan_of
from rota.store import dialect
from rota.store.definitions import from_row
from rota.store.listing import Filter, filtered, wide
from rota.store.schedules import Ref, locate
from rota.store.tables import of


def upcoming(conn: Connection, ref: Ref | None, wanted: Filter, n: int) -> list[dict[str, Any]]:
    """The next `n` occurrences after now, ascending: of one schedule, or of all that `wanted` names.

    Occurrences that a pause will swallow are left out; those that an operator took out are marked `skipped`.
    """
    now = dialect.instant(conn)
    t = of(conn)
    if ref is None:
        statement = filtered(conn, wide(conn), wanted).where(t.cursors.c.due_at.is_not(None))
        # Of n occurrences in all, none can belong to a schedule that is not among the first n to be due.
        rows = conn.execute(statement.order_by(t.cursors.c.due_at).limit(n)).mappings().all()
    else:
        rows = conn.execute(wide(conn).where(t.schedules.c.id == locate(conn, ref))).mappings().all()
    each = [_of_one(conn, dict(row), now, n) for row in rows]
    merged = heapq.merge(*each, key=lambda one: (one["at"], one["schedule"]))
    return [one for one, _ in zip(merged, range(n), strict=False)]


def _of_one(conn: Connection, row: Mapping[str, Any], now: datetime, n: int) -> Iterator[dict[str, Any]]:
    after = _begins(row, now)
    if after is None:
        return
    d = from_row(row)
    table = of(conn).skips
    skipped = set(conn.execute(select(table.c.scheduled_for).where(table.c.schedule_id == row["s_id"])).scalars())
    for at in coming(plan_of(d), after, n):
        yield {
            "schedule": d.key,
            "at": at,
            "local": local(at, d.zone),
            "job": d.job,
            "state": row["state"],
            "skipped": at in skipped,
        }


def _begins(row: Mapping[str, Any], now: datetime) -> datetime | None:
    """After which instant occurrences will fire: now, or the end of the pause; None where never."""
    mark: datetime | None = None
    if row["state"] == ACTIVE:
        mark = row["watermark"]
    elif row["state"] == PAUSED:
        mark = row["paused_until"]
    return None if mark is None else max(now, mark)
