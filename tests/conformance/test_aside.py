"""One bad schedule is set aside, all others fire; another version takes it up again (law 3)."""

from __future__ import annotations

from typing import Any

import pytest

from rota.calendar.recurrence import Recurrence
from rota.engine import aside, scheduler
from rota.errors import UnknownZone
from rota.model import timing
from rota.store import firings, leases
from rota.store.database import StatementRefused
from tests.conformance.test_firing import World, minute
from tests.conformance.test_firing import world as world  # noqa: PLC0414 - the fixture


def _refusing(monkeypatch: pytest.MonkeyPatch, bad: int) -> None:
    """The database refuses whatever touches one schedule, as it would a value that it cannot store."""
    commit = firings.commit

    def refuse(conn: Any, now: Any, decided: Any, node: str) -> Any:
        if any(d.before.schedule_id == bad for d in decided):
            raise StatementRefused("value out of range")
        return commit(conn, now, decided, node)

    monkeypatch.setattr(firings, "commit", refuse)


def _states(world: World) -> dict[int, tuple[str, str | None]]:
    found = world.rows("SELECT schedule_id, state, disabled_reason FROM {cursors}")
    return {r["schedule_id"]: (r["state"], r["disabled_reason"]) for r in found}


def test_a_schedule_that_the_database_refuses_is_set_aside_alone(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    names = world.add(*"abcdefg")
    with monkeypatch.context() as patched:
        _refusing(patched, names["c"])
        assert world.turn(minute(1)).fired == 6
    states = _states(world)
    state, reason = states[names["c"]]
    assert state == "disabled"
    assert reason is not None
    assert reason.startswith("X500002DBSTMT: value out of range (rota ")
    assert {states[i][0] for n, i in names.items() if n != "c"} == {"active"}
    assert world.turn(minute(2)).claimed == 6


def _broken(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Asking one rule raises."""
    ask = Recurrence.next_after

    def raising(self: Recurrence, instant: Any) -> Any:
        if self.canonical == text:
            raise ZeroDivisionError("a fault of the calendar")
        return ask(self, instant)

    monkeypatch.setattr(Recurrence, "next_after", raising)


def test_a_rule_that_cannot_be_computed_disables_its_schedule_and_heals_with_another_version(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = world.add("a", "b")
    bad = world.add("odd", when="*/7 * * * *")["odd"]
    with monkeypatch.context() as patched:
        _broken(patched, "*/7 * * * *")
        assert world.turn(minute(7)).fired == 2
        assert _states(world)[bad][0] == "disabled"
        assert [r["code"] for r in world.events("schedule.uncomputable")] == ["X200900SCHCAL"]
        aside.heal(world.scheduler)
        assert _states(world)[bad][0] == "disabled"
    aside.heal(world.scheduler)
    assert _states(world)[bad][0] == "disabled", "the same version does not try again"
    monkeypatch.setattr(aside, "VERSION", "9.9.9")
    aside.heal(world.scheduler)
    assert _states(world)[bad] == ("active", None)
    assert {_states(world)[i][0] for i in good.values()} == {"active"}


def test_more_than_ten_in_one_batch_stop_the_node_and_not_the_schedules(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = world.add(*[f"s{n}" for n in range(12)], when="*/7 * * * *", jitter="1s")
    _broken(monkeypatch, "*/7 * * * *")
    with pytest.raises(scheduler.NodeBroken, match="12 schedules"):
        world.turn(minute(7))
    assert {_states(world)[i][0] for i in names.values()} == {"active"}


def test_a_zone_that_this_node_lacks_is_left_to_other_nodes(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.add("a")
    lacking = world.add("far", zone="Asia/Tokyo")["far"]

    def missing(*_: Any) -> Any:
        raise UnknownZone("no zone Asia/Tokyo here")

    make = timing.recurrence
    monkeypatch.setattr("rota.engine.plans.recurrence", lambda *a: missing() if a[1] == "Asia/Tokyo" else make(*a))
    assert world.turn(minute(1)).fired == 1
    assert _states(world)[lacking] == ("active", None)
    assert world.turn(minute(1)).claimed == 0
    _, following = world.db.read(world.scheduler._next)
    assert following == minute(2), "what is left to others does not keep this node awake"


def test_a_node_with_older_zone_data_fires_utc_schedules_alone(world: World) -> None:
    world.add("a", overlap="allow")
    far = world.add("far", zone="Asia/Tokyo")["far"]
    world.db.call(leases.remember, "zone_data", "2999.10")
    assert world.turn(minute(1)).fired == 1
    assert _states(world)[far] == ("active", None)
    world.db.call(leases.remember, "zone_data", "2000.1")
    assert world.turn(minute(3)).fired == 2
