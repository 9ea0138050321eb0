"""A run that nodes do not know the job of is handed back for an hour, whatever happened to it before (law 11)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from rota.model.policy import parse_policies
from rota.model.run import Claimed, UnknownJob
from rota.model.settlement import HAND_BACK, Held, lost
from rota.store import admission
from tests.support.runs import FAILED, START, World, at


@pytest.fixture
def world(store_url: str) -> Iterator[World]:
    made = World(store_url)
    yield made
    made.close()


def claim(world: World, now: datetime) -> Claimed:
    """Admit and claim the only run."""
    world.db.call(admission.admit, now, 10)
    (run,) = world.claim(now=now)
    return run


def meet(world: World, now: datetime) -> tuple[str, str | None, int]:
    """One claim by a node that does not know the job: (state, reason, attempt) afterwards."""
    run = claim(world, now)
    world.end(run, UnknownJob("noop"), now)
    row = world.one(run.id)
    return row["state"], row["reason"], row["attempt"]


def test_a_run_that_waited_for_hours_is_handed_back_for_an_hour(world: World) -> None:
    """The hour counts from the first node that does not know the job, not from the run's creation."""
    world.place(world.add("a"))
    first = START + timedelta(hours=5)
    met = [meet(world, first + n * HAND_BACK) for n in range(121)]
    assert met[:-1] == [("queued", "unknown_job", 0)] * 120
    assert met[-1] == ("failed", "unknown_job", 1)


def test_attempts_and_losses_do_not_shorten_the_hour(world: World) -> None:
    """They grow the token too, but are no hand-backs."""
    world.place(world.add("a", retry={"attempts": 50, "backoff": "fixed", "base": "1s"}))
    for n in range(40):
        run = claim(world, at(2 * n))
        world.end(run, FAILED, at(2 * n))
    for n in range(100, 103):
        run = claim(world, at(n))
        held = Held(run.id, run.token, run.lost)
        world.settle(lost(held, parse_policies(run.policies), at(n), "its node was lost"), now=at(n))
    first = START + timedelta(hours=2)
    met = [meet(world, first + n * HAND_BACK) for n in range(121)]
    assert met[:-1] == [("queued", "unknown_job", 40)] * 120
    assert met[-1] == ("failed", "unknown_job", 41)
