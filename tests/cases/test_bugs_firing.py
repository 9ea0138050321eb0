"""Reports about firing, from bugs.jsonl: doubled, lost, late and piled-up fires. The number of each is in the name."""

from __future__ import annotations

import asyncio
import gc
import threading
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any, Self

import pytest

from rota.engine.scheduler import Scheduler
from rota.model.settings import Settings
from rota.store import firings
from rota.store.database import Connection, Database
from tests.support.effort import lines
from tests.support.faults import losing
from tests.support.hands import HandClock
from tests.support.postgres import Server, until
from tests.support.world import START, World

ZONE = "Europe/Stockholm"


@pytest.fixture
def world(store_url: str) -> Iterator[World]:
    made = World(store_url)
    yield made
    made.close()


class Paused:
    """A scheduler in a thread of its own that stops between reading what is due and writing what it decided."""

    def __init__(self, world: World, name: str) -> None:
        self.machine = world.machine(name)
        self.read, self.go_on = threading.Event(), threading.Event()
        self.fired = -1
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        self.fired = self.machine.db.call(self._fire)

    def _fire(self, conn: Connection) -> int:
        original = self.machine.scheduler._judge

        def judge(*args: Any) -> list[firings.Judged]:
            self.read.set()
            self.go_on.wait(30)
            return original(*args)

        self.machine.scheduler._judge = judge  # type: ignore[method-assign,assignment]
        return self.machine.scheduler.fire(conn).fired

    def __enter__(self) -> Self:
        self._thread.start()
        assert self.read.wait(30)
        return self

    def __exit__(self, *_: object) -> None:
        self.go_on.set()
        self._thread.join()


def test_bug_080_a_paused_node_and_another_fire_once(world: World) -> None:
    world.add("a")
    other = world.machine("b")
    world.at("12:01")
    with Paused(world, "a") as paused, ThreadPoolExecutor(1) as pool:
        second = pool.submit(other.fire)
        paused.go_on.set()
    assert paused.fired + second.result().fired == 1
    other.work()
    assert (other.fire().fired, world.runs()) == (0, [("03-01 12:01", "succeeded")])


def test_bug_080_a_second_fire_passes_over_what_another_holds(pg_url: str) -> None:
    world = World(pg_url)
    world.add("a")
    other = world.machine("b")
    world.at("12:01")
    with Paused(world, "a") as paused:
        assert other.turn().any is False
    assert (paused.fired, world.fired()) == (1, ["03-01 12:01"])
    world.close()


def test_bug_080_either_guard_holds_alone(world: World) -> None:
    """The watermark set back by hand: the unique key still stops a second run, and the schedule goes on."""
    schedule = world.add("a")
    machine = world.machine()
    world.go(world.at("12:01"), machine)
    row = world.cursor()
    world.db.call(firings.write_cursor, row._replace(watermark=START, next_at=world.now, due_at=world.now))
    assert machine.turn().fired == 0
    world.go(START + timedelta(minutes=2), machine)
    assert (schedule, world.runs()) == (schedule, [("03-01 12:01", "succeeded"), ("03-01 12:02", "succeeded")])


@pytest.mark.parametrize("delay", [0.0, 0.999, 1.5, 59.0])
def test_bug_082_the_key_is_the_nominal_time(world: World, delay: float) -> None:
    world.add("a")
    first, second = world.machine("first"), world.machine("second")
    world.at("12:01")
    world.clock.on(seconds=0.001)
    assert first.turn().fired == 1
    world.clock.on(seconds=delay)
    assert second.turn().fired == 0
    (run,) = world.app.runs.list(schedule="a")
    assert run.invocation == "default/default/default/a@2026-03-01T12:01:00Z"


def test_bug_084_losing_the_race_is_silent(pg_url: str, pg_server: Server, caplog: pytest.LogCaptureFixture) -> None:
    """Six nodes, an every-minute job, ten minutes: no error on the server, nothing above debug here."""
    world = World(pg_url)
    world.add("a", overlap="allow")
    clocks = [HandClock() for _ in range(6)]
    databases = [Database(pg_url, clock=clock, node=f"n{n}") for n, clock in enumerate(clocks)]
    nodes = [Scheduler(database, Settings(), node=database.node) for database in databases]
    name = pg_url.rsplit("/", 1)[1]
    together = threading.Barrier(6)
    fired = 0

    def turn(scheduler: Scheduler) -> int:
        together.wait(30)
        return asyncio.run(scheduler.turn()).fired

    with caplog.at_level("DEBUG"), ThreadPoolExecutor(6) as pool:
        for minute in range(1, 11):
            for clock in clocks:
                clock.set(START + timedelta(minutes=minute))
            fired += sum(pool.map(turn, nodes))
    assert fired == len(world.fired()) == 10
    assert [r for r in caplog.records if r.name.startswith("rota") and r.levelname != "DEBUG"] == []
    assert [line for line in pg_server.log().splitlines() if f" {name}: " in line] == []
    for database in databases:
        database.close()
    world.close()


def test_bug_086_local_time_is_not_also_read_as_utc(store_url: str) -> None:
    world = World(store_url, datetime(2026, 7, 1, 0, 0, tzinfo=UTC))
    world.add("a", "every day at 12:01", timezone=ZONE)
    world.go("2026-07-02T00:00:00+00:00", world.machine())
    assert world.runs() == [("07-01 10:01", "succeeded")]
    world.close()


def test_bug_087_missed_during_a_deploy(store_url: str) -> None:
    world = World(store_url, datetime(2026, 3, 1, 11, 0, tzinfo=UTC))
    world.add("a", "every day at 12:00")
    before = world.machine("before")
    world.go("2026-03-01T11:59:45+00:00", before)
    before.beat()
    world.at("11:59:50")
    before.leave()
    world.machines.remove(before)
    world.at("12:02:00")
    after = world.machine("after")
    world.settle_down(after)
    assert world.runs() == [("03-01 12:00", "succeeded")]
    told = world.why("2026-03-01T12:00:00+00:00")
    assert told.lateness_s == 120
    assert "120 s late: no scheduler was alive from 11:59:50 to 12:02:00" in told.sentence
    assert world.app.schedules.get("a").next_at == datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
    world.close()


def test_bug_094_two_weeks_off_give_one_run(world: World) -> None:
    world.add("a", "*/5 * * * * *")
    machine = world.machine()
    world.go(START + timedelta(minutes=1), machine)
    runs = len(world.fired())
    world.clock.on(days=14, seconds=2)
    gc.collect()
    tracemalloc.start()
    machine.turn()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000_000
    (late, *_) = world.app.runs.list(schedule="a")
    assert (len(world.fired()) - runs, late.cause) == (1, "catchup")
    assert late.covers is not None
    assert late.covers.count == 241_920
    following = world.app.schedules.get("a").next_at
    assert following is not None
    assert following - world.now <= timedelta(seconds=5)
    assert world.decisions() == [("coalesced", None)]


def test_bug_094_catching_up_with_all_is_bounded(world: World) -> None:
    world.add("all", "*/5 * * * * *", catchup="all")
    world.add("window", "*/5 * * * * *", catchup="all", catchup_window="1m")
    world.clock.on(days=14)
    machine = world.machine()
    world.settle_down(machine)
    assert (len(world.fired("all")), len(world.fired("window"))) == (100, 13)
    assert world.decisions("all") == [("skipped", "over_max")]
    assert world.decisions("window") == [("skipped", "too_old")]


def test_bug_095_a_long_pause_kills_nothing(world: World) -> None:
    world.add("a", on_resume="catchup")
    machine = world.machine()
    world.app.schedules.pause("a")
    world.clock.on(minutes=101, seconds=30)
    machine.turn()
    world.app.schedules.resume("a")
    world.settle_down(machine)
    world.go(world.now + timedelta(minutes=3), machine)
    assert world.fired() == ["03-01 13:41", "03-01 13:42", "03-01 13:43", "03-01 13:44"]


def test_bug_095_ten_million_missed_ticks_are_planned_in_a_second(world: World) -> None:
    world.add("a", "* * * * * *")
    machine = world.machine()
    world.clock.on(seconds=10_000_000)
    assert lines(machine.fire) < 200_000
    assert len(world.fired()) == 1
    assert world.app.schedules.get("a").watermark == world.now


def test_bug_109_after_a_suspend_the_missed_one_fires_once(world: World) -> None:
    world.at("19:00")
    world.add("a", "every day at 20:30")
    machine = world.machine()
    machine.turn()
    world.at("2026-03-02T08:00:00+00:00")
    world.settle_down(machine)
    assert world.runs() == [("03-01 20:30", "succeeded")]
    assert world.app.schedules.get("a").next_at == datetime(2026, 3, 2, 20, 30, tzinfo=UTC)
    assert world.why("2026-03-01T20:30:00+00:00").lateness_s == 11.5 * 3600


def test_bug_109_a_sleeping_loop_sees_the_clock_jump(world: World) -> None:
    """The loop itself, asleep until tomorrow's occurrence: it looks at the wall clock once per poll interval."""
    world.at("19:00")
    world.add("a", "every day at 20:30")
    scheduler = Scheduler(world.db, Settings(poll=timedelta(seconds=0.05)), node="s")

    async def main() -> bool:
        running = asyncio.ensure_future(scheduler.run())
        while scheduler.turned_at is None:
            await scheduler.wake.ear().sleep(0.01)
        world.at("2026-03-02T08:00:00+00:00")
        seen = await asyncio.to_thread(until, lambda: bool(world.fired()), 5)
        scheduler.stop()
        await running
        return seen

    assert asyncio.run(main())
    assert world.fired() == ["03-01 20:30"]


def test_bug_110_a_year_is_slept_in_pieces(store_url: str) -> None:
    """From 2 January to the next 1 January: no sleep is longer than the poll interval, and nothing fires before."""
    world = World(store_url, datetime(2026, 1, 2, 0, 0, tzinfo=UTC))
    world.add("a", "0 0 1 1 *")
    settings = Settings()
    scheduler = Scheduler(world.db, settings, node="s")
    slept: list[float] = []

    async def sleep(seconds: float) -> bool:
        slept.append(seconds)
        world.clock.set(min(world.now + timedelta(days=24.9), datetime(2026, 12, 31, 23, 59, 50, tzinfo=UTC)))
        if len(slept) == 16:
            scheduler.stop()
        return False

    scheduler._ear.sleep = sleep  # type: ignore[method-assign]
    asyncio.run(scheduler.run())
    assert world.fired() == []
    assert max(slept) <= settings.poll.total_seconds()
    world.at("2027-01-01T00:00:00+00:00")
    world.settle_down(world.machine())
    assert world.runs() == [("01-01 00:00", "succeeded")]
    world.close()


def test_bug_120_a_fault_at_any_statement_leaves_nothing_stuck(world: World) -> None:
    """The connection is lost at each statement of a fire in turn; afterwards the schedule fires as ever."""
    world.add("a", "every minute", overlap="queue_all")
    statements = 0
    for minute in range(1, 60):
        world.at(f"12:{minute:02}")
        machine = world.machine(f"m{minute}")
        with losing(machine.db, minute) as fault:
            outcome = "fired"
            try:
                machine.turn()
            except Exception as error:  # noqa: BLE001 - whatever the loop would see
                outcome = type(error).__name__
        assert outcome in (("DatabaseUnavailable", "fired") if fault.struck else ("fired",))
        world.settle_down(machine)
        assert len(world.fired()) == minute
        if not fault.struck:
            statements = minute - 1
            break
    assert statements >= 8
    assert {state for _, state in world.runs()} == {"succeeded"}


def test_bug_151_a_failed_enqueue_takes_the_advance_back(world: World) -> None:
    world.add("a")
    machine = world.machine()
    before = world.cursor()
    world.at("12:01")
    with losing(machine.db, 1, r"INSERT INTO \S*runs\b") as fault:
        with pytest.raises(Exception, match="out of reach"):
            machine.turn()
        assert fault.struck
        assert (world.cursor(), world.fired(), world.events("schedule.fired")) == (before, [], [])
        assert machine.turn().fired == 1
    assert (world.fired(), world.events("schedule.fired")) == (["03-01 12:01"], ["schedule.fired"])
