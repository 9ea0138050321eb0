"""The `when` grammar for all but cron: one text, one rule. `text` joins rules and routes cron.

Heads: `every ...`, `daily` and its kin, `at ...`, day names, ordinals, months, dates, `once ...`, `today`, `tomorrow`,
`in ...`. After a head that repeats come, in any order and each at most once, `on DAYS`, `at TIMES`, and
`starting DATE` (anchor and lower bound) or `anchored DATE` (anchor alone).
"""

from __future__ import annotations

from calendar import monthrange
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from rota.calendar import civil
from rota.calendar.clauses import STARTS, Clauses, Reading, Setting, finish, interval, period
from rota.calendar.month_days import begins_month_days, begins_year_day, read_month_days, read_year_day
from rota.calendar.readers import (
    Length,
    begins_clear_time,
    begins_date,
    begins_time,
    begins_weekdays,
    instant_of,
    read_date,
    read_length,
    read_time,
    read_weekdays,
)
from rota.calendar.rules import LAST_YEAR, Once
from rota.calendar.tokens import Cursor
from rota.calendar.vocabulary import (
    DAY_SETS,
    ELAPSED_SECONDS,
    LENGTH,
    LONGEST_DAYS,
    NUMBER,
    PERIODS,
    UNIT_DAYS,
    UNITS,
    WEEKDAYS,
    nth_number,
)

HEADS: Final = (
    "a cron text (five to seven fields), @daily and its kin, every ..., hourly, daily, weekdays, weekly, monthly, "
    "yearly, at ..., a day name, an ordinal, a date, once ..., today ..., tomorrow ... or in ..."
)
_RELATIVE: Final = (
    "a date such as 2026-12-24T18:00: a text relative to now is resolved when it is entered, "
    "and is refused in files and where no `now` is given"
)


def read_rule(cur: Cursor, setting: Setting) -> Reading:
    """The rule of one piece of text, all of it; InvalidSchedule at the first chunk that does not fit."""
    reading = _read_head(cur, setting)
    if not cur.done():
        raise cur.error("the end of the rule, `; another rule` or `except another rule`")
    return reading


def _read_head(cur: Cursor, setting: Setting) -> Reading:
    word = cur.word()
    if cur.accept("every", "each", "@every"):
        return _read_every(cur, setting, go=word == "@every")
    if cur.accept("hourly"):
        return interval(cur, Length(seconds=3600), setting)
    if word in PERIODS:
        cur.take()
        return period(cur, PERIODS[word], 1, setting, adverb=True)
    if word in {"once", "today", "tomorrow", "in"} or begins_date(cur):
        return _read_once(cur, setting)
    if word in {"at", "on"} and begins_date(cur, 1):
        cur.take()
        return _read_once(cur, setting)
    if word == "on":
        cur.take()
        return _read_days_head(cur, setting)
    if word == "at" or begins_clear_time(cur):
        return replace(period(cur, "day", 1, setting), repeats=False)
    return _read_days_head(cur, setting)


def _read_days_head(cur: Cursor, setting: Setting) -> Reading:
    """A rule that begins with its days: `mon,wed 09:00`, `second tuesday at 10:00`, `dec 24 at 18:00`."""
    word = cur.word()
    clauses = Clauses()
    if begins_weekdays(cur):
        clauses.weekdays = read_weekdays(cur)
        plural = word in {"weekdays", "weekends"} or word.endswith("days")
        return replace(finish(cur, "week", 1, clauses, setting), repeats=plural)
    if begins_year_day(cur):
        clauses.year = read_year_day(cur)
        return replace(finish(cur, "year", 1, clauses, setting), repeats=False)
    if begins_month_days(cur):
        clauses.month = read_month_days(cur)
        return replace(finish(cur, "month", 1, clauses, setting), repeats=False)
    raise cur.error(HEADS)


# every …


def _read_every(cur: Cursor, setting: Setting, *, go: bool) -> Reading:
    word = cur.word()
    if go:
        return _counted(cur, setting)
    if cur.accept("other"):
        return _read_other(cur, setting)
    if nth_number(word) is not None and not (word == "second" and cur.word(1) in {"", *STARTS, "at", "on"}):
        return _read_every_nth(cur, setting)
    if begins_weekdays(cur) or begins_year_day(cur) or word == "days" or (word == "day" and cur.word(1).isdigit()):
        return replace(_read_days_head(cur, setting), repeats=True)
    if NUMBER.fullmatch(word) or LENGTH.fullmatch(word):
        return _counted(cur, setting)
    if UNITS.get(word) == word:
        cur.take()
        return _steps(cur, _one(UNITS[word]), setting)
    raise cur.error("a length such as 15 minutes or 2h30m, `day`, `other tuesday`, a day name, weekday, week or month")


def _one(unit: str) -> Length:
    return Length(seconds=ELAPSED_SECONDS[unit]) if unit in ELAPSED_SECONDS else Length(count=1, unit=unit)


def _counted(cur: Cursor, setting: Setting) -> Reading:
    start = cur.place
    length = read_length(cur)
    if length.count == length.seconds == 0:
        cur.place = start
        raise cur.error("at least 1")
    longest = length.count * UNIT_DAYS.get(length.unit, 0) + length.seconds / 86400
    if longest > LONGEST_DAYS:
        cur.place = start
        raise cur.error("a length of at most 200 years")
    return _steps(cur, length, setting)


def _steps(cur: Cursor, length: Length, setting: Setting) -> Reading:
    if length.unit:
        return period(cur, length.unit, length.count, setting)
    return interval(cur, length, setting)


def _read_other(cur: Cursor, setting: Setting) -> Reading:
    word = cur.word()
    if UNITS.get(word) == word:
        cur.take()
        one = _one(UNITS[word])
        return _steps(cur, replace(one, seconds=one.seconds * 2, count=one.count * 2), setting)
    if not begins_weekdays(cur):
        raise cur.error("a unit or a day name, as in `every other week` or `every other tuesday`")
    clauses = Clauses(weekdays=read_weekdays(cur))
    return finish(cur, "week", 2, clauses, setting)


def _read_every_nth(cur: Cursor, setting: Setting) -> Reading:
    number, noun = nth_number(cur.word()), cur.word(1)
    ambiguous = number is not None and number > 1 and (noun in WEEKDAYS or noun in DAY_SETS or noun in UNITS)
    if not ambiguous or number is None:
        return replace(_read_days_head(cur, setting), repeats=True)
    chunk, rest = cur.chunks[cur.place], cur.rest(1)
    if noun in UNITS:
        spelling = f"every {number} {UNITS[noun]}s{rest[len(cur.chunks[cur.place + 1].raw) :]}"
        raise cur.refusal(f'"every {number} {UNITS[noun]}s"', spelling)
    steps = f"every other {rest}" if number == 2 else f"every {number} weeks on {rest}"
    weeks = "other week" if number == 2 else f"{number} weeks"
    raise cur.refusal(
        f'"{steps}" (one every {weeks}) or "{chunk.raw} {rest}" (the {chunk.word} of each month)',
        steps,
    )


# once


def _now(cur: Cursor, setting: Setting) -> datetime:
    """The wall time of entry, to the second, not earlier than `now`; refused without one."""
    if setting.now is None:
        raise cur.error(_RELATIVE)
    zone: ZoneInfo = civil.zone(setting.zone)
    return _whole(setting.now).astimezone(zone).replace(tzinfo=None)


def _whole(instant: datetime) -> datetime:
    cut = instant.astimezone(UTC).replace(microsecond=0)
    return cut + timedelta(seconds=1) if instant.microsecond else cut


def _read_once(cur: Cursor, setting: Setting) -> Reading:
    named = cur.accept("once")
    if cur.word() in {"at", "on"} and (begins_date(cur, 1) or cur.word(1) in {"today", "tomorrow"}):
        cur.take()
    if begins_date(cur):
        day, at, offset = read_date(cur)
        if at is not None and offset is not None:
            return _single(Once(instant=instant_of(day, at, offset)))
        return replace(_single(Once(wall=datetime.combine(day, at or time(0)))), timed=at is not None)
    if cur.word() in {"today", "tomorrow"}:
        return _read_near_day(cur, setting)
    if cur.word() == "in":
        return _read_in(cur, setting)
    return _read_next(cur, setting, named)


def _single(rule: Once, *, resolved: bool = False) -> Reading:
    return Reading(rule, repeats=False, resolved=resolved)


def _read_near_day(cur: Cursor, setting: Setting) -> Reading:
    day = _now(cur, setting).date()
    tomorrow = cur.take() == "tomorrow"
    timed = cur.accept("at") or not tomorrow or begins_time(cur)
    at = read_time(cur) if timed else time(0)
    return _single(Once(wall=datetime.combine(day + timedelta(days=tomorrow), at)), resolved=True)


def _read_in(cur: Cursor, setting: Setting) -> Reading:
    now = _now(cur, setting)
    cur.take()
    start = cur.place
    if cur.word() in {"a", "an"} and cur.word(1) in UNITS:
        length = _one(UNITS[cur.word(1)])
        cur.place += 2
    else:
        length = read_length(cur)
    try:
        if not length.unit and setting.now is not None:
            instant = _whole(setting.now) + timedelta(seconds=length.seconds)
            inside, rule = instant.year <= LAST_YEAR, Once(instant=instant)
        else:
            wall = _later(now, length)
            inside, rule = wall.year <= LAST_YEAR, Once(wall=wall)
    except (OverflowError, ValueError):
        inside, rule = False, Once(wall=now)
    if not inside:
        cur.place = start
        raise cur.error(f"a length that ends before the year {LAST_YEAR + 1}")
    return _single(rule, resolved=True)


def _later(wall: datetime, length: Length) -> datetime:
    """`wall` plus days, weeks, months or years of the calendar; a day past the month's end is its last day."""
    if length.unit in {"day", "week"}:
        return wall + timedelta(days=length.count * UNIT_DAYS[length.unit])
    months = wall.year * 12 + wall.month - 1 + length.count * (12 if length.unit == "year" else 1)
    year, month = months // 12, months % 12 + 1
    return wall.replace(year=year, month=month, day=min(wall.day, monthrange(year, month)[1]))


def _read_next(cur: Cursor, setting: Setting, named: bool) -> Reading:
    """`once friday at 17:00`: the first occurrence, after now, of a rule that names no repetition."""
    start = cur.place
    if not named or cur.done() or cur.word() in {"once", "every", "each", "hourly", *PERIODS}:
        raise cur.error("a date, a day name, a time, today, tomorrow or `in` and a length")
    reading = _read_head(cur, setting)
    if reading.repeats:
        cur.place = start
        raise cur.error("a text without a repetition after `once`")
    end, cur.place = cur.place, start
    _now(cur, setting)
    cur.place = end
    return single_occurrence(cur, reading, setting)


def single_occurrence(cur: Cursor, reading: Reading, setting: Setting) -> Reading:
    """The reading of the first occurrence after now of what `reading` repeats; a single one as it is."""
    from rota.calendar.recurrence import Recurrence

    if isinstance(reading.rule, Once):
        return reading
    first = None if setting.now is None else Recurrence(reading.rule, setting.zone).next_after(setting.now)
    if first is None:
        raise cur.error("a text that has an occurrence after now")
    return _single(Once(wall=first.astimezone(civil.zone(setting.zone)).replace(tzinfo=None)), resolved=True)
