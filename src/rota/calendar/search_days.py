"""Which days a rule has, a month at a time: bit d - 1 of a month's mask is its day d.

What depends on nothing but the month's shape (its length and the weekday of its first day) is computed once for each
of the 28 shapes.
"""

from __future__ import annotations

from rota.calendar.civil import MONTH_SHAPE, MONTH_START, MONTHS, day_number, month_of
from rota.calendar.rules import DEFAULT_ANCHOR, FIRST_YEAR, Cron, Days

_EVERY_SEVENTH = 0b10000000100000010000001000000100000010000001  # more than a month's worth of one weekday


class DaySet:
    """Days as masks by month. `first` and `last` bound the months that can have any.

    The stretch of months without days that was found last is remembered in each direction, each as one tuple that is
    replaced as a whole, so that threads may share a set: days that are rare, or never come, are not looked for again and
    again.
    """

    __slots__ = ("_ahead", "_behind", "first", "last")

    def __init__(self, first: int = 0, last: int = MONTHS - 1) -> None:
        self.first = first
        self.last = last
        self._ahead = (0, 0)
        self._behind = (0, 0)

    def mask(self, month: int) -> int:
        """The days of a month."""
        del month
        return 0

    def following(self, month: int) -> int:
        """The first month after `month` that has days; -1 if none has."""
        low, high = self._ahead  # of the months after `low` the first that has days is `high`, MONTHS if none has
        if not low <= month < high:
            found = self._following(month)
            low, high = self._ahead = (month, MONTHS if found < 0 else found)
        return high if high < MONTHS else -1

    def preceding(self, month: int) -> int:
        """The last month before `month` that has days; -1 if none has."""
        low, high = self._behind
        if not low < month <= high:
            low, high = self._behind = (self._preceding(month), month)
        return low

    def _following(self, month: int) -> int:
        for later in range(max(month + 1, self.first), self.last + 1):
            if self.mask(later):
                return later
        return -1

    def _preceding(self, month: int) -> int:
        for earlier in range(min(month - 1, self.last), self.first - 1, -1):
            if self.mask(earlier):
                return earlier
        return -1


class CronDays(DaySet):
    """The days of a cron rule."""

    __slots__ = ("_months", "_rule", "_shapes", "_years")

    def __init__(self, rule: Cron) -> None:
        super().__init__()
        self._rule = rule
        self._months = rule.month_mask >> 1
        self._years = rule.year_mask
        self._shapes: dict[int, int] = {}

    def mask(self, month: int) -> int:
        """The days of a month."""
        year, index = divmod(month, 12)
        if not self._years >> year & 1 or not self._months >> index & 1:
            return 0
        shape = MONTH_SHAPE[month]
        found = self._shapes.get(shape)
        if found is None:
            found = self._shapes[shape] = cron_shape(self._rule, shape // 7 + 28, shape % 7)
        return found

    def _following(self, month: int) -> int:
        """As above, jumping over years and months that are not asked for."""
        year, index = divmod(month + 1, 12)
        years = self._years >> year
        while years:
            if years & 1:
                months = self._months >> index
                while months:
                    index += (months & -months).bit_length() - 1
                    if self.mask(year * 12 + index):
                        return year * 12 + index
                    index += 1
                    months = self._months >> index
            skip = ((years & -2) & -(years & -2)).bit_length() - 1
            if skip < 1:
                break
            year, index, years = year + skip, 0, years >> skip
        return -1


def weekday_days(weekday: int, length: int, first: int) -> int:
    """The days of a month that are a weekday (0 = Monday), where day 1 is the weekday `first`."""
    return _EVERY_SEVENTH << (weekday - first) % 7 & (1 << length) - 1


def nth_day(weekday: int, n: int, length: int, first: int) -> int:
    """The mask of the n-th weekday of a month (-1: the last); 0 where there is none."""
    start = (weekday - first) % 7
    day = start + (n - 1) * 7 if n > 0 else start + (length - 1 - start) // 7 * 7
    return 1 << day if day < length else 0


def nearest_weekday(day: int, length: int, first: int) -> int:
    """The mask of the Monday-to-Friday day nearest to `day` within the month; 0 if the month has no such day."""
    if day > length:
        return 0
    weekday = (first + day - 1) % 7
    if weekday == 5:
        day += -1 if day > 1 else 2
    elif weekday == 6:
        day += 1 if day < length else -2
    return 1 << (day - 1)


def last_weekday(length: int, first: int) -> int:
    """The mask of the last Monday-to-Friday day of the month."""
    return 1 << (length - 1 - max((first + length - 1) % 7 - 4, 0))


def cron_shape(rule: Cron, length: int, first: int) -> int:
    """The days that a cron rule has in a month of this shape."""
    full = (1 << length) - 1
    days = full
    if rule.day_restricted:
        days = rule.day_mask >> 1 & full
        for offset in rule.last_offsets:
            if offset < length:
                days |= 1 << (length - 1 - offset)
        if rule.last_weekday:
            days |= last_weekday(length, first)
        if rule.nearest:
            days |= nearest_weekday(rule.nearest, length, first)
        if not rule.weekday_restricted:
            return days
    elif not rule.weekday_restricted:
        return full
    weekdays = 0
    for day in range(7):
        if rule.weekday_mask >> day & 1:
            weekdays |= weekday_days((day - 1) % 7, length, first)
    for day, n in rule.nth:
        weekdays |= nth_day((day - 1) % 7, n, length, first)
    if rule.day_restricted and not rule.plus:
        return days | weekdays
    return days & weekdays


class OneDay(DaySet):
    """A single day."""

    __slots__ = ("_mask",)

    def __init__(self, day: int) -> None:
        month = month_of(day)
        super().__init__(month, month)
        self._mask = 1 << (day - MONTH_START[month])

    def mask(self, month: int) -> int:
        """The days of a month."""
        return self._mask if month == self.first else 0


class RuleDays(DaySet):
    """The days of a `Days` rule. See there for what each unit counts."""

    __slots__ = ("_anchor", "_anchor_month", "_base", "_rule", "_shapes")

    def __init__(self, rule: Days) -> None:
        anchor = rule.anchor or DEFAULT_ANCHOR.date()
        self._rule = rule
        self._base = anchor
        self._anchor = day_number(anchor)
        self._anchor_month = (anchor.year - FIRST_YEAR) * 12 + anchor.month - 1
        self._shapes: dict[int, int] = {}
        super().__init__(max(self._anchor_month, 0) if rule.starting else 0)

    def mask(self, month: int) -> int:
        """The days of a month."""
        if month < self.first:
            return 0
        days = self._by_unit(month)
        if self._rule.starting and month == self._anchor_month:
            days = days >> self._base.day - 1 << self._base.day - 1
        return days

    def _by_unit(self, month: int) -> int:
        rule = self._rule
        if rule.unit == "day":
            return self._every_nth_day(month)
        if rule.unit == "week":
            return self._weeks(month)
        months = rule.months
        if rule.unit == "month":
            if (month - self._anchor_month) % rule.step:
                return 0
        else:
            if (month // 12 + FIRST_YEAR - self._base.year) % rule.step:
                return 0
            months = months or (self._base.month,)
        if months and month % 12 + 1 not in months:
            return 0
        shape = MONTH_SHAPE[month]
        found = self._shapes.get(shape)
        if found is None:
            found = self._shapes[shape] = days_shape(rule, shape // 7 + 28, shape % 7)
        return found

    def _every_nth_day(self, month: int) -> int:
        start = MONTH_START[month]
        length = MONTH_START[month + 1] - start
        days = 0
        for day in range((self._anchor - start) % self._rule.step, length, self._rule.step):
            days |= 1 << day
        if self._rule.weekdays:
            first = MONTH_SHAPE[month] % 7
            days &= _any_weekday(self._rule.weekdays, length, first)
        return days

    def _weeks(self, month: int) -> int:
        start = MONTH_START[month]
        length = MONTH_START[month + 1] - start
        weekdays = self._rule.weekdays or {self._base.weekday()}
        monday = self._anchor - self._base.weekday()
        days = 0
        for day in range(length):
            week, weekday = divmod(start + day - monday, 7)
            if weekday in weekdays and week % self._rule.step == 0:
                days |= 1 << day
        return days


def _any_weekday(weekdays: frozenset[int], length: int, first: int) -> int:
    days = 0
    for weekday in weekdays:
        days |= weekday_days(weekday, length, first)
    return days


def days_shape(rule: Days, length: int, first: int) -> int:
    """The days that a month or year rule has in a month of this shape."""
    full = (1 << length) - 1
    monthdays = rule.monthdays
    if not monthdays and not rule.nth and rule.business is None:
        if rule.weekdays:
            return _any_weekday(rule.weekdays, length, first)
        monthdays = (1,)
    days = 0
    for day in monthdays:
        number = day if day > 0 else length + 1 + day
        if rule.clamp:
            number = min(number, length)
        if number >= 1:
            days |= 1 << (number - 1)
    for n in rule.nth:
        for weekday in rule.weekdays:
            days |= nth_day(weekday, n, length, first)
    if rule.business is not None:
        business = [day for day in range(length) if (first + day) % 7 < 5]
        index = rule.business - 1 if rule.business > 0 else len(business) + rule.business
        if 0 <= index < len(business):
            days |= 1 << business[index]
    return days & full
