"""Why a rule never fires: the day, month, year or clock change that makes it impossible."""

from __future__ import annotations

from calendar import monthrange
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rota.calendar.canonical import canonical, wall_text
from rota.calendar.rules import FIRST_YEAR, LAST_YEAR, Cron, Days, Except, Once, Reboot, Rule, Union
from rota.calendar.vocabulary import MONTH_LONG, WEEKDAY_LONG

if TYPE_CHECKING:
    from rota.calendar.recurrence import Recurrence

_LEAP_YEAR = 2024


def why_never(rec: Recurrence, now: datetime | None = None) -> str | None:
    """None when `rec` has an occurrence (after `now`, where that is given); else one sentence that says why not.

    The sentence names the impossible day, month or year.
    """
    if rec.never_fires:
        return _reason(rec)
    if now is None or rec.next_after(now) is not None:
        return None
    last = rec.last_until(now)
    past = "" if last is None else f": its last occurrence was {_iso(last)}"
    return f"it never fires again{past}"


def _iso(instant: datetime) -> str:
    return instant.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"


def _reason(rec: Recurrence) -> str:
    rule = rec.rule
    if isinstance(rule, Reboot):
        return "@reboot is no time: use a trigger on the event node.started instead"
    if isinstance(rule, Cron):
        impossible = _impossible_date(rule)
        if impossible is not None:
            return impossible
    if isinstance(rule, Once) and rule.wall is not None:
        return f"{wall_text(rule.wall)} does not exist in {rec.zone_name}: clocks jump over it"
    if isinstance(rule, Except):
        return _nothing_left(rec, rule)
    if isinstance(rule, Union):
        return "; ".join(dict.fromkeys(_reason(_same(rec, part, rec.zone_name)) for part in rule.parts))
    if isinstance(rule, Days) and rule.starting:
        return f"no day of the rule lies between {rule.anchor} and the end of {LAST_YEAR}"
    if _fires_in_utc(rec):
        return f"all its times fall into clock changes of {rec.zone_name} and do not exist there"
    return "no date matches all its fields together"


def _fires_in_utc(rec: Recurrence) -> bool:
    return not _same(rec, rec.rule, "UTC").never_fires


def _same(rec: Recurrence, rule: Rule, zone: str) -> Recurrence:
    from rota.calendar.recurrence import Recurrence as Recurring

    return Recurring(rule, zone, dst_gap=rec.dst_gap, dst_overlap=rec.dst_overlap)


def _nothing_left(rec: Recurrence, rule: Except) -> str:
    base = _same(rec, rule.base, rec.zone_name)
    if base.never_fires:
        return _reason(base)
    return f"`except` leaves nothing of {canonical(rule.base)}"


def _impossible_date(rule: Cron) -> str | None:
    """The sentence for a day of the month that no matched month (of a matched year) has."""
    if not rule.day_restricted or (rule.weekday_restricted and not rule.plus):
        return None if not _five_in_february(rule) else _fifth(rule)
    longest = max(monthrange(_LEAP_YEAR, month)[1] for month in rule.months)
    months = _named(rule)
    days = [day for day in (*rule.days, rule.nearest) if day]
    wanted = " or ".join([*map(str, days), *(f"L-{offset}" if offset else "L" for offset in rule.last_offsets)])
    short = all(day > longest for day in days) and all(offset >= longest for offset in rule.last_offsets)
    if short and not rule.last_weekday:
        return f"there is no day {wanted} in {months}: its longest month has {longest} days"
    leap = any(monthrange(year, 2)[1] == 29 for year in rule.years)
    if rule.months == (2,) and days == [29] and not leap:
        none = "none of them is a leap year" if len(rule.years) > 1 else "it is no leap year"
        return f"there is no 29 February{_in_years(rule)}: {none}"
    if rule.plus:
        return f"day {wanted} of {months}{_in_years(rule)} is never one of its weekdays"
    return None


def _in_years(rule: Cron) -> str:
    """` in 2023, 2025`; nothing when the rule names no years."""
    years = rule.years
    if len(years) == LAST_YEAR - FIRST_YEAR + 1:
        return ""
    shown = ", ".join(str(year) for year in years[:5])
    return f" in {shown}" + ("" if len(years) <= 5 else f" or its other years to {years[-1]}")


def _five_in_february(rule: Cron) -> bool:
    return rule.months == (2,) and not rule.weekdays and bool(rule.nth) and all(n == 5 for _, n in rule.nth)


def _fifth(rule: Cron) -> str:
    day = WEEKDAY_LONG[(rule.nth[0][0] - 1) % 7]
    return f"there is no fifth {day} in February{_in_years(rule)}"


def _named(rule: Cron) -> str:
    return ", ".join(MONTH_LONG[month - 1] for month in rule.months)
