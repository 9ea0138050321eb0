"""From wall times to instants, under the clock-change rule: one plan for each rule in its zone.

A plan answers in whole seconds since 1970-01-01T00:00Z: `next(t)`, the first occurrence at or after t, `previous(t)`,
the last one at or before t, and None where there is none. Time begins at wall time 1970-01-01T00:00 of the zone and
ends with its year 2199. Plans keep small caches that change no answer, and may be shared between threads.

The rule, for each matching wall time: it exists once, that instant; twice, the first (fixed-time) or both
(interval-like); not at all, the gap's end (fixed-time) or nothing (interval-like); in a gap of 24 hours or more,
nothing. The occurrences are the set of these instants.
"""

from __future__ import annotations

from math import lcm
from typing import TYPE_CHECKING, Protocol

from rota.calendar.civil import DAY, END_WALL, LEAST_OFFSET_SPAN, ZoneMap, utc_seconds, wall_seconds
from rota.calendar.rules import DEFAULT_ANCHOR, Cron, Days, Every, Except, Once, Reboot, Rule, Union
from rota.calendar.search_days import CronDays, OneDay, RuleDays
from rota.calendar.search_wall import ListTimes, MinuteTimes, WallRule

if TYPE_CHECKING:
    from rota.calendar.search_tiles import Tiles

# Two changes of a zone are further apart than this, and no overlap reaches further back: beyond it wall times ascend.
_NEAR = 2 * DAY
_MOST_COMPARED = 4096


class Plan(Protocol):
    """What every plan answers."""

    zone: ZoneMap

    def next(self, t: int) -> int | None:
        """The first occurrence at or after the instant `t`."""

    def previous(self, t: int) -> int | None:
        """The last occurrence at or before the instant `t`."""

    def holds(self, t: int) -> bool:
        """True if `t` is an occurrence."""

    def moved_from(self, t: int) -> int | None:
        """The nominal wall time where the occurrence `t` stands at a gap's end in its place, else None."""


class WallPlan:
    """A rule on wall time. `run_gaps`: a time that a gap left out runs at its end; `both`: in both passes."""

    __slots__ = ("_segment", "both", "run_gaps", "wall", "zone")

    def __init__(self, zone: ZoneMap, wall: WallRule, *, run_gaps: bool, both: bool) -> None:
        self.zone = zone
        self.wall = wall
        self.run_gaps = run_gaps
        self.both = both
        self._segment = zone.segments[0]

    def next(self, t: int) -> int | None:
        """The first occurrence at or after the instant `t`."""
        segment = self._segment
        if not segment[0] < t < segment[1]:
            zone = self.zone
            segment = self._segment = zone.segments[zone.index(t)]
        start, end, offset, second, _, _ = segment
        if start < t < end and (self.both or not second):
            wall = self.wall.next(t + offset)
            if 0 <= wall < end + offset:
                return wall - offset
        return self._next_across(t)

    def _next_across(self, t: int) -> int | None:
        zone, rule = self.zone, self.wall
        if t >= zone.end:
            return None
        index = zone.index(t)
        low, high = 0, -1  # no wall time in [low, high) matches
        while index < len(zone.segments):
            start, end, offset, second, gap_lo, gap_hi = zone.segments[index]
            if t <= start and gap_hi and self._gap_match(gap_lo, gap_hi) >= 0:
                return start
            if self.both or not second:
                wall = max(t, start) + offset
                if not low <= wall < high and wall < end + offset:
                    low = wall
                    high = rule.next(wall)
                    if high < 0:
                        high = END_WALL
                if low <= wall and high < end + offset:
                    return high - offset
            index += 1
            if end > t + _NEAR and high > 0:
                index = max(index, zone.index(high - LEAST_OFFSET_SPAN))
                if high == END_WALL:
                    return None
        return None

    def previous(self, t: int) -> int | None:
        """The last occurrence at or before the instant `t`."""
        zone, rule = self.zone, self.wall
        if t < zone.first:
            return None
        t = min(t, zone.end - 1)
        index = zone.index(t)
        low, high = 0, -1  # no wall time in (low, high] matches
        while index >= 0:
            start, end, offset, second, gap_lo, gap_hi = zone.segments[index]
            if self.both or not second:
                wall = min(t, end - 1) + offset
                if not low < wall <= high and wall >= start + offset:
                    high = wall
                    low = rule.previous(wall)
                if low >= start + offset and wall <= high:
                    return low - offset
            if gap_hi and self._gap_match(gap_lo, gap_hi) >= 0:
                return start
            index -= 1
            if start < t - _NEAR and high >= 0:
                if low < 0:
                    return None
                index = min(index, zone.index(low + LEAST_OFFSET_SPAN))
        return None

    def _gap_match(self, low: int, high: int) -> int:
        """The first matching wall time in [low, high) where gaps run, or -1."""
        if not self.run_gaps:
            return -1
        wall = self.wall.next(low)
        return wall if wall < high else -1

    def holds(self, t: int) -> bool:
        """True if `t` is an occurrence."""
        return self.next(t) == t

    def moved_from(self, t: int) -> int | None:
        """The nominal wall time where the occurrence `t` stands at a gap's end in its place, else None."""
        start, _, offset, _, gap_lo, gap_hi = self.zone.segments[self.zone.index(t)]
        if t != start or not gap_hi or self.wall.next(t + offset) == t + offset:
            return None
        wall = self._gap_match(gap_lo, gap_hi)
        return wall if wall >= 0 else None


class EveryPlan:
    """Elapsed time: `anchor` + k x `period`, from `low` on."""

    __slots__ = ("anchor", "low", "period", "zone")

    def __init__(self, zone: ZoneMap, period: int, anchor: int, low: int) -> None:
        self.zone = zone
        self.period = period
        self.anchor = anchor
        self.low = low

    def next(self, t: int) -> int | None:
        """The first occurrence at or after the instant `t`."""
        t = max(t, self.low)
        t += (self.anchor - t) % self.period
        return t if t < self.zone.end else None

    def previous(self, t: int) -> int | None:
        """The last occurrence at or before the instant `t`."""
        t = min(t, self.zone.end - 1)
        t -= (t - self.anchor) % self.period
        return t if t >= self.low else None

    def holds(self, t: int) -> bool:
        """True if `t` is an occurrence."""
        return self.next(t) == t

    def moved_from(self, t: int) -> int | None:
        """None: elapsed time is never moved."""
        del t
        return None


class InstantPlan:
    """One instant, or none."""

    __slots__ = ("instant", "zone")

    def __init__(self, zone: ZoneMap, instant: int | None) -> None:
        self.zone = zone
        self.instant = instant if instant is not None and zone.first <= instant < zone.end else None

    def next(self, t: int) -> int | None:
        """The first occurrence at or after the instant `t`."""
        return self.instant if self.instant is not None and t <= self.instant else None

    def previous(self, t: int) -> int | None:
        """The last occurrence at or before the instant `t`."""
        return self.instant if self.instant is not None and t >= self.instant else None

    def holds(self, t: int) -> bool:
        """True if `t` is an occurrence."""
        return t == self.instant

    def moved_from(self, t: int) -> int | None:
        """None: an instant is never moved."""
        del t
        return None


class UnionPlan:
    """What any of the parts has.

    Each part's last answer is remembered, with the instant that was asked: between the two the answer is the same, so that
    a part that comes rarely, or never, is not asked again for each occurrence of another one.
    """

    __slots__ = ("_ahead", "parts", "zone")

    def __init__(self, zone: ZoneMap, parts: tuple[Plan, ...]) -> None:
        self.zone = zone
        self.parts = parts
        self._ahead: list[tuple[int, int | None]] = [(1, 0)] * len(parts)

    def next(self, t: int) -> int | None:
        """The first occurrence at or after the instant `t`."""
        found = None
        for number, (asked, at) in enumerate(self._ahead):
            if t < asked or (at is not None and t > at):
                at = self.parts[number].next(t)  # noqa: PLW2901 - the newer answer
                self._ahead[number] = (t, at)
            if at is not None and (found is None or at < found):
                found = at
        return found

    def previous(self, t: int) -> int | None:
        """The last occurrence at or before the instant `t`."""
        found = [at for part in self.parts if (at := part.previous(t)) is not None]
        return max(found) if found else None

    def holds(self, t: int) -> bool:
        """True if `t` is an occurrence."""
        return any(part.holds(t) for part in self.parts)

    def moved_from(self, t: int) -> int | None:
        """The nominal wall time if every part that has `t` has it moved: one that has it as written wins."""
        walls = [part.moved_from(t) for part in self.parts if part.holds(t)]
        moved = [wall for wall in walls if wall is not None]
        return min(moved) if moved and len(moved) == len(walls) else None


class ExceptPlan:
    """What `base` has and `minus` has not, by instant."""

    __slots__ = ("_tiles", "base", "minus", "zone")

    _STEPS = 24  # so many exclusions in a row are looked at one by one before whole days are compared

    def __init__(self, zone: ZoneMap, base: Plan, minus: Plan) -> None:
        self.zone = zone
        self.base = base
        self.minus = minus
        self._tiles: Tiles | None = None

    def next(self, t: int) -> int | None:
        """The first occurrence at or after the instant `t`."""
        for _ in range(self._STEPS):
            found = self.base.next(t)
            if found is None or not self.minus.holds(found):
                return found
            t = found + 1
        return self._by_tiles().next(t)

    def previous(self, t: int) -> int | None:
        """The last occurrence at or before the instant `t`."""
        for _ in range(self._STEPS):
            found = self.base.previous(t)
            if found is None or not self.minus.holds(found):
                return found
            t = found - 1
        return self._by_tiles().previous(t)

    def _by_tiles(self) -> Tiles:
        if self._tiles is None:
            from rota.calendar.search_tiles import Tiles

            self._tiles = Tiles(self)
        return self._tiles

    def holds(self, t: int) -> bool:
        """True if `t` is an occurrence."""
        return self.base.holds(t) and not self.minus.holds(t)

    def moved_from(self, t: int) -> int | None:
        """As the base has it."""
        return self.base.moved_from(t)


def compile_rule(rule: Rule, zone: ZoneMap, dst_gap: str, dst_overlap: str) -> Plan:
    """The plan of a rule in a zone. `dst_gap` is auto, skip or run; `dst_overlap` auto, first or both."""
    match rule:
        case Cron():
            times = MinuteTimes.of_fields(rule.second_mask, rule.minute_mask, rule.hour_mask)
            wall = WallRule(CronDays(rule), times)
            return _on_wall(zone, wall, dst_gap, dst_overlap, interval_like=rule.interval_like)
        case Days():
            seconds = sorted({at.hour * 3600 + at.minute * 60 + at.second for at in rule.times})
            wall = WallRule(RuleDays(rule), ListTimes(tuple(seconds)))
            return _on_wall(zone, wall, dst_gap, dst_overlap)
        case Every():
            anchor = zone.instant(wall_seconds(rule.anchor or DEFAULT_ANCHOR))
            return EveryPlan(zone, rule.seconds, anchor, max(anchor, zone.first) if rule.starting else zone.first)
        case Once():
            return _once(rule, zone, dst_gap, dst_overlap)
        case Union():
            return UnionPlan(zone, tuple(compile_rule(part, zone, dst_gap, dst_overlap) for part in rule.parts))
        case Except():
            base = compile_rule(rule.base, zone, dst_gap, dst_overlap)
            minus = compile_rule(rule.minus, zone, dst_gap, dst_overlap)
            return InstantPlan(zone, None) if _swallows(minus, base) else ExceptPlan(zone, base, minus)
        case Reboot():
            return InstantPlan(zone, None)


def _swallows(minus: Plan, base: Plan) -> bool:
    """True if the intervals of `minus` plainly have all that the interval `base` has.

    Periods that do not divide the day have another pattern every day, so that a comparison by days would go through
    all of them; one common period tells as much.
    """
    parts = minus.parts if isinstance(minus, UnionPlan) else (minus,)
    if not isinstance(base, EveryPlan):
        return False
    taken = [part for part in parts if isinstance(part, EveryPlan) and part.low <= base.low]
    cycle = lcm(base.period, *(part.period for part in taken)) // base.period
    return cycle <= _MOST_COMPARED and all(
        any((base.anchor + k * base.period - part.anchor) % part.period == 0 for part in taken) for k in range(cycle)
    )


def _on_wall(zone: ZoneMap, wall: WallRule, gap: str, overlap: str, *, interval_like: bool = False) -> WallPlan:
    run_gaps = gap == "run" or (gap == "auto" and not interval_like)
    both = overlap == "both" or (overlap == "auto" and interval_like)
    return WallPlan(zone, wall, run_gaps=run_gaps, both=both)


def _once(rule: Once, zone: ZoneMap, dst_gap: str, dst_overlap: str) -> Plan:
    if rule.instant is not None:
        return InstantPlan(zone, utc_seconds(rule.instant))
    wall = wall_seconds(rule.wall) if rule.wall is not None else -1
    if not 0 <= wall < END_WALL:
        return InstantPlan(zone, None)
    day, second = divmod(wall, DAY)
    return _on_wall(zone, WallRule(OneDay(day), ListTimes((second,))), dst_gap, dst_overlap)
