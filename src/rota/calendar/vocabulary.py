"""The words of the `when` grammar: names, numbers and units, and the one way each is written in canonical texts."""

from __future__ import annotations

import re
from typing import Final

WEEKDAY_NAMES: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
WEEKDAY_LONG: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTH_NAMES: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH_LONG: Final = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
WORKDAYS: Final = frozenset(range(5))
WEEKEND: Final = frozenset((5, 6))

_SHORT_FORMS: Final = {"tues": 1, "weds": 2, "thur": 3, "thurs": 3}
WEEKDAYS: Final[dict[str, int]] = {
    **{name: number for number, name in enumerate(WEEKDAY_NAMES)},
    **{name.lower(): number for number, name in enumerate(WEEKDAY_LONG)},
    **{name.lower() + "s": number for number, name in enumerate(WEEKDAY_LONG)},
    **_SHORT_FORMS,
}
"""Every spelling of a weekday, Monday is 0."""

DAY_SETS: Final[dict[str, frozenset[int]]] = {
    "weekday": WORKDAYS,
    "weekdays": WORKDAYS,
    "weekend": WEEKEND,
    "weekends": WEEKEND,
}

MONTHS: Final[dict[str, int]] = {
    **{name: number for number, name in enumerate(MONTH_NAMES, 1)},
    **{name.lower(): number for number, name in enumerate(MONTH_LONG, 1)},
    "sept": 9,
}
"""Every spelling of a month, January is 1."""

ORDINALS: Final[dict[str, int]] = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "fifth": 5,
    "last": -1,
}
ORDINAL_WORDS: Final[dict[int, str]] = {number: word for word, number in ORDINALS.items()}

ELAPSED_SECONDS: Final[dict[str, int]] = {"second": 1, "minute": 60, "hour": 3600}
"""Units that count elapsed time; the others (day, week, month, year) count on wall time."""

_UNIT_FORMS: Final[dict[str, tuple[str, ...]]] = {
    "second": ("s", "sec", "secs", "second", "seconds"),
    "minute": ("m", "min", "mins", "minute", "minutes"),
    "hour": ("h", "hr", "hrs", "hour", "hours"),
    "day": ("d", "day", "days"),
    "week": ("w", "week", "weeks"),
    "month": ("month", "months"),
    "year": ("y", "year", "years"),
}
UNITS: Final[dict[str, str]] = {form: unit for unit, forms in _UNIT_FORMS.items() for form in forms}

PERIODS: Final[dict[str, str]] = {
    "daily": "day",
    "weekly": "week",
    "monthly": "month",
    "yearly": "year",
    "annually": "year",
}
"""Adverbs; alone each is the cron nickname with `@` before it."""

UNIT_DAYS: Final[dict[str, int]] = {"day": 1, "week": 7, "month": 31, "year": 366}
LONGEST_DAYS: Final = 366 * 200
"""No step is longer than 200 years: beyond it lies nothing but the end of the calendar."""

DATE: Final = re.compile(
    r"(?P<date>[0-9]{4}-[0-9]{1,2}-[0-9]{1,2})(?:[t](?P<time>[0-9:.]+)(?P<offset>z|[+-][0-9]{2}:?[0-9]{2})?)?",
)
TIME: Final = re.compile(r"(?P<hour>[0-9]{1,2})(?::(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2}))?)?(?P<half>am|pm)?")
DATE_TIME: Final = re.compile(
    r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:\.(?P<fraction>[0-9]{1,6}))?)?"
    r"(?P<offset>z|[+-][0-9]{2}:?[0-9]{2})?",
)
NUMBER: Final = re.compile(r"[0-9]{1,9}")
LENGTH: Final = re.compile(r"(?:[0-9]{1,9}[a-z]+)+")
LENGTH_PART: Final = re.compile(r"([0-9]+)([a-z]+)")
NTH: Final = re.compile(r"([0-9]{1,2})(?:st|nd|rd|th)")


def nth_number(word: str) -> int | None:
    """The number that an ordinal names: `first` and `1st` are 1, `last` is -1; None when `word` is no ordinal."""
    if word in ORDINALS:
        return ORDINALS[word]
    match = NTH.fullmatch(word)
    return int(match[1]) if match else None


def nth_text(number: int) -> str:
    """The ordinal of a number in figures: 1st, 2nd, 3rd, 11th, 22nd."""
    if number % 100 in {11, 12, 13}:
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"
