"""A world for the reported bugs: one database under one clock, applications, and processes whose loops turn by hand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from datetime import datetime, timedelta
from typing import Any, TypeVar

from rota.app.records import Explanation
from rota.app.rota import Rota
from rota.calendar.civil import zone_data_version
from rota.engine.heartbeat import Calls, Heartbeat
from rota.engine.keeper import Keeper, Kept
from rota.engine.loops import HandlerLoops
from rota.engine.scheduler import Scheduler, Turned
from rota.engine.worker import Worker
from rota.model.schedule import Cursor
from rota.model.settings import Settings
from rota.store import admission, firings, nodes
from rota.store.database import Connection, Database
from rota.version import VERSION
from tests.support import seed
from tests.support.hands import START, HandClock

T = TypeVar("T")

SETTINGS = Settings(slots=50, kill_grace=timedelta(seconds=0.2), stuck_after=timedelta(seconds=20))
_ENDLESS = 20_000


def noop() -> None:
    """Do nothing."""


class Machine:
    """What one process of rota has: connections, heartbeat, keeper, scheduler and worker, each turned when it is told."""

    def __init__(self, world: World, app: Rota, name: str, settings: Settings) -> None:
        self.world = world
        self.settings = settings
        self.db = Database(world.url, clock=world.clock, node=name, synchronous="OFF")
        self.loops = HandlerLoops()
        roles = ("scheduler", "worker")
        node = nodes.Node(name, roles, None, settings.slots, VERSION, zone_data_version())
        self.fenced: list[str] = []
        self.heartbeat = Heartbeat(self.db, settings, node, Calls(fenced=self.fenced.append))
        self.heartbeat.join()
        self.scheduler = Scheduler(self.db, settings, node=name)
        self.worker = Worker(self.db, app.registry, settings, node=name, loops=self.loops, draw=lambda: 0.5)
        self.keeper = Keeper(self.db, settings, node=name, heartbeat=self.heartbeat)

    @property
    def node(self) -> str:
        """Its present id."""
        return self.heartbeat.id

    def fire(self) -> Turned:
        """One fire, in one transaction."""
        return self.db.call(self.scheduler.fire)

    def turn(self) -> Turned:
        """One turn of its scheduler: fire and admit."""
        return self.world.do(self.scheduler.turn())

    def claim(self) -> int:
        """One turn of its worker: settle what has ended, claim, start; how many were claimed."""
        return self.world.do(self.worker.turn()).claimed

    def finish(self) -> int:
        """Wait for the code that runs here, and settle it; how many runs."""
        return self.world.do(self.worker.finish())

    def work(self) -> int:
        """Claim what is ready, carry it out, settle it; how many were claimed."""
        claimed = self.claim()
        self.finish()
        return claimed

    def work_but(self, left: int) -> None:
        """Claim what is ready and settle what ends, until only `left` runs are still going on here."""
        self.claim()
        self.world.do(self._until(left))

    async def _until(self, left: int) -> None:
        while len(self.worker.held) > left:
            await self.worker.ear.sleep(5)
            await self.worker.turn()

    def beat(self) -> bool:
        """Renew once; a node that was fenced joins again under a fresh id, as its service has it do."""
        live = self.heartbeat.beat()
        if not live and self.fenced:
            self.heartbeat.rejoin()
            self.fenced.clear()
            self.scheduler.node = self.keeper.node = self.node
            self.worker.fenced(self.node)
        return live

    def keep(self, *, sweep: bool = True) -> Kept:
        """One turn of its keeper."""
        return self.world.do(self.keeper.turn(sweep=sweep))

    def leave(self) -> None:
        """Stop in order."""
        self.heartbeat.stop()
        self.close()

    def close(self) -> None:
        """Be gone, without a word: as if the process had been killed."""
        self.world.do(self.stop_loops())
        self.heartbeat.stop(leave=False)
        self.db.close()

    async def stop_loops(self) -> None:
        self.loops.close()


class World:
    """One database; `app` is an application with the job `noop`. Machines and further applications are made on demand."""

    def __init__(self, url: str, start: datetime = START) -> None:
        self.url = url
        self.clock = HandClock(start)
        self.loop = asyncio.new_event_loop()
        self.apps: list[Rota] = []
        self.machines: list[Machine] = []
        self.app = self.other()
        self.job(noop)

    def close(self) -> None:
        for machine in self.machines:
            machine.close()
        for app in self.apps:
            app.close()
        self.loop.run_until_complete(self.loop.shutdown_asyncgens())
        self.loop.close()

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        """Carry out a coroutine on the world's one loop."""
        return self.loop.run_until_complete(work)

    @property
    def db(self) -> Database:
        return self.app.core.database

    @property
    def now(self) -> datetime:
        return self.clock.now()

    def other(self, **options: Any) -> Rota:
        """Another application on this database, as another process would make it."""
        app = Rota(self.url, **options)
        app.core.store.unopened.clock = self.clock
        self.apps.append(app)
        return app

    def job(self, handler: Callable[..., Any], **options: Any) -> None:
        """Register a job of `app`, and let the database know it."""
        self.app.job(handler, **options)
        self.app.prepare()

    def machine(self, name: str = "m1", *, app: Rota | None = None, settings: Settings = SETTINGS) -> Machine:
        """A process that has just started, with the jobs of `app`."""
        made = Machine(self, app or self.app, name, settings)
        self.machines.append(made)
        return made

    def add(self, name: str = "a", when: str = "every minute", job: str = "noop", **fields: Any) -> int:
        return self.app.schedules.add(name, job=job, when=when, **fields).id

    # Time

    def at(self, text: str) -> datetime:
        """Set the clock: `12:05` or `12:05:30` of the present day, or a whole RFC 3339 instant."""
        whole = text if "T" in text else f"{self.now:%Y-%m-%d}T{text}+00:00"
        return self.clock.set(datetime.fromisoformat(whole))

    def next_at(self) -> datetime | None:
        """When a scheduler must next look."""
        return self.db.read(_next)

    def go(self, until: datetime | str, *machines: Machine) -> None:
        """Jump from one due instant to the next up to `until`; at each, all schedulers turn, then all workers work."""
        end = datetime.fromisoformat(until) if isinstance(until, str) else until
        for _ in range(_ENDLESS):
            following = self.next_at()
            if following is None or following > end:
                self.clock.set(end)
                return
            self.clock.set(max(following, self.now))
            self.settle_down(*machines)
        raise AssertionError("there is no end to it")

    def settle_down(self, *machines: Machine) -> None:
        """Turn and work at the present instant until nothing is left to do."""
        for _ in range(_ENDLESS):
            turned = [machine.turn().any for machine in machines]
            worked = [machine.work() for machine in machines]
            if not any(turned) and not any(worked):
                return
        raise AssertionError("there is no end to it")

    def pass_lease(self, *alive: Machine) -> list[str]:
        """Let a lease and one renewal pass, in which only these machines live: they beat and watch; whom they fenced."""
        fenced: list[str] = []
        for _ in range(5):
            for machine in alive:
                machine.beat()
                fenced += machine.keep(sweep=False).fenced
            self.clock.set(self.now + alive[0].settings.renewal)
        return fenced

    # What there is

    def rows(self, sql: str, *params: Any) -> list[dict[str, Any]]:
        return self.db.read(seed.rows, sql, params)

    def cursor(self, name: str = "a") -> Cursor:
        schedule = self.app.schedules.get(name).id
        found = self.db.call(firings.lock, schedule)
        assert found is not None
        return found

    def runs(self, name: str = "a") -> list[tuple[str, str]]:
        """(occurrence or cause, state) of the schedule's runs, oldest first."""
        found = list(self.app.runs.list(schedule=name))
        return [(shown(r.scheduled_for) if r.scheduled_for else r.cause, r.state) for r in reversed(found)]

    def fired(self, name: str = "a") -> list[str]:
        """The occurrences that have runs, oldest first."""
        return [at for at, _ in self.runs(name)]

    def decisions(self, name: str = "a") -> list[tuple[str, str | None]]:
        """(what, reason), oldest first."""
        return [(d.what, d.reason) for d in reversed(self.app.schedules.decisions(name))]

    def why(self, at: str | datetime, name: str = "a") -> Explanation:
        instant = at if isinstance(at, datetime) else datetime.fromisoformat(at)
        return self.app.schedules.why(name, instant)[0]

    def events(self, *types: str) -> list[str]:
        return [event.type for event in self.app.events.list() if not types or event.type in types]


def shown(at: datetime) -> str:
    """`03-01 12:05`, with seconds where there are some."""
    return f"{at:%m-%d %H:%M:%S}" if at.second else f"{at:%m-%d %H:%M}"


def _next(conn: Connection) -> datetime | None:
    times = [t for t in (firings.next_due(conn), admission.next_admission(conn)) if t is not None]
    return min(times, default=None)


__all__ = ["SETTINGS", "START", "Machine", "World", "noop", "shown"]
