"""Admit and cancel requests: what is cancelled, for which reason, and when a request is forgotten."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rota.model.by import By
from rota.store import admission, cancels, dialect, schedules
from rota.store.database import Connection
from tests.support.runs import START, World, at

ME = By("me", "cli", "enough")


@pytest.fixture
def world(store_url: str) -> Iterator[World]:
    made = World(store_url)
    yield made
    made.close()


def admit(world: World, seconds: float = 1, limit: int = 100) -> admission.Admitted:
    return world.db.call(admission.admit, at(seconds), limit)


def queued_again(world: World, run: int) -> None:
    """As a settlement leaves it that had not seen the request."""
    world.write("UPDATE {runs} SET state = 'queued', node = NULL, admit_at = created_at WHERE id = %s", run)
    world.write("DELETE FROM {claims} WHERE run_id = %s", run)


@pytest.mark.parametrize(
    ("act", "reason"),
    [("cancel", "cancelled"), ("replace", "replaced"), ("disable", "disabled"), ("remove", "removed")],
)
def test_each_request_has_a_reason_of_its_own(world: World, act: str, reason: str) -> None:
    a = world.add("a")
    (run,) = world.place(a)
    world.claim()
    if act in ("cancel", "replace"):
        world.db.call(cancels.request_cancel, run, act, ME, START)
    else:
        world.db.call(schedules.disable if act == "disable" else schedules.remove, a, ME)
    queued_again(world, run)
    assert admit(world).cancelled == 1
    assert (world.one(run)["state"], world.one(run)["reason"]) == ("cancelled", reason)


def test_a_request_is_forgotten_once_its_run_has_ended(world: World) -> None:
    a = world.add("a")
    runs, running = world.place(a, 5), world.place(a, 1, first=60)
    world.claim()
    for run in (*runs, *running):
        world.db.call(cancels.request_cancel, run, "cancel", ME, START)
    for run in runs:
        queued_again(world, run)
    assert admit(world, limit=3).cancelled == 3
    assert admit(world, limit=3).cancelled == 0  # the first three are forgotten
    assert admit(world, limit=3).cancelled == 2
    admit(world)
    assert [row["run_id"] for row in world.rows("SELECT run_id FROM {cancels}")] == running


def test_a_worker_hears_only_of_requests_to_stop(world: World) -> None:
    """A disabled or removed schedule's code goes on."""
    a, b = world.add("a"), world.add("b")
    world.place(a)
    (asked,) = world.place(b)
    world.claim()
    world.db.call(cancels.request_cancel, asked, "cancel", ME, START)
    world.db.call(schedules.remove, a, ME)
    world.db.call(schedules.disable, b, ME)
    assert world.db.read(cancels.of_claims, "n1") == {asked: "cancel"}
    assert world.db.read(cancels.cancels_of, [1, 2]) == {1: "removed", 2: "cancel"}


def test_the_first_of_each_key_that_is_free_is_admitted(world: World) -> None:
    a = world.add("a", overlap="queue_all")
    for key in ("x", "y", "z"):
        world.place(a, 3, first=100 * ord(key), flight=key)
    held = world.claim()
    assert len(held) == 3
    assert admit(world).ready == 0
    by_key = {world.one(run.id)["flight"]: run for run in held}
    world.end(by_key["y"])
    assert admit(world).ready == 1
    (ready,) = world.ready()
    first = min(r["id"] for r in world.rows("SELECT id FROM {runs} WHERE flight = 'y' AND id <> %s", by_key["y"].id))
    assert ready == first
    assert admit(world).ready == 0
    for key in ("x", "z"):
        world.end(by_key[key])
    assert admit(world, limit=1).ready == 1
    assert admit(world, limit=1).ready == 1
    assert admit(world, limit=1).ready == 0


def test_a_first_whose_time_has_not_come_keeps_its_key_s_others_waiting(world: World) -> None:
    a = world.add("a", overlap="queue_all")
    (holder,) = world.place(a, flight="k")
    first, second = world.place(a, 2, first=10, flight="k")
    assert holder < first
    world.db.call(later, first)
    world.end(world.claim()[0])
    assert admit(world, 5).ready == 0
    assert admit(world, 30).ready == 1
    assert world.ready() == [first] != [second]


def later(conn: Connection, run: int) -> None:
    dialect.execute(conn, "UPDATE {runs} SET not_before = %s WHERE id = %s", [dialect.at(conn, at(20)), run])
