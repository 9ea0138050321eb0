"""Events: immutable rows on the spine. Their types and codes, in one place."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final, NamedTuple

CODES: Final[dict[str, str]] = {
    "schedule.fired": "V200610SCHTRG",
    "schedule.uncomputable": "X200900SCHCAL",
}

TYPES: Final[dict[str, str]] = {
    "schedule.created": "a schedule was added, or a removed one was added again",
    "schedule.updated": "a schedule was edited",
    "schedule.removed": "a schedule was removed",
    "schedule.enabled": "a schedule was enabled",
    "schedule.disabled": "a schedule was disabled, by hand or by failures",
    "schedule.recovered": "a probe succeeded and enabled the schedule again",
    "schedule.paused": "a schedule was paused",
    "schedule.resumed": "a pause ended",
    "schedule.done": "a schedule has no further occurrence",
    "schedule.fired": "an occurrence fired: its run is queued",
    "schedule.skipped": "occurrences were skipped, with the reason",
    "schedule.coalesced": "occurrences were folded into one run",
    "schedule.uncomputable": "a next occurrence could not be computed; the schedule is disabled",
    "run.requested": "a run was asked for by hand or by the application",
    "run.retried": "an attempt failed and the run waits for the next one",
    "run.handed_back": "a claim ended without an attempt: shutdown, fence, or unknown job",
    "run.succeeded": "a run ended: succeeded",
    "run.failed": "a run ended: failed",
    "run.cancelled": "a run ended: cancelled",
    "run.expired": "a run ended: it would have started later than its grace allows",
    "run.skipped": "a request by hand was skipped",
    "run.lost": "a run ended: its node was lost",
    "node.started": "a process joined",
    "node.stopped": "a process left in order",
    "node.fenced": "a process was declared dead; its runs moved on",
    "lane.updated": "a lane was changed",
    "repair.armed": "an active schedule without due_at was armed again",
    "repair.admitted": "a queued run that nothing would have started was admitted",
    "repair.ready": "a row in ready without a queued run was deleted",
    "repair.clock": "the clock went back; watermarks in the future were lowered",
    "repair.probe": "a schedule that failures had disabled got the probe that was missing",
    "repair.zone_data": "next fires were recomputed with newer zone data",
}


class Event(NamedTuple):
    """One event to write. `subject` is the key of what it happened to; `data` is storable JSON."""

    type: str
    at: datetime
    subject: str
    data: dict[str, Any]
    code: str | None = None


def event(type_: str, at: datetime, subject: str, **data: Any) -> Event:
    """An event of a known type with its code filled in."""
    if type_ not in TYPES:
        raise KeyError(type_)
    return Event(type_, at, subject, data, CODES.get(type_))
