"""The clauses of a calendar rule, `on DAYS`, `at TIMES` and `starting DATE`, and the rules that they make."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, time
from typing import Final

from rota.calendar import civil
from rota.calendar.month_days import MONTH_DAYS, YEAR_DAY, MonthDays, begins_month_days, read_month_days, read_year_day
from rota.calendar.readers import (
    DAYS,
    TIMES,
    Length,
    begins_clear_time,
    begins_weekdays,
    read_date,
    read_times,
    read_weekdays,
)
from rota.calendar.rules import DEFAULT_ANCHOR, Days, Every, Rule
from rota.calendar.tokens import Cursor
from rota.calendar.vocabulary import NUMBER

MIDNIGHT: Final = (time(0),)
STARTS: Final = ("starting", "anchored")
_MONDAY_NOTE: Final = "`weekly` with a time means Mondays here; @weekly and `weekly` alone are Sundays at 00:00"


@dataclass(frozen=True, slots=True)
class Setting:
    """What a text is read against: the zone, the instant of entry if there is one, the default anchor (a wall time)."""

    zone: str = "UTC"
    now: datetime | None = None
    anchor: datetime | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """A rule as read, with what only its wording tells.

    `timed` is False for a day rule that names no time (then 00:00); `repeats`: the text names a repetition;
    `resolved`: the rule depends on `now`; `notes` are warnings that the wording gives reason for.
    """

    rule: Rule
    timed: bool = True
    repeats: bool = True
    resolved: bool = False
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class Clauses:
    """What the clauses read so far say; None where there was none. `bound`: nothing occurs before `start`."""

    times: tuple[time, ...] | None = None
    weekdays: frozenset[int] | None = None
    month: MonthDays | None = None
    year: tuple[int, int] | None = None
    start: datetime | None = None
    start_timed: bool = False
    bound: bool = False

    @property
    def dayed(self) -> bool:
        """True when the days are said."""
        return self.weekdays is not None or self.month is not None or self.year is not None


def interval(cur: Cursor, length: Length, setting: Setting) -> Reading:
    """The rule of an elapsed length, after which only `starting` or `anchored` may come."""
    clauses = Clauses()
    if cur.word() in STARTS:
        _read_start(cur, clauses, setting)
    if not cur.done():
        raise cur.error("`starting DATE` or the end: an interval counts elapsed time and has no days or times of day")
    anchor = clauses.start or setting.anchor
    if anchor == DEFAULT_ANCHOR and not clauses.bound:
        anchor = None
    return Reading(Every(length.seconds, anchor=anchor, starting=clauses.bound))


def period(cur: Cursor, unit: str, step: int, setting: Setting, *, adverb: bool = False) -> Reading:
    """The rule of every `step` units of the calendar with the clauses that follow; `adverb` for `weekly` and kin."""
    reading = finish(cur, unit, step, Clauses(), setting)
    if adverb and unit == "week" and "on" not in (chunk.word for chunk in cur.chunks):
        return replace(reading, notes=(_MONDAY_NOTE,))
    return reading


def finish(cur: Cursor, unit: str, step: int, clauses: Clauses, setting: Setting) -> Reading:
    """The rest of a calendar rule: its clauses, then the rule they make."""
    while not cur.done():
        if cur.word() == "on" and not clauses.dayed:
            _read_on(cur, unit, clauses)
        elif clauses.times is None and (cur.word() == "at" or begins_clear_time(cur)):
            cur.accept("at")
            clauses.times = read_times(cur)
        elif clauses.start is None and cur.word() in STARTS:
            _read_start(cur, clauses, setting)
        else:
            raise cur.error(_open_clauses(unit, clauses))
    return Reading(_days_rule(cur, unit, step, clauses, setting), timed=clauses.times is not None)


def _open_clauses(unit: str, clauses: Clauses) -> str:
    names = []
    if unit != "day" and not clauses.dayed:
        names.append({"week": f"`on` and {DAYS}", "month": f"`on` and {MONTH_DAYS}"}.get(unit, f"`on` and {YEAR_DAY}"))
    if clauses.times is None:
        names.append(f"`at` and {TIMES}")
    if clauses.start is None:
        names.append("`starting DATE`")
    names.append("`; another rule`, `except another rule` or the end")
    return "; or ".join(names)


def _read_on(cur: Cursor, unit: str, clauses: Clauses) -> None:
    if unit == "day":
        raise cur.error("`at` and times: a rule of every so many days has no `on`")
    cur.take()
    if unit == "week":
        if not begins_weekdays(cur):
            raise cur.error(DAYS)
        clauses.weekdays = read_weekdays(cur)
    elif unit == "month":
        if not begins_month_days(cur) and not NUMBER.fullmatch(cur.word()):
            raise cur.error(MONTH_DAYS)
        clauses.month = read_month_days(cur)
    else:
        clauses.year = read_year_day(cur)


def _read_start(cur: Cursor, clauses: Clauses, setting: Setting) -> None:
    clauses.bound = cur.take() == "starting"
    cur.accept("on", "at")
    day, at, offset = read_date(cur)
    wall = datetime.combine(day, at or time(0))
    if offset is not None:
        wall = wall.replace(tzinfo=offset).astimezone(civil.zone(setting.zone)).replace(tzinfo=None)
    clauses.start, clauses.start_timed = wall, at is not None


def _days_rule(cur: Cursor, unit: str, step: int, clauses: Clauses, setting: Setting) -> Days:
    start = clauses.start
    if clauses.start_timed and start is not None:
        if clauses.times is not None:
            cur.place = len(cur.chunks) - 1
            raise cur.error("a date alone after `starting`: the times of day stand after `at`")
        clauses.times = (start.time(),)
    anchor = (start or setting.anchor or DEFAULT_ANCHOR).date()
    # Where every day, week, month or year counts, it does not matter which was the first: equal rules are equal.
    plain = not clauses.bound and (step == 1 or anchor == DEFAULT_ANCHOR.date())
    kept = None if plain else anchor
    base = Days(clauses.times or MIDNIGHT, unit, step, anchor=kept, starting=clauses.bound)
    if unit == "week":
        weekdays = clauses.weekdays if clauses.weekdays is not None else frozenset((anchor.weekday(),))
        if step == 1 and len(weekdays) == 7:
            return replace(base, unit="day")
        return replace(base, weekdays=weekdays)
    if unit == "month":
        days = clauses.month or MonthDays(monthdays=(anchor.day,))
        if step == 1 and days.is_one_date:
            return replace(base, unit="year", months=days.months, monthdays=days.monthdays)
        return replace(
            base,
            monthdays=days.monthdays,
            nth=days.nth,
            weekdays=days.weekdays,
            business=days.business,
            months=days.months,
        )
    if unit == "year":
        month, day = clauses.year or (anchor.month, anchor.day)
        return replace(base, months=(month,), monthdays=(day,))
    return base
