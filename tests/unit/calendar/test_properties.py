"""The search against an independent walk: every wall time of a few days, one by one, mapped through `zoneinfo`.

The walk shares nothing with the engine: fields come as sets from the generators, not from the parser, days are asked
from the standard library, and instants from ZoneInfo alone. The default profile is small and derandomized; what is
marked `full` runs more examples and every zone to the end.
"""

from __future__ import annotations

import calendar
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import cycle, pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rota.calendar.civil import utc_datetime, zone, zone_map, zone_names
from rota.calendar.cron import parse_cron
from rota.calendar.recurrence import Recurrence
from rota.calendar.rules import Days, Every, Except, Once, Rule, Union
from rota.errors import InvalidSchedule

TICK = timedelta(microseconds=1)
SECOND = timedelta(seconds=1)
WALL = datetime(2020, 1, 1)  # noqa: DTZ001  a wall time
NAMES = sorted(zone_names())
slow_is_fine = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
small = settings(max_examples=40, derandomize=True, deadline=None, suppress_health_check=slow_is_fine, database=None)
large = settings(max_examples=2000, deadline=None, suppress_health_check=slow_is_fine)

Field = tuple[str, frozenset[int]]


# Fields as text and meaning, side by side


def few(low: int, high: int) -> st.SearchStrategy[Field]:
    numbers = st.lists(st.integers(low, high), min_size=1, max_size=2)
    return numbers.map(lambda ns: (",".join(map(str, ns)), frozenset(ns)))


def field(low: int, high: int) -> st.SearchStrategy[Field]:
    number = st.integers(low, high)
    single = st.lists(number, min_size=1, max_size=3).map(lambda ns: (",".join(map(str, ns)), frozenset(ns)))
    pair = st.tuples(number, number).map(sorted)
    span = pair.map(lambda p: (f"{p[0]}-{p[1]}", frozenset(range(p[0], p[1] + 1))))
    step = st.integers(1, high - low + 1)
    stepped = step.map(lambda n: (f"*/{n}", frozenset(range(low, high + 1, n))))
    span_step = st.tuples(pair, step).map(
        lambda p: (f"{p[0][0]}-{p[0][1]}/{p[1]}", frozenset(range(p[0][0], p[0][1] + 1, p[1])))
    )
    from_step = st.tuples(number, step).map(lambda p: (f"{p[0]}/{p[1]}", frozenset(range(p[0], high + 1, p[1]))))
    return st.one_of(single, single, span, stepped, span_step, from_step)


DayTest = tuple[str, Callable[[date], bool]]


def length(day: date) -> int:
    return calendar.monthrange(day.year, day.month)[1]


def nearest(n: int) -> Callable[[date], bool]:
    def matches(day: date) -> bool:
        if n > length(day):
            return False
        weekdays = [d for d in range(1, length(day) + 1) if calendar.weekday(day.year, day.month, d) < 5]
        saturday = calendar.weekday(day.year, day.month, n) == 5
        # Of two equally near (never with weekends of two days) the side does not matter; Saturday goes back first.
        return day.day == min(weekdays, key=lambda d: (abs(d - n), d if saturday else -d))

    return matches


def last_weekday(day: date) -> bool:
    weekdays = [d for d in range(1, length(day) + 1) if calendar.weekday(day.year, day.month, d) < 5]
    return day.day == weekdays[-1]


MONTH_DAYS: st.SearchStrategy[DayTest] = st.one_of(
    st.just(("*", lambda _: True)),
    st.just(("?", lambda _: True)),
    field(1, 31).map(lambda f: (f[0], lambda day: day.day in f[1])),
    st.just(("L", lambda day: day.day == length(day))),
    st.just(("LW", last_weekday)),
    st.integers(1, 30).map(lambda n: (f"L-{n}", lambda day: day.day == length(day) - n)),
    st.integers(1, 31).map(lambda n: (f"{n}W", nearest(n))),
    st.integers(1, 31).map(lambda n: (f"{n},L", lambda day: day.day in {n, length(day)})),
)
WEEK_DAYS: st.SearchStrategy[DayTest] = st.one_of(
    st.just(("*", lambda _: True)),
    st.just(("*", lambda _: True)),
    field(0, 6).map(lambda f: (f[0], lambda day: day.isoweekday() % 7 in f[1])),
    st.just(("MON-SUN", lambda _: True)),
    st.just(("fri-sun", lambda day: day.weekday() >= 4)),
    st.tuples(st.integers(0, 7), st.integers(1, 5)).map(
        lambda p: (f"{p[0]}#{p[1]}", lambda day: day.isoweekday() % 7 == p[0] % 7 and (day.day - 1) // 7 + 1 == p[1])
    ),
    st.integers(0, 7).map(lambda n: (f"{n}L", lambda day: day.isoweekday() % 7 == n % 7 and day.day + 7 > length(day))),
)


@dataclass(frozen=True)
class Made:
    """A cron text and what it means, made together."""

    text: str
    times: frozenset[time]
    on: Callable[[date], bool]
    interval_like: bool


@st.composite
def crons(draw: st.DrawFn) -> Made:
    seconds: Field = draw(st.one_of(st.just(("", frozenset({0}))), st.just(("", frozenset({0}))), few(0, 59)))
    minutes = draw(st.one_of(st.just(("*", frozenset(range(60)))), field(0, 59)))
    hours = draw(st.one_of(st.just(("*", frozenset(range(24)))), few(0, 3), few(0, 3), field(0, 23)))
    months = draw(st.one_of(st.just(("*", frozenset(range(1, 13)))), field(1, 12)))
    days, weekdays = draw(MONTH_DAYS), draw(WEEK_DAYS)
    plus = draw(st.booleans())
    both = days[0] not in "*?" and weekdays[0] != "*"

    def on(day: date) -> bool:
        if day.month not in months[1]:
            return False
        if both and not plus:
            return days[1](day) or weekdays[1](day)
        return days[1](day) and weekdays[1](day)

    clock = f"{seconds[0]} {minutes[0]} {hours[0]}"
    text = f"{clock} {days[0]} {months[0]} {'+' * plus}{weekdays[0]}".strip()
    times = frozenset(time(h, m, s) for h in hours[1] for m in minutes[1] for s in seconds[1])
    return Made(text, times, on, any(mark in clock for mark in "*-/"))


# Mapping by zoneinfo alone


def instants_of(wall: datetime, tz: ZoneInfo, *, run: bool, both: bool) -> list[datetime]:
    first, second = (wall.replace(tzinfo=tz, fold=fold) for fold in (0, 1))
    if first.utcoffset() == second.utcoffset():
        return [first.astimezone(UTC)]
    found = [at.astimezone(UTC) for at in (first, second)]
    if found[0].astimezone(tz).replace(tzinfo=None) == wall:
        return found if both else found[:1]
    gap = (second.utcoffset() or timedelta()) - (first.utcoffset() or timedelta())
    if not run or abs(gap) >= timedelta(hours=24):
        return []
    low, high = min(found), max(found)  # the change is between the two readings
    before = low.astimezone(tz).utcoffset()
    while high - low > SECOND:
        middle = low + (high - low) // 2
        middle = middle.replace(microsecond=0)
        low, high = (middle, high) if middle.astimezone(tz).utcoffset() == before else (low, middle)
    return [high]


def walk(made: Made, tz: ZoneInfo, low: datetime, high: datetime, *, run: bool, both: bool) -> list[datetime]:
    """All occurrences in (low, high]."""
    found: set[datetime] = set()
    day = (low - timedelta(days=2)).date()
    while day <= (high + timedelta(days=2)).date():
        if made.on(day):
            for at in made.times:
                found.update(instants_of(datetime.combine(day, at), tz, run=run, both=both))
        day += timedelta(days=1)
    return sorted(at for at in found if low < at <= high)


@st.composite
def around_changes(draw: st.DrawFn) -> tuple[str, datetime]:
    """A zone that has clock changes, and an instant near one of them."""
    name = draw(st.sampled_from(NAMES))
    changes = [at for at, _, _ in zone_map(name).changes]
    if not changes:
        name, changes = "Europe/Dublin", [at for at, _, _ in zone_map("Europe/Dublin").changes]
    at = utc_datetime(draw(st.sampled_from(changes[: 2 * 68])))
    return name, at + timedelta(minutes=draw(st.integers(-90, 90)), seconds=draw(st.integers(0, 59)))


def check_walk(made: Made, near: tuple[str, datetime], gap: str, overlap: str) -> None:
    name, middle = near
    run = gap == "run" or (gap == "auto" and not made.interval_like)
    both = overlap == "both" or (overlap == "auto" and made.interval_like)
    recurrence = Recurrence(parse_cron(made.text), name, gap, overlap)
    low, high = middle - timedelta(hours=30), middle + timedelta(hours=30)
    expected = walk(made, zone(name), low, high, run=run, both=both)
    assert recurrence.between(low, high) == expected, made.text
    assert recurrence.count(low, high) == len(expected)
    backwards, at = [], recurrence.last_until(high)
    while at is not None and at > low:
        backwards.append(at)
        assert recurrence.last_until(at) == at
        at = recurrence.last_until(at - TICK)
    assert backwards[::-1] == expected
    later = recurrence.next_after(middle)
    assert later == next((at for at in expected if at > middle), later)
    if later is not None:
        assert later > middle
        assert recurrence.last_until(later) == later
    assert [o.at for o in recurrence.occurrences(low, high)] == expected
    for occurrence in recurrence.occurrences(low, high):
        assert made.on(occurrence.wall.date())
        assert occurrence.wall.time() in made.times
        assert occurrence.at in instants_of(occurrence.wall, zone(name), run=run, both=both)


@small
@given(crons(), around_changes(), st.sampled_from(["auto", "skip", "run"]), st.sampled_from(["auto", "first", "both"]))
def test_equals_the_walk(made: Made, near: tuple[str, datetime], gap: str, overlap: str) -> None:
    check_walk(made, near, gap, overlap)


@pytest.mark.full
@large
@given(crons(), around_changes(), st.sampled_from(["auto", "skip", "run"]), st.sampled_from(["auto", "first", "both"]))
def test_equals_the_walk_at_length(made: Made, near: tuple[str, datetime], gap: str, overlap: str) -> None:
    check_walk(made, near, gap, overlap)


@small
@given(crons())
def test_canonical_text_is_stable(made: Made) -> None:
    rule = parse_cron(made.text)
    assert rule.interval_like == made.interval_like
    again = parse_cron(rule.canonical)
    assert again == rule
    assert again.canonical == rule.canonical


# Rules joined: the set algebra of what their parts have


def leaves() -> st.SearchStrategy[Rule]:
    whole = st.datetimes(WALL, WALL + timedelta(days=150)).map(lambda d: d.replace(microsecond=0))
    return st.one_of(
        crons().map(lambda made: parse_cron(made.text)),
        st.sampled_from([60, 300, 420, 3600, 5400, 7 * 3600, 86400, 100_000]).map(Every),
        st.tuples(st.sampled_from([700, 3600, 90_000]), whole).map(lambda p: Every(p[0], p[1], starting=True)),
        st.tuples(st.times(), st.integers(1, 4)).map(lambda p: Days((p[0].replace(microsecond=0),), step=p[1])),
        st.just(Days((time(2, 30), time(1, 30)), "week", 2, frozenset({5, 6}))),
        st.just(Days((time(2),), "month", monthdays=(29, -1))),
        whole.map(Once),
    )


def trees() -> st.SearchStrategy[Rule]:
    return st.recursive(
        leaves(),
        lambda inner: st.one_of(
            st.lists(inner, min_size=1, max_size=3).map(lambda parts: Union(tuple(parts))),
            st.tuples(inner, inner).map(lambda pair: Except(*pair)),
        ),
        max_leaves=4,
    )


def meaning(rule: Rule, name: str, low: datetime, high: datetime) -> set[datetime]:
    if isinstance(rule, Union):
        return set().union(*(meaning(part, name, low, high) for part in rule.parts))
    if isinstance(rule, Except):
        return meaning(rule.base, name, low, high) - meaning(rule.minus, name, low, high)
    return set(Recurrence(rule, name).between(low, high))


def check_tree(rule: Rule, name: str, hours: int) -> None:
    low = datetime(2020, 3, 28, tzinfo=UTC) + timedelta(hours=hours)
    high = low + timedelta(hours=40)
    expected = sorted(meaning(rule, name, low, high))
    recurrence = Recurrence(rule, name)
    assert recurrence.between(low, high) == expected
    assert recurrence.count(low, high) == len(expected)
    at, backwards = recurrence.last_until(high), []
    while at is not None and at > low:
        backwards.append(at)
        at = recurrence.last_until(at - TICK)
    assert backwards[::-1] == expected


TREE_ZONES = ["UTC", "Europe/Dublin", "Europe/Stockholm", "Asia/Beirut"]


@small
@given(trees(), st.sampled_from(TREE_ZONES), st.integers(-10, 10))
def test_joined_rules(rule: Rule, name: str, hours: int) -> None:
    check_tree(rule, name, hours)


@pytest.mark.full
@settings(large, max_examples=800)
@given(trees(), st.sampled_from(TREE_ZONES), st.integers(-10, 4000))
def test_joined_rules_at_length(rule: Rule, name: str, hours: int) -> None:
    check_tree(rule, name, hours)


# One occurrence for each day


def missing_dates(name: str) -> set[date]:
    """The dates that a zone left out as a whole."""
    found: set[date] = set()
    for at, before, after in zone_map(name).changes:
        first, end = at + before, at + after
        day = -(-first // 86400)
        while (day + 1) * 86400 <= end:
            found.add(date(1970, 1, 1) + timedelta(days=day))
            day += 1
    return found


def dates_near(name: str, at: int) -> list[date]:
    local = utc_datetime(at).astimezone(zone(name)).date()
    gone = missing_dates(name)
    return [day for day in (local + timedelta(days=n) for n in range(-2, 3)) if day not in gone]


def test_a_daily_rule_has_each_date_once_around_every_change_of_every_zone() -> None:
    seen: set[tuple[tuple[int, int, int], ...]] = set()
    for number, name in enumerate(NAMES):
        changes = tuple(change for change in zone_map(name).changes if change[0] < 2_145_916_800)
        if not changes or changes in seen:
            continue
        seen.add(changes)
        at, before, _ = changes[number % len(changes)]
        # The time of day at which the clock last changed, and one that goes around the day with the zones.
        for second in ((at + before) % 86400, number * 997 % 86400):
            hour, rest = divmod(second, 3600)
            recurrence = Recurrence(parse_cron(f"{rest % 60} {rest // 60} {hour} * * *"), name)
            for change, _, _ in changes[number % 6 :: 6]:
                days = dates_near(name, change)
                low = datetime.combine(days[0], time(), zone(name)) - timedelta(hours=27)
                found = recurrence.occurrences(low, utc_datetime(change) + timedelta(days=5))
                walls = [o.wall.date() for o in found if days[0] <= o.wall.date() <= days[-1]]
                assert walls == days, (name, second, change)
    assert len(seen) > 200


@pytest.mark.full
def test_a_daily_rule_has_each_date_once() -> None:
    every = [date.fromordinal(n) for n in range(date(1970, 1, 1).toordinal(), date(2038, 1, 1).toordinal())]
    # Zones with the same changes are one: the later name stands for all.
    unlike = {tuple(zone_map(name).changes): name for name in NAMES}
    texts = ("0 0 * * *", "30 2 * * *", "15 23 * * *")
    for name, text in zip(unlike.values(), cycle(texts), strict=False):
        gone = missing_dates(name)
        recurrence = Recurrence(parse_cron(text), name)
        found = recurrence.occurrences(datetime(1969, 12, 29, tzinfo=UTC), datetime(2038, 1, 3, tzinfo=UTC))
        assert [o.wall.date() for o in found if o.wall.year < 2038] == [day for day in every if day not in gone]
        assert all(a.at < b.at for a, b in pairwise(found))


# Any text at all

SOUP = st.text("0123456789*/,-#?+LWHJANMOFRI@ \t()", max_size=40)


@settings(small, max_examples=300)
@given(st.one_of(SOUP, st.text(max_size=30)), st.sampled_from([None, "key"]))
def test_no_text_raises_anything_else(text: str, key: str | None) -> None:
    check_text(text, key)


@pytest.mark.full
@settings(large, max_examples=20_000)
@given(st.one_of(SOUP, st.text(max_size=60)), st.sampled_from([None, "key"]))
def test_no_text_raises_anything_else_at_length(text: str, key: str | None) -> None:
    check_text(text, key)


def check_text(text: str, key: str | None) -> None:
    try:
        recurrence = Recurrence(parse_cron(text, key), "America/St_Johns")
    except InvalidSchedule as error:
        assert 1 <= error.column <= len(text) + 1  # noqa: PT017  most texts are refused, but not all
        return
    at = recurrence.next_after(datetime(2026, 5, 1, tzinfo=UTC))
    assert at is None or recurrence.last_until(at) == at
