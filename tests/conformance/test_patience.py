"""A path that swallows everything: no refusal, no answer. Nobody waits for ever, and work goes on at the next try."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from rota.engine.heartbeat import Calls, Heartbeat
from rota.errors import DatabaseUnavailable
from rota.model.settings import Settings
from rota.store import dialect, nodes, patience
from rota.store.database import AmbiguousCommit, Connection, Database
from tests.support.interleave import Side
from tests.support.proxy import Proxy

SHORT_S = 0.5
LONG_S = 300.0
SOON_S = 10.0


@pytest.fixture
def proxy(pg_url: str) -> Iterator[Proxy]:
    with Proxy(pg_url) as made:
        yield made


@pytest.fixture
def database(proxy: Proxy) -> Iterator[Database]:
    with contextlib.closing(Database(proxy.url, patience_s=SHORT_S)) as made:
        assert one(made) == 1
        yield made


def asked(conn: Connection) -> Any:
    return dialect.query(conn, "SELECT 1 AS one")[0]["one"]


def one(database: Database) -> Any:
    return database.read(asked)


def test_a_connection_of_before_is_given_up(proxy: Proxy, database: Database) -> None:
    proxy.freeze()
    assert Side(lambda: one(database)).end() == 1


def test_a_transaction_under_way_fails(proxy: Proxy, database: Database) -> None:
    def swallowed() -> None:
        with database.transaction() as conn:
            assert asked(conn) == 1
            proxy.freeze()
            asked(conn)

    assert isinstance(Side(swallowed).end(), DatabaseUnavailable)
    assert one(database) == 1


def test_a_commit_that_is_swallowed_is_ambiguous(proxy: Proxy, database: Database) -> None:
    def swallowed() -> None:
        with database.transaction() as conn:
            asked(conn)
            proxy.freeze()

    assert isinstance(Side(swallowed).end(), AmbiguousCommit)


def test_others_that_were_swallowed_too_go_with_the_first(proxy: Proxy, database: Database) -> None:
    """They would wait for long; but the path answers again, and what was asked before is lost."""
    with contextlib.closing(Database(proxy.url, patience_s=LONG_S)) as other:
        assert one(other) == 1
        began = time.monotonic()
        proxy.freeze()
        waits = Side(lambda: one(other))
        assert Side(lambda: one(database)).end() == 1
        assert waits.end() == 1
        assert time.monotonic() - began < SOON_S


def test_what_is_slow_is_not_swallowed(pg_url: str) -> None:
    """Code of a handler's own takes as long as it takes."""
    with contextlib.closing(Database(pg_url, patience_s=SHORT_S)) as database:
        assert one(database) == 1
        with database.engine.connect() as conn:
            conn.exec_driver_sql("SELECT pg_sleep(3 * %s)", (SHORT_S,))
        with database.transaction() as again:
            again.exec_driver_sql("SELECT pg_sleep(%s)", (SHORT_S / 5,))
        with pytest.raises(DatabaseUnavailable), database.transaction() as rota:
            rota.exec_driver_sql("SELECT pg_sleep(5)")


def test_a_stopped_process_finds_no_answer_late(pg_url: str) -> None:
    """Time counts in looks: an hour that was slept through is one look."""
    with contextlib.closing(Database(pg_url)) as database, database.engine.connect() as conn:
        raw = conn.connection.driver_connection
        assert isinstance(raw, patience.Patient)
        dog = patience.Watchdog()
        dog._known[raw] = "here"
        raw.patience_s, raw.asked_at = 35.0, time.monotonic() - 3600
        assert [dog.look() for _ in range(70)] == [0] * 70
        raw.asked_at, raw.patience_s = None, None
        conn.exec_driver_sql("SELECT 1")


def test_a_node_on_such_a_path_renews_before_its_lease_is_over(proxy: Proxy) -> None:
    """And with it goes whatever else was asked before."""
    settings = Settings(lease=timedelta(seconds=6))
    fenced: list[str] = []
    with contextlib.closing(Database(proxy.url, patience_s=LONG_S)) as database:
        node = nodes.Node("h1", ("worker",), None, 5, "0", "z")
        heart = Heartbeat(database, settings, node, Calls(fenced=fenced.append))
        heart.join()
        heart.start()
        try:
            beats = heart.renewed_at
            while heart.renewed_at == beats:  # from now on its beats go their own short way
                heart._stop.wait(0.05)
            assert one(database) == 1
            proxy.freeze()
            began, renewed = time.monotonic(), heart.renewed_at
            waits = Side(lambda: one(database))
            while heart.renewed_at == renewed:
                assert time.monotonic() - began < settings.lease.total_seconds()
                heart._stop.wait(0.05)
            assert waits.end() == 1
            assert time.monotonic() - began < SOON_S
        finally:
            heart.stop()
    assert fenced == []
