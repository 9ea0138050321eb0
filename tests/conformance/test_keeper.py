"""The keeper on every store: who may be fenced, what moves on, what is repaired."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from rota.engine.heartbeat import Calls, Heartbeat
from rota.engine.keeper import Keeper, Kept, Watch
from rota.model.by import By
from rota.model.settings import Settings
from rota.store import cancels, nodes, passes, repair, runs
from rota.store.database import Database
from tests.support import seed
from tests.support.runs import FAILED, START, World, at

ME = By("me")
LEASE = timedelta(seconds=15)
RENEWAL = timedelta(seconds=5)


class Hands:
    """A clock that is set by hand."""

    simulated = True

    def __init__(self) -> None:
        self.s = 0.0

    def now(self) -> datetime:
        return at(self.s)

    def monotonic(self) -> float:
        return 1000 + self.s


class Guarded(World):
    """A world whose first node has a keeper."""

    def __init__(self, url: str) -> None:
        super().__init__(url, "n1", "n2")
        self.db.close()
        self.clock = Hands()
        self.db = Database(url, clock=self.clock)
        self.keeper = self.another("n1")

    def another(self, node: str) -> Keeper:
        return Keeper(self.db, Settings(), node=node)

    def turn(self, s: float, keeper: Keeper | None = None, *, sweep: bool | None = False) -> Kept:
        self.clock.s = s
        return asyncio.run((keeper or self.keeper).turn(sweep=sweep))

    def kill(self, node: str = "n2", start: float = 0.0) -> float:
        """Turn until the node, which does not renew any more, is fenced; when that was."""
        s = start
        while not self.turn(s).fenced:
            s += 5
            assert s < start + 60
        assert self.state(node) == "fenced"
        return s

    def state(self, node: str) -> str:
        return str(self.rows("SELECT state FROM {nodes} WHERE id = %s", node)[0]["state"])


@pytest.fixture
def world(store_url: str) -> Iterator[Guarded]:
    made = Guarded(store_url)
    yield made
    made.close()


def test_a_node_is_fenced_after_a_whole_lease_of_the_keeper_s_own_watching(world: Guarded) -> None:
    for s in (0, 5, 10):
        assert world.turn(s).fenced == []
    assert world.turn(15).fenced == ["n2"]
    assert world.state("n1") == "live"
    assert world.turn(20).fenced == []
    assert ("node.fenced", None) in world.events()


def test_a_node_that_renews_is_not_fenced(world: Guarded) -> None:
    for s in range(0, 100, 5):
        if s % 10 == 0:
            world.db.call(nodes.renew, "n2", at(s))
        assert world.turn(s).fenced == []


def test_a_beat_between_the_look_and_the_fence_saves_the_node(world: Guarded) -> None:
    for s in (0, 5, 10):
        world.turn(s)
    world.db.call(nodes.renew, "n2", at(14))
    assert world.db.call(nodes.fence, {"n2": 0}, at(15), "n1") == []
    assert world.state("n2") == "live"


def test_a_keeper_that_was_late_itself_starts_its_watch_again(world: Guarded) -> None:
    for s in (0, 5, 10, 30, 35, 40):  # an outage, or a suspend, between 10 and 30
        assert world.turn(s).fenced == []
    assert world.turn(45).fenced == ["n2"]


def test_a_keeper_that_is_fenced_itself_fences_nobody(world: Guarded) -> None:
    for s in (0, 5, 10):
        world.turn(s)
    world.write("UPDATE {nodes} SET state = 'fenced' WHERE id = 'n1'")
    for s in (15, 20, 25):
        assert world.turn(s).fenced == []


def test_a_fence_that_comes_late_after_the_look_starts_the_watch_again() -> None:
    watch = Watch(LEASE, RENEWAL)
    for s in (0.0, 5.0, 10.0):
        assert watch.look({"x": 7}, s, s) == {}
    assert watch.look({"x": 7}, 15, 15.2) == {"x": 7}
    assert watch.may_fence(15.9)
    assert not watch.may_fence(16.1)
    assert watch.look({"x": 7}, 20, 20) == {}
    assert watch.look({"x": 7}, 25, 25) == {}


def test_a_slow_look_counts_from_its_end_and_to_its_begin() -> None:
    watch = Watch(LEASE, RENEWAL)
    watch.look({"x": 1}, 0, 4)
    assert watch.look({"x": 1}, 9, 9) == {}
    assert watch.look({"x": 1}, 14, 14) == {}
    assert watch.look({"x": 1}, 18.9, 19) == {}
    assert watch.look({"x": 1}, 19, 19) == {"x": 1}


def test_runs_of_a_fenced_node_move_on_by_their_policies(world: Guarded) -> None:
    again = world.place(world.add("again"))[0]
    once = world.place(world.add("once", on_lost="fail"))[0]
    tired = world.place(world.add("tired", max_lost=0))[0]
    asked = world.place(world.add("asked"))[0]
    taken = {r.id: r for r in world.claim("n2")}
    world.db.call(cancels.request_cancel, asked, "cancel", ME, at(1))
    s = world.kill()
    rows = {i: world.db.read(runs.get, i) for i in (again, once, tired, asked)}
    assert [(r["state"], r["reason"]) for r in rows.values()] == [
        ("queued", "lost"),
        ("lost", "on_lost"),
        ("lost", "max_lost"),
        ("cancelled", "cancelled"),
    ]
    assert (rows[again]["attempt"], world.one(again)["lost"], rows[again]["next_attempt_at"]) == (0, 1, at(s))
    assert world.end(taken[again]) == set()  # a stale token changes nothing
    assert world.rows("SELECT * FROM {claims}") == []


def test_a_run_that_kills_its_workers_ends_lost(world: Guarded) -> None:
    (run,) = world.place(world.add("a", max_lost=2))
    for n in range(3):
        world.db.call(seed.node, START, f"victim{n}", "fenced")
        world.write("UPDATE {nodes} SET state = 'live' WHERE id = %s", f"victim{n}")
        assert len(world.claim(f"victim{n}")) == 1
        world.write("UPDATE {nodes} SET state = 'fenced' WHERE id = %s", f"victim{n}")
        assert world.db.call(repair.move_on, START, "n1") == [run]
        world.write("UPDATE {runs} SET admit_at = NULL WHERE id = %s", run)
        if n < 2:
            world.write("INSERT INTO {ready} (lane, priority, run_id) VALUES ('default', 0, %s)", run)
    row = world.one(run)
    assert (row["state"], row["reason"], row["lost"], row["attempt"]) == ("lost", "max_lost", 3, 1)


def test_a_claim_that_commits_after_the_fence_is_moved_on_by_the_next_sweep(world: Guarded) -> None:
    """Its snapshot was older than the fence: step three is repeated until nothing is left."""
    (run,) = world.place(world.add("a"))
    world.claim("n2")
    world.write("DELETE FROM {nodes} WHERE id = 'n2'")  # a missing row counts as not live
    assert world.turn(0, sweep=True).moved == [run]
    assert world.turn(1, sweep=True).moved == []


def test_r03_a_fence_that_reads_no_cancel(world: Guarded) -> None:
    """The cancel commits between the fence's look and its write: the run is queued, and admit cancels it."""
    (run,) = world.place(world.add("a"))
    world.claim("n2")
    world.write("UPDATE {nodes} SET state = 'fenced' WHERE id = 'n2'")
    world.db.call(repair.move_on, at(1), "n1")
    assert world.one(run)["state"] == "queued"
    sql = "INSERT INTO {cancels} (run_id, kind, at, actor) SELECT id, 'cancel', created_at, 'me' FROM {runs} WHERE id = %s"
    world.write(sql, run)
    from rota.store.admission import admit

    world.db.call(admit, at(2), 100)
    assert world.one(run)["state"] == "cancelled"
    assert world.ready() == []


def test_the_heartbeat_says_when_the_node_was_fenced_and_joins_again(world: Guarded) -> None:
    told: list[Any] = []
    calls = Calls(fenced=told.append, drain=lambda on: told.append(("drain", on)))
    heart = Heartbeat(world.db, Settings(), nodes.Node("h1", ("worker",), None, 5, "0", "z"), calls)
    assert heart.join() == "h1"
    assert world.db.node == "h1"
    assert heart.beat() is True
    world.db.call(nodes.drain, "h1", START, ME)
    heart.beat()
    world.write("UPDATE {nodes} SET state = 'fenced' WHERE id = 'h1'")
    assert heart.beat() is False
    assert told == [("drain", True), "h1"]
    fresh = heart.rejoin()
    assert fresh != "h1"
    assert world.state(fresh) == "live"
    assert heart.beat() is True
    heart.stop()
    assert world.state(fresh) == "stopped"


def test_the_heartbeat_beats_by_itself_and_leaves(world: Guarded) -> None:
    quick = Settings(lease=timedelta(seconds=0.3))
    heart = Heartbeat(Database(world.url), quick, nodes.Node("h1", ("worker",), None, 5, "0", "z"))
    heart.join()
    heart.start()
    try:
        for _ in range(200):
            if world.rows("SELECT beats FROM {nodes} WHERE id = 'h1'")[0]["beats"] >= 2:
                break
            heart._stop.wait(0.05)
        else:
            pytest.fail("no beats")
    finally:
        heart.stop()
        heart._loops_database.close()
    assert world.state("h1") == "stopped"


def test_an_active_schedule_without_due_at_is_armed(world: Guarded) -> None:
    a = world.add("a")
    world.write("UPDATE {cursors} SET due_at = NULL, next_at = NULL")
    assert world.turn(0, sweep=True).repaired == 1
    (row,) = world.rows("SELECT * FROM {cursors} WHERE schedule_id = %s", a)
    assert row["due_at"] is not None
    assert "repair.armed" in [kind for kind, _ in world.events()]
    assert world.turn(1, sweep=True).repaired == 0


def test_a_queued_run_that_nothing_would_start_is_given_a_time(world: Guarded) -> None:
    fine, forgotten = world.place(world.add("a"), 2)
    world.write("DELETE FROM {ready} WHERE run_id = %s", forgotten)
    assert world.turn(7, sweep=True).repaired == 1
    assert world.db.read(runs.get, forgotten)["next_attempt_at"] == at(7)
    assert world.db.read(runs.get, fine)["next_attempt_at"] is None
    assert ("repair.admitted", forgotten) in world.events()


def test_forgotten_runs_are_looked_for_in_slices(world: Guarded) -> None:
    ids = world.place(world.add("a"), 5)
    world.write("DELETE FROM {ready}")
    found, after = world.db.call(repair.admit_forgotten, at(1), 0, 2)
    assert (found, after) == (ids[:2], ids[1])
    found, after = world.db.call(repair.admit_forgotten, at(1), after, 2)
    assert (found, after) == (ids[2:4], ids[3])
    assert world.db.call(repair.admit_forgotten, at(1), after, 2) == (ids[4:], 0)


def test_ready_rows_without_a_queued_run_go_and_lanes_appear(world: Guarded) -> None:
    (run,) = world.place(world.add("a"))
    world.end(world.claim()[0], FAILED)
    for number in (run, 999):
        world.write("INSERT INTO {ready} (lane, priority, run_id) VALUES ('nowhere', 0, %s)", number)
    assert world.turn(0, sweep=True).repaired == 2
    assert world.ready() == []
    assert world.rows("SELECT name FROM {lanes} WHERE name = 'nowhere'") != []


def test_sweeps_forget_cancels_of_what_ended(world: Guarded) -> None:
    world.place(world.add("a"))
    (run,) = world.claim()
    world.db.call(cancels.request_cancel, run.id, "cancel", ME, START)
    world.end(run)
    world.turn(0, sweep=True)
    assert world.rows("SELECT * FROM {cancels}") == []


def cursor(world: Guarded, schedule: int) -> dict[str, Any]:
    from rota.store.dialect import read_at

    (row,) = world.rows("SELECT * FROM {cursors} WHERE schedule_id = %s", schedule)
    return row | {name: read_at(row[name]) for name in ("watermark", "next_at", "due_at")}


def test_a_clock_that_was_set_right_lowers_watermarks_of_the_false_future(world: Guarded) -> None:
    a, b = world.add("a"), world.add("b")
    year = 366 * 86400.0
    world.turn(year, sweep=True)
    false = at(year)
    sql = "UPDATE {cursors} SET watermark = %s, next_at = %s, due_at = %s WHERE schedule_id = %s"
    from rota.store import dialect

    world.db.call(lambda conn: dialect.execute(conn, sql, [dialect.at(conn, false)] * 3 + [a]))
    world.db.call(decided, a, START, false)
    assert world.turn(30, sweep=True).repaired == 1
    assert (cursor(world, a)["watermark"], cursor(world, a)["next_at"]) == (at(30), at(60))
    assert cursor(world, b)["watermark"] == START
    (cut, told) = world.rows("SELECT what, reason, after_at, until_at FROM {decisions} ORDER BY id")
    assert (cut["what"], dialect.read_at(cut["until_at"])) == ("coalesced", at(30))
    assert (told["what"], told["reason"], told["after_at"]) == ("skipped", "clock", told["until_at"])
    assert "repair.clock" in [kind for kind, _ in world.events()]
    # a fire that had asked before the step comes in between: the second round, a minute later, finds it
    world.db.call(lambda conn: dialect.execute(conn, sql, [dialect.at(conn, false)] * 3 + [b]))
    assert world.turn(60, sweep=True).repaired == 0
    assert world.turn(91, sweep=True).repaired == 1
    assert cursor(world, b)["watermark"] == at(91)
    assert world.turn(200, sweep=True).repaired == 0


def decided(conn: Any, schedule: int, after: datetime, until: datetime) -> None:
    from rota.store import dialect
    from rota.store.tables import of

    row = {"schedule_id": schedule, "after_at": after, "until_at": until, "what": "coalesced", "reason": None}
    dialect.insert_many(conn, of(conn).decisions, [row | {"revision": 1, "node": "n", "at": until}])


def test_a_step_back_of_less_than_an_hour_changes_nothing(world: Guarded) -> None:
    world.add("a")
    world.turn(3000, sweep=True)
    world.write("UPDATE {cursors} SET watermark = due_at")
    assert world.turn(0, sweep=True).repaired == 0


def test_newer_zone_data_recomputes_next_fires_from_the_watermark(world: Guarded) -> None:
    a = world.add("a")
    assert world.db.call(passes.watch_zone_data, "2026a") is False
    world.write("UPDATE {cursors} SET next_at = NULL, due_at = watermark, zone_data = '2026a'")
    assert world.db.call(passes.watch_zone_data, "2026a") is False
    assert world.db.call(passes.zone_slice, "2026a", at(1)) is None
    assert world.db.call(passes.watch_zone_data, "2026b") is True
    assert world.db.call(passes.zone_slice, "2026a", at(1)) is None  # an older node leaves it to the others
    assert world.db.call(passes.zone_slice, "2026b", at(1)) == 1
    assert world.db.call(passes.zone_slice, "2026b", at(1)) is None
    assert cursor(world, a)["next_at"] == at(60)
    assert "repair.zone_data" in [kind for kind, _ in world.events()]
    assert world.db.read(passes.newest_zone_data) == "2026b"
