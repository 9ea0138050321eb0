"""Readers of the small things in a `when` text: times, dates, lengths, weekdays.

Each takes a Cursor, moves it past what it read and returns a value, or raises InvalidSchedule at the first chunk that
does not fit.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import TypeVar

from rota.calendar.rules import FIRST_YEAR, LAST_YEAR
from rota.calendar.tokens import Cursor
from rota.calendar.vocabulary import (
    DATE,
    DATE_TIME,
    DAY_SETS,
    ELAPSED_SECONDS,
    LENGTH,
    LENGTH_PART,
    NUMBER,
    TIME,
    UNITS,
    WEEKDAYS,
)

T = TypeVar("T")

TIMES = "a time such as 09:00, 9am, 17:30:15, noon or midnight"
DAYS = "day names such as mon,wed or mon-fri, weekdays or weekends"
DATES = "a date such as 2026-12-24 or 2026-12-24T18:00"
LENGTHS = "a length such as 15 minutes, 2h30m or 3 days"
_TO = ("-", "to", "through")


@dataclass(frozen=True, slots=True)
class Length:
    """A length as written: elapsed seconds, or a count of one calendar unit (`unit` empty when there is none)."""

    seconds: int = 0
    count: int = 0
    unit: str = ""


def read_list(
    cur: Cursor, item: Callable[[Cursor], T], begins: Callable[[Cursor, int], bool], *, inner: bool = False
) -> list[T]:
    """Items joined by `,` or `and`; an `and` is left alone when no item follows it.

    After a comma an item must follow, except in an `inner` list, which leaves the comma to the list around it.
    """
    items = [item(cur)]
    while True:
        joints = 2 if cur.word() == "," and cur.word(1) == "and" else 1
        if cur.word() not in {",", "and"} or (not begins(cur, joints) and (inner or cur.word() == "and")):
            return items
        cur.place += joints
        items.append(item(cur))


# Times


def begins_time(cur: Cursor, ahead: int = 0) -> bool:
    """True when the chunk `ahead` can only be a time of day or a bare hour."""
    word = cur.word(ahead)
    return word in {"noon", "midday", "midnight"} or TIME.fullmatch(word) is not None


def begins_clear_time(cur: Cursor, ahead: int = 0) -> bool:
    """As `begins_time`, without numbers that stand alone: those are hours only after `at`, or before am or pm."""
    return begins_time(cur, ahead) and (
        NUMBER.fullmatch(cur.word(ahead)) is None or cur.word(ahead + 1) in {"am", "pm"}
    )


def read_time(cur: Cursor) -> time:
    """One time of day: `9`, `9am`, `9 am`, `9:30pm`, `09:00`, `09:00:30`, noon, midnight."""
    if cur.accept("noon", "midday"):
        return time(12)
    if cur.accept("midnight"):
        return time(0)
    match = TIME.fullmatch(cur.word())
    if match is None:
        raise cur.error(TIMES)
    half = match["half"] or (cur.word(1) if cur.word(1) in {"am", "pm"} else "")
    hour = int(match["hour"])
    if half and not 1 <= hour <= 12:
        raise cur.error("an hour 1-12 before am or pm")
    if hour > 23:
        raise cur.error("an hour 0-23")
    minute, second = int(match["minute"] or 0), int(match["second"] or 0)
    if minute > 59:
        raise cur.error("a minute 00-59", inside=match.start("minute"))
    if second > 59:
        raise cur.error("a second 00-59", inside=match.start("second"))
    cur.place += 2 if half and not match["half"] else 1
    if half:
        hour = hour % 12 + (12 if half == "pm" else 0)
    return time(hour, minute, second)


def read_times(cur: Cursor) -> tuple[time, ...]:
    """Times of day joined by `,` or `and`, sorted, each once."""
    return tuple(sorted(set(read_list(cur, read_time, begins_time))))


# Dates


def begins_date(cur: Cursor, ahead: int = 0) -> bool:
    """True when the chunk `ahead` is a date, with or without a time."""
    return DATE.fullmatch(cur.word(ahead)) is not None


def read_date(cur: Cursor) -> tuple[date, time | None, timezone | None]:
    """A date, its time if it has one (`T18:00`, or `18:00`, `at 9am` after it), and the offset written with that."""
    match = DATE.fullmatch(cur.word())
    if match is None:
        raise cur.error(DATES)
    year, month, day = (int(part) for part in match["date"].split("-"))
    if not FIRST_YEAR <= year <= LAST_YEAR:
        raise cur.error(f"a year {FIRST_YEAR}-{LAST_YEAR}")
    if not 1 <= month <= 12:
        raise cur.error("a month 01-12", inside=5)
    length = monthrange(year, month)[1]
    if not 1 <= day <= length:
        raise cur.error(f"a day 01-{length}", inside=match["date"].rindex("-") + 1)
    if match["time"]:
        at, offset = _date_time(cur, cur.word()[match.start("time") :], match.start("time"))
        cur.take()
        return date(year, month, day), at, offset
    cur.take()
    after_at = cur.word() == "at" and begins_time(cur, 1)
    cur.place += after_at
    if DATE_TIME.fullmatch(cur.word()):
        at, offset = _date_time(cur, cur.word(), 0)
        cur.take()
        return date(year, month, day), at, offset
    if after_at or begins_clear_time(cur):
        return date(year, month, day), read_time(cur), None
    return date(year, month, day), None, None


def _date_time(cur: Cursor, word: str, inside: int) -> tuple[time, timezone | None]:
    match = DATE_TIME.fullmatch(word)
    if match is None:
        raise cur.error("a time such as 18:00 or 18:00+01:00", inside=inside)
    hour, minute, second = int(match["hour"]), int(match["minute"]), int(match["second"] or 0)
    for number, last, group in ((hour, 23, "hour"), (minute, 59, "minute"), (second, 59, "second")):
        if number > last:
            raise cur.error(f"the {group} 00-{last}", inside=inside + match.start(group))
    offset = match["offset"]
    if offset is None:
        return time(hour, minute, second), None
    if offset == "z":
        return time(hour, minute, second), UTC
    hours, minutes = int(offset[1:3]), int(offset[-2:])
    if hours > 14 or minutes > 59:
        raise cur.error("an offset of at most 14:00", inside=inside + match.start("offset"))
    sign = -1 if offset[0] == "-" else 1
    return time(hour, minute, second), timezone(sign * timedelta(hours=hours, minutes=minutes))


def instant_of(day: date, at: time, offset: timezone) -> datetime:
    """The instant, in UTC, of a date and time written with an offset."""
    return datetime.combine(day, at, offset).astimezone(UTC)


# Lengths


def read_length(cur: Cursor) -> Length:
    """`15 minutes`, `2h30m`, `2 hours and 30 minutes`, `3 days`; elapsed units add up, a calendar unit stands alone."""
    start = cur.place
    parts = [_length_part(cur)]
    while _begins_length(cur, 0) or (cur.word() == "and" and _begins_length(cur, 1)):
        cur.accept("and")
        parts.append(_length_part(cur))
    flat = [pair for part in parts for pair in part]
    if all(unit in ELAPSED_SECONDS for _, unit in flat):
        return Length(seconds=sum(number * ELAPSED_SECONDS[unit] for number, unit in flat))
    if len(flat) == 1:
        return Length(count=flat[0][0], unit=flat[0][1])
    cur.place = start
    raise cur.error("hours, minutes and seconds together (elapsed time), or one calendar unit alone")


def _begins_length(cur: Cursor, ahead: int) -> bool:
    word = cur.word(ahead)
    return bool(LENGTH.fullmatch(word)) or (bool(NUMBER.fullmatch(word)) and cur.word(ahead + 1) in UNITS)


def _length_part(cur: Cursor) -> list[tuple[int, str]]:
    word = cur.word()
    if NUMBER.fullmatch(word):
        cur.take()
        if cur.word() not in UNITS:
            raise cur.error("a unit: seconds, minutes, hours, days, weeks, months or years")
        return [(int(word), UNITS[cur.take()])]
    if not LENGTH.fullmatch(word):
        raise cur.error(LENGTHS)
    pairs = []
    for match in LENGTH_PART.finditer(word):
        if match[2] not in UNITS:
            raise cur.error("a unit: s, m, h, d or w, or its name", inside=match.start(2))
        pairs.append((int(match[1]), UNITS[match[2]]))
    cur.take()
    return pairs


# Weekdays


def begins_weekdays(cur: Cursor, ahead: int = 0) -> bool:
    """True when the chunk `ahead` is a day name, a range of them, or weekdays or weekends."""
    word = cur.word(ahead)
    return word in WEEKDAYS or word in DAY_SETS or word.partition("-")[0] in WEEKDAYS


def read_weekdays(cur: Cursor) -> frozenset[int]:
    """Day names and ranges joined by `,` or `and`. A range may run over the end of the week: sat-mon has three days."""
    return frozenset[int]().union(*read_list(cur, _weekday_item, begins_weekdays))


def _weekday_item(cur: Cursor) -> frozenset[int]:
    word = cur.word()
    if word in DAY_SETS:
        return DAY_SETS[cur.take()]
    first, dash, last = word.partition("-")
    if first not in WEEKDAYS:
        raise cur.error(DAYS)
    if dash and last not in WEEKDAYS:
        raise cur.error("the name of the range's last day, as in mon-fri", inside=len(first) + 1)
    cur.take()
    if not dash and cur.word() in _TO:
        cur.take()
        last = cur.word()
        if last not in WEEKDAYS:
            raise cur.error("the name of the range's last day, as in mon-fri")
        cur.take()
    if not last:
        return frozenset((WEEKDAYS[first],))
    length = (WEEKDAYS[last] - WEEKDAYS[first]) % 7
    return frozenset((WEEKDAYS[first] + step) % 7 for step in range(length + 1))
