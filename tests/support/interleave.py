"""Two sides at one database, stepped by hand: a side in a thread of its own, and how to know that it waits."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from rota.errors import Error
from rota.store import dialect
from rota.store.database import Connection, Database
from tests.support.postgres import until

GATE = 7701
WAITING = "SELECT count(*) AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"


class Side:
    """An act begun in a thread. `end` waits for its answer; what it raised of rota's own errors is the answer then."""

    def __init__(self, act: Callable[[], Any]) -> None:
        self._act = act
        self._answer: Any = None
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._answer = self._act()
        except Error as error:
            self._answer = error

    @property
    def over(self) -> bool:
        return not self._thread.is_alive()

    def end(self) -> Any:
        self._thread.join(30)
        assert self.over, "the other side still waits"
        return self._answer


def waits(database: Database) -> None:
    """Wait until some session of this database waits for a lock."""
    assert until(lambda: database.read(dialect.query, WAITING)[0]["n"] > 0, 10), "nobody waits for a lock"


@contextmanager
def gate(
    database: Database, monkeypatch: pytest.MonkeyPatch, where: str
) -> Iterator[Callable[[Callable[[], Any]], Side]]:
    """Stop one side inside its statement that has `where`: its snapshot is taken, its rows are not yet locked.

    Yields the way to begin that side; it has reached the gate when the call returns, and goes on when the block ends.
    """
    query, stopped = dialect.query, threading.local()

    def slow(conn: Connection, sql: str, params: Any = ()) -> list[dict[str, Any]]:
        if where in sql and getattr(stopped, "here", False):
            assert sql.count(where) == 1
            # Whoever reads a row waits for the gate first; PostgreSQL locks the rows after that.
            sql = sql.replace(where, f"(SELECT pg_advisory_xact_lock_shared({GATE})) IS NOT NULL AND {where}")
        return query(conn, sql, params)

    def begin(act: Callable[[], Any]) -> Side:
        def run() -> Any:
            stopped.here = True
            return act()

        side = Side(run)
        waits(database)
        return side

    monkeypatch.setattr(dialect, "query", slow)
    with database.transaction() as conn:
        conn.exec_driver_sql("SELECT set_config('idle_in_transaction_session_timeout', '60s', true)")
        conn.exec_driver_sql("SELECT pg_advisory_xact_lock(%s)", (GATE,))
        yield begin
