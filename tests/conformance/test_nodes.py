"""Nodes on every store."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rota.errors import NodeNotFound
from rota.model.by import By
from rota.store import nodes
from rota.store.nodes import Node
from tests.support.runs import START, World, at

ME = By("me")


@pytest.fixture
def world(store_url: str) -> Iterator[World]:
    made = World(store_url)
    yield made
    made.close()


def test_a_node_joins_beats_and_leaves(world: World) -> None:
    node = Node(nodes.fresh_id(), ("scheduler", "worker"), ("a", "b"), 7, "1.2", "2026a")
    world.db.call(nodes.join, node, START)
    assert world.db.call(nodes.renew, node.id, at(5)) == nodes.Renewed(live=True)
    assert world.db.read(nodes.beats) == {node.id: 1, "n1": 0}
    row = world.db.read(nodes.get, node.id)
    assert (row["state"], row["roles"], row["lanes"], row["slots"]) == ("live", ["scheduler", "worker"], ["a", "b"], 7)
    assert (row["started_at"], row["seen_at"], row["ended_at"]) == (START, at(5), None)
    assert world.db.call(nodes.leave, node.id, at(9)) is True
    assert world.db.call(nodes.leave, node.id, at(9)) is False
    assert world.db.call(nodes.renew, node.id, at(10)).live is False
    assert [r["id"] for r in world.db.read(nodes.listing)] == ["n1"]
    assert len(world.db.read(nodes.listing, all_of_them=True)) == 2
    assert [kind for kind, _ in world.events()] == ["node.started", "node.stopped"]


def test_drain_is_seen_at_the_next_renewal_and_taken_back(world: World) -> None:
    assert world.db.call(nodes.drain, "n1", START, ME) is True
    assert world.db.call(nodes.drain, "n1", START, ME) is False
    assert world.db.call(nodes.renew, "n1", START) == nodes.Renewed(live=True, draining=True)
    assert world.db.call(nodes.drain, "n1", START, ME, on=False) is True
    assert world.db.call(nodes.renew, "n1", START).draining is False
    with pytest.raises(NodeNotFound):
        world.db.call(nodes.drain, "nobody", START, ME)
    with pytest.raises(NodeNotFound):
        world.db.read(nodes.get, "nobody")


def test_a_fenced_node_never_comes_back_to_life(world: World) -> None:
    assert world.db.call(nodes.fence, {"n1": 0, "nobody": 0}, at(1), "k") == ["n1"]
    assert world.db.call(nodes.renew, "n1", at(2)).live is False
    assert world.db.call(nodes.leave, "n1", at(2)) is False
    assert world.db.call(nodes.fence, {"n1": 0}, at(3), "k") == []
    assert world.rows("SELECT state, beats FROM {nodes}") == [{"state": "fenced", "beats": 0}]


def test_the_listing_counts_what_a_node_has_in_its_hands(world: World) -> None:
    world.place(world.add("a"), 3)
    world.claim(limit=2)
    assert [r["running"] for r in world.db.read(nodes.listing)] == [2]
