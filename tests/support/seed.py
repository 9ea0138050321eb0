"""Schedules put straight into the tables, for tests of the store and of the loops that need no application."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from rota.calendar.text import parse
from rota.model.policy import parse_policies
from rota.store import dialect
from rota.store.tables import of


def schedules(
    conn: Connection,
    /,
    now: datetime,
    names: Sequence[str],
    when: str = "* * * * *",
    *,
    zone: str = "UTC",
    job: str = "noop",
    **given: Any,
) -> dict[str, int]:
    """Active schedules created at `now`; name -> id."""
    t = of(conn)
    ids = dialect.draw_ids(conn, t.schedules, len(names))
    definitions = dialect.draw_ids(conn, t.definitions, len(names))
    lane = given.pop("lane", "default")
    ends_at = given.pop("ends_at", None)
    rule = parse(when, timezone=zone, key="x")
    base: dict[str, Any] = {
        "tenant": "default",
        "stack": "default",
        "environment": "default",
        "owner": None,
        "labels": {},
        "note": None,
        "source": "user",
        "origin": None,
    }
    dialect.insert_many(
        conn, t.schedules,
        [base | {"id": i, "name": n, "created_at": now, "updated_at": now} for i, n in zip(ids, names, strict=True)],
    )  # fmt: skip
    policies = parse_policies(given)
    dialect.insert_many(
        conn, t.definitions,
        [
            {
                "id": d, "schedule_id": i, "revision": 1, "key": f"default/default/default/{n}", "when_text": when,
                "canonical": rule.canonical, "timezone": zone, "zone": zone, "job": job, "args": {}, "lane": lane,
                "priority": 0, "policies": policies.to_json(), "given": {k: policies.to_json()[k] for k in given},
                "dst_gap": "auto", "dst_overlap": "auto", "ends_at": ends_at, "created_at": now,
            }
            for d, i, n in zip(definitions, ids, names, strict=True)
        ],
    )  # fmt: skip
    following = rule.next_after(now)
    cursor = {"revision": 1, "state": "active", "watermark": now, "next_at": following, "due_at": following}
    dialect.insert_many(
        conn,
        t.cursors,
        [cursor | {"schedule_id": i, "definition_id": d} for i, d in zip(ids, definitions, strict=True)],
    )
    dialect.insert_many(conn, t.health, [{"schedule_id": i, "consecutive_failures": 0} for i in ids])
    if not dialect.query(conn, "SELECT 1 FROM {lanes} WHERE name = %s", [lane]):
        dialect.insert_many(conn, t.lanes, [{"name": lane, "paused": False, "updated_at": now}])
    return dict(zip(names, ids, strict=True))


def node(conn: Connection, now: datetime, name: str = "n1", state: str = "live") -> None:
    """A node's row."""
    row = {
        "id": name, "host": "here", "pid": 1, "roles": "scheduler,worker", "slots": 100, "state": state,
        "draining": False, "beats": 0, "started_at": now, "seen_at": now, "version": "0", "zone_data": "0",
    }  # fmt: skip
    dialect.insert_many(conn, of(conn).nodes, [row])


def finish(conn: Connection, now: datetime, *ids: int) -> None:
    """End runs at once, as a worker's settlement would leave their rows."""
    for run in ids:
        dialect.execute(conn, "DELETE FROM {ready} WHERE run_id = %s", [run])
        dialect.execute(
            conn, "UPDATE {runs} SET state = 'succeeded', finished_at = %s WHERE id = %s", [dialect.at(conn, now), run]
        )


def rows(conn: Connection, sql: str, params: Sequence[Any] = ()) -> list[dict[str, Any]]:
    """`dialect.query`, for tests."""
    return dialect.query(conn, sql, params)
