"""Counting occurrences, and comparing rules, by whole days: nothing here visits occurrences one by one.

A tile is a month of wall days within a segment of the zone. In it the offset is constant, so instants and wall times
are one to one, and a rule is a set of days that share a pattern: a mask of 86400 bits, one for each second of the day.
Unions and differences of rules are unions and differences of patterns, each computed once. What a clock change moves
stands at a segment's first instant alone, and is asked from the plan itself.

An interval whose period does not divide the day has another pattern every day. Its tile is an outer bound (every
second of the day that some day has) where it adds, and nothing where it takes away; days that remain are then looked
at exactly, one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd

from rota.calendar.civil import DAY, MONTH_START, Segment, month_of
from rota.calendar.search import EveryPlan, ExceptPlan, InstantPlan, Plan, UnionPlan, WallPlan

Tile = list[tuple[int, int]]  # (number of a pattern, mask of the days that have it); no day twice


def progression(first: int, step: int) -> int:
    """The mask of first, first + step, ... below 86400."""
    if first >= DAY:
        return 0
    wanted = (DAY - 1 - first) // step + 1
    mask, done = 1, 1
    while done < wanted:
        more = min(done, wanted - done)
        mask |= mask << step * more
        done += more
    return mask << first


class Tiles:
    """A plan seen by tiles. `exact`: no tile is an outer bound."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.zone = plan.zone
        self.exact = _uniform(plan)
        self.patterns: list[int] = [0]
        self._numbers: dict[int, int] = {0: 0}
        self._pairs: dict[tuple[bool, int, int], int] = {}
        self._leaves: dict[tuple[int, int], int] = {}

    def next(self, t: int) -> int | None:
        """The first occurrence at or after the instant `t`."""
        for segment in self.zone.segments[self.zone.index(t) :]:
            low = max(t, segment.start)
            if low == segment.start and self.plan.holds(low):
                return low
            for day, mask in self._days(segment, low, segment.end, up=True):
                return day * DAY + (mask & -mask).bit_length() - 1 - segment.offset
        return None

    def previous(self, t: int) -> int | None:
        """The last occurrence at or before the instant `t`."""
        if t < self.zone.first:
            return None
        for segment in self.zone.segments[self.zone.index(t) :: -1]:
            for day, mask in self._days(segment, segment.start + 1, min(t + 1, segment.end), up=False):
                return day * DAY + mask.bit_length() - 1 - segment.offset
            if self.plan.holds(segment.start):
                return segment.start
        return None

    def count(self, low: int, high: int) -> int:
        """How many occurrences there are in [low, high)."""
        total = 0
        for segment in self.zone.segments[self.zone.index(low) :]:
            if segment.start >= high:
                break
            if low <= segment.start:
                total += self.plan.holds(segment.start)
            total += self._count(segment, max(low, segment.start + 1), min(high, segment.end))
        return total

    def _days(self, segment: Segment, low: int, high: int, *, up: bool) -> Iterator[tuple[int, int]]:
        """The days that have occurrences in the instants [low, high), with their masks cut to it, in order."""
        if low >= high:
            return
        wall_low, wall_high = low + segment.offset, high + segment.offset - 1
        first, last = wall_low // DAY, wall_high // DAY
        months = range(month_of(first), month_of(last) + 1)
        for month in months if up else reversed(months):
            tile = self._tile(self.plan, segment, month, adds=True)
            start = MONTH_START[month]
            days = 0
            for _, mask in tile:
                days |= mask
            while days:
                bit = (days & -days if up else days).bit_length() - 1
                days ^= 1 << bit
                day = start + bit
                if not first <= day <= last:
                    continue
                mask = self._exact(self.plan, segment, day) if not self.exact else self._of_day(tile, bit)
                if day == last:
                    mask &= (2 << wall_high % DAY) - 1
                if day == first:
                    mask = mask >> wall_low % DAY << wall_low % DAY
                if mask:
                    yield day, mask

    def _of_day(self, tile: Tile, bit: int) -> int:
        return next(self.patterns[number] for number, mask in tile if mask >> bit & 1)

    def _count(self, segment: Segment, low: int, high: int) -> int:
        """How many occurrences there are in the instants [low, high) of a segment, without its first instant."""
        if low >= high:
            return 0
        if not self.exact:
            return sum(mask.bit_count() for _, mask in self._days(segment, low, high, up=True))
        wall_low, wall_high = low + segment.offset, high + segment.offset - 1
        first, last = wall_low // DAY, wall_high // DAY
        total = 0
        for month in range(month_of(first), month_of(last) + 1):
            start = MONTH_START[month]
            inside = -1 << max(first - start, 0) & (1 << min(last + 1 - start, 31)) - 1
            for number, mask in self._tile(self.plan, segment, month, adds=True):
                days = mask & inside
                if days:
                    total += days.bit_count() * self.patterns[number].bit_count()
        return total - self._outside(segment, wall_low, wall_high)

    def _outside(self, segment: Segment, low: int, high: int) -> int:
        """What the first day has before the wall time `low` and the last day after `high`."""
        before = self._pattern_of(segment, low // DAY) & (1 << low % DAY) - 1
        after = self._pattern_of(segment, high // DAY) >> high % DAY + 1
        return before.bit_count() + after.bit_count()

    def _pattern_of(self, segment: Segment, day: int) -> int:
        month = month_of(day)
        bit = day - MONTH_START[month]
        tile = self._tile(self.plan, segment, month, adds=True)
        return next((self.patterns[number] for number, mask in tile if mask >> bit & 1), 0)

    def _tile(self, plan: Plan, segment: Segment, month: int, *, adds: bool) -> Tile:
        match plan:
            case WallPlan():
                return self._wall_tile(plan, segment, month)
            case EveryPlan():
                return self._every_tile(plan, segment, month, adds=adds)
            case InstantPlan():
                return self._instant_tile(plan, segment, month)
            case ExceptPlan():
                base = self._tile(plan.base, segment, month, adds=adds)
                return self._pairwise(base, self._tile(plan.minus, segment, month, adds=not adds), minus=True)
            case UnionPlan():
                tile: Tile = []
                for part in plan.parts:
                    tile = self._pairwise(tile, self._tile(part, segment, month, adds=adds), minus=False)
                return tile
        raise AssertionError(f"no tile for {type(plan).__name__}")

    def _wall_tile(self, plan: WallPlan, segment: Segment, month: int) -> Tile:
        if segment.second and not plan.both:
            return []
        days = plan.wall.days.mask(month)
        if not days:
            return []
        number = self._leaves.get((id(plan), 0))
        if number is None:
            number = self._leaves[id(plan), 0] = self._number(plan.wall.times.day_bits())
        return [(number, days)]

    def _every_tile(self, plan: EveryPlan, segment: Segment, month: int, *, adds: bool) -> Tile:
        period = gcd(plan.period, DAY)
        if period != plan.period and not adds:
            return []
        start = MONTH_START[month]
        days = (1 << MONTH_START[month + 1] - start) - 1
        first = (plan.anchor + segment.offset) % period
        number = self._leaves.get((id(plan), first))
        if number is None:
            number = self._leaves[id(plan), first] = self._number(progression(first, period))
        low_day, low_second = divmod(plan.low + segment.offset, DAY)
        if low_day < start:
            return [(number, days)]
        bit = low_day - start
        cut = self._number(self.patterns[number] >> low_second << low_second)
        later = days & -2 << bit
        return [part for part in ((cut, days & 1 << bit), (number, later)) if part[0] and part[1]]

    def _instant_tile(self, plan: InstantPlan, segment: Segment, month: int) -> Tile:
        if plan.instant is None or not segment.start <= plan.instant < segment.end:
            return []
        day, second = divmod(plan.instant + segment.offset, DAY)
        return [(self._number(1 << second), 1 << day - MONTH_START[month])] if month_of(day) == month else []

    def _pairwise(self, left: Tile, right: Tile, *, minus: bool) -> Tile:
        """The union or, with `minus`, the difference of two tiles."""
        if not left:
            return [] if minus else right
        found: dict[int, int] = {}
        seen = 0
        for number, mask in left:
            rest = mask
            seen |= mask
            for other, other_mask in right:
                both = mask & other_mask
                if both:
                    rest ^= both
                    pair = self._pair(number, other, minus=minus)
                    found[pair] = found.get(pair, 0) | both
            if rest:
                found[number] = found.get(number, 0) | rest
        if not minus:
            for other, other_mask in right:
                if other_mask & ~seen:
                    found[other] = found.get(other, 0) | other_mask & ~seen
        found.pop(0, None)
        return list(found.items())

    def _pair(self, left: int, right: int, *, minus: bool) -> int:
        number = self._pairs.get((minus, left, right))
        if number is None:
            one, two = self.patterns[left], self.patterns[right]
            number = self._pairs[minus, left, right] = self._number(one & ~two if minus else one | two)
        return number

    def _number(self, pattern: int) -> int:
        number = self._numbers.get(pattern)
        if number is None:
            number = self._numbers[pattern] = len(self.patterns)
            self.patterns.append(pattern)
        return number

    def _exact(self, plan: Plan, segment: Segment, day: int) -> int:
        """The seconds of one day that a plan has in a segment."""
        match plan:
            case EveryPlan():
                wall = day * DAY
                low = max(plan.low + segment.offset - wall, 0)
                mask = progression((plan.anchor + segment.offset - wall) % plan.period, plan.period)
                return mask >> low << low
            case ExceptPlan():
                return self._exact(plan.base, segment, day) & ~self._exact(plan.minus, segment, day)
            case UnionPlan():
                mask = 0
                for part in plan.parts:
                    mask |= self._exact(part, segment, day)
                return mask
        month = month_of(day)
        return self._of_day(
            [*self._tile(plan, segment, month, adds=True), (0, -1)],
            day - MONTH_START[month],
        )


def _uniform(plan: Plan) -> bool:
    match plan:
        case EveryPlan():
            return DAY % plan.period == 0
        case ExceptPlan():
            return _uniform(plan.base) and _uniform(plan.minus)
        case UnionPlan():
            return all(_uniform(part) for part in plan.parts)
    return True


def count(plan: Plan, low: int, high: int) -> int:
    """How many occurrences there are in the instants [low, high)."""
    low, high = max(low, plan.zone.first), min(high, plan.zone.end)
    if low >= high:
        return 0
    if isinstance(plan, EveryPlan):
        first, last = plan.next(low), plan.previous(high - 1)
        return 0 if first is None or last is None or last < first else (last - first) // plan.period + 1
    return Tiles(plan).count(low, high)
