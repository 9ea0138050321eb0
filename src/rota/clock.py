"""The only door to the wall clock, and to the monotonic one."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time: aware UTC instants, and monotonic seconds that no clock step moves."""

    simulated: bool

    def now(self) -> datetime:
        """The present instant."""

    def monotonic(self) -> float:
        """Seconds since some point; never goes back."""


class SystemClock:
    """The machine's clocks."""

    simulated = False

    def now(self) -> datetime:
        """The present instant, from the system."""
        return datetime.now(UTC)  # noqa: TID251 - this is the door

    def monotonic(self) -> float:
        """The system's monotonic clock."""
        return time.monotonic()
