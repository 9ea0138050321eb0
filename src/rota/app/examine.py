"""What `rota doctor` asks of a database: what it is, at which revision, and what about it is known to be bad."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any, Final

from rota.store import dialect, migrate

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from rota.app.records import Node
    from rota.app.rota import Rota

SAFE_SQLITE: Final = (3, 51, 3)
"""Before it, several processes that checkpoint one WAL file may corrupt it (sqlite.org/wal.html, WAL-reset bug)."""
APART_S: Final = 1.0
"""How far the clocks of this machine and of the database's may differ before it is told."""


def examine(rota: Rota) -> dict[str, Any]:
    """{database, server, revision, warnings}: shown URL, product and version, revision, and texts that say what to do."""
    core = rota.core
    database = core.database
    server, at = core.read(_server)
    warnings = []
    if database.sqlite and sqlite3.sqlite_version_info < SAFE_SQLITE:
        warnings.append(
            f"SQLite {sqlite3.sqlite_version} is older than 3.51.3: with several processes on one file a rare race of "
            "its own may damage it; take a Python with a newer SQLite, or run one process"
        )
    apart = (at - database.clock.now()).total_seconds()
    if abs(apart) > APART_S:
        warnings.append(
            f"the database's clock differs by {apart:+.1f} s from this machine's; rota goes by the database's"
        )
    revision, _ = migrate.status(database)
    return {"database": database.shown, "server": server, "revision": revision, "warnings": warnings}


def heard(rota: Rota) -> list[tuple[Node, float]]:
    """The nodes that are live, and how many seconds each has been silent beyond what a lease allows; 0 mostly.

    A silent one hangs or is gone: it stays live until a keeper has watched it for a lease, and with no keeper for ever.
    """
    settings = rota.core.settings
    allowed = (settings.lease + settings.renewal).total_seconds()
    nodes = list(rota.nodes.list(live=True))
    now = rota.core.read(dialect.instant)
    return [(node, max(0.0, (now - node.seen_at).total_seconds() - allowed)) for node in nodes]


def _server(conn: Connection) -> tuple[str, Any]:
    if dialect.is_postgresql(conn):
        (row,) = dialect.query(conn, "SELECT current_setting('server_version') AS version")
        return f"PostgreSQL {row['version']}", dialect.instant(conn)
    return f"SQLite {sqlite3.sqlite_version}", dialect.instant(conn)
