"""Requests that come in one after the other: the first learns what the others may know, and nobody can tell them apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from rota import errors
from rota.model.arguments import check_arguments
from rota.store import dialect, jobs
from rota.store import events as spine
from rota.store.jobs import JobRow
from tests.support.application import World

OWN = {"id", "invocation", "created_at"}


@pytest.fixture
def world(store_url: str) -> Iterator[World]:
    made = World(store_url)
    yield made
    made.close()


def rows(world: World, table: str) -> list[dict[str, Any]]:
    """What the runs of a table have in common but for their own id and name."""
    return [
        {name: value for name, value in row.items() if name not in OWN}
        for row in world.rows(f"SELECT * FROM {{{table}}} ORDER BY id")
    ]


def events(world: World) -> list[dict[str, Any]]:
    """The requests that the spine tells of."""
    world.db.call(spine.number)
    return world.db.read(spine.after, 0, types=["run.requested"])


def test_each_answer_is_the_run_as_it_stands(world: World) -> None:
    for given in ({"workspace": "a"}, {"workspace": 'é\U0001f600 "\\ {', "keep_days": 3}, {"workspace": "b"}):
        made = world.app.enqueue("archive", given)
        assert made == world.app.runs.get(made.id)
    first, _, last = rows(world, "runs")
    assert first | {"args": last["args"]} == last


def test_each_may_start_at_once(world: World) -> None:
    made = [world.app.enqueue("archive", {"workspace": "a"}, priority=n).id for n in (4, 3, 3)]
    found = world.rows("SELECT lane, priority, run_id FROM {ready} ORDER BY run_id")
    assert [tuple(row.values()) for row in found] == [
        ("reports", n, run) for n, run in zip((4, 3, 3), made, strict=True)
    ]


def test_each_tells_who_asked(world: World) -> None:
    made = [world.app.acting("ann", channel="cli").enqueue("noop").id for _ in range(3)]
    found = events(world)
    assert [event["data"].pop("run") for event in found] == made
    first = found[0]["data"]
    assert (first["by"], first["channel"], first["job"], first["cause"]) == ("ann", "cli", "noop", "manual")
    assert [(event["subject"], event["at"], event["data"]) for event in found] == [
        (found[0]["subject"], found[0]["at"], first)
    ] * 3


def test_the_same_key_changes_nothing(world: World) -> None:
    made = [world.app.enqueue("noop", dedupe_key=key).id for key in ("a", "b", "a", "b", "c")]
    assert made[:2] == made[2:4]
    assert len(set(made)) == len(events(world)) == len(world.rows("SELECT run_id FROM {ready}")) == 3


def test_a_change_of_the_job_is_seen_by_the_next_request(world: World) -> None:
    for _ in range(2):
        world.app.enqueue("noop")
    world.db.call(jobs.register, [JobRow("noop", "python", defaults={"timeout": "1h"}, lane="other", priority=7)])
    made = [world.app.enqueue("noop") for _ in range(2)]
    assert [(run.lane, run.priority) for run in made] == [("other", 7)] * 2
    assert [row["revision"] for row in world.rows("SELECT revision FROM {definitions} ORDER BY revision")] == [1, 2]


def test_parameters_are_those_of_the_registry(world: World) -> None:
    app = world.other(world.db.url.render_as_string(hide_password=False))
    for _ in range(2):
        app.enqueue("noop")
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    world.db.call(jobs.register, [JobRow("noop", "python", parameters=schema)])
    check_arguments("noop", {"n": 1}, schema)
    assert app.enqueue("noop", {"n": 1}).args == {"n": 1}
    for _ in range(2):
        with pytest.raises(errors.InvalidArguments):
            app.enqueue("noop")


def test_a_lane_that_is_gone_is_made_again(world: World) -> None:
    for _ in range(2):
        world.app.enqueue("noop", lane="fast")
    world.db.call(lambda conn: dialect.execute(conn, "DELETE FROM {lanes}"))
    world.app.enqueue("noop", lane="fast")
    assert [row["name"] for row in world.rows("SELECT name FROM {lanes}")] == ["fast"]


def test_definitions_that_are_gone_are_made_again(world: World) -> None:
    for _ in range(2):
        world.app.enqueue("noop")
    world.db.call(lambda conn: dialect.execute(conn, "DELETE FROM {runs}"))
    world.db.call(lambda conn: dialect.execute(conn, "DELETE FROM {definitions}"))
    made = world.app.enqueue("noop")
    assert world.app.runs.get(made.id).job == "noop"


def test_a_shared_key_is_respected(world: World) -> None:
    world.db.call(jobs.register, [JobRow("noop", "python", defaults={"single_flight": "one"})])
    states = [world.app.enqueue("noop").state for _ in range(3)]
    assert states == ["queued", "skipped", "skipped"]


def test_later_is_not_now(world: World) -> None:
    for _ in range(2):
        world.app.enqueue("noop")
    later = world.app.enqueue("noop", not_before="2026-03-01T13:00:00Z")
    assert later.id not in {row["run_id"] for row in world.rows("SELECT run_id FROM {ready}")}


def test_each_place_has_its_own(world: World) -> None:
    acme = world.other(world.db.url.render_as_string(hide_password=False), tenant="acme")
    for app, tenant in ((world.app, "default"), (acme, "acme")) * 2:
        assert app.enqueue("noop").invocation.startswith(f"{tenant}/default/default/noop@manual-")
