"""Races of claims and settlements, stepped by hand (tests/cases/data/races.md). Open transactions are on PostgreSQL."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from rota.errors import DatabaseUnavailable
from rota.model.by import By
from rota.model.run import Claimed
from rota.store import admission, cancels, claims, dialect, nodes, repair, schedules, settlements
from rota.store.database import Connection
from tests.support.runs import FAILED, START, World, at

ME = By("me")
RETRY = {"attempts": 3, "backoff": "fixed", "base": "60s"}


@pytest.fixture
def world(store_url: str) -> Iterator[World]:
    made = World(store_url, "n1", "n2")
    yield made
    made.close()


@pytest.fixture
def pg(pg_url: str) -> Iterator[World]:
    made = World(pg_url, "n1", "n2")
    yield made
    made.close()


def admit(world: World, s: float) -> None:
    world.db.call(admission.admit, at(s), 100)


def test_r02_double_admit_while_the_first_is_open(pg: World) -> None:
    (run,) = pg.place(pg.add("a", retry=RETRY), not_before=at(5))
    other = pg.other()
    with pg.db.transaction() as first:
        assert admission.admit(first, at(5), 100).ready == 1
        assert other.call(admission.admit, at(5), 100).ready == 0
    assert pg.ready() == [run]


def test_r02_double_admit_after_the_run_has_moved(world: World) -> None:
    """The other admit comes when the run was claimed and settled already: its conditions are judged anew."""
    (run,) = world.place(world.add("a", retry=RETRY), not_before=at(5))
    admit(world, 5)
    (claimed,) = world.claim()
    admit(world, 5)
    assert world.ready() == []
    world.end(claimed, FAILED, at(6))
    admit(world, 65)
    assert world.ready() == []  # not before its time
    admit(world, 66)
    assert world.ready() == [run]


def test_r02_a_ready_row_of_a_final_run_starts_nothing(world: World) -> None:
    (run,) = world.place(world.add("a"))
    world.end(world.claim()[0])
    world.write("INSERT INTO {ready} (lane, priority, run_id) VALUES ('default', 0, %s)", run)
    assert world.claim() == []
    assert world.one(run)["state"] == "succeeded"


def settled(world: World, run: Claimed) -> None:
    world.end(run, FAILED, at(1))


def handed_back(world: World, run: Claimed) -> None:
    world.db.call(claims.hand_back, run_node(world, run), set(), at(1))


def fenced(world: World, run: Claimed) -> None:
    world.write("UPDATE {nodes} SET state = 'fenced' WHERE id = %s", run_node(world, run))
    world.db.call(repair.move_on, at(1), "n2")


def run_node(world: World, run: Claimed) -> str:
    return str(world.one(run.id)["node"])


def without_looking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever ends the claim has read `cancels` before the cancel came."""
    monkeypatch.setattr(repair, "cancels_of", lambda *_: {})


ENDS: list[Callable[[World, Claimed], None]] = [settled, handed_back, fenced]


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("kind", ["cancel", "replace"])
def test_r03_cancel_versus_settle(world: World, monkeypatch: pytest.MonkeyPatch, end: Any, kind: str) -> None:
    (run,) = world.place(world.add("a", retry=RETRY))
    (claimed,) = world.claim()
    without_looking(monkeypatch)
    world.db.call(cancels.request_cancel, run, kind, ME, START)
    end(world, claimed)
    assert world.one(run)["state"] == "queued"
    admit(world, 2)
    assert world.one(run)["state"] == "cancelled"
    assert world.claim() == []


@pytest.mark.parametrize("end", ENDS)
def test_r03_a_claim_makes_it_cancelled_too(world: World, monkeypatch: pytest.MonkeyPatch, end: Any) -> None:
    (run,) = world.place(world.add("a", retry=RETRY))
    (claimed,) = world.claim()
    without_looking(monkeypatch)
    world.db.call(cancels.request_cancel, run, "cancel", ME, START)
    end(world, claimed)
    world.write("UPDATE {runs} SET admit_at = NULL")
    world.write("INSERT INTO {ready} (lane, priority, run_id) VALUES ('default', 0, %s)", run)
    assert world.claim("n2") == []
    assert world.one(run)["state"] == "cancelled"


def test_r03_cancel_waits_for_an_open_settlement(pg: World) -> None:
    (run,) = pg.place(pg.add("a", retry=RETRY))
    (claimed,) = pg.claim()
    answers: list[str] = []
    with pg.db.transaction() as conn:
        settlements.settle(conn, [pg.decide(claimed, FAILED)], at(1), "n1")
        other = pg.other()
        cancel = threading.Thread(
            target=lambda: answers.append(other.call(cancels.request_cancel, run, "cancel", ME, at(1)))
        )
        cancel.start()
        waiting(pg)
    cancel.join()
    assert answers == ["cancelled"]
    assert pg.one(run)["state"] == "cancelled"


def waiting(world: World) -> None:
    """Until somebody waits for a lock."""
    sql = "SELECT count(*) AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    other = world.other()
    while not other.read(lambda conn: dialect.query(conn, sql)[0]["n"]):
        pass


@pytest.mark.parametrize("after", [None, "again"])
@pytest.mark.parametrize("act", ["disable", "remove"])
def test_r04_disable_versus_settle(world: World, act: str, after: str | None) -> None:
    a = world.add("a", retry=RETRY)
    (run,) = world.place(a)
    (claimed,) = world.claim()
    decided = world.decide(claimed, FAILED)
    world.db.call(schedules.disable if act == "disable" else schedules.remove, a, ME)
    if after:
        world.db.call(again, act, a)
    world.settle(decided, now=at(1))
    admit(world, 2)
    admit(world, 100)
    assert world.one(run)["state"] == "cancelled"
    assert world.claim() == []


def again(conn: Connection, act: str, schedule: int) -> None:
    if act == "disable":
        schedules.enable(conn, schedule, ME)
    else:  # what adding the key again does to the cursor
        dialect.execute(conn, "UPDATE {cursors} SET state = 'active' WHERE schedule_id = %s", [schedule])
        dialect.execute(conn, "UPDATE {schedules} SET removed_at = NULL WHERE id = %s", [schedule])


@pytest.mark.parametrize("act", ["disable", "remove"])
def test_r04_disable_beside_an_open_settlement(pg: World, act: str) -> None:
    """The settlement has moved the run, and is not committed: disable sees it running, and writes its row for it."""
    a = pg.add("a", retry=RETRY)
    (run,) = pg.place(a)
    (claimed,) = pg.claim()
    with pg.db.transaction() as conn:
        settlements.settle(conn, [pg.decide(claimed, FAILED)], at(1), "n1")
        pg.other().call(schedules.disable if act == "disable" else schedules.remove, a, ME)
    assert pg.one(run)["state"] == "queued"
    admit(pg, 2)
    assert pg.one(run)["state"] == "cancelled"


def test_r04_code_that_ran_to_its_end_stands(world: World) -> None:
    a = world.add("a")
    (run,) = world.place(a)
    (claimed,) = world.claim()
    world.db.call(schedules.disable, a, ME)
    world.end(claimed)
    assert world.one(run)["state"] == "succeeded"


def test_r09_final_holder(world: World) -> None:
    a = world.add("a")
    (holder,) = world.place(a, flight=f"s:{a}")
    assert world.place(a, first=60, flight=f"s:{a}") == []
    world.end(world.claim()[0])
    assert world.rows("SELECT run_id FROM {flights}") == [{"run_id": holder}]
    (following,) = world.place(a, first=120, flight=f"s:{a}")
    assert world.ready() == [following]
    assert world.rows("SELECT run_id FROM {flights}") == [{"run_id": following}]


def test_r10_stopped_between_settle_and_commit(pg: World) -> None:
    """A stopped process holds its run's lock for ever: its session is ended, the run moves on."""
    (run,) = pg.place(pg.add("a"))
    (claimed,) = pg.claim()
    stopped = pg.other()
    stopped.node = "n1"
    with pytest.raises(DatabaseUnavailable), stopped.transaction() as conn:  # noqa: PT012 - the steps are the test
        settlements.settle(conn, [pg.decide(claimed)], at(1), "n1")
        assert pg.db.call(nodes.fence, {"n1": 0}, at(20), "n2") == ["n1"]
        assert pg.db.call(repair.move_on, at(20), "n2") == []  # locked: passed over
        assert pg.db.call(nodes.end_sessions) == 1
        while pg.db.call(repair.move_on, at(20), "n2") != [run]:
            pass
    assert pg.one(run)["state"] == "queued"


def test_r11_fenced_node_claims(world: World) -> None:
    world.place(world.add("a"), 2)
    world.db.call(nodes.fence, {"n1": 0}, at(20), "n2")
    assert world.claim("n1", now=at(21)) == []
    assert len(world.claim("n2", now=at(21))) == 2


def test_r11_a_claim_that_was_open_when_its_node_was_fenced(pg: World) -> None:
    (run,) = pg.place(pg.add("a"))
    with pg.db.transaction() as conn:
        (claimed,) = claims.claim(conn, "n1", None, 9, at(1))
        assert pg.other().call(nodes.fence, {"n1": 0}, at(20), "n2") == ["n1"]
        assert pg.other().call(repair.move_on, at(20), "n2") == []
    assert pg.db.call(repair.move_on, at(50), "n2") == [run]
    assert pg.end(claimed) == set()


def test_two_open_claims_share_nothing_and_wait_for_nothing(pg: World) -> None:
    pg.place(pg.add("a"), 4)
    with pg.db.transaction() as first:
        mine = claims.claim(first, "n1", None, 2, at(1))
        theirs = pg.other().call(claims.claim, "n2", None, 9, at(1))
    assert [len(mine), len(theirs)] == [2, 2]
    assert not {r.id for r in mine} & {r.id for r in theirs}


def test_a_full_lane_is_counted_under_its_lock(pg: World) -> None:
    """Two claims at once of a lane that has one place: the second waits for the first, and finds it taken."""
    pg.place(pg.add("a", lane="one"), 4)
    pg.lane("one", concurrency=1)
    found: list[int] = []
    with pg.db.transaction() as first:
        assert len(claims.claim(first, "n1", None, 9, at(1))) == 1
        other = pg.other()
        second = threading.Thread(target=lambda: found.append(len(other.call(claims.claim, "n2", None, 9, at(1)))))
        second.start()
        waiting(pg)
    second.join()
    assert found == [0]
