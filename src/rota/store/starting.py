"""What a process writes when it starts: the jobs it knows, and the schedules that its code declares."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from rota.model.by import By
from rota.store import declared, dialect, jobs
from rota.store.jobs import JobRow


def apply(
    conn: Connection,
    rows: Sequence[JobRow],
    items: Sequence[declared.Item],
    origin: declared.Origin,
    release: int | None,
) -> declared.Report:
    """Register jobs, then make the schedules of this origin agree with `items`; rows that are not declared stay.

    A process of an older release than the rows carry registers its jobs and applies nothing.
    """
    changed = jobs.register(conn, rows)
    if not items or not _current(conn, origin, release):
        return declared.Report()
    by = By("rota", "code", f"declared by {origin.name}")
    return declared.declare(conn, items, origin, by, changed)


def _current(conn: Connection, origin: declared.Origin, release: int | None) -> bool:
    """Whether this release may apply; notes the newest one that did."""
    if release is None:
        return True
    name = f"release:{origin.tenant}/{origin.stack}/{origin.environment}:{origin.name}"
    dialect.execute(
        conn, "INSERT INTO {meta} (key, value) VALUES (%s, %s) ON CONFLICT (key) DO NOTHING", [name, str(release)]
    )
    rows = dialect.query(conn, "SELECT value FROM {meta} WHERE key = %s" + dialect.for_update(conn), [name])
    if int(rows[0]["value"]) > release:
        return False
    dialect.execute(conn, "UPDATE {meta} SET value = %s WHERE key = %s", [str(release), name])
    return True
