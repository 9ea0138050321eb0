"""`rota doctor` on processes: alive is who renews its lease, not whose row says live."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rota.cli import doctor
from tests.support.world import World


@pytest.fixture
def world(store_url: str) -> Iterator[World]:
    made = World(store_url)
    yield made
    made.close()


def found(world: World) -> dict[str, tuple[str, str]]:
    """What -> (grade, detail), of the processes."""
    return {one.what: (one.grade, one.detail) for one in doctor._processes(world.app)}


def test_a_process_that_renews_is_alive(world: World) -> None:
    made = world.machine()
    for _ in range(10):
        world.clock.on(seconds=5)
        made.beat()
        assert found(world) == {"schedulers": ("ok", "1 alive"), "workers": ("ok", "1 alive")}


def test_a_process_past_its_lease_is_not_alive_though_nobody_has_fenced_it(world: World) -> None:
    world.machine("silent")
    world.clock.on(seconds=20)
    assert found(world)["workers"] == ("ok", "1 alive")
    world.clock.on(seconds=1)
    told = found(world)
    assert [(told[role][0], told[role][1][:13]) for role in ("schedulers", "workers")] == [
        ("warning", "none is alive")
    ] * 2
    assert told["processes"][0] == "warning"
    assert "has not renewed its lease since Sun 2026-03-01 12:00:00 +00:00" in told["processes"][1]
    world.machine("other")
    told = found(world)
    assert (told["schedulers"], told["workers"]) == (("ok", "1 alive"), ("ok", "1 alive"))
    assert "processes" in told


def test_a_process_that_was_fenced_or_left_is_not_told(world: World) -> None:
    world.machine("left").leave()
    world.machine("killed")
    keeper = world.machine("keeper")
    assert world.pass_lease(keeper) == ["killed"]
    keeper.beat()
    assert found(world) == {"schedulers": ("ok", "1 alive"), "workers": ("ok", "1 alive")}
