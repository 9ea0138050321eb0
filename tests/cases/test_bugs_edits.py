"""Reports about changing schedules, from bugs.jsonl: edits, pauses, zones, removal. The number of each is in the name."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Self

import pytest

from rota.app.rota import Rota
from rota.calendar.text import parse
from rota.engine.context import Context
from rota.errors import NaiveDatetime
from rota.store import dialect
from rota.store.database import Database
from rota.sync import apply
from rota.sync.file import load
from tests.interface.cli import rota as cli
from tests.support import laws
from tests.support.steps import Steps
from tests.support.world import START, World, noop

DAY = timedelta(days=1)
NAIVE = datetime(2026, 3, 2, 12, 0)  # noqa: DTZ001 - the subject


@pytest.fixture
def world(store_url: str) -> Iterator[World]:
    made = World(store_url)
    yield made
    made.close()


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def declared(world: World, when: str) -> Rota:
    """A process that has just started: its code declares the schedule `hourly`."""
    app = world.other(origin="code:app:rota")
    app.job(noop, name="hourly", when=when)
    app.prepare()
    return app


def test_bug_091_declaring_again_keeps_the_next_time(world: World) -> None:
    """An hourly interval, declared at each start, a restart every 50 minutes for ten hours."""
    for restart in range(12):
        app = declared(world, "every 1 hour")
        machine = world.machine(f"m{restart}", app=app)
        world.go(world.now + timedelta(minutes=50), machine)
    assert len(world.fired("hourly")) == 10
    assert world.app.schedules.get("hourly").revision == 1


def test_bug_091_a_changed_declaration_counts_from_now(world: World) -> None:
    declared(world, "every 1 hour")
    world.clock.on(minutes=50)
    machine = world.machine(app=declared(world, "30 * * * *"))
    assert machine.turn().fired == 0
    found = world.app.schedules.get("hourly")
    assert (found.revision, found.next_at) == (2, utc("2026-03-01T13:30"))


def test_bug_097_a_pause_keeps_what_was(world: World) -> None:
    world.add("a", disable_after=3)
    machine = world.machine()
    world.go(world.at("12:01"), machine)
    before = world.app.schedules.get("a")
    assert before.last_run is not None
    for act in ("pause", "resume", "disable", "enable"):
        getattr(world.app.schedules, act)("a")
        found = world.app.schedules.get("a")
        assert (found.last_run, found.last_success_at) == (before.last_run, before.last_success_at)
        assert world.runs() == [("03-01 12:01", "succeeded")]


def test_bug_099_a_new_expression_does_not_look_back(world: World) -> None:
    world.at("2026-03-02T09:30:00+00:00")
    world.add("a", "0 * * * *")
    machine = world.machine()
    world.go("2026-03-02T10:40:00+00:00", machine)
    assert world.fired() == ["03-02 10:00"]
    edited = world.app.schedules.update("a", when="30 10 * * *")
    assert (machine.turn().fired, edited.next_at) == (0, utc("2026-03-03T10:30"))
    world.go("2026-03-03T10:30:00+00:00", machine)
    assert world.fired() == ["03-02 10:00", "03-03 10:30"]


def test_bug_100_the_old_time_does_not_fire(world: World) -> None:
    world.add("a", "every day at 23:00")
    machine = world.machine()
    edited = world.app.schedules.update("a", when="every day at 05:00")
    assert edited.next_at == utc("2026-03-02T05:00")
    world.go("2026-03-02T04:59:59+00:00", machine)
    assert world.fired() == []
    world.go("2026-03-02T05:00:00+00:00", machine)
    assert world.fired() == ["03-02 05:00"]


def test_bug_100_what_is_due_and_undecided_is_dropped_with_the_edit(world: World) -> None:
    world.add("a", "every day at 12:05")
    world.at("12:06")
    world.app.schedules.update("a", when="every day at 05:00")
    assert (world.machine().turn().fired, world.decisions()) == (0, [("skipped", "edited")])


def by_handle(world: World, _folder: Path) -> None:
    world.other().schedules.pause("a")


def by_command(world: World, folder: Path) -> None:
    assert cli("schedule", "pause", "a", cwd=folder, env={"ROTA_DATABASE": world.url}).code == 0


def by_coroutine(world: World, _folder: Path) -> None:
    asyncio.run(world.other().aio.schedules.pause("a"))


def by_hand_in_the_table(world: World, _folder: Path) -> None:
    world.db.call(dialect.execute, "UPDATE {cursors} SET state = 'paused'")


@pytest.mark.parametrize("pause", [by_handle, by_command, by_coroutine, by_hand_in_the_table])
def test_bug_102_a_pause_is_honoured_however_it_is_made(
    world: World, tmp_path: Path, pause: Callable[[World, Path], None]
) -> None:
    """The scheduler has fired this schedule before, so it knows its definition; the state is read under the lock."""
    world.add("a")
    machine = world.machine()
    world.go(world.at("12:01"), machine)
    pause(world, tmp_path)
    world.clock.on(minutes=30)
    world.settle_down(machine)
    assert world.fired() == ["03-01 12:01"]
    assert world.app.schedules.get("a").state == "paused"


def test_bug_103_a_new_zone_fires_nothing_at_once(world: World) -> None:
    world.add("a", "monthly on day 1 at 05:00", timezone="UTC")
    machine = world.machine()
    world.go("2026-04-17T10:00:00+00:00", machine)
    assert world.fired() == ["04-01 05:00"]
    edited = world.app.schedules.update("a", timezone="Europe/Berlin")
    assert (machine.turn().fired, edited.next_at, edited.zone) == (0, utc("2026-05-01T03:00"), "Europe/Berlin")
    world.go("2026-05-02T00:00:00+00:00", machine)
    assert world.fired() == ["04-01 05:00", "05-01 03:00"]


FILE = """\
jobs:
  report: {command: ["true"]}
crons:
  report: {when: "every minute", overlap: queue_all}
"""


def test_bug_105_the_same_definition_again_drops_nothing(world: World, tmp_path: Path) -> None:
    """Three late runs are queued; the file, the code and the handle say again what they said before."""
    (tmp_path / "rota.yaml").write_text(FILE)
    file = load(tmp_path / "rota.yaml")
    world.db.call(apply.apply, file)
    app = declared(world, "every minute")
    world.add("a", overlap="queue_all")
    scheduler = world.machine()
    for minute in (1, 2, 3):
        world.at(f"12:0{minute}")
        scheduler.turn()
    world.at("13:00:30")
    before = {name: (world.runs(name), world.app.schedules.get(name)) for name in ("report", "a", "hourly")}
    assert len(before["report"][0]) == len(before["a"][0]) == 3
    assert not world.db.call(apply.apply, file).changed
    app.prepare()
    world.app.schedules.put("a", job="noop", when="every minute", overlap="queue_all")
    assert {name: (world.runs(name), world.app.schedules.get(name)) for name in before} == before


def test_bug_106_removal_leaves_no_orphan(world: World) -> None:
    """Five runs are queued, one runs."""
    gate = threading.Event()

    def slow(ctx: Context) -> str:
        gate.wait(30)
        return "done"

    world.job(slow)
    world.add("a", job="slow", overlap="queue_all")
    machine = world.machine()
    for minute in range(1, 7):
        world.at(f"12:0{minute}")
        machine.turn()
        machine.claim()
    assert [state for _, state in world.runs()] == ["running", *["queued"] * 5]
    world.app.schedules.remove("a")
    gate.set()
    machine.finish()
    world.clock.on(hours=1)
    world.settle_down(machine)
    assert [state for _, state in world.runs()] == ["succeeded", *["cancelled"] * 5]
    assert {run.reason for run in world.app.runs.list(schedule="a", state="cancelled")} == {"removed"}
    assert len(world.app.schedules.why("a")) == 6


class Load:
    """A scheduler and a worker that turn in threads of their own, as fast as they can."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.over = threading.Event()
        self.errors: list[BaseException] = []
        self.threads = [threading.Thread(target=self.run, args=(act,)) for act in (self.plan, self.work)]

    def plan(self, steps: Steps) -> None:
        steps.fire()
        steps.admit()

    def work(self, steps: Steps) -> None:
        steps.work("worker", limit=3)

    def run(self, act: Callable[[Steps], None]) -> None:
        database = Database(self.world.url, clock=self.world.clock, synchronous="OFF")
        try:
            while not self.over.is_set():
                act(Steps(database, self.world.clock))
        except BaseException as error:  # noqa: BLE001 - told to the test
            self.errors.append(error)
        finally:
            database.close()

    def __enter__(self) -> Self:
        Steps(self.world.db, self.world.clock).join("worker")
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        for thread in self.threads:
            thread.join()
        assert self.errors == []


@pytest.mark.parametrize("times", [20, pytest.param(1000, marks=pytest.mark.full)])
def test_bug_106_removal_under_load(world: World, times: int) -> None:
    with Load(world):
        for number in range(times):
            name = f"s{number}"
            world.add(name, "* * * * * *", overlap="allow", catchup="all", catchup_max=20)
            world.clock.on(seconds=10)
            while not world.rows("SELECT 1 AS one FROM {runs} r JOIN {schedules} s ON s.id = r.schedule_id"
                                 " WHERE s.name = %s LIMIT 1", name):  # fmt: skip
                assert not threading.Event().wait(0.001)
            world.app.schedules.remove(name)
            assert "queued" not in {state for _, state in world.runs(name)}
            world.clock.on(seconds=1)
    steps = Steps(world.db, world.clock)
    steps.to_the_end("worker")
    assert not world.rows("SELECT 1 AS one FROM {runs} WHERE state IN ('queued', 'running')")
    laws.check(world.db, over=True)


def handed_naive(world: World) -> dict[str, Callable[[], object]]:
    """Every entry point that takes an instant, given one without a zone."""
    app, rule = world.app, parse("every minute")
    schedules = app.schedules
    return {
        "when": lambda: schedules.add("b", job="noop", when=NAIVE),
        "put": lambda: schedules.put("b", job="noop", when=NAIVE),
        "valid_from": lambda: schedules.add("b", job="noop", when="every minute", valid_from=NAIVE),
        "valid_until": lambda: schedules.update("a", valid_until=NAIVE),
        "anchor": lambda: schedules.update("a", when="every 2 hours", anchor=NAIVE),
        "text": lambda: schedules.update("a", valid_until="2026-03-02T12:00:00"),
        "until": lambda: schedules.pause("a", until=NAIVE),
        "skip": lambda: schedules.skip("a", NAIVE),
        "unskip": lambda: schedules.unskip("a", NAIVE),
        "why": lambda: schedules.why("a", NAIVE),
        "backfill": lambda: schedules.backfill("a", NAIVE, START),
        "record_run": lambda: schedules.record_run("a", NAIVE, "succeeded", START, START),
        "not_before": lambda: app.enqueue("noop", not_before=NAIVE),
        "declared": lambda: app.job(noop, name="late", when="every minute", valid_from=NAIVE),
        "next_after": lambda: rule.next_after(NAIVE),
        "last_until": lambda: rule.last_until(NAIVE),
        "between": lambda: rule.between(NAIVE, START),
        "upcoming": lambda: rule.upcoming(NAIVE, 1),
        "now": lambda: parse("every minute", now=NAIVE),
        "parse_anchor": lambda: parse("every 2 hours", anchor=NAIVE),
    }


def test_bug_139_naive_instants_are_refused_everywhere(world: World) -> None:
    world.add("a")
    for name, call in handed_naive(world).items():
        with pytest.raises(NaiveDatetime, match=r"time zone|aware|naive"):
            print(name, call())
    machine = world.machine()
    world.go(world.at("12:01"), machine)
    assert world.runs() == [("03-01 12:01", "succeeded")]
    assert [s.name for s in world.app.schedules.list()] == ["a"]


def test_bug_139_a_handler_may_not_hand_one_in(world: World) -> None:
    def asks(ctx: Context) -> None:
        ctx.wake_at(NAIVE)

    world.job(asks)
    world.add("a", job="asks")
    world.go(world.at("12:01"), world.machine())
    (run,) = world.app.runs.list(schedule="a")
    assert (run.state, run.error and run.error.type) == ("failed", "rota.errors.NaiveDatetime")
    assert world.app.schedules.get("a").next_at == utc("2026-03-01T12:02")
