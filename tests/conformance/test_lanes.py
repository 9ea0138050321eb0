"""Lanes on every store: their limits, who changed them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from rota.errors import InvalidValue, LaneNotFound
from rota.model.by import By
from rota.store import lanes
from rota.store.lanes import Lane
from tests.support.runs import START, World, at

ME = By("me", "cli", "too many")


@pytest.fixture
def world(store_url: str) -> Iterator[World]:
    made = World(store_url)
    yield made
    made.close()


def test_a_lane_is_made_once_and_changed_on_record(world: World) -> None:
    world.db.call(lanes.ensure_lane, "mail", START)
    world.db.call(lanes.ensure_lane, "mail", at(9))
    assert world.db.call(lanes.put, Lane("mail", concurrency=3), at(1), ME) is True
    assert world.db.call(lanes.put, Lane("mail", concurrency=3), at(2), ME) is False
    assert world.db.call(lanes.pause, "mail", at(3), ME, paused=True) is True
    row = world.db.read(lanes.get, "mail")
    assert (row["concurrency"], row["paused"], row["updated_at"], row["queued"], row["running"]) == (
        3,
        True,
        at(3),
        0,
        0,
    )
    changes = world.rows("SELECT subject, actor, channel, reason FROM {changes} ORDER BY id")
    assert [tuple(c.values()) for c in changes] == [("lane:mail", "me", "cli", "too many")] * 2
    assert [kind for kind, _ in world.events()] == ["lane.updated"] * 2


def test_the_listing_counts_what_waits_and_what_runs(world: World) -> None:
    world.place(world.add("a", lane="x"), 3)
    world.claim(limit=1)
    assert [(r["name"], r["queued"], r["running"]) for r in world.db.read(lanes.listing)] == [("x", 2, 1)]


def test_a_lane_that_is_none_is_named(world: World) -> None:
    with pytest.raises(LaneNotFound, match="nowhere"):
        world.db.read(lanes.get, "nowhere")
    with pytest.raises(LaneNotFound):
        world.db.call(lanes.pause, "nowhere", START, ME, paused=True)


@pytest.mark.parametrize(
    "lane",
    [
        Lane("a/b"),
        Lane("a", concurrency=0),
        Lane("a", rate="often"),
        Lane("a", rate="0/m"),
        Lane("a", concurrency=2, engine="saq"),
    ],
)
def test_bad_lanes_are_refused(world: World, lane: Lane) -> None:
    with pytest.raises(InvalidValue):
        world.db.call(lanes.put, lane, START, ME)
    assert world.rows("SELECT * FROM {lanes}") == []


def test_rates_read_as_they_are_written() -> None:
    assert lanes.parse_rate("30/m") == (30, timedelta(minutes=1))
    assert lanes.parse_rate("5/s") == (5, timedelta(seconds=1))
    assert lanes.parse_rate("100/15m") == (100, timedelta(minutes=15))


def test_another_rate_starts_with_a_full_bucket(world: World) -> None:
    world.place(world.add("a", lane="x"), 9)
    world.lane("x", rate="1/h")
    assert len(world.claim()) == 1
    assert world.claim() == []
    world.lane("x", rate="3/h")
    assert len(world.claim()) == 3


def test_limited_lanes_are_looked_at_in_one_order_by_every_node(world: World) -> None:
    """Their rows are locked: two nodes that took them in different orders would wait for each other."""
    for name in ("a", "b", "c", "d"):
        world.place(world.add(name, lane=name), 1)
    for name in ("b", "d"):
        world.db.call(lanes.put, Lane(name, concurrency=1), START, ME)
    seen = [[lane.name for lane in world.db.call(lanes.open_ones, None, turn)] for turn in range(8)]
    assert {tuple(n for n in names if n in "bd") for names in seen} == {("b", "d")}
    assert {names[0] for names in seen} >= {"a", "b", "c"}, "each kind comes first in its turn"
