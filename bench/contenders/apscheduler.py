"""APScheduler 3: its asyncio scheduler with the memory store, and with the SQLAlchemy store on the same database."""

from __future__ import annotations

import asyncio
import logging
import time
from datetime import UTC, datetime, timedelta
from typing import Any

from apscheduler.events import EVENT_JOB_EXECUTED, JobExecutionEvent
from apscheduler.jobstores.memory import MemoryJobStore
from apscheduler.jobstores.sqlalchemy import SQLAlchemyJobStore
from apscheduler.schedulers.asyncio import AsyncIOScheduler

from rota.clock import SystemClock
from rota.engine.wake import nap
from rota.store.database import make_engine

AFTER_S = 2.5
"""A start may be this late and still be counted."""

_STATE: dict[str, Any] = {}


async def noop() -> None:
    """Count the start; a module-level function, since the SQL store keeps jobs by name."""
    _STATE["ran"] += 1
    if _STATE["ran"] == _STATE["count"]:
        _STATE["over"].set()


def _scheduler(url: str | None) -> AsyncIOScheduler:
    logging.getLogger("apscheduler").setLevel(logging.CRITICAL)  # it tells of each job that its shutdown cancels
    store = MemoryJobStore() if url is None else SQLAlchemyJobStore(engine=make_engine(url))
    defaults = {"misfire_grace_time": None, "coalesce": True}
    return AsyncIOScheduler(jobstores={"default": store}, job_defaults=defaults, timezone=UTC)


async def work(url: str | None, count: int) -> dict[str, Any]:
    """Seconds from the scheduler's resumption until `count` one-off jobs, all due, have run."""
    return await _run(url, count, 120.0, recurring=False)


async def start(url: str | None, count: int, limit_s: float) -> dict[str, Any]:
    """Seconds until `count` recurring jobs, all due at once, have started; how many had after `limit_s`."""
    return await _run(url, count, limit_s, recurring=True)


async def _run(url: str | None, count: int, limit_s: float, *, recurring: bool) -> dict[str, Any]:
    _STATE.update(ran=0, count=count, over=asyncio.Event())
    scheduler = _scheduler(url)
    scheduler.start(paused=True)
    due = SystemClock().now() - timedelta(seconds=1)
    for i in range(count):
        if recurring:
            scheduler.add_job(noop, "cron", hour=0, id=f"s{i}", next_run_time=due)
        else:
            scheduler.add_job(noop, "date", run_date=due, id=f"s{i}")
    begin = time.perf_counter()
    scheduler.resume()
    waiting = asyncio.create_task(_STATE["over"].wait())
    await asyncio.wait([waiting], timeout=limit_s)
    waiting.cancel()
    seconds = time.perf_counter() - begin
    scheduler.shutdown(wait=False)
    return {"seconds": seconds, "started": _STATE["ran"]}


async def tick() -> None:
    """What is due every second; `_note` looks at how late it was."""


async def spread(url: str | None, count: int, seconds: int) -> dict[str, Any]:
    """How late each start was, in milliseconds, of `count` jobs that are due every second, spread over the second."""
    clock = SystemClock()
    scheduler = _scheduler(url)
    scheduler.start(paused=True)
    first = (clock.now() + timedelta(seconds=1 + count / 1000)).replace(microsecond=0)
    end = first + timedelta(seconds=seconds)
    seen: dict[tuple[str, datetime], float] = {}

    def note(event: JobExecutionEvent) -> None:
        at = event.scheduled_run_time
        if first <= at < end:
            seen[event.job_id, at] = (clock.now() - at).total_seconds() * 1000

    scheduler.add_listener(note, EVENT_JOB_EXECUTED)
    for i in range(count):
        begin = first + timedelta(seconds=i / count)
        scheduler.add_job(tick, "interval", seconds=1, start_date=begin, id=f"s{i}")
    scheduler.resume()
    while (left := (end - clock.now()).total_seconds() + AFTER_S) > 0:
        await nap(left)
    scheduler.shutdown(wait=False)
    return {"late": list(seen.values()), "started": len(seen)}
