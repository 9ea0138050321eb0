"""Zones, clock changes, and the arithmetic of days and months.

Zone data comes from the `tzdata` package alone, never from the host, so that every node computes the same. Everything
is decided from UTC offsets (never `is_dst`: some zones have negative daylight saving), in whole seconds.

Numbers: an instant is a count of seconds since 1970-01-01T00:00Z; a wall time is the same count read off the wall
clock as if it were UTC; a day is a count of days since 1970-01-01; a month is a count of months since January 1970.
"""

from __future__ import annotations

import pkgutil
from bisect import bisect_right
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from io import BytesIO
from typing import NamedTuple
from zoneinfo import ZoneInfo

from rota.calendar.rules import FIRST_YEAR, LAST_YEAR
from rota.calendar.tzfile import changes_of
from rota.errors import NaiveDatetime, UnknownZone

DAY = 86400
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
EPOCH_ORDINAL = date(1970, 1, 1).toordinal()
END_DAY = date(LAST_YEAR + 1, 1, 1).toordinal() - EPOCH_ORDINAL
END_WALL = END_DAY * DAY
MONTHS = (LAST_YEAR - FIRST_YEAR + 1) * 12
LEAST_OFFSET_SPAN = 26 * 3600  # no two offsets in use differ by more; also bounds any |offset| with room

_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def _month_table() -> tuple[tuple[int, ...], bytes]:
    starts: list[int] = []
    shapes = bytearray()
    day, weekday = 0, 3  # 1970-01-01 was a Thursday, with Monday = 0
    for year in range(FIRST_YEAR, LAST_YEAR + 1):
        leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        for month, usual in enumerate(_LENGTHS):
            length = 29 if leap and month == 1 else usual
            starts.append(day)
            shapes.append((length - 28) * 7 + weekday)
            day += length
            weekday = (weekday + length) % 7
    starts.append(day)
    return tuple(starts), bytes(shapes)


# The first day of each month, with the end beyond the last; and each month's shape: (length - 28) * 7 + weekday of its
# first day. There are 28 shapes, so what depends on a month's days is computed at most 28 times.
MONTH_START, MONTH_SHAPE = _month_table()


def month_of(day: int) -> int:
    """The month that holds `day`."""
    return bisect_right(MONTH_START, day) - 1


def day_number(when: date) -> int:
    """Days since 1970-01-01."""
    return when.toordinal() - EPOCH_ORDINAL


def wall_seconds(wall: datetime) -> int:
    """A naive wall time as a number; a fraction of a second is dropped."""
    return day_number(wall) * DAY + wall.hour * 3600 + wall.minute * 60 + wall.second


def wall_datetime(wall: int) -> datetime:
    """The naive wall time of a number."""
    return (EPOCH + timedelta(seconds=wall)).replace(tzinfo=None)


def utc_seconds(instant: datetime) -> int:
    """The instant's number, rounded down to the second. Raises NaiveDatetime for a datetime without an offset."""
    try:
        delta = instant - EPOCH
    except TypeError:
        if not isinstance(instant, datetime):
            raise
        raise NaiveDatetime(
            f"{instant.isoformat()} has no time zone: give an aware datetime, for example .replace(tzinfo=UTC)"
        ) from None
    return delta.days * DAY + delta.seconds


def utc_datetime(seconds: int) -> datetime:
    """The aware UTC datetime of an instant's number."""
    return EPOCH + timedelta(seconds=seconds)


class Segment(NamedTuple):
    """A stretch of instants [start, end) with one offset.

    `second`: its wall times all came before (the second pass of an overlap). `gap_lo` and `gap_hi` bound the wall
    times [gap_lo, gap_hi) that the change at `start` left out, where that gap is shorter than 24 hours; else both 0.
    """

    start: int
    end: int
    offset: int
    second: bool
    gap_lo: int
    gap_hi: int


class ZoneMap:
    """A zone's clock from wall time 1970-01-01T00:00 to the end of 2199, as segments in order.

    `starts` are the segments' first instants, for bisection; `changes` are (instant, offset before, offset after).
    The clock-change rule reads a change at one place only: it takes changes to be more than two days apart, which a
    test holds true of every zone.
    """

    __slots__ = ("changes", "name", "segments", "starts")

    def __init__(self, name: str, first_offset: int, changes: list[tuple[int, int, int]]) -> None:
        self.name = name
        self.changes = changes
        self.segments = _segments(first_offset, changes)
        self.starts = [segment.start for segment in self.segments]

    @property
    def first(self) -> int:
        """The first instant: wall time 1970-01-01T00:00:00."""
        return self.starts[0]

    @property
    def end(self) -> int:
        """The instant after the last: wall time 2200-01-01T00:00:00."""
        return self.segments[-1].end

    def index(self, instant: int) -> int:
        """The index of the segment that holds `instant`; the first or last one where it is outside."""
        return max(bisect_right(self.starts, instant) - 1, 0)

    def offset(self, instant: int) -> int:
        """The UTC offset in force at `instant`, in seconds."""
        return self.segments[self.index(instant)].offset

    def instant(self, wall: int) -> int:
        """The instant of a wall time: the first of two, a gap's end for one that a gap (of any length) left out."""
        for segment in self.segments[self.index(wall - LEAST_OFFSET_SPAN) :]:
            if wall < segment.start + segment.offset:
                return segment.start
            if wall < segment.end + segment.offset:
                return wall - segment.offset
        return wall - self.segments[-1].offset


def _segments(first_offset: int, changes: list[tuple[int, int, int]]) -> list[Segment]:
    found: list[Segment] = []
    start, offset = -first_offset, first_offset
    gap_lo = gap_hi = repeat = 0
    for at, before, after in [*changes, (END_WALL, 0, 0)]:
        last = (at, before, after) == (END_WALL, 0, 0)
        end = END_WALL - offset if last else at
        if repeat:
            cut = min(start + repeat, end)
            found.append(Segment(start, cut, offset, True, 0, 0))
            start = cut
        found.append(Segment(start, end, offset, False, gap_lo, gap_hi))
        start, offset = at, after
        repeat = max(before - after, 0)
        gap_lo, gap_hi = (at + before, at + after) if 0 < after - before < DAY else (0, 0)
    return found


@lru_cache(maxsize=1)
def zone_names() -> frozenset[str]:
    """All IANA zone names of the bundled zone data."""
    return frozenset((pkgutil.get_data("tzdata", "zones") or b"").decode("ascii").split())


def zone_data_version() -> str:
    """The version of the bundled zone data, like `2026a`."""
    from importlib import import_module

    return str(import_module("tzdata").IANA_VERSION)


@lru_cache(maxsize=1024)
def _raw(name: str) -> bytes:
    if not isinstance(name, str) or name not in zone_names():
        raise UnknownZone(_unknown(name))
    return pkgutil.get_data("tzdata", f"zoneinfo/{name}") or b""


@lru_cache(maxsize=1024)
def zone(name: str) -> ZoneInfo:
    """The zone of that IANA name from the bundled data. Raises UnknownZone, with the nearest spelling."""
    return ZoneInfo.from_file(BytesIO(_raw(name)), key=name)


@lru_cache(maxsize=1024)
def zone_map(name: str) -> ZoneMap:
    """The zone's clock changes, computed once. Raises UnknownZone like `zone`."""
    first, changes = changes_of(_raw(name), LAST_YEAR)
    # Only what moves the wall clock after 1970-01-01T00:00 and before 2200 there counts.
    kept = [(at, before, after) for at, before, after in changes if at + before > 0 and at + after < END_WALL]
    past = [after for at, before, after in changes if at + before <= 0]
    return ZoneMap(name, past[-1] if past else first, kept)


def _unknown(name: object) -> str:
    text = f"no time zone is called {name!r}"
    if not isinstance(name, str):
        return text
    near = _nearest_zone(name)
    return f"{text}: did you mean {near}?" if near else f"{text}: use an IANA name like Europe/Stockholm"


def _nearest_zone(name: str) -> str | None:
    wanted = name.strip().replace(" ", "_").casefold()[:64]
    names = sorted(zone_names())
    for known in names:
        if known.casefold() == wanted or known.casefold().rpartition("/")[2] == wanted:
            return known
    from difflib import get_close_matches

    folded = {known.casefold(): known for known in names}
    folded.update({known.casefold().rpartition("/")[2]: known for known in reversed(names)})
    close = get_close_matches(wanted, folded, n=1, cutoff=0.7)
    return folded[close[0]] if close else None


@dataclass(frozen=True, slots=True)
class ClockChange:
    """At the UTC instant `at` the zone's offset goes from `before` to `after`."""

    at: datetime
    before: timedelta
    after: timedelta


def clock_changes(where: str | ZoneInfo, after: datetime, until: datetime) -> list[ClockChange]:
    """The clock changes of a zone in (after, until], in order, of the years 1970 to 2199."""
    clock = zone_map(where if isinstance(where, str) else where.key)
    low, high = utc_seconds(after), utc_seconds(until)
    return [
        ClockChange(utc_datetime(at), timedelta(seconds=before), timedelta(seconds=new))
        for at, before, new in clock.changes
        if low < at <= high
    ]
