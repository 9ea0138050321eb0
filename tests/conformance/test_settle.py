"""Settlements on every store: only who holds the token ends a run, once, with everything that follows."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from rota.model.run import Interrupted, Succeeded, TimedOut, UnknownJob
from rota.model.settlement import Settlement
from rota.store import logs, runs
from tests.support.runs import FAILED, START, World, at


@pytest.fixture
def world(store_url: str) -> Iterator[World]:
    made = World(store_url, "n1", "n2")
    yield made
    made.close()


def test_success_ends_the_run_and_its_claim(world: World) -> None:
    a = world.add("a")
    world.place(a)
    (run,) = world.claim()
    assert world.end(run, Succeeded('{"n": 1}', exit_code=0), at(5)) == {run.id}
    row = world.db.read(runs.get, run.id)
    assert (row["state"], row["result"], row["exit_code"], row["finished_at"]) == ("succeeded", {"n": 1}, 0, at(5))
    assert (row["attempt"], row["node"], row["error"]) == (1, "n1", None)
    assert world.rows("SELECT * FROM {claims}") == []
    assert world.events() == [("run.succeeded", run.id)]


def test_a_batch_settles_each_by_its_own_token(world: World) -> None:
    world.place(world.add("a"), 4)
    taken = world.claim()
    wanted = [world.decide(run) for run in taken]
    stale = Settlement(taken[0].id, taken[0].token + 1, "failed")
    assert world.settle(stale) == set()
    assert world.settle(*wanted[1:]) == {run.id for run in taken[1:]}
    assert world.one(taken[0].id)["state"] == "running"
    assert world.settle(*wanted) == {taken[0].id}


def test_final_is_final(world: World) -> None:
    world.place(world.add("a"))
    (run,) = world.claim()
    world.end(run)
    before = world.one(run.id)
    for state in ("failed", "queued", "lost", "cancelled", "succeeded"):
        assert world.settle(Settlement(run.id, run.token, state, admit_at=START)) == set()
    assert world.one(run.id) == before
    assert len(world.events()) == 1


def test_a_failure_is_retried_and_counts(world: World) -> None:
    world.place(world.add("a", retry={"attempts": 2, "backoff": "fixed", "base": "10s"}))
    (run,) = world.claim()
    world.end(run, FAILED, at(1))
    row = world.db.read(runs.get, run.id)
    assert (row["state"], row["reason"], row["attempt"], row["next_attempt_at"]) == ("queued", "retry", 1, at(11))
    assert (row["error"], row["node"], row["finished_at"]) == ({"type": "ValueError", "message": "no"}, None, None)
    assert world.ready() == []
    assert world.events() == [("run.retried", run.id)]
    assert [c["text"] for c in world.db.read(logs.read, run.id)] == ["Traceback: no"]


def test_handed_back_runs_do_not_count(world: World) -> None:
    world.place(world.add("a"), 2)
    one, two = world.claim()
    world.end(one, Interrupted(), at(1))
    world.end(two, UnknownJob("noop"), at(1))
    rows = [world.db.read(runs.get, r.id) for r in (one, two)]
    assert [(r["state"], r["attempt"], r["reason"], r["next_attempt_at"]) for r in rows] == [
        ("queued", 0, "handed_back", at(1)),
        ("queued", 0, "unknown_job", at(31)),
    ]
    assert world.events() == [("run.handed_back", one.id), ("run.handed_back", two.id)]


def test_health_counts_failures_and_success_resets(world: World) -> None:
    a = world.add("a")
    world.place(a, 6)
    taken = world.claim()
    world.settle(*[world.decide(r, FAILED) for r in taken[:2]])
    assert health(world, a) == (2, None)
    world.end(taken[2], TimedOut(timedelta(seconds=1)))
    world.end(taken[3], Interrupted())
    assert health(world, a) == (3, None)
    world.settle(world.decide(taken[4]), world.decide(taken[5], FAILED), now=at(9))
    assert health(world, a) == (1, at(4))


def health(world: World, schedule: int) -> tuple[int, object]:
    from rota.store.dialect import read_at

    (row,) = world.rows("SELECT * FROM {health} WHERE schedule_id = %s", schedule)
    return row["consecutive_failures"], read_at(row["last_success_for"])


def test_last_success_never_goes_back(world: World) -> None:
    a = world.add("a")
    world.place(a, first=100)
    world.end(world.claim()[0])
    world.place(a, first=10)
    world.end(world.claim()[0])
    assert health(world, a) == (0, at(100))


def test_poison_reaches_the_row_as_text(world: World) -> None:
    world.place(world.add("a"))
    (run,) = world.claim()
    bad = {"type": "X", "message": "nul \x00 half \ud800"}
    assert world.settle(Settlement(run.id, run.token, "failed", error=bad, result="\x00")) == {run.id}
    assert world.db.read(runs.get, run.id)["error"]["message"] == "nul \ufffd half \ufffd"


def test_the_nth_failure_disables_and_queued_runs_end(world: World) -> None:
    a = world.add("a", disable_after=2, retry={"attempts": 1})
    world.place(a, 3)
    one, two = world.claim(limit=2)
    world.end(one, FAILED)
    assert cursor(world, a)["state"] == "active"
    world.end(two, FAILED)
    row = cursor(world, a)
    assert (row["state"], row["disabled_reason"], row["due_at"]) == ("disabled", "2 consecutive failures", None)
    (left,) = world.rows("SELECT state, reason FROM {runs} WHERE id > %s", two.id)
    assert (left["state"], left["reason"]) == ("cancelled", "disabled")
    assert "schedule.disabled" in [kind for kind, _ in world.events()]


def cursor(world: World, schedule: int) -> dict[str, object]:
    return world.rows("SELECT * FROM {cursors} WHERE schedule_id = %s", schedule)[0]


def test_a_probe_that_succeeds_enables_again(world: World) -> None:
    a = world.add("a", disable_after=1, probe_after="1m")
    world.place(a)
    world.end(world.claim()[0], FAILED)
    assert cursor(world, a)["state"] == "disabled"
    assert cursor(world, a)["due_at"] is not None
    world.place(a, first=5, cause="probe")
    world.end(world.claim()[0], FAILED)
    assert cursor(world, a)["state"] == "disabled"
    world.place(a, first=6, cause="probe")
    world.end(world.claim()[0])
    assert (cursor(world, a)["state"], cursor(world, a)["disabled_reason"]) == ("active", None)
    assert "schedule.recovered" in [kind for kind, _ in world.events()]


def test_a_probe_does_not_enable_what_an_operator_disabled(world: World) -> None:
    a = world.add("a", probe_after="1m")
    world.place(a, cause="probe")
    (run,) = world.claim()
    world.write("UPDATE {cursors} SET state = 'disabled', disabled_reason = 'by hand'")
    assert world.end(run) == {run.id}
    assert cursor(world, a)["state"] == "disabled"


def test_wake_at_sets_the_schedule_s_next_time(world: World) -> None:
    from rota.store.dialect import read_at

    a = world.add("a", when="0 0 1 1 *")
    world.place(a)
    world.end(world.claim()[0], Succeeded(wake_at=at(90)))
    row = cursor(world, a)
    assert (read_at(row["next_at"]), read_at(row["due_at"]), row["state"]) == (at(90), at(90), "active")
