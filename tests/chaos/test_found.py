"""Faults that attacks on whole processes, or their preparation, have found: one test each."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from typing import Any

import pytest

from rota.engine import heartbeat
from rota.engine.registry import Registry
from rota.engine.service import Service
from rota.errors import DatabaseUnavailable
from rota.model.settings import Settings
from rota.store import dialect, nodes
from rota.store.database import AmbiguousCommit, Connection, Database, StatementRefused
from tests.support import postgres

QUICK = Settings(
    lease=timedelta(seconds=0.6), poll=timedelta(seconds=0.1), sweep=timedelta(seconds=0.2), drain=timedelta(0)
)
SOON_S = 20.0


@contextmanager
def losing_the_answer_of_join(monkeypatch: pytest.MonkeyPatch, nth: int) -> Iterator[list[str]]:
    """The nth time that a node joins, its row is committed and the answer is lost. Who joined."""
    joined: list[str] = []
    real, commit = heartbeat._join, Database._commit

    def join(conn: Connection, node: nodes.Node) -> None:
        real(conn, node)
        joined.append(node.id)
        conn.info["joining"] = len(joined) == nth

    def lose(database: Database, transaction: Any) -> None:
        lost = transaction.connection.info.pop("joining", False)
        commit(database, transaction)
        if lost:
            raise AmbiguousCommit("the answer was lost")

    monkeypatch.setattr(heartbeat, "_join", join)
    monkeypatch.setattr(Database, "_commit", lose)
    yield joined


def is_live(conn: Connection, node: str) -> bool:
    return node in nodes.beats(conn)


def started(conn: Connection) -> list[str]:
    table = dialect.query(conn, "SELECT subject FROM {events} WHERE type = 'node.started' ORDER BY id")
    waiting = dialect.query(conn, "SELECT subject FROM {event_inbox} WHERE type = 'node.started' ORDER BY id")
    return [row["subject"] for row in (*table, *waiting)]


def test_a_process_joins_although_the_answer_was_lost(store_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ended with an error, or its second try broke the row's uniqueness."""

    async def main(database: Database) -> None:
        service = Service(database, Registry(), QUICK, roles=frozenset({"scheduler"}))
        running = asyncio.create_task(service.run())
        async with asyncio.timeout(SOON_S):
            await service.started.wait()
        assert database.read(is_live, service.node)
        assert database.read(started) == [service.node]
        service.stop()
        await running

    with losing_the_answer_of_join(monkeypatch, 1) as joined, closing(Database(store_url)) as database:
        asyncio.run(main(database))
    assert joined[0] == joined[1]


def test_a_fenced_process_joins_again_although_the_answer_was_lost(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stayed up for ever, as a node that claims nothing and renews nothing."""

    async def main(database: Database) -> None:
        service = Service(database, Registry(), QUICK, roles=frozenset({"worker"}))
        running = asyncio.create_task(service.run())
        async with asyncio.timeout(SOON_S):
            await service.started.wait()
            first = service.node
            beats = database.read(nodes.beats)
            while database.call(nodes.fence, beats, database.clock.now(), "other") != [first]:
                beats = database.read(nodes.beats)
            while service.node == first:  # noqa: ASYNC110 - the heartbeat's thread calls the loop, and has no event
                await asyncio.sleep(0.02)  # noqa: TID251 - lets it
        assert database.read(is_live, service.node)
        service.stop()
        await running

    with losing_the_answer_of_join(monkeypatch, 2) as joined, closing(Database(store_url)) as database:
        asyncio.run(main(database))
    assert len(joined) == 3


def test_a_statement_timeout_is_no_refusal(pg_url: str) -> None:
    """A server that stood still for 30 s made a run whose settlement was under way fail for good (`storage`)."""

    def slow(conn: Connection) -> None:
        dialect.execute(conn, "SET LOCAL statement_timeout = '20ms'")
        dialect.query(conn, "SELECT pg_sleep(5)")

    with closing(Database(pg_url)) as database:
        with pytest.raises(DatabaseUnavailable):
            database.call(slow)
        with pytest.raises(StatementRefused):
            database.call(lambda conn: dialect.query(conn, "SELECT 1 / 0"))


def test_a_connection_of_before_an_outage_is_replaced(pg_url: str, pg_server: postgres.Server) -> None:
    """The first call of an application after each restart of the database failed."""
    sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()"
    with closing(Database(pg_url)) as database:
        assert database.read(nodes.beats) == {}
        with pg_server.connect() as conn:
            conn.execute(sql, (pg_url.rsplit("/", 1)[-1],))
        assert database.read(nodes.beats) == {}
        with pg_server.connect() as conn:
            conn.execute(sql, (pg_url.rsplit("/", 1)[-1],))
        assert database.call(nodes.beats) == {}


def test_a_fence_does_not_wait_for_a_locked_row(pg_url: str) -> None:
    """With a lease under 10 s a process that stopped inside its renewal kept every keeper from fencing anybody."""
    with closing(Database(pg_url)) as stopped, closing(Database(pg_url)) as keeper:
        now = keeper.clock.now()
        for name in ("n1", "n2"):
            keeper.call(nodes.join, nodes.Node(name, ("worker",), None, 1, "1", "2026a"), now)
        with stopped.transaction() as conn:
            assert nodes.renew(conn, "n1", now).live
            assert keeper.call(nodes.fence, {"n1": 0, "n2": 0}, now, "n3") == ["n2"]
        assert keeper.call(nodes.fence, {"n1": 0}, now, "n3") == []
        assert keeper.call(nodes.fence, {"n1": 1}, now, "n3") == ["n1"]
