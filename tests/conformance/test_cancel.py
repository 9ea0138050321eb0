"""Cancels, orders and retries by hand, on every store."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rota.errors import Conflict, JobNotFound, RunNotFound
from rota.model.by import By
from rota.model.run import Cancelled, Interrupted
from rota.store import cancels, jobs, orders, runs
from tests.support.runs import FAILED, START, World, at

ME = By("me", "cli", "enough")


@pytest.fixture
def world(store_url: str) -> Iterator[World]:
    made = World(store_url)
    yield made
    made.close()


def test_a_queued_run_is_cancelled_at_once(world: World) -> None:
    (run,) = world.place(world.add("a"))
    assert world.db.call(cancels.request_cancel, run, "cancel", ME, at(1)) == "cancelled"
    row = world.db.read(runs.get, run)
    assert (row["state"], row["reason"], row["finished_at"]) == ("cancelled", "cancelled", at(1))
    assert world.ready() == []
    assert world.db.call(cancels.request_cancel, run, "cancel", ME, at(2)) == "cancelled"
    assert world.events() == [("run.cancelled", run)]


def test_a_running_run_is_cancelling_until_its_code_stopped(world: World) -> None:
    world.place(world.add("a"), 2)
    one, two = world.claim()
    assert world.db.call(cancels.request_cancel, one.id, "cancel", ME, at(1)) == "running"
    assert world.db.call(cancels.request_cancel, one.id, "cancel", ME, at(2)) == "running"
    row = world.db.read(runs.get, one.id)
    assert (row["state"], row["cancelling"]) == ("running", True)
    assert world.db.read(cancels.of_claims, "n1") == {one.id: "cancel"}
    world.end(one, Cancelled())
    world.end(two)
    assert [world.one(r.id)["state"] for r in (one, two)] == ["cancelled", "succeeded"]
    assert world.db.call(cancels.forget, 10) == 1
    assert world.rows("SELECT * FROM {cancels}") == []


def test_the_strongest_request_counts(world: World) -> None:
    world.place(world.add("a"))
    (run,) = world.claim()
    for kind in ("no_retry", "replace", "cancel", "no_retry"):
        world.db.call(cancels.request_cancel, run.id, kind, ME, START)
    assert world.db.read(cancels.cancels_of, [run.id]) == {run.id: "cancel"}
    world.settle(world.decide(run, Interrupted(), cancel="replace"))
    assert (world.one(run.id)["state"], world.one(run.id)["reason"]) == ("cancelled", "replaced")


def test_cancel_of_what_ended_or_never_was_is_refused(world: World) -> None:
    world.place(world.add("a"))
    (run,) = world.claim()
    world.end(run)
    with pytest.raises(Conflict, match="succeeded"):
        world.db.call(cancels.request_cancel, run.id, "cancel", ME, START)
    with pytest.raises(RunNotFound):
        world.db.call(cancels.request_cancel, 99, "cancel", ME, START)


def register(world: World, **defaults: object) -> None:
    world.db.call(jobs.register, [jobs.JobRow("mail", "python", defaults=defaults, lane="mails", priority=3)])


def order(world: World, **fields: object) -> int:
    wanted = orders.Order("mail", **fields)  # type: ignore[arg-type]
    return world.db.call(orders.enqueue, wanted, START, ME)


def test_an_order_becomes_a_run_of_the_job(world: World) -> None:
    register(world)
    run = order(world, args={"to": "a\x00b"})
    (claimed,) = world.claim()
    assert (claimed.id, claimed.args, claimed.lane, claimed.priority) == (run, {"to": "a\ufffdb"}, "mails", 3)
    assert (claimed.schedule_id, claimed.key, claimed.cause, claimed.job) == (None, None, "manual", "mail")
    assert claimed.invocation.startswith("default/default/default/mail@manual-")
    world.end(claimed)
    assert world.events() == [("run.requested", run), ("run.succeeded", run)]


def test_a_second_order_with_the_same_key_gets_the_first_run(world: World) -> None:
    register(world)
    first = order(world, dedupe_key="k", args={"n": 1})
    assert order(world, dedupe_key="k", args={"n": 2}) == first
    assert order(world, dedupe_key="k", scope="t/s/e") != first
    world.end(world.claim(limit=1)[0])
    assert order(world, dedupe_key="k") == first
    assert world.db.read(runs.get, first)["args"] == {"n": 1}
    assert len([e for e in world.events() if e[0] == "run.requested"]) == 2


def test_a_repeat_after_a_lost_answer_finds_its_run(world: World) -> None:
    register(world)
    assert order(world, drawn="x") == order(world, drawn="x") != order(world, drawn="y")


def test_an_order_under_a_held_key_is_skipped_from_birth(world: World) -> None:
    register(world, single_flight="m")
    first, second = order(world), order(world)
    assert [world.one(i)["state"] for i in (first, second)] == ["queued", "skipped"]
    assert world.events()[-1] == ("run.skipped", second)


def test_an_order_for_later_waits(world: World) -> None:
    register(world)
    run = order(world, not_before=at(60))
    assert world.ready() == []
    assert world.db.read(runs.get, run)["next_attempt_at"] == at(60)


def test_an_unknown_job_writes_nothing(world: World) -> None:
    with pytest.raises(JobNotFound):
        order(world)
    assert world.rows("SELECT * FROM {runs}") == []


def test_a_retry_by_hand_is_a_new_run_with_a_number(world: World) -> None:
    a = world.add("a")
    (run,) = world.place(a, flight=None)
    with pytest.raises(Conflict, match="queued"):
        world.db.call(orders.retry, run, ME, START)
    world.end(world.claim()[0], FAILED)
    second = world.db.call(orders.retry, run, ME, at(5))
    row = world.db.read(runs.get, second)
    assert row["invocation"] == "default/default/default/a@2026-03-01T12:00:00Z#2"
    assert (row["cause"], row["retry_of"], row["scheduled_for"]) == ("retry", run, START)
    (claimed,) = world.claim()
    assert claimed.invocation == row["invocation"]
    world.end(claimed)
    third = world.db.call(orders.retry, second, ME, at(6))
    assert world.db.read(runs.get, third)["invocation"].endswith("Z#3")
    assert world.db.read(runs.get, third)["retry_of"] == second
    assert world.db.read(runs.get, run)["state"] == "failed"


def test_a_retry_by_hand_waits_for_its_key(world: World) -> None:
    a = world.add("a")
    (first,) = world.place(a, flight=f"s:{a}")
    world.end(world.claim()[0], FAILED)
    (holder,) = world.place(a, first=60, flight=f"s:{a}")
    again = world.db.call(orders.retry, first, ME, START)
    assert world.db.read(runs.get, again)["waiting"] is True
    assert world.ready() == [holder]


def test_r05_a_retry_by_hand_of_a_removed_schedule_is_refused(world: World) -> None:
    from rota.store import schedules

    a = world.add("a")
    (run,) = world.place(a)
    world.end(world.claim()[0], FAILED)
    world.db.call(schedules.remove, a, ME)
    with pytest.raises(Conflict, match="removed"):
        world.db.call(orders.retry, run, ME, START)


def test_a_page_filters_and_goes_on_from_its_cursor(world: World) -> None:
    a, b = world.add("a"), world.add("b", job="other", lane="x")
    mine, other = world.place(a, 3), world.place(b, 2)
    world.end(world.claim(names=["x"], limit=1)[0], FAILED)

    def ids(**fields: object) -> list[int]:
        return [r["id"] for r in world.db.read(runs.page, runs.Filter(**fields), 10)]  # type: ignore[arg-type]

    assert ids() == [*reversed(other), *reversed(mine)]
    assert ids(schedule="a", oldest_first=True) == mine
    assert ids(schedule="default/default/default/b") == [*reversed(other)]
    assert ids(states=("failed",)) == [other[0]]
    assert ids(job="other", after=other[1]) == [other[0]]
    assert ids(lane="x") == ids(schedule_id=b) == [*reversed(other)]
    assert ids(since=at(1)) == []
    assert ids(scope=("default", "default", "else")) == []
    assert [r["id"] for r in world.db.read(runs.page, runs.Filter(), 2)] == [*reversed(other)]
