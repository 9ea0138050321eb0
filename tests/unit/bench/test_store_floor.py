"""The floor writes the rows that rota writes: else their ratio compares two different things."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from bench import fill
from bench.contenders import floor, rota_store
from bench.servers import SQLite
from rota.store import dialect
from rota.store.database import Connection, Database

COUNT = 1500


def state(conn: Connection) -> dict[str, Any]:
    """What a fire or a settlement leaves, but for ids and order."""
    runs = dialect.query(
        conn,
        "SELECT state, schedule_id, scheduled_for, token, attempt, flight, lane FROM {runs} ORDER BY id LIMIT 50 OFFSET 1000",
    )
    counts = {
        name: dialect.query(conn, f"SELECT count(*) AS n FROM {{{name}}}")[0]["n"]
        for name in ("runs", "ready", "flights", "claims", "events")
    }
    events = dialect.query(conn, "SELECT type, count(*) AS n FROM {events} GROUP BY type")
    due = dialect.query(conn, "SELECT watermark, due_at, count(*) AS n FROM {cursors} GROUP BY watermark, due_at")
    return {"runs": runs, "counts": counts, "events": events, "cursors": due}


def both(store: SQLite, name: str, step: str, ours: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    found = []
    for side in ("floor", "rota"):
        with store.copy(name) as url:
            if side == "floor":
                getattr(floor, step)(url, COUNT)
            else:
                ours(url)
            database = Database(url)
            found.append(database.read(state))
            database.close()
    return found[0], found[1]


def test_fire(tmp_path: Path) -> None:
    store = SQLite(tmp_path)
    store.prepare("due", functools.partial(fill.schedules, count=COUNT, rule=fill.Rule()))
    theirs, mine = both(store, "due", "fire", lambda url: rota_store.fire([url], COUNT))
    assert theirs == mine


def test_work(tmp_path: Path) -> None:
    store = SQLite(tmp_path)

    def queued(conn: Connection) -> None:
        fill.queued(conn, COUNT)
        fill.node(conn, "bench")

    store.prepare("queued", queued)
    theirs, mine = both(store, "queued", "work", lambda url: rota_store.work(url, COUNT))
    assert theirs == mine
