"""Where every new run comes in: fires, requests by hand, backfills, retries, the application's own.

The caller holds the lock that guards the key (the schedule's cursor; a named key's lock is taken here), so the key's
state can only become freer between the look and the writes, but for admit, which gives a free key to a run that waits
already and therefore counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection

from rota.model.overlap import SKIP, START, WAIT, KeyState, NewRun, RunSet, Verdict, after, judge
from rota.store import dialect, events
from rota.store.runs import cancelled_events
from rota.store.tables import of

DUPLICATE: Final = "duplicate"
REPLACED: Final = "replaced"
_NOTHING: Final = Verdict(())
Name = tuple[int | str | None, datetime | str]


class Placed(NamedTuple):
    """What became of one new run.

    `place` is `start` (queued, may start from `not_before`), `wait`, `skip`, `duplicate`, or `replaced` (cancelled from
    birth by a later set of the same call). `id` is the run's row; None where there is none (a skip that is not by hand,
    a duplicate).
    """

    run: NewRun
    place: str
    id: int | None


class _Candidate(NamedTuple):
    id: int
    run: NewRun
    place: str
    owner: RunSet


def place(conn: Connection, now: datetime, sets: Sequence[RunSet], actor: str = "scheduler") -> list[list[Placed]]:
    """Judge, insert and queue the runs of all sets; per set what became of each of its runs.

    Afterwards each run that may start at once has its row in `ready`, one that starts later has `admit_at`, one that
    waits for its key is marked waiting, and the holder of each key is in `flights`. A run whose occurrence or
    invocation exists already is a duplicate and changes nothing. A fixed number of statements, whatever the number.
    """
    dialect.lock_named(conn, (s.flight for s in sets if s.named and s.flight is not None))
    states = key_states(conn, [s.flight for s in sets if s.flight is not None])
    known = _known(conn, [s for s in sets if s.overlap == "replace" and s.flight is not None])
    ids = iter(dialect.draw_ids(conn, of(conn).runs, sum(len(s.runs) for s in sets)))
    candidates: list[list[_Candidate]] = []
    displaced: list[tuple[str, Verdict, KeyState]] = []
    for each in sets:
        state = states.get(each.flight or "", KeyState())
        mine = tuple(next(ids) for _ in each.runs)
        verdict, group = _judged(each, state, mine, known)
        if each.flight is not None and verdict.places:
            states[each.flight] = after(state, verdict, tuple(c.id for c in group if c.place != DUPLICATE))
            if verdict.cancel_waiting:
                candidates = [_replaced(earlier, each.flight) for earlier in candidates]
            if verdict.cancel_waiting or verdict.ask_holder:
                displaced.append((each.flight, verdict, state))
        candidates.append(group)
    _displace(conn, now, displaced, actor)
    went = _insert(conn, now, [c for group in candidates for c in group if _wanted(c)])
    return [[_placed(c, went) for c in group] for group in candidates]


def _judged(each: RunSet, state: KeyState, ids: Sequence[int], known: set[Name]) -> tuple[Verdict, list[_Candidate]]:
    """What becomes of a set: duplicates that are known are no part of what is judged."""
    again = {i for i, run in zip(ids, each.runs, strict=True) if _names(run) & known} if known else set()
    if not again:
        verdict = judge(each, state)
        return verdict, [_Candidate(i, r, p, each) for i, r, p in zip(ids, each.runs, verdict.places, strict=True)]
    fresh = tuple(run for i, run in zip(ids, each.runs, strict=True) if i not in again)
    verdict = judge(each._replace(runs=fresh), state) if fresh else _NOTHING
    places = iter(verdict.places)
    return verdict, [
        _Candidate(i, run, DUPLICATE if i in again else next(places), each)
        for i, run in zip(ids, each.runs, strict=True)
    ]


def _wanted(c: _Candidate) -> bool:
    return c.place != DUPLICATE and (c.place != SKIP or c.owner.by_hand)


def _known(conn: Connection, sets: Sequence[RunSet]) -> set[Name]:
    """Occurrences and invocations of these sets that have runs: under `replace` such a run is not to displace itself.

    Under the other policies the unique keys alone tell, and nothing was displaced for it.
    """
    if not sets:
        return set()
    names = {name for each in sets for run in each.runs for name in _names(run)}
    found: set[Name] = set()
    times = sorted({(key, at) for key, at in names if not isinstance(at, str)}, key=str)
    for start in range(0, len(times), 10_000):
        columns = (("schedule_id", "bigint"), ("scheduled_for", "timestamptz"))
        source, params = dialect.derived(conn, "w", columns, times[start : start + 10_000])
        sql = (
            f"SELECT r.schedule_id, r.scheduled_for FROM {source} JOIN {{runs}} r ON r.schedule_id = w.schedule_id"
            " AND r.scheduled_for = w.scheduled_for AND r.retry_of IS NULL"
        )
        rows = dialect.query(conn, sql, params)
        found |= {(row["schedule_id"], dialect.read_at(row["scheduled_for"])) for row in rows}
    for scope, invocation in sorted({(key, name) for key, name in names if isinstance(name, str)}, key=str):
        if dialect.query(conn, "SELECT 1 FROM {runs} WHERE scope = %s AND invocation = %s", [scope, invocation]):
            found.add((scope, invocation))
    return found


def _names(run: NewRun) -> set[Name]:
    """What at most one run may have."""
    names: set[Name] = set()
    if run.scheduled_for is not None and run.retry_of is None:
        names.add((run.schedule_id, run.scheduled_for))
    if run.invocation is not None:
        names.add((run.scope, run.invocation))
    return names


def _replaced(group: list[_Candidate], flight: str) -> list[_Candidate]:
    """Those of an earlier set that would wait for this key are cancelled before they are inserted."""
    return [c._replace(place=REPLACED) if c.owner.flight == flight and c.place == WAIT else c for c in group]


def _placed(c: _Candidate, went: set[int]) -> Placed:
    if c.id in went:
        return Placed(c.run, c.place, c.id)
    return Placed(c.run, SKIP if c.place == SKIP and not c.owner.by_hand else DUPLICATE, None)


def any_waits(conn: Connection) -> bool:
    """Whether any run waits for its key. Asked in the index's order: without statistics a bare LIMIT reads every run."""
    return bool(dialect.query(conn, "SELECT 1 AS one FROM {runs} WHERE waiting ORDER BY flight, id LIMIT 1"))


def key_states(conn: Connection, flights: Sequence[str]) -> dict[str, KeyState]:
    """The state of each key: a row of `flights` whose run is final counts as free."""
    states: dict[str, KeyState] = {}
    unique = sorted(set(flights))
    some_wait = bool(unique) and any_waits(conn)
    for start in range(0, len(unique), 10_000):
        member, params = dialect.in_list(conn, unique[start : start + 10_000], "text")
        # scalar subqueries keep both on their indexes, whatever the planner believes about the tables' sizes
        holders = dialect.query(
            conn,
            "SELECT flight, run_id FROM (SELECT f.flight, f.run_id,"
            " (SELECT h.state FROM {runs} h WHERE h.id = f.run_id) AS state FROM {flights} f"
            f" WHERE f.flight {member}) AS k WHERE state IN ('queued', 'running')",
            params,
        )
        held = {row["flight"]: row["run_id"] for row in holders}
        waiters = (
            []
            if not some_wait
            else dialect.query(
                conn,
                "SELECT flight, count(*) AS n FROM {runs} WHERE waiting AND state = 'queued'"
                f" AND flight {member} GROUP BY flight",
                params,
            )
        )
        waiting = {row["flight"]: row["n"] for row in waiters}
        for key in {*held, *waiting}:
            states[key] = KeyState(held.get(key), waiting.get(key, 0))
    return states


def _displace(conn: Connection, now: datetime, displaced: list[tuple[str, Verdict, KeyState]], actor: str) -> None:
    """Carry out `overlap: replace`: cancel those that wait, ask the holder (also one that has not started) to stop."""
    waiting = sorted({flight for flight, verdict, _ in displaced if verdict.cancel_waiting})
    if waiting:
        member, params = dialect.in_list(conn, waiting, "text")
        rows = dialect.query(
            conn,
            "UPDATE {runs} SET state = 'cancelled', reason = 'replaced', waiting = false, admit_at = NULL, finished_at = %s"
            f" WHERE waiting AND state = 'queued' AND flight {member} RETURNING id",
            [dialect.at(conn, now), *params],
        )
        events.write(conn, cancelled_events(conn, [row["id"] for row in rows], now))
    holders = [
        {
            "run_id": state.holder,
            "kind": "replace",
            "at": now,
            "actor": actor,
            "reason": "replaced by a newer occurrence",
        }
        for _, verdict, state in displaced
        if verdict.ask_holder and state.holder is not None
    ]
    dialect.insert_many(conn, of(conn).cancels, holders, ignore=True)


def _insert(conn: Connection, now: datetime, candidates: list[_Candidate]) -> set[int]:
    """Insert the candidates, give the keys, fill `ready`; the ids of the runs that really went in."""
    if not candidates:
        return set()
    tables = of(conn)
    went = set(dialect.insert_columns(conn, tables.runs, _columns(candidates, now), ignore=True, returning="id"))
    starts = [c for c in candidates if c.place == START and c.id in went]
    wanted = [(c.owner.flight, c.id) for c in starts if c.owner.flight is not None]
    if len(take_keys(conn, wanted)) != len(wanted):
        raise dialect.Repeat  # somebody took a key between the look and this write
    ready = [c for c in starts if c.run.not_before is None or c.run.not_before <= now]
    if ready:
        columns: dict[str, list[Any]] = {
            "run_id": [c.id for c in ready],
            "lane": [c.run.lane for c in ready],
            "priority": [c.run.priority for c in ready],
        }
        dialect.insert_columns(conn, tables.ready, columns)
    gone = [c.id for c in candidates if c.place == REPLACED and c.id in went]
    if gone:
        events.write(conn, cancelled_events(conn, gone, now))
    return went


_BORN: Final = {SKIP: ("skipped", "overlap"), REPLACED: ("cancelled", "replaced")}
_QUEUED: Final = ("queued", None)
_SAME: Final = ("definition_id", "schedule_id", "scheduled_for", "scope", "invocation", "cause", "lane", "priority",
                "not_before", "expires_at", "retry_of", "args", "covers_from", "covers_to", "covers_count")  # fmt: skip


def _columns(candidates: list[_Candidate], now: datetime) -> dict[str, list[Any]]:
    count = len(candidates)
    runs = [c.run for c in candidates]
    born = [_BORN.get(c.place, _QUEUED) for c in candidates]
    columns: dict[str, list[Any]] = {"id": [c.id for c in candidates]}
    columns |= dict(zip(NewRun._fields, map(list, zip(*runs, strict=True)), strict=True))
    columns = {name: values for name, values in columns.items() if name == "id" or name in _SAME}
    return columns | {
        "state": [state for state, _ in born],
        "reason": [reason for _, reason in born],
        "flight": [c.owner.flight for c in candidates],
        "waiting": [c.place == WAIT for c in candidates],
        "judged": [True] * count,
        "admit_at": [_admit_at(c, now) for c in candidates],
        "attempt": [0] * count,
        "lost": [0] * count,
        "token": [0] * count,
        "created_at": [now] * count,
        "finished_at": [None if state == "queued" else now for state, _ in born],
    }


def _admit_at(c: _Candidate, now: datetime) -> datetime | None:
    later = c.run.not_before
    return later if later is not None and later > now and c.place == START else None


def take_keys(conn: Connection, holders: Sequence[tuple[str, int]]) -> list[int]:
    """Make each run the holder of its key where the key is free; the ids of those that got it.

    A row whose run is final is taken over. At most one run per key in one call.
    """
    if not holders:
        return []
    source, params = dialect.derived(conn, "a", (("flight", "text"), ("run_id", "bigint")), sorted(holders))
    sql = f"INSERT INTO {{flights}} (flight, run_id) SELECT flight, run_id FROM {source} WHERE true"
    tail = take_over(dialect.name_of(conn, "flights")) + " RETURNING run_id"
    return [row["run_id"] for row in dialect.query(conn, sql + tail, params)]


def take_over(flights: str) -> str:
    """The clause that lets an insert into `flights` take a key over from a run that is final (or gone)."""
    return (
        " ON CONFLICT (flight) DO UPDATE SET run_id = excluded.run_id WHERE coalesce((SELECT r.state FROM {runs} r"
        f" WHERE r.id = {flights}.run_id), 'gone') NOT IN ('queued', 'running')"
    )
