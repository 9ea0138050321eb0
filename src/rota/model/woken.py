"""A rule with one instant more: what a handler asked for with `ctx.wake_at` fires beside the rule's own occurrences."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, NamedTuple

from rota.model.policy import Policies
from rota.model.schedule import Cursor

if TYPE_CHECKING:
    from rota.model.timed import Rule, Timed

_TICK: Final = timedelta(microseconds=1)


class Woken(NamedTuple):
    """A timing with one instant more, which its validity does not bound."""

    recurrence: Rule
    policies: Policies
    valid_from: datetime | None = None
    ends_at: datetime | None = None


def woken(plan: Timed, cursor: Cursor) -> Timed:
    """`plan`, or `plan` and the cursor's `wake_at` where that is still to come."""
    if cursor.wake_at is None or cursor.wake_at <= cursor.watermark or isinstance(plan, Woken):
        return plan
    return Woken(_Extra(plan, cursor.wake_at), plan.policies)


class _Extra:
    """The rule inside its validity, and one instant."""

    kind = "mixed"

    def __init__(self, plan: Timed, at: datetime) -> None:
        self._rule, self._at = plan.recurrence, at
        self._from, self._to = plan.valid_from, plan.ends_at

    def next_after(self, instant: datetime) -> datetime | None:
        """The first occurrence strictly after."""
        found = self._rule.next_after(instant if self._from is None else max(instant, self._from - _TICK))
        own = found if found is not None and (self._to is None or found <= self._to) else None
        if self._at <= instant:
            return own
        return self._at if own is None else min(own, self._at)

    def last_until(self, instant: datetime) -> datetime | None:
        """The last occurrence at or before."""
        found = self._rule.last_until(instant if self._to is None else min(instant, self._to))
        own = found if found is not None and (self._from is None or found >= self._from) else None
        if self._at > instant:
            return own
        return self._at if own is None else max(own, self._at)

    def between(self, start: datetime, end: datetime, limit: int | None = None) -> list[datetime]:
        """The occurrences in (start, end], at most `limit`."""
        found: list[datetime] = []
        at = self.next_after(start)
        while at is not None and at <= end and (limit is None or len(found) < limit):
            found.append(at)
            at = self.next_after(at)
        return found

    def count(self, after: datetime, until: datetime) -> int:
        """How many there are in (after, until]."""
        low = after if self._from is None else max(after, self._from - _TICK)
        high = until if self._to is None else min(until, self._to)
        own = self._rule.count(low, high) if high > low else 0
        extra = after < self._at <= until and self._rule.next_after(self._at - _TICK) != self._at
        return own + extra

    def wall(self, instant: datetime) -> datetime | None:
        """The rule's own; the extra instant has no nominal wall time."""
        return self._rule.wall(instant)
