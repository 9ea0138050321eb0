"""The rules that a `when` text becomes: plain frozen values, equal when they mean the same.

A "wall" time is a naive datetime: what the clock on the wall of the schedule's zone shows. A rule knows no zone;
`Recurrence` puts the two together. Rules are compared by meaning: texts that came in are carried along, but two rules
that match the same times in the same way are equal whatever was typed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import TypeAlias

FIRST_YEAR = 1970
LAST_YEAR = 2199

ALL_SECONDS = (1 << 60) - 1
ALL_MINUTES = (1 << 60) - 1
ALL_HOURS = (1 << 24) - 1
ALL_DAYS = (1 << 32) - 2
ALL_MONTHS = (1 << 13) - 2
ALL_WEEKDAYS = (1 << 7) - 1
ALL_YEARS = (1 << (LAST_YEAR - FIRST_YEAR + 1)) - 1

DEFAULT_ANCHOR = datetime(2024, 1, 1)  # noqa: DTZ001  a wall time: a Monday, midnight, the first of a leap year


def bits(mask: int, base: int = 0) -> tuple[int, ...]:
    """The numbers of the bits set in `mask`, ascending, each plus `base`."""
    found: list[int] = []
    base -= 1
    while mask:
        low = mask & -mask
        found.append(low.bit_length() + base)
        mask ^= low
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Once:
    """One occurrence: at a wall time of the schedule's zone, or at an instant. Exactly one of the two is given.

    A wall time is fixed-time under the clock-change rule. Fractions of a second are dropped.
    """

    wall: datetime | None = None
    instant: datetime | None = None

    def __post_init__(self) -> None:
        if (self.wall is None) == (self.instant is None):
            raise ValueError("Once takes a wall time or an instant, not both")
        if self.wall is not None and self.wall.tzinfo is not None:
            raise ValueError("Once.wall is a naive wall time")
        if self.instant is not None and self.instant.utcoffset() is None:
            raise ValueError("Once.instant is an aware datetime")

    @property
    def canonical(self) -> str:
        """The canonical text, see `rota.calendar.text.canonical`."""
        return _canonical(self)


@dataclass(frozen=True, slots=True)
class Every:
    """Elapsed time: every instant anchor + k x `seconds` for all integers k; nothing before the anchor if `starting`.

    `anchor` is a wall time of the schedule's zone; None means 2024-01-01T00:00 there.
    """

    seconds: int
    anchor: datetime | None = None
    starting: bool = False

    def __post_init__(self) -> None:
        if self.seconds < 1:
            raise ValueError("an interval is at least one second")

    @property
    def canonical(self) -> str:
        """`every N UNIT` in the largest unit that is exact, with `starting` where the rule has it."""
        return _canonical(self)


@dataclass(frozen=True, slots=True)
class Days:
    """Times of day on days counted on wall time. Fixed-time under the clock-change rule.

    `unit` and `step` select: `day`, every `step` days from the anchor; `week`, on `weekdays` (0 = Monday) of every
    `step`-th week, weeks beginning on Monday and counted from the one that holds the anchor; `month`, in every
    `step`-th month from the anchor's; `year`, in every `step`-th year from the anchor's. In `month` and `year` the
    months are limited to `months` (empty: all; for `year`: the anchor's month), and the days are, as a union:
    `monthdays` (1 to 31, cut to the month's length when `clamp`; -1 is the last day), the `nth` (1 to 5, -1 last) of
    the `weekdays`, and the `business`-th weekday Monday to Friday (-1 last). A month rule with none of the three has
    all days in `weekdays`, or day 1.

    `anchor` None is 2024-01-01; `starting`: no day before the anchor.
    """

    times: tuple[time, ...] = (time(0),)
    unit: str = "day"
    step: int = 1
    weekdays: frozenset[int] = frozenset()
    nth: tuple[int, ...] = ()
    monthdays: tuple[int, ...] = ()
    months: tuple[int, ...] = ()
    clamp: bool = True
    anchor: date | None = None
    starting: bool = False
    business: int | None = None

    def __post_init__(self) -> None:
        if not self.times:
            raise ValueError("a day rule has at least one time of day")
        if self.unit not in {"day", "week", "month", "year"}:
            raise ValueError(f"no such unit: {self.unit}")
        if self.step < 1:
            raise ValueError("a step is at least 1")

    @property
    def canonical(self) -> str:
        """The canonical text, see `rota.calendar.text.canonical`."""
        return _canonical(self)


@dataclass(frozen=True, slots=True)
class Cron:
    """A cron text, parsed. Made by `rota.calendar.cron.parse_cron`.

    Value sets are bit masks: bit n of `second_mask`, `minute_mask`, `hour_mask`, `day_mask` (1-31), `month_mask`
    (1-12) and `weekday_mask` (0 = Sunday to 6 = Saturday, as cron counts), bit n - 1970 of `year_mask`; the
    properties without `_mask` are the same as ascending tuples. Special days stand beside the sets: `last_offsets`
    (L is 0, L-3 is 3), `last_weekday` (LW), `nearest` (15 for 15W, else 0), `nth` as (weekday, n) with n = -1 for
    the last. `plus`: both day fields must match (only ever true when both are restricted).

    `resolved` is the text after nicknames and H, single-spaced; `text` is what was written. Neither takes part in
    comparison.
    """

    second_mask: int
    minute_mask: int
    hour_mask: int
    day_mask: int
    month_mask: int
    weekday_mask: int
    year_mask: int
    last_offsets: tuple[int, ...]
    last_weekday: bool
    nearest: int
    nth: tuple[tuple[int, int], ...]
    day_restricted: bool
    weekday_restricted: bool
    plus: bool
    interval_like: bool
    nfields: int = field(compare=False)
    resolved: str = field(compare=False)
    text: str = field(compare=False)

    @property
    def seconds(self) -> tuple[int, ...]:
        """The seconds, 0-59."""
        return bits(self.second_mask)

    @property
    def minutes(self) -> tuple[int, ...]:
        """The minutes, 0-59."""
        return bits(self.minute_mask)

    @property
    def hours(self) -> tuple[int, ...]:
        """The hours, 0-23."""
        return bits(self.hour_mask)

    @property
    def days(self) -> tuple[int, ...]:
        """The plain days of the month, 1-31; empty when the field holds only special days."""
        return bits(self.day_mask)

    @property
    def months(self) -> tuple[int, ...]:
        """The months, 1-12."""
        return bits(self.month_mask)

    @property
    def weekdays(self) -> tuple[int, ...]:
        """The plain weekdays, 0 = Sunday to 6; empty when the field holds only nth or last ones."""
        return bits(self.weekday_mask)

    @property
    def years(self) -> tuple[int, ...]:
        """The years, 1970-2199."""
        return bits(self.year_mask, FIRST_YEAR)

    @property
    def fields(self) -> tuple[str, ...]:
        """The resolved text of each field, five to seven."""
        return tuple(self.resolved.split(" "))

    @property
    def canonical(self) -> str:
        """The one text of all cron rules equal to this one; parses to an equal rule."""
        from rota.calendar.cron import canonical_cron

        return canonical_cron(self)


@dataclass(frozen=True, slots=True)
class Union:
    """What any of `parts` matches; one instant is one occurrence however many parts match it."""

    parts: tuple[Rule, ...]

    def __post_init__(self) -> None:
        if not self.parts:
            raise ValueError("a union has at least one part")

    @property
    def canonical(self) -> str:
        """The canonical text, see `rota.calendar.text.canonical`."""
        return _canonical(self)


@dataclass(frozen=True, slots=True)
class Except:
    """The occurrences of `base` at whose instant `minus` has none."""

    base: Rule
    minus: Rule

    @property
    def canonical(self) -> str:
        """The canonical text, see `rota.calendar.text.canonical`."""
        return _canonical(self)


@dataclass(frozen=True, slots=True)
class Reboot:
    """`@reboot`: parses so that importers can name it; never has a next time."""

    @property
    def canonical(self) -> str:
        """`@reboot`."""
        return "@reboot"


Rule: TypeAlias = Once | Every | Days | Cron | Union | Except | Reboot


def _canonical(rule: Rule) -> str:
    from rota.calendar.text import canonical

    return canonical(rule)
