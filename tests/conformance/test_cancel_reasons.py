"""The reason of a run that cancel requests ended: the strongest one's, by whichever way the run ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Final

import pytest

from rota.model.by import By
from rota.model.run import Cancelled, Claimed, Interrupted, Outcome, TimedOut
from rota.store import admission, cancels, claims, dialect, schedules
from rota.store.database import Connection
from rota.store.tables import of
from tests.support.runs import FAILED, START, World, at

ME = By("me", "cli", "enough")
ASKED: Final = {
    "cancel": ("cancel", "enough", "cancelled"),
    "replace": ("replace", "replaced by a newer occurrence", "replaced"),
    "disabled": ("no_retry", "disabled", "disabled"),
    "removed": ("no_retry", "removed", "removed"),
}
"""What somebody does -> the row's kind and reason, the run's reason; the strongest first."""
TOGETHER: Final = [
    asked for n in (1, 2, 3) for asked in combinations(ASKED, n) if not {"disabled", "removed"} <= set(asked)
]


@pytest.fixture
def world(store_url: str) -> Iterator[World]:
    made = World(store_url)
    yield made
    made.close()


def ask(conn: Connection, run: int, asked: tuple[str, ...]) -> None:
    """Put these requests on record, the weakest first."""
    rows = [{"run_id": run, "kind": ASKED[a][0], "at": START, "actor": "me", "reason": ASKED[a][1]} for a in asked]
    dialect.insert_many(conn, of(conn).cancels, rows[::-1])


def at_a_claim(world: World, asked: tuple[str, ...]) -> None:
    (run,) = world.place(world.add("a"))
    world.db.call(ask, run, asked)
    assert world.claim() == []


def at_an_admit(world: World, asked: tuple[str, ...]) -> None:
    """The run had been handed back by a statement that looks at no requests."""
    (run,) = world.place(world.add("a"))
    world.claim()
    world.db.call(claims.hand_back, "n1", (), at(1))
    world.db.call(ask, run, asked)
    assert world.db.call(admission.admit, at(2), 10).cancelled == 1


def settled(world: World, asked: tuple[str, ...], outcome: Outcome) -> None:
    world.place(world.add("a"))
    (run,) = world.claim()
    world.db.call(ask, run.id, asked)
    decided = world.decide(run, outcome, at(1), world.db.read(cancels.cancels_of, [run.id])[run.id])
    assert world.settle(decided, now=at(1)) == {run.id}


def at_an_interruption(world: World, asked: tuple[str, ...]) -> None:
    settled(world, asked, Interrupted())


WAYS: Final[list[Callable[[World, tuple[str, ...]], None]]] = [at_a_claim, at_an_admit, at_an_interruption]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("asked", TOGETHER, ids="+".join)
def test_the_strongest_request_gives_the_reason(
    world: World, asked: tuple[str, ...], way: Callable[[World, tuple[str, ...]], None]
) -> None:
    way(world, asked)
    (row,) = world.rows("SELECT state, reason FROM {runs}")
    assert (row["state"], row["reason"]) == ("cancelled", ASKED[asked[0]][2])


@pytest.mark.parametrize(("asked", "reason"), [(("replace",), "replaced"), (("cancel", "replace"), "cancelled")])
def test_code_that_stopped_because_it_was_asked_to(world: World, asked: tuple[str, ...], reason: str) -> None:
    settled(world, asked, Cancelled())
    (row,) = world.rows("SELECT state, reason FROM {runs}")
    assert (row["state"], row["reason"]) == ("cancelled", reason)


@pytest.mark.parametrize(("act", "reason"), [(schedules.disable, "disabled"), (schedules.remove, "removed")])
@pytest.mark.parametrize("waits", [True, False])
def test_what_an_act_on_its_schedule_leaves_of_a_run(
    world: World, act: Callable[[Connection, int, By], int], reason: str, *, waits: bool
) -> None:
    """A run that waits is cancelled at once; one that runs goes on, and is not queued again when it is interrupted."""
    a = world.add("a")
    (run,) = world.place(a)
    taken: list[Claimed] = [] if waits else world.claim()
    world.db.call(act, a, ME)
    for one in taken:
        world.settle(world.decide(one, Interrupted(), cancel=world.db.read(cancels.cancels_of, [run])[run]))
    row = world.one(run)
    assert (row["state"], row["reason"]) == ("cancelled", reason)


def ended(world: World, outcome: Outcome, cancel: str) -> tuple[str, str | None]:
    """(state, reason) of a run that ends so while this request is the strongest on record."""
    world.place(world.add("a", retry={"attempts": 5}))
    (run,) = world.claim()
    world.settle(world.decide(run, outcome, at(1), cancel), now=at(1))
    row = world.one(run.id)
    return row["state"], row["reason"]


@pytest.mark.parametrize("cancel", ["no_retry", "removed"])
@pytest.mark.parametrize(("outcome", "reason"), [(FAILED, "error"), (TimedOut(at(1) - at(0)), "timeout")])
def test_a_failure_is_not_retried_and_stays_a_failure(world: World, outcome: Outcome, reason: str, cancel: str) -> None:
    assert ended(world, outcome, cancel) == ("failed", reason)
