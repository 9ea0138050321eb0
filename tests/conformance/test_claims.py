"""Claims on every store: what may start, what may not, and that nobody shares a run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection

from rota.model.by import By
from rota.store import claims, dialect, lanes, nodes
from tests.support import seed
from tests.support.runs import START, World, at


@pytest.fixture
def world(store_url: str) -> Iterator[World]:
    made = World(store_url, "n1", "n2")
    yield made
    made.close()


def test_a_claim_takes_in_order_of_priority_and_age(world: World) -> None:
    a = world.add("a")
    late = world.place(a, 2, priority=5)
    early = world.place(a, 2, first=10, priority=-1)
    taken = world.claim(limit=3)
    assert [run.id for run in taken] == [*early, late[0]]
    assert [(run.token, run.attempt) for run in taken] == [(1, 1)] * 3
    assert world.ready() == [late[1]]
    assert [r["run_id"] for r in world.rows("SELECT run_id FROM {claims} ORDER BY run_id")] == sorted([*early, late[0]])
    row = world.one(early[0])
    assert (row["state"], row["node"], row["token"]) == ("running", "n1", 1)


def test_a_claimed_run_tells_all_a_handler_needs(world: World) -> None:
    a = world.add("a", zone="Europe/Stockholm", timeout="5m")
    world.place(a, now=at(1))
    (run,) = world.claim(now=at(2))
    assert run.invocation == "default/default/default/a@2026-03-01T12:00:00Z"
    assert (run.key, run.schedule, run.timezone) == ("default/default/default/a", "a", "Europe/Stockholm")
    assert (run.job, run.args, run.lane, run.cause, run.covers_count) == ("noop", {}, "default", "schedule", 1)
    assert (run.scheduled_for, run.created_at, run.started_at, run.since) == (START, at(1), at(2), None)
    assert run.policies["timeout"] == "5m"


def test_since_is_the_last_success_before_it(world: World) -> None:
    a = world.add("a")
    world.place(a, first=100)
    world.end(world.claim()[0])
    world.place(a, first=200)
    world.place(a, first=50)
    assert [run.since for run in world.claim()] == [at(100), None]


def test_arguments_are_each_run_s_own(world: World) -> None:
    a = world.add("a")
    world.place(a, 2)
    one, two = world.claim()
    one.args["x"] = 1
    assert two.args == {}


def test_two_nodes_never_share_a_run(world: World) -> None:
    world.place(world.add("a"), 10)
    mine, theirs = world.claim("n1", 6), world.claim("n2", 6)
    assert [len(mine), len(theirs)] == [6, 4]
    assert not {r.id for r in mine} & {r.id for r in theirs}


def test_a_run_with_a_cancel_on_record_never_starts(world: World) -> None:
    a = world.add("a")
    ids = world.place(a, 3)
    world.db.call(cancel_row, ids[0], "no_retry")
    world.db.call(cancel_row, ids[1], "cancel")
    assert [run.id for run in world.claim()] == [ids[2]]
    assert [(world.one(i)["state"], world.one(i)["reason"]) for i in ids[:2]] == [
        ("cancelled", "disabled"),
        ("cancelled", "cancelled"),
    ]
    assert world.one(ids[0])["finished_at"] is not None
    assert world.events() == [("run.cancelled", ids[0]), ("run.cancelled", ids[1])]


def cancel_row(conn: Connection, run: int, kind: str) -> None:
    sql = "INSERT INTO {cancels} (run_id, kind, at, actor) VALUES (%s, %s, %s, 'me')"
    dialect.execute(conn, sql, [run, kind, dialect.at(conn, START)])


def test_a_first_start_after_the_grace_is_expired_and_a_retry_is_not_measured(world: World) -> None:
    a = world.add("a", retry={"attempts": 2, "backoff": "fixed", "base": "1s"})
    first, second = world.place(a, 2, expires_at=at(60))
    world.claim(limit=1, now=at(60))
    assert world.claim(now=at(61)) == []
    assert (world.one(second)["state"], world.one(second)["reason"]) == ("expired", "late")
    assert world.events() == [("run.expired", second)]
    world.db.call(claims.hand_back, "n1", [], at(62))
    world.db.call(make_ready, first)
    assert [run.id for run in world.claim(now=at(600))] == [first]


def make_ready(conn: Connection, run: int) -> None:
    dialect.execute(conn, "UPDATE {runs} SET admit_at = NULL WHERE id = %s", [run])
    dialect.execute(conn, "INSERT INTO {ready} (lane, priority, run_id) VALUES ('default', 0, %s)", [run])


def test_a_ready_row_of_a_final_run_is_deleted_and_changes_nothing(world: World) -> None:
    a = world.add("a")
    (run,) = world.place(a)
    world.db.call(seed.finish, START, run)
    world.db.call(make_ready, run)
    assert world.claim() == []
    assert world.ready() == []
    assert world.one(run)["state"] == "succeeded"


@pytest.mark.parametrize("state", ["fenced", "stopped"])
def test_a_node_that_is_not_live_claims_nothing(world: World, state: str) -> None:
    world.place(world.add("a"), 2)
    world.db.call(seed.node, START, "dead", state)
    assert world.claim("dead") == []
    assert world.claim("never-joined") == []
    assert len(world.ready()) == 2


def test_a_draining_node_claims_nothing(world: World) -> None:
    world.place(world.add("a"))
    world.db.call(nodes.drain, "n1", START, By())
    assert world.claim("n1") == []
    assert len(world.claim("n2")) == 1


def test_hand_back_queues_only_what_is_not_in_hands(world: World) -> None:
    world.place(world.add("a"), 3)
    kept, lost, other = world.claim(limit=2) + world.claim("n2")
    assert world.db.call(claims.hand_back, "n1", {(kept.id, kept.token)}, at(5)) == [lost.id]
    row = world.one(lost.id)
    assert (row["state"], row["attempt"], row["token"], row["node"]) == ("queued", 0, 1, None)
    assert row["admit_at"] is not None
    assert world.one(kept.id)["state"] == world.one(other.id)["state"] == "running"
    assert world.end(lost) == set()
    assert world.events() == [("run.handed_back", lost.id)]
    assert world.db.call(claims.hand_back, "n1", {(kept.id, kept.token)}, at(6)) == []


def test_lanes_are_taken_in_turn_and_only_those_asked_for(world: World) -> None:
    a, b = world.add("a", lane="one"), world.add("b", lane="two")
    ones, twos = world.place(a, 3), world.place(b, 3)
    assert [r.id for r in world.claim(limit=1, turn=0)] == ones[:1]
    assert [r.id for r in world.claim(limit=1, turn=1)] == twos[:1]
    assert [r.id for r in world.claim(names=["two"])] == twos[1:]
    assert [r.id for r in world.claim(limit=9)] == ones[1:]


def test_paused_and_foreign_lanes_are_not_claimed(world: World) -> None:
    world.place(world.add("a", lane="one"))
    world.lane("one", paused=True)
    assert world.claim() == []
    world.lane("one", engine="saq", url="redis://x")
    assert world.claim() == []
    world.lane("one")
    assert len(world.claim()) == 1


def test_concurrency_holds_for_all_nodes_together(world: World) -> None:
    a = world.add("a", lane="one")
    world.lane("one", concurrency=3)
    world.place(a, 6)
    first, second = world.claim("n1", 2), world.claim("n2", 5)
    assert [len(first), len(second)] == [2, 1]
    assert world.claim("n1") == []
    world.end(first[0])
    assert len(world.claim("n1")) == 1


def test_a_rate_is_a_bucket_that_fills_evenly(world: World) -> None:
    a = world.add("a", lane="one")
    world.lane("one", rate="2/m")
    world.place(a, 6)
    assert len(world.claim()) == 2
    assert world.claim(now=at(29)) == []
    assert world.db.read(lanes.next_token, None, at(29)) == at(30) - at(29)
    assert len(world.claim(now=at(30))) == 1
    assert len(world.claim(now=at(3600))) == 2
    assert world.claim(now=START) == []  # a clock that goes back gives no tokens


def test_a_claim_of_many_lanes_stops_at_its_limit(world: World) -> None:
    for name in ("a", "b", "c"):
        world.place(world.add(name, lane=name), 4)
    assert len(world.claim(limit=6)) == 6
    assert len(world.ready()) == 6
