"""Firing: claim what is due, commit what was decided. One transaction of the caller, a fixed number of statements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from sqlalchemy import Connection

from rota.model import reasons
from rota.model.event import CODES, Event, event
from rota.model.firing import TICK, Decision, Fire, Firing
from rota.model.instants import rfc3339
from rota.model.overlap import NewRun, RunSet
from rota.model.schedule import DONE, Cursor, Definition
from rota.store import dialect, events, intake, plain
from rota.store.decisions import Decided, record
from rota.store.definitions import Target
from rota.store.tables import of

_CURSOR = (
    "schedule_id, definition_id, revision, state, watermark, next_at, due_at, paused_until, disabled_reason,"
    " cut_until, last_wall, probe_at, zone_data, wake_at"
)
_INSTANTS = ("watermark", "next_at", "due_at", "paused_until", "cut_until", "probe_at")


class Judged(NamedTuple):
    """A firing together with what it was decided from."""

    definition: Target | Definition
    before: Cursor
    firing: Firing


@dataclass(frozen=True, slots=True)
class Committed:
    """What one commit of firings did: counts by disposition."""

    fired: int
    skipped: Counter[str]
    coalesced: int


def claim_due(
    conn: Connection, now: datetime, limit: int, leave: Collection[int] = (), only: Collection[int] | None = None
) -> list[Cursor]:
    """Lock and return the cursors that are due, the longest due first; those locked elsewhere are passed over.

    `leave` are schedules that this node cannot compute; others may. `only` restricts the claim to these schedules.
    """
    apart, extra = _but(conn, leave)
    params: list[object] = [dialect.at(conn, now), *extra]
    if only is not None:
        member, extra = dialect.in_list(conn, sorted(only))
        apart, params = f"{apart} AND schedule_id {member}", params + extra
    sql = f"SELECT {_CURSOR} FROM {{cursors}} WHERE due_at <= %s{apart} ORDER BY due_at LIMIT {int(limit)}"
    return _cursors(conn, sql + dialect.skip_locked(conn), params)


def _but(conn: Connection, leave: Collection[int]) -> tuple[str, list[object]]:
    """The condition that leaves out these schedules."""
    if not leave:
        return "", []
    member, params = dialect.in_list(conn, sorted(leave)[:10_000])
    return f" AND NOT (schedule_id {member})", params


def due_ids(conn: Connection, now: datetime, limit: int) -> list[int]:
    """The schedules that are due, the longest due first, not locked."""
    sql = f"SELECT schedule_id FROM {{cursors}} WHERE due_at <= %s ORDER BY due_at LIMIT {int(limit)}"
    return [row[0] for row in dialect.tuples(conn, sql, [dialect.at(conn, now)])]


def disabled_for(conn: Connection, prefix: str, but: str) -> list[int]:
    """The disabled schedules whose reason starts with `prefix` and does not contain `but`; at most 1,000."""
    sql = (
        "SELECT schedule_id FROM {cursors} WHERE state = 'disabled' AND disabled_reason LIKE %s"
        " AND disabled_reason NOT LIKE %s ORDER BY schedule_id LIMIT 1000"
    )
    return [row[0] for row in dialect.tuples(conn, sql, [f"{prefix}%", f"%{but}%"])]


def lock(conn: Connection, schedule_id: int) -> Cursor | None:
    """Lock one cursor, waiting for it; None where there is no such schedule. Ask the clock after this, not before."""
    sql = f"SELECT {_CURSOR} FROM {{cursors}} WHERE schedule_id = %s" + dialect.for_update(conn)
    found = _cursors(conn, sql, [schedule_id])
    return found[0] if found else None


def lock_many(conn: Connection, ids: Sequence[int]) -> list[Cursor]:
    """Lock several cursors in the order of their ids, waiting for them."""
    member, params = dialect.in_list(conn, sorted(set(ids)))
    sql = f"SELECT {_CURSOR} FROM {{cursors}} WHERE schedule_id {member} ORDER BY schedule_id"
    return _cursors(conn, sql + dialect.for_update(conn), params)


def _cursors(conn: Connection, sql: str, params: Sequence[object]) -> list[Cursor]:
    read = dialect.read_at
    wall = datetime.fromisoformat
    return [
        Cursor(
            schedule, definition, revision, state, read(mark), following and read(following), due and read(due),
            paused and read(paused), reason, cut and read(cut), last and wall(last), probe and read(probe), data,
            wake and read(wake),
        )
        for schedule, definition, revision, state, mark, following, due, paused, reason, cut, last, probe, data, wake
        in dialect.tuples(conn, sql, params)
    ]  # fmt: skip


DUE: Final = "SELECT due_at FROM {cursors} WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1"
"""The due probe: one entry of an index."""


def next_due(conn: Connection, leave: Collection[int] = ()) -> datetime | None:
    """When the first schedule is due, but for those of `leave`, or None. One probe of an index."""
    apart, params = _but(conn, leave)
    sql = DUE.replace(" ORDER", f"{apart} ORDER")
    found: datetime | None = next((dialect.read_at(at) for (at,) in dialect.tuples(conn, sql, params)), None)
    return found


def skips(conn: Connection, cursors: Sequence[Cursor]) -> dict[int, frozenset[datetime]]:
    """The occurrences that an operator took out, per schedule."""
    if not cursors or not dialect.query(conn, "SELECT 1 FROM {skips} LIMIT 1"):
        return {}
    found: dict[int, set[datetime]] = {}
    for start in range(0, len(cursors), 5000):
        member, params = dialect.in_list(conn, [c.schedule_id for c in cursors[start : start + 5000]])
        sql = f"SELECT schedule_id, scheduled_for FROM {{skips}} WHERE schedule_id {member}"
        for row in dialect.query(conn, sql, params):
            found.setdefault(row["schedule_id"], set()).add(dialect.read_at(row["scheduled_for"]))
    return {key: frozenset(value) for key, value in found.items()}


def run_set(d: Target | Definition, fires: Sequence[Fire], *, always_wait: bool) -> RunSet:
    """The runs of one firing, as intake takes them."""
    policies = d.policies
    runs = tuple([_new_run(d, fire) for fire in fires])
    waits = always_wait or fires[0].cause == "probe"  # a probe that was skipped would never be made again
    return RunSet(runs, d.flight, policies.overlap, policies.queue_max, waits, False, d.named_flight)


def _new_run(d: Target | Definition, fire: Fire) -> NewRun:
    if fire.cause == "probe":
        scope, invocation = d.key.rsplit("/", 1)[0], f"{d.key}@probe-{rfc3339(fire.at)}"
        return NewRun(
            d.id, d.key, "probe", d.lane, d.priority, d.schedule_id, scope=scope, invocation=invocation
        )  # fmt: skip
    return NewRun(
        d.id, d.key, fire.cause, d.lane, d.priority, d.schedule_id, fire.at, fire.not_before, fire.expires_at,
        covers_from=fire.covers_from, covers_to=fire.covers_to, covers_count=fire.covers_count,
    )  # fmt: skip


def commit(conn: Connection, now: datetime, decided: Sequence[Judged], node: str) -> Committed:
    """Insert the runs, put into `ready` what may start, advance the cursors, write decisions and events.

    The caller holds the cursors. A run that was not inserted was a duplicate or found its key held, and is decided so.
    """
    common, others = [], []
    for each in decided:
        d, firing = each.definition, each.firing
        if plain.is_plain(d, each.before, firing):
            common.append((each, plain.Plain(d, firing.fires[0], firing.cursor)))
        else:
            others.append(each)
    left = set(plain.commit(conn, now, [p for _, p in common], node))
    rest = others + [each for each, _ in common if each.before.schedule_id in left] if left else others
    placed = _place(conn, now, [d for d in rest if d.firing.fires])
    made = [
        Decided(each.before.schedule_id, each.before.revision, decision)
        for each in decided
        if each.firing.decisions or each.before.schedule_id in placed
        for decision in _decisions(each, placed.get(each.before.schedule_id, []))
    ]
    fresh = record(conn, now, node, made)
    _advance(conn, [d.firing.cursor for d in rest])
    _forget_skips(conn, decided)
    _write_events(conn, now, node, rest, placed)
    _write_decided(conn, now, decided, fresh)
    runs = [p for group in placed.values() for p in group if p.id is not None]
    skipped = Counter(one.decision.reason or "" for one in made if one.decision.what == reasons.SKIPPED)
    coalesced = sum(one.decision.what == reasons.COALESCED for one in made)
    return Committed(len(common) - len(left) + len(runs), skipped, coalesced)


def _place(conn: Connection, now: datetime, firing: Sequence[Judged]) -> dict[int, list[intake.Placed]]:
    """Let the runs of firings that need judgement in, in the order of their keys; per schedule what became of them."""
    if not firing:
        return {}
    ordered = sorted(firing, key=lambda d: (d.definition.flight or "", d.before.due_at or now))
    sets = [run_set(d.definition, d.firing.fires, always_wait=d.firing.always_wait or d.firing.probe) for d in ordered]
    return dict(zip((d.before.schedule_id for d in ordered), intake.place(conn, now, sets), strict=True))


def _decisions(each: Judged, placed: Sequence[intake.Placed]) -> list[Decision]:
    """The firing's decisions, corrected by what intake did: a set that found its key held is skipped whole."""
    decisions = list(each.firing.decisions)
    if placed and all(p.id is None and p.place == "skip" for p in placed):
        decisions = [_as_overlap(d) for d in decisions]
    for one in placed:
        at = one.run.scheduled_for
        if one.id is not None or at is None:
            continue
        low = max([each.before.watermark, *(d.until_at for d in decisions if d.until_at < at)])
        reason = reasons.OVERLAP if one.place == "skip" else reasons.DUPLICATE
        decisions.append(Decision(min(low, at - TICK), at, reasons.SKIPPED, reason))
    return sorted(decisions, key=lambda d: d.until_at)


def _as_overlap(decision: Decision) -> Decision:
    if decision.what != reasons.COALESCED:
        return decision
    return decision._replace(what=reasons.SKIPPED, reason=reasons.OVERLAP)


def _advance(conn: Connection, cursors: Sequence[Cursor]) -> None:
    """Write what a firing changes of the cursors; never their definition or revision."""
    rows = [
        {
            "schedule_id": c.schedule_id,
            "state": c.state,
            "watermark": c.watermark,
            "next_at": c.next_at,
            "due_at": c.due_at,
            "paused_until": c.paused_until,
            "disabled_reason": c.disabled_reason,
            "cut_until": c.cut_until,
            "last_wall": None if c.last_wall is None else c.last_wall.isoformat(),
            "probe_at": c.probe_at,
            "wake_at": c.wake_at,
        }
        for c in cursors
    ]
    dialect.update_many(conn, of(conn).cursors, rows, key="schedule_id")


def cursor_row(c: Cursor) -> dict[str, object]:
    """The columns of a cursor."""
    return {
        "schedule_id": c.schedule_id,
        "definition_id": c.definition_id,
        "revision": c.revision,
        "state": c.state,
        "watermark": c.watermark,
        "next_at": c.next_at,
        "due_at": c.due_at,
        "paused_until": c.paused_until,
        "disabled_reason": c.disabled_reason,
        "cut_until": c.cut_until,
        "last_wall": None if c.last_wall is None else c.last_wall.isoformat(),
        "probe_at": c.probe_at,
        "zone_data": c.zone_data,
        "wake_at": c.wake_at,
    }


def write_cursor(conn: Connection, cursor: Cursor) -> None:
    """Write one locked cursor."""
    dialect.update_many(conn, of(conn).cursors, [cursor_row(cursor)], key="schedule_id")


def _forget_skips(conn: Connection, decided: Sequence[Judged]) -> None:
    marks = {d.before.schedule_id: d.firing.cursor.watermark for d in decided}
    taken = [s for s in {d.schedule_id for d in _skips_of(decided)} if s in marks]
    for schedule in taken:
        sql = "DELETE FROM {skips} WHERE schedule_id = %s AND scheduled_for <= %s"
        dialect.execute(conn, sql, [schedule, dialect.at(conn, marks[schedule])])


def _skips_of(decided: Sequence[Judged]) -> list[Decided]:
    return [
        Decided(d.before.schedule_id, d.before.revision, x)
        for d in decided
        for x in d.firing.decisions
        if x.reason == reasons.OPERATOR
    ]


def _write_events(
    conn: Connection, now: datetime, node: str, decided: Sequence[Judged], placed: dict[int, list[intake.Placed]]
) -> None:
    written: list[Event] = []
    for each in decided:
        d = each.definition
        if each.firing.resumed:
            written.append(event("schedule.resumed", now, d.key, reason="the pause ended"))
        written += [_fired(d, p, now, node) for p in placed.get(each.before.schedule_id, []) if p.id is not None]
        if each.firing.cursor.state == DONE and each.before.state != DONE:
            written.append(event("schedule.done", now, d.key))
    events.write(conn, written)


def _write_decided(conn: Connection, now: datetime, decided: Sequence[Judged], fresh: Sequence[Decided]) -> None:
    if not fresh:
        return
    keys = {d.before.schedule_id: d.definition for d in decided}
    written: list[Event] = []
    for one in fresh:
        kind = "schedule.skipped" if one.decision.what == reasons.SKIPPED else "schedule.coalesced"
        written.append(
            event(
                kind,
                now,
                keys[one.schedule_id].key,
                reason=one.decision.reason,
                after=rfc3339(one.decision.after_at),
                until=rfc3339(one.decision.until_at),
            )
        )
    events.write(conn, written)


def _fired(definition: Target | Definition, placed: intake.Placed, now: datetime, node: str) -> Event:
    at = placed.run.scheduled_for
    data = {
        "run": placed.id,
        "job": definition.job,
        "schedule": definition.key,
        "scheduled_for": None if at is None else rfc3339(at),
        "cause": placed.run.cause,
        "place": placed.place,
        "node": node,
    }
    return Event("schedule.fired", now, definition.key, data, CODES["schedule.fired"])
