"""What a quiet process asks again and again reads a handful of rows, whatever waits, is delayed, due or done.

Its statements are prepared: the plan that counts is the one that the server makes once, for whatever parameters.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from rota.clock import SystemClock
from rota.store import dialect, line
from rota.store.lone import Question
from rota.store.quiet import Quiet
from rota.store.reflex import MOST, Reach
from tests.architecture.test_claim_plan import scans
from tests.support.runs import World

COUNT = 5000
HANDFUL = 2 * MOST


@pytest.fixture
def world(pg_url: str) -> Iterator[World]:
    made = World(pg_url)
    yield made
    made.close()


def read(world: World, question: Question, *, prepared_early: bool) -> list[tuple[str, int]]:
    """(table, rows read) of the statement's generic plan, made before there was anything, or now."""
    with psycopg.connect(world.url, autocommit=True) as conn:
        conn.execute(line.PLANS)
        conn.execute("SET plan_cache_mode = force_generic_plan")
        arguments = ", ".join(
            "NULL" if p is None else "'" + p.decode().replace("'", "''") + "'" for p in question.params
        )
        conn.execute(b"PREPARE asked AS " + question.sql)
        if prepared_early:
            conn.execute(f"EXPLAIN EXECUTE asked({arguments})".encode())
            fill(world)
        explained = conn.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE asked({arguments})".encode()).fetchone()
    assert explained is not None
    assert "JIT" not in explained[0][0]
    top: dict[str, Any] = explained[0][0]["Plan"]
    return list(scans(top))


def fill(world: World) -> None:
    """Runs that are ready, delayed, waiting and done, requests about others, a schedule that is due later."""
    later = world.db.read(dialect.instant) + timedelta(hours=1)
    a, b = world.add("a", overlap="allow"), world.add("b", overlap="queue_all")
    world.place(a, COUNT)
    for run in world.claim(limit=1000):
        world.end(run)
    world.place(a, COUNT, first=COUNT, not_before=later)
    world.place(b, 500, flight=f"s:{b}", overlap="queue_all")
    requests = "SELECT n, 'cancel', now(), 'me' FROM generate_series(100001, 105000) AS n"
    world.write("INSERT INTO {cancels} (run_id, kind, at, actor) " + requests)
    world.write("UPDATE {cursors} SET due_at = %s", later)


@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("name", ["claim", "look", "work"])
def test_a_question_reads_a_handful_of_rows(world: World, name: str, *, early: bool) -> None:
    quiet, reach = Quiet("rota", SystemClock()), Reach("rota", None, SystemClock())
    question = {"claim": reach.claim("n1", MOST), "look": quiet.look("n1"), "work": quiet.work("n1")}[name]
    if not early:
        fill(world)
    found = read(world, question, prepared_early=early)
    assert found
    assert all(rows <= HANDFUL for _, rows in found), found
