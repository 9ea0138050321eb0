"""Requests by one statement: where it serves, and that it is given up wherever it must not be used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import psycopg
import pytest

from rota.app.rota import Rota
from rota.store import lone
from rota.store.database import Database
from tests.support.pooler import pooler


@pytest.fixture
def app(pg_url: str) -> Iterator[Rota]:
    made = Rota(pg_url)
    made.job(noop)
    made.prepare()
    yield made
    made.close()


def noop() -> None:
    """Do nothing."""


@pytest.fixture
def transactions(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The store's transactions, by the name of what was done in them."""
    seen: list[str] = []
    begun = Database.call

    def call(self: Database, op: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        seen.append(op.__name__)
        return begun(self, op, *args, **kwargs)

    monkeypatch.setattr(Database, "call", call)
    return seen


def test_the_first_learns_and_the_others_need_no_transaction(app: Rota, transactions: list[str]) -> None:
    for _ in range(5):
        app.enqueue("noop")
    assert transactions == ["_in_general"]


def test_whoever_listens_hears_of_it(app: Rota, pg_url: str) -> None:
    for _ in range(2):
        app.enqueue("noop")
    with psycopg.connect(pg_url, autocommit=True) as conn:
        conn.execute("LISTEN rota_wake")
        app.enqueue("noop")
        heard = [note.payload for note in conn.notifies(timeout=5, stop_after=1)]
    assert heard == ["r"]


def test_a_connection_that_the_server_has_ended_is_not_asked(app: Rota, pg_url: str, transactions: list[str]) -> None:
    made = {app.enqueue("noop").id for _ in range(3)}
    end_sessions(pg_url)
    made.add(app.enqueue("noop").id)
    assert transactions == ["_in_general"] * 2
    assert len({run.id for run in app.runs.list()}) == len(made) == 4


def test_an_answer_that_is_lost_makes_no_second_run(app: Rota, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):
        app.enqueue("noop")
    asked = lone.ask

    def lost(*args: Any) -> Any:
        asked(*args)
        raise lone.Unanswered

    monkeypatch.setattr(lone, "ask", lost)
    made = app.enqueue("noop")
    assert [run.id for run in app.runs.list(limit=1)] == [made.id]
    assert len(list(app.runs.list())) == 3


def test_what_the_server_refuses_is_asked_the_general_way(app: Rota, pg_url: str, transactions: list[str]) -> None:
    """A prepared statement that is no longer there, as after a change of the pooler's mind."""
    for _ in range(3):
        app.enqueue("noop")
    with app.core.database.engine.connect() as conn:
        conn.exec_driver_sql("DEALLOCATE ALL")
        conn.commit()
    app.enqueue("noop")
    app.enqueue("noop")
    assert transactions == ["_in_general"] * 2
    assert len(list(app.runs.list())) == 5


def test_a_server_that_is_away_gives_no_answer() -> None:
    away = Database("postgresql://rota@127.0.0.1:1/nowhere")
    with pytest.raises(lone.Unanswered):
        lone.ask(away, [lone.Question(b"SELECT 1")])
    away.close()


def test_a_connection_that_is_closed_gives_no_answer_and_is_not_used_again(pg_url: str) -> None:
    asked = [lone.Question(b"SELECT 1")]
    with closing(Database(pg_url)) as database:
        assert lone.ask(database, asked) == [b"1"]
        with closing(database.engine.raw_connection()) as pooled:
            raw = pooled.driver_connection
            assert isinstance(raw, psycopg.Connection)
        raw.close()
        with pytest.raises(lone.Unanswered):
            lone.ask(database, asked)
        assert lone.ask(database, asked) == [b"1"]


def test_behind_a_pooler_nothing_is_prepared(pg_url: str) -> None:
    with pooler(pg_url) as between, closing(Rota(between.url)) as app:
        app.job(noop)
        app.prepare()
        for _ in range(4):
            app.enqueue("noop")
        assert prepared(app) == 0
    with closing(Rota(pg_url)) as app:
        for _ in range(2):
            app.enqueue("noop")
        assert prepared(app) == 2


def prepared(app: Rota) -> int:
    """How many statements the application's one connection has prepared."""
    with app.core.database.engine.connect() as conn:
        return int(conn.exec_driver_sql("SELECT count(*) FROM pg_prepared_statements").scalar_one())


def end_sessions(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
