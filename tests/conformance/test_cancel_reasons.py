"""The reason of a run that cancel requests ended: the strongest one's, by whichever way the run ends."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rota.model.run import Cancelled, Interrupted, Outcome, TimedOut
from tests.support.runs import FAILED, World, at


@pytest.fixture
def world(store_url: str) -> Iterator[World]:
    made = World(store_url)
    yield made
    made.close()


def settled(world: World, outcome: Outcome, cancel: str) -> tuple[str, str | None]:
    """(state, reason) of a run that ends so while this request is the strongest on record."""
    world.place(world.add("a", retry={"attempts": 5}))
    (run,) = world.claim()
    world.settle(world.decide(run, outcome, at(1), cancel), now=at(1))
    row = world.one(run.id)
    return row["state"], row["reason"]


@pytest.mark.parametrize(("cancel", "reason"), [("replace", "replaced"), ("cancel", "cancelled")])
def test_code_that_stopped_because_it_was_asked_to(world: World, cancel: str, reason: str) -> None:
    assert settled(world, Cancelled(), cancel) == ("cancelled", reason)


@pytest.mark.parametrize(("cancel", "reason"), [("no_retry", "disabled"), ("removed", "removed")])
def test_what_is_not_queued_again_names_the_act(world: World, cancel: str, reason: str) -> None:
    assert settled(world, Interrupted(), cancel) == ("cancelled", reason)


@pytest.mark.parametrize("cancel", ["no_retry", "removed"])
@pytest.mark.parametrize(("outcome", "reason"), [(FAILED, "error"), (TimedOut(at(1) - at(0)), "timeout")])
def test_a_failure_is_not_retried_and_stays_a_failure(world: World, outcome: Outcome, reason: str, cancel: str) -> None:
    assert settled(world, outcome, cancel) == ("failed", reason)
