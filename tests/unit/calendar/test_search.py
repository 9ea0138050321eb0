"""The search: jumps, bounds, clock changes and their options, intervals, day rules, joined rules, counts, speed."""

from __future__ import annotations

import copy
import pickle
from datetime import UTC, date, datetime, time, timedelta, timezone

import pytest

from rota.calendar import Recurrence as LazyRecurrence
from rota.calendar.cron import parse_cron
from rota.calendar.recurrence import Recurrence
from rota.calendar.rules import Days, Every, Except, Once, Reboot, Rule, Union
from rota.errors import InvalidValue, NaiveDatetime, UnknownZone
from tests.support.effort import lines

TICK = timedelta(microseconds=1)
FIRST = datetime(1969, 1, 1, tzinfo=UTC)
LAST = datetime(2200, 6, 1, tzinfo=UTC)


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type, misc]


def wall(*parts: int) -> datetime:
    return datetime(*parts)  # type: ignore[arg-type]  # noqa: DTZ001


def cron(text: str, zone: str = "UTC", gap: str = "auto", overlap: str = "auto") -> Recurrence:
    return Recurrence(parse_cron(text), zone, gap, overlap)


# Bounds and arguments


def test_strictly_after_and_at_or_before() -> None:
    daily = cron("0 0 * * *")
    assert daily.next_after(utc(2026, 1, 1)) == utc(2026, 1, 2)
    assert daily.next_after(utc(2026, 1, 1) - TICK) == utc(2026, 1, 1)
    assert daily.last_until(utc(2026, 1, 1)) == utc(2026, 1, 1)
    assert daily.last_until(utc(2026, 1, 1) - TICK) == utc(2025, 12, 31)
    found = daily.next_after(datetime(2026, 1, 1, 5, tzinfo=timezone(timedelta(hours=9))))
    assert found == utc(2026, 1, 1)
    assert found is not None
    assert found.tzinfo is UTC


@pytest.mark.parametrize("rule", [parse_cron("* * * * * *"), Every(1), Days(), Union((Every(7), Days()))])
@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/Los_Angeles"])
def test_time_begins_in_1970_and_ends_with_2199(rule: Rule, zone: str) -> None:
    recurrence = Recurrence(rule, zone)
    first, last = recurrence.occurrences(FIRST, utc(1970, 1, 3), 1)[0], recurrence.last_until(LAST)
    assert first.wall.year == 1970
    assert recurrence.last_until(first.at - TICK) is None
    assert last is not None
    assert recurrence.next_after(last) is None
    assert recurrence.last_until(datetime.min.replace(tzinfo=UTC)) is None
    assert recurrence.next_after(datetime.max.replace(tzinfo=UTC)) is None
    assert recurrence.count(datetime.min.replace(tzinfo=UTC), first.at) == 1


def test_naive_instants_are_refused() -> None:
    daily = cron("0 0 * * *")
    naive = wall(2026, 1, 1)
    for call in (daily.next_after, daily.last_until):
        with pytest.raises(NaiveDatetime):
            call(naive)
        with pytest.raises(TypeError):
            call("2026-01-01")  # type: ignore[arg-type]
    with pytest.raises(NaiveDatetime):
        daily.between(naive, utc(2026, 1, 1))


def test_options_and_zone_are_checked() -> None:
    with pytest.raises(InvalidValue, match="dst_gap"):
        cron("0 0 * * *", gap="later")
    with pytest.raises(InvalidValue, match="dst_overlap"):
        cron("0 0 * * *", overlap="last")
    with pytest.raises(UnknownZone):
        cron("0 0 * * *", "Mars/Olympus")


def test_lists() -> None:
    hourly = cron("0 * * * *")
    assert hourly.between(utc(2026, 1, 1), utc(2026, 1, 1, 3)) == [utc(2026, 1, 1, h) for h in (1, 2, 3)]
    assert hourly.between(utc(2026, 1, 1), utc(2026, 1, 1, 3), 2) == [utc(2026, 1, 1, h) for h in (1, 2)]
    assert hourly.between(utc(2026, 1, 2), utc(2026, 1, 1)) == []
    assert hourly.upcoming(utc(2026, 1, 1), 0) == []
    assert len(hourly.occurrences(utc(2026, 1, 1), utc(2026, 1, 3), 5)) == 5
    assert hourly.occurrence(utc(2026, 1, 1, 5)) is not None
    assert hourly.occurrence(utc(2026, 1, 1, 5, 1)) is None
    assert hourly.occurrence(utc(2026, 1, 1, 5) + TICK) is None


def test_a_recurrence_is_a_value() -> None:
    one, two = cron("0 0 * * 7", "Asia/Tokyo"), cron("@weekly", "Asia/Tokyo")
    assert one == two
    assert hash(one) == hash(two)
    assert one != cron("@weekly")
    assert one != "@weekly"
    for other in (pickle.loads(pickle.dumps(one)), copy.copy(one)):  # noqa: S301
        assert other == one
        assert other.upcoming(utc(2026, 1, 1), 3) == one.upcoming(utc(2026, 1, 1), 3)
    assert "Asia/Tokyo" in repr(one)
    assert LazyRecurrence is Recurrence


@pytest.mark.parametrize(
    ("rule", "kind"),
    [
        (parse_cron("0 2 * * *"), "fixed"),
        (parse_cron("0 * * * *"), "interval"),
        (Every(60), "interval"),
        (Days(), "fixed"),
        (Once(wall(2026, 1, 1)), "once"),
        (Reboot(), "event"),
        (Union((Days(), parse_cron("0 2 * * *"))), "fixed"),
        (Union((Days(), Every(60))), "mixed"),
        (Except(Every(60), Days()), "interval"),
    ],
)
def test_kind(rule: Rule, kind: str) -> None:
    assert Recurrence(rule).kind == kind
    assert Recurrence(rule).interval_like == (kind == "interval")


# Clock changes


@pytest.mark.parametrize(
    ("text", "gap", "found"),
    [
        ("30 2 * * *", "auto", [(1, 0, "moved", 2, 30)]),
        ("30 2 * * *", "skip", []),
        ("0,30 2 * * *", "auto", [(1, 0, "moved", 2, 0)]),
        ("30 2,3 * * *", "auto", [(1, 0, "moved", 2, 30), (1, 30, "normal", 3, 30)]),
        ("0 2,3 * * *", "auto", [(1, 0, "normal", 3, 0)]),
        ("*/30 2 * * *", "auto", []),
        ("*/30 2 * * *", "run", [(1, 0, "moved", 2, 0)]),
        ("*/30 2-3 * * *", "run", [(1, 0, "normal", 3, 0), (1, 30, "normal", 3, 30)]),
    ],
)
def test_gap(text: str, gap: str, found: list[tuple[int, int, str, int, int]]) -> None:
    occurrences = cron(text, "Europe/Stockholm", gap).occurrences(utc(2026, 3, 28, 12), utc(2026, 3, 29, 12))
    assert [(o.at.hour, o.at.minute, o.flag, o.wall.hour, o.wall.minute) for o in occurrences] == found
    assert all(o.wall.date() == date(2026, 3, 29) for o in occurrences)


@pytest.mark.parametrize(
    ("text", "overlap", "found"),
    [
        ("30 2 * * *", "auto", [(0, 30, "normal")]),
        ("30 2 * * *", "both", [(0, 30, "normal"), (1, 30, "second")]),
        ("*/30 2 * * *", "auto", [(0, 0, "normal"), (0, 30, "normal"), (1, 0, "second"), (1, 30, "second")]),
        ("*/30 2 * * *", "first", [(0, 0, "normal"), (0, 30, "normal")]),
        ("0 3 * * *", "auto", [(2, 0, "normal")]),
    ],
)
def test_overlap(text: str, overlap: str, found: list[tuple[int, int, str]]) -> None:
    recurrence = cron(text, "Europe/Stockholm", overlap=overlap)
    occurrences = recurrence.occurrences(utc(2026, 10, 24, 12), utc(2026, 10, 25, 12))
    assert [(o.at.hour, o.at.minute, o.flag) for o in occurrences] == found


def test_a_day_that_a_zone_left_out_has_nothing_whatever_the_option() -> None:
    for gap in ("auto", "run", "skip"):
        found = cron("0 12 * * *", "Pacific/Apia", gap).occurrences(utc(2011, 12, 29, 12), utc(2012, 1, 1))
        assert [o.wall.day for o in found] == [29, 31, 1]
    assert Recurrence(Once(wall(2011, 12, 30, 12)), "Pacific/Apia").never_fires


def test_a_rule_that_lives_in_gaps_alone_never_fires() -> None:
    text = "*/20 2 29 3 * 2026"
    recurrence = cron(f"0 {text}", "Europe/Stockholm")
    assert recurrence.never_fires
    assert not cron(f"0 {text}", "Europe/Stockholm", "run").never_fires
    yearly = cron("*/20 2 * 3 7L", "Europe/Stockholm")
    later = yearly.next_after(utc(1997, 1, 1))
    assert later is None
    assert yearly.last_until(utc(1980, 1, 1)) is not None


# Intervals and one-shots


def test_every_counts_elapsed_time_from_the_anchor() -> None:
    even = Recurrence(Every(7200), "Europe/Stockholm")
    assert even.between(utc(2026, 3, 28, 22), utc(2026, 3, 29, 4)) == [
        utc(2026, 3, 28, 23),
        utc(2026, 3, 29, 1),
        utc(2026, 3, 29, 3),
    ]
    assert even.last_until(utc(2023, 12, 31, 23)) == utc(2023, 12, 31, 23)
    assert even.last_until(utc(2023, 12, 31, 22)) == utc(2023, 12, 31, 21)
    assert even.count(utc(2026, 1, 1), utc(2027, 1, 1)) == 365 * 12


def test_every_starting_has_nothing_before() -> None:
    late = Recurrence(Every(5400, wall(2026, 3, 29, 2, 30), starting=True), "Europe/Stockholm")
    assert late.next_after(FIRST) == utc(2026, 3, 29, 1)  # the anchor fell into the gap
    assert late.last_until(utc(2026, 3, 29, 0, 59)) is None
    assert late.count(FIRST, utc(2026, 3, 29, 2, 30)) == 2


@pytest.mark.parametrize(
    ("once", "at"),
    [
        (Once(wall(2026, 12, 24, 18)), utc(2026, 12, 24, 17)),
        (Once(wall(2026, 3, 29, 2, 30)), utc(2026, 3, 29, 1)),
        (Once(wall(2026, 10, 25, 2, 30)), utc(2026, 10, 25, 0, 30)),
        (Once(instant=utc(2026, 10, 25, 1, 30)), utc(2026, 10, 25, 1, 30)),
    ],
)
def test_once(once: Once, at: datetime) -> None:
    recurrence = Recurrence(once, "Europe/Stockholm")
    assert recurrence.upcoming(FIRST, 3) == [at]
    assert recurrence.next_after(at) is None
    assert recurrence.last_until(LAST) == at
    assert recurrence.last_until(at - TICK) is None
    assert recurrence.count(FIRST, LAST) == 1


@pytest.mark.parametrize(
    "rule", [Reboot(), Once(wall(2300, 1, 1)), Once(instant=utc(1960, 1, 1)), Once(wall(1960, 1, 1))]
)
def test_never(rule: Rule) -> None:
    recurrence = Recurrence(rule)
    assert recurrence.never_fires
    assert recurrence.last_until(LAST) is None
    assert recurrence.count(FIRST, LAST) == 0


# Days


def dates(rule: Rule, start: datetime, n: int) -> list[tuple[int, int]]:
    return [(at.month, at.day) for at in Recurrence(rule).upcoming(start, n)]


JANUARY = utc(2025, 12, 31, 12)


@pytest.mark.parametrize(
    ("rule", "found"),
    [
        (Days(step=2), [(1, 2), (1, 4), (1, 6)]),
        (Days(step=1, weekdays=frozenset({5, 6})), [(1, 3), (1, 4), (1, 10)]),
        (Days(step=10, anchor=date(2026, 1, 4)), [(1, 4), (1, 14), (1, 24)]),
        (Days(unit="week", weekdays=frozenset({0, 3})), [(1, 1), (1, 5), (1, 8)]),
        (
            Days(unit="week", step=2, weekdays=frozenset({6}), anchor=date(2026, 6, 23), starting=True),
            [(6, 28), (7, 12)],
        ),
        (
            Days(unit="week", step=2, weekdays=frozenset({0}), anchor=date(2026, 6, 23), starting=True),
            [(7, 6), (7, 20)],
        ),
        (Days(unit="week", step=3), [(1, 5), (1, 26)]),
        (Days(unit="month"), [(1, 1), (2, 1)]),
        (Days(unit="month", monthdays=(31,)), [(1, 31), (2, 28), (3, 31), (4, 30)]),
        (Days(unit="month", monthdays=(31,), clamp=False), [(1, 31), (3, 31)]),
        (Days(unit="month", monthdays=(-1, 15)), [(1, 15), (1, 31), (2, 15), (2, 28)]),
        (Days(unit="month", nth=(2, -1), weekdays=frozenset({1})), [(1, 13), (1, 27), (2, 10), (2, 24)]),
        (Days(unit="month", nth=(5,), weekdays=frozenset({4})), [(1, 30), (5, 29)]),
        (Days(unit="month", weekdays=frozenset({6}), months=(2,)), [(2, 1), (2, 8), (2, 15), (2, 22)]),
        (Days(unit="month", step=3, monthdays=(10,)), [(1, 10), (4, 10), (7, 10)]),
        (Days(unit="month", business=1), [(1, 1), (2, 2), (3, 2)]),
        (Days(unit="month", business=-1), [(1, 30), (2, 27), (3, 31)]),
        (Days(unit="month", business=23), [(7, 31), (12, 31)]),
        (Days(unit="year", step=1, months=(2,), monthdays=(29,), clamp=False), [(2, 29), (2, 29)]),
        (Days(unit="year", step=2, months=(6,), monthdays=(1,)), [(6, 1), (6, 1)]),
        (Days(unit="year", anchor=date(2026, 5, 9), monthdays=(9,)), [(5, 9), (5, 9)]),
    ],
)
def test_days(rule: Days, found: list[tuple[int, int]]) -> None:
    assert dates(rule, JANUARY, len(found)) == found


def test_years_count_from_the_anchor() -> None:
    rule = Days(unit="year", step=3, months=(1,), monthdays=(1,), anchor=date(2025, 6, 1), starting=True)
    assert [at.year for at in Recurrence(rule).upcoming(FIRST, 3)] == [2028, 2031, 2034]
    assert Recurrence(rule).last_until(utc(2027, 12, 31)) is None


def test_times_of_a_day_in_any_order_and_to_the_second() -> None:
    rule = Days((time(17, 30, 15), time(9), time(9)))
    assert Recurrence(rule).upcoming(utc(2026, 1, 1, 9), 2) == [utc(2026, 1, 1, 17, 30, 15), utc(2026, 1, 2, 9)]
    assert Recurrence(rule).last_until(utc(2026, 1, 2)) == utc(2026, 1, 1, 17, 30, 15)


# Joined rules


def test_union_is_a_set() -> None:
    both = Recurrence(Union((parse_cron("0 * * * *"), parse_cron("0,30 * * * *"), Every(3600))))
    assert both.count(utc(2026, 1, 1), utc(2026, 1, 2)) == 48
    assert both.between(utc(2026, 1, 1), utc(2026, 1, 1, 1)) == [utc(2026, 1, 1, 0, 30), utc(2026, 1, 1, 1)]
    moved = Recurrence(Union((parse_cron("30 2 * * *"), parse_cron("0 3 * * *"))), "Europe/Stockholm")
    assert [o.flag for o in moved.occurrences(utc(2026, 3, 28, 12), utc(2026, 3, 29, 12))] == ["normal"]


def test_except_is_by_instant() -> None:
    rule = Except(parse_cron("30 2 * * *"), parse_cron("0 3 29 3 *"))
    found = Recurrence(rule, "Europe/Stockholm").between(utc(2026, 3, 28), utc(2026, 3, 31))
    assert found == [utc(2026, 3, 28, 1, 30), utc(2026, 3, 30, 0, 30)]


MINUTES = parse_cron("* * * * *")
SECONDS = parse_cron("* * * * * *")


@pytest.mark.parametrize(
    "rule",
    [
        Except(SECONDS, SECONDS),
        Except(parse_cron("*/5 * * * *"), MINUTES),
        Except(Every(420), MINUTES),
        Except(Every(7 * 3600), MINUTES),
        Except(Every(840), Every(420)),
        Except(Every(840), Union((Every(1680), Every(1680, wall(2024, 1, 1, 0, 14))))),
        Except(MINUTES, Union((parse_cron("* * * * 1-5"), parse_cron("* * * * 0,6")))),
    ],
)
@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
def test_what_takes_all_away_is_proved_empty(rule: Rule, zone: str) -> None:
    recurrence = Recurrence(rule, zone)
    assert recurrence.never_fires
    assert recurrence.last_until(LAST) is None
    assert recurrence.count(FIRST, LAST) == 0
    assert lines(lambda: Recurrence(rule, zone).never_fires) < 1_000_000


def test_a_long_exception_is_jumped() -> None:
    rule = Except(SECONDS, parse_cron("* * * * * * 2000-2100"))
    assert Recurrence(rule).next_after(utc(2026, 1, 1)) == utc(2101, 1, 1)
    assert Recurrence(rule).last_until(utc(2026, 1, 1)) == utc(1999, 12, 31, 23, 59, 59)
    assert lines(lambda: Recurrence(rule).next_after(utc(2026, 1, 1))) < 1_000_000


# Counts and speed


@pytest.mark.parametrize("zone", ["UTC", "Europe/Dublin", "Pacific/Apia"])
@pytest.mark.parametrize(
    "rule",
    [
        parse_cron("*/7 1-3 * * 1-5"),
        parse_cron("30 2 L * *"),
        Every(11),
        Union((Every(4200), parse_cron("0 0 * * *"))),
        Except(parse_cron("0 * * * *"), Days((time(2), time(3)))),
    ],
)
def test_count_is_what_a_walk_finds(rule: Rule, zone: str) -> None:
    recurrence = Recurrence(rule, zone)
    for start, end in ((utc(2011, 12, 28, 3, 4, 5), utc(2012, 1, 2)), (utc(2026, 3, 27), utc(2026, 3, 30, 1, 1, 1))):
        assert recurrence.count(start, end) == len(recurrence.between(start, end))
    assert recurrence.count(utc(2026, 1, 1), utc(2025, 1, 1)) == 0


@pytest.mark.parametrize("rule", [SECONDS, Every(1), Union((MINUTES, Every(60)))])
def test_millions_are_counted_at_once(rule: Rule) -> None:
    recurrence = Recurrence(rule, "Europe/Stockholm")
    assert recurrence.count(utc(1990, 1, 1), utc(2090, 1, 1)) > 50_000_000
    assert lines(lambda: recurrence.count(utc(1990, 1, 1), utc(2090, 1, 1))) < 1_000_000


@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
@pytest.mark.parametrize(
    "text",
    [
        "0 0 30 2 *",
        "0 0 31 2,4,6,9,11 *",
        "0 0 1 * +TUE#2",
        "0 0 31W 2 *",
        "0 0 0 29 2 * 1971-2199/4",
        "0 0 0 30 2 * */3",
    ],
)
def test_never_matching_texts_are_proved_in_milliseconds(text: str, zone: str) -> None:
    recurrence = cron(text, zone)
    assert recurrence.next_after(FIRST) is None
    assert recurrence.last_until(LAST) is None
    assert lines(lambda: cron(text, zone).next_after(FIRST)) < 100_000
    assert lines(lambda: recurrence.last_until(LAST)) < 100_000


@pytest.mark.parametrize("text", ["* * * * * *", "0 0 29 2 *", "0 2 * 2 0#5", "*/20 2 * 3 0L", "0 0 0 1 1 * 2199"])
def test_no_answer_takes_a_millisecond(text: str) -> None:
    recurrence = cron(text, "Europe/Stockholm")
    assert lines(lambda: recurrence.next_after(utc(2026, 1, 1))) < 20_000
    assert lines(lambda: recurrence.last_until(utc(2026, 1, 1))) < 20_000
