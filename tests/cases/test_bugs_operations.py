"""Reports about keeping rota running, from bugs.jsonl: databases that fail, what is told, what grows."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from sqlalchemy.engine import make_url

from rota.app.rota import Rota
from rota.engine import heartbeat
from rota.engine.keeper import Keeper
from rota.engine.service import Service
from rota.engine.wake import Wake
from rota.errors import DatabaseUnavailable
from rota.model.settings import Settings
from rota.store import dialect, hints, line
from rota.store.database import Database
from rota.store.lone import Unanswered
from tests.support import laws, seed
from tests.support.faults import busy
from tests.support.hands import START
from tests.support.postgres import until
from tests.support.proxy import Proxy
from tests.support.steps import Steps
from tests.support.world import World

QUICK = {"lease": "1s", "poll": "0.2s", "sweep": "0.2s", "drain": "5s"}


@pytest.fixture
def world(store_url: str) -> Iterator[World]:
    made = World(store_url)
    yield made
    made.close()


# Nodes that go, loops that fail


def test_bug_112_no_node_is_needed_on_the_night_of_the_change(store_url: str) -> None:
    """The node that fired until now freezes just before the clock change; two others go on, and it comes back."""
    world = World(store_url, datetime(2026, 3, 28, 23, 0, tzinfo=UTC))
    world.add("hourly", "0 * * * *", timezone="Europe/Stockholm")
    world.add("nightly", "every day at 02:30", timezone="Europe/Stockholm")
    first, second, third = (world.machine(name) for name in ("first", "second", "third"))
    world.go("2026-03-29T00:59:30+00:00", first)
    for machine in (first, second, third):
        machine.keep()
    assert world.pass_lease(second, third) == ["first"]
    world.go("2026-03-29T02:30:00+00:00", second, third)
    assert first.beat() is False
    assert first.node != "first"
    world.pass_lease(first, second, third)
    world.go("2026-03-29T05:00:00+00:00", first)
    assert world.fired("hourly") == ["03-28 23:00", *[f"03-29 0{h}:00" for h in range(6)]][1:]
    assert len(world.fired("nightly")) == 1
    world.clock.on(minutes=6)
    second.keep()
    assert {node.state for node in world.app.nodes.list(live=True)} == {"live"}
    world.close()


class Served:
    """An application whose service runs in this process, on the system's clock."""

    def __init__(self, url: str, **settings: str) -> None:
        self.app = Rota(url, settings=QUICK | settings)
        self.app.job(tick)
        self.app.job(answer)
        self.service: Service | None = None

    def run(self, scene: Callable[[Service], object]) -> None:
        """Serve while the scene, in a thread, goes on; drained at the end."""

        async def main() -> None:
            service = self.app.service()
            self.serving()
            running = asyncio.ensure_future(service.run())
            try:
                await asyncio.to_thread(scene, service)
            finally:
                service.stop()
                await running

        try:
            asyncio.run(main())
        finally:
            self.app.close()

    def serving(self) -> None:
        """Called when all is prepared and nothing runs yet."""

    def rows(self, sql: str, *params: Any) -> list[dict[str, Any]]:
        return self.app.core.database.read(seed.rows, sql, params)


def unanswered(*_: object) -> None:
    raise Unanswered


def tick() -> None:
    pass


def answer() -> str:
    return "here"


FIRST = {"Scheduler.fire", "Scheduler.admit", "exchange", "_renew", "_renew_and_look", "number"}
"""What each loop begins with."""


@pytest.mark.parametrize("error", [DatabaseUnavailable, RuntimeError])
def test_bug_141_each_loop_begins_again_alone(
    store_url: str, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    """The first try of each loop (with a database away: of each operation) fails; a moment later all are at work.

    Nobody answers questions that are no transaction of the store's, so that each loop goes the way that fails.
    """
    monkeypatch.setattr(Wake, "ask", lambda *_: False)
    monkeypatch.setattr(heartbeat, "ask", unanswered)
    served = Served(store_url)
    served.app.prepare()
    served.app.schedules.add("tick", job="answer", when="* * * * * *")
    original = Database._once
    failed: set[str] = set()

    def once(self: Database, write: bool, op: Callable[..., Any], *rest: Any) -> Any:
        name = op.__qualname__
        chosen = name in FIRST if error is RuntimeError else op.__module__.startswith("rota")
        if chosen and name not in failed:
            failed.add(name)
            raise error("for a moment")
        return original(self, write, op, *rest)

    def scene(service: Service) -> None:
        def loops_work() -> bool:
            node = served.rows("SELECT beats FROM {nodes} WHERE id = %s", service.node)
            return bool(
                node
                and node[0]["beats"] >= 2
                and service.keeper is not None
                and service.keeper.turned_at
                and served.rows("SELECT 1 AS one FROM {runs} WHERE state = 'succeeded' LIMIT 1")
                and served.rows("SELECT 1 AS one FROM {events} WHERE type = 'schedule.fired' LIMIT 1")
            )

        assert until(loops_work, 30), failed
        assert service.ready()["ready"], service.ready()

    served.serving = lambda: monkeypatch.setattr(Database, "_once", once)  # type: ignore[method-assign]
    served.run(scene)
    assert failed >= FIRST


def test_bug_142_without_any_notification_the_poll_suffices(pg_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line.Line, "_listen", lambda _self: None)
    monkeypatch.setattr(hints.PostgresHints, "send", lambda _self, _kinds: None)
    served = Served(pg_url, poll="0.5s")

    def scene(service: Service) -> None:
        assert until(lambda: service.keeper is not None and service.wake.listening, 20)
        monkeypatch.setattr(dialect, "notify", lambda _conn, _payloads: None)
        for _ in range(3):
            run = served.app.runs.wait(served.app.enqueue("answer").id, 10)
            assert run.started_at is not None
            assert run.started_at - run.created_at < timedelta(seconds=0.5 + 1)

    served.run(scene)


@contextlib.asynccontextmanager
async def ears(url: str, heard: Callable[[str], None]) -> AsyncIterator[hints.PostgresHints]:
    made = hints.PostgresHints(make_url(url), heard)
    made.start()
    try:
        yield made
    finally:
        await made.stop()


async def soon(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(15):
        while not condition():  # noqa: ASYNC110 - another process's progress has no event here
            await asyncio.sleep(0.01)  # noqa: TID251 - a test's poll of it


def test_bug_142_a_dead_listener_is_opened_again(pg_url: str) -> None:
    heard: list[str] = []

    async def main() -> None:
        async with ears(pg_url, heard.append) as made:
            await soon(lambda: made.listening)
            with psycopg.connect(pg_url, autocommit=True) as other:
                sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
                killed = other.execute(sql + " AND datname = current_database()")
                assert killed.fetchall() == [(True,)]
                await soon(lambda: not made.listening)
                await soon(lambda: made.listening)
                other.execute("SELECT pg_notify('rota_wake', 'r')")
                await soon(lambda: "r" in heard)

    asyncio.run(main())


def test_bug_142_a_path_that_swallows_everything_is_noticed(pg_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is refused, nothing answered: the listener's ping has no answer, and it connects anew."""
    monkeypatch.setattr(line, "PING_S", 1.0)
    monkeypatch.setattr(line, "ANSWER_S", 0.5)
    heard: list[str] = []

    async def main() -> None:
        with Proxy(pg_url) as proxy:
            async with ears(proxy.url, heard.append) as made, ears(pg_url, lambda _: None) as sender:
                await soon(lambda: made.listening and sender.listening)
                proxy.freeze()
                await soon(lambda: not made.listening)
                await soon(lambda: made.listening)
                sender.send(["r"])
                await soon(lambda: "r" in heard)

    asyncio.run(main())


# Databases under load


def test_bug_144_nodes_under_load_settle_their_conflicts(pg_url: str) -> None:
    """Eight nodes fire, work, sweep and prune at once where the database's own default is SERIALIZABLE."""
    with psycopg.connect(pg_url, autocommit=True) as other:
        other.execute(f"ALTER DATABASE {pg_url.rsplit('/', 1)[1]} SET default_transaction_isolation = 'serializable'")
    world = World(pg_url)
    settings = Settings(retention=timedelta(seconds=60), keep_runs=1)
    names = [f"s{n}" for n in range(64)]
    for n, name in enumerate(names):
        world.add(name, "* * * * * *", overlap="queue_all", single_flight=f"k{n % 16}" if n % 2 else None)
    together = threading.Barrier(8)
    errors: list[str] = []

    def node(number: int) -> None:
        database = Database(pg_url, clock=world.clock, node=f"n{number}")
        steps, keeper = Steps(database, world.clock), Keeper(database, settings, node=f"n{number}")
        steps.join(f"n{number}")
        for _ in range(10):
            together.wait(60)
            if number == 0:
                world.clock.on(seconds=1)
            together.wait(60)
            try:
                steps.turn()
                steps.work(f"n{number}", limit=20)
                asyncio.run(keeper.turn(sweep=True))
            except Exception as error:  # noqa: BLE001 - what a loop would see
                errors.append(repr(error))
        database.close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(node, range(8)))
    assert errors == []
    Steps(world.db, world.clock).join("last")
    for name in names:
        world.app.schedules.pause(name)
    Steps(world.db, world.clock).to_the_end("last", turns=400)
    assert {row["n"] for row in world.rows("SELECT count(*) AS n FROM {claims}")} == {0}
    engine = sa.create_engine(pg_url.replace("postgresql:", "postgresql+psycopg:"))
    for database in (world.db, Database(engine)):
        (row,) = database.read(lambda conn: dialect.query(conn, "SHOW transaction_isolation"))
        assert row == {"transaction_isolation": "read committed"}
    engine.dispose()
    world.close()


@pytest.mark.parametrize("times", [1, 9])
def test_bug_144_a_conflict_is_repeated_at_most_ten_times(world: World, times: int) -> None:
    world.add("a")
    machine = world.machine()
    world.at("12:01")
    with busy(machine.db, times) as fault:
        assert machine.turn().fired == 1
    assert fault.seen == times
    machine.work()
    world.at("12:02")
    with busy(machine.db, 10), pytest.raises(DatabaseUnavailable, match="busy"):
        machine.turn()
    world.settle_down(machine)
    world.go(START + timedelta(minutes=3), machine)
    assert world.fired() == ["03-01 12:01", "03-01 12:02", "03-01 12:03"]
    laws.check(world.db)


def test_bug_145_a_locked_file_is_waited_for(sqlite_url: str) -> None:
    """A foreign write transaction outlives every repeat: the turn fails, the loop does not, and all is caught up."""
    world = World(sqlite_url)
    world.add("a")
    machine = world.machine()
    world.at("12:01")
    with contextlib.closing(sqlite3.connect(sqlite_url.removeprefix("sqlite:///"), isolation_level=None)) as foreign:
        with machine.db.engine.connect() as conn:
            conn.connection.dbapi_connection.execute("PRAGMA busy_timeout=20")  # type: ignore[union-attr]
        foreign.execute("BEGIN IMMEDIATE")
        with pytest.raises(DatabaseUnavailable, match="busy"):
            machine.fire()
        foreign.execute("ROLLBACK")
        world.clock.on(seconds=10)
        world.settle_down(machine)
        assert world.runs() == [("03-01 12:01", "succeeded")]
        assert foreign.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
    world.close()


# What grows


def resident() -> int:
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize("rounds", [40, pytest.param(300, marks=pytest.mark.full)])
def test_bug_153_nothing_is_kept_per_run(world: World, rounds: int) -> None:
    """100 fires, claims and settlements a minute: neither objects nor memory grow with their number."""
    world.db.call(seed.schedules, START, [f"s{n}" for n in range(100)])
    machine = world.machine()
    sizes: list[tuple[int, int]] = []
    for count in (10, rounds):
        for _ in range(count):
            world.clock.on(minutes=1)
            world.settle_down(machine)
        gc.collect()
        sizes.append((len(gc.get_objects()), resident()))
    (objects, memory), (more_objects, more_memory) = sizes
    assert world.rows("SELECT count(*) AS n FROM {runs}")[0]["n"] == 100 * (10 + rounds)
    assert more_objects - objects < 5 * rounds
    assert more_memory < 1.2 * memory


def test_bug_153_a_backlog_is_taken_in_batches(world: World) -> None:
    world.db.call(seed.schedules, START, [f"s{n}" for n in range(2500)])
    machine = world.machine(settings=Settings(batch=1000))
    world.clock.on(hours=5)
    turns = [machine.turn().fired for _ in range(4)]
    assert turns == [1000, 1000, 500, 0]
