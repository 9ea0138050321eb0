"""Canonical texts: a fixpoint of parse, equal for equal rules, different for different ones."""

from __future__ import annotations

from datetime import UTC, date, datetime, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rota.calendar.rules import Days, Every, Except, Once, Rule, Union
from rota.calendar.text import canonical, parse
from rota.calendar.vocabulary import MONTH_NAMES, WEEKDAY_NAMES

NOW = datetime(2026, 6, 20, 12, 0, tzinfo=UTC)

TEXTS = [
    ("@Daily", "0 0 * * *"),
    ("daily", "0 0 * * *"),
    ("@weekly", "0 0 * * 0"),
    ("0  9 * JAN,mar SUN", "0 9 * 1,3 0"),
    ("every 90s", "every 90 seconds"),
    ("every 120 s", "every 2 minutes"),
    ("every 24 hours", "every 24 hours"),
    ("every 1h", "every hour"),
    ("hourly", "every hour"),
    ("every 60 seconds", "every minute"),
    ("every second", "every second"),
    ("every 1d", "every day at 00:00"),
    ("every 7 days", "every 7 days at 00:00"),
    ("at 17:00, 9am and noon", "every day at 09:00,12:00,17:00"),
    ("09:00:30", "every day at 09:00:30"),
    ("weekends at noon", "every week on sat,sun at 12:00"),
    ("every other Tuesday at 2pm", "every 2 weeks on tue at 14:00"),
    ("every 2 weeks starting 2026-06-23", "every 2 weeks on tue at 00:00 starting 2026-06-23"),
    ("monthly on day 31,1", "every month on day 1,31 at 00:00"),
    ("monthly on last day and day 3", "every month on day 3,last day at 00:00"),
    ("last day at 5", "every month on last day at 05:00"),
    ("fourth, second tue,mon at 10", "every month on second,fourth mon,tue at 10:00"),
    ("1st business day at 8", "every month on first business day at 08:00"),
    ("11th business day at 8", "every month on 11th business day at 08:00"),
    ("last fri of mar,jan", "every month on last fri of jan,mar at 00:00"),
    ("the 24th of december at 18", "every year on dec 24 at 18:00"),
    ("2026-12-24 18:00", "2026-12-24T18:00"),
    ("2026-12-24T18:00:05+01:00", "2026-12-24T17:00:05Z"),
    ("weekdays at 9; at 8", "every day at 08:00; every week on mon,tue,wed,thu,fri at 09:00"),
    (
        "at 9 except sun except 2026-01-01",
        "every day at 09:00 except * * * 1 1 * 2026 except every week on sun at 09:00",
    ),
    ("every 2h except weekends", "every 2 hours except * * * * * 0,6"),
    ("every 2 hours starting 2026-06-23", "every 2 hours starting 2026-06-23T00:00"),
    ("every 2 hours anchored 2024-01-01", "every 2 hours"),
    ("every 2 hours starting 2024-01-01", "every 2 hours starting 2024-01-01T00:00"),
    ("every day at 9 anchored 2026-01-05", "every day at 09:00"),
    ("every 3 days at 9 anchored 2026-01-05", "every 3 days at 09:00 anchored 2026-01-05"),
    ("@reboot", "@reboot"),
]


@pytest.mark.parametrize(("text", "expected"), TEXTS)
def test_text_has_its_canonical_form(text: str, expected: str) -> None:
    rec = parse(text)
    assert rec.canonical == expected
    assert parse(expected).canonical == expected
    assert parse(expected) == rec


def test_hand_made_rules_have_texts_that_parse_to_their_meaning() -> None:
    nine, eight = Days((time(9),)), Days((time(8),))
    rule = Except(Union((nine, Except(eight, nine))), Union((Every(3600), eight)))
    text = canonical(rule)
    assert text == (
        "every day at 08:00 except every day at 08:00 except every day at 09:00 except every hour; "
        "every day at 09:00 except every day at 08:00 except every hour"
    )
    assert canonical(parse(text).rule) == text


def test_a_moved_anchor_is_another_rule() -> None:
    texts = {
        parse(f"every 2 days at 9 {tail}").canonical for tail in ("", "starting 2026-01-01", "anchored 2026-01-01")
    }
    assert len(texts) == 3


# Rules made at random, and texts made at random

TIMES = st.times(max_value=time(23, 59, 59)).map(lambda at: at.replace(microsecond=0))
TIME_SETS = st.lists(TIMES, min_size=1, max_size=3).map(lambda times: tuple(sorted(set(times))))
WEEKDAYS = st.frozensets(st.integers(0, 6), min_size=1, max_size=6)
DATES = st.dates(date(1970, 1, 1), date(2199, 12, 31))


def _last_behind(numbers: set[int]) -> tuple[int, ...]:
    return tuple(sorted(numbers, key=lambda number: (number < 0, number)))


@st.composite
def day_rules(draw: st.DrawFn) -> Days:
    unit = draw(st.sampled_from(["day", "week", "month", "year"]))
    step, starting = draw(st.integers(1, 40)), draw(st.booleans())
    anchor = draw(DATES) if starting or (step > 1 and draw(st.booleans())) else None
    rule = Days(draw(TIME_SETS), unit, step, anchor=anchor, starting=starting)
    if unit == "week":
        return Days(rule.times, unit, step, weekdays=draw(WEEKDAYS), anchor=anchor, starting=starting)
    if unit == "year":
        month = draw(st.integers(1, 12))
        day = draw(st.integers(1, 28))
        return Days(rule.times, unit, step, months=(month,), monthdays=(day,), anchor=anchor, starting=starting)
    if unit == "month":
        kind = draw(st.integers(1, 7))
        numbers = st.sets(st.integers(1, 31) | st.just(-1), min_size=1, max_size=3)
        nth = st.sets(st.integers(1, 5) | st.just(-1), min_size=1, max_size=2)
        months = draw(st.sets(st.integers(1, 12), max_size=3).filter(lambda names: len(names) != 1 or kind != 1))
        return Days(
            rule.times,
            unit,
            step,
            monthdays=_last_behind(draw(numbers)) if kind & 1 else (),
            nth=_last_behind(draw(nth)) if kind & 2 else (),
            weekdays=draw(WEEKDAYS) if kind & 2 else frozenset(),
            business=draw(st.integers(1, 23) | st.just(-1)) if kind & 4 else None,
            months=tuple(sorted(months)),
            anchor=anchor,
            starting=starting,
        )
    return rule


WALLS = st.datetimes(datetime(1970, 1, 2), datetime(2199, 12, 31)).map(lambda at: at.replace(microsecond=0))  # noqa: DTZ001
SIMPLE: st.SearchStrategy[Rule] = st.one_of(
    day_rules(),
    WALLS.map(lambda wall: Once(wall=wall)),
    WALLS.map(lambda wall: Once(instant=wall.replace(tzinfo=UTC))),
    st.builds(Every, st.integers(1, 10**7)),
    st.builds(Every, st.integers(1, 10**6), WALLS, st.booleans()),
)


@given(SIMPLE)
def test_parse_gives_back_the_rule_of_a_canonical_text(rule: Rule) -> None:
    if isinstance(rule, Every) and rule.anchor == datetime(2024, 1, 1) and not rule.starting:  # noqa: DTZ001
        return
    rec = parse(canonical(rule), "Europe/Stockholm")
    assert rec.rule == rule
    assert rec.canonical == canonical(rule)


@given(st.lists(SIMPLE, min_size=1, max_size=3), st.randoms())
def test_the_order_and_the_number_of_parts_do_not_matter(rules: list[Rule], random: object) -> None:
    texts = [canonical(rule) for rule in rules]
    one = parse(texts)
    assert parse(list(reversed(texts + texts))) == one
    assert parse("; ".join(texts)).canonical == one.canonical
    assert parse(one.canonical) == one


@given(SIMPLE, st.lists(day_rules(), min_size=1, max_size=2))
def test_differences_keep_their_meaning(base: Rule, minus: list[Rule]) -> None:
    text = " except ".join(map(canonical, [base, *minus]))
    rec = parse(text)
    assert parse(rec.canonical) == rec
    assert parse(" except ".join(map(canonical, [base, *reversed(minus)]))) == rec


@given(
    st.sampled_from(["", "every ", "EVERY "]),
    WEEKDAYS,
    st.sampled_from([",", ", ", " and ", ", and "]),
    st.integers(0, 23),
    st.integers(0, 59),
)
def test_spellings_of_the_same_rule_have_one_text(
    head: str, days: frozenset[int], joint: str, hour: int, minute: int
) -> None:
    names = joint.join(WEEKDAY_NAMES[day] for day in sorted(days, reverse=True))
    half = f"{hour % 12 or 12}:{minute:02}{'pm' if hour > 11 else 'am'}"
    expected = f"every week on {','.join(WEEKDAY_NAMES[day] for day in sorted(days))} at {hour:02}:{minute:02}"
    for at in (f"at {half}", f"at {hour}:{minute:02}", f"{hour:02}:{minute:02}:00"):
        assert parse(f"{head}{names} {at}").canonical == expected


@given(st.integers(1, 12), st.integers(1, 28))
def test_days_of_the_year_have_one_text(month: int, day: int) -> None:
    name = MONTH_NAMES[month - 1]
    texts = (
        f"yearly on {name} {day}",
        f"every year on the {day}th of {name.upper()}",
        f"every {day} {name}",
        f"{name} {day}",
        f"{day} {name}",
        f"the {day}th of {name}",
        f"monthly on day {day} of {name}",
    )
    assert {parse(text).canonical for text in texts} == {f"every year on {name} {day} at 00:00"}
