"""Retention on every store: what is older than the horizon goes, the last runs of each schedule stay."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import timedelta

import pytest
from sqlalchemy import Connection

from rota.engine.tidy import Tidy
from rota.model.by import By
from rota.model.settings import Settings
from rota.store import leases, logs, passes, schedules
from tests.support.runs import FAILED, START, World, at

DAY = 86400
KEEP = Settings(retention=timedelta(days=90), keep_runs=2, batch=3)


@pytest.fixture
def world(store_url: str) -> Iterator[World]:
    made = World(store_url)
    yield made
    made.close()


def finished(world: World, schedule: int, count: int, day: float, first: int = 0) -> list[int]:
    now = at(day * DAY)
    ids = world.place(schedule, count, now=now, first=first)
    for run in world.claim(now=now):
        world.end(run, FAILED, now)
    return ids


def left(world: World) -> list[int]:
    return [r["id"] for r in world.rows("SELECT id FROM {runs} ORDER BY id")]


def tidy(world: World, day: float, node: str = "n1", settings: Settings = KEEP) -> int:
    return asyncio.run(Tidy(settings).turn(world.db, node, at(day * DAY)))


def test_old_runs_go_and_the_last_of_each_schedule_stay(world: World) -> None:
    a, b = world.add("a"), world.add("b")
    old = finished(world, a, 5, 0)
    other = finished(world, b, 1, 0)
    fresh = finished(world, a, 1, 80, first=50)
    assert tidy(world, 89) == 0
    tidy(world, 91)
    assert left(world) == [old[4], *other, *fresh]
    assert {r["run_id"] for r in world.rows("SELECT run_id FROM {logs}")} == set(left(world))
    assert world.db.read(logs.read, old[0]) == []


def test_what_has_not_ended_stays(world: World) -> None:
    a = world.add("a")
    ids = world.place(a, 4)
    running, ended = world.claim(limit=2)
    world.end(ended)
    tidy(world, 400, settings=Settings(keep_runs=0, batch=2))
    assert left(world) == [running.id, *ids[2:]]


def test_events_changes_and_decisions_go_by_age(world: World) -> None:
    a = world.add("a")
    finished(world, a, 2, 0)
    world.lane("x", concurrency=2)
    for node, until in (("old", 1), ("new", 95)):
        world.db.call(decision, a, until, node)
    world.events()
    finished(world, a, 1, 95, first=9)
    tidy(world, 100)
    kinds = world.events()
    assert [kind for kind, _ in kinds] == ["run.failed"]
    assert world.rows("SELECT * FROM {changes}") == []
    assert [r["node"] for r in world.rows("SELECT node FROM {decisions}")] == ["new"]


def decision(conn: Connection, schedule: int, until: int, node: str) -> None:
    from rota.store import dialect
    from rota.store.tables import of

    row = {"schedule_id": schedule, "after_at": START, "until_at": at(until * DAY), "what": "skipped", "reason": "late"}
    dialect.insert_many(conn, of(conn).decisions, [row | {"revision": 1, "node": node, "at": at(until * DAY)}])


def test_a_removed_schedule_goes_with_its_last_run(world: World) -> None:
    a, b = world.add("a"), world.add("b")
    finished(world, a, 1, 0)
    world.db.call(schedules.remove, a, By("me"))
    world.db.call(schedules.remove, b, By("me"))
    late = Settings(keep_runs=0, retention=timedelta(days=1))
    world.write("UPDATE {schedules} SET removed_at = created_at")
    tidy(world, 30, settings=late)
    assert world.rows("SELECT * FROM {schedules}") == []
    for table in ("cursors", "definitions", "health", "decisions"):
        assert world.rows(f"SELECT * FROM {{{table}}}") == []


def test_a_key_is_forgotten_with_the_run_that_held_it_last(world: World) -> None:
    a = world.add("a")
    gone, stays = world.place(a, flight="k:gone"), world.place(a, flight="k:stays", first=60)
    for run in world.claim():
        world.end(run, FAILED)
    later = world.place(a, flight="k:stays", first=120, now=at(95 * DAY))
    tidy(world, 100, settings=Settings(keep_runs=0))
    assert left(world) == later
    assert gone + stays == [1, 2]
    assert world.rows("SELECT flight, run_id FROM {flights}") == [{"flight": "k:stays", "run_id": later[0]}]


def test_nodes_that_ended_long_ago_are_forgotten(world: World) -> None:
    world.write("UPDATE {nodes} SET state = 'stopped', ended_at = started_at WHERE id = 'n1'")
    tidy(world, 6)
    assert len(world.rows("SELECT * FROM {nodes}")) == 1
    tidy(world, 8)
    assert world.rows("SELECT * FROM {nodes}") == []


def test_one_node_at_a_time(world: World) -> None:
    finished(world, world.add("a"), 4, 0)
    assert world.db.call(leases.acquire, "retention", "n2", at(100 * DAY), timedelta(minutes=5))
    assert tidy(world, 100) == 0
    assert not world.db.call(leases.acquire, "retention", "n1", at(100 * DAY + 299), timedelta(minutes=5))
    assert world.db.call(leases.acquire, "retention", "n1", at(100 * DAY + 300), timedelta(minutes=5))
    world.db.call(leases.release, "retention", "n1")
    assert tidy(world, 101, "n3") > 0


def test_nothing_is_deleted_in_the_day_after_a_step_forward(world: World) -> None:
    finished(world, world.add("a"), 4, 0)
    world.db.call(passes.watch_clock, at(0))
    world.db.call(passes.watch_clock, at(100 * DAY))
    assert tidy(world, 100.5) == 0
    assert tidy(world, 101.1) > 0
