"""Nodes: one row per process, `live` until it leaves or is fenced; its lease on its runs (design document 4).

A lease is compared with no clock: `beats` grows with each renewal, and a keeper fences what it has itself watched
standing still.
"""

from __future__ import annotations

import os
import socket
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from rota.errors import NodeNotFound
from rota.model.event import event
from rota.store import dialect, events
from rota.store.tables import of


def fresh_id() -> str:
    """A new node's id: never used before, drawn at each start of a process and after each fork."""
    return uuid.uuid4().hex


@dataclass(frozen=True, slots=True)
class Node:
    """What a node says about itself when it joins. `lanes` None: it serves all."""

    id: str
    roles: tuple[str, ...]
    lanes: tuple[str, ...] | None
    slots: int
    version: str
    zone_data: str


def join(conn: Connection, node: Node, now: datetime) -> None:
    """Add the node's row, live. The same again, after a lost answer, changes nothing: ids are never drawn twice."""
    row = {
        "id": node.id,
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "roles": ",".join(node.roles),
        "lanes": None if node.lanes is None else ",".join(node.lanes),
        "slots": node.slots,
        "state": "live",
        "draining": False,
        "beats": 0,
        "started_at": now,
        "seen_at": now,
        "version": node.version,
        "zone_data": node.zone_data,
    }
    if dialect.query(conn, "SELECT 1 FROM {nodes} WHERE id = %s", [node.id]):
        return
    dialect.insert_many(conn, of(conn).nodes, [row])
    shown = {name: row[name] for name in ("host", "pid", "roles", "lanes", "slots", "version")}
    events.write(conn, [event("node.started", now, node.id, **shown)])


@dataclass(frozen=True, slots=True)
class Renewed:
    """The answer to a renewal: whether the node is still live, and whether it was asked to drain."""

    live: bool
    draining: bool = False


def renew(conn: Connection, node: str, now: datetime) -> Renewed:
    """One beat. `live` False means that the node was fenced (or its row is gone): its tokens are void."""
    rows = dialect.query(
        conn,
        "UPDATE {nodes} SET beats = beats + 1, seen_at = %s WHERE id = %s AND state = 'live' RETURNING draining",
        [dialect.at(conn, now), node],
    )
    return Renewed(True, bool(rows[0]["draining"])) if rows else Renewed(live=False)


def leave(conn: Connection, node: str, now: datetime) -> bool:
    """The node has stopped in order; False where it was not live any more."""
    done = dialect.execute(
        conn,
        "UPDATE {nodes} SET state = 'stopped', ended_at = %s WHERE id = %s AND state = 'live'",
        [dialect.at(conn, now), node],
    )
    if done:
        events.write(conn, [event("node.stopped", now, node)])
    return done == 1


def drain(conn: Connection, node: str, now: datetime, by: Any, *, on: bool = True) -> bool:
    """Ask the node to claim nothing more (or take that back); it learns at its next claim. Raises NodeNotFound."""
    rows = dialect.query(conn, "SELECT draining FROM {nodes} WHERE id = %s" + dialect.for_update(conn), [node])
    if not rows:
        raise NodeNotFound(f"no node {node}")
    if bool(rows[0]["draining"]) == on:
        return False
    dialect.update_many(conn, of(conn).nodes, [{"id": node, "draining": on}], key="id")
    events.change(conn, now, f"node:{node}", "drain", by, before={"draining": not on}, after={"draining": on})
    return True


def beats(conn: Connection) -> dict[str, int]:
    """The beats of every live node: what a keeper watches."""
    return {
        row["id"]: row["beats"] for row in dialect.query(conn, "SELECT id, beats FROM {nodes} WHERE state = 'live'")
    }


def fence(conn: Connection, seen: Mapping[str, int], now: datetime, keeper: str) -> list[str]:
    """Step one: fence each of these nodes if its beats are still what the keeper saw; those that were fenced.

    A row that is locked is passed over until the next look: its node renews this moment, or was stopped while it did.
    So a fence never waits, neither for that node nor with the others behind it.
    """
    fenced = []
    same = "WHERE id = %s AND state = 'live' AND beats = %s"
    for node, number in sorted(seen.items()):
        if not dialect.query(conn, f"SELECT id FROM {{nodes}} {same}" + dialect.skip_locked(conn), [node, number]):
            continue
        done = dialect.execute(
            conn,
            f"UPDATE {{nodes}} SET state = 'fenced', ended_at = %s {same}",
            [dialect.at(conn, now), node, number],
        )
        if done == 1:
            fenced.append(node)
    events.write(
        conn, [event("node.fenced", now, node, by=keeper, reason="no heartbeat for a lease") for node in fenced]
    )
    return fenced


def end_sessions(conn: Connection) -> int:
    """Step two: end the database sessions of nodes that are not live, so that a stopped process holds no locks."""
    rows = dialect.query(conn, "SELECT id FROM {nodes} WHERE state <> 'live' ORDER BY started_at DESC LIMIT 1000")
    return dialect.end_sessions(conn, [row["id"] for row in rows])


@dataclass(frozen=True, slots=True)
class Stray:
    """A running run whose node is not live; locked by whoever reads it."""

    run_id: int
    token: int
    lost: int
    node: str
    definition_id: int
    policies: dict[str, Any]


def strays(conn: Connection, limit: int) -> list[Stray]:
    """Step three's work: running runs whose node is not live (a missing row counts). Locked; locked ones are passed over."""
    found = dialect.query(
        conn,
        "SELECT c.run_id FROM {claims} c WHERE NOT EXISTS"
        " (SELECT 1 FROM {nodes} n WHERE n.id = c.node AND n.state = 'live')"
        f" ORDER BY c.run_id LIMIT {int(limit)}",
    )
    if not found:
        return []
    among, params = dialect.in_list(conn, [row["run_id"] for row in found])
    sql = (
        f"SELECT id, token, lost, node, definition_id FROM {{runs}} WHERE id {among} AND state = 'running' ORDER BY id"
    )
    rows = dialect.query(conn, sql + dialect.skip_locked(conn), params)
    live = _live(conn, [row["node"] for row in rows if row["node"] is not None])
    from rota.store.claims import templates

    shared = templates(conn, {row["definition_id"] for row in rows})
    return [
        Stray(r["id"], r["token"], r["lost"], r["node"] or "", r["definition_id"], shared[r["definition_id"]].policies)
        for r in rows
        if r["node"] not in live
    ]


def _live(conn: Connection, ids: Sequence[str]) -> set[str]:
    """Which of these are live now: a run may have been claimed anew since its row in `claims` was read."""
    if not ids:
        return set()
    member, params = dialect.in_list(conn, sorted(set(ids)), "text")
    return {
        row["id"]
        for row in dialect.query(conn, f"SELECT id FROM {{nodes}} WHERE state = 'live' AND id {member}", params)
    }


def listing(conn: Connection, *, all_of_them: bool = False) -> list[dict[str, Any]]:
    """The live nodes (or all that are remembered), latest first, each with how many runs it has in its hands."""
    where = "" if all_of_them else "WHERE n.state = 'live' "
    rows = dialect.query(
        conn,
        "SELECT n.id, n.host, n.pid, n.roles, n.lanes, n.slots, n.state, n.draining, n.started_at, n.seen_at, n.ended_at,"
        " n.version, n.zone_data, (SELECT count(*) FROM {claims} c WHERE c.node = n.id) AS running FROM {nodes} n "
        f"{where}ORDER BY n.started_at DESC, n.id",
    )
    return [_record(row) for row in rows]


def _record(row: dict[str, Any]) -> dict[str, Any]:
    instants = {name: dialect.read_at(row[name]) for name in ("started_at", "seen_at", "ended_at")}
    lists = {name: None if row[name] is None else row[name].split(",") for name in ("roles", "lanes")}
    return row | instants | lists | {"draining": bool(row["draining"])}


def get(conn: Connection, node: str) -> dict[str, Any]:
    """One node's record as in `listing`; raises NodeNotFound."""
    found = [row for row in listing(conn, all_of_them=True) if row["id"] == node]
    if not found:
        raise NodeNotFound(f"no node {node}")
    return found[0]
