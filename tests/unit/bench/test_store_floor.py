"""The floor writes the rows that rota writes: else their ratio compares two different things."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from bench import fill
from bench.contenders import floor, rota_store
from rota.store import dialect
from rota.store.database import Connection, Database
from rota.store.tables import of

COUNT = 1500


def state(conn: Connection) -> dict[str, Any]:
    """What a fire or a settlement leaves, but for its order."""
    runs = dialect.query(
        conn,
        "SELECT state, schedule_id, scheduled_for, token, attempt, flight, lane FROM {runs}"
        " ORDER BY schedule_id, id LIMIT 50 OFFSET 1000",
    )
    written = "event_inbox" if dialect.is_postgresql(conn) else "events"
    counts = {
        name: dialect.query(conn, f"SELECT count(*) AS n FROM {{{name}}}")[0]["n"]
        for name in ("runs", "ready", "flights", "claims")
    }
    events = dialect.query(conn, f"SELECT type, count(*) AS n FROM {{{written}}} GROUP BY type")
    due = dialect.query(conn, "SELECT watermark, due_at, count(*) AS n FROM {cursors} GROUP BY watermark, due_at")
    return {"runs": runs, "counts": counts, "events": events, "cursors": due}


def empty(conn: Connection) -> None:
    for table in reversed(of(conn).metadata.sorted_tables):
        if not table.name.endswith(("meta", "spine")):
            conn.execute(table.delete())


def both(
    url: str, fill_in: Callable[[Connection], None], theirs: Callable[[], object], ours: Callable[[], object]
) -> list[dict[str, Any]]:
    """The state after the floor's statements, and after rota's, each from the same rows."""
    database = Database(url)
    found = []
    for step in (theirs, ours):
        database.call(empty)
        database.call(fill_in)
        step()
        found.append(database.read(state))
    database.close()
    return found


def test_fire(store_url: str) -> None:
    filled = functools.partial(fill.schedules, count=COUNT, rule=fill.Rule())
    floors, rotas = both(
        store_url, filled, lambda: floor.fire(store_url, COUNT), lambda: rota_store.fire([store_url], COUNT)
    )
    assert floors == rotas
    assert floors["counts"]["runs"] == COUNT


def test_work(store_url: str) -> None:
    def queued(conn: Connection) -> None:
        fill.queued(conn, COUNT)
        fill.node(conn, "bench")

    floors, rotas = both(
        store_url, queued, lambda: floor.work(store_url, COUNT), lambda: rota_store.work(store_url, COUNT)
    )
    assert floors == rotas
    assert [row["state"] for row in floors["runs"]] == ["succeeded"] * 50
