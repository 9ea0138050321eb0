"""A schedule that failures disabled and that wants probes always has one to come, whatever became of the last one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any, Final

import pytest

from rota.store import dialect, health
from tests.support import laws
from tests.support.world import World

WAIT: Final = timedelta(minutes=10)


class Sick(World):
    """The schedule `a` has just been disabled after its first failure; from now on its job does what `outcome` says."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.outcome = False

        def flaky() -> None:
            assert self.outcome

        self.job(flaky, name="flaky")
        self.one = self.machine("one")

    def fall_ill(self, **policies: Any) -> None:
        self.add("a", job="flaky", **{"disable_after": 1, "probe_after": "10m", **policies})
        self.at("12:01")
        self.settle_down(self.one)
        assert self.cursor().state == "disabled"
        self.outcome = True

    def probe(self) -> int:
        """Let the time of the probe come; its run, queued."""
        planned = self.cursor().probe_at
        assert planned is not None
        assert planned == self.cursor().due_at
        self.clock.set(planned)
        assert self.one.turn().fired == 1
        (run,) = self.left()
        return run

    def left(self) -> list[int]:
        """Probes that have not ended."""
        sql = "SELECT id FROM {runs} WHERE cause = 'probe' AND state IN ('queued', 'running')"
        return [row["id"] for row in self.rows(sql)]

    def replan(self, limit: int = 10_000) -> int:
        return self.db.call(health.replan_probes, self.now, limit)


@pytest.fixture
def world(store_url: str) -> Iterator[Sick]:
    made = Sick(store_url)
    yield made
    made.close()


# What may become of a probe, and of the wish for one


def cancelled_while_it_waits(world: Sick) -> None:
    world.app.runs.cancel(world.probe())


def cancelled_while_it_runs(world: Sick) -> None:
    run, world.outcome = world.probe(), False
    world.one.claim()
    world.app.runs.cancel(run)
    world.one.finish()
    assert world.app.runs.get(run).state == "cancelled"


def failed(world: Sick) -> None:
    world.probe()
    world.outcome = False
    world.one.work()


def failed_after_an_edit(world: Sick) -> None:
    world.probe()
    world.app.schedules.update("a", priority=3)
    world.outcome = False
    world.one.work()


def succeeded_after_an_edit(world: Sick) -> None:
    """It says nothing about what the schedule is now."""
    world.probe()
    world.app.schedules.update("a", priority=3)
    world.one.work()


def displaced(world: Sick) -> None:
    """By a request by hand, under `overlap: replace`, before a worker had it."""
    world.app.schedules.update("a", overlap="replace")
    run = world.probe()
    world.app.schedules.run("a")
    world.settle_down(world.one)
    assert world.app.runs.get(run).reason == "replaced"


def lost(world: Sick) -> None:
    world.app.schedules.update("a", on_lost="fail")
    world.probe()
    dead = world.machine("dead")
    dead.claim()
    world.pass_lease(world.one)
    world.one.keep()


def forgotten(world: Sick) -> None:
    """Its row is gone altogether."""
    run = world.probe()
    for table, column in (("ready", "run_id"), ("flights", "run_id"), ("runs", "id")):
        world.db.call(dialect.execute, f"DELETE FROM {{{table}}} WHERE {column} = %s", [run])


def wished_for_later(world: Sick) -> None:
    world.app.schedules.update("a", probe_after=None)
    assert (world.cursor().probe_at, world.cursor().due_at, world.replan()) == (None, None, 0)
    world.app.schedules.update("a", probe_after="10m")


ENDS: Final = [
    cancelled_while_it_waits,
    cancelled_while_it_runs,
    failed,
    failed_after_an_edit,
    succeeded_after_an_edit,
    displaced,
    lost,
    forgotten,
    wished_for_later,
]


@pytest.mark.parametrize("end", ENDS, ids=lambda end: end.__name__)
def test_there_is_another_probe_whatever_became_of_the_last(world: Sick, end: Callable[[Sick], None]) -> None:
    world.fall_ill()
    end(world)
    world.outcome = True
    assert (world.cursor().state, world.left()) == ("disabled", [])
    world.replan()
    planned = world.cursor().probe_at
    assert planned is not None
    assert world.now < planned <= world.now + WAIT
    assert planned == world.cursor().due_at
    assert world.replan() == 0, "one is planned"
    world.probe()
    assert world.replan() == 0, "one is under way"
    world.one.work()
    assert (world.cursor().state, world.cursor().disabled_reason) == ("active", None)
    assert world.events("schedule.recovered") == ["schedule.recovered"]
    laws.check(world.db)


def test_a_sweep_plans_what_is_missing(world: Sick) -> None:
    world.fall_ill()
    cancelled_while_it_waits(world)
    assert world.one.keep().repaired == 1
    world.probe()
    world.one.work()
    assert world.cursor().state == "active"


def test_a_repair_is_told(world: Sick) -> None:
    world.fall_ill()
    cancelled_while_it_waits(world)
    assert world.replan() == 1
    (told,) = [event for event in world.app.events.list() if event.type == "repair.probe"]
    assert (told.subject, told.data["reason"]) == (
        "default/default/default/a",
        "disabled for failures, and no probe to come",
    )


def test_failures_that_were_recorded_by_hand_are_probed_too(world: Sick) -> None:
    world.add("a", job="flaky", disable_after=1, probe_after="10m")
    world.outcome = True
    world.app.schedules.record_run("a", world.now, "failed", world.now, world.now)
    assert world.cursor().state == "disabled"
    world.replan()
    world.probe()
    world.one.work()
    assert world.cursor().state == "active"


def test_what_wants_no_probe_gets_none(world: Sick) -> None:
    world.fall_ill(probe_after=None)
    assert (world.replan(), world.cursor().due_at) == (0, None)


# A human's word


def planned(world: Sick) -> None:
    """The probe is still to come."""


def waiting(world: Sick) -> None:
    world.probe()


def running(world: Sick) -> None:
    world.probe()
    world.one.claim()


@pytest.mark.parametrize("reason", [None, "no more of it", "7 consecutive failures"])
@pytest.mark.parametrize("when", [planned, waiting, running], ids=lambda when: when.__name__)
def test_a_human_s_word_stands(world: Sick, when: Callable[[Sick], None], reason: str | None) -> None:
    """Disabled by hand while it was disabled for failures: nothing enables it but an act by hand."""
    world.fall_ill()
    when(world)
    world.app.schedules.disable("a", reason=reason)
    world.one.finish()
    assert (world.cursor().state, world.cursor().probe_at, world.cursor().due_at) == ("disabled", None, None)
    assert (world.cursor().disabled_reason or "").startswith(reason or "disabled by")
    assert (world.replan(), world.left()) == (0, [])
    world.app.schedules.update("a", probe_after="1m")
    world.go(world.now + timedelta(days=1), world.one)
    assert (world.cursor().state, world.replan(), world.left()) == ("disabled", 0, [])
    change = next(c for c in world.app.schedules.changes("a") if c.action == "disabled")
    assert change.before == {"state": "disabled", "disabled_reason": "1 consecutive failures"}
    world.app.schedules.enable("a")
    assert world.cursor().state == "active"
    laws.check(world.db)


def test_disabling_by_hand_again_changes_nothing(world: Sick) -> None:
    world.fall_ill()
    first = world.app.schedules.disable("a", reason="enough")
    again = world.app.schedules.disable("a", reason="another")
    assert first == again


def test_an_edit_that_wants_no_probe_any_more_withdraws_the_one_that_is_planned(world: Sick) -> None:
    world.fall_ill()
    world.app.schedules.update("a", probe_after=None)
    assert (world.cursor().state, world.cursor().probe_at, world.cursor().due_at) == ("disabled", None, None)
    world.go(world.now + timedelta(days=1), world.one)
    assert world.cursor().state == "disabled"


# Many


def test_all_are_found_in_parts(world: Sick) -> None:
    names = [f"s{n:02}" for n in range(25)]
    for name in names:
        world.add(name, job="flaky", disable_after=1, probe_after="10m")
    world.at("12:01")
    world.settle_down(world.one)
    world.db.call(dialect.execute, "UPDATE {cursors} SET probe_at = NULL, due_at = NULL WHERE schedule_id > 3")
    assert [world.replan(10) for _ in range(4)] == [7, 10, 5, 0]
    assert {world.cursor(name).probe_at for name in names} == {world.now + WAIT}
