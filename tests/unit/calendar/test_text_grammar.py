"""Every row of the grammar table, with the occurrences it must give."""

from __future__ import annotations

from datetime import UTC, date, datetime, time

import pytest

from rota.calendar import civil
from rota.calendar.rules import Cron, Days, Every, Except, Once, Reboot, Union
from rota.calendar.text import parse
from rota.errors import InvalidSchedule, InvalidValue, NaiveDatetime, UnknownZone

ZONE = "Europe/Stockholm"
NOW = datetime(2026, 6, 20, 12, 0, tzinfo=UTC)  # a Saturday, 14:00 in Stockholm


def upcoming(text: str, n: int = 3) -> list[str]:
    """The next wall times in Stockholm, without the year 2026 and without midnight's zeros."""
    found = parse(text, ZONE, now=NOW).upcoming(NOW, n)
    walls = [instant.astimezone(civil.zone(ZONE)) for instant in found]
    return [f"{wall:%Y-%m-%d %H:%M:%S}".removeprefix("2026-").removesuffix(":00") for wall in walls]


ROWS = [
    # cron, nicknames
    ("0 2 * * *", ["06-21 02:00", "06-22 02:00", "06-23 02:00"]),
    ("30 0 9 * * mon-fri", ["06-22 09:00:30", "06-23 09:00:30", "06-24 09:00:30"]),
    ("0 0 9 1 1 * 2027", ["2027-01-01 09:00"]),
    ("  0 2\t* * *\n", ["06-21 02:00", "06-22 02:00", "06-23 02:00"]),
    ("@yearly", ["2027-01-01 00:00", "2028-01-01 00:00", "2029-01-01 00:00"]),
    ("@Annually", ["2027-01-01 00:00", "2028-01-01 00:00", "2029-01-01 00:00"]),
    ("@MONTHLY", ["07-01 00:00", "08-01 00:00", "09-01 00:00"]),
    ("@weekly", ["06-21 00:00", "06-28 00:00", "07-05 00:00"]),
    ("@daily", ["06-21 00:00", "06-22 00:00", "06-23 00:00"]),
    ("@midnight", ["06-21 00:00", "06-22 00:00", "06-23 00:00"]),
    ("@hourly", ["06-20 15:00", "06-20 16:00", "06-20 17:00"]),
    ("daily", ["06-21 00:00", "06-22 00:00", "06-23 00:00"]),
    ("weekly", ["06-21 00:00", "06-28 00:00", "07-05 00:00"]),
    ("monthly", ["07-01 00:00", "08-01 00:00", "09-01 00:00"]),
    ("yearly", ["2027-01-01 00:00", "2028-01-01 00:00", "2029-01-01 00:00"]),
    ("@reboot", []),
    # intervals of elapsed time
    ("every 15 minutes", ["06-20 14:15", "06-20 14:30", "06-20 14:45"]),
    ("every 90s", ["06-20 14:01:30", "06-20 14:03", "06-20 14:04:30"]),
    ("every 2h30m", ["06-20 14:30", "06-20 17:00", "06-20 19:30"]),
    ("every 2 hours and 30 minutes", ["06-20 14:30", "06-20 17:00", "06-20 19:30"]),
    ("every second", ["06-20 14:00:01", "06-20 14:00:02", "06-20 14:00:03"]),
    ("every minute", ["06-20 14:01", "06-20 14:02", "06-20 14:03"]),
    ("every other hour", ["06-20 15:00", "06-20 17:00", "06-20 19:00"]),
    ("@every 90m", ["06-20 14:30", "06-20 16:00", "06-20 17:30"]),
    ("Hourly", ["06-20 15:00", "06-20 16:00", "06-20 17:00"]),
    ("every 2 hours starting 2026-06-23T09:30", ["06-23 09:30", "06-23 11:30", "06-23 13:30"]),
    ("every 2 hours anchored 2026-06-23T09:30", ["06-20 15:30", "06-20 17:30", "06-20 19:30"]),
    ("every 5 minutes starting 2026-06-23T10:00+03:00", ["06-23 09:00", "06-23 09:05", "06-23 09:10"]),
    # calendar intervals on wall time
    ("every 2 days", ["06-21 00:00", "06-23 00:00", "06-25 00:00"]),
    ("every 2d", ["06-21 00:00", "06-23 00:00", "06-25 00:00"]),
    ("every other day at 8", ["06-21 08:00", "06-23 08:00", "06-25 08:00"]),
    ("every day at 03:15", ["06-21 03:15", "06-22 03:15", "06-23 03:15"]),
    ("every day at 03:15 starting 2026-07-01", ["07-01 03:15", "07-02 03:15", "07-03 03:15"]),
    ("every 3 days starting 2026-07-01T06:00", ["07-01 06:00", "07-04 06:00", "07-07 06:00"]),
    ("every other tuesday at 14:00", ["06-30 14:00", "07-14 14:00", "07-28 14:00"]),
    ("every 3 weeks on mon,thu at 08:30", ["06-22 08:30", "06-25 08:30", "07-13 08:30"]),
    ("every 2 weeks on sun at 09:00 starting 2026-06-23", ["06-28 09:00", "07-12 09:00", "07-26 09:00"]),
    ("every 2 weeks on mon starting 2026-06-23", ["07-06 00:00", "07-20 00:00", "08-03 00:00"]),
    ("every 2 weeks starting 2026-06-23", ["06-23 00:00", "07-07 00:00", "07-21 00:00"]),
    ("every week", ["06-22 00:00", "06-29 00:00", "07-06 00:00"]),
    ("every 2 months starting 2026-07-31", ["07-31 00:00", "09-30 00:00", "11-30 00:00"]),
    ("every 2 years starting 2027-02-28", ["2027-02-28 00:00", "2029-02-28 00:00", "2031-02-28 00:00"]),
    # calendar rules
    ("at 02:30", ["06-21 02:30", "06-22 02:30", "06-23 02:30"]),
    ("9am", ["06-21 09:00", "06-22 09:00", "06-23 09:00"]),
    ("at 12am and 12pm", ["06-21 00:00", "06-21 12:00", "06-22 00:00"]),
    ("daily at 9am, 12:30 and 17:00", ["06-20 17:00", "06-21 09:00", "06-21 12:30"]),
    ("daily at 9:30 pm, 10:00:05", ["06-20 21:30", "06-21 10:00:05", "06-21 21:30"]),
    ("WEEKDAYS at 9AM", ["06-22 09:00", "06-23 09:00", "06-24 09:00"]),
    ("every weekday at 9", ["06-22 09:00", "06-23 09:00", "06-24 09:00"]),
    ("weekends at noon", ["06-21 12:00", "06-27 12:00", "06-28 12:00"]),
    ("every weekend at midnight", ["06-21 00:00", "06-27 00:00", "06-28 00:00"]),
    ("weekly at 23:00", ["06-22 23:00", "06-29 23:00", "07-06 23:00"]),
    ("weekly on sun at 23:00", ["06-21 23:00", "06-28 23:00", "07-05 23:00"]),
    ("weekly at 23:00 on sun", ["06-21 23:00", "06-28 23:00", "07-05 23:00"]),
    ("mon,wed 09:00", ["06-22 09:00", "06-24 09:00", "06-29 09:00"]),
    ("mondays and wednesdays at 9", ["06-22 09:00", "06-24 09:00", "06-29 09:00"]),
    ("mon-wed at 9", ["06-22 09:00", "06-23 09:00", "06-24 09:00"]),
    ("sat to mon at 9", ["06-21 09:00", "06-22 09:00", "06-27 09:00"]),
    ("every mon, thu, and fri", ["06-22 00:00", "06-25 00:00", "06-26 00:00"]),
    ("on friday at 9", ["06-26 09:00", "07-03 09:00", "07-10 09:00"]),
    ("monthly on day 31 at 00:00", ["06-30 00:00", "07-31 00:00", "08-31 00:00"]),
    ("monthly on last day at 18:00", ["06-30 18:00", "07-31 18:00", "08-31 18:00"]),
    ("last day of the month at 18:00", ["06-30 18:00", "07-31 18:00", "08-31 18:00"]),
    ("monthly at 09:00", ["07-01 09:00", "08-01 09:00", "09-01 09:00"]),
    ("every month", ["07-01 00:00", "08-01 00:00", "09-01 00:00"]),
    ("every month on day 15 at 6pm", ["07-15 18:00", "08-15 18:00", "09-15 18:00"]),
    ("monthly on day 1, 15 and last day at 6", ["06-30 06:00", "07-01 06:00", "07-15 06:00"]),
    ("the 1st and 15th at 6", ["07-01 06:00", "07-15 06:00", "08-01 06:00"]),
    ("every other month on day 31", ["07-31 00:00", "09-30 00:00", "11-30 00:00"]),
    ("second tuesday at 10:00", ["07-14 10:00", "08-11 10:00", "09-08 10:00"]),
    ("second and fourth tuesday at 10:00", ["06-23 10:00", "07-14 10:00", "07-28 10:00"]),
    ("every second and fourth tuesday at 10", ["06-23 10:00", "07-14 10:00", "07-28 10:00"]),
    ("last friday at 17:00", ["06-26 17:00", "07-31 17:00", "08-28 17:00"]),
    ("every last friday at 17:00", ["06-26 17:00", "07-31 17:00", "08-28 17:00"]),
    ("every first monday of the month at 9", ["07-06 09:00", "08-03 09:00", "09-07 09:00"]),
    ("first friday of jan,jul at 9", ["07-03 09:00", "2027-01-01 09:00", "2027-07-02 09:00"]),
    ("first business day at 08:00", ["07-01 08:00", "08-03 08:00", "09-01 08:00"]),
    ("monthly on last business day at 8", ["06-30 08:00", "07-31 08:00", "08-31 08:00"]),
    ("day 15 and last friday at 9", ["06-26 09:00", "07-15 09:00", "07-31 09:00"]),
    ("every year on dec 24 at 18:00", ["12-24 18:00", "2027-12-24 18:00", "2028-12-24 18:00"]),
    ("yearly on the 24th of december at 18:00", ["12-24 18:00", "2027-12-24 18:00", "2028-12-24 18:00"]),
    ("24 december at 18:00", ["12-24 18:00", "2027-12-24 18:00", "2028-12-24 18:00"]),
    ("every 24 dec at 18:00", ["12-24 18:00", "2027-12-24 18:00", "2028-12-24 18:00"]),
    ("every december 24", ["12-24 00:00", "2027-12-24 00:00", "2028-12-24 00:00"]),
    # once
    ("2026-12-24T18:00", ["12-24 18:00"]),
    ("2026-12-24 18:00", ["12-24 18:00"]),
    ("2026-12-24 at 6pm", ["12-24 18:00"]),
    ("2026-12-24T18:00+01:00", ["12-24 18:00"]),
    ("2026-12-24T18:00:30Z", ["12-24 19:00:30"]),
    ("2026-12-24 18:00-05:30", ["12-25 00:30"]),
    ("2026-12-24", ["12-24 00:00"]),
    ("on 2026-12-24 at 18:00", ["12-24 18:00"]),
    ("once at 2026-12-24 18:00", ["12-24 18:00"]),
    ("today at 18:00", ["06-20 18:00"]),
    ("tomorrow at 9am", ["06-21 09:00"]),
    ("tomorrow", ["06-21 00:00"]),
    ("in 2 hours", ["06-20 16:00"]),
    ("in an hour", ["06-20 15:00"]),
    ("in 90 s", ["06-20 14:01:30"]),
    ("in 3 days", ["06-23 14:00"]),
    ("in 2 weeks", ["07-04 14:00"]),
    ("in 8 months", ["2027-02-20 14:00"]),
    ("in 1 year", ["2027-06-20 14:00"]),
    ("once friday at 17:00", ["06-26 17:00"]),
    ("once at 17:00", ["06-20 17:00"]),
    ("once at 9", ["06-21 09:00"]),
    ("once saturday at 17:00", ["06-20 17:00"]),
    # unions and differences
    ("0 2 * * *; weekends at 9", ["06-21 02:00", "06-21 09:00", "06-22 02:00"]),
    ("at 9 ;at 9; at 10", ["06-21 09:00", "06-21 10:00", "06-22 09:00"]),
    ("every day at 9 except sun", ["06-22 09:00", "06-23 09:00", "06-24 09:00"]),
    ("every day at 9 EXCEPT every 2 days", ["06-22 09:00", "06-24 09:00", "06-26 09:00"]),
    ("every 6 hours except weekends", ["06-22 01:00", "06-22 07:00", "06-22 13:00"]),
    ("0 9 * * * except mon-fri", ["06-21 09:00", "06-27 09:00", "06-28 09:00"]),
    ("every day at 9 except 2026-06-22 except jun 21", ["06-23 09:00", "06-24 09:00", "06-25 09:00"]),
    ("0 9 * * * except 2026-06-21 09:00", ["06-22 09:00", "06-23 09:00", "06-24 09:00"]),
    ("at 9 except sun; at 10 except 2026-06-21", ["06-22 09:00", "06-22 10:00", "06-23 09:00"]),
]


@pytest.mark.parametrize(("text", "expected"), ROWS, ids=[row[0] for row in ROWS])
def test_row_gives_its_occurrences(text: str, expected: list[str]) -> None:
    assert upcoming(text) == expected


@pytest.mark.parametrize("unit", ["s", "sec", "secs", "second", "seconds"])
def test_every_spelling_of_seconds(unit: str) -> None:
    assert parse(f"every 5 {unit}").rule == Every(5)


@pytest.mark.parametrize(
    ("unit", "seconds"), [("m", 60), ("min", 60), ("minute", 60), ("minutes", 60), ("h", 3600), ("hour", 3600)]
)
def test_every_spelling_of_minutes_and_hours(unit: str, seconds: int) -> None:
    assert parse(f"every 3 {unit}").rule == parse(f"every 3{unit}").rule == Every(3 * seconds)


@pytest.mark.parametrize(
    ("unit", "name"),
    [
        ("d", "day"),
        ("day", "day"),
        ("days", "day"),
        ("w", "week"),
        ("weeks", "week"),
        ("month", "month"),
        ("years", "year"),
    ],
)
def test_calendar_units_count_on_wall_time(unit: str, name: str) -> None:
    rule = parse(f"every 3 {unit}").rule
    assert isinstance(rule, Days)
    assert (rule.unit, rule.step, rule.anchor) == (name, 3, None)


def test_kinds_never_mix() -> None:
    kinds = {text: type(parse(text).rule) for text in ("every 5 minutes", "*/5 * * * *", "every day", "@reboot")}
    assert list(kinds.values()) == [Every, Cron, Days, Reboot]
    assert parse("every 24 hours").rule == Every(86400)
    assert isinstance(parse("at 9; 0 9 * * *").rule, Union)
    assert isinstance(parse("at 9 except sun").rule, Except)


def test_a_list_is_a_union_of_texts() -> None:
    both = parse(["weekdays at 9", "2026-12-24 18:00; at 10"], ZONE)
    assert both == parse("2026-12-24 18:00; weekdays at 9; at 10", ZONE)
    assert both.text == "weekdays at 9; 2026-12-24 18:00; at 10"
    assert parse(["at 9"]).rule == parse("at 9").rule


@pytest.mark.parametrize("when", [[], None, 5, True, ["at 9", 5], {"at": 9}, b"at 9"])
def test_what_is_no_text_is_refused(when: object) -> None:
    with pytest.raises(InvalidSchedule):
        parse(when)  # type: ignore[arg-type]


def test_every_day_of_the_week_is_every_day() -> None:
    assert parse("mon-sun at 9").rule == parse("every day at 9").rule == Days((time(9),))


def test_relative_texts_are_resolved_when_entered() -> None:
    rec = parse("in 2 hours", ZONE, now=NOW)
    assert rec.rule == Once(instant=datetime(2026, 6, 20, 14, tzinfo=UTC))
    assert rec.text == "2026-06-20T14:00Z"
    assert parse(rec.text, ZONE) == rec
    assert parse("tomorrow at 9", ZONE, now=NOW).text == "2026-06-21T09:00"


def test_relative_texts_wait_at_least_as_long_as_they_say() -> None:
    now = NOW.replace(microsecond=1)
    assert parse("in 1 second", now=now).next_after(now) == NOW.replace(second=2)


def test_today_is_the_day_of_the_zone() -> None:
    late = datetime(2026, 6, 20, 22, 30, tzinfo=UTC)  # already the 21st in Stockholm
    wall = datetime(2026, 6, 21, 18)  # noqa: DTZ001  a wall time
    assert parse("today at 18:00", ZONE, now=late).rule == Once(wall=wall)


@pytest.mark.parametrize(
    "text", ["in 2 hours", "today at 18:00", "tomorrow at 9am", "once friday at 17:00", "once at 9"]
)
def test_relative_texts_are_refused_without_now(text: str) -> None:
    with pytest.raises(InvalidSchedule, match="relative to now"):
        parse(text, ZONE)


def test_the_month_end_is_kept_within_the_month() -> None:
    now = datetime(2026, 1, 31, 12, tzinfo=UTC)
    assert parse("in 1 month", now=now).next_after(now) == datetime(2026, 2, 28, 12, tzinfo=UTC)


def test_the_anchor_argument_moves_what_is_counted() -> None:
    anchor = datetime(2026, 6, 21, 7, 10, tzinfo=UTC)  # 09:10 in Stockholm
    every = parse("every 2 hours", ZONE, anchor=anchor)
    assert every.next_after(NOW) == datetime(2026, 6, 20, 13, 10, tzinfo=UTC)
    assert every.canonical == "every 2 hours anchored 2026-06-21T09:10"
    days = parse("every 2 days at 9", ZONE, anchor=anchor).rule
    assert isinstance(days, Days)
    assert days.anchor == date(2026, 6, 21)
    assert not days.starting
    assert parse("every day at 9", ZONE, anchor=anchor) == parse("every day at 9", ZONE)


def test_arguments_are_checked() -> None:
    naive = datetime(2026, 6, 20)  # noqa: DTZ001  what is refused
    with pytest.raises(NaiveDatetime):
        parse("at 9", now=naive)
    with pytest.raises(NaiveDatetime):
        parse("at 9", anchor=naive)
    with pytest.raises(UnknownZone, match="Europe/Stockholm"):
        parse("at 9", "Europe/Stokholm")
    with pytest.raises(InvalidValue):
        parse("at 9", dst_gap="sometimes")


def test_h_is_resolved_by_the_key() -> None:
    one = parse("H H * * *; at 9", key="default/default/default/a")
    assert one == parse("H H * * *; at 9", key="default/default/default/a")
    assert "H" not in one.canonical
    assert one.text == "H H * * *; at 9"
    with pytest.raises(InvalidSchedule) as caught:
        parse("at 9; H H * * *")
    assert caught.value.column == 7


def test_overrides_reach_the_recurrence() -> None:
    rec = parse("30 2 * * *", ZONE, dst_gap="skip", dst_overlap="both")
    spring = datetime(2026, 3, 28, 12, tzinfo=UTC)
    assert rec.next_after(spring) == datetime(2026, 3, 30, 0, 30, tzinfo=UTC)
