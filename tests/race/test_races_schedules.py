"""Races of firing, admitting, editing and of the clock (races.md), real connections stepped by hand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime, timedelta
from typing import Any

import pytest

from rota.engine.keeper import Keeper
from rota.errors import Conflict, ScheduleNotFound
from rota.model.run import Failed, Succeeded
from rota.model.schedule import Key
from rota.model.settings import Settings
from rota.store import backfill, dialect, firings, orders, passes, schedules, skips
from rota.store.database import Database
from tests.support import interleave, laws, seed
from tests.support.hands import START, HandClock
from tests.support.steps import ME, Steps

KEY = Key("default", "default", "default", "a")
YEAR = timedelta(days=365)


class World(Steps):
    """A database under a clock of the test's, with a node that works."""

    def __init__(self, url: str) -> None:
        self.url = url
        super().__init__(Database(url, clock=HandClock(), synchronous="OFF"), HandClock())
        self.db.clock = self.clock
        self.join("n1")

    def add(self, name: str = "a", when: str = "* * * * *", **given: Any) -> int:
        return self.db.call(seed.schedules, START, [name], when, **given)[name]

    def rows(self, sql: str, *params: Any) -> list[dict[str, Any]]:
        return self.db.read(seed.rows, sql, params)

    def states(self) -> list[str]:
        return [row["state"] for row in self.rows("SELECT state FROM {runs} ORDER BY id")]

    def ready(self) -> list[int]:
        return [row["run_id"] for row in self.rows("SELECT run_id FROM {ready} ORDER BY run_id")]

    def mark(self) -> datetime:
        (cursor,) = self.db.read(laws.Facts.read).cursors.values()
        at: datetime = cursor["watermark"]
        return at

    def keep(self) -> None:
        """One sweep of a keeper, at the clock's time."""
        keeper = Keeper(self.db, Settings(), node="n1")
        asyncio.run(keeper.turn(sweep=True))

    def lawful(self, *, ahead: bool = False) -> laws.Facts:
        """The laws, read off the database."""
        return laws.check(self.db, ahead=ahead)


@pytest.fixture
def world(store_url: str) -> Iterator[World]:
    made = World(store_url)
    with closing(made.db):
        yield made


@pytest.fixture
def pg(pg_url: str) -> Iterator[World]:
    made = World(pg_url)
    with closing(made.db):
        yield made


# --- r02: two admits read one run as admissible; one admits, it is claimed and finishes; the other inserts `ready` ---


@pytest.mark.parametrize("ends", ["succeeded", "failed"])
def test_r02_double_admit(pg: World, monkeypatch: pytest.MonkeyPatch, ends: str) -> None:
    pg.add(retry={"attempts": 3, "backoff": "fixed", "base": "10m"}, jitter="30s")
    pg.clock.on(minutes=1)
    pg.fire()
    pg.clock.on(seconds=40)
    with interleave.gate(pg.db, monkeypatch, "admit_at <= %s") as begin:
        late = begin(lambda: pg.admit("s2"))
        assert pg.admit() == 1
        outcome = Succeeded() if ends == "succeeded" else Failed("E", "no", ("E",))
        assert len(pg.work("n1", lambda run: outcome)) == 1
    assert late.end() == 0
    assert pg.ready() == []
    assert pg.claim("n1") == []
    assert pg.states() == ["succeeded" if ends == "succeeded" else "queued"]
    pg.lawful()
    pg.clock.on(minutes=9)
    pg.admit()
    assert pg.claim("n1") == []


def test_r02_double_admit_of_a_run_that_waits(pg: World, monkeypatch: pytest.MonkeyPatch) -> None:
    pg.add(overlap="queue_one")
    pg.clock.on(minutes=1)
    pg.fire()
    pg.clock.on(minutes=1)
    pg.fire()
    pg.work("n1")
    with interleave.gate(pg.db, monkeypatch, "r.waiting AND r.state = 'queued'") as begin:
        late = begin(lambda: pg.admit("s2"))
        assert pg.admit() == 1
        assert len(pg.work("n1")) == 1
    assert late.end() == 0
    assert pg.ready() == []
    assert pg.states() == ["succeeded", "succeeded"]
    pg.lawful()


def test_r02_double_admit_side_by_side(pg: World) -> None:
    """Neither waits for the other, and one of them admits."""
    pg.add(jitter="30s")
    pg.clock.on(minutes=1)
    pg.fire()
    pg.clock.on(seconds=40)
    with pg.db.transaction() as conn:
        assert pg.scheduler("s2").admit(conn, pg.clock.now()).ready == 1
        assert pg.admit() == 0
    assert len(pg.claim("n1")) == 1
    pg.lawful()


def test_r02_a_ready_row_of_a_final_run_starts_nothing(world: World) -> None:
    world.add()
    world.clock.on(minutes=1)
    world.fire()
    (run,) = world.work("n1")
    sql = "INSERT INTO {ready} (lane, priority, run_id) VALUES ('default', 0, %s)"
    world.db.call(dialect.execute, sql, [run.id])
    assert world.claim("n1") == []
    assert (world.ready(), world.states()) == ([], ["succeeded"])


# --- r05: a backfill or a retry by hand reads the schedule; remove commits; it inserts ---


def _backfill(conn: Any, now: datetime) -> object:
    asked = backfill.Backfilling(now - timedelta(minutes=10), now, timedelta(days=90))
    return backfill.backfill(conn, KEY, asked, ME)


def _retry(conn: Any, now: datetime) -> object:
    return orders.retry(conn, 1, ME)


ASKING = pytest.mark.parametrize(("act", "refusal"), [(_backfill, ScheduleNotFound), (_retry, Conflict)])


def _with_one_run(world: World) -> None:
    schedule = world.add()
    world.clock.on(minutes=1)
    world.fire()
    (run,) = world.work("n1")
    assert (schedule, run.id) == (1, 1)
    world.clock.on(minutes=20)


@ASKING
def test_r05_backfill_versus_remove(pg: World, act: Callable[..., object], refusal: type[Exception]) -> None:
    _with_one_run(pg)
    with pg.db.transaction() as conn:
        schedules.remove(conn, KEY, ME)
        late = interleave.Side(lambda: pg.db.call(act, pg.clock.now()))
        interleave.waits(pg.db)
    assert isinstance(late.end(), refusal)
    assert pg.states() == ["succeeded"]
    pg.lawful()


@ASKING
def test_r05_backfill_versus_remove_that_waits(pg: World, act: Callable[..., object], refusal: type[Exception]) -> None:
    _with_one_run(pg)
    with pg.db.transaction() as conn:
        assert act(conn, pg.clock.now())
        late = interleave.Side(lambda: pg.db.call(schedules.remove, KEY, ME))
        interleave.waits(pg.db)
    assert late.end() == 1
    assert set(pg.states()[1:]) == {"cancelled"}
    pg.admit()
    assert pg.claim("n1") == []
    assert refusal
    pg.lawful()


# --- r06: an occurrence is due, unfired; disable; enable later ---


def test_r06_due_then_disabled(world: World) -> None:
    world.add()
    world.clock.on(minutes=5)
    world.db.call(schedules.disable, KEY, ME)
    world.clock.on(hours=1)
    assert world.fire().fired == 0
    world.db.call(schedules.enable, KEY, ME)
    world.clock.on(minutes=1)
    assert world.fire().fired == 1
    facts = world.lawful()
    assert [(d["until_at"], d["reason"]) for d in facts.decisions] == [(START + timedelta(minutes=5), "operator")]


@pytest.mark.parametrize("act", [schedules.disable, schedules.remove])
def test_r06_due_then_disabled_while_a_fire_looks(pg: World, act: Callable[..., int]) -> None:
    pg.add()
    pg.clock.on(minutes=1)
    with pg.db.transaction() as conn:
        act(conn, KEY, ME)
        assert pg.fire().fired == 0
    pg.clock.on(minutes=1)
    assert pg.fire().fired == 0
    (decision,) = pg.lawful().decisions
    assert (decision["what"], decision["reason"]) == ("skipped", "operator")


def test_r06_due_and_fired_while_disable_waits(pg: World) -> None:
    pg.add()
    pg.clock.on(minutes=1)
    with pg.db.transaction() as conn:
        assert pg.scheduler().fire(conn, pg.clock.now()).fired == 1
        late = interleave.Side(lambda: pg.db.call(schedules.disable, KEY, ME))
        interleave.waits(pg.db)
        pg.clock.on(minutes=2)
    assert late.end() == 1
    facts = pg.lawful()
    assert (pg.states(), pg.mark()) == (["cancelled"], START + timedelta(minutes=3))
    assert [d["reason"] for d in facts.decisions] == ["operator"]


# --- r12: a keeper asks the clock, is stopped while others fire, continues ---


def test_r12_keeper_with_old_clock(pg: World) -> None:
    """In the middle of a pass: it waits for a cursor, and must not bring an instant from before that wait."""
    pg.add()
    pg.keep()
    pg.clock.on(hours=5)
    pg.keep()
    pg.clock.on(hours=-3)
    pg.db.call(passes.watch_clock)
    pg.clock.on(minutes=1)
    with pg.db.transaction() as conn:
        assert pg.scheduler().fire(conn, pg.clock.now()).claimed == 1
        keeper = interleave.Side(lambda: pg.db.call(passes.clock_slice, "n1"))
        interleave.waits(pg.db)
        pg.clock.on(hours=2)
        assert firings.lock(conn, 1) is not None
        assert pg.scheduler().fire(conn, pg.clock.now()).claimed == 1
    assert keeper.end() == 0
    assert pg.mark() == pg.clock.now()
    pg.lawful()


def test_r12_keeper_with_old_clock_watching(pg: World) -> None:
    """Before a pass: its look at the clock is older than what another keeper has seen meanwhile."""
    pg.add()
    pg.keep()
    with pg.db.transaction() as conn:
        conn.exec_driver_sql("SELECT 1")
        seen = passes.watch_clock(conn)
        other = interleave.Side(lambda: pg.db.call(passes.watch_clock))
        interleave.waits(pg.db)
        pg.clock.on(hours=3)
        pg.fire()
    assert other.end() == pg.clock.now() > seen
    assert pg.db.call(passes.clock_slice, "n1") is None
    assert pg.mark() == pg.clock.now()
    pg.lawful()


def test_r12_keeper_with_old_clock_and_nobody_else(world: World) -> None:
    """An old instant that is no more than an hour old begins nothing."""
    world.add()
    world.keep()
    world.clock.on(minutes=59)
    world.fire()
    world.keep()
    mark = world.mark()
    world.clock.on(minutes=-59)
    world.keep()
    assert world.mark() == mark
    world.lawful()


# --- r13: a fire that asked the clock before it was set right commits during the pass over the schedules ---


def _wrong_clock(world: World, **given: Any) -> datetime:
    """The schedule is at work, then the clock stands a year ahead; the right time."""
    world.add(**given)
    world.clock.on(minutes=2)
    world.turn()
    world.keep()
    right = world.clock.now()
    world.clock.set(right + YEAR)
    world.keep()
    return right


def _set_right(world: World, right: datetime) -> None:
    """Both rounds of the pass, then schedules at work again: nobody waits for the false future."""
    world.clock.set(max(right, world.clock.now()) + timedelta(seconds=61))
    world.keep()
    assert world.mark() <= world.clock.now()
    for _ in range(3):
        world.work("n1")
        before = world.mark()
        world.clock.on(minutes=1)
        world.turn()
        assert world.mark() > before
    world.lawful(ahead=True)


def test_r13_pass_versus_fire(pg: World) -> None:
    """The fire holds the cursor when the pass comes to it."""
    right = _wrong_clock(pg)
    with pg.db.transaction() as conn:
        assert pg.scheduler().fire(conn, pg.clock.now()).fired + 1
        pg.clock.set(right)
        pg.db.call(passes.watch_clock)
        keeper = interleave.Side(lambda: pg.db.call(passes.clock_slice, "n1"))
        interleave.waits(pg.db)
    assert keeper.end() == 1
    assert pg.mark() == right
    _set_right(pg, right)


def test_r13_pass_versus_fire_that_comes_after(world: World) -> None:
    """The fire has asked the clock, and claims only when the pass has gone by: the second round finds it."""
    right = _wrong_clock(world)
    wrong = world.clock.now()
    world.clock.set(right)
    world.keep()
    assert world.db.call(world.scheduler("s2").fire, wrong).claimed == 1
    assert world.mark() > right
    _set_right(world, right)


# --- r14: occurrences were decided in a false future, the clock is set right, they are decided again ---


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"catchup": "all", "catchup_max": 5, "overlap": "allow"},
        {"catchup": "earliest", "overlap": "queue_all"},
        {"catchup": "none", "overlap": "replace"},
    ],
    ids=["latest", "all", "earliest", "none"],
)
def test_r14_clock_back_decided_again(world: World, given: dict[str, Any]) -> None:
    right = _wrong_clock(world, **given)
    world.clock.set(right + timedelta(hours=2))
    world.turn()
    world.work("n1")
    world.clock.on(minutes=2)
    world.turn()
    false_future = {run["scheduled_for"] for run in world.db.read(laws.Facts.read).runs}
    assert max(false_future) > right + timedelta(hours=1)
    world.clock.set(right)
    world.keep()
    assert world.mark() == right
    _set_right(world, right)
    world.clock.set(right + timedelta(hours=3))
    world.turn()
    facts = world.lawful(ahead=True)
    made = [run["scheduled_for"] for run in facts.runs if run["scheduled_for"] is not None]
    assert len(made) == len(set(made))
    assert world.mark() == right + timedelta(hours=3)


def test_r14_what_an_operator_took_out_stays_out(world: World) -> None:
    right = _wrong_clock(world)
    out = right + timedelta(minutes=30)
    world.clock.set(right)
    world.db.call(skips.skip, KEY, out, ME)
    world.clock.set(right + timedelta(hours=2))
    world.turn()
    world.keep()
    world.clock.set(right)
    world.keep()
    _set_right(world, right)
    world.clock.set(out)
    world.turn()
    facts = world.lawful(ahead=True)
    assert out not in {run["scheduled_for"] for run in facts.runs}
    over = [d["reason"] for d in facts.decisions if d["after_at"] < out <= d["until_at"]]
    assert over == ["operator"]
