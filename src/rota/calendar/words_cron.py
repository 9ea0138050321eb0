"""Cron rules in words: a phrase for the times of day and a phrase for the days."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import time
from itertools import pairwise

from rota.calendar import rules
from rota.calendar.canonical import time_text
from rota.calendar.rules import FIRST_YEAR, LAST_YEAR, Cron
from rota.calendar.vocabulary import MONTH_LONG, ORDINAL_WORDS, WEEKDAY_LONG

_MOST_TIMES = 6
_MOST_NUMBERS = 8
_ALL_HOURS = tuple(range(24))
_ALL_SIXTY = tuple(range(60))


def cron_words(rule: Cron) -> str:
    """When a cron rule fires, without its zone: `Every 15 minutes from 09:00 to 16:45 on Monday to Friday`."""
    times, whole_day = _times(rule)
    days = cron_days(rule)
    if whole_day and days == "every day":
        return times
    return f"{times} {days}"


def is_whole_days(rule: Cron) -> bool:
    """True when the rule matches every second of the days it matches."""
    return (rule.seconds, rule.minutes, rule.hours) == (_ALL_SIXTY, _ALL_SIXTY, _ALL_HOURS)


def _join(items: Sequence[str], word: str = "and") -> str:
    return f" {word} ".join(filter(None, (", ".join(items[:-1]), items[-1])))


def _numbers(values: Sequence[int], size: int) -> str:
    """`0`, `0, 20 and 40`, `5 to 59`, or `every 7th from 0 to 56`: the shortest that is exact."""
    if len(values) > 2:
        step = values[1] - values[0]
        if all(after - before == step for before, after in pairwise(values)):
            if step == 1:
                return f"{values[0]} to {values[-1]}"
            if len(values) > 4:
                return f"{values[0]} to {values[-1]} in steps of {step}"
    if len(values) > _MOST_NUMBERS and len(values) > size - 4:
        return f"all but {_join([str(number) for number in range(size) if number not in values])}"
    return _join([str(value) for value in values])


def _step(values: Sequence[int], size: int) -> int:
    """The step n when the values are all multiples of n in a field of `size` that n divides; else 0."""
    step = size // len(values)
    return step if tuple(values) == tuple(range(0, size, step)) and size % step == 0 else 0


def _times(rule: Cron) -> tuple[str, bool]:
    """The phrase for the time of day, and whether it covers the whole day."""
    seconds, minutes, hours = rule.seconds, rule.minutes, rule.hours
    if len(seconds) * len(minutes) * len(hours) <= _MOST_TIMES:
        all_times = [time(hour, minute, second) for hour in hours for minute in minutes for second in seconds]
        return f"At {_join([time_text(at) for at in all_times])}", False
    if len(seconds) > 1 or seconds[0]:
        return _seconds(seconds, minutes, hours)
    step, all_day = _step(minutes, 60), hours == _ALL_HOURS
    if step and len(minutes) > 1:
        every = "Every minute" if step == 1 else f"Every {step} minutes"
        return (every, True) if all_day else (f"{every} {_hours(hours, minutes)}", False)
    if len(minutes) == 1:
        return _hourly(minutes[0], hours)
    of = "every hour" if all_day else _of_hours(hours)
    return f"At minutes {_numbers(minutes, 60)} of {of}", all_day


def _hourly(minute: int, hours: tuple[int, ...]) -> tuple[str, bool]:
    past = "on the hour" if minute == 0 else f"at minute {minute}"
    if hours == _ALL_HOURS:
        return f"Every hour {past}", True
    step = _step(hours, 24)
    if step:
        return f"Every {step} hours {past}, from {time_text(time(0, minute))}", False
    if _runs(hours):
        return f"Every hour from {time_text(time(hours[0], minute))} to {time_text(time(hours[-1], minute))}", False
    return f"At minute {minute} of {_of_hours(hours)}", False


def _seconds(seconds: tuple[int, ...], minutes: tuple[int, ...], hours: tuple[int, ...]) -> tuple[str, bool]:
    step = _step(seconds, 60)
    every = "Every second" if step == 1 else f"Every {step} seconds" if step and len(seconds) > 1 else ""
    text = every or f"At second{'s' * (len(seconds) > 1)} {_numbers(seconds, 60)}"
    if minutes != _ALL_SIXTY:
        minute_step = _step(minutes, 60)
        if minute_step and len(minutes) > 1:
            text += f" of every {minute_step} minutes"
        else:
            text += f" of minute{'s' * (len(minutes) > 1)} {_numbers(minutes, 60)}"
    elif not every:
        text += " of every minute"
    if hours == _ALL_HOURS:
        return text + ("" if minutes == _ALL_SIXTY else " of every hour"), True
    return f"{text} {_hours(hours, minutes)}", False


def _runs(hours: tuple[int, ...]) -> bool:
    return len(hours) == hours[-1] - hours[0] + 1


def _hours(hours: tuple[int, ...], minutes: tuple[int, ...]) -> str:
    if _runs(hours):
        return f"from {time_text(time(hours[0], minutes[0]))} to {time_text(time(hours[-1], minutes[-1]))}"
    return f"in {_of_hours(hours)}"


def _of_hours(hours: tuple[int, ...]) -> str:
    return f"hour{'s' * (len(hours) > 1)} {_numbers(hours, 24)}"


# Days


def cron_days(rule: Cron) -> str:
    """The phrase for the days: `every day`, `on Monday to Friday`, `on day 1 of every month`, with months and years."""
    months = "every month"
    if rule.month_mask != rules.ALL_MONTHS:
        months = _join([MONTH_LONG[month - 1] for month in rule.months])
    month_part, weekday_part = _day_words(rule, months), _weekday_words(rule)
    if rule.day_restricted and rule.weekday_restricted:
        joint = f" if it is {weekday_part}" if rule.plus else f" and also on {weekday_part}"
        text = f"on {month_part}{joint}"
        if not rule.plus and months != "every month":
            text += f" in {months}"
    elif rule.day_restricted:
        text = f"on {month_part}"
    else:
        text = f"on {weekday_part}" if rule.weekday_restricted and weekday_part else "every day"
        if months != "every month":
            text += f" in {months}" if not _has_nth(rule) else f" of {months}"
        elif _has_nth(rule):
            text += " of every month"
    return text + _years(rule)


def _has_nth(rule: Cron) -> bool:
    return bool(rule.nth) and not rule.weekdays


def _day_words(rule: Cron, months: str) -> str:
    groups = []
    if rule.days:
        groups.append(f"day{'s' * (len(rule.days) > 1)} {_numbers(rule.days, 32)}")
    if rule.nearest:
        groups.append(f"the weekday (Monday to Friday) nearest day {rule.nearest}")
    groups += [_before_last(offset) for offset in sorted(rule.last_offsets)]
    if rule.last_weekday:
        groups.append("the last weekday (Monday to Friday)")
    return f"{_join(groups)} of {months}" if groups else ""


def _before_last(offset: int) -> str:
    return "the last day" if offset == 0 else f"{offset} day{'s' * (offset > 1)} before the last day"


def _weekday_words(rule: Cron) -> str:
    monday_first = sorted((day - 1) % 7 for day in rule.weekdays)
    if len(monday_first) == 7 and not rule.plus:
        return "any weekday" if rule.day_restricted else ""
    groups = []
    if monday_first == [0, 1, 2, 3, 4]:
        groups.append("Monday to Friday")
    else:
        groups += [WEEKDAY_LONG[day] for day in monday_first]
    groups += [f"the {ORDINAL_WORDS[number]} {WEEKDAY_LONG[(day - 1) % 7]}" for day, number in rule.nth]
    return _join(groups, "or" if rule.plus else "and") if groups else ""


def _years(rule: Cron) -> str:
    years = rule.years
    if len(years) == LAST_YEAR - FIRST_YEAR + 1:
        return ""
    if len(years) > 2 and len(years) == years[-1] - years[0] + 1:
        return f" from {years[0]} to {years[-1]}"
    if len(years) > _MOST_NUMBERS:
        return f" in {len(years)} years from {years[0]} to {years[-1]}"
    return f" in {_join([str(year) for year in years])}"
