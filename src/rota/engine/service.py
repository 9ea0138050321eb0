"""One process's loops: start, supervise, drain, stop; signals."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

from rota.calendar.civil import zone_data_version
from rota.engine.collector import calm
from rota.engine.heartbeat import Calls, Heartbeat
from rota.engine.keeper import Keeper
from rota.engine.loops import HandlerLoops
from rota.engine.registry import Registry
from rota.engine.scheduler import NodeBroken, Scheduler
from rota.engine.wake import EVENT, Wake, nap
from rota.engine.worker import Worker
from rota.errors import DatabaseNotMigrated, DatabaseUnavailable
from rota.model.settings import Settings
from rota.store import dialect, events, jobs, nodes
from rota.store.database import Connection, Database, StatementRefused
from rota.store.lone import Unanswered
from rota.store.quiet import Quiet
from rota.version import VERSION

log = logging.getLogger("rota.service")

SCHEDULER: Final = "scheduler"
WORKER: Final = "worker"
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class Service:
    """The loops that one process runs: scheduler, worker or both, always with heartbeat and keeper.

    `run` serves until `stop`; then nothing is claimed any more, handlers have `drain` to end, the rest is cancelled and
    handed back, and only then the heartbeat ends. `stop` a second time ends the process at once.
    """

    def __init__(
        self,
        database: Database,
        registry: Registry,
        settings: Settings,
        *,
        roles: frozenset[str],
        lanes: tuple[str, ...] | None = None,
    ) -> None:
        self.database = database
        self.settings = settings
        self.roles = roles
        self.lanes = lanes
        self.registry = registry
        self.wake = Wake(database)
        self.node = nodes.fresh_id()
        self.started = asyncio.Event()
        self.exit_code = 0
        self._stop = asyncio.Event()
        self._stops = 0
        self._loops = HandlerLoops()
        self._rejoining: asyncio.Task[None] | None = None
        self.heartbeat: Heartbeat | None = None
        self.keeper: Keeper | None = None
        self.scheduler = Scheduler(database, settings, node=self.node, wake=self.wake) if SCHEDULER in roles else None
        self.worker = self._make_worker() if WORKER in roles else None

    def _make_worker(self) -> Worker:
        secret = self.settings.webhook_secret
        return Worker(
            self.database,
            self.registry,
            self.settings,
            node=self.node,
            lane_names=self.lanes,
            wake=self.wake,
            loops=self._loops,
            secret=None if secret is None else secret.encode(),
        )

    # Running

    async def run(self) -> None:
        """Serve until `stop`, then drain. Start-up waits for a database that is away; errors in tables are raised."""
        self.wake.start()
        try:
            await self._join()
            await self._serve()
        finally:
            await self._end()

    async def run_until_signal(self) -> int:
        """`run`, ended by SIGINT or SIGTERM; the exit code. A second signal ends the process at once (128 + number)."""
        loop = asyncio.get_running_loop()
        for number in _SIGNALS:
            loop.add_signal_handler(number, self._signalled, number)
        try:
            await self.run()
        finally:
            for number in _SIGNALS:
                loop.remove_signal_handler(number)
        return self.exit_code

    def _signalled(self, number: int) -> None:
        if self._stops:
            os._exit(128 + number)
        log.info("service.stopping", extra={"signal": number, "drain_s": self.settings.drain.total_seconds()})
        self.stop()

    def stop(self) -> None:
        """Begin to drain; call it in the loop's own thread."""
        self._stops += 1
        self._stop.set()

    async def _join(self) -> None:
        """Enter the node's row and start its heartbeat, as soon as the database answers."""
        calls = Calls(fenced=self._fenced, drain=self._drained, blind=self._blind)
        beat = Heartbeat(self.database, self.settings, self._description(), calls)
        self.heartbeat = beat
        if await self._when_there(beat.join):
            beat.start()

    async def _when_there(self, act: Callable[[], object]) -> bool:
        """Do it, again and again while the database is away; False where the service was stopped before that."""
        wait = 0.1
        while not self._stop.is_set():
            try:
                await asyncio.to_thread(act)
            except DatabaseNotMigrated:
                raise
            except DatabaseUnavailable as error:
                if wait == 0.1:
                    log.warning("database.away", extra={"error": str(error)})
                await nap(wait)
                wait = min(wait * 2, 2.0)
            else:
                return True
        return False

    def _description(self) -> nodes.Node:
        return nodes.Node(
            self.node,
            roles=tuple(sorted(self.roles)),
            lanes=self.lanes,
            slots=self.settings.slots if WORKER in self.roles else 0,
            version=VERSION,
            zone_data=zone_data_version(),
        )

    async def _serve(self) -> None:
        if self.heartbeat is None or not self.heartbeat.live:
            return
        self.keeper = Keeper(self.database, self.settings, node=self.node, wake=self.wake, heartbeat=self.heartbeat)
        tasks = [self._task("keeper", self.keeper.run), self._task("spine", self._number)]
        if self.scheduler is not None:
            tasks.append(self._task("scheduler", self.scheduler.run))
        if self.worker is not None:
            tasks.append(self._task("jobs", self._say_jobs))
        working = self._task("worker", self.worker.run) if self.worker is not None else None
        calm()
        self.started.set()
        await self._stop.wait()
        if self.scheduler is not None:
            self.scheduler.stop()
        if self.worker is not None and working is not None:
            self.worker.stop()
            await asyncio.gather(working, return_exceptions=True)
        self.keeper.stop()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _task(self, name: str, loop: Callable[[], Awaitable[None]]) -> asyncio.Task[None]:
        return asyncio.create_task(self._supervised(name, loop), name=f"rota-{name}")

    async def _supervised(self, name: str, loop: Callable[[], Awaitable[None]]) -> None:
        """Run one loop; an error that it did not expect is logged, and it alone begins again."""
        wait, clock = 0.5, self.database.clock
        while not self._stop.is_set():
            began = clock.monotonic()
            try:
                await loop()
            except NodeBroken as error:
                log.critical("node.broken", extra={"error": str(error)})
                self.exit_code = 1
                self.stop()
            except Exception:
                log.exception("loop.failed", extra={"loop": name})
                wait = 0.5 if clock.monotonic() - began > 60 else wait
                await nap(wait)
                wait = min(wait * 2, 5.0)
            else:
                return

    async def _number(self) -> None:
        """Give events their order: on a hint, and at least once per poll interval."""
        ear, quiet = self.wake.ear(EVENT), Quiet(self.database.schema, self.database.clock)
        while not self._stop.is_set():
            try:
                while (
                    await self._unnumbered(quiet)
                    and await self.database.acall(events.number) >= events.NUMBERED_AT_ONCE
                ):
                    pass
            except (DatabaseUnavailable, StatementRefused) as error:
                log.debug("database.away", extra={"error": str(error)})
            await ear.sleep(self.settings.poll.total_seconds())

    async def _say_jobs(self) -> None:
        """Say which jobs this process knows, again and again: so those that nobody knows any more are found out."""
        ear = self.wake.ear()
        while not self._stop.is_set():
            wait = jobs.SAY_EVERY
            try:
                await self.database.acall(_say, self.registry.names)
            except (DatabaseUnavailable, StatementRefused) as error:
                log.debug("database.away", extra={"error": str(error)})
                wait = self.settings.poll
            await ear.sleep(wait.total_seconds())

    async def _unnumbered(self, quiet: Quiet) -> bool:
        """Whether events wait for their order, as far as can be told."""
        try:
            return await self.wake.answer(quiet.unnumbered) is not None
        except Unanswered:
            return True

    async def _end(self) -> None:
        if self.heartbeat is not None:
            await asyncio.to_thread(self.heartbeat.stop)
        await asyncio.to_thread(self._loops.close)
        await self.wake.stop()

    # What happens to the node

    def _fenced(self, _old: str) -> None:
        """This node was fenced; called in the heartbeat's thread."""
        self.wake.call(self._rejoin)

    def _rejoin(self) -> None:
        self._rejoining = asyncio.create_task(self._join_again(), name="rota-rejoin")

    async def _join_again(self) -> None:
        """Give up what this node ran, its tokens are void, and go on under a fresh id."""
        beat = self.heartbeat
        try:
            if beat is None or not await self._when_there(beat.rejoin):
                return
        except Exception:
            log.exception("loop.failed", extra={"loop": "rejoin"})  # a process that gave up here would claim nothing
            await nap(1.0)
            self._rejoin()
            return
        log.warning("node.rejoined", extra={"old": self.node, "node": beat.id})
        self.node = beat.id
        if self.scheduler is not None:
            self.scheduler.node = beat.id
        if self.worker is not None:
            self.worker.fenced(beat.id)
        if self.keeper is not None:
            self.keeper.node = beat.id

    def _drained(self, on: bool) -> None:
        """Somebody asked this node to claim nothing, or to claim again; called in the heartbeat's thread."""
        self.wake.call(self._drain, on)

    def _drain(self, on: bool) -> None:
        if self.worker is not None:
            self.worker.draining = on
            self.worker.ear.wake()

    def _blind(self) -> None:
        """The database was out of reach for a whole lease; called in the heartbeat's thread."""
        if self.worker is not None:
            self.wake.call(self.worker.blind)

    def ready(self) -> dict[str, Any]:
        """Whether this process does its work, and what keeps it from it: for /readyz."""
        now = self.database.clock.monotonic()
        faults = []
        renewed = None if self.heartbeat is None else self.heartbeat.renewed_at
        if renewed is None:
            faults.append("this process has not joined: the database has not answered yet")
        elif now - renewed > self.settings.lease.total_seconds():
            faults.append(f"the database has not answered for {now - renewed:.0f} s")
        late = 2 * self.settings.poll.total_seconds() + 1
        for name, loop in ((SCHEDULER, self.scheduler), (WORKER, self.worker)):
            turned = None if loop is None else loop.turned_at
            if turned is not None and now - turned > late:
                faults.append(f"the {name} has not turned for {now - turned:.0f} s")
        if self.database.holder():
            faults.append(f"process {self.database.holder()} holds the lock of {self.database.shown} for too long")
        return {"ready": not faults, "node": self.node, "reasons": faults, "listening": self.wake.listening}


def _say(conn: Connection, names: Sequence[str]) -> int:
    return jobs.say(conn, names, dialect.instant(conn))
