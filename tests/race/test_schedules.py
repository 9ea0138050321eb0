"""Two sides at one schedule, real connections stepped by hand: whoever comes second sees what the first has done."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from rota import errors
from rota.model.by import By
from rota.model.schedule import Key
from rota.store import backfill, edits, manual, schedules
from tests.support.application import START, World, moment

KEY = Key("default", "default", "default", "a")


@pytest.fixture
def world(pg_url: str) -> Iterator[World]:
    made = World(pg_url)
    yield made
    made.close()


def started(act: Callable[[], Any]) -> tuple[threading.Thread, list[Any]]:
    """`act` in a thread, begun; what it answers or raises goes into the list."""
    found: list[Any] = []

    def run() -> None:
        try:
            found.append(act())
        except errors.Error as error:
            found.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, found


def blocked(world: World) -> None:
    """Wait until somebody waits for a lock."""
    sql = "SELECT count(*) AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    while world.rows(sql)[0]["n"] == 0:
        pass


@pytest.mark.parametrize("act", ["backfill", "run"])
def test_r05_backfill_versus_remove(world: World, act: str) -> None:
    world.add("a")
    request: dict[str, Callable[[Any], object]] = {
        "backfill": lambda conn: backfill.backfill(conn, KEY, asked, By()),
        "run": lambda conn: manual.request_run(conn, KEY, manual.Request(), By()),
    }
    asked = backfill.Backfilling(moment("11:50"), moment("12:00"), world.app.settings.retention)

    def overtaken() -> None:
        with world.db.transaction() as conn:
            assert schedules.locate(conn, KEY)
            world.app.schedules.remove("a")
            request[act](conn)

    with pytest.raises(errors.ScheduleNotFound):
        overtaken()
    assert world.rows("SELECT count(*) AS n FROM {runs}")[0]["n"] == 0


def test_two_adds_make_one(world: World) -> None:
    with world.db.transaction() as conn:
        edits.add(conn, KEY, {"job": "noop", "when": "every minute"}, By("one"))
        thread, found = started(lambda: world.app.schedules.add("a", job="noop", when="every hour"))
        blocked(world)
    thread.join()
    assert isinstance(found[0], errors.ScheduleExists)
    assert world.app.schedules.get("a").when == "every minute"


def test_an_act_waits_for_a_fire_and_asks_the_clock_then(world: World) -> None:
    """Bug 100: no fire with a nominal time later than the pause."""
    world.add("a")
    world.at("12:01")
    with world.db.transaction() as conn:
        world.scheduler.fire(conn)
        thread, found = started(lambda: world.app.schedules.disable("a"))
        blocked(world)
        world.at("12:02:10")
    thread.join()
    assert found[0].watermark == moment("12:02:10")
    assert world.runs() == [("12:01", "cancelled")]
    assert world.decisions() == [("12:01", "12:02:10", "skipped", "operator")]


def test_a_fire_passes_over_a_schedule_that_is_being_edited(world: World) -> None:
    world.add("a")
    world.add("b")
    world.at("12:01")
    with world.db.transaction() as conn:
        edits.update(conn, KEY, {"when": "every hour"}, By())
        assert world.fire().fired == 1
    assert world.runs("b") == [("12:01", "queued")]
    assert world.fire("12:30").fired == 0
    assert world.runs("a") == []


def test_two_updates_of_one_revision(world: World) -> None:
    made = world.add("a")
    with world.db.transaction() as conn:
        edits.update(conn, made, {"note": "one"}, By(), revision=1)
        thread, found = started(lambda: world.app.schedules.update("a", note="two", revision=1))
        blocked(world)
    thread.join()
    assert isinstance(found[0], errors.RevisionMoved)
    assert (world.app.schedules.get("a").note, world.clock.at) == ("one", START)
