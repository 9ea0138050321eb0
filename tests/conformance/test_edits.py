"""What edits, pauses, disabling and removal do to occurrences that are due, to queued runs and to running ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from rota import errors
from rota.app.records import Schedule
from rota.model.schedule import Cursor
from tests.support.application import World, moment


@pytest.fixture
def world(store_url: str) -> Iterator[World]:
    made = World(store_url)
    yield made
    made.close()


def state(world: World) -> Schedule:
    return world.app.schedules.get("a")


def test_no_op_edits_change_nothing(world: World) -> None:
    """Law 9."""
    world.add("a", args={}, grace="90s", labels={"x": "y"}, lane="fast", retry=2)
    before, events = state(world), world.events()
    world.at("12:00:50")
    same: list[dict[str, Any]] = [
        {}, {"when": "every minute"}, {"grace": 90}, {"grace": "1m30s"}, {"labels": {"x": "y"}}, {"retry": {"attempts": 2}},
        {"enabled": True}, {"args": None}, {"note": None}, {"lane": "fast"},
    ]  # fmt: skip
    for changes in same:
        world.app.schedules.update("a", **changes)
    world.app.schedules.put(
        "a", job="noop", when="every minute", grace="90s", labels={"x": "y"}, lane="fast", retry={"attempts": 2}
    )
    for act in (world.app.schedules.enable, world.app.schedules.resume):
        act("a")
    assert state(world) == before
    assert world.events() == events
    assert len(world.app.schedules.changes("a")) == 1


def test_put_makes_equal_and_leaves_state(world: World) -> None:
    made = world.app.schedules.put("a", job="noop", when="every minute", grace="5m", note="x")
    assert (made.revision, made.grace) == (1, "5m")
    world.app.schedules.pause("a")
    after = world.app.schedules.put("a", job="noop", when="every minute", overlap="allow")
    assert (after.revision, after.grace, after.note, after.overlap, after.state) == (2, None, None, "allow", "paused")
    assert world.app.schedules.put("a", job="noop", when="every minute", enabled=False).state == "disabled"


def test_a_moved_revision_is_refused(world: World) -> None:
    world.add("a")
    world.app.schedules.update("a", note="1", revision=1)
    with pytest.raises(errors.RevisionMoved) as caught:
        world.app.schedules.update("a", note="2", revision=1)
    assert (caught.value.code, caught.value.status) == ("X412901REVOLD", 412)
    assert state(world).note == "1"


def test_other_edits_leave_what_is_due(world: World) -> None:
    world.add("a")
    before = state(world)
    world.at("12:03:30")
    after = world.app.schedules.update("a", note="x", grace="1h", overlap="allow", args={}, priority=3)
    assert (after.watermark, after.next_at, after.revision) == (before.watermark, before.next_at, 2)
    assert world.decisions() == []
    world.fire()
    assert world.runs() == [("12:03", "queued")]


def test_an_edit_of_the_timing_skips_what_was_due(world: World) -> None:
    world.add("a")
    world.at("12:03:30")
    after = world.app.schedules.update("a", when="every hour")
    assert (after.watermark, after.next_at) == (moment("12:03:30"), moment("13:00"))
    assert world.decisions() == [("12:00:30", "12:03:30", "skipped", "edited")]
    world.fire("12:59")
    assert world.runs() == []


def test_an_edit_of_the_timing_with_nothing_due_records_nothing(world: World) -> None:
    world.add("a", when="every hour")
    world.at("12:59")
    world.app.schedules.update("a", when="every 2 hours")
    assert world.decisions() == []


def test_on_edit_catchup_decides_first(world: World) -> None:
    world.add("a", on_edit="catchup", catchup="all", overlap="allow")
    world.at("12:03:30")
    after = world.app.schedules.update("a", when="*/7 * * * *")
    assert world.runs() == [("12:01", "queued"), ("12:02", "queued"), ("12:03", "queued")]
    assert (after.watermark, after.next_at) == (moment("12:03:30"), moment("12:07"))


def test_on_edit_catchup_of_more_than_one_firing(world: World) -> None:
    world.add("a", when="every second", on_edit="catchup", catchup="all", catchup_max=2500, overlap="allow")
    world.at("12:40:00")
    world.app.schedules.update("a", when="every hour")
    found = world.rows("SELECT count(*) AS n FROM {runs}")[0]["n"]
    assert found == 2370
    assert state(world).next_at == moment("13:00")
    assert world.fire().fired == 0


@pytest.mark.parametrize("change", [{"timezone": "Asia/Kathmandu"}, {"valid_from": "2026-03-01T12:02:00Z"},
                                    {"max_occurrences": 90}, {"dst_gap": "skip"}])  # fmt: skip
def test_all_of_these_are_edits_of_the_timing(world: World, change: dict[str, Any]) -> None:
    world.add("a")
    world.at("12:03:30")
    assert world.app.schedules.update("a", **change).watermark == moment("12:03:30")
    assert world.decisions() == [("12:00:30", "12:03:30", "skipped", "edited")]


def test_bug_103_a_change_of_zone_fires_nothing_at_once(world: World) -> None:
    world.add("a", when="on day 1 of every month at 05:00", timezone="UTC")
    world.at("2026-03-17T10:00:00Z")
    after = world.app.schedules.update("a", timezone="Europe/Berlin")
    assert after.next_at == moment("2026-04-01T03:00:00+00:00")
    assert world.fire().fired == 0


def test_the_same_wall_time_of_a_new_zone_fires(world: World) -> None:
    """The guard against newer zone data is about one timing: another zone's 14:00 of the same day is another time."""
    world.add("a", when="every day at 14:00", timezone="Europe/Berlin")
    world.fire("13:00")
    world.set_runs("succeeded")
    world.app.schedules.update("a", timezone="America/New_York")
    world.fire("19:00")
    assert world.runs() == [("13:00", "succeeded"), ("19:00", "queued")]


def test_queued_runs_keep_their_revision(world: World) -> None:
    world.add("a", job="archive", args={"workspace": "one"})
    world.fire("12:01")
    world.app.schedules.update("a", args={"workspace": "two"})
    (run,) = world.app.runs.list(schedule="a")
    assert (run.state, run.args) == ("queued", {"workspace": "one"})


def test_skips_that_a_new_timing_does_not_have_are_forgotten(world: World) -> None:
    world.add("a")
    world.app.schedules.skip("a", "2026-03-01T12:07:00Z")
    world.app.schedules.skip("a", "2026-03-01T12:10:00Z")
    world.app.schedules.update("a", when="every 5 minutes")
    found = world.rows("SELECT count(*) AS n FROM {skips}")[0]["n"]
    assert found == 1


# Pause


def test_a_pause_keeps_what_is_due_for_its_end(world: World) -> None:
    world.add("a")
    world.at("12:01:30")
    world.app.schedules.pause("a")
    assert world.fire("12:03:30").claimed == 0
    world.app.schedules.resume("a")
    assert world.runs() == []
    assert world.decisions() == [("12:00:30", "12:03:30", "skipped", "paused")]
    world.fire("12:04")
    assert world.runs() == [("12:04", "queued")]


def test_on_resume_catchup_fires(world: World) -> None:
    world.add("a", on_resume="catchup")
    world.app.schedules.pause("a")
    world.at("12:03:30")
    after = world.app.schedules.resume("a")
    assert world.runs() == [("12:03", "queued")]
    assert world.decisions() == [("12:00:30", "12:02:59", "coalesced", None)]
    assert (after.state, after.next_at) == ("active", moment("12:04"))


def test_queued_runs_start_during_a_pause(world: World) -> None:
    world.add("a")
    world.fire("12:01")
    world.app.schedules.pause("a")
    assert world.runs() == [("12:01", "queued")]
    assert world.rows("SELECT count(*) AS n FROM {ready}")[0]["n"] == 1


def test_a_timed_pause_that_nobody_saw_end_is_over(world: World) -> None:
    world.add("a")
    world.app.schedules.pause("a", until="2026-03-01T12:02:00Z")
    world.at("12:04:30")
    world.app.schedules.update("a", when="every hour")
    assert world.decisions() == [("12:00:30", "12:02", "skipped", "paused"), ("12:02", "12:04:30", "skipped", "edited")]
    assert state(world).state == "active"


def test_an_edit_in_a_pause_is_edited_whatever_on_edit_says(world: World) -> None:
    world.add("a", on_edit="catchup", on_resume="catchup")
    world.app.schedules.pause("a")
    world.at("12:03:30")
    world.app.schedules.update("a", when="*/7 * * * *")
    assert world.decisions() == [("12:00:30", "12:03:30", "skipped", "edited")]
    assert (state(world).state, world.runs()) == ("paused", [])


def test_pauses_that_cannot_be(world: World) -> None:
    world.add("a")
    with pytest.raises(errors.InvalidValue):
        world.app.schedules.pause("a", until="2026-03-01T12:00:00Z")
    with pytest.raises(errors.NaiveDatetime):
        world.app.schedules.pause("a", until="2026-03-01T13:00:00")
    world.app.schedules.disable("a")
    for act in (world.app.schedules.pause, world.app.schedules.resume):
        with pytest.raises(errors.Conflict):
            act("a")


# Disable, enable, remove


def test_r06_due_then_disabled(world: World) -> None:
    """An occurrence is due, unfired; the schedule is disabled and enabled later: it has a disposition."""
    world.add("a")
    world.at("12:01:30")
    disabled = world.app.schedules.disable("a", reason="calm")
    assert (disabled.state, disabled.enabled, disabled.next_at) == ("disabled", False, None)
    assert disabled.disabled_reason == "calm"
    assert world.decisions() == [("12:00:30", "12:01:30", "skipped", "operator")]
    assert world.fire("12:05").claimed == 0
    enabled = world.app.schedules.enable("a")
    assert (enabled.state, enabled.next_at, enabled.disabled_reason) == ("active", moment("12:06"), None)
    world.fire("12:06")
    assert world.runs() == [("12:06", "queued")]
    assert len(world.decisions()) == 1


def test_disable_in_a_pause_is_paused(world: World) -> None:
    world.add("a")
    world.app.schedules.pause("a")
    world.at("12:01:30")
    world.app.schedules.disable("a")
    assert world.decisions() == [("12:00:30", "12:01:30", "skipped", "paused")]


@pytest.mark.parametrize("act", ["disable", "remove"])
def test_bug_106_queued_runs_end_and_running_ones_are_not_retried(world: World, act: str) -> None:
    world.add("a", overlap="allow", retry=5)
    world.fire("12:01")
    world.set_runs("running")
    world.fire("12:02")
    getattr(world.app.schedules, act)("a")
    reason = {"disable": "disabled", "remove": "removed"}[act]
    rows = world.rows("SELECT state, reason FROM {runs} ORDER BY id")
    assert [(r["state"], r["reason"]) for r in rows] == [("running", None), ("cancelled", reason)]
    asked = world.rows("SELECT kind FROM {cancels} ORDER BY run_id")
    assert [row["kind"] for row in asked] == ["no_retry", "no_retry"]
    assert world.events().count("run.cancelled") == 1
    assert world.fire("12:30").fired == 0


def test_decisions_of_the_same_kind_extend_one_row(world: World) -> None:
    world.add("a")
    for minute in range(1, 20):
        world.app.schedules.pause("a")
        world.at(f"12:{minute:02}:10")
        world.app.schedules.resume("a")
    assert world.decisions() == [("12:00:30", "12:19:10", "skipped", "paused")]


def test_disabled_by_the_engine_and_enabled_by_a_probe(world: World) -> None:
    from rota.store import firings, schedules

    made = world.add("a", disable_after=1)
    world.at("12:01:30")
    world.db.call(
        lambda c: schedules.disable_locked(c, held(firings.lock(c, made)), "3 failures", world.clock.at, "n1")
    )
    assert (state(world).state, state(world).disabled_reason) == ("disabled", "3 failures")
    assert world.app.schedules.changes("a")[0].channel == "engine"
    world.db.call(lambda c: schedules.enable_locked(c, held(firings.lock(c, made)), world.clock.at, "a probe"))
    assert state(world).state == "active"


def held(value: Cursor | None) -> Cursor:
    assert value is not None
    return value


def test_enable_forgets_failures(world: World) -> None:
    made = world.add("a")
    world.db.call(lambda c: c.exec_driver_sql(health(c, made)))
    assert state(world).consecutive_failures == 4
    world.app.schedules.disable("a")
    assert world.app.schedules.enable("a").consecutive_failures == 0


def health(conn: Any, schedule: int) -> str:
    from rota.store.tables import of

    return of(conn).sql(f"INSERT INTO {{health}} (schedule_id, consecutive_failures) VALUES ({schedule}, 4)")


def test_an_active_schedule_that_nothing_would_wake_is_armed_again(world: World) -> None:
    world.add("a")
    world.db.call(lambda c: c.exec_driver_sql(lost(c)))
    world.at("12:03:30")
    assert world.app.schedules.update("a", note="x").state == "active"
    assert "repair.armed" in world.events()
    world.fire()
    assert world.runs() == [("12:03", "queued")]


def lost(conn: Any) -> str:
    from rota.store.tables import of

    return of(conn).sql("UPDATE {cursors} SET due_at = NULL")


# Skips


def test_a_skipped_occurrence_does_not_fire(world: World) -> None:
    world.add("a")
    world.app.schedules.skip("a", "2026-03-01T12:01:00Z", reason="release")
    world.app.schedules.skip("a", "2026-03-01T12:03:00Z")
    world.app.schedules.unskip("a", "2026-03-01T12:03:00Z")
    world.fire("12:01")
    world.fire("12:03")
    assert world.runs() == [("12:03", "queued")]
    assert ("skipped", "operator") in [(what, reason) for _, _, what, reason in world.decisions()]
    with pytest.raises(errors.InvalidValue, match="decided already"):
        world.app.schedules.unskip("a", "2026-03-01T12:01:00Z")


def test_only_coming_occurrences_are_skipped(world: World) -> None:
    world.add("a")
    with pytest.raises(errors.InvalidValue, match=r"12:05:00 \+00:00.*12:06:00 \+00:00"):
        world.app.schedules.skip("a", "2026-03-01T12:05:30Z")
    with pytest.raises(errors.InvalidValue, match="decided already"):
        world.app.schedules.skip("a", "2026-03-01T12:00:00Z")
    world.app.schedules.disable("a")
    with pytest.raises(errors.Conflict):
        world.app.schedules.skip("a", "2026-03-01T12:05:00Z")
