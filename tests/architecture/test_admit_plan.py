"""An admit reads as many rows as it may let in, whatever waits for one key, and whatever has been asked to end."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from rota.store import admission, dialect
from rota.store.tables import of
from tests.support import stores
from tests.support.runs import World, at

LIMIT = 50
MANY = 50_000
CONSTANT = 10
"""Statements of one admit that each may read LIMIT rows, and a few more."""


@pytest.fixture
def pg(pg_url: str) -> Iterator[World]:
    made = World(pg_url)
    yield made
    made.close()


def scans(node: dict[str, Any]) -> Iterator[float]:
    """Rows that each scan of a table or an index has looked at."""
    if "Relation Name" in node and node["Node Type"].endswith("Scan"):
        removed = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
        yield (node["Actual Rows"] + removed) * node["Actual Loops"]
    for child in node.get("Plans", []):
        yield from scans(child)


def rows_read(conn: Connection, patch: pytest.MonkeyPatch, op: Callable[[Connection], object]) -> float:
    """How many rows the statements of `op` look at, as PostgreSQL counts them."""
    read = [0.0]
    query, execute = dialect.query, dialect.execute

    def explained(sql: str, params: Any) -> None:
        conn.exec_driver_sql("SAVEPOINT before")
        text = "EXPLAIN (ANALYZE, FORMAT JSON) " + of(conn).sql(sql)
        found = conn.exec_driver_sql(text, tuple(params)).scalar_one()
        conn.exec_driver_sql("ROLLBACK TO SAVEPOINT before")
        read[0] += sum(scans((json.loads(found) if isinstance(found, str) else found)[0]["Plan"]))

    def counted_query(one: Connection, sql: str, params: Any = ()) -> Any:
        explained(sql, params)
        return query(one, sql, params)

    def counted_execute(one: Connection, sql: str, params: Any = ()) -> Any:
        explained(sql, params)
        return execute(one, sql, params)

    with patch.context() as inside:
        inside.setattr(dialect, "query", counted_query)
        inside.setattr(dialect, "execute", counted_execute)
        op(conn)
    return read[0]


def steps(conn: Connection, op: Callable[[Connection], object]) -> int:
    """How many hundreds of instructions of its machine SQLite takes for `op`."""
    count = [0]

    def counting() -> int:
        count[0] += 1
        return 0

    raw: Any = conn.connection.driver_connection
    raw.set_progress_handler(counting, 100)
    try:
        op(conn)
    finally:
        raw.set_progress_handler(None, 0)
    return count[0]


def admit(conn: Connection) -> admission.Admitted:
    return admission.admit(conn, at(1), LIMIT)


def grown(conn: Connection, count: int, **columns: Any) -> None:
    """So many more runs, copies of the first but for these columns (SQL expressions over `n`)."""
    names = [c.name for c in of(conn).runs.columns]
    given = {"id": "1000 + n", "scheduled_for": "NULL", "invocation": "NULL"} | columns
    numbers = f"WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {count})"
    chosen = ", ".join(given.get(name, f"r.{name}") for name in names)
    first = "(SELECT min(id) FROM {runs})"
    dialect.execute(
        conn,
        f"INSERT INTO {{runs}} ({', '.join(names)}) {numbers}"
        f" SELECT {chosen} FROM s CROSS JOIN {{runs}} r WHERE r.id = {first}",
    )


def one_key(conn: Connection, count: int) -> None:
    """So many wait for the key of the first run, which runs."""
    grown(conn, count, state="'queued'", waiting="true", node="NULL", token="0")


def one_free_key(conn: Connection, count: int) -> None:
    one_key(conn, count)
    dialect.execute(conn, "UPDATE {runs} SET state = 'succeeded' WHERE id < 1000")


def free_keys(conn: Connection, count: int) -> None:
    """So many keys are free, and one run waits for each of them."""
    grown(conn, count, state="'queued'", waiting="true", node="NULL", token="0", flight="'k' || n")


def ended_cancels(conn: Connection, count: int) -> None:
    """So many were cancelled, all at once, and their requests are still there."""
    grown(conn, count, state="'cancelled'", waiting="false")
    sql = "INSERT INTO {cancels} (run_id, kind, at, actor) SELECT id, 'no_retry', created_at, 'me' FROM {runs} WHERE id > 1000"
    dialect.execute(conn, sql)


FLOODS = [one_key, one_free_key, free_keys, ended_cancels]


def prepared(world: World, flood: Callable[[Connection, int], None], count: int) -> None:
    schedule = world.add("a", overlap="queue_all", queue_max=1_000_000)
    world.place(schedule, flight="k")
    world.claim()
    world.db.call(flood, count)


@pytest.mark.parametrize("statistics", ["none", "of an empty table", "fresh"])
@pytest.mark.parametrize("flood", FLOODS, ids=lambda flood: flood.__name__)
def test_rows_read_on_postgresql(pg: World, monkeypatch: pytest.MonkeyPatch, statistics: str, flood: Any) -> None:
    def analyze() -> None:
        with pg.db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as conn:
            conn.exec_driver_sql("ANALYZE")

    if statistics == "of an empty table":
        analyze()
    prepared(pg, flood, MANY)
    if statistics == "fresh":
        analyze()
    read = pg.db.call(rows_read, monkeypatch, admit)
    assert 0 < read <= CONSTANT * LIMIT


@pytest.mark.parametrize("flood", FLOODS, ids=lambda flood: flood.__name__)
def test_steps_on_sqlite(sqlite_template: stores.SqliteTemplate, tmp_path: Path, flood: Any) -> None:
    def taken(count: int) -> int:
        world = World(sqlite_template.copy_to(tmp_path / f"{count}.db"))
        prepared(world, flood, count)
        found = world.db.call(steps, admit)
        world.close()
        return found

    assert taken(MANY) <= 1.5 * taken(4 * LIMIT)
