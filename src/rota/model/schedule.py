"""A schedule as the engine sees it: an immutable definition and a cursor that moves."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

from rota.errors import InvalidValue
from rota.model.policy import Policies

ACTIVE: Final = "active"
PAUSED: Final = "paused"
DISABLED: Final = "disabled"
DONE: Final = "done"
REMOVED: Final = "removed"
STATES: Final = (ACTIVE, PAUSED, DISABLED, DONE)

SOURCES: Final = ("app", "user", "system")
DEFAULT: Final = "default"


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """What identifies a schedule: unique among all rows, also removed ones."""

    tenant: str
    stack: str
    environment: str
    name: str

    def __str__(self) -> str:
        return f"{self.tenant}/{self.stack}/{self.environment}/{self.name}"

    @property
    def short(self) -> str:
        """The name alone where the first three are the defaults, else the whole key."""
        return self.name if (self.tenant, self.stack, self.environment) == (DEFAULT,) * 3 else str(self)

    @classmethod
    def parse(cls, text: str) -> Key:
        """The key that `tenant/stack/environment/name` names; raises InvalidValue for another shape."""
        parts = text.split("/")
        if len(parts) != 4:
            raise InvalidValue(f"key: {text!r} is not of the form tenant/stack/environment/name")
        return cls(
            *(
                check_name(field, part)
                for field, part in zip(("tenant", "stack", "environment", "name"), parts, strict=True)
            )
        )


def check_name(field: str, value: object) -> str:
    """`value` if it is 1-200 printable characters without `/` and `@` (and not blank at its ends)."""
    if (
        not isinstance(value, str)
        or not 1 <= len(value) <= 200
        or not value.isprintable()
        or "/" in value
        or "@" in value
        or value != value.strip()
    ):
        raise InvalidValue(f"{field}: {value!r} is not 1-200 printable characters without / and @")
    return value


@dataclass(frozen=True, slots=True)
class Definition:
    """One revision of a schedule (or, with `schedule_id` None, of a job's own requests). Never updated once written.

    `zone` is the zone in force; `ends_at` the last instant an occurrence may have (valid_until, or the
    max_occurrences-th occurrence); `policies` the effective ones; `given` the policy fields that were written down.
    """

    id: int
    schedule_id: int | None
    revision: int
    key: str
    when: str
    canonical: str
    timezone: str | None
    zone: str
    job: str
    args: dict[str, Any]
    lane: str
    priority: int
    policies: Policies
    given: dict[str, Any]
    anchor: datetime | None
    dst_gap: str
    dst_overlap: str
    valid_from: datetime | None
    valid_until: datetime | None
    max_occurrences: int | None
    ends_at: datetime | None

    @property
    def flight(self) -> str | None:
        """The flight key its runs hold, or None under `overlap: allow`."""
        return flight_of(self.policies, self.key, self.schedule_id)[0]

    @property
    def named_flight(self) -> bool:
        """Whether other schedules may share its flight key."""
        return flight_of(self.policies, self.key, self.schedule_id)[1]


def flight_of(policies: Policies, key: str, schedule_id: int | None) -> tuple[str | None, bool]:
    """(the flight key of a schedule's runs, whether other schedules may share it).

    Named keys start with `k:` and belong to a tenant, others are the schedule's own; None under `overlap: allow`.
    """
    if policies.overlap == "allow":
        return None, False
    if policies.single_flight is not None:
        return f"k:{key.split('/', 1)[0]}/{policies.single_flight}", True
    return (f"s:{schedule_id}" if schedule_id is not None else None), False


class Cursor(NamedTuple):
    """The row that the hot path writes, and the schedule's lock.

    `watermark`: every occurrence up to it is decided. `due_at`: when a scheduler must next look, None when never.
    `cut_until`: occurrences up to it belong to a catch-up that was cut at 1,000 runs. `last_wall`: the wall time of
    the last fixed-time occurrence, naive.
    `probe_at`: when a schedule that failures disabled is to be probed. `wake_at`: an instant a handler asked for.
    """

    schedule_id: int
    definition_id: int
    revision: int
    state: str
    watermark: datetime
    next_at: datetime | None
    due_at: datetime | None
    paused_until: datetime | None = None
    disabled_reason: str | None = None
    cut_until: datetime | None = None
    last_wall: datetime | None = None
    probe_at: datetime | None = None
    zone_data: str | None = None
    wake_at: datetime | None = None
