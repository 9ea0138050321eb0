"""Definitions: one immutable row per revision; rows <-> `model.schedule.Definition`."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection

from rota.errors import Error, LocallyIncapable
from rota.model.policy import Policies, stored_policies
from rota.model.schedule import Cursor, Definition, flight_of
from rota.store import dialect
from rota.store.tables import Instant, Json, of

_COLUMNS: Final = (
    "id, schedule_id, revision, key, when_text, canonical, timezone, zone, job, args, lane, priority,"
    " CAST(policies AS text) AS policies, given, anchor, dst_gap, dst_overlap, valid_from, valid_until,"
    " max_occurrences, ends_at"
)


def load(conn: Connection, ids: Iterable[int]) -> dict[int, Definition]:
    """The definitions with these ids; an id without a row is left out. Raw rows: the hot path comes through here."""
    wanted = sorted(set(ids))
    found: dict[int, Definition] = {}
    kinds = {c.name: c.type for c in of(conn).definitions.c if isinstance(c.type, (Instant, Json))}
    for start in range(0, len(wanted), 10_000):
        member, params = dialect.in_list(conn, wanted[start : start + 10_000])
        for row in dialect.query(conn, f"SELECT {_COLUMNS} FROM {{definitions}} WHERE id {member}", params):
            for name, kind in kinds.items():
                if name != "policies" and row.get(name) is not None:
                    row[name] = dialect.decode(kind, row[name])
            found[row["id"]] = from_row(row)
    return found


def names(conn: Connection, definition_id: int) -> tuple[str, str] | None:
    """(key, job) of a definition, which may be one that this version cannot read; None where there is none."""
    rows = dialect.tuples(conn, "SELECT key, job FROM {definitions} WHERE id = %s", [definition_id])
    return (rows[0][0], rows[0][1]) if rows else None


class Target(NamedTuple):
    """What a firing needs to know of a definition besides its timing."""

    id: int
    schedule_id: int
    key: str
    job: str
    lane: str
    priority: int
    flight: str | None
    named_flight: bool
    policies: Policies
    zone: str


class Timing(NamedTuple):
    """The timing of a definition as it is stored: equal ones decide alike. A key for a table of what was made of it."""

    canonical: str
    zone: str
    anchor: str | None
    dst_gap: str
    dst_overlap: str
    valid_from: Any
    ends_at: Any
    policies: str


def targets(conn: Connection, ids: Iterable[int]) -> dict[int, tuple[Target, Timing] | Error]:
    """The definitions with these ids, as the hot path wants them: nothing is decoded but what is new.

    One whose policies this version cannot read is there as the error that says so, and touches no other.
    """
    wanted = sorted(set(ids))
    found: dict[int, tuple[Target, Timing] | Error] = {}
    for start in range(0, len(wanted), 10_000):
        member, params = dialect.in_list(conn, wanted[start : start + 10_000])
        sql = f"SELECT {_HOT} FROM {{definitions}} WHERE id {member}"
        for key, schedule, name, job, lane, priority, *rest in dialect.tuples(conn, sql, params):
            timing = Timing(*rest)
            try:
                policies = _policies(timing.policies)
            except Exception as error:  # noqa: BLE001 - written by another version, or by hand: whatever it raises
                found[key] = LocallyIncapable(f"this node cannot read the policies of {name}: {error}")
                continue
            flight, named = flight_of(policies, name, schedule)
            target = Target(key, schedule, name, job, lane, priority, flight, named, policies, timing.zone)
            found[key] = target, timing
    return found


_HOT: Final = (
    "id, schedule_id, key, job, lane, priority,"
    " canonical, zone, anchor, dst_gap, dst_overlap, valid_from, ends_at, CAST(policies AS text)"
)


@functools.lru_cache(maxsize=2048)
def _policies(text: str) -> Policies:
    return stored_policies(json.loads(text))


def policies_of(stored: str | Mapping[str, Any]) -> Policies:
    """The Policies of a stored JSON object (or of its text); equal texts give the very same value."""
    return _policies(stored if isinstance(stored, str) else json.dumps(stored, sort_keys=True))


def from_row(row: Mapping[str, Any]) -> Definition:
    """A Definition from a full row of `definitions`."""
    return Definition(
        id=row["id"],
        schedule_id=row["schedule_id"],
        revision=row["revision"],
        key=row["key"],
        when=row["when_text"],
        canonical=row["canonical"],
        timezone=row["timezone"],
        zone=row["zone"],
        job=row["job"],
        args=row["args"],
        lane=row["lane"],
        priority=row["priority"],
        policies=policies_of(row["policies"]),
        given=row["given"],
        anchor=None if row["anchor"] is None else datetime.fromisoformat(row["anchor"]),
        dst_gap=row["dst_gap"],
        dst_overlap=row["dst_overlap"],
        valid_from=row["valid_from"],
        valid_until=row["valid_until"],
        max_occurrences=row["max_occurrences"],
        ends_at=row["ends_at"],
    )


def cursor_from_row(row: Mapping[str, Any]) -> Cursor:
    """A Cursor from a full row of `cursors`, whose instants are decoded already."""
    wall = row["last_wall"]
    return Cursor(
        schedule_id=row["schedule_id"],
        definition_id=row["definition_id"],
        revision=row["revision"],
        state=row["state"],
        watermark=row["watermark"],
        next_at=row["next_at"],
        due_at=row["due_at"],
        paused_until=row["paused_until"],
        disabled_reason=row["disabled_reason"],
        cut_until=row["cut_until"],
        last_wall=None if wall is None else datetime.fromisoformat(wall),
        probe_at=row["probe_at"],
        zone_data=row["zone_data"],
        wake_at=row["wake_at"],
    )
