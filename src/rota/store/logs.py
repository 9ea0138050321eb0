"""What a run says: its log in chunks, its progress, its artifacts. None of it is in the run's own row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from rota.errors import NotFound
from rota.model.storable import clean
from rota.store import dialect
from rota.store.tables import of


def append(conn: Connection, chunks: Sequence[Mapping[str, Any]]) -> None:
    """Append chunks {run_id, token, seq, at, stream, text}; seq counts from 0 per (run, token). A known one is left."""
    rows = [{**chunk, "text": clean(chunk["text"])} for chunk in chunks]
    for start in range(0, len(rows), 5000):
        dialect.insert_many(conn, of(conn).logs, rows[start : start + 5000], ignore=True)


def append_last(conn: Connection, texts: Sequence[tuple[int, int, str]], now: datetime) -> None:
    """Append one chunk of the stream `trace` to each (run, token), behind what is there."""
    member, params = dialect.in_list(conn, [run for run, _, _ in texts])
    sql = f"SELECT run_id, token, max(seq) AS last FROM {{logs}} WHERE run_id {member} GROUP BY run_id, token"
    last = {(row["run_id"], row["token"]): row["last"] for row in dialect.query(conn, sql, params)}
    rows = [(run, token, last.get((run, token), -1) + 1, text) for run, token, text in texts]
    append(conn, [{"run_id": r, "token": t, "seq": n, "at": now, "stream": "trace", "text": x} for r, t, n, x in rows])


def read(
    conn: Connection, run_id: int, *, after: tuple[int, int] | None = None, limit: int = 1000
) -> list[dict[str, Any]]:
    """At most `limit` chunks {token, seq, at, stream, text} of the run, in order.

    `after` is the (token, seq) of the last chunk of the page before.
    """
    table = of(conn).logs
    statement = table.select().where(table.c.run_id == run_id).order_by(table.c.token, table.c.seq).limit(limit)
    if after is not None:
        token, seq = after
        later = (table.c.token > token) | ((table.c.token == token) & (table.c.seq > seq))
        statement = statement.where(later)
    rows = conn.execute(statement).mappings()
    return [{name: row[name] for name in ("token", "seq", "at", "stream", "text")} for row in rows]


def put_progress(conn: Connection, rows: Sequence[tuple[int, float, float | None, datetime]]) -> None:
    """Set the progress of runs: (run, done, total, at); the latest stands."""
    latest = {row[0]: row for row in rows}
    columns = (("run_id", "bigint"), ("done", "double precision"), ("total", "double precision"), ("at", "timestamptz"))
    source, params = dialect.derived(conn, "s", columns, [latest[run] for run in sorted(latest)])
    dialect.execute(
        conn,
        f"INSERT INTO {{progress}} (run_id, done, total, at) SELECT run_id, done, total, at FROM {source} WHERE true"
        " ON CONFLICT (run_id) DO UPDATE SET done = excluded.done, total = excluded.total, at = excluded.at",
        params,
    )


def put_artifact(conn: Connection, run_id: int, name: str, data: bytes, now: datetime) -> None:
    """Keep an artifact of a run; one of the same name is replaced."""
    table = of(conn).artifacts
    conn.execute(table.delete().where(table.c.run_id == run_id, table.c.name == name))
    conn.execute(table.insert().values(run_id=run_id, name=clean(name), at=now, data=data))


def artifacts(conn: Connection, run_id: int) -> list[dict[str, Any]]:
    """The artifacts of a run: {name, at, size}."""
    sql = "SELECT name, at, length(data) AS size FROM {artifacts} WHERE run_id = %s ORDER BY name"
    return [row | {"at": dialect.read_at(row["at"])} for row in dialect.query(conn, sql, [run_id])]


def artifact(conn: Connection, run_id: int, name: str) -> bytes:
    """One artifact's bytes; raises NotFound."""
    rows = dialect.query(conn, "SELECT data FROM {artifacts} WHERE run_id = %s AND name = %s", [run_id, name])
    if not rows:
        raise NotFound(f"run {run_id} has no artifact {name}")
    return bytes(rows[0]["data"])
