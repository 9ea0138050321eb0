"""What clock changes do to rules: moved or skipped in spring, once or twice in autumn, shifted intervals."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from rota.calendar.notes import Note
from rota.calendar.text import parse
from rota.errors import NaiveDatetime

START, END = datetime(2026, 1, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC)
SPRING = datetime(2026, 3, 29, 1, tzinfo=UTC)
AUTUMN = datetime(2026, 10, 25, 1, tzinfo=UTC)


def noted(text: str, zone: str = "Europe/Stockholm", gap: str = "auto", overlap: str = "auto") -> list[Note]:
    return parse(text, zone, dst_gap=gap, dst_overlap=overlap).notes(START, END)


def test_a_fixed_time_is_moved_in_spring_and_fires_once_in_autumn() -> None:
    spring, autumn = noted("30 2 * * *")
    assert (spring.at, spring.effect, spring.instants) == (SPRING, "moved", (SPRING,))
    assert spring.walls == (datetime(2026, 3, 29, 2, 30),)  # noqa: DTZ001  a wall time
    assert (
        spring.text
        == str(spring)
        == (
            "on 2026-03-29 clocks go forward from 02:00 to 03:00: 02:30 does not exist; "
            "fires at 2026-03-29T03:00+02:00 instead"
        )
    )
    assert (autumn.at, autumn.effect) == (AUTUMN, "once")
    assert autumn.instants == (datetime(2026, 10, 25, 0, 30, tzinfo=UTC),)
    assert autumn.text.endswith("02:30 exists twice; fires once, at 2026-10-25T02:30+02:00")


def test_an_interval_like_rule_is_skipped_in_spring_and_fires_twice_in_autumn() -> None:
    spring, autumn = noted("*/20 * * * *")
    assert (spring.effect, spring.instants, len(spring.walls)) == ("skipped", (), 3)
    assert (autumn.effect, len(autumn.instants), len(autumn.walls)) == ("twice", 6, 3)
    assert "02:00, 02:20, 02:40 do not exist and are skipped" in spring.text


def test_overrides_are_followed() -> None:
    assert [note.effect for note in noted("at 02:30", gap="skip", overlap="both")] == ["skipped", "twice"]
    assert [note.effect for note in noted("*/20 * * * *", gap="run", overlap="first")] == ["moved", "once"]


def test_a_moved_time_that_meets_another_is_moved_all_the_same() -> None:
    spring = noted("at 02:30 and 03:00")[0]
    assert (spring.effect, spring.instants, len(spring.walls)) == ("moved", (SPRING,), 1)


def test_a_gap_of_a_whole_day_skips_everything() -> None:
    december = datetime(2011, 12, 1, tzinfo=UTC)
    for gap in ("auto", "run"):
        rec = parse("at 12:00", "Pacific/Apia", dst_gap=gap)
        assert [note.effect for note in rec.notes(december, december.replace(year=2012))] == ["skipped"]


def test_times_that_exist_once_get_no_note() -> None:
    assert noted("at 09:00") == []
    assert noted("30 2 * * *", "UTC") == []
    assert noted("30 2 * * mon-fri") == []
    assert noted("every 15 minutes") == []
    assert noted("@reboot") == []
    assert noted("2026-03-29T01:00Z") == []


def test_an_interval_that_the_change_does_not_divide_into_is_shifted() -> None:
    spring, autumn = noted("every 2 hours")
    assert (spring.effect, spring.instants) == ("shifted", ())
    assert "1 hour later" in spring.text
    assert "1 hour earlier" in autumn.text
    assert [note.effect for note in noted("every hour", "Australia/Lord_Howe")] == ["shifted", "shifted"]


def test_a_single_date_is_moved_too() -> None:
    assert [note.effect for note in noted("2026-03-29 02:30")] == ["moved"]


def test_each_part_of_a_union_has_its_own_note() -> None:
    notes = noted("at 02:30; */30 * * * *")
    assert [(note.at, note.effect) for note in notes] == [
        (SPRING, "skipped"),
        (SPRING, "moved"),
        (AUTUMN, "twice"),
        (AUTUMN, "once"),
    ]
    assert [len(note.instants) for note in notes] == [0, 1, 4, 1]


def test_what_is_excepted_has_no_note() -> None:
    assert [note.at for note in noted("at 02:30 except 2026-03-29")] == [AUTUMN]


def test_a_gap_of_half_an_hour_and_one_over_midnight() -> None:
    lord_howe = noted("15 2 * * *", "Australia/Lord_Howe")
    assert [note.effect for note in lord_howe] == ["moved"]
    nuuk = noted("at 23:30", "America/Nuuk")[0]
    assert nuuk.text.startswith("on 2026-03-28 clocks go forward from 23:00 to 00:00 of 2026-03-29: 23:30 does not")


def test_dense_rules_name_the_first_times_and_bound_the_rest() -> None:
    spring = noted("* * * * * *")[0]
    assert len(spring.walls) == 64
    assert "and at least 60 more" in spring.text


def test_the_range_is_open_at_its_start_and_closed_at_its_end() -> None:
    rec = parse("30 2 * * *", "Europe/Stockholm")
    assert rec.notes(SPRING, SPRING.replace(month=4)) == []
    assert len(rec.notes(SPRING.replace(minute=0, hour=0), SPRING)) == 1
    with pytest.raises(NaiveDatetime):
        rec.notes(SPRING.replace(tzinfo=None), END)
