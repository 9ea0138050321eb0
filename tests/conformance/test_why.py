"""`why`: each disposition and reason produced once, and its sentence read: subject, verb, cause, rule, what to change."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from rota import errors
from rota.model import reasons
from rota.model.event import Event
from rota.store import decisions, dialect, events
from rota.store.tables import of
from tests.support import seed
from tests.support.application import START, World, moment


@pytest.fixture
def world(store_url: str) -> Iterator[World]:
    made = World(store_url)
    yield made
    made.close()


def test_on_time(world: World) -> None:
    world.add("a")
    world.fire("12:01")
    world.at("12:01:05")
    world.set_runs("succeeded", node="s1" * 16, attempt=1, started_at=moment("12:01:04"))
    told = world.why("12:01")
    assert (told.disposition, told.run_state, told.lateness_s) == ("fired", "succeeded", 0)
    assert told.sentence == (
        f"2026-03-01 12:01:00 +00:00 fired at 12:01:00 by s1, on time. Run {told.run} succeeded in 1 s on node s1s1s1s1."
    )


def test_the_front_door(world: World) -> None:
    """kill -9, a wait, and again: why it was late, and what was folded into it."""
    world.db.call(nodes_gone)
    world.db.call(node, "one", START - timedelta(hours=1), moment("12:00:50"))
    world.add("heartbeat", when="every minute", timezone="Europe/Stockholm")
    world.db.call(node, "two", moment("12:05:30"), moment("12:05:30"))
    world.fire("12:05:31")
    told = world.app.schedules.why("heartbeat")
    assert told[0].sentence.startswith(
        "2026-03-01 13:05:00 +01:00 fired at 13:05:31 by s1, 31 s late: no scheduler was alive from 13:00:50 to 13:05:30;"
        " 4 earlier occurrences were folded into this one (catchup: latest)."
    )
    assert told[0].advice is not None
    assert [t.disposition for t in told] == ["fired", *["coalesced"] * 4]
    assert told[1].sentence == (
        f"2026-03-01 13:04:00 +01:00 was folded into run {told[0].run}, of 2026-03-01 13:05:00 +01:00"
        ", because no scheduler was alive from 13:00:50 to 13:05:30 (catchup: latest); decided at 13:05:31 by s1."
    )
    assert told[1].advice == "to run each missed occurrence use catchup: all"


def test_on_time_after_an_outage(world: World) -> None:
    """The one that fired was on time; those before it were not."""
    world.db.call(nodes_gone)
    world.db.call(node, "one", START - timedelta(hours=1), moment("12:00:50"))
    world.add("a", grace="90s", catchup="all", overlap="allow")
    world.db.call(node, "two", moment("12:04:59"), moment("12:04:59"))
    world.fire("12:05")
    assert (
        "would have started later than it may: no scheduler was alive from 12:00:50 to 12:04:59"
        in world.why("12:02").sentence
    )
    world.add("b", when="every minute")
    world.app.schedules.pause("b")
    world.app.schedules.update("b", on_resume="catchup")
    world.at("12:09:00")
    world.app.schedules.resume("b")
    assert (
        "on time; 3 earlier occurrences were folded into this one (catchup: latest). Run"
        in world.why("12:09", "b").sentence
    )
    assert "because the schedule was paused (catchup: latest)" in world.why("12:07", "b").sentence


def test_before_the_first_scheduler(world: World) -> None:
    world.db.call(nodes_gone)
    world.add("a")
    world.db.call(node, "two", moment("12:05:30"), moment("12:05:30"))
    world.fire("12:05:31")
    assert "31 s late: no scheduler was alive until 12:05:30;" in world.why("12:05").sentence


def test_late_though_a_scheduler_was_alive(world: World) -> None:
    world.add("a")
    world.fire("12:01:20")
    assert "20 s late: a scheduler was alive, but busy or held up." in world.why("12:01").sentence


def test_earliest(world: World) -> None:
    world.add("a", catchup="earliest")
    world.fire("12:03")
    assert "; 2 later occurrences were folded into this one (catchup: earliest)." in world.why("12:01").sentence
    assert "was folded into run" in world.why("12:03").sentence


def test_a_growing_row_of_skips_tells_an_instant_for_its_last_one_alone(world: World) -> None:
    """One row stands for all of them and keeps when the last was decided."""
    world.add("a")
    for minute in ("12:01", "12:02", "12:03", "12:04"):
        world.fire(minute)
    first, last = world.why("12:02"), world.why("12:04")
    assert "held its single-flight key" in first.sentence
    assert "decided at" not in first.sentence
    assert (first.decided_at, first.node) == (None, None)
    assert "; decided at 12:04:00 by s1." in last.sentence


def produce(world: World, reason: str) -> str:
    """Bring a schedule `a` into a state in which the occurrence that is returned has the reason."""
    match reason:
        case "overlap":
            world.add("a")
            world.fire("12:01")
            world.fire("12:02")
        case "duplicate":
            world.add("a")
            world.app.schedules.record_run(
                "a", moment("12:02"), "succeeded", moment("12:01:58"), moment("12:01:59"), {"ok": 1}
            )
            world.fire("12:02")
            world.db.call(forget_runs)
        case "late":
            world.add("a", grace="10s")
            world.fire("12:02:40")
        case "too_old":
            world.add("a", catchup="all", catchup_window="30s")
            world.fire("12:03")
        case "over_max":
            world.add("a", catchup="all", catchup_max=1)
            world.fire("12:03")
        case "paused":
            world.add("a")
            world.app.acting("anna").schedules.pause("a", reason="calm")
            world.at("12:03")
            world.app.schedules.resume("a")
        case "edited":
            world.add("a")
            world.at("12:03")
            world.app.acting("anna").schedules.update("a", when="every hour", reason="less")
        case "operator":
            world.add("a")
            world.app.acting("anna").schedules.skip("a", moment("12:02"), reason="release")
            world.fire("12:02")
        case "clock" | "zone_data":
            world.add("a")
            world.db.call(record, reason)
            world.at("12:10")
        case "coalesced":
            world.add("a")
            world.fire("12:03")
    return "12:02"


WANTED = {
    "overlap": r"was skipped because run \d+ held its single-flight key \(overlap: skip\)",
    "duplicate": r"because a run for this very occurrence existed already \(one occurrence, at most one run\)",
    "late": r"because it would have started later than it may \(grace: 10s\)",
    "too_old": r"older than a catch-up may reach \(catchup_window: 30s\)",
    "over_max": r"only the newest occurrences \(catchup_max: 1\)",
    "paused": r"because the schedule was paused by anna \(calm\) \(on_resume: skip\)",
    "edited": r"because the timing was edited by anna \(less\) before it was decided \(on_edit: skip\)",
    "operator": r"because anna took it out \(release\) \(an operator's word stands before every policy\)",
    "clock": r"because a clock that stood wrong had decided it already \(.+\)",
    "zone_data": r"because its wall time had fired before the zone data changed \(.+\)",
    "coalesced": r"into run \d+, of 2026-03-01 12:03:00 \+00:00, because several were due at once \(catchup: latest\)",
}


@pytest.mark.parametrize("reason", sorted(reasons.WORDS))
def test_each_reason(world: World, reason: str) -> None:
    told = world.why(produce(world, reason))
    assert told.disposition == ("coalesced" if reason == "coalesced" else "skipped")
    assert told.reason == (None if reason == "coalesced" else reason)
    assert re.search(WANTED[reason], told.sentence), told.sentence
    assert re.fullmatch(r"2026-03-01 12:02:00 \+00:00 was .+; decided at 12:\d\d:\d\d by \S+\.", told.sentence)
    assert told.advice
    assert "{" not in told.sentence + told.advice


def test_the_words_are_all_there_are() -> None:
    assert set(WANTED) == set(reasons.WORDS) == {*reasons.SKIP_REASONS, "coalesced"}


def test_catchup_none_names_its_grace(world: World) -> None:
    world.add("a", catchup="none")
    world.fire("12:04:30")
    assert "(grace: 60s, from catchup: none)" in world.why("12:02").sentence


def test_disabled_before_it_was_decided(world: World) -> None:
    world.add("a")
    world.at("12:02:10")
    world.app.acting("anna").schedules.disable("a", reason="calm")
    assert "because anna disabled the schedule before it was decided (calm)" in world.why("12:02").sentence
    told = world.why("12:05")
    assert told.disposition == "none"
    assert "because the schedule was disabled since 2026-03-01 12:02:10 +00:00 by anna (calm)" in told.sentence
    assert told.advice == "rota schedule enable a"
    world.at("12:10")
    world.app.schedules.enable("a")
    told = world.why("12:05")
    assert "was disabled since" in told.sentence
    assert "backfill" in (told.advice or "")
    assert world.why("12:11").disposition == "pending"


def test_removed(world: World) -> None:
    world.add("a")
    world.at("12:02:10")
    world.app.schedules.remove("a")
    assert "had been removed since 2026-03-01 12:02:10 +00:00 by python" in world.why("12:05").sentence


ERROR = {"type": "ValueError", "message": "no\n luck"}
STATES: list[tuple[str, dict[str, Any], str]] = [
    ("failed", {"error": ERROR, "attempt": 2}, "failed at attempt 2: ValueError: no luck."),
    ("running", {"node": "n" * 32}, "is running on node nnnnnnnn since 12:01:00."),
    ("expired", {"reason": "late"}, "expired: no worker started it within its grace (grace: 60s)."),
    ("cancelled", {"reason": "replaced"}, "was cancelled: a newer occurrence replaced it (overlap: replace)."),
    ("lost", {"reason": "lost"}, "was lost: its node died or was cut off (on_lost: retry)."),
]  # fmt: skip


@pytest.mark.parametrize(("state", "columns", "text"), STATES, ids=[row[0] for row in STATES])
def test_what_became_of_the_run(world: World, state: str, columns: dict[str, Any], text: str) -> None:
    world.add("a")
    world.fire("12:01")
    world.set_runs(state, **columns)
    told = world.why("12:01")
    assert told.sentence.endswith(f"Run {told.run} {text}")


def test_a_queued_run_tells_what_it_waits_for(world: World) -> None:
    world.add("a", overlap="queue_all")
    world.fire("12:01")
    told = world.why("12:01")
    assert told.sentence.endswith("is queued: no worker has taken it from lane default yet.")
    world.fire("12:02")
    assert world.why("12:02").sentence.endswith(
        f"waits: run {told.run} holds its single-flight key (overlap: queue_all)."
    )
    world.add("b", jitter="50s")
    world.fire("12:03")
    assert re.search(r"waits until 12:03:\d\d", world.why("12:03", "b").sentence)


def test_coming_ones(world: World) -> None:
    world.add("a")
    assert world.why("12:05").sentence == "2026-03-01 12:05:00 +00:00 will fire in 270 s: it is still to come."
    world.app.acting("anna").schedules.skip("a", moment("12:06"), reason="x")
    told = world.why("12:06")
    assert told.sentence == "2026-03-01 12:06:00 +00:00 will be skipped because anna took it out (x)."
    assert told.advice == "to take that back: rota schedule unskip a 2026-03-01T12:06:00Z"


def test_due_ones(world: World) -> None:
    world.add("a")
    world.at("12:01:20")
    assert "is due since 20 s and not decided yet: a scheduler is about to" in world.why("12:01").sentence
    world.db.call(nodes_gone)
    told = world.why("12:01")
    assert "no scheduler is alive (catchup: latest)." in told.sentence
    assert told.advice == "start one: rota up, or rota scheduler"
    assert [t.at for t in world.app.schedules.why("a")] == [moment("12:01")]


def test_in_a_pause(world: World) -> None:
    world.add("a")
    world.app.schedules.pause("a", until="2026-03-01T12:05:00Z")
    world.at("12:02")
    assert "12:01:00 +00:00 will be skipped when the pause ends" in world.why("12:01").sentence
    assert "(on_resume: skip)" in world.why("12:05").sentence
    assert "will fire in 240 s: the pause ends before it" in world.why("12:06").sentence
    world.app.schedules.pause("a")
    assert "will not fire while the schedule is paused, with no end set" in world.why("12:06").sentence
    world.app.schedules.update("a", on_resume="catchup")
    assert "will be caught up with when the pause ends" in world.why("12:01").sentence


def test_fired_after_a_pause(world: World) -> None:
    world.add("a", on_resume="catchup")
    world.app.schedules.pause("a")
    world.at("12:03:30")
    world.app.schedules.resume("a")
    assert "30 s late: the schedule was paused (on_resume: catchup);" in world.why("12:03").sentence


def test_an_instant_that_is_none_gets_its_neighbours(world: World) -> None:
    world.add("a", timezone="Asia/Tokyo")
    told = world.app.schedules.why("a", moment("12:05:30"))
    assert [t.disposition for t in told] == ["no_occurrence", "pending", "pending"]
    assert [t.at for t in told[1:]] == [moment("12:06"), moment("12:05")]
    assert told[0].sentence == (
        "2026-03-01 21:05:30 +09:00 is no occurrence of a: its schedule is “Every minute, Asia/Tokyo time”;"
        " occurrences before it 2026-03-01 21:05:00 +09:00 and after it 2026-03-01 21:06:00 +09:00."
    )
    with pytest.raises(errors.NaiveDatetime):
        world.app.schedules.why("a", "2026-03-01T12:05:30")


def test_before_creation_and_after_the_end(world: World) -> None:
    world.add("a", max_occurrences=2)
    told = world.why("12:00")
    assert told.disposition == "none"
    assert "because the schedule was created later, at 2026-03-01 12:00:30 +00:00" in told.sentence
    assert "(it ended with 2026-03-01 12:02:00 +00:00)" in world.why("12:03").sentence


def test_older_than_history(world: World) -> None:
    world.add("a")
    world.fire("12:05")
    world.db.call(forget_runs)
    world.db.call(forget_decisions)
    assert "is older than the history that is kept (retention)" in world.why("12:03").sentence


def test_the_timing_that_was_in_force_counts(world: World) -> None:
    world.add("a", when="*/2 * * * *")
    world.fire("12:02")
    world.set_runs("succeeded")
    world.at("12:03")
    world.app.schedules.update("a", when="1-59/2 * * * *")
    world.fire("12:07")
    assert [t.at for t in world.app.schedules.why("a")] == [moment(t) for t in ("12:07", "12:05", "12:02")]
    assert world.why("12:02").disposition == "fired"
    assert world.why("12:01").disposition == "no_occurrence"


def test_many_missed_ones_cost_no_walk(world: World) -> None:
    """Law 10: a year of seconds."""
    world.add("a", when="every second")
    world.fire("2027-03-01T12:00:00Z")
    told = world.app.schedules.why("a", n=3)
    assert [t.disposition for t in told] == ["fired", "coalesced", "coalesced"]
    assert "; 31,535,969 earlier" in told[0].sentence or "; 31535969 earlier" in told[0].sentence
    assert world.why("2026-07-01T12:00:00Z").disposition == "coalesced"


def test_the_sentence_of_a_run(world: World) -> None:
    world.add("a")
    world.fire("12:01")
    manual = world.app.schedules.run("a")
    (scheduled,) = (run for run in world.app.runs.list() if run.scheduled_for is not None)
    told = world.app.schedules.why_run(scheduled.id)
    assert told == world.why("12:01")
    assert world.app.schedules.why_run(manual.id) is None
    with pytest.raises(errors.RunNotFound):
        world.app.schedules.why_run(10_000)


def test_backfilled_and_recorded(world: World) -> None:
    world.add("a")
    world.app.schedules.backfill("a", moment("12:00"), moment("12:00"))
    assert world.why("12:00").sentence.startswith("2026-03-01 12:00:00 +00:00 was backfilled at 12:00:30. Run")
    world.app.schedules.record_run("a", moment("11:59"), "failed", moment("11:59"), moment("11:59:30"))
    assert "was recorded as run elsewhere at 12:00:30. Run" in world.why("11:59").sentence


def node(conn: Any, name: str, started: Any, seen: Any) -> None:
    seed.node(conn, started, name)
    nodes = of(conn).nodes
    conn.execute(nodes.update().where(nodes.c.id == name).values(seen_at=seen))


def nodes_gone(conn: Any) -> None:
    conn.execute(of(conn).nodes.delete())


def forget_runs(conn: Any) -> None:
    conn.execute(of(conn).runs.delete())


def forget_decisions(conn: Any) -> None:
    conn.execute(of(conn).decisions.delete())


def record(conn: Any, reason: str) -> None:
    """What the pass after a wrong clock, and the one after newer zone data, write."""
    from rota.model.firing import Decision

    cursors = of(conn).cursors
    (schedule,) = conn.execute(cursors.select()).mappings()
    decision = Decision(moment("12:00:30"), moment("12:02:30"), "skipped", reason)
    decisions.record(conn, moment("12:03"), "n1", [decisions.Decided(schedule["schedule_id"], 1, decision)])
    conn.execute(cursors.update().values(watermark=moment("12:02:30")))


# Who fired it


def test_the_node_that_fired_is_named_however_long_ago(world: World) -> None:
    """No decision row tells it: the event does, among thousands of others of the schedule."""
    world.add("a", overlap="allow")
    for n, name in enumerate(("f0" * 16, "one", "two"), 1):
        world.scheduler.node = name
        world.fire(f"12:0{n}")
        world.db.call(much_happens, moment(f"12:0{n}:30"))
    named = [world.why(f"12:0{n}").sentence.split(",")[0] for n in (1, 2, 3)]
    assert [text.partition(" fired at ")[2] for text in named] == [
        "12:01:00 by node f0f0f0f0",
        "12:02:00 by one",
        "12:03:00 by two",
    ]
    world.app.events.list()  # on PostgreSQL they have their order now
    assert [world.why(f"12:0{n}").sentence.split(",")[0] for n in (1, 2, 3)] == named


def much_happens(conn: Any, at: Any) -> None:
    events.write(conn, [Event("run.succeeded", at, "default/default/default/a", {"run": n}) for n in range(150)])


def test_an_act_by_hand_that_decided_is_named(world: World) -> None:
    world.add("a", on_edit="catchup")
    world.at("12:01:10")
    world.app.schedules.update("a", when="every 5 minutes", reason="too often")
    assert "fired at 12:01:10 by python, 10 s late" in world.why("12:01").sentence


def test_without_its_event_nobody_is_named(world: World) -> None:
    world.add("a")
    world.fire("12:01")
    for table in ("events", "event_inbox"):
        world.db.call(dialect.execute, f"DELETE FROM {{{table}}}")
    assert " fired at 12:01:00, on time. Run " in world.why("12:01").sentence
