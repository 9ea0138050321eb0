"""The claim that answers a hint: what it takes, what it leaves, and that the loop waits for its answer."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

import pytest

from rota.engine.reflex import Reflex
from rota.engine.registry import Registry, python_job
from rota.engine.wake import Wake
from rota.engine.worker import Worker
from rota.model.run import Claimed
from rota.model.settings import Settings
from rota.store import claims, dialect, line, settlements
from rota.store.hints import PostgresHints
from rota.store.line import Lost
from rota.store.lone import Question
from rota.store.reflex import MOST, Caught, Reach
from tests.engine.test_line import Ears, opened, soon
from tests.support import seed
from tests.support.hands import HandClock
from tests.support.runs import START, World, at, place

SLOW: Final = Settings(slots=10)


@pytest.fixture
def world(pg_url: str) -> Iterator[World]:
    made = World(pg_url, "n1", "n2")
    yield made
    made.close()


def catch(
    world: World, node: str = "n1", limit: int = MOST, now: datetime = START, names: Any = None
) -> Caught | line.Answer:
    """What a reflex takes at `now`."""

    async def main() -> Caught | line.Answer:
        async with opened(world.url) as (made, ears):
            return await caught(made, ears, Reach("rota", names, HandClock(now)), node, limit)

    return asyncio.run(main())


async def caught(made: line.Line, ears: Ears, reach: Reach, node: str, limit: int) -> Caught | line.Answer:
    ears.answers.clear()
    made.ask(reach.claim(node, limit), ears.answers.append)
    await soon(lambda: bool(ears.answers))
    answer = ears.answers[0]
    return reach.caught(answer, limit) if isinstance(answer, bytes) else answer


def test_it_takes_what_a_claim_takes(world: World) -> None:
    a = world.add("a", zone="Europe/Stockholm", timeout="5m")
    world.write("UPDATE {definitions} SET args = %s::jsonb", '{"x": [1, "é"]}')
    world.place(a, first=-60)
    world.end(world.claim()[0], now=at(1))
    ids = world.place(a, 2, now=at(1), not_before=START, expires_at=at(60))
    (general,) = world.claim(limit=1, now=at(2))
    found = catch(world, now=at(2))
    assert isinstance(found, Caught)
    (run,) = found.runs
    assert not found.left
    assert (general.id, run.id) == tuple(ids)
    assert run == replace(
        general, id=run.id, scheduled_for=at(1), covers_from=at(1), covers_to=at(1), invocation=run.invocation
    )
    assert run.invocation == "default/default/default/a@2026-03-01T12:00:01Z"
    assert world.ready() == []
    one, two = (world.one(i) for i in ids)
    own = {"id", "scheduled_for", "covers_from", "covers_to"}
    assert {k: v for k, v in one.items() if k not in own} == {k: v for k, v in two.items() if k not in own}
    rows = world.rows("SELECT run_id, token, node, lane FROM {claims} ORDER BY run_id")
    assert [tuple(row.values()) for row in rows] == [(i, 1, "n1", "default") for i in ids]


def test_it_takes_in_order_and_says_when_others_are_left(world: World) -> None:
    a = world.add("a")
    late, early = world.place(a, 2, priority=5), world.place(a, 2, first=10, priority=-1)
    found = catch(world, limit=3)
    assert isinstance(found, Caught)
    assert ([run.id for run in found.runs], found.left) == ([*early, late[0]], True)
    assert catch(world, limit=3) == replace(found, runs=[run_of(world, late[1])], left=False)
    assert catch(world) == Caught([], left=False)


def run_of(world: World, run: int) -> Claimed:
    """The run as it was claimed, from its row."""
    rows = world.db.read(lambda conn: dialect.tuples(conn, f"SELECT {ROW} FROM {{runs}} WHERE id = %s", [run]))
    row = claims.Row._make((*rows[0], None))
    return world.db.read(
        lambda conn: claims.claimed(row, claims.templates(conn, [row.definition_id])[row.definition_id], START)
    )


ROW: Final = ", ".join(name for name in claims.Row._fields if name != "since")


def test_what_was_cancelled_or_is_late_is_left_to_the_general_claim(world: World) -> None:
    a = world.add("a")
    cancelled, fine = world.place(a, 2)
    (late,) = world.place(a, 1, first=10, expires_at=at(60))
    world.db.call(cancel_row, cancelled)
    found = catch(world, now=at(61))
    assert isinstance(found, Caught)
    assert ([run.id for run in found.runs], found.left) == ([fine], True)
    assert world.ready() == [cancelled, late]
    assert world.claim(now=at(61)) == []
    assert [world.one(run)["state"] for run in (cancelled, late)] == ["cancelled", "expired"]


def cancel_row(conn: Any, run: int) -> None:
    sql = "INSERT INTO {cancels} (run_id, kind, at, actor) VALUES (%s, 'cancel', %s, 'me')"
    dialect.execute(conn, sql, [run, START])


@pytest.mark.parametrize(
    ("limits", "left"),
    [
        ({"concurrency": 5}, True),
        ({"rate": "5/s"}, True),
        ({"paused": True}, False),
        ({"engine": "saq", "url": "x"}, False),
    ],
)
def test_lanes_that_are_not_simply_open(world: World, limits: dict[str, Any], left: bool) -> None:
    world.lane("default", **limits)
    world.place(world.add("a"))
    assert catch(world) == Caught([], left=left)
    assert len(world.ready()) == 1


def test_where_two_lanes_have_work_their_turn_is_not_its_to_say(world: World) -> None:
    world.place(world.add("a"))
    world.place(world.add("b", lane="other"))
    assert catch(world) == Caught([], left=True)
    found = catch(world, names=("other", "third"))
    assert isinstance(found, Caught)
    assert [run.lane for run in found.runs] == ["other"]
    assert catch(world, names=("third",)) == Caught([], left=False)


def test_a_node_that_may_not_claim_takes_nothing(world: World) -> None:
    world.place(world.add("a"))
    world.db.call(seed.node, START, "dead", "fenced")
    world.write("UPDATE {nodes} SET draining = true WHERE id = 'n2'")
    for node in ("dead", "n2", "nobody"):
        assert catch(world, node) == Caught([], left=False)
    assert len(world.ready()) == 1


def test_nobody_shares_a_run(world: World) -> None:
    """Two at once: a row that the other one holds is passed over."""
    ids = world.place(world.add("a"), 2)
    with world.other().transaction() as conn:
        assert [run.id for run in claims.claim(conn, "n1", None, 1, START)] == ids[:1]
        found = catch(world, "n2")
    assert isinstance(found, Caught)
    assert [run.id for run in found.runs] == ids[1:]


# In a worker


def worker_of(world: World, handler: Callable[..., Any]) -> Worker:
    registry = Registry()
    registry.add(python_job(handler, allow_local=True))
    return Worker(world.db, registry, SLOW, node="n1", wake=Wake(world.db))


@asynccontextmanager
async def resting(worker: Worker) -> AsyncIterator[list[bool]]:
    """The worker's loop, asleep for the length of a poll; whether its reflex took over, hint by hint."""
    reacted: list[bool] = []
    react = worker.reflex.react

    def seen() -> bool:
        reacted.append(react())
        return reacted[-1]

    worker.wake.reflex = seen
    worker.wake.start()
    loop = asyncio.ensure_future(worker.run())
    try:
        await soon(lambda: worker.wake.listening and worker.turned_at is not None)
        yield reacted
    finally:
        worker.stop()
        await loop
        await worker.wake.stop()


def announced(conn: Any, schedule: int, n: int) -> list[int]:
    made = place(conn, schedule, [at(n)], START)
    dialect.notify(conn, ["r"])
    return made


def test_a_sleeping_worker_starts_what_is_announced(world: World) -> None:
    a, other = world.add("a"), world.other()

    async def noop() -> None:
        pass

    async def main() -> None:
        worker = worker_of(world, noop)
        async with resting(worker) as reacted:
            for n in range(3):
                await asyncio.to_thread(other.call, announced, a, n)
                await soon(lambda n=n: worker.totals.settled == n + 1)  # type: ignore[misc]
            assert any(reacted)

    asyncio.run(main())
    assert {row["state"] for row in world.rows("SELECT state FROM {runs}")} == {"succeeded"}
    assert world.rows("SELECT run_id FROM {claims}") == []


def test_a_claim_whose_answer_is_lost_is_handed_back(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    a, other, starts = world.add("a"), world.other(), []
    asked = PostgresHints.ask

    def lost(self: PostgresHints, wanted: Question, answered: line.Answered) -> bool:
        monkeypatch.setattr(PostgresHints, "ask", asked)
        return asked(self, wanted, lambda _: answered(Lost()))

    monkeypatch.setattr(PostgresHints, "ask", lost)

    async def noop() -> None:
        starts.append(1)

    async def main() -> None:
        worker = worker_of(world, noop)
        async with resting(worker):
            await asyncio.to_thread(other.call, announced, a, 0)
            await soon(lambda: world.rows("SELECT state FROM {runs} WHERE reason = 'handed_back'") != [])
            assert (worker.held, starts) == ([], [])

    asyncio.run(main())
    assert world.rows("SELECT run_id FROM {claims}") == []


def test_what_has_ended_makes_room_in_a_lane_with_a_limit(world: World) -> None:
    """Nobody hints at the runs that wait, and the next poll is far away."""
    world.lane("default", concurrency=1)
    a = world.add("a")

    async def noop() -> None:
        pass

    async def main() -> None:
        worker = worker_of(world, noop)
        async with resting(worker):
            await asyncio.to_thread(world.db.call, many_announced, a)
            async with asyncio.timeout(SLOW.poll.total_seconds() - 1):
                await soon(lambda: worker.totals.settled == 5)

    asyncio.run(main())


def many_announced(conn: Any, schedule: int) -> None:
    place(conn, schedule, [at(n) for n in range(5)], START)
    dialect.notify(conn, ["r"])


def test_a_hint_is_answered_while_a_settlement_is_under_way(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    a, other, gate, settling = world.add("a"), world.other(), threading.Event(), threading.Event()
    settled = settlements.settle

    def slow(*given: Any) -> set[int]:
        settling.set()
        assert gate.wait(10)
        return settled(*given)

    monkeypatch.setattr(settlements, "settle", slow)

    async def noop() -> None:
        pass

    async def main() -> None:
        worker = worker_of(world, noop)
        async with resting(worker):
            await asyncio.to_thread(other.call, announced, a, 0)
            await soon(settling.is_set)
            await asyncio.to_thread(other.call, announced, a, 1)
            await soon(lambda: worker.totals.claimed == 2)
            gate.set()
            await soon(lambda: worker.totals.settled == 2)

    asyncio.run(main())


class Fake:
    """A worker, its waker, and a database's questions that a test answers."""

    def __init__(self, **given: Any) -> None:
        self.database = self.clock = self
        self.sqlite = self.simulated = self.stopping = self.draining = False
        self.schema, self.lane_names, self.node, self.free = "rota", None, "n1", 10
        self.wake: Any = self
        self.ear: Any = self
        self.reflex: Any = None
        self.answers: list[line.Answered] = []
        self.took_: list[bool] = []
        self.woken = 0
        self.open = True
        for name, value in given.items():
            setattr(self, name, value)

    def now(self) -> datetime:
        return START

    def ask(self, _asked: Question, answered: line.Answered) -> bool:
        if self.open:
            self.answers.append(answered)
        return self.open

    def took(self, _taken: list[Claimed], *, doubtful: bool) -> None:
        self.took_.append(doubtful)


NOTHING: Final = b'{"at": "2026-03-01T12:00:00+00:00", "others": false, "chosen": 0, "runs": null}'


def reflex_of(fake: Fake) -> Reflex:
    def wake() -> None:
        fake.woken += 1

    fake.ear = type("Ear", (), {"wake": staticmethod(wake)})
    return Reflex(fake)  # type: ignore[arg-type]


def test_it_reacts_only_while_the_loop_sleeps_and_there_is_room() -> None:
    async def main() -> None:
        fake = Fake()
        reflex = reflex_of(fake)
        assert not reflex.react()
        reflex.arm()
        for name, value in (("stopping", True), ("draining", True), ("free", 0), ("open", False)):
            before = getattr(fake, name)
            setattr(fake, name, value)
            assert not reflex.react(), name
            setattr(fake, name, before)
        assert reflex.react()
        assert reflex.under_way
        fake.answers.pop()(NOTHING)
        assert not reflex.under_way
        await reflex.disarm()
        assert not reflex.react()
        assert (fake.took_, fake.woken) == ([False], 0)

    asyncio.run(main())


def test_the_loop_goes_on_only_once_it_is_answered() -> None:
    async def main() -> None:
        fake = Fake()
        reflex = reflex_of(fake)
        reflex.arm()
        assert reflex.react()
        going_on = asyncio.ensure_future(reflex.disarm())
        await asyncio.sleep(0)  # noqa: TID251 - lets it wait
        assert not going_on.done()
        fake.answers.pop()(Lost())
        await going_on
        assert (fake.took_, fake.woken) == ([True], 1)

    asyncio.run(main())


def test_a_hint_meanwhile_is_answered_by_another_look() -> None:
    async def main() -> None:
        fake = Fake()
        reflex = reflex_of(fake)
        reflex.arm()
        assert reflex.react()
        assert reflex.react()
        assert len(fake.answers) == 1
        fake.answers.pop()(NOTHING)
        assert reflex.under_way
        assert reflex.react()
        going_on = asyncio.ensure_future(reflex.disarm())
        await asyncio.sleep(0)  # noqa: TID251 - lets it wait
        fake.answers.pop()(NOTHING)
        await going_on
        assert (len(fake.took_), fake.woken, fake.answers) == (2, 1, [])

    asyncio.run(main())


def test_what_a_fenced_node_has_claimed_is_not_started() -> None:
    async def main() -> None:
        fake = Fake()
        reflex = reflex_of(fake)
        reflex.arm()
        assert reflex.react()
        fake.node = "n2"
        fake.answers.pop()(NOTHING)
        assert fake.took_ == []

    asyncio.run(main())


@pytest.mark.parametrize("lack", ["sqlite", "simulated"])
def test_where_it_is_not_able_the_loop_looks_itself(lack: str) -> None:
    async def main() -> None:
        reflex = reflex_of(Fake(**{lack: True}))
        reflex.arm()
        assert not reflex.react()

    asyncio.run(main())
