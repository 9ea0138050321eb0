"""The worker by single turns with chosen instants, on every store."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest

from rota.engine.context import Context, GiveUp, TryAgain
from rota.engine.registry import Registry, python_job
from rota.engine.worker import Worker
from rota.errors import DatabaseUnavailable, Error
from rota.model.by import By
from rota.model.run import Succeeded
from rota.model.settings import Settings
from rota.model.settlement import Settlement
from rota.store import admission, cancels, claims, logs, nodes, runs, settlements
from rota.store.database import AmbiguousCommit, StatementRefused
from tests.support.runs import START, World, at

QUICK = Settings(slots=10, kill_grace=timedelta(seconds=0.1), drain=timedelta(seconds=0.2), poll=timedelta(seconds=0.2))
ME = By("me")


@pytest.fixture
def world(store_url: str) -> Iterator[World]:
    made = World(store_url)
    yield made
    made.close()


def worker_of(world: World, *handlers: Callable[..., Any], settings: Settings = QUICK, node: str = "n1") -> Worker:
    registry = Registry()
    for handler in handlers:
        registry.add(python_job(handler, allow_local=True))
    return Worker(world.db, registry, settings, node=node, draw=lambda: 0.5)


async def noop() -> None:
    pass


def test_one_turn_claims_and_the_next_settles(world: World) -> None:
    ids = world.place(world.add("a"), 3)

    async def main() -> None:
        worker = worker_of(world, noop)
        assert (await worker.turn(at(1))).claimed == 3
        assert worker.in_hands == {(i, 1) for i in ids}
        assert await worker.finish(at(2)) == 3
        assert worker.in_hands == set()
        assert (await worker.turn(at(3))).any is False

    asyncio.run(main())
    assert [world.db.read(runs.get, i)["finished_at"] for i in ids] == [at(2)] * 3
    assert world.events() == [("run.succeeded", i) for i in ids]


def test_never_more_than_its_slots(world: World) -> None:
    world.place(world.add("a"), 5)
    gate = asyncio.Event()

    async def noop() -> None:
        await gate.wait()

    async def main() -> None:
        worker = worker_of(world, noop, settings=Settings(slots=2))
        assert (await worker.turn(START)).claimed == 2
        assert worker.free == 0
        assert (await worker.turn(START)).any is False
        gate.set()
        await worker.finish(START)
        assert worker.free == 2
        assert (await worker.turn(START)).claimed == 2
        await worker.finish(START)

    asyncio.run(main())


def test_outcomes_of_every_kind(world: World) -> None:
    async def fine(ctx: Context) -> dict[str, int]:
        ctx.log("hello")
        ctx.progress(1, 2)
        ctx.save("x.txt", b"abc")
        return {"n": 1}

    async def bad() -> None:
        raise ValueError("no")

    async def gone() -> None:
        raise GiveUp("no such customer")

    async def later() -> None:
        raise TryAgain("10m")

    made = {name: world.place(world.add(name, job=name), 1)[0] for name in ("fine", "bad", "gone", "later", "unknown")}

    async def main() -> None:
        worker = worker_of(world, fine, bad, gone, later)
        await worker.turn(at(1))
        await worker.finish(at(2))

    asyncio.run(main())
    rows = {name: world.db.read(runs.get, i) for name, i in made.items()}
    assert {name: (r["state"], r["reason"], r["attempt"]) for name, r in rows.items()} == {
        "fine": ("succeeded", None, 1),
        "bad": ("failed", "error", 1),
        "gone": ("failed", "gave_up", 1),
        "later": ("queued", "retry", 1),
        "unknown": ("queued", "unknown_job", 0),
    }
    assert rows["fine"]["result"] == {"n": 1}
    assert rows["fine"]["progress"] == {"done": 1.0, "total": 2.0}
    assert world.db.read(logs.artifact, made["fine"], "x.txt") == b"abc"
    assert [c["text"] for c in world.db.read(logs.read, made["fine"])] == ["hello"]
    assert rows["later"]["next_attempt_at"] == at(602)
    assert rows["unknown"]["next_attempt_at"] == at(32)
    assert "ValueError: no" in world.db.read(logs.read, made["bad"])[-1]["text"]


def test_a_cancel_stops_running_code(world: World) -> None:
    (run,) = world.place(world.add("a"))

    async def noop() -> None:
        await asyncio.Event().wait()

    async def main() -> None:
        worker = worker_of(world, noop)
        await worker.turn(START)
        await world.db.acall(cancels.request_cancel, run, "cancel", ME, at(1))
        assert await worker.watch_cancels() == 1
        await worker.finish(at(2))

    asyncio.run(main())
    assert (world.one(run)["state"], world.one(run)["reason"]) == ("cancelled", "cancelled")


def test_r03_a_cancel_between_claim_and_start_is_seen(world: World) -> None:
    """The cancel commits after the claim, its hint is heard before the claim's answer: the code is not invoked."""
    (run,) = world.place(world.add("a"))
    called = []

    async def noop() -> None:
        called.append(1)

    async def main() -> None:
        worker = worker_of(world, noop)
        original = world.db.acall

        async def answers_late(op: Any, *args: Any) -> Any:
            answer = await original(op, *args)
            world.db.acall = original  # type: ignore[method-assign]
            world.db.call(cancels.request_cancel, run, "cancel", ME, at(1))
            assert worker.answerable
            assert not worker.held
            assert await worker.watch_cancels() == 1
            return answer

        world.db.acall = answers_late  # type: ignore[method-assign,assignment]
        await worker.turn(START)
        await worker.finish(at(2))

    asyncio.run(main())
    assert called == []
    assert world.one(run)["state"] == "cancelled"


def test_r01_a_run_whose_answer_is_under_way_is_not_handed_back(world: World) -> None:
    """The renewal comes while the claim's answer is on its way: only the claim loop itself hands back, and waits."""
    (run,) = world.place(world.add("a"))

    async def main() -> None:
        worker = worker_of(world, noop)
        original = world.db.acall
        seen: list[Any] = []

        async def slow(op: Any, *args: Any, **kwargs: Any) -> Any:
            answer = await original(op, *args, **kwargs)
            if op.__name__ == "exchange" and args[0].limit:
                renewed = await original(nodes.renew, "n1", at(1))
                seen.append((renewed.live, world.one(run)["state"]))
            return answer

        world.db.acall = slow  # type: ignore[method-assign,assignment]
        await worker.turn(START)
        assert seen == [(True, "running")]
        assert world.one(run)["state"] == "running"
        world.db.call(nodes.join, nodes.Node("n2", ("worker",), None, 1, "0", "0"), START)
        assert world.claim("n2") == []
        await worker.finish(at(2))

    asyncio.run(main())
    assert world.one(run)["state"] == "succeeded"
    assert [e for e in world.events() if e[1]] == [("run.succeeded", run)]


def test_a_claim_whose_answer_was_lost_is_handed_back(world: World) -> None:
    (run,) = world.place(world.add("a"))

    async def main() -> None:
        worker = worker_of(world, noop)
        with LosingTheAnswer(world), pytest.raises(DatabaseUnavailable):
            await worker.turn(START)
        assert world.one(run)["state"] == "running"
        await worker.turn(at(1))
        assert (world.one(run)["state"], world.one(run)["attempt"]) == ("queued", 0)

    asyncio.run(main())


class LosingTheAnswer:
    """The next exchange commits, and its answer is lost."""

    def __init__(self, world: World) -> None:
        self.database = world.db

    def __enter__(self) -> None:
        original = self.database.acall

        async def lost(op: Any, *args: Any, **kwargs: Any) -> Any:
            await original(op, *args, **kwargs)
            raise AmbiguousCommit("the answer was lost")

        self.database.acall = lost  # type: ignore[method-assign,assignment]

    def __exit__(self, *_: object) -> None:
        del self.database.acall


def test_a_settlement_whose_answer_was_lost_is_written_once(world: World) -> None:
    a = world.add("a", retry={"attempts": 3, "base": "1s"})
    (run,) = world.place(a)

    async def noop() -> None:
        raise ValueError("x")

    async def main() -> None:
        worker = worker_of(world, noop)
        await worker.turn(START)
        await settled_code(worker)
        with LosingTheAnswer(world), pytest.raises(DatabaseUnavailable):
            await worker.turn(at(1))
        assert worker.in_hands == {(run, 1)}
        await worker.finish(at(2))
        assert worker.totals.stale == 1

    asyncio.run(main())
    assert world.events() == [("run.retried", run)]
    assert world.one(run)["attempt"] == 1


async def settled_code(worker: Worker) -> None:
    """Until all code that runs has ended."""
    while len(worker.ended) < len(worker.held):  # noqa: ASYNC110 - the loops' own progress has no event
        await asyncio.sleep(0)  # noqa: TID251 - lets the handlers' tasks run


def test_outcomes_are_kept_while_the_database_is_away(world: World) -> None:
    (run,) = world.place(world.add("a"))

    async def main() -> None:
        worker = worker_of(world, noop)
        await worker.turn(START)
        await settled_code(worker)
        with Away(world):
            for _ in range(3):
                with pytest.raises(DatabaseUnavailable):
                    await worker.turn(at(1))
        await worker.finish(at(9))

    asyncio.run(main())
    assert world.db.read(runs.get, run)["finished_at"] == at(9)


class Away(LosingTheAnswer):
    """The database is out of reach."""

    def __enter__(self) -> None:
        async def gone(*_: Any, **__: Any) -> Any:
            raise DatabaseUnavailable("away")

        self.database.acall = gone  # type: ignore[method-assign]


def test_r11_a_fenced_node_claims_nothing_and_stops_what_it_runs(world: World) -> None:
    a = world.add("a")
    (run,) = world.place(a)

    async def noop() -> None:
        await asyncio.Event().wait()

    async def main() -> None:
        worker = worker_of(world, noop)
        await worker.turn(START)
        assert world.db.call(nodes.fence, {"n1": 0}, at(20), "keeper") == ["n1"]
        more = world.place(a, first=60)
        assert (await worker.turn(at(21))).any is False
        assert world.ready() == more
        assert world.db.call(nodes.renew, "n1", at(22)).live is False
        world.db.call(nodes.join, nodes.Node("n1b", ("worker",), None, 10, "0", "0"), at(23))
        worker.fenced("n1b")
        await settled(worker)
        assert (await worker.turn(at(24))).claimed == 1
        worker.fenced("n1c")
        await settled(worker)

    asyncio.run(main())
    assert world.one(run)["state"] == "running"  # the keeper's to move on


def test_a_claim_answered_after_the_fence_starts_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    (run,) = world.place(world.add("a"))
    started = []

    async def noop() -> None:
        started.append(1)

    async def main() -> None:
        worker = worker_of(world, noop)
        answered = worker.database.acall

        async def late(*args: Any, **kwargs: Any) -> Any:
            answer = await answered(*args, **kwargs)
            worker.fenced("n1b")
            return answer

        with monkeypatch.context() as patched:
            patched.setattr(worker.database, "acall", late)
            await worker.turn(START)
        await settled(worker)

    asyncio.run(main())
    assert started == []
    assert (world.one(run)["state"], world.one(run)["node"]) == ("running", "n1")  # the keeper's to move on


def test_of_two_claims_of_one_run_the_later_is_settled(world: World) -> None:
    (run,) = world.place(world.add("a"))
    (first,) = world.db.call(claims.claim, "n1", None, 1, START)
    assert world.db.call(claims.hand_back, "n1", frozenset(), START) == [run]
    world.db.call(admission.admit, at(60), 10)
    (second,) = world.db.call(claims.claim, "n1", None, 1, at(60))
    both = [Settlement(run, second.token, "succeeded"), Settlement(run, first.token, "failed")]
    assert world.db.call(settlements.settle, both, at(61), "n1") == {run}
    assert world.one(run)["state"] == "succeeded"


@pytest.mark.parametrize("slots", [150, 1000])
def test_many_runs_are_claimed_and_settled_side_by_side(store_url: str, slots: int) -> None:
    world = World(store_url)
    ids = world.place(world.add("a"), 700)
    over = asyncio.Event()
    ran = []

    async def noop() -> None:
        ran.append(1)
        if len(ran) == len(ids):
            over.set()

    async def main() -> None:
        worker = worker_of(world, noop, settings=Settings(slots=slots, batch=200, poll=timedelta(seconds=0.2)))
        async with running(worker):
            await over.wait()

    asyncio.run(main())
    assert len(ran) == len(ids)
    assert {row["state"] for row in world.rows("SELECT state FROM {runs}")} == {"succeeded"}
    assert world.rows("SELECT 1 AS one FROM {claims}") == []
    world.close()


async def settled(worker: Worker) -> None:
    """Until nothing is in its hands and no code runs."""
    while worker.held or worker.free < worker.settings.slots:  # noqa: ASYNC110 - the loops' own progress has no event
        await asyncio.sleep(0)  # noqa: TID251 - lets the handlers' tasks end


@asynccontextmanager
async def running(worker: Worker) -> AsyncIterator[None]:
    worker.wake.start()
    loop = asyncio.ensure_future(worker.run())
    try:
        yield
    finally:
        worker.stop()
        await loop
        await worker.wake.stop()


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 - the loops' own progress has no event
            await asyncio.sleep(0.01)  # noqa: TID251 - a test's poll of another loop's progress


def test_the_loop_runs_what_comes_and_drains(world: World) -> None:
    a = world.add("a")
    world.place(a, 25)

    async def main() -> None:
        worker = worker_of(world, noop)
        async with running(worker):
            await until(lambda: worker.totals.settled == 25)

    asyncio.run(main())
    assert {r["state"] for r in world.rows("SELECT state FROM {runs}")} == {"succeeded"}


def test_a_drain_hands_back_what_stops_and_what_does_not(world: World) -> None:
    polite, rude = world.place(world.add("polite", job="polite"))[0], world.place(world.add("rude", job="rude"))[0]
    lost = world.place(world.add("once", job="polite", on_lost="fail"))[0]
    end = asyncio.Event()

    async def polite_() -> None:
        await asyncio.Event().wait()

    async def rude_() -> None:
        while not end.is_set():
            try:
                await end.wait()
            except asyncio.CancelledError:
                continue

    async def main() -> None:
        registry = Registry()
        registry.add(python_job(polite_, name="polite", allow_local=True))
        registry.add(python_job(rude_, name="rude", allow_local=True))
        worker = Worker(world.db, registry, QUICK, node="n1")
        async with running(worker):
            await until(lambda: len(worker.held) == 3)
        end.set()
        await settled(worker)

    asyncio.run(main())
    rows = {i: world.db.read(runs.get, i) for i in (polite, rude, lost)}
    assert [(rows[i]["state"], rows[i]["reason"], rows[i]["attempt"]) for i in (polite, rude, lost)] == [
        ("queued", "handed_back", 0),
        ("queued", "handed_back", 0),
        ("lost", "interrupted", 1),
    ]
    assert world.rows("SELECT * FROM {claims}") == []


def test_a_draining_worker_claims_nothing(world: World) -> None:
    world.place(world.add("a"))

    async def main() -> None:
        worker = worker_of(world, noop)
        worker.draining = True
        assert (await worker.turn(START)).any is False
        worker.draining = False
        assert (await worker.turn(START)).claimed == 1
        await worker.finish(START)

    asyncio.run(main())


def test_a_value_that_the_database_refuses_fails_that_run_alone(world: World) -> None:
    ids = world.place(world.add("a"), 4)
    calls = iter(range(100))

    async def noop() -> int:
        return next(calls)

    async def main() -> None:
        worker = worker_of(world, noop)
        await worker.turn(START)
        await settled_code(worker)
        with Refusing(world, ids[2]):
            await worker.finish(at(1))

    asyncio.run(main())
    states = [world.one(i)["state"] for i in ids]
    assert states == ["succeeded", "succeeded", "failed", "succeeded"]
    assert world.db.read(runs.get, ids[2])["error"]["type"] == "storage"


class Refusing(LosingTheAnswer):
    """The database will not store what one run returned."""

    def __init__(self, world: World, run: int) -> None:
        super().__init__(world)
        self.run = run

    def __enter__(self) -> None:
        original = self.database.acall

        async def refusing(op: Any, *args: Any, **kwargs: Any) -> Any:
            if any(f.run.id == self.run and isinstance(f.outcome, Succeeded) for f in args[1]):
                raise StatementRefused("invalid byte sequence")
            return await original(op, *args, **kwargs)

        self.database.acall = refusing  # type: ignore[method-assign,assignment]


class RefusingAndAway(LosingTheAnswer):
    """The first exchange is refused, and then the database is away."""

    def __enter__(self) -> None:
        answers: Iterator[Error] = itertools.chain(
            [StatementRefused("invalid byte sequence")], itertools.repeat(DatabaseUnavailable("away"))
        )

        async def refusing(*_: Any, **__: Any) -> Any:
            raise next(answers)

        self.database.acall = refusing  # type: ignore[method-assign]


def test_outcomes_are_kept_where_a_refusal_meets_an_outage(world: World) -> None:
    """No run stays running under a live node: what was refused is settled once the database is back."""
    ids = world.place(world.add("a"), 3)

    async def noop() -> int:
        return 1

    async def main() -> None:
        worker = worker_of(world, noop)
        await worker.turn(START)
        await settled_code(worker)
        with RefusingAndAway(world), pytest.raises(DatabaseUnavailable):
            await worker.turn(at(1))
        assert {run for run, _ in worker.ended} == set(ids)
        await worker.finish(at(2))

    asyncio.run(main())
    assert [world.one(i)["state"] for i in ids] == ["succeeded"] * 3


def test_claims_is_what_the_store_says(world: World) -> None:
    """The index of running runs by node follows every way in which a claim ends."""
    world.place(world.add("a"), 3)
    one, two, _ = world.claim()
    world.end(one)
    world.db.call(claims.hand_back, "n1", {(two.id, two.token)}, at(1))
    assert [r["run_id"] for r in world.rows("SELECT run_id FROM {claims}")] == [two.id]
