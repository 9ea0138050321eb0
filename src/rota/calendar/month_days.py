"""Readers of days of a month (`day 31`, `last friday`, `first business day`) and of a year (`dec 24`)."""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass

from rota.calendar.readers import read_list, read_weekdays
from rota.calendar.tokens import Cursor
from rota.calendar.vocabulary import MONTHS, NUMBER, WEEKDAYS, nth_number

MONTH_DAYS = "`day 31`, `last day`, `second tuesday`, `last friday` or `first business day`"
YEAR_DAY = "a month and a day, such as `dec 24`"
_LEAP_YEAR = 2024
_WEEKDAY_NOUNS = WEEKDAYS.keys() | {"business", "working", "weekday", "workday"}


@dataclass(frozen=True, slots=True)
class MonthDays:
    """Which days of a month: the fields of `Days` with the same names."""

    monthdays: tuple[int, ...] = ()
    nth: tuple[int, ...] = ()
    weekdays: frozenset[int] = frozenset()
    business: int | None = None
    months: tuple[int, ...] = ()

    @property
    def is_one_date(self) -> bool:
        """True for one day of one month, which that month has: the same as a day of the year."""
        if self.nth or self.business is not None or len(self.months) != 1 or len(self.monthdays) != 1:
            return False
        return 1 <= self.monthdays[0] <= monthrange(_LEAP_YEAR, self.months[0])[1]


def begins_month_days(cur: Cursor, ahead: int = 0) -> bool:
    """True when the chunk `ahead` begins days of a month."""
    word = cur.word(ahead)
    return word in {"day", "days", "the"} or nth_number(word) is not None


def read_month_days(cur: Cursor) -> MonthDays:
    """Days of a month in groups joined by `,` or `and`; at most one group of nth weekdays and one business day."""
    start = cur.place
    groups = read_list(cur, _month_group, begins_month_days)
    weekday_groups = [group for group in groups if group.nth]
    business = [group.business for group in groups if group.business is not None]
    if len(weekday_groups) > 1 or len(business) > 1:
        cur.place = start
        raise cur.error("one group of weekdays of the month; write the other as a rule of its own after `;`")
    return MonthDays(
        monthdays=_last_behind({day for group in groups for day in group.monthdays}),
        nth=weekday_groups[0].nth if weekday_groups else (),
        weekdays=weekday_groups[0].weekdays if weekday_groups else frozenset(),
        business=business[0] if business else None,
        months=_of_month(cur),
    )


def _last_behind(numbers: set[int]) -> tuple[int, ...]:
    return tuple(sorted(numbers, key=lambda number: (number < 0, number)))


def _of_month(cur: Cursor) -> tuple[int, ...]:
    if not cur.accept("of", "in"):
        return ()
    cur.accept("the", "every", "each")
    if cur.accept("month"):
        return ()
    return tuple(sorted(set(read_list(cur, _month_name, lambda cursor, ahead: cursor.word(ahead) in MONTHS))))


def _month_name(cur: Cursor) -> int:
    if cur.word() not in MONTHS:
        raise cur.error("`month`, or names of months such as jan,jul")
    return MONTHS[cur.take()]


def _month_group(cur: Cursor) -> MonthDays:
    cur.accept("the")
    if cur.accept("day", "days") or NUMBER.fullmatch(cur.word()):
        return MonthDays(monthdays=_last_behind(set(read_list(cur, _day_number, _begins_day_number, inner=True))))
    start = cur.place
    numbers = read_list(cur, _nth, lambda cursor, ahead: nth_number(cursor.word(ahead)) is not None)
    word, after = cur.word(), cur.word(1)
    if word in {"business", "working"} and after == "day":
        cur.place += 2
        return _business(cur, numbers, start)
    if cur.accept("weekday", "workday"):
        return _business(cur, numbers, start)
    if word in WEEKDAYS:
        return _nth_weekdays(cur, numbers, start)
    if not cur.accept("day", "days") and not _all_figures(cur, start):
        raise cur.error("a day name, `day` or `business day` after the ordinal")
    if any(not (1 <= number <= 31 or number == -1) for number in numbers):
        cur.place = start
        raise cur.error("a day 1-31 or last")
    return MonthDays(monthdays=_last_behind(set(numbers)))


def _all_figures(cur: Cursor, start: int) -> bool:
    """True when the chunks from `start` to the place are ordinals in figures: `1st and 15th` needs no noun."""
    return all(chunk.word[0].isdigit() or chunk.word in {",", "and"} for chunk in cur.chunks[start : cur.place])


def _nth(cur: Cursor) -> int:
    number = nth_number(cur.word())
    if number is None:
        raise cur.error("an ordinal: first to fifth, 1st to 31st, or last")
    cur.take()
    return number


def _business(cur: Cursor, numbers: list[int], start: int) -> MonthDays:
    if len(numbers) != 1 or not (1 <= numbers[0] <= 23 or numbers[0] == -1):
        cur.place = start
        raise cur.error("one business day: first, last or 1st to 23rd")
    return MonthDays(business=numbers[0])


def _nth_weekdays(cur: Cursor, numbers: list[int], start: int) -> MonthDays:
    if any(not (1 <= number <= 5 or number == -1) for number in numbers):
        cur.place = start
        raise cur.error("first, second, third, fourth, fifth or last before a day name")
    return MonthDays(nth=_last_behind(set(numbers)), weekdays=read_weekdays(cur))


def _begins_day_number(cur: Cursor, ahead: int) -> bool:
    word = cur.word(ahead)
    if NUMBER.fullmatch(word) or word == "day":
        return True
    return nth_number(word) is not None and _noun(cur, ahead) not in _WEEKDAY_NOUNS


def _noun(cur: Cursor, ahead: int) -> str:
    """The first chunk from `ahead` on that is no ordinal and joins none: what `first and third` are of."""
    while nth_number(cur.word(ahead)) is not None or cur.word(ahead) in {",", "and"}:
        ahead += 1
    return cur.word(ahead)


def _day_number(cur: Cursor) -> int:
    cur.accept("day")
    word = cur.word()
    number = int(word) if NUMBER.fullmatch(word) else nth_number(word)
    if number is None or not (1 <= number <= 31 or number == -1):
        raise cur.error("a day 1-31 or last")
    cur.take()
    if number == -1:
        cur.accept("day")
    return number


# Days of a year


def begins_year_day(cur: Cursor) -> bool:
    """True when the next chunks are a month's name, or a number and a month's name."""
    word = cur.word()
    if word in MONTHS or (nth_number(word) is None and not NUMBER.fullmatch(word)):
        return word in MONTHS
    return cur.word(1) in MONTHS or (cur.word(1) == "of" and cur.word(2) in MONTHS)


def read_year_day(cur: Cursor) -> tuple[int, int]:
    """A month and a day: `dec 24`, `24 december`, `the 24th of december`. 29 February is a day of a year too."""
    cur.accept("the")
    if cur.word() in MONTHS:
        month = MONTHS[cur.take()]
        day, place = _year_number(cur)
    else:
        day, place = _year_number(cur)
        cur.accept("of")
        if cur.word() not in MONTHS:
            raise cur.error("the name of a month")
        month = MONTHS[cur.take()]
    length = monthrange(_LEAP_YEAR, month)[1]
    if day > length:
        cur.place = place
        raise cur.error(f"a day 1-{length}")
    return month, day


def _year_number(cur: Cursor) -> tuple[int, int]:
    place, word = cur.place, cur.word()
    number = int(word) if NUMBER.fullmatch(word) else nth_number(word)
    if number is None:
        raise cur.error(YEAR_DAY)
    if not 1 <= number <= 31:
        raise cur.error("a day 1-31")
    cur.take()
    return number, place
