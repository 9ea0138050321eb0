"""The spine: writing events, giving them their order, reading them by cursor (document 4, "The spine").

On PostgreSQL ids taken at insert are not in order of commit, so writers fill `event_inbox` and `number` moves what has
committed into `events`, whose id is the only order that readers know. On SQLite one writer inserts directly.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection

from rota.errors import EventsForgotten
from rota.model.event import Event
from rota.store import dialect, leases
from rota.store.tables import of

FORGOTTEN: Final = "events_forgotten"
"""The largest id of an event that retention has deleted."""


def write(conn: Connection, events: Sequence[Event]) -> None:
    """Write events in their order: causes before effects. They are visible to readers once committed and numbered."""
    tables = of(conn)
    table = tables.event_inbox if dialect.is_postgresql(conn) else tables.events
    rows = [{"type": e.type, "at": e.at, "subject": e.subject, "code": e.code, "data": e.data} for e in events]
    dialect.insert_many(conn, table, rows)


def change(
    conn: Connection,
    at: datetime,
    subject: str,
    action: str,
    by: Any,
    *,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> None:
    """Record who changed what: `by` has actor, channel and reason."""
    row = {
        "at": at,
        "subject": subject,
        "action": action,
        "actor": by.actor,
        "channel": by.channel,
        "reason": by.reason,
        "before": before,
        "after": after,
    }
    dialect.insert_many(conn, of(conn).changes, [row])


NUMBERED_AT_ONCE: Final = 5000


def number(conn: Connection) -> int:
    """Give committed events their order; the number moved, 0 where another node is at it or nothing waits.

    The lock is a statement of its own, so that the next numbering starts after this one is visible. Call it alone in
    its transaction.
    """
    if not dialect.is_postgresql(conn):
        return 0
    waiting = dialect.query(conn, "SELECT 1 FROM {event_inbox} LIMIT 1")
    if not waiting or not dialect.query(conn, "SELECT 1 FROM {spine} WHERE one = 1 FOR UPDATE SKIP LOCKED"):
        return 0
    return dialect.execute(
        conn,
        "WITH moved AS (DELETE FROM {event_inbox} WHERE id IN (SELECT id FROM {event_inbox} ORDER BY id"
        f" LIMIT {NUMBERED_AT_ONCE})"
        " RETURNING *) INSERT INTO {events} (type, at, subject, code, data)"
        " SELECT type, at, subject, code, data FROM moved ORDER BY id",
    )


def after(
    conn: Connection, cursor: int, limit: int = 100, *, types: Sequence[str] = (), subject: str | None = None
) -> list[dict[str, Any]]:
    """At most `limit` events with an id above `cursor`, in order, as {id, type, at, subject, code, data}.

    0 begins at the oldest that is kept. Raises EventsForgotten for another cursor that retention has overtaken (law 8).
    """
    table = of(conn).events
    statement = table.select().where(table.c.id > cursor).order_by(table.c.id).limit(limit)
    if types:
        statement = statement.where(table.c.type.in_(types))
    if subject is not None:
        statement = statement.where(table.c.subject == subject)
    found = [dict(row._mapping) for row in conn.execute(statement)]  # noqa: SLF001 - SQLAlchemy's public name
    # asked after the look: retention may have overtaken the cursor between the two
    forgotten = int(leases.recall(conn, FORGOTTEN) or 0)
    if 0 < cursor < forgotten:
        raise EventsForgotten(
            f"after: events {cursor + 1} to {forgotten} are older than what is kept; go on after {forgotten}, or with 0"
        )
    return found


def last(
    conn: Connection, limit: int, *, types: Sequence[str] = (), subject: str | None = None
) -> list[dict[str, Any]]:
    """The last `limit` events, in order, as in `after`."""
    table = of(conn).events
    statement = table.select().order_by(table.c.id.desc()).limit(limit)
    if types:
        statement = statement.where(table.c.type.in_(types))
    if subject is not None:
        statement = statement.where(table.c.subject == subject)
    rows = [dict(row._mapping) for row in conn.execute(statement)]  # noqa: SLF001 - SQLAlchemy's public name
    return rows[::-1]


def bounds(conn: Connection) -> tuple[int, int]:
    """(the smallest, the largest) id that is kept; (0, 0) where there is none."""
    row = dialect.query(conn, "SELECT min(id) AS low, max(id) AS high FROM {events}")[0]
    return row["low"] or 0, row["high"] or 0
