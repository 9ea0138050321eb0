"""Warnings, and why a rule never fires."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from rota.calendar.text import parse, warnings, why_never

STOCKHOLM = "Europe/Stockholm"

# text, zone, a piece of the warning
WARNED = [
    ("7 3 13 * 5", "UTC", "either one matches; where both must, write 7 3 13 * +5"),
    ("7 3 */2 * MON", "UTC", "either one matches"),
    ("0 7 3 13 * 5", "UTC", "write 0 7 3 13 * +5"),
    ("*/7 * * * *", "UTC", "starts again every hour: from 56 to 0 is 4, not 7"),
    ("3/7 * * * *", "UTC", "starts again every hour: from 59 to 3 is 4, not 7"),
    ("7 */5 * * *", "UTC", "starts again every day: from 20 to 0 is 4, not 5"),
    ("7 3 */2 * *", "UTC", "starts again every month: from 31 to 1 is 1, not 2"),
    ("7 3 1 */5 *", "UTC", "starts again every year: from 11 to 1 is 2, not 5"),
    ("7 3 * * */2", "UTC", "starts again every week: from 6 to 0 is 1, not 2"),
    ("*/7 * * * * *", "UTC", "starts again every minute"),
    ("7 3 31 * *", "UTC", "months without day 31 have no occurrence (5 of 12); L is the last day"),
    ("7 3 30 * *", "UTC", "months without day 30 have no occurrence (1 of 12)"),
    ("7 3 29 2 *", "UTC", "29 February exists in leap years only"),
    ("7 3 * * MON#5", "UTC", "without a fifth"),
    ("fifth monday at 3:07", "UTC", "without a fifth"),
    ("30 2 * * *", STOCKHOLM, "02:30 does not exist; fires at"),
    ("at 02:30", STOCKHOLM, "clocks in Europe/Stockholm jump over a time of this rule"),
    ("30 2 * * sun", "America/New_York", "jump over a time"),
    ("at 23:30", "America/Nuuk", "jump over a time"),
    ("* 2 * * *", "UTC", "60 times in each of its hours; for one time write 0 2 * * *"),
    ("0 * 2,3 * * *", "UTC", "60 times"),
    ("30 0 9 * * mon-fri", "UTC", "some tools put seconds last"),
    ("every 2 hours", STOCKHOLM, "for fixed times of the clock write 0 */2 * * *"),
    ("every 24 hours", STOCKHOLM, "write every day at 00:00"),
    ("every 90 minutes", STOCKHOLM, "move at each clock change"),
    ("every hour", "Australia/Lord_Howe", "move at each clock change"),
    ("@daily", "UTC", "start at midnight"),
    ("every day", "UTC", "start at midnight"),
    ("0 9 * * *", "UTC", "on the full hour"),
    ("at 9", "UTC", "on the full hour"),
    ("@weekly", "UTC", "Sundays at 00:00"),
    ("weekly", "UTC", "Sundays at 00:00"),
    ("weekly at 23:00", "UTC", "Mondays"),
    ("at 3:07; weekly", "UTC", "Sundays at 00:00"),
    ("0 0 31 2 *", "UTC", "never fires: there is no day 31 in February"),
]

QUIET = [
    ("7 3 * * *", STOCKHOLM),
    ("*/5 * * * *", STOCKHOLM),
    ("7 3 13 * +5", "UTC"),
    ("7 3 L * *", "UTC"),
    ("7 3 31 1,3 *", "UTC"),
    ("7 3 1-31 * *", "UTC"),
    ("7 9-17 * * *", "UTC"),
    ("*/10 9-17 * * *", "UTC"),
    ("* 9-17 * * *", "UTC"),
    ("0-30/7 * * * *", "UTC"),
    ("0 7 3 * * * 2030", "UTC"),
    ("every 15 minutes", STOCKHOLM),
    ("every 2 hours", "UTC"),
    ("every 7 hours", STOCKHOLM),
    ("every day at 03:15", STOCKHOLM),
    ("weekly on sun at 23:07", STOCKHOLM),
    ("30 2 * * mon-fri", STOCKHOLM),
    ("7 */2 * * *", STOCKHOLM),
    ("monthly on day 31 at 03:15", "UTC"),
    ("2026-12-24T18:00", STOCKHOLM),
]


@pytest.mark.parametrize(("text", "zone", "piece"), WARNED)
def test_warned(text: str, zone: str, piece: str) -> None:
    assert piece in " | ".join(parse(text, zone).warnings)


@pytest.mark.parametrize(("text", "zone"), QUIET)
def test_quiet(text: str, zone: str) -> None:
    assert parse(text, zone).warnings == []


def test_what_a_warning_says_to_write_parses() -> None:
    for text, zone, _ in WARNED:
        for warning in parse(text, zone).warnings:
            _, found, spelling = warning.partition(" write ")
            if found:
                parse(spelling, zone)


def test_a_warning_is_given_once() -> None:
    found = parse("at 9; at 10; 0 11 * * *").warnings
    assert len(found) == len(set(found)) == 1


@pytest.mark.parametrize("year", [2024, 2026, 2031, 2150])
@pytest.mark.parametrize(("text", "zone"), [(text, zone) for text, zone, piece in WARNED if "jump" in piece])
def test_the_clock_change_that_is_named_is_a_coming_one(text: str, zone: str, year: int) -> None:
    """Of every day of a year: after that day, and soon."""
    for day in range(0, 365, 7):
        after = datetime(year, 1, 1, 12, tzinfo=UTC) + timedelta(days=day)
        (named,) = [
            named
            for found in warnings(parse(text, zone), after)
            for named in re.findall(r"on (\d{4}-\d\d-\d\d)", found)
        ]
        assert after.date() <= datetime.fromisoformat(named).date() <= (after + timedelta(days=8 * 366)).date()


def test_changes_that_are_over_are_no_warning() -> None:
    """Turkey's clocks have not changed since 2016."""
    for text, piece in (("at 03:30", "jump over"), ("every 2 hours", "elapsed time")):
        rule = parse(text, "Europe/Istanbul")
        assert piece in " | ".join(warnings(rule, datetime(2010, 1, 1, tzinfo=UTC)))
        assert piece not in " | ".join(warnings(rule, datetime(2017, 1, 1, tzinfo=UTC)))


def test_a_warning_is_asked_for_up_to_the_last_year() -> None:
    assert warnings(parse("at 02:30", STOCKHOLM), datetime(9998, 1, 1, tzinfo=UTC)) == []


NEVER = [
    ("0 0 31 2 *", "UTC", "day 31 in February"),
    ("0 0 30,31 2 *", "UTC", "day 30 or 31 in February"),
    ("0 0 31 2,4,6 *", "UTC", "day 31 in February, April, June"),
    ("0 0 31W 4 *", "UTC", "day 31 in April"),
    ("0 0 L-29 2 *", "UTC", "day L-29 in February"),
    ("0 0 31 4 +MON", "UTC", "day 31 in April"),
    ("0 0 0 29 2 * 2023", "UTC", "29 February in 2023: it is no leap year"),
    ("0 0 0 29 2 * 2021-2023", "UTC", "29 February in 2021, 2022, 2023: none of them is a leap year"),
    ("0 0 0 1 1 +MON 2023", "UTC", "day 1 of January in 2023 is never one of its weekdays"),
    ("0 0 0 * 2 MON#5 2023", "UTC", "fifth Monday in February in 2023"),
    ("0 */10 2 29 3 * 2026", STOCKHOLM, "clock changes of Europe/Stockholm"),
    ("2011-12-30 12:00", "Pacific/Apia", "2011-12-30T12:00 does not exist in Pacific/Apia"),
    ("weekends at 9 except sat,sun", "UTC", "`except` leaves nothing of every week on sat,sun at 09:00"),
    ("0 0 31 2 * except mon", "UTC", "day 31 in February"),
    ("0 0 31 2 *; 0 0 31 4 *", "UTC", "day 31 in April"),
    ("every 150 years on mar 1 starting 2199-03-02", "UTC", "between 2199-03-02 and the end of 2199"),
    ("@reboot", "UTC", "node.started"),
]


@pytest.mark.parametrize(("text", "zone", "piece"), NEVER)
def test_why_it_never_fires(text: str, zone: str, piece: str) -> None:
    rec = parse(text, zone)
    reason = why_never(rec)
    assert reason is not None
    assert piece in reason
    assert f"never fires: {reason}" in rec.warnings


def test_what_fires_has_no_reason() -> None:
    assert why_never(parse("0 0 29 2 *")) is None
    assert why_never(parse("0 0 13 * 5")) is None
    assert why_never(parse("0 0 0 1 1 * 2020")) is None


def test_what_lies_in_the_past_never_fires_again() -> None:
    now = datetime(2026, 6, 20, tzinfo=UTC)
    for text in ("0 0 0 1 1 * 2020", "2020-01-01"):
        assert why_never(parse(text), now) == "it never fires again: its last occurrence was 2020-01-01T00:00:00Z"
    assert why_never(parse("at 9"), now) is None
