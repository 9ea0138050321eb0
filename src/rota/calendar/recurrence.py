"""A rule in its zone: what `parse` returns and everything else asks for occurrences."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from rota.calendar.civil import DAY, EPOCH, utc_datetime, utc_seconds, wall_datetime, zone_map
from rota.calendar.rules import Cron, Days, Every, Except, Once, Reboot, Rule, Union
from rota.calendar.search import Plan, compile_rule
from rota.errors import InvalidValue, NaiveDatetime

if TYPE_CHECKING:
    from collections.abc import Sequence

GAPS = ("auto", "skip", "run")
OVERLAPS = ("auto", "first", "both")


class Occurrence(NamedTuple):
    """One occurrence: the instant (aware UTC), the nominal wall time, and how the two met.

    `flag` is `normal`, `moved` (the wall time fell into a gap; `at` is the gap's end) or `second` (the second time
    that the clock showed this wall time).
    """

    at: datetime
    wall: datetime
    flag: str


class Recurrence:
    """When something happens: a rule, a zone and the two clock-change options. A value, compared as one.

    Instants that go in are aware datetimes (NaiveDatetime otherwise); those that come out are aware UTC, in whole
    seconds, of the zone's years 1970 to 2199. Every answer depends on the value and the arguments alone.
    """

    __slots__ = ("_plan", "dst_gap", "dst_overlap", "kind", "remarks", "rule", "text", "zone_name")

    def __init__(
        self,
        rule: Rule,
        zone_name: str = "UTC",
        dst_gap: str = "auto",
        dst_overlap: str = "auto",
        *,
        text: str = "",
        warnings: Sequence[Any] = (),
    ) -> None:
        if dst_gap not in GAPS:
            raise InvalidValue(f"dst_gap is {', '.join(GAPS)}, not {dst_gap!r}")
        if dst_overlap not in OVERLAPS:
            raise InvalidValue(f"dst_overlap is {', '.join(OVERLAPS)}, not {dst_overlap!r}")
        self.rule = rule
        self.kind = rule_kind(rule)
        """`fixed`, `interval`, `once`, `event` (`@reboot`), or `mixed` for a union of several kinds."""
        self.zone_name = zone_name
        self.dst_gap = dst_gap
        self.dst_overlap = dst_overlap
        self.text = text
        self.remarks = tuple(warnings)
        self._plan: Plan = compile_rule(rule, zone_map(zone_name), dst_gap, dst_overlap)

    def _value(self) -> tuple[Rule, str, str, str]:
        return self.rule, self.zone_name, self.dst_gap, self.dst_overlap

    def __eq__(self, other: object) -> bool:
        return self._value() == other._value() if isinstance(other, Recurrence) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._value())

    def __repr__(self) -> str:
        return f"Recurrence({self.text or self.rule!r}, {self.zone_name!r}, {self.dst_gap!r}, {self.dst_overlap!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (*self._value(), self.text, self.remarks)

    def next_after(self, instant: datetime) -> datetime | None:
        """The first occurrence strictly after `instant`, or None."""
        try:
            delta = instant - EPOCH
        except TypeError:
            raise _not_aware(instant) from None
        at = self._plan.next(delta.days * DAY + delta.seconds + 1)
        if at is None:
            return None
        return EPOCH + timedelta(0, at)

    def last_until(self, instant: datetime) -> datetime | None:
        """The last occurrence at or before `instant`, or None. Strictly before t is `last_until(t - 1 microsecond)`."""
        at = self._plan.previous(utc_seconds(instant))
        return None if at is None else utc_datetime(at)

    def between(self, start: datetime, end: datetime, limit: int | None = None) -> list[datetime]:
        """The occurrences in (start, end], ascending, at most `limit`."""
        return [utc_datetime(at) for at in self._walk(utc_seconds(start), utc_seconds(end), limit)]

    def upcoming(self, after: datetime, n: int) -> list[datetime]:
        """The first `n` occurrences strictly after `after`; fewer where the rule ends."""
        return [utc_datetime(at) for at in self._walk(utc_seconds(after), None, n)]

    def occurrences(self, start: datetime, end: datetime, limit: int | None = None) -> list[Occurrence]:
        """The occurrences in (start, end] with wall time and flag, ascending, at most `limit`."""
        return [self._describe(at) for at in self._walk(utc_seconds(start), utc_seconds(end), limit)]

    def occurrence(self, instant: datetime) -> Occurrence | None:
        """The occurrence at exactly `instant`, or None."""
        at = utc_seconds(instant)
        if utc_datetime(at) != instant or not self._plan.holds(at):
            return None
        return self._describe(at)

    def wall(self, instant: datetime) -> datetime | None:
        """The nominal wall time of the occurrence at `instant`, which is one; None for a second pass."""
        plan, at = self._plan, utc_seconds(instant)
        segment = plan.zone.segments[plan.zone.index(at)]
        nominal = plan.moved_from(at) if at == segment.start else None
        if nominal is not None:
            return wall_datetime(nominal)
        return None if segment.second else wall_datetime(at + segment.offset)

    def count(self, after: datetime, until: datetime) -> int:
        """How many occurrences there are in (after, until], without visiting each."""
        from rota.calendar.search_tiles import count

        return count(self._plan, utc_seconds(after) + 1, utc_seconds(until) + 1)

    @property
    def never_fires(self) -> bool:
        """True if there is no occurrence at all, from 1970 to 2199."""
        return self._plan.next(self._plan.zone.first) is None

    @property
    def interval_like(self) -> bool:
        """True if wall times in an overlap happen twice and those in a gap not at all, unless overridden."""
        return self.kind == "interval"

    @property
    def canonical(self) -> str:
        """The one text of all equal rules."""
        return self.rule.canonical

    def describe(self) -> str:
        """One English sentence, with the zone."""
        from rota.calendar import text

        return text.describe(self)

    @property
    def warnings(self) -> list[str]:
        """What may surprise, a sentence each: `remarks` (what the wording gave reason for), then what the rule does."""
        from rota.calendar import text

        return text.warnings(self)

    def notes(self, after: datetime, until: datetime) -> list[Any]:
        """What each clock change in (after, until] does to the occurrences."""
        from rota.calendar import text

        return text.notes(self, after, until)

    def _walk(self, after: int, until: int | None, limit: int | None) -> list[int]:
        found: list[int] = []
        at = self._plan.next(after + 1)
        while at is not None and (until is None or at <= until) and (limit is None or len(found) < limit):
            found.append(at)
            at = self._plan.next(at + 1)
        return found

    def _describe(self, at: int) -> Occurrence:
        plan = self._plan
        segment = plan.zone.segments[plan.zone.index(at)]
        nominal = plan.moved_from(at)
        if nominal is not None:
            return Occurrence(utc_datetime(at), wall_datetime(nominal), "moved")
        flag = "second" if segment.second else "normal"
        return Occurrence(utc_datetime(at), wall_datetime(at + segment.offset), flag)


def _rebuild(rule: Rule, zone_name: str, *rest: Any) -> Recurrence:
    dst_gap, dst_overlap, text, warnings = rest
    return Recurrence(rule, zone_name, dst_gap, dst_overlap, text=text, warnings=warnings)


def _not_aware(instant: object) -> Exception:
    if isinstance(instant, datetime):
        return NaiveDatetime(
            f"{instant.isoformat()} has no time zone: give an aware datetime, for example .replace(tzinfo=UTC)"
        )
    return TypeError(f"an aware datetime is needed, not {type(instant).__name__}")


def rule_kind(rule: Rule) -> str:
    """The kind of a rule, see `Recurrence`."""
    match rule:
        case Cron():
            return "interval" if rule.interval_like else "fixed"
        case Every():
            return "interval"
        case Days():
            return "fixed"
        case Once():
            return "once"
        case Reboot():
            return "event"
        case Except():
            return rule_kind(rule.base)
        case Union():
            kinds = {rule_kind(part) for part in rule.parts}
            return kinds.pop() if len(kinds) == 1 else "mixed"
