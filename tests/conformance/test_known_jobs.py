"""Law 11's flag: a job is known while a live worker knows it, and known again as soon as one does."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime

import pytest

from rota.app.rota import Rota
from rota.engine.registry import Registry, python_job
from rota.engine.service import Service
from rota.model.settings import Settings
from rota.store import dialect, jobs
from rota.store.database import Connection, Database
from rota.store.jobs import SAY_EVERY
from tests.support import seed
from tests.support.hands import START
from tests.support.world import Machine, World, noop


@pytest.fixture
def world(store_url: str) -> Iterator[World]:
    made = World(store_url)
    made.add("a")
    yield made
    made.close()


def live_on(world: World, minutes: int, *workers: tuple[Machine, Rota]) -> None:
    """These workers renew, and say which jobs they know, as their services do."""
    for _ in range(minutes):
        for machine, app in workers:
            machine.beat()
            world.db.call(jobs.say, app.registry.names, world.now)
        world.clock.set(world.now + SAY_EVERY)
    for machine, _ in workers:
        machine.beat()


def without_noop(world: World) -> Rota:
    """A process of the next release, which does not have the job any more."""
    app = world.other(origin="code:app:rota")
    app.job(noop, name="another")
    app.prepare()
    return app


def known(world: World) -> bool:
    return world.app.schedules.get("a").job_known


def test_without_a_worker_nobody_can_tell(world: World) -> None:
    world.clock.on(days=30)
    assert known(world)


def test_a_job_stays_known_while_a_worker_that_knows_it_lives(world: World) -> None:
    live_on(world, 120, (world.machine(), world.app))
    assert known(world)
    world.clock.on(hours=5)  # nobody is there, and no keeper either
    assert known(world)


def test_a_job_that_no_live_worker_knows_is_flagged_and_heals(world: World) -> None:
    """Its row stays in the registry; another worker is alive all the while."""
    old, other, apart = world.machine("old"), world.machine("other"), without_noop(world)
    live_on(world, 10, (old, world.app), (other, apart))
    assert known(world)
    old.leave()
    world.machines.remove(old)
    live_on(world, 2, (other, apart))
    assert known(world), "a restart is no end"
    live_on(world, 3, (other, apart))
    assert not known(world)
    assert [one.job_known for one in world.app.schedules.list()] == [False]
    assert [job.name for job in world.app.jobs.list()] == ["another", "noop"]
    back = world.machine("back")
    world.app.prepare()
    assert known(world)
    live_on(world, 60, (other, apart), (back, world.app))
    assert known(world)


def test_a_job_is_written_once_however_many_know_it(world: World) -> None:
    assert world.db.call(jobs.say, ["noop", "nobody"], world.now) == 0
    later = world.now + SAY_EVERY
    assert [world.db.call(jobs.say, ["noop", "nobody"], later) for _ in range(3)] == [1, 0, 0]
    assert world.db.call(jobs.say, (), later) == 0


def set_back(conn: Connection) -> None:
    dialect.execute(conn, "UPDATE {jobs} SET seen_at = %s", [dialect.at(conn, START)])


def seen(conn: Connection) -> datetime:
    found: datetime = dialect.read_at(seed.rows(conn, "SELECT seen_at FROM {jobs}")[0]["seen_at"])
    return found


def test_a_worker_says_its_jobs_when_it_starts(store_url: str) -> None:
    registry = Registry()
    registry.add(python_job(noop))

    async def main(database: Database) -> None:
        database.call(jobs.register, [jobs.JobRow("noop", "python")])
        database.call(set_back)
        service = Service(database, registry, Settings(), roles=frozenset({"worker"}))
        running = asyncio.create_task(service.run())
        async with asyncio.timeout(20):
            await service.started.wait()
            while database.read(seen) == START:  # noqa: ASYNC110 - another task writes it
                await asyncio.sleep(0.02)  # noqa: TID251 - lets it
        service.stop()
        await running

    with closing(Database(store_url)) as database:
        asyncio.run(main(database))
