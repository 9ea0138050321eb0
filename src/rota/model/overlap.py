"""Overlap: what becomes of new runs whose single-flight key may be held. Pure; document 2, `overlap`."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final, NamedTuple

START: Final = "start"
WAIT: Final = "wait"
SKIP: Final = "skip"


class NewRun(NamedTuple):
    """A run that is about to be inserted. `key` is the schedule's key or the job's name: the subject of its events."""

    definition_id: int
    key: str
    cause: str
    lane: str
    priority: int
    schedule_id: int | None = None
    scheduled_for: datetime | None = None
    not_before: datetime | None = None
    expires_at: datetime | None = None
    scope: str | None = None
    invocation: str | None = None
    args: dict[str, Any] | None = None
    retry_of: int | None = None
    covers_from: datetime | None = None
    covers_to: datetime | None = None
    covers_count: int | None = None


class RunSet(NamedTuple):
    """Runs that belong together (one catch-up, one backfill, or a single run), oldest first, over one flight key.

    `flight` None: no key (`overlap: allow`). `always_wait`: never skipped (backfill, retry by hand, the rest of a cut
    catch-up). `by_hand`: a skipped one is still a row, `skipped` from birth. `named`: other schedules may share the key.
    """

    runs: tuple[NewRun, ...]
    flight: str | None = None
    overlap: str = "skip"
    queue_max: int = 1000
    always_wait: bool = False
    by_hand: bool = False
    named: bool = False


class KeyState(NamedTuple):
    """Who holds a key (a run that is not final) and how many runs wait for it."""

    holder: int | None = None
    waiting: int = 0

    @property
    def taken(self) -> bool:
        """Held, or about to be: where runs wait for a free key the first of them counts as its holder."""
        return self.holder is not None or self.waiting > 0


class Verdict(NamedTuple):
    """What becomes of each run of a set, in order, and whom it displaces."""

    places: tuple[str, ...]
    cancel_waiting: bool = False
    ask_holder: bool = False


ALONE: Final = Verdict((START,))
"""One run whose key is free, or that takes none: by far the most common case."""


def judge(runs: RunSet, state: KeyState) -> Verdict:
    """Decide for one set. Only the first run of a set can start under a key; the others of it wait for each other."""
    count = len(runs.runs)
    if count == 1 and not state.taken:
        return ALONE
    if runs.flight is None:
        return Verdict((START,) * count)
    if not state.taken:
        return Verdict((START, *(WAIT,) * (count - 1)))
    if runs.always_wait:
        return Verdict((WAIT,) * count)
    waiting = state.waiting - (1 if state.holder is None else 0)  # the first counts as the holder of a free key
    if runs.overlap == "queue_one":
        return Verdict(((WAIT if waiting == 0 else SKIP),) * count)
    if runs.overlap == "queue_all":
        room = max(0, runs.queue_max - waiting)
        return Verdict(tuple(WAIT if i < room else SKIP for i in range(count)))
    if runs.overlap == "replace":
        if state.holder is None:
            return Verdict((START, *(WAIT,) * (count - 1)), cancel_waiting=True)
        return Verdict((WAIT,) * count, cancel_waiting=state.waiting > 0, ask_holder=True)
    return Verdict((SKIP,) * count)


def after(state: KeyState, verdict: Verdict, ids: tuple[int, ...]) -> KeyState:
    """The key's state once `verdict` is carried out for the runs with these ids."""
    waiting = (0 if verdict.cancel_waiting else state.waiting) + verdict.places.count(WAIT)
    return KeyState(ids[0] if verdict.places[0] == START else state.holder, waiting)
