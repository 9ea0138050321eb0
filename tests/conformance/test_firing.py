"""Firing and admitting on every store, by single turns at chosen instants."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from rota.engine.scheduler import Scheduler, Turned
from rota.model.policy import Policies
from rota.model.settings import Settings
from rota.store import dialect, plain
from rota.store import events as numbering
from rota.store.database import Database
from tests.support import seed

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def minute(n: float) -> datetime:
    return START + timedelta(minutes=n)


class World:
    """A database with a scheduler that is turned by hand."""

    def __init__(self, url: str) -> None:
        self.db = Database(url)
        self.scheduler = Scheduler(self.db, Settings(), node="n1")

    def add(self, *names: str, when: str = "* * * * *", **given: Any) -> dict[str, int]:
        return self.db.call(seed.schedules, START, names, when, **given)

    def turn(self, now: datetime) -> Turned:
        return asyncio.run(self.scheduler.turn(now))

    def rows(self, sql: str, *params: Any) -> list[dict[str, Any]]:
        return self.db.read(seed.rows, sql, params)

    def finish(self, now: datetime, *ids: int) -> None:
        self.db.call(seed.finish, now, *ids)

    def states(self) -> list[tuple[int, str, bool]]:
        return [
            (r["id"], r["state"], bool(r["waiting"]))
            for r in self.rows("SELECT id, state, waiting FROM {runs} ORDER BY id")
        ]

    def ready(self) -> list[int]:
        return [r["run_id"] for r in self.rows("SELECT run_id FROM {ready} ORDER BY run_id")]

    def events(self, kind: str) -> list[dict[str, Any]]:
        self.db.call(numbering.number)
        return self.rows("SELECT code, data FROM {events} WHERE type = %s ORDER BY id", kind)

    def reasons(self) -> list[tuple[str, str | None]]:
        return [(r["what"], r["reason"]) for r in self.rows("SELECT what, reason FROM {decisions} ORDER BY id")]


@pytest.fixture(params=["set-based", "general"])
def world(store_url: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Everything is fired both ways: by the common firing's own statement, and by the general one."""
    if request.param == "general":
        monkeypatch.setattr(plain, "is_plain", lambda *_: False)
    made = World(store_url)
    yield made
    made.db.close()


def test_a_due_schedule_fires_once_and_is_armed_again(world: World) -> None:
    world.add("a")
    assert world.turn(minute(0.5)).fired == 0
    assert world.turn(minute(1)).fired == 1
    assert world.turn(minute(1)).fired == 0
    assert world.turn(minute(1.5)).fired == 0
    assert len(world.ready()) == 1
    assert world.reasons() == []


def test_downtime_gives_one_run_for_the_latest_and_one_decision(world: World) -> None:
    world.add("a")
    assert world.turn(minute(90)).fired == 1
    (run,) = world.rows("SELECT covers_count, cause FROM {runs}")
    assert (run["covers_count"], run["cause"]) == (90, "catchup")
    assert world.reasons() == [("coalesced", None)]


def test_overlap_skip_records_one_growing_decision(world: World) -> None:
    world.add("a")
    for n in range(1, 6):
        world.turn(minute(n))
    assert len(world.states()) == 1
    assert world.reasons() == [("skipped", "overlap")]
    world.finish(minute(5.5), world.states()[0][0])
    world.turn(minute(6))
    assert len(world.states()) == 2


def test_overlap_queue_one_lets_one_wait(world: World) -> None:
    world.add("a", overlap="queue_one")
    for n in range(1, 5):
        world.turn(minute(n))
    first, second = world.states()
    assert (first[1:], second[1:]) == (("queued", False), ("queued", True))
    assert world.ready() == [first[0]]
    world.finish(minute(4.2), first[0])
    world.turn(minute(4.3))
    assert world.ready() == [second[0]]


def test_overlap_queue_all_waits_in_order_up_to_queue_max(world: World) -> None:
    world.add("a", overlap="queue_all", queue_max=3)
    for n in range(1, 8):
        world.turn(minute(n))
    states = world.states()
    assert [s[2] for s in states] == [False, True, True, True]
    assert world.reasons() == [("skipped", "overlap")]
    for number, state in enumerate(states):
        assert world.ready() == [state[0]]
        world.finish(minute(7.1), state[0])
        world.turn(minute(7.2 + number / 100))


def test_overlap_replace_cancels_the_holder_that_has_not_started_and_takes_its_place(world: World) -> None:
    world.add("a", overlap="replace")
    world.turn(minute(1))
    world.turn(minute(2))
    world.turn(minute(2.1))
    assert [(s[1], s[2]) for s in world.states()] == [("cancelled", False), ("queued", False)]
    assert world.ready() == [world.states()[1][0]]


def test_overlap_allow_takes_no_key(world: World) -> None:
    world.add("a", overlap="allow")
    for n in range(1, 4):
        world.turn(minute(n))
    assert len(world.ready()) == 3
    assert world.rows("SELECT * FROM {flights}") == []


def test_catchup_all_runs_wait_for_each_other(world: World) -> None:
    world.add("a", catchup="all")
    assert world.turn(minute(5)).fired == 5
    assert len(world.ready()) == 1


def test_r07_overtaken(world: World) -> None:
    """A run waits; the holder ends; a fire comes before admit: the waiting run is the holder, it starts first."""
    world.add("a", overlap="queue_one")
    world.turn(minute(1))
    world.turn(minute(2))
    first, second = (s[0] for s in world.states())
    world.finish(minute(2.5), first)
    world.db.call(world.scheduler.fire, minute(3))
    third = world.states()[2]
    assert third[2]
    world.db.call(world.scheduler.admit, minute(3))
    assert world.ready() == [second]


@pytest.mark.parametrize("overlap", ["queue_one", "replace", "skip"])
def test_r08_shared_key_two_fires(world: World, overlap: str) -> None:
    """Two schedules share a key and fire in one batch."""
    world.add("a", "b", overlap=overlap, single_flight="nightly")
    world.turn(minute(1))
    states = [s[1:] for s in world.states()]
    assert (
        states
        == {
            "queue_one": [("queued", False), ("queued", True)],
            "replace": [("cancelled", False), ("queued", False)],
            "skip": [("queued", False)],
        }[overlap]
    )
    world.turn(minute(1.1))
    assert len(world.ready()) == 1
    world.turn(minute(2))
    world.turn(minute(2.1))
    alive = [s for s in world.states() if s[1] == "queued"]
    assert len(alive) == (2 if overlap == "queue_one" else 1)
    assert len(world.ready()) == 1


def test_r09_final_holder(world: World) -> None:
    """The holder is final, nothing was cleaned up; an occurrence fires under skip: it fires."""
    world.add("a")
    world.turn(minute(1))
    world.finish(minute(1.5), world.states()[0][0])
    assert world.turn(minute(2)).fired == 1


def test_r16_catchup_cut(world: World) -> None:
    """A catch-up of more than 1,000 runs under skip: the rest waits, none is skipped."""
    world.add("a", when="* * * * * *", catchup="all", catchup_max=2500, overlap="skip")
    now = START + timedelta(seconds=2300)
    fired = 0
    for _ in range(4):
        fired += world.turn(now).fired
    assert fired == 2300
    assert world.reasons() == []
    assert len(world.ready()) == 1


def test_a_retry_wait_is_admitted_at_its_time_and_not_before(world: World) -> None:
    world.add("a", jitter="30s")
    world.turn(minute(1))
    (run,) = world.rows("SELECT id, admit_at FROM {runs}")
    assert world.ready() == []
    world.turn(minute(1.6))
    assert world.ready() == [run["id"]]
    (run,) = world.rows("SELECT admit_at FROM {runs}")
    assert run["admit_at"] is None


def test_a_schedule_that_ends_is_done(world: World) -> None:
    world.add("a", ends_at=minute(2))
    world.turn(minute(5))
    (cursor,) = world.rows("SELECT state, due_at FROM {cursors}")
    assert (cursor["state"], cursor["due_at"]) == ("done", None)


def test_one_transaction_makes_a_bounded_number_of_runs(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The schedules that are left stay due; nothing of them is decided before their turn."""
    monkeypatch.setattr("rota.engine.scheduler._MOST_RUNS", 25)
    world.add(*[f"s{n}" for n in range(6)], catchup="all", overlap="allow")
    turns = []
    while (done := world.turn(minute(10))).claimed:
        turns.append(done.fired)
    assert turns == [30, 30]
    assert world.rows("SELECT count(*) AS n FROM {runs}")[0]["n"] == 60


def test_a_policy_that_only_a_later_version_knows_is_passed_over(world: World) -> None:
    """A deployment that was rolled back still fires what the later version wrote."""
    world.add("a")
    later = json.dumps(Policies().to_json() | {"of_a_later_version": True})
    world.db.call(
        lambda conn: dialect.execute(
            conn,
            "UPDATE {definitions} SET policies = CAST(%s AS " + ("jsonb)" if dialect.is_postgresql(conn) else "text)"),
            [later],
        )
    )
    assert world.turn(minute(1)).fired == 1


def test_events_tell_instants_as_the_contract_does(world: World) -> None:
    world.add("a")
    world.turn(minute(3))
    (fired,) = world.events("schedule.fired")
    (folded,) = world.events("schedule.coalesced")
    told = json.loads(fired["data"]) if isinstance(fired["data"], str) else fired["data"]
    span = json.loads(folded["data"]) if isinstance(folded["data"], str) else folded["data"]
    assert told["scheduled_for"] == "2026-03-01T12:03:00Z"
    assert (span["after"], span["until"]) == ("2026-03-01T12:00:00Z", "2026-03-01T12:02:59.999999Z")


def test_equal_schedules_each_fire_in_one_batch(world: World) -> None:
    world.add(*[f"s{n}" for n in range(300)])
    assert world.turn(minute(7)).fired == 300
    assert len(world.ready()) == 300
    assert world.rows("SELECT count(*) AS n FROM {decisions}")[0]["n"] == 300
