"""A clock whose hands a test moves."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

START: Final = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


class HandClock:
    """Stands still until it is set. It may be set back; its monotonic time only goes on, by as much as it is set on."""

    simulated = True

    def __init__(self, now: datetime = START) -> None:
        self._now = now
        self._passed = 0.0

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return self._passed

    def set(self, now: datetime) -> datetime:
        """Set the hands; the new time."""
        self._passed += max(0.0, (now - self._now).total_seconds())
        self._now = now
        return now

    def on(self, **length: float) -> datetime:
        """Move the hands by a `timedelta` of these arguments, which may be negative; the new time."""
        return self.set(self._now + timedelta(**length))
