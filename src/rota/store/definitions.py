"""Definitions: one immutable row per revision; rows <-> `model.schedule.Definition`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from rota.model.policy import parse_policies
from rota.model.schedule import Cursor, Definition
from rota.store.tables import of


def load(conn: Connection, ids: Iterable[int]) -> dict[int, Definition]:
    """The definitions with these ids; an id without a row is left out."""
    table = of(conn).definitions
    wanted = sorted(set(ids))
    found: dict[int, Definition] = {}
    for start in range(0, len(wanted), 1000):
        rows = conn.execute(table.select().where(table.c.id.in_(wanted[start : start + 1000])))
        found |= {row.id: from_row(row._mapping) for row in rows}  # noqa: SLF001 - SQLAlchemy's public name
    return found


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
        policies=parse_policies(row["policies"]),
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
    )
