"""Arming schedules again one by one: what cannot be computed for one of them keeps no other from its turn (law 3)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from rota.model.firing import rearm
from rota.model.schedule import ACTIVE, DONE, PAUSED, Cursor, Definition
from rota.model.timing import plan_of
from rota.store import definitions


def readable(conn: Connection, ids: Iterable[int]) -> dict[int, Definition]:
    """The definitions with these ids; one that this version cannot read is left out, as one without a row is."""
    wanted = sorted(set(ids))
    try:
        return definitions.load(conn, wanted)
    except DBAPIError:
        raise
    except Exception:  # noqa: BLE001 - a row that another version wrote, or a hand: found by reading one at a time
        if len(wanted) == 1:
            return {}
        return {key: found for one in wanted for key, found in readable(conn, [one]).items()}


def computed(definition: Definition | None, cursor: Cursor, now: datetime) -> Cursor | None:
    """The cursor with next_at and due_at as its rule names them; None where that cannot be computed here."""
    try:
        return None if definition is None else rearm(plan_of(definition), cursor, now)
    except Exception:  # noqa: BLE001 - whatever one rule's computation does touches no other schedule
        return None


def rearmed(definition: Definition | None, cursor: Cursor, now: datetime) -> Cursor:
    """The same; but a schedule that cannot be computed here is due at once, so that a scheduler judges it.

    The scheduler disables it, or leaves it to a node that can.
    """
    after = computed(definition, cursor, now)
    if after is not None:
        return after
    return cursor._replace(due_at=now) if cursor.state in (ACTIVE, PAUSED, DONE) else cursor
