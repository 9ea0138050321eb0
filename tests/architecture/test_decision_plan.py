"""Recording a decision reads one row of history per schedule, however long that history is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection

from rota.model.firing import Decision
from rota.store import decisions, dialect
from rota.store.tables import of
from tests.support.runs import START, World

ROWS = 50_000
SCHEDULES = 20
MINUTE = timedelta(minutes=1)
END = START + ROWS * MINUTE


@pytest.fixture
def world(store_url: str) -> Iterator[World]:
    """Half of all decisions are the first schedule's, the others have equal parts of the rest."""
    made = World(store_url)
    made.db.call(history)
    yield made
    made.close()


def history(conn: Connection) -> None:
    each = range(ROWS)
    columns: dict[str, list[Any]] = {
        "schedule_id": [1 if n % 2 else 1 + n // 2 % SCHEDULES for n in each],
        "after_at": [START + n * MINUTE for n in each],
        "until_at": [START + (n + 1) * MINUTE for n in each],
        "what": ["skipped"] * ROWS,
        "reason": ["late"] * ROWS,
        "revision": [1] * ROWS,
        "node": ["n1"] * ROWS,
        "at": [START] * ROWS,
    }
    dialect.insert_columns(conn, of(conn).decisions, columns)


def explained(world: World, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The plans of the statements that look for the last decisions; on PostgreSQL as they were carried out."""
    query, plans = dialect.query, []

    def explain(conn: Connection, sql: str, params: Any = ()) -> list[dict[str, Any]]:
        how = "EXPLAIN (ANALYZE, FORMAT JSON) " if dialect.is_postgresql(conn) else "EXPLAIN QUERY PLAN "
        if "{decisions}" in sql:
            plans.append(query(conn, how + sql, params))
        return query(conn, sql, params)

    made = [decisions.Decided(n + 1, 1, Decision(END, END + MINUTE, "skipped", "late")) for n in range(SCHEDULES)]
    with monkeypatch.context() as patched:
        patched.setattr(dialect, "query", explain)
        fresh = world.db.call(decisions.record, END, "n1", made)
    assert len(fresh) == SCHEDULES - 1, "the one whose last row it touches is extended"
    return plans


def rows_read(node: dict[str, Any]) -> Iterator[int]:
    if node.get("Relation Name") == "decisions":
        removed = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
        yield (node["Actual Rows"] + removed) * node["Actual Loops"]
    for child in node.get("Plans", []):
        yield from rows_read(child)


@pytest.mark.parametrize("analyzed", [False, True])
def test_the_last_decision_is_one_probe_of_an_index(
    world: World, monkeypatch: pytest.MonkeyPatch, *, analyzed: bool
) -> None:
    if analyzed:
        with world.db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as conn:
            conn.exec_driver_sql("ANALYZE")
    plans = explained(world, monkeypatch)
    assert plans
    for plan in plans:
        if world.db.sqlite:
            steps = [row["detail"] for row in plan]
            assert any("decisions_until (schedule_id=?)" in step for step in steps), steps
            assert not any("B-TREE" in step or "SCAN d" in step or "SCAN l" in step for step in steps), steps
        else:
            (found,) = plan[0].values()
            top = (json.loads(found) if isinstance(found, str) else found)[0]["Plan"]
            read = list(rows_read(top))
            assert read
            assert all(count <= 2 * SCHEDULES for count in read), top
