"""What a process with nothing to do asks: the answers are those of the store's own questions, and turns are spared."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any, Final

import psycopg
import pytest

from rota.engine.heartbeat import Calls, Heartbeat
from rota.engine.keeper import Keeper
from rota.engine.registry import Registry, python_job
from rota.engine.scheduler import Scheduler
from rota.engine.wake import SCHEDULE, Wake
from rota.engine.worker import Worker
from rota.model.event import event
from rota.model.settings import Settings
from rota.store import admission, dialect, events, firings, leases, lone, nodes
from rota.store.database import Database
from rota.store.lone import Question, Unanswered
from rota.store.quiet import STEPS, Quiet, Seen, renewed, seen, steps
from tests.engine.test_line import soon
from tests.support import seed
from tests.support.hands import HandClock
from tests.support.runs import START, World, at


@pytest.fixture
def world(pg_url: str) -> Iterator[World]:
    made = World(pg_url, "n1", "n2")
    yield made
    made.close()


def quiet(now: datetime = START) -> Quiet:
    return Quiet("rota", HandClock(now))


def ask(world: World, question: Question) -> bytes | None:
    return lone.ask(world.db, [question])[0]


def look(world: World, now: datetime = START) -> Seen:
    return seen(ask(world, quiet(now).look("n1")) or b"")


def test_a_look_sees_when_something_is_due(world: World) -> None:
    assert look(world, at(5)) == Seen(at(5), 0, None, None, pending=False)
    a = world.add("a")
    due = world.db.read(firings.next_due)
    assert look(world) == Seen(START, 0, due, None, pending=False)
    world.write("UPDATE {cursors} SET due_at = NULL")
    world.place(a, not_before=at(30))
    assert world.db.read(admission.next_admission) == at(30)
    assert look(world) == Seen(START, 0, None, at(30), pending=False)


def test_a_look_sees_what_admit_is_to_look_at(world: World) -> None:
    a = world.add("a")
    (run,) = world.place(a)
    assert not look(world).pending
    world.write("INSERT INTO {cancels} (run_id, kind, at, actor) VALUES (%s, 'cancel', %s, 'me')", run, START)
    assert look(world).pending
    world.write("DELETE FROM {cancels}")
    world.place(a, 2, first=10, flight="k:default/x", overlap="queue_all")
    assert look(world).pending


def test_a_look_admits_what_may_start_now(world: World) -> None:
    a = world.add("a")
    ids = world.place(a, 3, not_before=at(30)) + world.place(a, 1, first=10, not_before=at(40))
    world.write("UPDATE {cursors} SET due_at = NULL")
    assert look(world, at(29)).admitted == 0
    world.write("UPDATE {runs} SET state = 'cancelled' WHERE id = %s", ids[0])
    with psycopg.connect(world.url) as other:
        other.execute("SELECT 1 FROM rota.runs WHERE id = %s FOR UPDATE", [ids[1]])
        assert look(world, at(30)) == Seen(at(30), 1, None, at(40), pending=True)
        assert world.ready() == [ids[2]]
    world.write("UPDATE {runs} SET admit_at = NULL WHERE id = %s", ids[0])
    assert look(world, at(30)) == Seen(at(30), 1, None, at(40), pending=False)
    assert world.ready() == ids[1:3]
    assert [run.id for run in world.claim(now=at(31))] == ids[1:3]


def test_a_look_leaves_a_flood_to_admit(world: World) -> None:
    ids = world.place(world.add("a"), 150, not_before=at(30))
    found = look(world, at(30))
    assert (found.admitted, found.pending) == (100, True)
    assert world.db.call(admission.admit, at(30), 1000).ready == 50
    assert world.ready() == ids


def test_a_beat_renews_and_reads_all(world: World) -> None:
    world.db.call(seed.node, START, "gone", "fenced")
    for n in (1, 2):
        told, beats = renewed(ask(world, quiet(at(n)).beat("n1")))
        assert (told, set(beats)) == (nodes.Renewed(True, draining=False), {"n1", "n2"})
        assert world.db.read(nodes.get, "n1")["seen_at"] == at(n)
        assert world.db.read(nodes.beats)["n1"] == n
    world.write("UPDATE {nodes} SET draining = true WHERE id = 'n1'")
    assert renewed(ask(world, quiet().beat("n1")))[0].draining


@pytest.mark.parametrize("node", ["gone", "nobody"])
def test_a_node_that_is_not_live_is_told_so(world: World, node: str) -> None:
    world.db.call(seed.node, START, "gone", "fenced")
    assert renewed(ask(world, quiet().beat(node))) == (nodes.Renewed(live=False), {})


def test_a_beat_that_the_server_refuses_fences_nobody(world: World) -> None:
    """A row locked for longer than rota waits is no fence: the general way says what is the matter."""
    with psycopg.connect(world.url) as other:
        other.execute("SELECT 1 FROM rota.nodes WHERE id = 'n1' FOR UPDATE")
        with pytest.raises(Unanswered):
            ask(world, quiet().beat("n1"))


def test_events_that_wait_for_their_order(world: World) -> None:
    assert ask(world, quiet().unnumbered) is None
    world.db.call(lambda conn: events.write(conn, [event("node.started", START, "n1")]))
    assert ask(world, quiet().unnumbered) is not None


def test_work_that_waits_for_a_worker(world: World) -> None:
    mine, others = Quiet("rota", HandClock(), ("default",)), Quiet("rota", HandClock(), ("other",))
    assert ask(world, quiet().work("n1")) is None
    world.place(world.add("a"))
    assert [ask(world, each.work("n1")) is not None for each in (quiet(), mine, others)] == [True, True, False]
    world.claim("n1")
    assert [ask(world, quiet().work(node)) is not None for node in ("n1", "n2")] == [True, False]


def amiss(world: World) -> frozenset[str]:
    return steps(ask(world, quiet().amiss))


AMISS: Final = {
    "runs": "INSERT INTO {claims} (run_id, token, node, lane) VALUES (1, 1, 'gone', 'default')",
    "schedules": "UPDATE {cursors} SET due_at = NULL",
    "ready": "INSERT INTO {ready} (lane, priority, run_id) VALUES ('default', 0, 1)",
    "cancels": "INSERT INTO {cancels} (run_id, kind, at, actor) VALUES (1, 'cancel', '2026-03-01', 'me')",
}


@pytest.mark.parametrize("name", AMISS)
def test_what_a_sweep_may_have_to_do(world: World, name: str) -> None:
    world.add("a")
    assert amiss(world) == frozenset()
    world.write(AMISS[name])
    assert amiss(world) == {name}


def test_passes_that_are_under_way_go_on(world: World) -> None:
    for name in sorted(STEPS & {"clock_pass", "zone_pass"}):
        world.db.call(leases.remember, name, {"after": 0})
    assert amiss(world) == {"clock_pass", "zone_pass"}


def test_sessions_of_nodes_that_are_gone(world: World) -> None:
    world.db.call(seed.node, START, "gone", "fenced")
    with psycopg.connect(world.url, autocommit=True) as other:
        other.execute("SET application_name = 'rota:n1'")
        assert amiss(world) == frozenset()
        other.execute("SET application_name = 'rota:gone'")
        assert amiss(world) == {"sessions"}


def test_a_sweep_leaves_out_what_is_needless(world: World, transactions: list[str]) -> None:
    async def main() -> None:
        wake = Wake(world.db)
        wake.start()
        await soon(lambda: wake.listening)
        keeper = Keeper(world.db, Settings(), node="n1", wake=wake)
        await keeper.turn(sweep=True)
        assert not {"end_sessions", "forget", "clock_slice", "zone_slice"} & set(transactions)
        world.write("INSERT INTO {ready} (lane, priority, run_id) VALUES ('default', 0, 1)")
        world.write("INSERT INTO {cancels} (run_id, kind, at, actor) VALUES (1, 'cancel', '2026-03-01', 'me')")
        assert (await keeper.turn(sweep=True)).repaired == 1
        assert "forget" in transactions
        assert (world.rows("SELECT 1 FROM {cancels}"), world.ready()) == ([], [])
        await wake.stop()

    asyncio.run(main())


@pytest.fixture
def transactions(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was done in transactions of the general kind."""
    done: list[str] = []
    once = Database._once

    def seen(self: Database, write: bool, op: Callable[..., Any], *rest: Any) -> Any:
        done.append(op.__name__)
        return once(self, write, op, *rest)

    monkeypatch.setattr(Database, "_once", seen)
    return done


async def only_looks(loop: Scheduler | Worker, transactions: list[str]) -> None:
    """Until it has turned five times without a transaction; a line that has just opened makes it turn once."""
    turned: set[float | None] = set()

    def looked() -> bool:
        if transactions:
            transactions.clear()
            turned.clear()
        turned.add(loop.turned_at)
        return len(turned) > 5

    await soon(looked)


@asynccontextmanager
async def scheduling(world: World) -> AsyncIterator[Scheduler]:
    wake = Wake(world.db)
    made = Scheduler(world.db, Settings(poll=timedelta(seconds=0.05)), node="n1", wake=wake)
    wake.start()
    await soon(lambda: wake.listening)
    loop = asyncio.ensure_future(made.run())
    try:
        yield made
    finally:
        made.stop()
        await loop
        await wake.stop()


def test_a_scheduler_with_nothing_to_do_looks_and_does_nothing(world: World, transactions: list[str]) -> None:
    async def main() -> None:
        async with scheduling(world) as scheduler:
            await only_looks(scheduler, transactions)

    asyncio.run(main())


def test_a_scheduler_that_looks_fires_what_becomes_due_and_admits(world: World) -> None:
    """Between two polls, and after a hint that somebody else has given."""
    other = world.other()

    async def main() -> None:
        async with scheduling(world) as scheduler:
            await soon(lambda: scheduler.turned_at is not None)
            await asyncio.to_thread(other.call, due_in, 0.4)
            await soon(lambda: scheduler.totals.fired == 1)
            (a,) = world.rows("SELECT schedule_id FROM {cursors}")
            world.write("DELETE FROM {ready}")
            world.write("UPDATE {runs} SET admit_at = created_at")
            await soon(lambda: scheduler.totals.ready == 1)
            world.write(
                "INSERT INTO {cancels} (run_id, kind, at, actor) SELECT id, 'cancel', created_at, 'me' FROM {runs}"
            )
            await asyncio.to_thread(other.call, lambda conn: dialect.notify(conn, [SCHEDULE]))
            await soon(lambda: world.rows("SELECT 1 FROM {runs} WHERE state = 'cancelled'") != [])
            assert a["schedule_id"] > 0

    asyncio.run(main())


@asynccontextmanager
async def working(world: World) -> AsyncIterator[Worker]:
    async def noop() -> None:
        pass

    registry = Registry()
    registry.add(python_job(noop, allow_local=True))
    made = Worker(world.db, registry, Settings(poll=timedelta(seconds=0.05)), node="n1", wake=Wake(world.db))
    made.wake.start()
    await soon(lambda: made.wake.listening)
    loop = asyncio.ensure_future(made.run())
    try:
        yield made
    finally:
        made.stop()
        await loop
        await made.wake.stop()


def test_a_worker_with_nothing_to_do_looks_and_does_nothing(world: World, transactions: list[str]) -> None:
    async def main() -> None:
        async with working(world) as worker:
            await only_looks(worker, transactions)

    asyncio.run(main())


def test_a_worker_that_looks_finds_what_nobody_told_it_of(world: World) -> None:
    async def main() -> None:
        async with working(world) as worker:
            await soon(lambda: worker.turned_at is not None)
            await asyncio.to_thread(lambda: world.place(world.add("a")))
            await soon(lambda: worker.totals.settled == 1)

    asyncio.run(main())


def test_a_worker_that_looks_hands_back_what_it_does_not_know(world: World) -> None:
    async def main() -> None:
        async with working(world) as worker:
            await soon(lambda: worker.turned_at is not None)
            worker.handed_back_at -= 60
            world.place(world.add("a"))
            world.claim("n1")
            await soon(lambda: world.rows("SELECT 1 FROM {runs} WHERE reason = 'handed_back'") != [])

    asyncio.run(main())


def due_in(conn: Any, seconds: float) -> None:
    now = dialect.instant(conn)
    seed.schedules(conn, now - timedelta(hours=1), ["a"], "* * * * *")
    soon_ = now + timedelta(seconds=seconds)
    dialect.execute(conn, "UPDATE {cursors} SET due_at = %s, next_at = %s", [soon_, soon_])


def test_a_heartbeat_needs_no_transaction(world: World, transactions: list[str]) -> None:
    fenced: list[str] = []
    node = nodes.Node("n9", roles=("worker",), lanes=None, slots=1, version="1", zone_data="1")
    beat = Heartbeat(world.db, Settings(), node, Calls(fenced=fenced.append))
    beat.join()
    transactions.clear()
    assert beat.beat()
    assert transactions == []
    world.write("UPDATE {nodes} SET state = 'fenced' WHERE id = 'n9'")
    assert not beat.beat()
    assert fenced == ["n9"]
    beat.stop()
