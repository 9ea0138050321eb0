"""The cron dialect: what is read, what is refused and how the refusal helps, canonical texts, H."""

from __future__ import annotations

import pytest

from rota.calendar.cron import NICKNAMES, parse_cron
from rota.calendar.rules import Cron
from rota.calendar.text import parse
from rota.errors import InvalidSchedule


def fault(text: str, key: str | None = None) -> InvalidSchedule:
    with pytest.raises(InvalidSchedule) as caught:
        parse_cron(text, key)
    return caught.value


def test_fields_are_value_sets() -> None:
    rule = parse_cron("5,10-12 */8 1-3,31 jan-MAR/2 mon-wed,SUN")
    assert (rule.seconds, rule.minutes, rule.hours) == ((0,), (5, 10, 11, 12), (0, 8, 16))
    assert (rule.days, rule.months, rule.weekdays) == ((1, 2, 3, 31), (1, 3), (0, 1, 2, 3))
    assert rule.years == tuple(range(1970, 2200))
    assert rule.day_restricted
    assert rule.weekday_restricted
    assert rule.nfields == 5


@pytest.mark.parametrize(
    ("field", "days"),
    [
        ("7", (0,)),
        ("SUN-SUN", (0, 1, 2, 3, 4, 5, 6)),
        ("FRI-SUN", (0, 5, 6)),
        ("sun-tue", (0, 1, 2)),
        ("5-7", (0, 5, 6)),
        ("1-7/2", (0, 1, 3, 5)),
        ("MON/2", (1, 3, 5)),
        ("SUN/3", (0, 3, 6)),
        ("*/7", (0,)),
        ("0-7", (0, 1, 2, 3, 4, 5, 6)),
        ("7-7", (0,)),
    ],
)
def test_weekdays(field: str, days: tuple[int, ...]) -> None:
    assert parse_cron(f"0 0 * * {field}").weekdays == days


def test_special_days() -> None:
    rule = parse_cron("0 0 L-3,L,LW,5 * FRI#L,2L,MON#2,3")
    assert rule.last_offsets == (0, 3)
    assert rule.last_weekday
    assert rule.days == (5,)
    assert rule.nth == ((1, 2), (2, -1), (5, -1))
    assert rule.weekdays == (3,)
    assert parse_cron("0 0 15W * *").nearest == 15


@pytest.mark.parametrize(
    ("text", "day", "weekday", "plus"),
    [
        ("0 0 * * *", False, False, False),
        ("0 0 ? * ?", False, False, False),
        ("0 0 */1 * 0-6", True, True, False),
        ("0 0 1 * +MON", True, True, True),
        ("0 0 * * +MON", False, True, False),
        ("0 0 1 * +*", True, False, False),
        ("0 0 *,5 * 1", True, True, False),
    ],
)
def test_restriction_and_plus(text: str, day: bool, weekday: bool, plus: bool) -> None:
    rule = parse_cron(text)
    assert (rule.day_restricted, rule.weekday_restricted, rule.plus) == (day, weekday, plus)


@pytest.mark.parametrize(
    ("text", "interval"),
    [
        ("0 2 * * *", False),
        ("0,30 2,3 */2 1-6 *", False),
        ("0 2 * * 1-5", False),
        ("0 0-0 * * *", True),
        ("5/15 2 * * *", True),
        ("0 0 2 * * *", False),
        ("*/10 0 2 * * *", True),
        ("0 * * * *", True),
    ],
)
def test_class(text: str, interval: bool) -> None:
    assert parse_cron(text).interval_like is interval


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("@Daily", "0 0 * * *"),
        ("  05\t4   * JAN-mar  sun ", "5 4 * 1-3 0"),
        ("0 */5 * * * *", "*/5 * * * *"),
        ("0 0 0 1 1 * *", "0 0 1 1 *"),
        ("0 0 0 1 1 * 2030,2028", "0 0 0 1 1 * 2028,2030"),
        ("0,5,10,15,20,25,30,35,40,45,50,55 * * * *", "*/5 * * * *"),
        ("0 0,1,2 * * *", "0 0,1,2 * * *"),
        ("0 0-2 * * *", "0 0-2 * * *"),
        ("5-5 4 * * *", "5-5 4 * * *"),
        ("0 0 1-31 * 0-6", "0 0 1-31 * 0-6"),
        ("0 0 ? * MON-FRI", "0 0 * * 1-5"),
        ("0 0 LW,L-2,L,3 * 5L,1#1,0", "0 0 3,L,L-2,LW * 0,1#1,5#L"),
        ("0 0 15W * +FRI", "0 0 15W * +5"),
    ],
)
def test_canonical(text: str, canonical: str) -> None:
    rule = parse_cron(text)
    assert rule.canonical == canonical
    assert parse_cron(canonical) == rule


def test_texts_of_one_meaning_are_equal_and_classes_stay_apart() -> None:
    assert parse_cron("@hourly") == parse_cron("0 0 * * * * *")
    assert hash(parse_cron("0 0 * * 7")) == hash(parse_cron("@weekly"))
    assert parse_cron("0 0-2 * * *") != parse_cron("0 0,1,2 * * *")
    assert parse_cron("0 0 1 * 1") != parse_cron("0 0 1 * +1")


@pytest.mark.parametrize("name", NICKNAMES)
def test_nicknames_in_any_case(name: str) -> None:
    assert parse_cron(name.upper()) == parse_cron(NICKNAMES[name])
    assert parse_cron(name).resolved == NICKNAMES[name]


@pytest.mark.parametrize(
    ("text", "column", "found", "suggestion"),
    [
        ("0 22-2 * * *", 3, "22-2", "0 22-23,0-2 * * *"),
        ("0 23-0 * * *", 3, "23-0", "0 23,0 * * *"),
        ("0 0 * * FRI-MON", 9, "FRI-MON", "0 0 * * 5-6,0-1"),
        ("0 1,22-2/2 * * *", 5, "22-2", "0 1,22,0,2 * * *"),
        ("*/90 * * * *", 3, "90", "every 90 minutes"),
        ("0 */36 * * *", 5, "36", "every 36 hours"),
        ("30 6 */45 * *", 8, "45", "every 45 days at 06:30"),
        ("*/90 9 * * *", 3, "90", None),
        ("  60 * * * *", 3, "60", "  0 * * * *"),
        ("0 24 * * *", 3, "24", "0 0 * * *"),
        ("0 0 * * MONDAY", 9, "MONDAY", "0 0 * * MON"),
        ("0 0 * JUNI *", 7, "JUNI", "0 0 * JUN *"),
        ("0 0 l * *", 5, "l", "0 0 L * *"),
        ("0 0 1 1 * 2030", 11, "2030", "0 0 0 1 1 * 2030"),
        ("* * * *", 1, "* * * *", "* * * * *"),
        ("0 0 * * 1,MON#6", 15, "6", None),
        ("0 0 1,15W * *", 7, "15W", None),
        ("1,2,x * * * *", 5, "x", None),
        ("1-x * * * *", 3, "x", None),
        ("0 0 * * ++1", 10, "+1", "0 0 * * +1"),
        ("@dayly", 1, "@dayly", "@daily"),
        ("@quarterly", 1, "@quarterly", "0 0 1 */3 *"),
        ("0 0 * * L", 9, "L", None),
        ("0 0 * * 7/2", 9, "7/2", "0 0 * * 0/2"),
        ("0 0 * * * \x00", 11, "\x00", None),
        ("007 * * * *", 1, "007", "7 * * * *"),
        ("0 0 1 1 * * 2030 5", 1, "0 0 1 1 * * 2030 5", None),
        ("@reboot", 1, "@reboot", None),
    ],
)
def test_refusals_point_and_repair(text: str, column: int, found: str, suggestion: str | None) -> None:
    error = fault(text)
    assert (error.column, error.found, error.suggestion) == (column, found, suggestion)
    assert error.text == text
    assert f"column {column}" in str(error)
    if suggestion is not None:
        assert parse(suggestion)


@pytest.mark.parametrize(
    "text", ["+5 * * * *", "1_0 * * * *", "\u0665 * * * *", "5\u066b0 * * * *", "\uff11 * * * *", "0x5 * * * *"]
)
def test_only_plain_digits_are_numbers(text: str) -> None:
    fault(text)


def test_a_text_is_bounded() -> None:
    text = ",".join(["60"] * 300) + " * * * *"
    assert fault(text).suggestion is None
    assert "1000" in str(fault("1," * 600 + "1 * * * *"))


def test_h_needs_a_key_and_depends_on_nothing_else() -> None:
    assert "key" in str(fault("H H * * *"))
    first = parse_cron("H H(1-5) * * H", "acme/shop/prod/tidy")
    assert first == parse_cron("H H(1-5) * * H", "acme/shop/prod/tidy")
    # Written down once: a hash that changes would move every schedule that uses H.
    assert first.resolved == "22 1 * * 4"
    assert first.text == "H H(1-5) * * H"
    assert len({parse_cron("H * * * *", f"key-{n}").minutes for n in range(400)}) > 50


@pytest.mark.parametrize("n", range(40))
def test_h_stays_within_its_field(n: int) -> None:
    rule = parse_cron("H H/10 H H H H", f"key {n}")
    assert len(rule.seconds) == 1
    assert len(rule.minutes) == 6
    assert rule.days[0] <= 28
    assert parse_cron("0 H(3-4) * * *", str(n)).hours[0] in {3, 4}
    assert not parse_cron("H H * * *", str(n)).interval_like
    assert parse_cron("H/10 5 * * *", str(n)).interval_like


@pytest.mark.parametrize(
    "text",
    ["H/0 * * * *", "H/61 * * * *", "H(5-1) * * * *", "H(0-60) * * * *", "HX * * * *", "H( * * * *", "0 0 0 1 1 * H"],
)
def test_forms_of_h_that_are_refused(text: str) -> None:
    fault(text, "key")


def test_a_rule_is_a_value() -> None:
    rule = parse_cron("0 0 * * *")
    assert isinstance(rule, Cron)
    with pytest.raises(AttributeError):
        rule.nearest = 3  # type: ignore[misc]
