"""Warnings: texts that are valid and may still surprise. None of them is an error."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from rota.calendar.canonical import length_text
from rota.calendar.civil import clock_changes, zone_data_version
from rota.calendar.never import why_never
from rota.calendar.notes import notes
from rota.calendar.rules import Cron, Days, Every, Except, Reboot, Rule, Union

if TYPE_CHECKING:
    from rota.calendar.recurrence import Recurrence

_SEEN: Final = timedelta(days=3653)
"""How far ahead warnings look for clock changes: ten years."""
_FIELDS: Final = (("second", 60), ("minute", 60), ("hour", 24), ("day", 31), ("month", 12), ("weekday", 7))
_RESTART: Final = {
    "second": "every minute",
    "minute": "every hour",
    "hour": "every day",
    "day": "every month",
    "month": "every year",
    "weekday": "every week",
}
_FIFTH: Final = 5
_ANY: Final = frozenset(("*", "?"))


def warnings(rec: Recurrence, after: datetime | None = None) -> list[str]:
    """One sentence for each thing about `rec` that people have been surprised by; the rule's own parts in order.

    Clock changes are those of the ten years after `after`; without one, from the year of the bundled zone data on, for the
    calendar has no clock.
    """
    start = _data_year() if after is None else after
    never = why_never(rec)
    found = [] if never is None else [f"never fires: {never}"]
    found += rec.remarks
    found += [warning for part in _parts(rec.rule) for warning in _part_warnings(part, rec.zone_name, start)]
    found += _gap_warnings(rec, start)
    return list(dict.fromkeys(found))


def _data_year() -> datetime:
    return datetime(int(zone_data_version()[:4]), 1, 1, tzinfo=UTC)


def _end(start: datetime) -> datetime:
    last = datetime.max.replace(tzinfo=UTC)
    return start + _SEEN if start < last - _SEEN else last


def _parts(rule: Rule) -> Iterator[Rule]:
    if isinstance(rule, Union):
        for part in rule.parts:
            yield from _parts(part)
    elif isinstance(rule, Except):
        yield from _parts(rule.base)
    elif not isinstance(rule, Reboot):
        yield rule


def _part_warnings(rule: Rule, zone: str, start: datetime) -> Iterator[str]:
    if isinstance(rule, Cron):
        yield from _cron_warnings(rule)
    elif isinstance(rule, Every):
        yield from _interval_warnings(rule, zone, start)
    elif isinstance(rule, Days):
        yield from _days_warnings(rule)


# Cron


def _cron_warnings(rule: Cron) -> Iterator[str]:
    fields = _six(rule)
    second, minute, hour, day, _, weekday = fields
    if rule.nfields == 6:
        yield (
            f"six fields: the first is the second ({second}), the last the weekday ({weekday}); "
            "some tools put seconds last"
        )
    if rule.day_restricted and rule.weekday_restricted and not rule.plus:
        both = _with_weekday(rule, f"+{weekday}")
        yield f"day ({day}) and weekday ({weekday}) are both given: either one matches; where both must, write {both}"
    for (name, size), text in zip(_FIELDS, fields, strict=True):
        yield from _step_warnings(name, size, text)
    yield from _late_days(rule, day)
    if rule.nth and any(number == _FIFTH for _, number in rule.nth):
        yield "a month without a fifth such weekday has no occurrence; #L is the last one"
    if minute == "*" and not set("*-/") & set(hour):
        once = _with_minute(rule, "0")
        yield f"`*` in the minute field: 60 times in each of its hours; for one time write {once}"
    yield from _piled(rule.seconds, rule.minutes, rule.hours)


def _six(rule: Cron) -> tuple[str, ...]:
    fields = rule.fields
    return ("0", *fields) if rule.nfields == 5 else fields[:6]


def _with_weekday(rule: Cron, text: str) -> str:
    fields = list(rule.fields)
    fields[4 if rule.nfields == 5 else 5] = text
    return " ".join(fields)


def _with_minute(rule: Cron, text: str) -> str:
    fields = list(rule.fields)
    fields[0 if rule.nfields == 5 else 1] = text
    return " ".join(fields)


def _step_warnings(name: str, size: int, text: str) -> Iterator[str]:
    for item in text.removeprefix("+").split(","):
        base, slash, step_text = item.partition("/")
        if not slash or (base != "*" and not base.isdigit()):
            continue
        step = int(step_text)
        if step > 1 and size % step:
            low = int(base) if base.isdigit() else _first(name)
            values = range(low, _first(name) + size, step)
            last = size - (values[-1] - values[0])
            again = f"`{item}` in the {name} field starts again {_RESTART[name]}"
            yield f"{again}: from {values[-1]} to {low} is {last}, not {step}"


def _first(name: str) -> int:
    return 1 if name in {"day", "month"} else 0


def _late_days(rule: Cron, day: str) -> Iterator[str]:
    late = sorted(int(item.rstrip("W")) for item in day.split(",") if item.rstrip("W") in {"29", "30", "31"})
    short = [number for number in rule.months if late and monthrange(2023, number)[1] < late[-1]]
    if not late or not short or len(short) == len(rule.months) > 1:
        return
    if short == [2] == list(rule.months):
        if late[-1] == 29:
            yield "29 February exists in leap years only; L is the last day of the month"
        return
    yield f"months without day {late[-1]} have no occurrence ({len(short)} of {len(rule.months)}); L is the last day"


# Other rules


def _interval_warnings(rule: Every, zone: str, start: datetime) -> Iterator[str]:
    """Intervals that divide the day look like times of the clock, and are not in a zone whose clock changes."""
    changes = clock_changes(zone, start, _end(start))
    shifts = {int(abs(change.after - change.before).total_seconds()) for change in changes}
    if 86400 % rule.seconds or not any(shift % rule.seconds for shift in shifts):
        return
    hours, rest = divmod(rule.seconds, 3600)
    instead = "every day at 00:00" if hours == 24 else f"0 */{hours} * * *" if not rest else ""
    text = f"every {length_text(rule.seconds)} counts elapsed time: its wall times move at each clock change of {zone}"
    yield text + (f"; for fixed times of the clock write {instead}" if instead else "")


def _days_warnings(rule: Days) -> Iterator[str]:
    if rule.nth and _FIFTH in rule.nth:
        yield "a month without a fifth such weekday has no occurrence; `last` is the last one"
    if len(rule.times) == 1:
        yield from _piled((rule.times[0].second,), (rule.times[0].minute,), (rule.times[0].hour,))


def _piled(seconds: tuple[int, ...], minutes: tuple[int, ...], hours: tuple[int, ...]) -> Iterator[str]:
    if seconds != (0,) or minutes != (0,):
        return
    if hours == (0,):
        yield "many schedules start at midnight: a few minutes beside it finds the machine less busy"
    else:
        yield "many schedules start on the full hour: a few minutes beside it finds the machine less busy"


# Clock changes


def _gap_warnings(rec: Recurrence, start: datetime) -> Iterator[str]:
    """A fixed time that the zone's clocks jump over: the first clock change after `start` that does it."""
    if not any(_fixed(part) for part in _parts(rec.rule)):
        return
    for note in notes(rec, start, _end(start)):
        if note.effect == "moved" or (note.effect == "skipped" and rec.dst_gap == "skip"):
            yield f"clocks in {rec.zone_name} jump over a time of this rule: {note.text}"
            return


def _fixed(rule: Rule) -> bool:
    return isinstance(rule, Days) or (isinstance(rule, Cron) and not rule.interval_like)
