"""Where single requests come in: most of them by one statement.

A request that may start at once, for a job that this process has asked for before, needs no look at the registry: the
statement that places its run says, too, under which version of the job's row that is right. Every other goes the general
way (`manual.enqueue`), and so does one that the statement did not place.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, literal_column, select

from rota.errors import Error
from rota.model.by import By
from rota.model.overlap import NewRun
from rota.model.schedule import Definition
from rota.store import dialect, jobs, lone, manual, orders, runs
from rota.store.bulk import json_text
from rota.store.database import Database
from rota.store.hints import READY, SCHEDULE
from rota.store.lone import Statement
from rota.store.orders import Order
from rota.store.tables import build, of
from rota.store.types import EPOCH

_MOST: Final = 10_000
_PLACE: Final = (
    "WITH moment AS MATERIALIZED ({moment}),"
    " guard AS MATERIALIZED (SELECT m.at,"
    " EXISTS (SELECT 1 FROM {{jobs}} WHERE name = %s AND xmin::text = %s)"
    " AND EXISTS (SELECT 1 FROM {{definitions}} WHERE id = %s)"
    " AND EXISTS (SELECT 1 FROM {{lanes}} WHERE name = %s) AS holds FROM moment m),"
    " made AS (INSERT INTO {{runs}} (definition_id, scope, invocation, state, cause, lane, priority, waiting, judged,"
    " attempt, lost, token, args, created_at)"
    " SELECT %s, %s, %s, 'queued', %s, %s, %s, false, true, 0, 0, 0, %s::jsonb, at FROM guard WHERE holds"
    " ON CONFLICT DO NOTHING RETURNING id, created_at, lane, priority),"
    " opened AS (INSERT INTO {{ready}} (lane, priority, run_id) SELECT lane, priority, id FROM made),"
    " told AS (INSERT INTO {{event_inbox}} (type, at, subject, code, data)"
    " SELECT %s, created_at, %s, %s, %s::jsonb || jsonb_build_object('run', id) FROM made)"
    " SELECT json_build_object('holds', guard.holds, 'id', made.id, 'at', made.created_at),"
    " CASE WHEN made.id IS NOT NULL THEN pg_notify(%s, %s) END FROM guard LEFT JOIN made ON true"
)
# The run is seen, and whoever waits for it is woken, while the server still writes to its disk: what comes of it is not
# durable before it is. The caller is answered once the next transaction, this one, is durable, and so is all before it.
_LATER: Final = ", set_config('synchronous_commit', 'off', true)"
_DURABLE: Final = Statement.of("SELECT pg_logical_emit_message(true, 'rota', '')").with_(())


class _Known(NamedTuple):
    """A job's row and the definition of its requests in one scope, as they were in one version of the row."""

    version: str
    job: Mapping[str, Any]
    definition: Definition


class Desk:
    """Takes requests for one database; remembers the jobs that were asked for, bounded. Any thread may use it."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], _Known] = {}

    def enqueue(self, database: Database, order: Order, by: By) -> dict[str, Any]:
        """Queue a run of a job, durably, and wake whoever may start it; its record, or that of the first one with its key.

        Raises as `manual.enqueue` does.
        """
        name = (order.scope, order.job)
        known = self._known.get(name)
        tried = _Tried(current=False) if known is None else _place(database, order, by, known)
        if tried.record is not None:
            return tried.record
        record, seen = database.call(_in_general, order, by, tried)
        if seen is not None:
            if len(self._known) > _MOST:
                self._known.clear()
            self._known[name] = seen
        return record


def _in_general(conn: Connection, order: Order, by: By, tried: _Tried) -> tuple[dict[str, Any], _Known | None]:
    """Place it whatever it asks for; its record, and what the next request may know."""
    made = manual.enqueue(conn, order, by)
    if not dialect.is_postgresql(conn):
        return runs.get(conn, made), None
    dialect.notify(conn, (SCHEDULE, READY))
    if tried.doubtful:
        # else a commit that has found the run there would wait for nothing
        dialect.execute(conn, _DURABLE.sql.decode())
    return runs.get(conn, made), None if tried.current else _learn(conn, order, dialect.began(conn))


def _learn(conn: Connection, order: Order, now: datetime) -> _Known | None:
    table = of(conn).jobs
    wanted = select(table, literal_column("xmin::text").label("_version")).where(table.c.name == order.job)
    row = dict(conn.execute(wanted).mappings().one())
    return _Known(row["_version"], row, jobs.definition_of(conn, order.scope, row, now))


class _Tried(NamedTuple):
    """The run's record if the statement has placed it; whether what was known still holds; whether it may have placed it."""

    record: dict[str, Any] | None = None
    current: bool = True
    doubtful: bool = False


def _place(database: Database, order: Order, by: By, known: _Known) -> _Tried:
    definition = known.definition
    if definition.flight is not None or order.not_before is not None:
        return _Tried()
    try:
        manual.check_order(order, known.job)
    except Error:
        return _Tried()  # said again by the general way, if it is still so
    run = orders.new_run(order, definition)
    # its instant and its run are the statement's
    event = orders.requested(EPOCH, orders.subject(definition), run, 0, by)
    moment, at = dialect.moment(database.clock, f"rota:{database.node}")
    params = [
        *at, order.job, known.version, definition.id, run.lane,
        definition.id, run.scope, run.invocation, run.cause, run.lane, run.priority, json_text(run.args),
        event.type, event.subject, event.code, json_text(event.data), dialect.CHANNEL, READY,
    ]  # fmt: skip
    wanted = _statement(database.schema, moment).with_(params)
    try:
        answer = lone.ask(database, (wanted, _DURABLE))[0]
    except lone.Unanswered:
        return _Tried(doubtful=True)
    told = json.loads(answer or b"")
    if told["id"] is None:
        return _Tried(current=told["holds"])
    return _Tried(_record(run, definition, told["id"], datetime.fromisoformat(told["at"])))


@functools.lru_cache(maxsize=16)
def _statement(schema: str, moment: str) -> Statement:
    return Statement.of(build(schema, "").sql(_PLACE.format(moment=moment + _LATER)))


_EMPTY: Final = dict.fromkeys(
    ("schedule_id", "scheduled_for", "not_before", "expires_at", "reason", "node", "retry_of", "admit_at", "covers_from",
     "covers_to", "covers_count", "result", "error", "exit_code", "started_at", "finished_at")
)  # fmt: skip
_BORN: Final = {"state": "queued", "waiting": False, "attempt": 0, "token": 0, "lost": 0}


def _record(run: NewRun, definition: Definition, id_: int, at: datetime) -> dict[str, Any]:
    """The record that `runs.get` would make of it."""
    own = {"id": id_, "lane": run.lane, "priority": run.priority, "invocation": run.invocation, "cause": run.cause}
    whose = {"_key": definition.key, "job": definition.job, "_args": definition.args, "revision": definition.revision}
    row = {**_EMPTY, **_BORN, **own, **whose, "args": run.args, "created_at": at}
    return runs.record(row, None, None)
