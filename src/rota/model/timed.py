"""What a decision asks of a timing."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from rota.model.policy import Policies


class Rule(Protocol):
    """What a firing asks of a recurrence."""

    @property
    def kind(self) -> str:
        """`fixed` where its occurrences are wall times."""

    def next_after(self, instant: datetime) -> datetime | None:
        """The first occurrence strictly after."""

    def last_until(self, instant: datetime) -> datetime | None:
        """The last occurrence at or before."""

    def between(self, start: datetime, end: datetime, limit: int | None = None) -> list[datetime]:
        """The occurrences in (start, end], at most `limit`."""

    def count(self, after: datetime, until: datetime) -> int:
        """How many there are in (after, until]."""

    def wall(self, instant: datetime) -> datetime | None:
        """The nominal wall time of the occurrence at this instant, which is one; None for a second pass."""


class Timed(Protocol):
    """All that a decision depends on besides the cursor: schedules that are alike in it decide alike."""

    @property
    def recurrence(self) -> Rule:
        """The rule."""

    @property
    def policies(self) -> Policies:
        """The effective policies."""

    @property
    def valid_from(self) -> datetime | None:
        """No occurrence is before it."""

    @property
    def ends_at(self) -> datetime | None:
        """No occurrence is after it."""


def fixed_wall(rule: Rule, at: datetime) -> datetime | None:
    """The nominal wall time of an occurrence of a fixed-time rule; None for any other rule, and for a second pass."""
    return rule.wall(at) if rule.kind == "fixed" else None
