"""What is on record about a schedule: decisions, changes."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection

from rota.store.schedules import Ref, not_found, row_of
from rota.store.tables import of


def decisions(conn: Connection, ref: Ref, limit: int) -> list[dict[str, Any]]:
    """The last decisions about occurrences without a run, newest first; also of a removed schedule."""
    row = row_of(conn, ref)
    if row is None:
        raise not_found(conn, ref)
    table = of(conn).decisions
    found = table.select().where(table.c.schedule_id == row["id"]).order_by(table.c.until_at.desc(), table.c.id.desc())
    return [dict(one) for one in conn.execute(found.limit(limit)).mappings()]


def changes(conn: Connection, ref: Ref, limit: int) -> list[dict[str, Any]]:
    """The last changes, newest first; also of a removed schedule."""
    row = row_of(conn, ref)
    if row is None:
        raise not_found(conn, ref)
    table = of(conn).changes
    key = "/".join(row[name] for name in ("tenant", "stack", "environment", "name"))
    found = table.select().where(table.c.subject == key).order_by(table.c.id.desc()).limit(limit)
    return [dict(one) for one in conn.execute(found).mappings()]
