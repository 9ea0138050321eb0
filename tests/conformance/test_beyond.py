"""A settlement touches a schedule that its process cannot compute: that one alone is judged later, no other is harmed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Final

import pytest

from rota.calendar.recurrence import Recurrence
from rota.engine.context import Context
from rota.engine.plans import Known, Plans
from rota.errors import Error
from rota.store import dialect, health
from tests.support import laws
from tests.support.world import Machine, World

FAR: Final = "Europe/Stockholm"
"""The zone of the schedule that cannot be computed; every other thing about it is like the others."""
NAMES: Final = ("a", "b", "c")
Fault = Callable[[World], Any]


@pytest.fixture
def world(store_url: str) -> Iterator[World]:
    made = World(store_url)
    yield made
    made.close()


def column(name: str, change: Callable[[str], str]) -> Fault:
    """A definition as another version, or a hand, may have written it."""

    @contextmanager
    def fault(world: World) -> Iterator[None]:
        mine = f"FROM {{definitions}} WHERE zone = '{FAR}'"
        (row,) = world.rows(f"SELECT id, CAST({name} AS text) AS was {mine}")
        update = f"UPDATE {{definitions}} SET {name} = %s WHERE id = %s"
        world.db.call(dialect.execute, update, [change(row["was"]), row["id"]])
        yield
        world.db.call(dialect.execute, update, [row["was"], row["id"]])

    return fault


def computing(error: Exception, *names: str) -> Fault:
    """A rule that raises when it is asked."""

    @contextmanager
    def fault(_: World) -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            for name in names:
                patch.setattr(Recurrence, name, raising(getattr(Recurrence, name)))
            yield

    def raising(method: Callable[..., Any]) -> Callable[..., Any]:
        def ask(rule: Recurrence, *args: Any) -> Any:
            if rule.zone_name == FAR:
                raise error
            return method(rule, *args)

        return ask

    return fault


FAULTS: Final[dict[str, Fault]] = {
    "an unknown zone": column("zone", lambda _: "Nowhere/Else"),
    "an unreadable rule": column("canonical", lambda _: "nonsense"),
    "unreadable policies": column("policies", lambda was: json.dumps(json.loads(was) | {"overlap": "sideways"})),
    "policies that are no object": column("policies", lambda _: "[]"),
    "no next": computing(ZeroDivisionError(), "next_after"),
    "no last": computing(RecursionError(), "last_until"),
    "nothing": computing(OverflowError(), "next_after", "last_until"),
}


def fails() -> None:
    raise ValueError("no")


def wakes(ctx: Context) -> None:
    assert ctx.scheduled_for is not None
    ctx.wake_at(ctx.scheduled_for + timedelta(minutes=3))


def at_the_nth_failure(world: World, machine: Machine) -> None:
    """An occurrence is due and undecided when the schedules are disabled."""
    world.job(fails)
    add(world, "fails", disable_after=1, probe_after="10m")
    begin(world, machine, "12:07")
    world.at("12:15")


def behind_a_pause(world: World, machine: Machine) -> None:
    """The pause has ended, which no scheduler has seen: that is written before the disabling is."""
    at_the_nth_failure(world, machine)
    for name in NAMES:
        world.app.schedules.pause(name, until=world.now + timedelta(minutes=5))
    world.at("12:22")


def at_a_wake(world: World, machine: Machine) -> None:
    world.job(wakes)
    add(world, "wakes")
    begin(world, machine, "12:07")
    world.at("12:08")


def at_a_probe(world: World, machine: Machine) -> None:
    """It succeeds, so it enables."""
    outcomes = iter([1, 1, 1, 0, 0, 0])

    def flaky() -> None:
        assert next(outcomes) == 0

    world.app.job(flaky, name="flaky")
    world.app.prepare()
    add(world, "flaky", disable_after=1, probe_after="10m")
    begin(world, machine, "12:07")
    machine.finish()
    begin(world, machine, "12:17")
    world.at("12:22")


DEMANDS: Final = [at_the_nth_failure, behind_a_pause, at_a_wake, at_a_probe]


def add(world: World, job: str, **policies: Any) -> None:
    for name in NAMES:
        world.add(name, "*/7 * * * *", job=job, timezone=FAR if name == "b" else "UTC", **policies)


def begin(world: World, machine: Machine, at: str) -> None:
    """Fire the three, and claim their runs."""
    world.at(at)
    machine.turn()
    assert machine.claim() == 3


def seen(world: World, name: str) -> tuple[Any, ...]:
    cursor = world.cursor(name)
    own = cursor._replace(schedule_id=0, definition_id=0, revision=0, last_wall=None)
    return own, world.runs(name), world.decisions(name)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("demand", DEMANDS, ids=lambda demand: demand.__name__)
def test_a_settlement_of_what_cannot_be_computed_harms_no_other(
    world: World, demand: Callable[[World, Machine], None], fault: str
) -> None:
    machine = world.machine()
    demand(world, machine)
    with FAULTS[fault](world):
        assert machine.finish() == 3, "every run is settled, that one's own too"
    healthy, touched = world.cursor("a"), world.cursor("b")
    assert (touched.state, touched.disabled_reason, touched.wake_at) == (
        healthy.state,
        healthy.disabled_reason,
        healthy.wake_at,
    )
    if touched.state == "active":
        assert touched.due_at in (world.now, healthy.due_at), "where it was not computed, a scheduler judges it at once"
    world.machine("m2").turn()
    world.db.call(health.replan_probes, world.now)  # where `probe_after` could not be read
    assert seen(world, "a") == seen(world, "c") == seen(world, "b")
    laws.check(world.db)


def test_one_definition_that_cannot_be_read_is_an_error_of_its_own(world: World) -> None:
    """Nothing else of a batch is lost with it, and it is there again when it can be read."""
    add(world, "noop")
    ids = {name: world.cursor(name).definition_id for name in NAMES}
    for fault in ("unreadable policies", "policies that are no object"):
        with FAULTS[fault](world):
            found = world.db.read(Plans().fetch, ids.values())
            assert {name: type(found[key]) is Known for name, key in ids.items()} == {"a": True, "b": False, "c": True}
            assert isinstance(found[ids["b"]], Error)
            assert "default/default/default/b" in str(found[ids["b"]])
    plans = Plans()
    with FAULTS["unreadable policies"](world):
        world.db.read(plans.fetch, ids.values())
    assert isinstance(world.db.read(plans.fetch, ids.values())[ids["b"]], Known)


def test_a_schedule_whose_policies_cannot_be_read_is_left_to_other_nodes(world: World) -> None:
    machine = world.machine()
    add(world, "noop")
    with FAULTS["unreadable policies"](world):
        world.at("12:07")
        assert machine.turn().fired == 2
    assert (world.cursor("b").state, world.runs("b")) == ("active", [])
    assert world.machine("m2").turn().fired == 1
