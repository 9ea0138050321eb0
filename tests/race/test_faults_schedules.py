"""Faults that were found by looking for broken laws, each in its smallest form."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from rota.model.overlap import SKIP, WAIT, KeyState, NewRun, RunSet, judge
from rota.model.run import Failed, Succeeded
from rota.model.schedule import Key
from rota.store import backfill, edits, manual
from rota.store.database import Database
from tests.support import laws, seed
from tests.support.hands import START, HandClock
from tests.support.steps import ME, Steps

FAILED = Failed("E", "no", ("E",))
KEY = Key("default", "default", "default", "a")


class World(Steps):
    def __init__(self, url: str) -> None:
        clock = HandClock()
        super().__init__(Database(url, clock=clock, synchronous="OFF"), clock)
        self.join("n1")

    def add(self, name: str, when: str = "* * * * *", **given: Any) -> int:
        return self.db.call(seed.schedules, self.clock.now(), [name], when, **given)[name]

    def facts(self) -> laws.Facts:
        return self.db.read(laws.Facts.read)


@pytest.fixture
def world(store_url: str) -> Iterator[World]:
    made = World(store_url)
    with closing(made.db):
        yield made


def test_a_handler_s_own_next_time_fires(world: World) -> None:
    """`ctx.wake_at`: a run comes at that time, which is no occurrence of the rule."""
    world.add("a", "0 0 1 1 *")
    world.add("b", "0 0 1 1 *")
    world.clock.set(datetime(2027, 1, 1, tzinfo=UTC))
    world.turn()
    wake = world.clock.now() + timedelta(hours=5)
    world.work("n1", lambda run: Succeeded(wake_at=wake))
    world.clock.set(wake)
    world.turn()
    assert [run.scheduled_for for run in world.work("n1")] == [wake, wake]
    world.turn()
    assert world.claim("n1") == []


def test_a_probe_waits_for_a_key_that_others_hold(world: World) -> None:
    """It is not skipped: a schedule whose probe was skipped would never be probed again."""
    world.add("bad", "0 * * * *", disable_after=1, probe_after="5m", single_flight="k")
    world.add("other", "3 13 * * *", single_flight="k")
    world.clock.on(hours=1)
    world.turn()
    world.work("n1", lambda run: FAILED)
    world.clock.on(minutes=3)
    world.turn()
    (held,) = world.claim("n1")
    world.clock.on(minutes=3)
    world.turn()
    world.settle([world.decide(held, Succeeded())], "n1")
    world.clock.on(minutes=1)
    world.turn()
    assert [run.cause for run in world.work("n1")] == ["probe"]
    assert {cursor["state"] for cursor in world.facts().cursors.values()} == {"active"}


@pytest.mark.parametrize("holder", [False, True])
def test_a_backfilled_occurrence_is_not_replaced_by_itself(world: World, holder: bool) -> None:
    """Its run exists when it is fired: a duplicate changes nothing, nor does it displace that very run."""
    world.add("a", overlap="replace")
    if holder:
        world.clock.on(minutes=1)
        world.turn()
        world.claim("n1")
    world.clock.on(minutes=1)
    asked = backfill.Backfilling(world.clock.now(), world.clock.now(), timedelta(days=1))
    made = world.db.call(backfill.backfill, KEY, asked, ME)
    world.turn()
    states = {run["id"]: run["state"] for run in world.facts().runs}
    assert [states[run] for run in made.runs] == ["queued"]
    laws.check(world.db)


def test_both_of_an_overlap_fire(world: World) -> None:
    """`dst_overlap: both`: the same wall time twice is what was asked for, not older zone data."""
    world.clock.set(datetime(2026, 10, 24, 22, 0, tzinfo=UTC))
    when = {"when": "30 2 * * *", "timezone": "Europe/Stockholm", "dst_overlap": "both", "overlap": "allow"}
    world.db.call(edits.add, KEY, when | {"job": "noop"}, ME)
    for hour in (0, 1):
        world.clock.set(datetime(2026, 10, 25, hour, 30, tzinfo=UTC))
        world.turn()
    assert len(world.facts().runs) == 2


@pytest.mark.parametrize("dedupe_key", ["x", None])
def test_a_request_made_twice_does_not_replace_its_own_run(world: World, dedupe_key: str | None) -> None:
    """rota's own repeat after a lost answer finds the first run, and must leave it be."""
    world.add("a", overlap="replace")
    request = manual.Request(dedupe_key=dedupe_key)
    first = world.db.call(manual.request_run, KEY, request, ME)
    assert world.db.call(manual.request_run, KEY, request, ME) == first
    world.admit()
    assert [run.id for run in world.claim("n1")] == [first]
    other = world.db.call(manual.request_run, KEY, manual.Request(), ME)
    assert world.facts().cancels[0]["run_id"] == first != other


def test_the_others_of_a_set_are_judged_without_the_duplicate(world: World) -> None:
    world.add("a", overlap="replace", catchup="all")
    world.clock.on(minutes=3)
    asked = backfill.Backfilling(START + timedelta(minutes=2), START + timedelta(minutes=2), timedelta(days=1))
    (made,) = world.db.call(backfill.backfill, KEY, asked, ME).runs
    (run,) = world.work("n1")
    assert run.id == made
    assert world.turn().fired == 2
    facts = laws.check(world.db)
    assert [d["reason"] for d in facts.decisions] == ["duplicate"]
    assert len(world.work("n1")) == 1


def test_the_first_of_those_that_wait_counts_as_the_holder() -> None:
    """Under `queue_all` as under `queue_one`: it does not use up a place of the queue."""
    run = NewRun(1, "k", "schedule", "default", 0)
    queue = RunSet((run,), "k", "queue_all", queue_max=2)
    assert judge(queue, KeyState(None, 2)).places == (WAIT,)
    assert judge(queue, KeyState(None, 3)).places == (SKIP,)
    assert judge(queue, KeyState(7, 2)).places == (SKIP,)
