"""Reports about changing schedules, from bugs.jsonl: edits, pauses, zones, removal. The number of each is in the name."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from rota.app.rota import Rota
from rota.store import dialect
from tests.interface.cli import rota as cli
from tests.support.world import World, noop

DAY = timedelta(days=1)


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
