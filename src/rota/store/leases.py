"""What must happen once per deployment: named leases, and small facts that outlive every process.

Correctness never depends on holding a lease; it only spares work.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from rota.store import dialect
from rota.store.tables import of


def acquire(conn: Connection, name: str, node: str, now: datetime, length: timedelta) -> bool:
    """Take or keep the lease for `length`; False where another node took it less than that ago."""
    ensure(conn, name)
    instant, free = dialect.at(conn, now), dialect.at(conn, now - length)
    # An instant in the future was written by a clock that stood wrong: it does not hold the lease for ever.
    done = dialect.execute(
        conn,
        "UPDATE {leases} SET node = %s, at = %s WHERE name = %s AND (node IS NULL OR node = %s OR at <= %s OR at > %s)",
        [node, instant, name, node, free, dialect.at(conn, now + length)],
    )
    return done == 1


def ensure(conn: Connection, name: str) -> None:
    """Create the lease's row where there is none."""
    dialect.insert_many(conn, of(conn).leases, [{"name": name}], ignore=True)


def release(conn: Connection, name: str, node: str) -> None:
    """Give the lease back, if this node holds it."""
    dialect.execute(conn, "UPDATE {leases} SET node = NULL WHERE name = %s AND node = %s", [name, node])


def recall(conn: Connection, key: str) -> Any:
    """The JSON value that was remembered under `key`, or None."""
    rows = dialect.query(conn, "SELECT value FROM {meta} WHERE key = %s", [key])
    return json.loads(rows[0]["value"]) if rows else None


def remember(conn: Connection, key: str, value: Any) -> None:
    """Remember a JSON value under `key`; None forgets it."""
    dialect.execute(conn, "DELETE FROM {meta} WHERE key = %s", [key])
    if value is not None:
        text = json.dumps(value)
        sql = "INSERT INTO {meta} (key, value) VALUES (%s, %s) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
        dialect.execute(conn, sql, [key, text])
