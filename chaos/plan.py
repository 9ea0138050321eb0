"""How much of it: the long form, and the short one of CI."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Plan:
    """`kills`, one each `every_s`; `stops` for SIGSTOP, `holds` on SQLite; `outages` of `away_s`; `watch_s` for lateness.

    Fuzzing takes `inputs`; None: its own number, a small one where the plan is `short`.
    """

    seed: int
    schedules: int = 200
    kills: int = 200
    every_s: float = 1.0
    quiet_s: float = 60.0
    stops: int = 20
    stop_s: float = 6.0
    holds: int = 6
    outages: int = 2
    away_s: float = 20.0
    watch_s: float = 60.0
    inputs: int | None = None
    short: bool = False

    @staticmethod
    def wait_until(monotonic: float) -> float:
        """Wait for an instant of the monotonic clock; by how much it had passed already."""
        left = monotonic - time.monotonic()
        if left > 0:
            threading.Event().wait(left)
        return max(-left, 0.0)

    def pause(self, seconds: float) -> None:
        """Wait."""
        self.wait_until(time.monotonic() + seconds)


SMOKE: Final = {
    "schedules": 50,
    "kills": 15,
    "stops": 2,
    "holds": 2,
    "outages": 1,
    "away_s": 6.0,
    "watch_s": 15.0,
    "short": True,
}
"""The short form, which CI runs."""
