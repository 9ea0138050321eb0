"""The database is there and takes no writes for a while: read-only, or full. One service, in this process."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from sqlalchemy import event

from rota.engine.registry import Registry, python_job
from rota.engine.service import Service
from rota.model.by import By
from rota.model.settings import Settings
from rota.store import dialect, jobs, orders
from rota.store.database import Connection, Database
from tests.support import laws, seed

QUICK = Settings(
    lease=timedelta(seconds=1), poll=timedelta(seconds=0.2), sweep=timedelta(seconds=0.3), drain=timedelta(seconds=5)
)
SOON_S = 10.0
AWAY_S = 2.0


def noop() -> None:
    """Do nothing."""


class Sqlite:
    """Says at each transaction what the file takes: each connection is told before it begins."""

    def __init__(self, database: Database, shut: str, opened: str) -> None:
        self._shut, self._opened = shut, opened
        self._now = opened
        event.listen(database.engine, "begin", self._begin, insert=True)

    def _begin(self, conn: Connection) -> None:
        pages = conn.exec_driver_sql("PRAGMA page_count").scalar_one()
        conn.exec_driver_sql(self._now.format(pages=pages)).close()

    def shut(self) -> None:
        self._now = self._shut

    def open(self) -> None:
        self._now = self._opened


class Postgresql:
    """Every session's transactions are read-only; sessions of before are ended, as in a failover."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._name = url.rsplit("/", 1)[1]

    def _set(self, what: str) -> None:
        with psycopg.connect(self._url, autocommit=True) as conn:
            conn.execute("SET default_transaction_read_only = off")
            conn.execute(f"ALTER DATABASE {self._name} {what}".encode())
            conn.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )

    def shut(self) -> None:
        self._set("SET default_transaction_read_only = on")

    def open(self) -> None:
        self._set("RESET default_transaction_read_only")


class NoRoom:
    """PostgreSQL finds no room for another run (or for its changes); everything else, renewals too, goes on."""

    def __init__(self, url: str, when: str = "INSERT") -> None:
        self._url = url
        self._when = when

    def _do(self, *statements: str) -> None:
        with psycopg.connect(self._url, autocommit=True) as conn:
            for statement in statements:
                conn.execute(statement.encode())

    def shut(self) -> None:
        self._do(
            "CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE EXCEPTION 'no space left on device' USING ERRCODE = 'disk_full'; END $$",
            f"CREATE TRIGGER no_room BEFORE {self._when} ON rota.runs EXECUTE FUNCTION no_room()",
        )

    def open(self) -> None:
        self._do("DROP FUNCTION no_room CASCADE")


def read_only(url: str, database: Database) -> Any:
    if database.sqlite:
        return Sqlite(database, "PRAGMA query_only = 1", "PRAGMA query_only = 0")
    return Postgresql(url)


def full(url: str, database: Database) -> Any:
    if not database.sqlite:
        return NoRoom(url)
    return Sqlite(database, "PRAGMA max_page_count = {pages}", "PRAGMA max_page_count = 1000000")


@contextmanager
def served(url: str, *roles: str) -> Iterator[tuple[Database, Service]]:
    with closing(Database(url)) as database:
        registry = Registry()
        registry.add(python_job(noop))
        yield database, Service(database, registry, QUICK, roles=frozenset(roles or ("scheduler", "worker")))


async def until(condition: Callable[[], bool], seconds: float = SOON_S) -> float:
    """How long until it holds."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    while not await asyncio.to_thread(condition):
        assert loop.time() - began < seconds, "not in time"
        await asyncio.sleep(0.02)  # noqa: TID251 - another thread's doing is waited for
    return loop.time() - began


def ended(conn: Connection) -> int:
    return int(dialect.query(conn, "SELECT count(*) AS n FROM {runs} WHERE state = 'succeeded'")[0]["n"])


async def attacked(database: Database, service: Service, door: Any) -> None:
    """Work, no writes for a while, work again."""
    running = asyncio.create_task(service.run())
    async with asyncio.timeout(SOON_S):
        await service.started.wait()
    node = service.node
    await until(lambda: database.read(ended) >= 2)
    await asyncio.to_thread(door.shut)
    await until(lambda: not service.ready()["ready"])
    stood = database.read(ended)
    await asyncio.sleep(AWAY_S)  # noqa: TID251 - the outage takes its time
    assert not service.ready()["ready"]
    assert database.read(ended) == stood
    await asyncio.to_thread(door.open)
    await until(lambda: database.read(ended) >= stood + 2)
    await until(lambda: bool(service.ready()["ready"]))
    assert service.node == node, "nobody is declared dead for it"
    service.stop()
    await running


def carried_out(url: str, make: Callable[[str, Database], Any], caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "rota")
    with served(url) as (database, service):
        names = [f"s{n}" for n in range(40)]  # enough to need another page soon
        database.call(lambda conn: seed.schedules(conn, database.clock.now(), names, "* * * * * *"))
        door = make(url, database)
        asyncio.run(attacked(database, service, door))
        laws.check(database)
    told = Counter(record.msg for record in caplog.records if record.levelno >= logging.WARNING)
    assert set(told) <= {"database.away", "heartbeat.blind"}
    assert sum(told.values()) <= 6, "each loop says once that it is away"


def test_read_only(store_url: str, caplog: pytest.LogCaptureFixture) -> None:
    carried_out(store_url, read_only, caplog)


def test_disk_full(store_url: str, caplog: pytest.LogCaptureFixture) -> None:
    """On PostgreSQL a node may still renew: what it cannot do is fire, and that is what `/readyz` tells."""
    carried_out(store_url, full, caplog)


def test_a_worker_that_cannot_claim_is_not_ready(pg_url: str) -> None:
    """It renews, and finds that there is work; more it cannot do."""

    async def main(database: Database, service: Service, door: NoRoom) -> None:
        running = asyncio.create_task(service.run())
        async with asyncio.timeout(SOON_S):
            await service.started.wait()
        await until(lambda: bool(service.ready()["ready"]))
        await asyncio.to_thread(door.shut)
        await database.acall(orders.enqueue, orders.Order("noop"), database.clock.now(), By("me"))
        await until(lambda: not service.ready()["ready"])
        await asyncio.to_thread(door.open)
        await until(lambda: database.read(ended) == 1)
        await until(lambda: bool(service.ready()["ready"]))
        service.stop()
        await running

    with served(pg_url, "worker") as (database, service):
        database.call(jobs.register, [jobs.JobRow("noop", "python")])
        asyncio.run(main(database, service, NoRoom(pg_url, "UPDATE")))
