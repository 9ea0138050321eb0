"""rota as an application uses it: `Rota`, its decorator, its service with every loop, thread and heartbeat."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import rota
from bench import child
from rota.clock import SystemClock
from rota.engine.wake import nap
from rota.store import dialect, lone
from rota.store.database import Connection, Database
from rota.store.firings import DUE
from rota.store.lone import Statement
from rota.store.quiet import Quiet
from rota.store.tables import build

_LOOK_S: Final = 0.003
_AFTER_S: Final = 2.5
"""A start may be this late and still be counted: jitter is up to a second."""


def _open(url: str, **settings: Any) -> rota.Rota:
    """An application with its connections open, as those of the others are before the clock starts."""
    app = rota.Rota(url, settings=settings)
    app.core.read(lambda conn: dialect.query(conn, "SELECT 1"))
    return app


class _Errors(logging.Handler):
    """What rota itself calls an error: a measurement in which a loop failed is none."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.seen: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.seen.append(self.format(record))


@asynccontextmanager
async def _serving(app: rota.Rota, roles: tuple[str, ...]) -> AsyncIterator[None]:
    errors = _Errors()
    logging.getLogger("rota").addHandler(errors)
    async with app.serving(roles) as service:
        await service.started.wait()
        yield
    if errors.seen:
        raise RuntimeError(f"{len(errors.seen)} errors, the first: {errors.seen[0]}")


def _left(conn: Connection) -> int:
    """Runs that wait to start, or are in a worker's hands."""
    sql = "SELECT (SELECT count(*) FROM {ready}) + (SELECT count(*) FROM {claims}) AS n"
    found: int = dialect.query(conn, sql)[0]["n"]
    return found


def _succeeded(conn: Connection) -> int:
    found: int = dialect.query(conn, "SELECT count(*) AS n FROM {runs} WHERE state = 'succeeded'")[0]["n"]
    return found


async def work(url: str, count: int, slots: int) -> dict[str, Any]:
    """Seconds from the start of one worker process until `count` queued no-op jobs have succeeded, durably."""
    app = _open(url, slots=slots)
    ran, over = 0, asyncio.Event()

    @app.job
    async def noop() -> None:
        nonlocal ran
        ran += 1
        if ran == count:
            over.set()

    begin = time.perf_counter()
    async with _serving(app, ("worker",)):
        await over.wait()
        while await app.core.database.aread(_left):
            await nap(_LOOK_S)
        seconds = time.perf_counter() - begin
    done = app.core.read(_succeeded)
    app.close()
    if (ran, done) != (count, count):
        raise RuntimeError(f"{ran} of {count} jobs ran, {done} succeeded")
    return {"seconds": seconds}


async def start(url: str, count: int, slots: int, limit_s: float) -> dict[str, Any]:
    """Seconds until `count` schedules, all due at once, have started; how many had after `limit_s`."""
    app = _open(url, slots=slots)
    started, over = 0, asyncio.Event()

    @app.job
    async def noop() -> None:
        nonlocal started
        started += 1
        if started == count:
            over.set()

    begin = time.perf_counter()
    async with _serving(app, ("scheduler", "worker")):
        waiting = asyncio.create_task(over.wait())
        await asyncio.wait([waiting], timeout=limit_s)
        waiting.cancel()
        seconds = time.perf_counter() - begin
    app.close()
    return {"seconds": seconds, "started": started}


async def serve(url: str) -> dict[str, Any]:
    """Serve jobs until told to stop; when each started, in nanoseconds of the machine's monotonic clock."""
    app = _open(url)
    started: list[int] = []

    @app.job
    async def noop() -> None:
        started.append(time.monotonic_ns())

    async with _serving(app, ("scheduler", "worker")):
        child.ready()
        await child.stopped()
    app.close()
    return {"started": started}


class Client:
    """Another process's side: it asks for one job at a time."""

    def __init__(self, url: str) -> None:
        self._app = _open(url)

    def enqueue(self) -> None:
        """One immediate run."""
        self._app.enqueue("noop")

    def close(self) -> None:
        """Close the connections."""
        self._app.close()


async def spread(url: str, first: str, seconds: int) -> dict[str, Any]:
    """How late each start was, in milliseconds, of the occurrences in `seconds` from `first` on; how many started.

    A start is late against the instant from which its run may start: the occurrence, or later by its jitter.
    """
    app = _open(url)
    clock = SystemClock()
    begin = datetime.fromisoformat(first)
    end = begin + timedelta(seconds=seconds)
    started: dict[int, datetime] = {}

    @app.job
    async def noop(ctx: rota.Context) -> None:
        at = ctx.scheduled_for
        if at is not None and begin <= at < end:
            started[ctx.run_id] = clock.now()

    async with _serving(app, ("scheduler", "worker")):
        while (left := (end - clock.now()).total_seconds() + _AFTER_S) > 0:
            await nap(left)
    due = app.core.read(_due, begin, end)
    app.close()
    late = [(at - due[run]).total_seconds() * 1000 for run, at in started.items()]
    return {"late": late, "started": len(started)}


def _due(conn: Connection, begin: datetime, end: datetime) -> dict[int, datetime]:
    """From when each run of these occurrences may start."""
    rows = dialect.query(
        conn,
        "SELECT id, coalesce(not_before, scheduled_for) AS at FROM {runs} WHERE scheduled_for >= %s AND scheduled_for < %s",
        [dialect.at(conn, begin), dialect.at(conn, end)],
    )
    return {row["id"]: dialect.read_at(row["at"]) for row in rows}


async def idle(url: str, seconds: float, probes: int) -> dict[str, Any]:
    """What a scheduler with nothing to do costs.

    Seconds until it serves, its resident memory in MB, processor seconds a minute, and microseconds of the due probe,
    of the whole look that an idle scheduler takes, and of SELECT 1 (medians, taken in turns on one connection, prepared
    alike, as that scheduler asks).
    """
    begin = time.perf_counter()
    app = _open(url)
    async with _serving(app, ("scheduler",)):
        ready = time.perf_counter() - begin
        await nap(1.0)
        before, at = child.spent(), time.perf_counter()
        while (passed := time.perf_counter() - at) < seconds:
            await nap(seconds - passed)
        minute = (child.spent() - before) / passed * 60
        memory = resident()
    found = _probes(app.core.database, probes)
    app.close()
    return {"ready_s": ready, "cpu_s": minute, "memory_mb": memory, **found}


def _probes(database: Database, count: int) -> dict[str, float]:
    asked = {
        "select_us": Statement.of("SELECT 1").with_(()),
        "probe_us": Statement.of(build(database.schema, "").sql(DUE)).with_(()),
        "look_us": Quiet(database.schema, database.clock).look("bench"),
    }
    took: dict[str, list[float]] = {name: [] for name in asked}
    for _ in range(count):
        for name, question in asked.items():
            begin = time.perf_counter()
            lone.ask(database, [question])
            took[name].append(time.perf_counter() - begin)
    return {name: sorted(times)[count // 2] * 1e6 for name, times in took.items()}


def resident() -> float:
    """This process's resident memory in MB, 0 where the system does not tell."""
    status = Path("/proc/self/status")
    if not status.exists():
        return 0.0
    lines = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
    return int(lines["VmRSS"].split()[0]) / 1024
