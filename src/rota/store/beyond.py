"""A schedule that this process cannot compute: a zone or a policy that only another version knows, a fault in its rule.

What the engine does to it at the end of a run is done all the same, and touches no other schedule (law 3).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import cast

from sqlalchemy import Connection

from rota.calendar.recurrence import Recurrence
from rota.model.firing import TICK, Plan
from rota.model.policy import Policies
from rota.model.schedule import Cursor, Definition
from rota.store import definitions
from rota.store.schedules import Locked, row_of


class _Unknown:
    """A rule of which nothing is known: any instant may be an occurrence."""

    kind = "mixed"

    def next_after(self, instant: datetime) -> datetime:
        """The first instant that may be one."""
        return instant + TICK

    def last_until(self, instant: datetime) -> datetime:
        """The last instant that may be one."""
        return instant


@dataclass(frozen=True, slots=True)
class Beyond(Locked):
    """A locked schedule whose rule is not known here. What is undecided is decided as a span, whatever lies in it."""

    def armed(self) -> Locked:
        """Due at once: a scheduler that can compute it arms it, any other leaves or disables it."""
        return self.at(next_at=None, due_at=self.now)


def locked_as(conn: Connection, cursor: Cursor, now: datetime) -> Locked | None:
    """`schedules.locked_as` where that cannot be made, or not be computed: its rule, validity and policies unread."""
    row = row_of(conn, cursor.schedule_id)
    names = definitions.names(conn, cursor.definition_id)
    if row is None or names is None:
        return None
    key, job = names
    definition = Definition(
        cursor.definition_id, cursor.schedule_id, cursor.revision, key, "", "", None, "UTC", job, {}, "", 0, Policies(), {},
        None, "auto", "auto", None, None, None, None,
    )  # fmt: skip
    return Beyond(row, cursor, Plan(definition, cast("Recurrence", _Unknown())), now)
