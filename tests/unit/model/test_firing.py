"""plan_firing against an independent walk over every occurrence (design document 2, `catchup`, `grace`)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rota.calendar.text import parse
from rota.model import reasons
from rota.model.firing import Decision, Firing, Plan, _judged, _sole, plan_firing
from rota.model.policy import parse_policies
from rota.model.schedule import Cursor, Definition
from rota.model.timed import fixed_wall
from rota.model.woken import Woken

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
TICK = timedelta(microseconds=1)


def plan(
    when: str = "* * * * *", *, ends_at: datetime | None = None, valid_from: datetime | None = None, **given: Any
) -> Plan:
    policies = parse_policies(given)
    definition = Definition(
        1, 7, 1, "default/default/default/x", when, when, None, "UTC", "job", {}, "default", 0, policies, given,
        None, "auto", "auto", valid_from, None, None, ends_at,
    )  # fmt: skip
    return Plan(definition, parse(when))


def cursor(p: Plan, watermark: datetime = START, **changes: Any) -> Cursor:
    following = p.recurrence.next_after(watermark)
    values: dict[str, Any] = {"state": "active", "watermark": watermark, "next_at": following, "due_at": following}
    return Cursor(schedule_id=7, definition_id=1, revision=1, **(values | changes))


def disposition(firing: Firing, at: datetime) -> list[str]:
    """Every disposition that the firing gives one occurrence."""
    found = ["fired" for f in firing.fires if f.at == at]
    if found:
        return found
    return [d.reason or d.what for d in firing.decisions if d.after_at < at <= d.until_at]


def walk(p: Plan, watermark: datetime, now: datetime, skips: frozenset[datetime]) -> dict[datetime, str]:
    """The dispositions, by looking at every single occurrence."""
    policies = p.definition.policies
    out: dict[datetime, str] = {}
    rest = []
    for at in p.recurrence.between(watermark, now):
        grace = policies.effective_grace
        window = policies.catchup_window if policies.catchup in ("earliest", "all") else None
        if at in skips:
            out[at] = reasons.OPERATOR
        elif window is not None and at < now - window:
            out[at] = reasons.TOO_OLD
        elif grace is not None and at < now - grace:
            out[at] = reasons.LATE
        else:
            rest.append(at)
    return out | _chosen(policies.catchup, policies.catchup_max, rest, p.recurrence.between(watermark, now))


def _chosen(catchup: str, most: int, rest: list[datetime], everything: list[datetime]) -> dict[datetime, str]:
    out: dict[datetime, str] = {}
    if catchup in ("earliest", "all"):
        newest = set(everything[-most:])
        for at in [r for r in rest if r not in newest]:
            out[at] = reasons.OVER_MAX
        rest = [r for r in rest if r in newest]
    if not rest:
        return out
    chosen = rest if catchup == "all" else [rest[0] if catchup == "earliest" else rest[-1]]
    return out | {at: ("fired" if at in chosen else reasons.COALESCED) for at in rest}


@given(
    catchup=st.sampled_from(["latest", "earliest", "all", "none"]),
    minutes=st.integers(0, 90),
    grace=st.none() | st.integers(1, 6000),
    window=st.none() | st.integers(1, 6000),
    most=st.integers(1, 40),
    holes=st.sets(st.integers(1, 90), max_size=4),
)
@settings(max_examples=300, deadline=None)
def test_every_occurrence_has_exactly_the_disposition_that_a_walk_gives(
    catchup: str, minutes: int, grace: int | None, window: int | None, most: int, holes: set[int]
) -> None:
    given_: dict[str, Any] = {"catchup": catchup, "catchup_max": most}
    given_ |= {"grace": grace} if grace else {}
    given_ |= {"catchup_window": window} if window else {}
    p = plan(**given_)
    now = START + timedelta(minutes=minutes, seconds=7)
    skips = frozenset(START + timedelta(minutes=h) for h in holes)
    firing = plan_firing(p, cursor(p), now, skips)
    expected = walk(p, START, now, skips)
    assert {at: disposition(firing, at) for at in expected} == {at: [what] for at, what in expected.items()}
    last = p.recurrence.last_until(now)
    assert last is not None
    assert firing.cursor.watermark == max(START, last)
    assert firing.cursor.next_at == p.recurrence.next_after(now) == firing.cursor.due_at


def test_exactly_the_next_occurrence_writes_no_decision() -> None:
    p = plan()
    firing = plan_firing(p, cursor(p), START + timedelta(minutes=1, seconds=2))
    assert [f.at for f in firing.fires] == [START + timedelta(minutes=1)]
    assert firing.fires[0].cause == "schedule"
    assert firing.decisions == ()


def test_a_latest_catchup_tells_what_its_run_covers() -> None:
    p = plan()
    firing = plan_firing(p, cursor(p), START + timedelta(minutes=3))
    (fire,) = firing.fires
    assert (fire.at, fire.covers_from, fire.covers_to, fire.covers_count, fire.cause) == (
        START + timedelta(minutes=3), START + timedelta(minutes=1), START + timedelta(minutes=3), 3, "catchup",
    )  # fmt: skip


def test_a_now_before_the_watermark_decides_nothing() -> None:
    p = plan()
    before = cursor(p)
    firing = plan_firing(p, before, START - timedelta(days=3))
    assert (firing.fires, firing.decisions, firing.cursor.watermark) == ((), (), START)


def test_a_catchup_of_more_than_a_thousand_is_cut_and_goes_on() -> None:
    p = plan("* * * * * *", catchup="all", catchup_max=5000, overlap="skip")
    at, fired, rounds = cursor(p), [], 0
    now = START + timedelta(seconds=2500)
    while at.due_at is not None and at.due_at <= now:
        firing = plan_firing(p, at, now)
        assert len(firing.fires) <= 1000
        assert firing.always_wait == (rounds > 0)
        fired += [f.at for f in firing.fires]
        at, rounds = firing.cursor, rounds + 1
    assert fired == [START + timedelta(seconds=s) for s in range(1, 2501)]
    assert at.cut_until is None


def test_ten_million_missed_ticks_are_planned_without_walking() -> None:
    p = plan("* * * * * *", catchup="all", catchup_max=10)
    firing = plan_firing(p, cursor(p), START + timedelta(seconds=10_000_000))
    assert [f.at for f in firing.fires] == [START + timedelta(seconds=10_000_000 - s) for s in range(9, -1, -1)]
    assert firing.decisions == (
        Decision(START, START + timedelta(seconds=9_999_991) - TICK, reasons.SKIPPED, reasons.OVER_MAX),
    )


@pytest.mark.parametrize("on_resume", ["skip", "catchup"])
def test_a_timed_pause_ends_inclusive_whenever_a_scheduler_sees_it(on_resume: str) -> None:
    p = plan(on_resume=on_resume, catchup="all")
    until = START + timedelta(minutes=5)
    paused = cursor(p, state="paused", paused_until=until, due_at=until)
    firing = plan_firing(p, paused, START + timedelta(minutes=7))
    fired = [(f.at - START) // timedelta(minutes=1) for f in firing.fires]
    assert fired == ([6, 7] if on_resume == "skip" else [1, 2, 3, 4, 5, 6, 7])
    assert firing.resumed
    assert firing.cursor.state == "active"
    for minute in range(1, 8):
        assert len(disposition(firing, START + timedelta(minutes=minute))) == 1


def test_an_untimed_pause_is_not_due() -> None:
    p = plan()
    firing = plan_firing(p, cursor(p, state="paused", due_at=START), START + timedelta(hours=1))
    assert (firing.fires, firing.cursor.due_at, firing.cursor.watermark) == ((), None, START)


def test_a_rule_that_ends_is_done_after_its_last_occurrence() -> None:
    p = plan(ends_at=START + timedelta(minutes=2))
    firing = plan_firing(p, cursor(p), START + timedelta(hours=2))
    assert [f.at for f in firing.fires] == [START + timedelta(minutes=2)]
    assert (firing.cursor.state, firing.cursor.due_at) == ("done", None)


def test_jitter_is_stable_and_smaller_than_the_gap() -> None:
    p = plan(jitter="10m", catchup="all")
    now = START + timedelta(minutes=30)
    first, second = (plan_firing(p, cursor(p), now) for _ in range(2))
    assert first.fires == second.fires
    delays = [f.not_before - f.at for f in first.fires if f.not_before is not None]
    assert len(delays) == 30
    assert all(timedelta(0) <= d < timedelta(minutes=1) for d in delays)
    assert len(set(delays)) > 20


def test_the_same_wall_time_does_not_fire_again_after_new_zone_data() -> None:
    p = plan("0 9 * * *")
    wall = datetime(2026, 3, 2, 9, 0)  # noqa: DTZ001 - a wall time
    firing = plan_firing(p, cursor(p, last_wall=wall), datetime(2026, 3, 2, 9, 0, 1, tzinfo=UTC))
    assert firing.fires == ()
    assert [d.reason for d in firing.decisions] == [reasons.ZONE_DATA]


@given(
    when=st.sampled_from(
        [
            "* * * * *",
            "*/20 2,3 * * *",
            "30 2 * * *",
            "every 7m",
            "every 90m",
            "0 0 29 2 *",
            "2026-03-29T02:30",
            "1,31 1 * * *",
        ]
    ),
    zone=st.sampled_from(["UTC", "Europe/Stockholm", "America/New_York"]),
    policies=st.fixed_dictionaries(
        {"catchup": st.sampled_from(["latest", "earliest", "all", "none"])},
        optional={
            "grace": st.sampled_from(["0s", "30s", "10m"]),
            "catchup_window": st.sampled_from(["0s", "1s", "20m"]),
            "jitter": st.just("10s"),
        },
    ),
    start=st.integers(0, 400 * 24 * 60).map(lambda n: datetime(2025, 10, 1, tzinfo=UTC) + timedelta(minutes=n)),
    late=st.integers(0, 5 * 3600).map(lambda n: timedelta(seconds=n)),
    fired_wall=st.booleans(),
    ends=st.none() | st.integers(-60, 600),
)
@settings(max_examples=1500, deadline=None)
def test_the_short_way_decides_as_the_judged_one(
    when: str, zone: str, policies: dict[str, Any], start: datetime, late: timedelta, fired_wall: bool, ends: int | None
) -> None:
    known = parse_policies(policies)
    rule = parse(when, timezone=zone, key="x")
    limit = None if ends is None else start + timedelta(minutes=ends)
    timed = Woken(rule, known, None, limit)
    first = rule.next_after(start)
    wall = fixed_wall(rule, first) if fired_wall and first is not None else None
    before = Cursor(7, 1, 1, "active", start, first, first, last_wall=wall)
    now = (first or start) + late
    short = _sole(timed, before, now)
    assert short is None or short == _judged(timed, before, now, ())
