"""Matching wall times, forwards and backwards, by jumps: month, day, time of day. No zone is known here."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Protocol

from rota.calendar.civil import DAY, MONTH_START, month_of
from rota.calendar.rules import ALL_HOURS, bits
from rota.calendar.search_days import DaySet

_IN_EVERY_HOUR = sum(1 << 60 * hour for hour in range(24))


class Times(Protocol):
    """The times of a day, in seconds; -1 stands for none."""

    first: int
    last: int

    def next(self, second: int) -> int:
        """The first time at or after `second`."""

    def previous(self, second: int) -> int:
        """The last time at or before `second`."""

    def day_bits(self) -> int:
        """All of them, as a mask of 86400 bits."""


class MinuteTimes:
    """The same seconds in each of some minutes of the day."""

    __slots__ = ("_bits", "_minutes", "_seconds", "first", "last")

    def __init__(self, minutes: int, seconds: int) -> None:
        self._minutes = minutes  # bit n: minute n of the day
        self._seconds = seconds
        self._bits = 0
        self.first = ((minutes & -minutes).bit_length() - 1) * 60 + (seconds & -seconds).bit_length() - 1
        self.last = (minutes.bit_length() - 1) * 60 + seconds.bit_length() - 1

    @classmethod
    def of_fields(cls, seconds: int, minutes: int, hours: int) -> MinuteTimes:
        """The times of a cron rule's three time fields."""
        if hours == ALL_HOURS:
            return cls(minutes * _IN_EVERY_HOUR, seconds)
        mask = 0
        while hours:
            low = hours & -hours
            mask |= minutes << 60 * (low.bit_length() - 1)
            hours ^= low
        return cls(mask, seconds)

    def next(self, second: int) -> int:
        """The first time at or after `second`, or -1."""
        minute, rest = divmod(second, 60)
        later = self._minutes >> minute
        if later & 1:
            seconds = self._seconds >> rest
            if seconds:
                return second + (seconds & -seconds).bit_length() - 1
            later ^= 1
        if not later:
            return -1
        seconds = self._seconds
        return (minute + (later & -later).bit_length() - 1) * 60 + (seconds & -seconds).bit_length() - 1

    def previous(self, second: int) -> int:
        """The last time at or before `second`, or -1."""
        minute, rest = divmod(second, 60)
        if self._minutes >> minute & 1:
            seconds = self._seconds & (2 << rest) - 1
            if seconds:
                return minute * 60 + seconds.bit_length() - 1
        earlier = self._minutes & (1 << minute) - 1
        if not earlier:
            return -1
        return (earlier.bit_length() - 1) * 60 + self._seconds.bit_length() - 1

    def day_bits(self) -> int:
        """All times as a mask of 86400 bits."""
        if not self._bits:
            mask = 0
            for minute in bits(self._minutes):
                mask |= self._seconds << 60 * minute
            self._bits = mask
        return self._bits


class ListTimes:
    """Some seconds of the day, ascending."""

    __slots__ = ("_seconds", "first", "last")

    def __init__(self, seconds: tuple[int, ...]) -> None:
        self._seconds = seconds
        self.first = seconds[0]
        self.last = seconds[-1]

    def next(self, second: int) -> int:
        """The first time at or after `second`, or -1."""
        return -1 if second > self.last else self._seconds[bisect_left(self._seconds, second)]

    def previous(self, second: int) -> int:
        """The last time at or before `second`, or -1."""
        return -1 if second < self.first else self._seconds[bisect_right(self._seconds, second) - 1]

    def day_bits(self) -> int:
        """All times as a mask of 86400 bits."""
        mask = 0
        for second in self._seconds:
            mask |= 1 << second
        return mask


class WallRule:
    """Days and the times of each: all matching wall times of the years 1970 to 2199."""

    __slots__ = ("_month", "days", "times")

    def __init__(self, days: DaySet, times: Times) -> None:
        self.days = days
        self.times = times
        # First day, day after the last, mask: of the month that was asked for last. One tuple, replaced as a whole,
        # so that threads may share a rule.
        self._month = (0, 0, 0)

    def _load(self, day: int) -> tuple[int, int, int]:
        month = month_of(day)
        self._month = found = (MONTH_START[month], MONTH_START[month + 1], self.days.mask(month))
        return found

    def next(self, wall: int) -> int:
        """The first matching wall time at or after `wall` (from 0 up to the end of 2199), or -1."""
        day, second = divmod(wall, DAY)
        start, end, mask = self._month
        if not start <= day < end:
            start, end, mask = self._load(day)
        rest = mask >> (day - start)
        if rest & 1:
            found = self.times.next(second)
            if found >= 0:
                return wall - second + found
            rest ^= 1
        if not rest:
            month = self.days.following(month_of(day))
            if month < 0:
                return -1
            day = MONTH_START[month]
            rest = self.days.mask(month)
        return (day + (rest & -rest).bit_length() - 1) * DAY + self.times.first

    def previous(self, wall: int) -> int:
        """The last matching wall time at or before `wall` (from 0 up to the end of 2199), or -1."""
        day, second = divmod(wall, DAY)
        start, end, mask = self._month
        if not start <= day < end:
            start, end, mask = self._load(day)
        if mask >> (day - start) & 1:
            found = self.times.previous(second)
            if found >= 0:
                return wall - second + found
        rest = mask & (1 << (day - start)) - 1
        if not rest:
            month = self.days.preceding(month_of(day))
            if month < 0:
                return -1
            start = MONTH_START[month]
            rest = self.days.mask(month)
        return (start + rest.bit_length() - 1) * DAY + self.times.last
