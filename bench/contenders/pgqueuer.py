"""pgqueuer, as its own command runs it: asyncpg, uvloop, every table durable."""

from __future__ import annotations

import asyncio
import time
from datetime import timedelta
from typing import Any, Final

import asyncpg  # type: ignore[import-untyped]
import uvloop
from pgqueuer import PgQueuer, Queries
from pgqueuer.domain.models import CronExpressionEntrypoint, Job, Schedule
from pgqueuer.domain.types import CronEntrypoint, CronExpression, QueueExecutionMode

from bench import child

DRAIN: Final = QueueExecutionMode.drain


async def _connect(url: str, *, install: bool = True) -> asyncpg.Connection[Any]:
    conn = await asyncpg.connect(url)
    if install:
        await Queries.from_asyncpg_connection(conn).install()
    return conn


def work(url: str, count: int, batch: int) -> dict[str, Any]:
    """Seconds from the start of one worker until `count` queued no-op jobs are done and logged."""
    return uvloop.run(_work(url, count, batch))


async def _work(url: str, count: int, batch: int) -> dict[str, Any]:
    conn = await _connect(url)
    queuer = PgQueuer.from_asyncpg_connection(conn)
    ran = 0

    @queuer.entrypoint("noop")
    async def noop(job: Job) -> None:
        nonlocal ran
        ran += 1

    queries = Queries.from_asyncpg_connection(conn)
    await queries.enqueue(["noop"] * count, [None] * count, [0] * count)
    begin = time.perf_counter()
    await queuer.qm.run(batch_size=batch, mode=DRAIN, dequeue_timeout=timedelta(seconds=1))
    seconds = time.perf_counter() - begin
    left = await conn.fetchval("SELECT count(*) FROM pgqueuer")
    done = await conn.fetchval("SELECT count(*) FROM pgqueuer_log WHERE status = 'successful'")
    await conn.close()
    if (ran, left, done) != (count, 0, count):
        raise RuntimeError(f"{ran} of {count} jobs ran, {done} are logged, {left} are left")
    return {"seconds": seconds}


def serve(url: str) -> dict[str, Any]:
    """Serve jobs until told to stop; when each started, in nanoseconds of the machine's monotonic clock."""
    return uvloop.run(_serve(url))


async def _serve(url: str) -> dict[str, Any]:
    conn = await _connect(url)
    queuer = PgQueuer.from_asyncpg_connection(conn)
    started: list[int] = []

    @queuer.entrypoint("noop")
    async def noop(job: Job) -> None:
        started.append(time.monotonic_ns())

    running = asyncio.create_task(queuer.run(batch_size=10))
    child.ready()
    await child.stopped()
    queuer.shutdown.set()
    await asyncio.wait([running], timeout=5)
    await conn.close()
    return {"started": started}


class Client:
    """Another process's side: it asks for one job at a time, on a connection of its own."""

    def __init__(self, url: str) -> None:
        self._loop = uvloop.new_event_loop()
        self._conn = self._loop.run_until_complete(_connect(url, install=False))
        self._queries = Queries.from_asyncpg_connection(self._conn)

    def enqueue(self) -> None:
        """One immediate job."""
        self._loop.run_until_complete(self._queries.enqueue("noop", None))

    def close(self) -> None:
        """Close the connection."""
        self._loop.run_until_complete(self._conn.close())
        self._loop.close()


def start(url: str, count: int, limit_s: float) -> dict[str, Any]:
    """Seconds until `count` recurring schedules, all due at once, have started; how many had after `limit_s`."""
    return uvloop.run(_start(url, count, limit_s))


async def _start(url: str, count: int, limit_s: float) -> dict[str, Any]:
    conn = await _connect(url)
    queuer = PgQueuer.from_asyncpg_connection(conn)
    started, over = 0, asyncio.Event()

    async def noop(schedule: Schedule) -> None:
        nonlocal started
        started += 1
        if started == count:
            over.set()

    for i in range(count):
        queuer.schedule(f"s{i}", "0 0 1 1 *")(noop)
    names = [CronExpressionEntrypoint(CronEntrypoint(f"s{i}"), CronExpression("0 0 1 1 *")) for i in range(count)]
    for low in range(0, count, 1000):
        await queuer.qm.queries.insert_schedule(dict.fromkeys(names[low : low + 1000], timedelta(0)))
    begin = time.perf_counter()
    running = asyncio.create_task(queuer.sm.run())
    waiting = asyncio.create_task(over.wait())
    await asyncio.wait([waiting, running], timeout=limit_s, return_when=asyncio.FIRST_COMPLETED)
    seconds = time.perf_counter() - begin
    waiting.cancel()
    running.cancel()
    await asyncio.gather(waiting, running, return_exceptions=True)
    await conn.close()
    return {"seconds": seconds, "started": started}
