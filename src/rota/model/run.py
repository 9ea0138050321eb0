"""A run: one obligation to execute a job once; its states, its outcome values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

QUEUED: Final = "queued"
RUNNING: Final = "running"
FINAL: Final = ("succeeded", "failed", "cancelled", "expired", "skipped", "lost")
STATES: Final = (QUEUED, RUNNING, *FINAL)

TRANSITIONS: Final[dict[str, tuple[str, ...]]] = {
    "queued": ("running", "cancelled", "expired", "skipped"),
    "running": ("succeeded", "failed", "cancelled", "lost", "queued"),
    **dict.fromkeys(FINAL, ()),
}
"""Legal next states. Final is final (law 12)."""

CAUSES: Final = ("schedule", "catchup", "backfill", "manual", "event", "retry", "probe", "recorded")


@dataclass(slots=True)
class Claimed:
    """A run as a worker holds it after its claim: all it needs to invoke and to settle. Nobody changes it.

    Not frozen: making a frozen value of so many fields was a tenth of all that a run costs.
    """

    id: int
    token: int
    attempt: int
    schedule_id: int | None
    definition_id: int
    key: str | None
    schedule: str | None
    timezone: str
    job: str
    args: dict[str, Any]
    lane: str
    priority: int
    scheduled_for: datetime | None
    not_before: datetime | None
    invocation: str
    cause: str
    covers_from: datetime | None
    covers_to: datetime | None
    covers_count: int
    lost: int
    created_at: datetime
    started_at: datetime
    since: datetime | None
    policies: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Succeeded:
    """The handler returned; `result` is storable JSON text, `wake_at` what `ctx.wake_at` asked for."""

    result: str | None = None
    exit_code: int | None = None
    wake_at: datetime | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """The handler raised, or its process ended with a code that is not 0.

    `names` are the class names of the exception (MRO, bare and dotted) for `retry.on`; `give_up` forbids, `try_at`
    or `try_after` demands another attempt.
    """

    type: str
    message: str
    names: tuple[str, ...] = ()
    trace: str | None = None
    exit_code: int | None = None
    give_up: bool = False
    again: bool = False
    try_after: timedelta | None = None
    wake_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The deadline passed. `stopped` tells whether the code has really ended."""

    after: timedelta
    stopped: bool = True


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The code stopped because a cancel was asked for."""

    message: str = "cancelled on request"


@dataclass(frozen=True, slots=True)
class Interrupted:
    """The code was stopped by a shutdown or a fence: not its fault, no attempt is counted."""

    message: str = "interrupted by shutdown"


@dataclass(frozen=True, slots=True)
class UnknownJob:
    """No handler of that name in this process (law 11)."""

    job: str


Outcome = Succeeded | Failed | TimedOut | Cancelled | Interrupted | UnknownJob
