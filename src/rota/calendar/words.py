"""A recurrence as one English sentence with its zone: `At 03:15 every day, Europe/Stockholm time`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, time
from typing import TYPE_CHECKING

from rota.calendar import civil
from rota.calendar.canonical import length_text, time_text
from rota.calendar.rules import DEFAULT_ANCHOR, Cron, Days, Every, Except, Once, Reboot, Rule, Union
from rota.calendar.vocabulary import MONTH_LONG, ORDINAL_WORDS, WEEKDAY_LONG, WORKDAYS, nth_text
from rota.calendar.words_cron import cron_days, cron_words, is_whole_days

if TYPE_CHECKING:
    from rota.calendar.recurrence import Recurrence


def describe(rec: Recurrence) -> str:
    """One sentence, without a full stop, that says when `rec` occurs and in which zone."""
    if isinstance(rec.rule, Reboot):
        return "At each start of a node, never at a time of the clock"
    zone = "UTC" if rec.zone_name in {"UTC", "Etc/UTC"} else f"{rec.zone_name} time"
    return f"{_sentence(rec.rule, rec.zone_name)}, {zone}".replace("on Monday to Friday", "from Monday to Friday")


def _sentence(rule: Rule, zone: str) -> str:
    if isinstance(rule, Union):
        first, *others = (_sentence(part, zone) for part in rule.parts)
        return "; and ".join([first, *map(_lower, others)])
    if isinstance(rule, Except):
        taken = rule.minus.parts if isinstance(rule.minus, Union) else (rule.minus,)
        return f"{_sentence(rule.base, zone)}, except {listed([_taken(part, zone) for part in taken])}"
    if isinstance(rule, Cron):
        return cron_words(rule)
    if isinstance(rule, Every):
        return _every(rule)
    if isinstance(rule, Once):
        return _once(rule, zone)
    return _days(rule) if isinstance(rule, Days) else "Never"


def _taken(rule: Rule, zone: str) -> str:
    if isinstance(rule, Cron) and is_whole_days(rule):
        return cron_days(rule)
    return _lower(_sentence(rule, zone))


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def listed(items: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join(filter(None, (", ".join(items[:-1]), items[-1])))


def long_date(wall: datetime) -> str:
    """`Thursday 24 December 2026`."""
    return f"{WEEKDAY_LONG[wall.weekday()]} {wall.day} {MONTH_LONG[wall.month - 1]} {wall.year}"


def _every(rule: Every) -> str:
    text = f"Every {length_text(rule.seconds)}"
    if rule.seconds >= 3600:
        text += " of elapsed time"
    if rule.starting:
        return f"{text}, starting on {_moment(rule.anchor or DEFAULT_ANCHOR)}"
    return text if rule.anchor is None else f"{text}, counted from {_moment(rule.anchor)}"


def _moment(wall: datetime) -> str:
    return f"{long_date(wall)} at {time_text(wall.time())}"


def _once(rule: Once, zone: str) -> str:
    wall = rule.wall
    if wall is None and rule.instant is not None:
        wall = rule.instant.astimezone(civil.zone(zone)).replace(tzinfo=None)
    return f"Once, on {_moment(wall or DEFAULT_ANCHOR)}"


# Days


def _days(rule: Days) -> str:
    text = f"{_at(rule.times)} {_which_days(rule)}"
    if rule.anchor is None:
        return f"{text}, starting on {long_date(DEFAULT_ANCHOR)}" if rule.starting else text
    day = long_date(datetime.combine(rule.anchor, time(0)))
    return f"{text}, {'starting on' if rule.starting else 'counted from'} {day}"


def _at(times: tuple[time, ...]) -> str:
    return f"At {listed([time_text(at) for at in sorted(set(times))])}"


def _which_days(rule: Days) -> str:
    every = "every" if rule.step == 1 else "every other" if rule.step == 2 else f"every {rule.step}"
    if rule.unit == "day":
        return f"{every} day" + ("s" if rule.step > 2 else "")
    every = f"every {nth_text(rule.step)}" if rule.step > 2 else every
    counted = f"{every} {rule.unit}"
    if rule.unit == "week":
        days = weekday_words(rule.weekdays or {(rule.anchor or DEFAULT_ANCHOR).weekday()})
        return f"on {days}" + ("" if rule.step == 1 else f" of {counted}")
    if rule.unit == "year":
        anchor = rule.anchor or DEFAULT_ANCHOR
        month = rule.months[0] if rule.months else anchor.month
        return f"on {rule.monthdays[0] if rule.monthdays else anchor.day} {MONTH_LONG[month - 1]} of {counted}"
    months = f"every {listed([MONTH_LONG[month - 1] for month in rule.months])}" if rule.months else counted
    if rule.months and rule.step > 1:
        months += f", counting {counted}"
    return f"on {_month_days(rule)} of {months}"


def weekday_words(weekdays: frozenset[int] | set[int]) -> str:
    """`Monday to Friday`, or the names of the days (0 is Monday)."""
    if weekdays == WORKDAYS:
        return "Monday to Friday"
    return listed([WEEKDAY_LONG[day] for day in sorted(weekdays)])


def _month_days(rule: Days) -> str:
    groups = []
    numbers = sorted(day for day in set(rule.monthdays) if day > 0)
    if numbers:
        cut = " (or the last day of a shorter month)" if rule.clamp and numbers[-1] > 28 else ""
        groups.append(f"day {listed([str(day) for day in numbers])}{cut}")
    if -1 in rule.monthdays:
        groups.append("the last day")
    if rule.business is not None:
        groups.append(f"the {_nth(rule.business)} weekday from Monday to Friday")
    if rule.weekdays:
        nth = listed([_nth(number) for number in rule.nth]) if rule.nth else "each"
        groups.append(
            f"the {nth} {weekday_words(rule.weekdays)}" if rule.nth else f"each {weekday_words(rule.weekdays)}"
        )
    return listed(groups or ["day 1"])


def _nth(number: int) -> str:
    return ORDINAL_WORDS.get(number) or nth_text(number)
