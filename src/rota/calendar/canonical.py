"""The one text of a rule: equal rules have equal texts, and the text parses to an equal rule."""

from __future__ import annotations

from datetime import UTC, date, datetime, time

from rota.calendar.rules import DEFAULT_ANCHOR, Cron, Days, Every, Except, Once, Reboot, Rule, Union
from rota.calendar.vocabulary import MONTH_NAMES, ORDINAL_WORDS, WEEKDAY_NAMES, nth_text

_SMALL = 60


def canonical(rule: Rule) -> str:
    """The canonical text of `rule`: parsed again (in any zone) it gives an equal rule, and so the same text.

    Cron stays cron with nicknames and names replaced by numbers; intervals are in the largest exact unit; lists are
    sorted; a union's parts and what an `except` takes away are sorted too, each once.
    """
    if isinstance(rule, (Cron, Reboot)):
        return rule.canonical
    if isinstance(rule, Once):
        return _once(rule)
    if isinstance(rule, Every):
        return _every(rule)
    if isinstance(rule, Days):
        return _days(rule)
    return "; ".join(sorted(set(_joined(rule))))


def _joined(rule: Rule) -> list[str]:
    """The texts of the rules that a union or difference is the union of: `except` binds closer than `;`."""
    if isinstance(rule, Union):
        return [text for part in rule.parts for text in _joined(part)]
    if isinstance(rule, Except):
        taken = _joined(rule.minus)
        return [_less(base, taken) for base in _joined(rule.base)]
    return [canonical(rule)]


def _less(base: str, taken: list[str]) -> str:
    first, *before = base.split(" except ")
    return " except ".join([first, *sorted({*before, *taken})])


def _once(rule: Once) -> str:
    if rule.instant is not None:
        return wall_text(rule.instant.astimezone(UTC).replace(tzinfo=None)) + "Z"
    return wall_text(rule.wall or DEFAULT_ANCHOR)


def wall_text(wall: datetime) -> str:
    """A wall time as texts have it: 2026-12-24T18:00, with seconds only where they are not zero."""
    return f"{wall.date().isoformat()}T{time_text(wall.time())}"


def time_text(at: time) -> str:
    """A time of day: 09:00, with seconds only where they are not zero."""
    return f"{at:%H:%M:%S}" if at.second else f"{at:%H:%M}"


def length_text(seconds: int) -> str:
    """An elapsed length in its largest exact unit: `second`, `90 seconds`, `2 hours`."""
    unit, size = "second", 1
    for name, length in (("minute", _SMALL), ("hour", _SMALL * _SMALL)):
        if seconds % length == 0:
            unit, size = name, length
    return _counted(seconds // size, unit)


def _counted(count: int, unit: str) -> str:
    return unit if count == 1 else f"{count} {unit}s"


def _every(rule: Every) -> str:
    text = f"every {length_text(rule.seconds)}"
    if rule.anchor is None or (rule.anchor == DEFAULT_ANCHOR and not rule.starting):
        return text + (f" starting {wall_text(DEFAULT_ANCHOR)}" if rule.starting else "")
    return f"{text} {'starting' if rule.starting else 'anchored'} {wall_text(rule.anchor)}"


def _days(rule: Days) -> str:
    parts = ["every", _counted(rule.step, rule.unit)]
    if rule.unit == "week":
        parts += ["on", weekdays_text(rule.weekdays or {_anchor(rule).weekday()})]
    elif rule.unit == "month":
        parts += ["on", _month_days(rule)]
    elif rule.unit == "year":
        month = rule.months[0] if rule.months else _anchor(rule).month
        day = rule.monthdays[0] if rule.monthdays else _anchor(rule).day
        parts += ["on", f"{MONTH_NAMES[month - 1]} {day}"]
    parts += ["at", ",".join(time_text(at) for at in sorted(set(rule.times)))]
    return " ".join(parts) + _start(rule)


def _anchor(rule: Days) -> date:
    return rule.anchor or DEFAULT_ANCHOR.date()


def _start(rule: Days) -> str:
    anchor = _anchor(rule)
    if rule.starting:
        return f" starting {anchor.isoformat()}"
    # Where every day, week, month or year counts it does not matter which was the first.
    if rule.step == 1 or anchor == DEFAULT_ANCHOR.date():
        return ""
    return f" anchored {anchor.isoformat()}"


def weekdays_text(weekdays: frozenset[int] | set[int]) -> str:
    """Day names from Monday on, joined by commas."""
    return ",".join(WEEKDAY_NAMES[day] for day in sorted(weekdays))


def _month_days(rule: Days) -> str:
    groups = []
    numbers = sorted(day for day in set(rule.monthdays) if day > 0)
    if numbers:
        last = ["last day"] if -1 in rule.monthdays else []
        groups.append("day " + ",".join([*map(str, numbers), *last]))
    elif -1 in rule.monthdays or not (rule.nth or rule.business is not None or rule.weekdays):
        groups.append("last day" if -1 in rule.monthdays else "day 1")
    if rule.business is not None:
        groups.append(f"{_nth(rule.business)} business day")
    if rule.weekdays:
        nth = sorted(set(rule.nth), key=lambda number: (number < 0, number)) or [1, 2, 3, 4, 5]
        groups.append(f"{','.join(map(_nth, nth))} {weekdays_text(rule.weekdays)}")
    text = " and ".join(groups)
    if rule.months and len(set(rule.months)) < len(MONTH_NAMES):
        text += " of " + ",".join(MONTH_NAMES[month - 1] for month in sorted(set(rule.months)))
    return text


def _nth(number: int) -> str:
    return ORDINAL_WORDS.get(number) or nth_text(number)
