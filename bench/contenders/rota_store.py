"""rota's own steps by themselves, without loops: what the scheduler and the worker pay at the database."""

from __future__ import annotations

import asyncio
from time import perf_counter
from typing import Any, Final

from bench.fill import DUE
from rota.engine import collector
from rota.engine.scheduler import Scheduler, Turned
from rota.model.settings import Settings
from rota.model.settlement import Settlement
from rota.store import claims, dialect, settlements
from rota.store.database import Connection, Database

BATCH: Final = 1000


def fire(urls: list[str], count: int) -> dict[str, Any]:
    """Seconds in which one scheduler fires the `count` schedules of each database.

    The first time it reads and parses every definition, the second time it knows them: the databases are copies of one.
    """
    collector.calm()
    scheduler: Scheduler | None = None
    seconds = []
    for url in urls:
        database = Database(url)
        scheduler = scheduler or Scheduler(database, Settings())
        scheduler.database = database
        scheduler.totals = Turned()
        database.read(lambda conn: dialect.query(conn, "SELECT 1 FROM {cursors} LIMIT 1"))
        begin = perf_counter()
        asyncio.run(scheduler.burst(DUE))
        seconds.append(perf_counter() - begin)
        if scheduler.totals.fired != count:
            raise RuntimeError(f"{scheduler.totals.fired} of {count} schedules fired")
        rows = database.read(written)
        database.close()
        if set(rows.values()) != {count}:
            raise RuntimeError(f"{count} schedules were due, rows written: {rows}")
    return {"first": seconds[0], "again": seconds[-1]}


def written(conn: Connection) -> dict[str, int]:
    """How many rows of each kind a fire has left: the floor leaves the same."""
    events = "event_inbox" if dialect.is_postgresql(conn) else "events"
    found = {
        name: dialect.query(conn, f"SELECT count(*) AS n FROM {{{name}}}")[0]["n"]
        for name in ("runs", "ready", "flights", events)
    }
    advanced = "SELECT count(*) AS n FROM {cursors} WHERE due_at > %s"
    return found | {"cursors": dialect.query(conn, advanced, [dialect.at(conn, DUE)])[0]["n"]}


def work(url: str, count: int) -> dict[str, Any]:
    """Seconds to claim and settle the runs 1 to `count`: store and model, no handler, no loop."""
    collector.calm()
    database = Database(url)
    begin, done = perf_counter(), 0
    while taken := database.call(claims.claim, "bench", None, BATCH, DUE):
        outcomes = [Settlement(run.id, run.token, "succeeded") for run in taken]
        done += len(database.call(settlements.settle, outcomes, DUE, "bench"))
    seconds = perf_counter() - begin
    database.close()
    if done != count:
        raise RuntimeError(f"{done} of {count} runs settled")
    return {"seconds": seconds}
