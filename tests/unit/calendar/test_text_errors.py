"""Refusals: the column, what was found, what is allowed, and a spelling that parses."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rota.calendar.text import parse
from rota.errors import InvalidSchedule

NOW = datetime(2026, 6, 20, 12, 0, tzinfo=UTC)


def refused(text: str) -> InvalidSchedule:
    with pytest.raises(InvalidSchedule) as caught:
        parse(text, "Europe/Stockholm", now=NOW)
    return caught.value


# text, column, found, suggestion
FAULTS: list[tuple[str, int, str, str | None]] = [
    ("evry day at 9", 1, "evry", "every day at 9"),
    ("every modnay at 10", 7, "modnay", "every monday at 10"),
    ("  every modnay", 9, "modnay", "every monday"),
    ("every day at 25:00", 14, "25:00", "every day at 23:00"),
    ("every day at 24:00", 14, "24:00", "every day at 00:00"),
    ("every day at 3:75", 16, "75", "every day at 3:59"),
    ("every day at 03:15:61", 20, "61", "every day at 03:15:59"),
    ("every day at 13pm", 14, "13pm", "every day at 13:00"),
    ("every day at 9h30", 14, "9h30", "every day at 9:30"),
    ("every day at", 13, "", "every day"),
    ("every day at 9,", 16, "", "every day at 9"),
    ("every day at 9 please", 16, "please", "every day at 9"),
    ("every day on mon", 11, "on", "every week on mon"),
    ("every 1.5 hours", 7, "1.5", "every 90 minutes"),
    ("every 2d12h", 7, "2d12h", "every 60 hours"),
    ("every 0 minutes", 7, "0", "every minute"),
    ("every 5 parsecs", 9, "parsecs", "every 5 secs"),
    ("every 5x", 8, "x", None),
    ("every 999999999 years", 7, "999999999", None),
    ("15 minutes", 1, "15", "every 15 minutes"),
    ("everyday at 9", 1, "everyday", "every day at 9"),
    ("biweekly on friday", 1, "biweekly", "every 2 weeks on friday"),
    ("every 15 mins on weekdays", 15, "on", "*/15 * * * 1-5"),
    ("every 15 minutes between 9 and 17", 18, "between", "*/15 9-16 * * *"),
    ("every 2 weeks on mon-foo", 22, "foo", "every 2 weeks"),
    ("monthly on day 32", 16, "32", None),
    ("sixth tuesday at 9", 1, "sixth", None),
    ("6th tuesday at 9", 1, "6th", None),
    ("first and second business day", 1, "first", None),
    ("yearly on feb 30", 15, "30", None),
    ("2026-02-30 10:00", 9, "30", "2026-02-28 10:00"),
    ("2026-13-01", 6, "13-01", "2026-12-01"),
    ("1969-12-31", 1, "1969-12-31", None),
    ("2026-12-24T25:00", 12, "25:00", "2026-12-24T23:00"),
    ("every day at 9 starting tomorrow", 25, "tomorrow", "every day at 9"),
    ("every day at 9 starting 2026-01-01T10:00", 25, "2026-01-01T10:00", "every day at 9"),
    ("once every friday", 6, "every", "once friday"),
    ("once", 5, "", None),
    ("in 900 years", 4, "900", None),
    ("", 1, "", None),
    (" \t", 1, "", None),
    (";", 1, ";", None),
    ("at 9;", 6, "", "at 9"),
    ("at 9; ;at 10", 7, ";", "at 9; at 10"),
    ("at 9 except", 12, "", "at 9"),
    ("at 9; evry day", 7, "evry", "at 9; every day"),
    ("at 9; 0 22-2 * * *", 9, "22-2", "at 9; 0 22-23,0-2 * * *"),
    ("0 22-2 * * *", 3, "22-2", "0 22-23,0-2 * * *"),
    ("*/90 * * * *", 3, "90", "every 90 minutes"),
    ("0 0 32 * *", 5, "32", "0 0 31 * *"),
    ("0 0 l * *", 5, "l", "0 0 L * *"),
    ("* * * *", 1, "* * * *", "* * * * *"),
    ("@fortnightly", 1, "@fortnightly", "every 2 weeks on mon at 00:00"),
    ("\N{ARABIC-INDIC DIGIT FIVE} * * * *", 1, "\N{ARABIC-INDIC DIGIT FIVE}", "5 * * * *"),
    ("every \N{ARABIC-INDIC DIGIT FIVE} minutes", 7, "\N{ARABIC-INDIC DIGIT FIVE}", "every 5 minutes"),
    ("mon\N{EN DASH}fri at 9", 4, "\N{EN DASH}", "mon-fri at 9"),
    ("at +9", 4, "+9", None),
    ("at 1_0", 4, "1_0", None),
    ("at 9\nat 10", 5, "\n", "at 9; at 10"),
    ("every 2 hours except weekdays starting 2026-01-01", 50, "", "every 2 hours except weekdays"),
    ("every second tuesday", 7, "second", "every other tuesday"),
    ("every 3rd tuesday at 9", 7, "3rd", "every 3 weeks on tuesday at 9"),
    ("at 8; every second tuesday at 9", 13, "second", "at 8; every other tuesday at 9"),
    ("every second day at 9", 7, "second", "every 2 days at 9"),
    ("every day at 9 and every friday at 17", 16, "and", "every day at 9; every friday at 17"),
    ("every tuesday and every friday at 9", 15, "and", "every tuesday at 09:00; every friday at 9"),
    ("0 9 13 * * and 0 9 * * fri", 12, "and", "0 9 13 * *; 0 9 * * fri"),
    ("at 7; at 9 and 0 9 * * fri; at 8", 12, "and", "at 7; at 9; 0 9 * * fri; at 8"),
]


@pytest.mark.parametrize(("text", "column", "found", "suggestion"), FAULTS, ids=[ascii(fault[0]) for fault in FAULTS])
def test_fault_is_placed_and_repaired(text: str, column: int, found: str, suggestion: str | None) -> None:
    error = refused(text)
    assert (error.column, error.found, error.suggestion) == (column, found, suggestion)
    assert error.text == text
    assert error.code == "X400003INVSCH"
    assert error.allowed
    assert f"column {column}" in error.message
    assert "\n" not in error.message
    if suggestion is not None:
        assert suggestion in error.message
        parse(suggestion, "Europe/Stockholm", now=NOW)


def test_every_second_tuesday_names_both_meanings() -> None:
    allowed = refused("every second tuesday at 9").allowed
    assert '"every other tuesday at 9"' in allowed
    assert '"second tuesday at 9"' in allowed


def test_two_rules_joined_by_and_name_both_repairs() -> None:
    allowed = refused("0 9 13 * * and 0 9 * * fri").allowed
    assert '"0 9 13 * *; 0 9 * * fri"' in allowed
    assert "0 9 13 * +fri" in allowed
    parse("0 9 13 * +fri")


def test_rrule_is_said_to_be_unavailable() -> None:
    for text in ("RRULE:FREQ=MONTHLY;BYDAY=-1FR", "DTSTART:20260101T000000\nRRULE:FREQ=DAILY"):
        error = refused(text)
        assert "not available in this version" in error.message
        assert error.column == 1


def test_named_calendars_are_said_to_be_unavailable() -> None:
    with pytest.raises(InvalidSchedule, match="named calendars are not available") as caught:
        parse("every day at 9 except swedish", calendars=["swedish"])
    assert caught.value.column == 23


def test_a_text_has_at_most_1000_characters() -> None:
    assert parse("every day at 9" + " " * 986).rule == parse("at 9").rule
    error = refused("every day at 9" + " " * 987)
    assert error.column == 1001
    assert "1,000" in error.allowed
    with pytest.raises(InvalidSchedule):
        parse(["every day at 9"] * 100)


def test_a_rule_that_is_longer_when_written_out_is_refused() -> None:
    times = [f"{number % 10}:{number // 10:02}" for number in range(190)]
    assert len(parse(f"at {','.join(times[:150])}").canonical) < 1000
    assert "when written out" in refused(f"at {','.join(times)}").message


@pytest.mark.parametrize("text", [fault[0] for fault in FAULTS if fault[3] is None])
def test_what_has_no_repair_offers_none(text: str) -> None:
    assert "; write " not in refused(text).message


WORDS = (
    *(
        "every",
        "other",
        "second",
        "third",
        "last",
        "first",
        "day",
        "days",
        "week",
        "month",
        "weekdays",
        "mon",
        "tuesday",
    ),
    *(
        "fri-mon",
        "at",
        "on",
        "the",
        "of",
        "and",
        ",",
        ";",
        "except",
        "9",
        "9am",
        "9:30pm",
        "12:00",
        "noon",
        "2026-01-02",
    ),
    *(
        "2026-01-02T10:00",
        "starting",
        "anchored",
        "jan",
        "dec",
        "24",
        "1st",
        "31",
        "15",
        "minutes",
        "2h30m",
        "in",
        "to",
    ),
    *("today", "tomorrow", "once", "daily", "weekly", "hourly", "*", "*/5", "1-5", "L", "@daily", "@every", "0", "foo"),
    *("business", "+", "-", "?"),
)


@given(st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join))
def test_words_in_any_order_raise_only_rota_errors(text: str) -> None:
    check(text)


@given(st.text(max_size=40) | st.text(alphabet="0123456789*/,-+?#LWHa@: ;", max_size=20))
def test_any_text_raises_only_rota_errors(text: str) -> None:
    check(text)


def check(text: str) -> None:
    """Whatever `text` is: it parses, or the error points into it and its suggestion parses."""
    fault: InvalidSchedule | None = None
    try:
        rec = parse(text, "America/New_York", now=NOW)
    except InvalidSchedule as error:
        fault = error
    if fault is None:
        assert parse(rec.canonical, "America/New_York") == rec
        assert rec.describe()
        return
    assert 1 <= fault.column <= len(text) + 1
    assert text[fault.column - 1 :].startswith(fault.found)
    if fault.suggestion is not None:
        parse(fault.suggestion, "America/New_York", now=NOW)
