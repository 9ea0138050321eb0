"""Settling: the end of a claim, written only where id, token and state `running` still match; and what follows from it.

Lock order: the cursors that a settlement may touch, then the runs, then health in the order of its ids.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection

from rota.model.schedule import Cursor
from rota.model.settlement import Settlement
from rota.model.storable import clean, is_clean
from rota.store import dialect, firings, health, logs
from rota.store.claims import templates
from rota.store.runs import Settled, tell, telling

_COLUMNS: Final = (
    ("s_id", "bigint"),
    ("s_token", "integer"),
    ("s_state", "text"),
    ("s_reason", "text"),
    ("s_admit_at", "timestamptz"),
    ("s_uncounted", "integer"),
    ("s_lost", "integer"),
    ("s_result", "text"),
    ("s_error", "jsonb"),
    ("s_exit_code", "integer"),
    ("s_finished_at", "timestamptz"),
    ("s_locked", "boolean"),
)
_WRITE: Final = (
    "UPDATE {{runs}} SET state = s_state, reason = s_reason, admit_at = s_admit_at, attempt = attempt - s_uncounted,"
    " lost = lost + s_lost, result = s_result, error = s_error, exit_code = s_exit_code, finished_at = s_finished_at,"
    " node = CASE s_state WHEN 'queued' THEN NULL ELSE node END FROM {source}"
    " WHERE id = s_id AND token = s_token AND state = 'running' AND (cause <> 'probe' OR s_locked)"
    " RETURNING id, token, state, schedule_id, definition_id, scheduled_for, cause"
)
_ALL: Final = (
    "WITH done AS ({write}, reason, attempt, admit_at, error),"
    " freed AS (DELETE FROM {{claims}} WHERE run_id = ANY(ARRAY(SELECT id FROM done))), told AS ({tell})"
    " SELECT id, token, state, schedule_id, definition_id, scheduled_for, cause FROM done"
)
_MOST: Final = 5000


def settle(conn: Connection, settlements: Sequence[Settlement], now: datetime, node: str) -> set[int]:
    """End claims; the ids of the runs that were really settled.

    A settlement whose token is stale, or whose run is not running, changes nothing. For the others: the run has its
    new state, its row in `claims` is gone, its event is written, its schedule's health is moved, a `wake_at` is set,
    the schedule is disabled after its N-th failure, a probe that succeeded has enabled it again.
    """
    done: set[int] = set()
    for start in range(0, len(settlements), _MOST):
        done |= _settle(conn, settlements[start : start + _MOST], now, node)
    return done


def _settle(conn: Connection, settlements: Sequence[Settlement], now: datetime, node: str) -> set[int]:
    # of two claims of one run only the later can stand
    by_id = {s.run_id: s for s in sorted(settlements, key=lambda s: (s.run_id, s.token))}
    locked = _lock_cursors(conn, list(by_id.values()))
    rows = _write(conn, list(by_id.values()), now, {run for run, cursor in locked.items() if cursor is not None})
    written = {row.id for row in rows}
    probes = _probes(conn, [s for run, s in by_id.items() if run not in written])
    if probes:
        locked |= probes
        rows += _write(conn, [by_id[run] for run in probes], now, set(probes))
    if not rows:
        return set()
    _traces(conn, [(by_id[row.id], row) for row in rows], now)
    failures = health.move(conn, rows, now)
    for row in rows:
        cursor = locked.get(row.id)
        if cursor is not None and row.final:
            policies = templates(conn, [row.definition_id])[row.definition_id].policies
            one = health.Touch(row, policies, by_id[row.id].wake_at)
            health.touch(conn, one, failures.get(cursor.schedule_id, 0), now, node)
    return {row.id for row in rows}


def _lock_cursors(conn: Connection, settlements: Sequence[Settlement]) -> dict[int, Cursor | None]:
    """Lock the cursors that these settlements may touch, in order, before any run; per such run its cursor."""
    asking = [s for s in settlements if s.wake_at is not None or s.state in ("failed", "lost")]
    if not asking:
        return {}
    member, params = dialect.in_list(conn, [s.run_id for s in asking])
    sql = f"SELECT id, schedule_id, definition_id FROM {{runs}} WHERE schedule_id IS NOT NULL AND id {member}"
    about = {row["id"]: row for row in dialect.query(conn, sql, params)}
    policies = {key: t.policies for key, t in templates(conn, {r["definition_id"] for r in about.values()}).items()}
    touching = {
        s.run_id: about[s.run_id]["schedule_id"]
        for s in asking
        if s.run_id in about
        and (s.wake_at is not None or policies[about[s.run_id]["definition_id"]].get("disable_after") is not None)
    }
    return _locked(conn, touching)


def _locked(conn: Connection, touching: Mapping[int, int]) -> dict[int, Cursor | None]:
    if not touching:
        return {}
    cursors = {c.schedule_id: c for c in firings.lock_many(conn, list(touching.values()))}
    return {run: cursors.get(schedule) for run, schedule in touching.items()}


def _probes(conn: Connection, left: Sequence[Settlement]) -> dict[int, Cursor | None]:
    """The probes among settlements that were not written, their cursors locked."""
    if not left:
        return {}
    member, params = dialect.in_list(conn, [s.run_id for s in left])
    sql = (
        "SELECT id, schedule_id FROM {runs} WHERE cause = 'probe' AND state = 'running' AND schedule_id IS NOT NULL"
        f" AND id {member}"
    )
    return _locked(conn, {row["id"]: row["schedule_id"] for row in dialect.query(conn, sql, params)})


def _write(conn: Connection, settlements: Sequence[Settlement], now: datetime, locked: set[int]) -> list[Settled]:
    """End the claims that still stand, with their rows in `claims` and their events: one statement on PostgreSQL."""
    values = [_values(s, now, s.run_id in locked) for s in settlements]
    source, params = dialect.derived(conn, "s", _COLUMNS, values)
    write = _WRITE.format(source=source)
    if dialect.is_postgresql(conn):
        sql = _ALL.format(write=write, tell=telling(conn, "done"))
        return sorted([Settled(*row) for row in dialect.tuples(conn, sql, [*params, now])])
    rows = sorted([Settled(*row) for row in dialect.tuples(conn, write, params)])
    if rows:
        member, those = dialect.in_list(conn, [row.id for row in rows])
        dialect.execute(conn, f"DELETE FROM {{claims}} WHERE run_id {member}", those)
        tell(conn, [row.id for row in rows], now)
    return rows


def _values(s: Settlement, now: datetime, locked: bool) -> tuple[Any, ...]:
    error = None if s.error is None else {k: v for k, v in s.error.items() if k != "trace"}
    result = s.result if s.result is None or is_clean(s.result) else clean(s.result)
    ended = now if s.final else None
    return (
        s.run_id, s.token, s.state, s.reason, s.admit_at, int(not s.counts), s.lost, result, error, s.exit_code, ended,
        locked,
    )  # fmt: skip


def _traces(conn: Connection, settled: Sequence[tuple[Settlement, Settled]], now: datetime) -> None:
    """A failure's trace goes to the run's log, behind what it wrote itself."""
    traces = [(row.id, row.token, str(s.error["trace"])) for s, row in settled if s.error and s.error.get("trace")]
    if traces:
        logs.append_last(conn, traces, now)
