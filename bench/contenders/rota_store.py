"""rota's own steps by themselves, without loops: what the scheduler and the worker pay at the database."""

from __future__ import annotations

import asyncio
import functools
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
        seconds.append(asyncio.run(_burst(scheduler)))
        if scheduler.totals.fired != count:
            raise RuntimeError(f"{scheduler.totals.fired} of {count} schedules fired")
        rows = database.read(written)
        database.close()
        if set(rows.values()) != {count}:
            raise RuntimeError(f"{count} schedules were due, rows written: {rows}")
    return {"first": seconds[0], "again": seconds[-1]}


async def _burst(scheduler: Scheduler) -> float:
    """Seconds of one burst, on connections that are open."""
    look = functools.partial(
        dialect.query, sql="SELECT pg_sleep(0.02)" if not scheduler.database.sqlite else "SELECT 1"
    )
    await asyncio.gather(*(scheduler.database.aread(look) for _ in range(2)))
    begin = perf_counter()
    await scheduler.burst(DUE)
    return perf_counter() - begin


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
