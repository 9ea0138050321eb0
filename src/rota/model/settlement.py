"""What a run becomes because of what its handler did: pure, (run, outcome, now) -> Settlement."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, assert_never

from rota.model.policy import Policies
from rota.model.run import Cancelled, Claimed, Failed, Interrupted, Outcome, Succeeded, TimedOut, UnknownJob

HAND_BACK: Final = timedelta(seconds=30)
"""How long a run of a job that this node does not know stays away from workers."""
UNKNOWN_FOR: Final = timedelta(hours=1)
"""How long a run of an unknown job is handed back before it fails."""
_HAND_BACKS: Final = UNKNOWN_FOR // HAND_BACK


@dataclass(slots=True)
class Settlement:
    """The end of one claim: a final state, or `queued` again from `admit_at`. Nobody changes it (see `Claimed`).

    `counts` tells whether the attempt counts; `lost` is added to the run's number of losses; `event` is written where
    the attempt ends without ending the run. Only written where id, token and state `running` still match.
    """

    run_id: int
    token: int
    state: str
    reason: str | None = None
    admit_at: datetime | None = None
    counts: bool = True
    lost: int = 0
    result: str | None = None
    error: dict[str, Any] | None = None
    exit_code: int | None = None
    wake_at: datetime | None = None
    wake: bool = False

    @property
    def final(self) -> bool:
        """Whether the run ends with it."""
        return self.state != "queued"


def settle(
    run: Claimed, outcome: Outcome, now: datetime, policies: Policies, *, cancel: str | None, share: float
) -> Settlement:
    """What `run` becomes.

    `cancel` is the strongest cancel request on record: None, "no_retry" (its schedule was disabled), "removed" (the same,
    by the schedule's removal), "replace" or "cancel". `share` in [0, 1) is the draw for full jitter. The outcome of code
    that ran to its end stands; a failure or an interruption with a cancel on record is `cancelled`.
    """
    match outcome:
        case Succeeded():
            return succeeded(run, outcome)
        case Failed():
            return _failed(run, outcome, now, policies, cancel, share)
        case TimedOut():
            return _timed_out(run, outcome, now, policies, cancel, share)
        case Cancelled():
            reason = "replaced" if cancel == "replace" else "cancelled"
            return Settlement(run.id, run.token, "cancelled", reason, error=_error("Cancelled", outcome.message))
        case Interrupted():
            return interrupted(Held(run.id, run.token, run.lost, cancel), policies, now, outcome.message)
        case UnknownJob():
            return _unknown(run, outcome, now, cancel)
        case _:
            assert_never(outcome)


def succeeded(run: Claimed, outcome: Succeeded) -> Settlement:
    """`settle` for code that ran to its end: it stands, whatever else is known of the run."""
    return Settlement(
        run.id, run.token, "succeeded", result=outcome.result, exit_code=outcome.exit_code, wake_at=outcome.wake_at
    )


def _error(kind: str, message: str, trace: str | None = None) -> dict[str, Any]:
    error = {"type": kind, "message": message}
    return error | ({"trace": trace} if trace else {})


def _cancelled(run: Claimed, error: dict[str, Any], cancel: str) -> Settlement:
    return Settlement(run.id, run.token, "cancelled", reason=_CANCELLED.get(cancel, "cancelled"), error=error)


def _failed(
    run: Claimed, outcome: Failed, now: datetime, policies: Policies, cancel: str | None, share: float
) -> Settlement:
    error = _error(outcome.type, outcome.message, outcome.trace)
    if cancel in ("cancel", "replace"):
        return _cancelled(run, error, cancel)
    wait = _wait(run, policies, outcome, share)
    if wait is None or cancel in _NO_RETRY:
        return Settlement(
            run.id, run.token, "failed", reason="gave_up" if outcome.give_up else "error", error=error,
            exit_code=outcome.exit_code, wake_at=outcome.wake_at,
        )  # fmt: skip
    return Settlement(
        run.id, run.token, "queued", reason="retry", admit_at=now + wait, error=error, exit_code=outcome.exit_code
    )


def _wait(run: Claimed, policies: Policies, outcome: Failed, share: float) -> timedelta | None:
    """The wait before the next attempt, or None where there is none. `TryAgain` also needs attempts left, unless 1."""
    if outcome.give_up:
        return None
    retry = policies.retry
    if outcome.again:
        most = retry.attempts if retry.attempts > 1 else 100
        wait = outcome.try_after if outcome.try_after is not None else retry.wait(run.attempt, share)
        return wait if run.attempt < most else None
    if run.attempt >= retry.attempts or not retry.covers(outcome.names):
        return None
    return retry.wait(run.attempt, share)


def _timed_out(
    run: Claimed, outcome: TimedOut, now: datetime, policies: Policies, cancel: str | None, share: float
) -> Settlement:
    seconds = outcome.after.total_seconds()
    error = _error(
        "timeout", f"did not end within {seconds:g} s" + ("" if outcome.stopped else " and could not be stopped")
    )
    if cancel in ("cancel", "replace"):
        return _cancelled(run, error, cancel)
    if not outcome.stopped or cancel in _NO_RETRY or run.attempt >= policies.retry.attempts:
        return Settlement(run.id, run.token, "failed", reason="timeout", error=error)
    wait = policies.retry.wait(run.attempt, share)
    return Settlement(run.id, run.token, "queued", reason="retry", admit_at=now + wait, error=error)


@dataclass(frozen=True, slots=True)
class Held:
    """A claim as the database knows it: who proves it, how often the run was lost, the cancel on record."""

    run_id: int
    token: int
    losses: int = 0
    cancel: str | None = None


_CANCELLED: Final = {"no_retry": "disabled", "removed": "removed", "replace": "replaced"}
_NO_RETRY: Final = ("no_retry", "removed")
"""Requests that let code that runs go on."""


def interrupted(held: Held, policies: Policies, now: datetime, message: str) -> Settlement:
    """A run that was stopped from outside: back to the queue uncounted, or `lost` under `on_lost: fail`."""
    error = _error("interrupted", message)
    if held.cancel is not None:
        reason = _CANCELLED.get(held.cancel, "cancelled")
        return Settlement(held.run_id, held.token, "cancelled", reason=reason, error=error, counts=False)
    if policies.on_lost == "fail":
        return Settlement(held.run_id, held.token, "lost", reason="interrupted", error=error)
    return Settlement(held.run_id, held.token, "queued", reason="handed_back", admit_at=now, counts=False)


def lost(held: Held, policies: Policies, now: datetime, message: str) -> Settlement:
    """A run whose node was fenced: queued again at most `max_lost` times and uncounted as attempts, else `lost`."""
    error = _error("lost", message)
    if held.cancel is not None:
        reason = _CANCELLED.get(held.cancel, "cancelled")
        return Settlement(held.run_id, held.token, "cancelled", reason=reason, error=error, lost=1)
    if policies.on_lost == "fail" or held.losses + 1 > policies.max_lost:
        reason = "on_lost" if policies.on_lost == "fail" else "max_lost"
        return Settlement(held.run_id, held.token, "lost", reason=reason, error=error, lost=1)
    return Settlement(held.run_id, held.token, "queued", reason="lost", admit_at=now, error=error, counts=False, lost=1)


def _unknown(run: Claimed, outcome: UnknownJob, now: datetime, cancel: str | None) -> Settlement:
    error = _error("unknown_job", f"no process that serves lane {run.lane} knows a job named {outcome.job}")
    if cancel is not None:
        return _cancelled(run, error, cancel)
    # Each claim is an attempt, a loss or a hand-back. How long the run waited for its first claim says nothing.
    if run.token - run.attempt - run.lost >= _HAND_BACKS:
        return Settlement(run.id, run.token, "failed", reason="unknown_job", error=error)
    return Settlement(
        run.id, run.token, "queued", reason="unknown_job", admit_at=now + HAND_BACK, error=error, counts=False
    )
