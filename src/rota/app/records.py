"""Records: what the handles answer with. Frozen values whose fields are the names of the API's JSON.

Instants are aware UTC datetimes; `to_json` writes them as RFC 3339 with `Z`. Lengths are texts such as "5m".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Generic, Self, TypeVar

from rota.model.instants import rfc3339

T = TypeVar("T")


def plain(value: Any) -> Any:
    """JSON of a record's value."""
    if isinstance(value, datetime):
        return rfc3339(value)
    if isinstance(value, (Record, Page)):
        return value.to_json()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return {str(k): plain(v) for k, v in value.items()} if isinstance(value, Mapping) else value


@dataclass(frozen=True, slots=True)
class Record:
    """Base of all records."""

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Self:
        """The record of a mapping that has all fields by their JSON names; others are left out."""
        return cls(**{f.name: row[f.name.removesuffix("_")] for f in fields(cls)})

    def to_json(self) -> dict[str, Any]:
        """The object of the API's JSON."""
        return {f.name.removesuffix("_"): plain(getattr(self, f.name)) for f in fields(self)}


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of a list; `next_cursor` is None on the last."""

    items: tuple[T, ...]
    next_cursor: str | None

    def to_json(self) -> dict[str, Any]:
        """{items, next_cursor}."""
        return {"items": [plain(item) for item in self.items], "next_cursor": self.next_cursor}


@dataclass(frozen=True, slots=True)
class LastRun(Record):
    """The newest run of a schedule."""

    id: int
    state: str
    scheduled_for: datetime | None
    started_at: datetime | None
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class Schedule(Record):
    """A schedule with its effective policies, as flat fields.

    `when` is as written, `canonical` and `words` say the same; `timezone` is the one given (or None), `zone` the one in
    force. `state` is active, paused, disabled or done; `enabled` is whether it is not disabled.
    """

    id: int
    key: str
    tenant: str
    stack: str
    environment: str
    name: str
    job: str
    job_known: bool
    args: dict[str, Any]
    when: str
    canonical: str
    words: str
    note: str | None
    labels: dict[str, str]
    timezone: str | None
    zone: str
    lane: str
    priority: int
    source: str
    origin: str | None
    owner: str | None
    enabled: bool
    paused_until: datetime | None
    disabled_reason: str | None
    state: str
    watermark: datetime
    next_at: datetime | None
    last_run: LastRun | None
    last_success_at: datetime | None
    consecutive_failures: int
    anchor: datetime | None
    dst_gap: str
    dst_overlap: str
    valid_from: datetime | None
    valid_until: datetime | None
    max_occurrences: int | None
    catchup: str
    catchup_window: str | None
    catchup_max: int
    grace: str | None
    overlap: str
    single_flight: str | None
    queue_max: int
    retry: dict[str, Any]
    timeout: str | None
    on_lost: str
    max_lost: int
    disable_after: int | None
    probe_after: str | None
    jitter: str | None
    on_edit: str
    on_resume: str
    revision: int
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Self:
        """The record of a row of `store.listing`."""
        last = row["last_run"]
        values = dict(row) | {"last_run": None if last is None else LastRun.of(last)}
        return cls(**{f.name: values[f.name] for f in fields(cls)})


@dataclass(frozen=True, slots=True)
class Covers(Record):
    """The occurrences that a run stands for: the first, the last and their number."""

    from_: datetime | None
    to: datetime | None
    count: int


@dataclass(frozen=True, slots=True)
class RunError(Record):
    """Why a run (or its last attempt) did not succeed."""

    type: str
    message: str


@dataclass(frozen=True, slots=True)
class Run(Record):
    """A run. `result` is the JSON value that the handler returned; `reason` tells more about the state."""

    id: int
    schedule: str | None
    schedule_id: int | None
    job: str
    args: dict[str, Any]
    lane: str
    priority: int
    scheduled_for: datetime | None
    not_before: datetime | None
    invocation: str
    state: str
    reason: str | None
    cause: str
    attempt: int
    retry_of: int | None
    node: str | None
    covers: Covers | None
    result: Any
    error: RunError | None
    exit_code: int | None
    cancelling: bool
    waiting: bool
    next_attempt_at: datetime | None
    progress: dict[str, Any] | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Self:
        """The record of a row of `store.runs`."""
        covers, error = row.get("covers"), row.get("error")
        values = dict(row) | {
            "covers": None if covers is None else Covers.of(covers),
            "error": None if error is None else RunError.of(error),
        }
        return cls(**{f.name: values[f.name] for f in fields(cls)})

    @property
    def final(self) -> bool:
        """Whether the state will never change again."""
        return self.state not in ("queued", "running")


@dataclass(frozen=True, slots=True)
class LogLine(Record):
    """A piece of a run's output, in the order of (token, seq); each attempt has a token of its own.

    `stream` is out, err, log or trace.
    """

    token: int
    seq: int
    at: datetime
    stream: str
    text: str


@dataclass(frozen=True, slots=True)
class Job(Record):
    """A job of the registry. `parameters` is a JSON Schema, or None where any object will do."""

    name: str
    kind: str
    version: int
    parameters: dict[str, Any] | None
    defaults: dict[str, Any]
    lane: str
    priority: int
    origin: str | None
    schedules: int
    created_at: datetime
    seen_at: datetime


@dataclass(frozen=True, slots=True)
class Lane(Record):
    """A named queue with limits for the whole deployment; None: no limit. `queued` are the runs that may start now."""

    name: str
    concurrency: int | None
    rate: str | None
    paused: bool
    queued: int
    running: int
    updated_at: datetime | None


@dataclass(frozen=True, slots=True)
class Node(Record):
    """A process of rota. `state` is live, stopped (in order) or fenced."""

    id: str
    host: str
    pid: int
    roles: tuple[str, ...]
    lanes: tuple[str, ...] | None
    slots: int
    state: str
    draining: bool
    running: int
    started_at: datetime
    seen_at: datetime
    ended_at: datetime | None
    version: str
    zone_data: str


@dataclass(frozen=True, slots=True)
class Event(Record):
    """An event of the spine; `id` is the order that readers know."""

    id: int
    type: str
    at: datetime
    subject: str
    code: str | None
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Upcoming(Record):
    """A coming occurrence. `local` is its time in the schedule's zone, with the offset."""

    schedule: str
    at: datetime
    local: str
    job: str
    state: str
    skipped: bool


@dataclass(frozen=True, slots=True)
class Explanation(Record):
    """What became of one occurrence, or will.

    `disposition` is fired, coalesced, skipped, pending (also: still to come), none (it has none, and the sentence says
    why) or no_occurrence; `sentence` tells it with cause and rule, `advice` what to change, where there is something.
    """

    schedule: str
    at: datetime
    local: str
    disposition: str
    reason: str | None
    sentence: str
    advice: str | None
    run: int | None
    run_state: str | None
    node: str | None
    decided_at: datetime | None
    lateness_s: float | None


@dataclass(frozen=True, slots=True)
class Change(Record):
    """Who changed a schedule, when, by which way; `before` and `after` have the fields that differ."""

    at: datetime
    action: str
    actor: str
    channel: str
    reason: str | None
    before: dict[str, Any] | None
    after: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Decision(Record):
    """The disposition of the occurrences in (after_at, until_at] that have no run."""

    after_at: datetime
    until_at: datetime
    what: str
    reason: str | None
    revision: int
    node: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Backfill(Record):
    """What a backfill did, or with `dry_run` would do: the occurrences that get runs, and how many had one."""

    occurrences: tuple[datetime, ...]
    runs: tuple[int, ...]
    existing: int
    dry_run: bool
