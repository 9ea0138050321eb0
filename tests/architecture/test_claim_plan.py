"""A claim reads as many rows as it takes, whatever waits, is delayed or done, and whatever the statistics say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import Connection

from rota.store import claims, dialect, lanes
from rota.store.tables import of
from tests.support.runs import START, World, at

LIMIT = 50


@pytest.fixture
def world(pg_url: str) -> Iterator[World]:
    made = World(pg_url)
    yield made
    made.close()


def plan(conn: Connection) -> dict[str, Any]:
    lanes.open_ones(conn, None, 0)
    now = at(1)
    params = ("default", "n1", LIMIT, now, "n1")
    sql = "EXPLAIN (ANALYZE, FORMAT JSON) " + of(conn).sql(claims._TAKE)
    found = dialect.tuples(conn, sql, params)[0][0]
    top: dict[str, Any] = (json.loads(found) if isinstance(found, str) else found)[0]["Plan"]
    return top


def scans(node: dict[str, Any]) -> Iterator[tuple[str, int]]:
    if "Relation Name" in node and node["Node Type"].endswith("Scan"):
        removed = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
        yield node["Relation Name"], (node["Actual Rows"] + removed) * node["Actual Loops"]
    for child in node.get("Plans", []):
        yield from scans(child)


@pytest.mark.parametrize("analyzed", [False, True])
def test_a_claim_reads_as_many_rows_as_it_takes(world: World, *, analyzed: bool) -> None:
    a = world.add("a", overlap="allow")
    for n in range(5):
        world.place(a, 2000, first=2000 * n)
    for run in world.claim(limit=1000):
        world.end(run)
    if analyzed:
        with world.db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as conn:
            conn.exec_driver_sql("ANALYZE")
    read = list(scans(world.db.call(plan)))
    assert {name for name, _ in read} >= {"ready", "runs"}
    assert all(rows <= LIMIT for _, rows in read), read
    assert len(world.claim(limit=1, now=START)) == 1
