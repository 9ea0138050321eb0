"""The nearest valid spelling of a text that cannot be read: guesses, each kept only if it parses."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Collection, Iterator
from difflib import get_close_matches
from typing import Final

from rota.calendar.route import is_cron
from rota.calendar.tokens import invalid, suggesting
from rota.calendar.vocabulary import DAY_SETS, MONTHS, ORDINALS, PERIODS, UNITS, WEEKDAY_NAMES, WEEKDAYS
from rota.errors import InvalidSchedule

_WORDS: Final = sorted(
    {"every", "other", "at", "on", "and", "starting", "noon", "midnight", "today", "tomorrow", "once", "business"}
    | {"except", "hourly", "of", "the", "in", "am", "pm"}
    | {*WEEKDAYS, *DAY_SETS, *MONTHS, *ORDINALS, *PERIODS, *UNITS}
)
_LOOSE: Final = 0.65
_MOST_CORRECTED: Final = 8
_LONGEST_WORD: Final = 24
_PUNCTUATION: Final = str.maketrans(
    {
        "\N{NO-BREAK SPACE}": " ",
        "\N{HYPHEN}": "-",
        "\N{NON-BREAKING HYPHEN}": "-",
        "\N{EN DASH}": "-",
        "\N{EM DASH}": "-",
        "\N{MINUS SIGN}": "-",
        "\N{FULLWIDTH COLON}": ":",
        "\N{FULLWIDTH COMMA}": ",",
        **dict.fromkeys("\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}\"'`", ""),
        **dict.fromkeys("\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}", ""),
    }
)
_PHRASES: Final[tuple[tuple[str, str], ...]] = (
    (r"\beveryday\b", "every day"),
    (r"\b(?:every day|daily) on\b", "every week on"),
    (r"\bevery 0+ ?([a-z]+?)s?\b", r"every \1"),
    (r"\b(?:once (?:a|per)|each|per) (day|week|month|year|hour|minute|second)\b", r"every \1"),
    (r"\btwice (?:a|per) day\b", "every 12 hours"),
    (r"\btwice (?:a|per|an) hour\b", "every 30 minutes"),
    (r"\b(?:biweekly|fortnightly|every fortnight)\b", "every 2 weeks"),
    (r"\bquarterly\b", "every 3 months"),
    (r"\bevery quarter\b", "every 3 months"),
    (r"\b(?:nightly|every night)\b", "daily"),
    (r"\b(?:every )?half(?: an)? hour\b", "every 30 minutes"),
    (r"\b(?:every )?(?:business|working|work) ?days?\b", "weekdays"),
    (r"\bo'?clock\b", ""),
    (r"\b([0-9]{1,2})[.h]([0-9]{2})\b", r"\1:\2"),
    (r"\b([01][0-9]|2[0-3])([0-5][0-9])\b", r"\1:\2"),
    (r"(?<![0-9:])24:00(?::00)?\b", "00:00"),
    (r"(?<![0-9:])(?:2[4-9]|[3-9][0-9]):", "23:"),
    (r":[6-9][0-9]\b", ":59"),
    (r"\bnext\b", "once"),
    (r"\bmidday\b", "noon"),
    (r"\b([ap])\.m\.?", r"\1m"),
    (r"^ *hourly at :?([0-5]?[0-9]) *$", r"\1 * * * *"),
    (r"^ *every hour at :?([0-5]?[0-9]) *$", r"\1 * * * *"),
    (r"^ *(?:on )?the hour *$", "0 * * * *"),
    (r"^ *([0-9]+ ?[a-z]+) *$", r"every \1"),
    (r" *#.*$", ""),
)
_WITHIN: Final = re.compile(
    r" *every (?:([0-9]{1,2}) ?)?(m|min|minute|h|hour)s?"
    r"(?: (?:between|from) ([0-9]{1,2})(?::00)? (?:and|to|until) ([0-9]{1,2})(?::00)?)?"
    r"(?:,? on ([a-z,-]+)|,? (weekdays|weekends))? *",
    re.IGNORECASE,
)
_FRACTION: Final = re.compile(r"([0-9]{1,4})\.([0-9]{1,2}) ?(m|min|minute|h|hour)s?\b", re.IGNORECASE)


def explained(error: InvalidSchedule, valid: Callable[[str], bool], calendars: Collection[str]) -> InvalidSchedule:
    """`error` with a suggestion that `valid` accepts, or with none.

    Where `found` is one of `calendars`, the error says that `except CALENDAR` is not available in this version.
    """
    if error.found in calendars:
        problem = f"the calendar {error.found} cannot be named here: named calendars are not available in this version"
        return invalid(error.text, error.column, error.found, "a rule", problem=problem)
    if error.suggestion is not None and valid(error.suggestion):
        return error if error.suggestion in error.message else suggesting(error, error.suggestion)
    for candidate in _candidates(error):
        if candidate != error.text and valid(candidate):
            return suggesting(error, candidate)
    if error.suggestion is None:
        return error
    return invalid(error.text, error.column, error.found, error.allowed, problem=_problem(error))


def _problem(error: InvalidSchedule) -> str:
    return error.message.removeprefix(f"column {error.column}: ").partition(" (allowed:")[0]


def _candidates(error: InvalidSchedule) -> Iterator[str]:
    """Spellings that may have been meant, the nearest first; none is known to parse."""
    lines = "; ".join(line for line in error.text.splitlines() if line.strip())
    yield lines
    text = " ".join(error.text.translate(_PUNCTUATION).split()).rstrip(".!;, ")
    text = re.sub(r"\d", lambda digit: str(int(digit[0])), text)  # digits of any script, as ASCII
    yield text
    yield _clamped(error)
    yield _within_hours(text)
    yield _whole_numbers(text)
    yield _real_date(error)
    yield _afternoon(text)
    yield _all_hours(text)
    phrased = text
    for pattern, written in _PHRASES:
        changed = re.sub(pattern, written, text, flags=re.IGNORECASE).strip()
        if changed != text:
            yield changed
            phrased = re.sub(pattern, written, phrased, flags=re.IGNORECASE).strip()
    yield phrased
    yield _corrected(text)
    yield _corrected(phrased)
    yield text.upper()
    yield f"every {text}"
    if not is_cron(error.text):
        yield from _shortened(error)


def _clamped(error: InvalidSchedule) -> str:
    """A number out of range replaced by the nearest in it; a comma or dash with nothing after it left out."""
    before, after = error.text[: error.column - 1], error.text[error.column - 1 :]
    bounds = re.match(r"([0-9]+)-([0-9]+)", error.allowed)
    number = re.match(r"[0-9]{1,9}", after)
    if bounds and number:
        return f"{before}{min(max(int(number[0]), int(bounds[1])), int(bounds[2]))}{after[number.end() :]}"
    return before[:-1] + after if before.endswith((",", "-")) else error.text


def _corrected(text: str) -> str:
    """The text with words that are in no rule replaced by the nearest that are."""
    left = _MOST_CORRECTED

    def nearest(match: re.Match[str]) -> str:
        nonlocal left
        word = match[0].lower()
        if word in _WORDS or len(word) > _LONGEST_WORD or left == 0:
            return match[0]
        left -= 1
        close = get_close_matches(word, _WORDS, n=1, cutoff=_LOOSE)
        return close[0] if close else match[0]

    return re.sub(r"(?<![0-9A-Za-z])[A-Za-z]{2,}", nearest, text)


def _within_hours(text: str) -> str:
    """An interval with days or hours of the day is a cron text, where its step divides the hour or the day."""
    match = _WITHIN.fullmatch(text)
    if match is None:
        return text
    count, unit, low, high, *days = match.groups()
    step = int(count or 1)
    size = 60 if unit[0].lower() == "m" else 24
    if step == 0 or size % step:
        return text
    hours = "*"
    if low is not None and high is not None:
        hours = f"{int(low)}-{max(int(high) - 1, int(low))}"
    weekdays = _cron_days(days[0] or days[1] or "")
    steps = "*" if step == 1 else f"*/{step}"
    if size == 60:
        return f"{steps} {hours} * * {weekdays}"
    return f"0 {steps if hours == '*' else hours + steps[1:]} * * {weekdays}"


def _cron_days(days: str) -> str:
    lower = days.lower()
    if lower.rstrip("s") in {"weekday", "weekend"}:
        return "1-5" if lower.startswith("weekd") else "0,6"
    spelled = {name: WEEKDAY_NAMES[number] for name, number in WEEKDAYS.items()}
    return re.sub("[a-z]+", lambda match: spelled.get(match[0], match[0]), lower) or "*"


def _whole_numbers(text: str) -> str:
    """`1.5 hours` as `90 minutes`, `0.5 minutes` as `30 seconds`."""

    def whole(match: re.Match[str]) -> str:
        hundredths = int(match[1]) * 100 + int(match[2].ljust(2, "0"))
        smaller = "minutes" if match[3][0].lower() == "h" else "seconds"
        return f"{hundredths * 60 // 100} {smaller}"

    return _FRACTION.sub(whole, text)


def _real_date(error: InvalidSchedule) -> str:
    """The text with a day past the month's end, or a month past the year's, replaced by the last one there is."""

    def last(match: re.Match[str]) -> str:
        year, month = int(match[1]), min(max(int(match[2]), 1), 12)
        day = min(max(int(match[3]), 1), monthrange(max(year, 1), month)[1])
        return f"{match[1]}-{month:02}-{day:02}"

    return re.sub(r"\b([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})\b", last, error.text)


def _all_hours(text: str) -> str:
    """Days and hours together, as `2d12h`, in hours."""

    def hours(match: re.Match[str]) -> str:
        return f"{int(match[1]) * 24 + int(match[2])} hours"

    return re.sub(r"\b([0-9]{1,4}) ?d(?:ays?)? ?(?:and )?([0-9]{1,4}) ?h(?:ours?)?\b", hours, text, flags=re.IGNORECASE)


def _afternoon(text: str) -> str:
    """`13pm` as 13:00, `0am` as 00:00."""

    def plain(match: re.Match[str]) -> str:
        return f"{int(match[1]):02}:{match[2] or '00'}"

    return re.sub(r"\b(0|00|1[3-9]|2[0-3])(?::([0-5][0-9]))? ?[ap]m\b", plain, text, flags=re.IGNORECASE)


def _shortened(error: InvalidSchedule) -> Iterator[str]:
    """The text without the chunk at the error, and the text up to it."""
    before, after = error.text[: error.column - 1], error.text[error.column - 1 :]
    head = re.sub(r"[^ \t,]*$", "", before)
    rest = re.split(r"[ \t,;]+", after, maxsplit=1)
    if head:
        yield f"{head.rstrip()} {rest[1] if len(rest) > 1 else ''}".strip()
    yield re.sub(r"(?:[ \t,;]+|\b(?:at|on|and|except|the|starting)\b)*$", "", head)
