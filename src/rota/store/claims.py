"""Claiming runs for a node, and handing them back (design document 4, "Running").

A row in `ready` is the only permission to start. A claim deletes it and marks its run in the same statement.
"""

from __future__ import annotations

import json
import operator
import weakref
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection
from sqlalchemy.engine import Engine

from rota.model.run import Claimed
from rota.store import dialect, lanes
from rota.store.cancels import REASONS, REMOVED, STRENGTH
from rota.store.runs import Subject, invocation, tell
from rota.store.types import Json

_JSON: Final = Json()
_ORDER: Final = operator.attrgetter("priority", "id")


@dataclass(frozen=True, slots=True)
class Template:
    """What the runs of one definition have in common."""

    subject: Subject
    name: str | None
    zone: str
    args: str
    policies: dict[str, Any]


class Row(NamedTuple):
    """A row that a claim has taken, as the driver returns it."""

    id: int
    state: str
    token: int
    attempt: int
    node: str | None
    schedule_id: int | None
    definition_id: int
    lane: str
    priority: int
    scheduled_for: Any
    not_before: Any
    invocation: str | None
    cause: str
    covers_from: Any
    covers_to: Any
    covers_count: int | None
    lost: int
    created_at: Any
    args: Any
    since: Any


_KNOWN: Final[weakref.WeakKeyDictionary[Engine, dict[int, Template]]] = weakref.WeakKeyDictionary()
"""Definitions never change, so a process reads each once. Only claims fill it: they see committed rows alone."""
_KNOWN_MOST: Final = 20_000


def known(conn: Connection) -> dict[int, Template]:
    """The templates that this process has read from this database, by definition."""
    return _KNOWN.setdefault(conn.engine, {})


TAKEN: Final = (
    ", ".join(name for name in Row._fields if name != "since")
    + ", (SELECT h.last_success_for FROM {health} h WHERE h.schedule_id = {runs}.schedule_id) AS since"
)
"""What a claim's statement returns of a run: a `Row`."""
# `{gone}` are the runs whose `ready` rows were deleted. A run with a cancel on record never starts, nor does one whose
# first start is later than its grace allows.
_REASONS: Final = " ".join(f"WHEN '{kind}' THEN '{reason}'" for kind, reason in REASONS.items())
_STRENGTH: Final = " ".join(f"WHEN '{kind}' THEN {place}" for place, kind in enumerate(STRENGTH))
_VERDICT: Final = (
    "verdict AS MATERIALIZED (SELECT run_id AS v_id, {at} AS v_now,"
    f" (SELECT CASE WHEN k.kind = 'no_retry' AND k.reason = '{REMOVED}' THEN '{REASONS[REMOVED]}' ELSE CASE k.kind {_REASONS}"
    " ELSE 'cancelled' END END FROM {{cancels}} k WHERE k.run_id = g.run_id"
    f" ORDER BY CASE k.kind {_STRENGTH} END LIMIT 1) AS v_reason"
    " FROM {gone} g)"
)
_STARTS: Final = "v_reason IS NULL AND (token > 0 OR expires_at IS NULL OR expires_at >= v_now)"
_START: Final = (
    "UPDATE {runs} SET"
    " state = CASE WHEN " + _STARTS + " THEN 'running' WHEN v_reason IS NULL THEN 'expired' ELSE 'cancelled' END,"
    " reason = CASE WHEN " + _STARTS + " THEN NULL ELSE coalesce(v_reason, 'late') END,"
    " token = CASE WHEN " + _STARTS + " THEN token + 1 ELSE token END,"
    " attempt = CASE WHEN " + _STARTS + " THEN attempt + 1 ELSE attempt END,"
    " node = CASE WHEN " + _STARTS + " THEN %s ELSE node END,"
    " started_at = CASE WHEN " + _STARTS + " THEN v_now ELSE started_at END,"
    " finished_at = CASE WHEN " + _STARTS + " THEN NULL ELSE v_now END"
    " FROM verdict WHERE {runs}.id = v_id AND state = 'queued'"
    " RETURNING " + TAKEN
)  # fmt: skip
_LIVE: Final = "EXISTS (SELECT 1 FROM {nodes} n WHERE n.id = %s AND n.state = 'live' AND NOT n.draining)"
_FIRST: Final = "FROM {ready} WHERE lane = %s AND " + _LIVE + " ORDER BY priority, run_id LIMIT %s"


# PostgreSQL's claim. ARRAY(…) keeps every table on index and tid scans, whatever its statistics say.
_TAKE: Final = (
    "WITH chosen AS MATERIALIZED (SELECT ctid AS place " + _FIRST + " FOR UPDATE SKIP LOCKED),"
    " gone AS (DELETE FROM {ready} WHERE ctid = ANY(ARRAY(SELECT place FROM chosen)) RETURNING run_id), "
    + _VERDICT.format(at="%s::timestamptz", gone="(SELECT unnest(ARRAY(SELECT run_id FROM gone)) AS run_id)")
    + ", taken AS (" + _START + "),"
    " kept AS (INSERT INTO {claims} (run_id, token, node, lane)"
    " SELECT id, token, node, lane FROM taken WHERE state = 'running')"
    " SELECT * FROM taken"
)  # fmt: skip
_TAKE_HERE: Final = (
    "WITH " + _VERDICT.format(at="%s", gone="(SELECT value AS run_id FROM json_each(%s))") + " " + _START
)


def claim(
    conn: Connection, node: str, lane_names: Sequence[str] | None, limit: int, now: datetime, *, turn: int = 0
) -> list[Claimed]:
    """Take at most `limit` runs for `node` from these lanes (None: all), smaller (priority, run) first in each.

    Afterwards each returned run is running under `node` with a token of its own and has a row in `claims`. Runs with a
    cancel on record became cancelled instead, never-started ones past their grace expired, with their events; a row in
    `ready` of a run that is not queued is gone. Nothing is taken where the node's row is not live, or where a lane is
    paused, full, out of rate or served by a foreign engine. `turn` rotates the lane that comes first, so that none
    starves.
    """
    return take(conn, node, lane_names, limit, now, turn=turn).runs


@dataclass(frozen=True, slots=True)
class Took:
    """The runs of one claim, and how many rows of `ready` it took for them."""

    runs: list[Claimed]
    rows: int


def take(
    conn: Connection, node: str, lane_names: Sequence[str] | None, limit: int, now: datetime, *, turn: int = 0
) -> Took:
    """`claim`, and whether there was anything: rows of runs that did not start also make room for others."""
    running: list[Row] = []
    ended: list[int] = []
    for lane in lanes.open_ones(conn, lane_names, turn):
        room = lanes.room(conn, lane, limit - len(running), now)
        if room <= 0:
            continue
        rows = _take(conn, node, lane.name, room, now)
        started = [row for row in rows if row.state == "running"]
        lanes.spend(conn, lane, len(started), now)
        running += started
        ended += sorted(row.id for row in rows if row.state != "running")
    if ended:
        tell(conn, sorted(ended), now)
    return Took(_claimed(conn, running, now), len(running) + len(ended))


def _take(conn: Connection, node: str, lane: str, limit: int, now: datetime) -> list[Row]:
    instant = dialect.at(conn, now)
    if dialect.is_postgresql(conn):
        rows = dialect.tuples(conn, _TAKE, [lane, node, limit, instant, node])
    else:
        rows = _take_in_steps(conn, node, lane, limit, instant)
    return sorted(map(Row._make, rows), key=_ORDER)


def _take_in_steps(conn: Connection, node: str, lane: str, limit: int, instant: Any) -> list[tuple[Any, ...]]:
    """The same inside SQLite's one write transaction."""
    keys = dialect.tuples(conn, "SELECT priority, run_id " + _FIRST, [lane, node, limit])
    if not keys:
        return []
    ready, params = dialect.derived(conn, "g", (("priority", "integer"), ("run_id", "bigint")), keys)
    sql = f"DELETE FROM {{ready}} WHERE lane = %s AND (priority, run_id) IN (SELECT priority, run_id FROM {ready})"
    dialect.execute(conn, sql, [lane, *params])
    ids = json.dumps([run for _, run in keys])
    rows = dialect.tuples(conn, _TAKE_HERE, [instant, ids, node])
    claimed = (
        "INSERT INTO {claims} (run_id, token, node, lane) SELECT id, token, node, lane FROM {runs}"
        " WHERE state = 'running' AND id IN (SELECT value FROM json_each(%s))"
    )
    dialect.execute(conn, claimed, [json.dumps([row[0] for row in rows if row[1] == "running"])])
    return rows


def _claimed(conn: Connection, rows: Sequence[Row], now: datetime) -> list[Claimed]:
    shared = templates(conn, {row.definition_id for row in rows})
    return [claimed(row, shared[row.definition_id], now) for row in rows]


def templates(conn: Connection, ids: Collection[int]) -> dict[int, Template]:
    """The templates of these definitions, and perhaps of others; only for definitions of runs that were claimed."""
    cache = known(conn)
    missing = sorted(i for i in ids if i not in cache)
    if len(cache) > _KNOWN_MOST:
        cache.clear()
        missing = sorted(ids)
    for start in range(0, len(missing), 10_000):
        member, params = dialect.in_list(conn, missing[start : start + 10_000])
        sql = f"SELECT id, schedule_id, key, zone, job, args, policies FROM {{definitions}} WHERE id {member}"
        for row in dialect.query(conn, sql, params):
            cache[row["id"]] = template_of(row)
    return cache


def template_of(row: Mapping[str, Any]) -> Template:
    """The template of a row of `definitions`."""
    schedule = row["schedule_id"]
    name = row["key"].rsplit("/", 1)[-1] if schedule is not None else None
    args = json.dumps(dialect.decode(_JSON, row["args"]))
    policies = dialect.decode(_JSON, row["policies"])
    return Template(Subject(row["key"], row["job"], schedule), name, row["zone"], args, policies)


def claimed(row: Row, template: Template, now: datetime) -> Claimed:
    """The run of a row that a claim has taken at `now`."""
    subject, read = template.subject, dialect.read_at
    scheduled_for = None if row.scheduled_for is None else read(row.scheduled_for)
    since = None if row.since is None else read(row.since)
    if since is not None and scheduled_for is not None and since >= scheduled_for:
        since = None  # a backfill of what came before the last success has no success before it that is known
    return Claimed(
        id=row.id,
        token=row.token,
        attempt=row.attempt,
        schedule_id=row.schedule_id,
        definition_id=row.definition_id,
        key=subject.key if subject.schedule_id is not None else None,
        schedule=template.name,
        timezone=template.zone,
        job=subject.job,
        args=_args(row.args, template),
        lane=row.lane,
        priority=row.priority,
        scheduled_for=scheduled_for,
        not_before=None if row.not_before is None else read(row.not_before),
        invocation=row.invocation or _invocation(row.id, subject, scheduled_for),
        cause=row.cause,
        covers_from=None if row.covers_from is None else read(row.covers_from),
        covers_to=None if row.covers_to is None else read(row.covers_to),
        covers_count=row.covers_count or 0,
        lost=row.lost,
        created_at=read(row.created_at),
        started_at=now,
        since=since,
        policies=template.policies,
    )


def _args(own: Any, template: Template) -> Any:
    """A value of each run's own: a handler may change it."""
    if own is not None:
        return dialect.decode(_JSON, own)
    return {} if template.args == "{}" else json.loads(template.args)


def _invocation(run: int, subject: Subject, scheduled_for: datetime | None) -> str:
    return f"{subject.key}#{run}" if scheduled_for is None else invocation(subject.key, scheduled_for)


def hand_back(conn: Connection, node: str, in_hands: Collection[tuple[int, int]], now: datetime) -> list[int]:
    """Queue again the runs that are running under `node` and whose (run, token) is not in its hands; their ids.

    Their attempt does not count: no code of theirs was invoked. Only the claim loop itself may ask for this, between
    two claims and while none of its claims is unanswered. Rows locked elsewhere are passed over.
    """
    rows = dialect.query(conn, "SELECT run_id, token FROM {claims} WHERE node = %s", [node])
    stray = [(r["run_id"], r["token"]) for r in rows if (r["run_id"], r["token"]) not in in_hands]
    if not stray:
        return []
    member, params = dialect.in_list(conn, [run for run, _ in stray])
    sql = f"SELECT id, token, definition_id FROM {{runs}} WHERE id {member} AND state = 'running' ORDER BY id"
    tokens = dict(stray)
    locked = dialect.query(conn, sql + dialect.skip_locked(conn), params)
    return _queue_again(conn, [row for row in locked if tokens[row["id"]] == row["token"]], now)


def _queue_again(conn: Connection, rows: Sequence[Mapping[str, Any]], now: datetime) -> list[int]:
    if not rows:
        return []
    ids = [row["id"] for row in rows]
    member, params = dialect.in_list(conn, ids)
    sql = (
        "UPDATE {runs} SET state = 'queued', reason = 'handed_back', admit_at = %s, attempt = attempt - 1, node = NULL"
        f" WHERE id {member}"
    )
    dialect.execute(conn, sql, [dialect.at(conn, now), *params])
    dialect.execute(conn, f"DELETE FROM {{claims}} WHERE run_id {member}", params)
    tell(conn, ids, now)
    return ids
