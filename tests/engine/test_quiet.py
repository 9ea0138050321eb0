"""What a process with nothing to do asks: the answers are those of the store's own questions, and turns are spared."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any

import psycopg
import pytest

from rota.engine.heartbeat import Calls, Heartbeat
from rota.engine.scheduler import Scheduler
from rota.engine.wake import SCHEDULE, Wake
from rota.model.event import event
from rota.model.settings import Settings
from rota.store import admission, dialect, events, firings, lone, nodes
from rota.store.database import Database
from rota.store.lone import Question, Unanswered
from rota.store.quiet import Quiet, Seen, renewed, seen
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
    assert look(world, at(5)) == Seen(at(5), None, pending=False)
    a = world.add("a")
    due = world.db.read(firings.next_due)
    assert look(world) == Seen(START, due, pending=False)
    world.write("UPDATE {cursors} SET due_at = NULL")
    world.place(a, not_before=at(30))
    assert world.db.read(admission.next_admission) == at(30)
    assert look(world) == Seen(START, at(30), pending=False)


def test_a_look_sees_what_admit_is_to_look_at(world: World) -> None:
    a = world.add("a")
    (run,) = world.place(a)
    assert not look(world).pending
    world.write("INSERT INTO {cancels} (run_id, kind, at, actor) VALUES (%s, 'cancel', %s, 'me')", run, START)
    assert look(world).pending
    world.write("DELETE FROM {cancels}")
    world.place(a, 2, first=10, flight="k:default/x", overlap="queue_all")
    assert look(world).pending


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
            await soon(lambda: "_next" in transactions)
            transactions.clear()
            turned: set[float | None] = set()

            def looked() -> bool:
                turned.add(scheduler.turned_at)
                return len(turned) > 5

            await soon(looked)
            assert transactions == []

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
