"""Decisions: what became of occurrences that have no run. As many rows as changes, not as occurrences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection

from rota.model.firing import Decision
from rota.store import dialect
from rota.store.tables import of


@dataclass(frozen=True, slots=True)
class Decided:
    """One decision about one schedule, with the revision in force."""

    schedule_id: int
    revision: int
    decision: Decision


@dataclass(frozen=True, slots=True)
class _Last:
    id: int
    until_at: datetime
    mark: tuple[str, str | None, int]


def record(conn: Connection, now: datetime, node: str, decided: Sequence[Decided]) -> list[Decided]:
    """Write decisions, oldest first per schedule; those that began a new row (the others extended the last one).

    A decision that touches the schedule's last one and has the same what, reason and revision extends it. The caller
    holds the cursors of these schedules.
    """
    if not decided:
        return []
    last = _last_rows(conn, {d.schedule_id for d in decided})
    extended: dict[int, datetime] = {}
    fresh: list[Decided] = []
    for each in decided:
        d = each.decision
        mark = (d.what, d.reason, each.revision)
        before = last.get(each.schedule_id)
        if before is not None and before.mark == mark and before.until_at == d.after_at:
            if before.id:
                extended[before.id] = d.until_at
            else:
                fresh[-1] = replace(fresh[-1], decision=fresh[-1].decision._replace(until_at=d.until_at))
            last[each.schedule_id] = replace(before, until_at=d.until_at)
        else:
            fresh.append(each)
            last[each.schedule_id] = _Last(0, d.until_at, mark)
    table = of(conn).decisions
    longer = [{"id": i, "until_at": u, "at": now, "node": node} for i, u in extended.items()]
    dialect.update_many(conn, table, longer, key="id")
    dialect.insert_many(conn, table, [_row(d, now, node) for d in fresh])
    return fresh


def _row(each: Decided, now: datetime, node: str) -> dict[str, object]:
    d = each.decision
    return {
        "schedule_id": each.schedule_id,
        "after_at": d.after_at,
        "until_at": d.until_at,
        "what": d.what,
        "reason": d.reason,
        "revision": each.revision,
        "node": node,
        "at": now,
    }


def _last_rows(conn: Connection, ids: set[int]) -> dict[int, _Last]:
    source, params = dialect.derived(conn, "s", (("schedule_id", "bigint"),), [(i,) for i in sorted(ids)])
    # one probe of the index per schedule: a GROUP BY would read the schedule's whole history
    rows = dialect.query(
        conn,
        "SELECT d.id, d.schedule_id, d.until_at, d.what, d.reason, d.revision FROM (SELECT (SELECT l.id FROM {decisions} l"
        " WHERE l.schedule_id = s.schedule_id ORDER BY l.until_at DESC, l.id DESC LIMIT 1) AS last"
        f" FROM {source}) AS m JOIN {{decisions}} d ON d.id = m.last",
        params,
    )
    return {
        r["schedule_id"]: _Last(r["id"], dialect.read_at(r["until_at"]), (r["what"], r["reason"], r["revision"]))
        for r in rows
    }
