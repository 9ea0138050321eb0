"""`A except B` where B is days without a time: the whole days go, not their midnights."""

from __future__ import annotations

from dataclasses import replace

from rota.calendar.clauses import Reading
from rota.calendar.cron import parse_cron
from rota.calendar.rules import Days, Once, Rule

_SUNDAY_FIRST = 7
_SAFE_DAY = 28  # the last day that every month has: later ones are cut to the month's length


def minus_of(base: Rule, minus: Reading) -> Rule | None:
    """The rule whose occurrences `except` takes from `base`; None when days without a time cannot be written so.

    Days without a time take the base's own times of day where it has them, and else are all seconds of those days.
    """
    rule = minus.rule
    if minus.timed:
        return rule
    if isinstance(rule, Days) and isinstance(base, Days):
        return replace(rule, times=base.times)
    text = _whole_days(rule)
    return None if text is None else parse_cron(text)


def _whole_days(rule: Rule) -> str | None:
    """A cron text for every second of the days of `rule`, where there is one."""
    if isinstance(rule, Once) and rule.wall is not None:
        return f"* * * {rule.wall.day} {rule.wall.month} * {rule.wall.year}"
    if not isinstance(rule, Days) or rule.step != 1 or rule.starting or rule.business is not None:
        return None
    months = ",".join(map(str, rule.months)) or "*"
    if rule.unit == "year":
        return f"* * * {rule.monthdays[0]} {months} *" if rule.monthdays[0] <= _SAFE_DAY else None
    days = _monthdays(rule.monthdays)
    if days is None:
        return None
    weekdays = [str((day + 1) % _SUNDAY_FIRST) for day in sorted(rule.weekdays)]
    if rule.nth:
        weekdays = [f"{day}#{'L' if nth < 0 else nth}" for day in weekdays for nth in rule.nth]
    return f"* * * {days or '*'} {months} {','.join(weekdays) or '*'}"


def _monthdays(days: tuple[int, ...]) -> str | None:
    if any(_SAFE_DAY < day < 31 for day in days):
        return None
    return ",".join("L" if day in {-1, 31} else str(day) for day in days)
