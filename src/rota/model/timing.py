"""A definition with its recurrence: made once, asked inside the definition's validity. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final

from rota.calendar.recurrence import Recurrence
from rota.calendar.rules import Once
from rota.calendar.text import canonical, parse, why_never
from rota.errors import InvalidSchedule, InvalidWhen
from rota.model.firing import TICK, Plan, last_due
from rota.model.schedule import Definition

_WALKED: Final = 1000
"""Up to so many occurrences are found by walking; more of them by counting and halving."""
_LAST: Final = timedelta(days=366 * 200)


@lru_cache(maxsize=20_000)
def recurrence(text: str, zone: str, anchor: datetime | None, gap: str, overlap: str) -> Recurrence:
    """The recurrence of a canonical text; equal texts give the very same value. Raises an Error where it cannot be made."""
    return parse(text, zone, anchor=anchor, dst_gap=gap, dst_overlap=overlap)


def plan_of(definition: Definition) -> Plan:
    """The definition's plan. Its recurrence is made from the canonical text, which needs neither key nor clock."""
    d = definition
    return Plan(d, recurrence(d.canonical, d.zone, d.anchor, d.dst_gap, d.dst_overlap))


def rule_of(plan: Plan) -> Recurrence:
    """The plan's recurrence with all that the calendar knows about it."""
    d = plan.definition
    return recurrence(d.canonical, d.zone, d.anchor, d.dst_gap, d.dst_overlap)


def read_when(
    when: str | Sequence[str],
    zone: str,
    *,
    now: datetime,
    key: str,
    anchor: datetime | None = None,
    dst_gap: str = "auto",
    dst_overlap: str = "auto",
) -> Recurrence:
    """The recurrence of a text that somebody wrote. Raises InvalidWhen, which carries the text, and UnknownZone.

    A text that never fires is refused with the reason; one whose last occurrence is past is not: that is for callers.
    """
    try:
        rule = parse(when, zone, now=now, key=key, anchor=anchor, dst_gap=dst_gap, dst_overlap=dst_overlap)
    except InvalidSchedule as error:
        raise InvalidWhen(error.message, text=error.text or _shown(when)) from error
    never = why_never(rule)
    if never is not None:
        raise InvalidWhen(f'when: "{rule.text}" never fires: {never}', text=rule.text)
    return rule


def when_text(when: object) -> object:
    """`when` as text or texts: an aware datetime becomes the one-shot at it, in whole seconds."""
    if isinstance(when, datetime) and when.utcoffset() is not None:
        return canonical(Once(instant=when.replace(microsecond=0)))
    return when


def _shown(when: object) -> str:
    return (
        when
        if isinstance(when, str)
        else "; ".join(str(item) for item in when)
        if isinstance(when, (list, tuple))
        else repr(when)
    )


def ends_at(
    rule: Recurrence, valid_from: datetime | None, valid_until: datetime | None, most: int | None, created: datetime
) -> datetime | None:
    """The last instant an occurrence may have: `valid_until`, or the `most`-th occurrence from valid_from or creation."""
    if most is None:
        return valid_until
    after = created if valid_from is None else valid_from - TICK
    nth = _nth(rule, after, most)
    return nth if valid_until is None or (nth is not None and nth < valid_until) else valid_until


def _nth(rule: Recurrence, after: datetime, n: int) -> datetime | None:
    """The n-th occurrence after `after`, or None where there are fewer. The rule can count without walking."""
    if n <= _WALKED:
        found = rule.upcoming(after, n)
        return found[-1] if len(found) == n else None
    low, high = after, rule.last_until(after + _LAST)
    if high is None or rule.count(after, high) < n:
        return None
    while high - low > timedelta(seconds=1):
        middle = low + (high - low) / 2
        if rule.count(after, middle) >= n:
            high = middle
        else:
            low = middle
    return rule.last_until(high)


def coming(plan: Plan, after: datetime, n: int) -> list[datetime]:
    """The first `n` occurrences strictly after `after`, inside the validity."""
    d = plan.definition
    start = after if d.valid_from is None else max(after, d.valid_from - TICK)
    found = rule_of(plan).upcoming(start, n)
    return [at for at in found if d.ends_at is None or at <= d.ends_at]


def inside(plan: Plan, after: datetime, until: datetime, limit: int | None = None) -> list[datetime]:
    """The occurrences in (after, until], inside the validity, at most `limit`, ascending."""
    d = plan.definition
    start = after if d.valid_from is None else max(after, d.valid_from - TICK)
    end = until if d.ends_at is None else min(until, d.ends_at)
    return rule_of(plan).between(start, end, limit) if end > start else []


def last_of(plan: Plan, after: datetime, until: datetime, n: int) -> list[datetime]:
    """The last `n` occurrences in (after, until], inside the validity, newest first. Costs n steps, however long it is."""
    found: list[datetime] = []
    at = last_due(plan, after, until)
    while at is not None and len(found) < n:
        found.append(at)
        at = last_due(plan, after, at - TICK)
    return found


def holds(plan: Plan, at: datetime) -> bool:
    """Whether `at` is an occurrence, inside the validity."""
    return last_due(plan, at - TICK, at) == at
