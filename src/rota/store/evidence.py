"""The facts that `why` tells: who held a key, which run an occurrence was folded into, when no scheduler was alive."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Connection, select

from rota.model.firing import Plan
from rota.model.schedule import Cursor
from rota.model.telling import Outage
from rota.model.timing import plan_of
from rota.store import definitions, dialect, events
from rota.store.definitions import cursor_from_row, from_row
from rota.store.schedules import Ref, not_found, row_of
from rota.store.tables import of

_SEEN: Final = timedelta(seconds=20)
"""A scheduler whose heartbeat is younger than this counts as alive (a lease and one renewal)."""
_NODES: Final = 1000
_FIRED: Final = "schedule.fired"
_EVENTS: Final = 100
"""So many events of a schedule are read at once in search of one."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The schedule that is asked about, as it is, with the plans of its revisions as they are needed."""

    row: Mapping[str, Any]
    cursor: Cursor
    plan: Plan
    now: datetime
    known: dict[int, Plan] = field(default_factory=dict)

    @property
    def id(self) -> int:
        """The schedule's id."""
        return self.cursor.schedule_id

    @property
    def name(self) -> str:
        """Its bare name."""
        return str(self.row["name"])

    def plan_at(self, conn: Connection, revision: int) -> Plan:
        """The plan of a revision; the one in force where that one is not kept."""
        if revision == self.cursor.revision:
            return self.plan
        if revision not in self.known:
            table = of(conn).definitions
            found = table.select().where(table.c.schedule_id == self.id, table.c.revision == revision)
            row = conn.execute(found).mappings().first()
            self.known[revision] = self.plan if row is None else plan_of(from_row(dict(row)))
        return self.known[revision]

    def plan_when(self, conn: Connection, at: datetime) -> Plan:
        """The plan that was in force at an instant; of instants before the first one, the first one."""
        table = of(conn).definitions
        mine = table.select().where(table.c.schedule_id == self.id)
        then = mine.where(table.c.created_at <= at).order_by(table.c.revision.desc()).limit(1)
        row = conn.execute(then).mappings().first()
        if row is None:
            row = conn.execute(mine.order_by(table.c.revision).limit(1)).mappings().first()
        return self.plan if row is None else self.plan_at(conn, row["revision"])

    def policies(self, conn: Connection, definition_id: int) -> dict[str, Any]:
        """The policies of a definition, as JSON."""
        if definition_id == self.cursor.definition_id:
            return self.plan.definition.policies.to_json()
        found = definitions.load(conn, [definition_id]).get(definition_id)
        return (found or self.plan.definition).policies.to_json()


def subject(conn: Connection, ref: Ref) -> Subject:
    """The schedule, also a removed one. Raises ScheduleNotFound."""
    row = row_of(conn, ref)
    table = of(conn).cursors
    cursor = None
    if row is not None:
        cursor = conn.execute(table.select().where(table.c.schedule_id == row["id"])).mappings().first()
    if row is None or cursor is None:
        raise not_found(conn, ref)
    plan = plan_of(definitions.load(conn, [cursor["definition_id"]])[cursor["definition_id"]])
    return Subject(row, cursor_from_row(dict(cursor)), plan, dialect.instant(conn))


def run_at(conn: Connection, subject: Subject, at: datetime) -> dict[str, Any] | None:
    """The row of the run of an occurrence."""
    table = of(conn).runs
    found = table.select().where(
        table.c.schedule_id == subject.id, table.c.scheduled_for == at, table.c.retry_of.is_(None)
    )
    row = conn.execute(found).mappings().first()
    return None if row is None else dict(row)


def fired_by(conn: Connection, subject: Subject, run: Mapping[str, Any]) -> str | None:
    """Who fired an occurrence: a node, or whoever's act decided it. None where the event that tells it is not kept."""
    t = of(conn)
    key, at = subject.plan.definition.key, run["created_at"]
    inbox = t.event_inbox
    waiting = inbox.select().where(inbox.c.subject == key, inbox.c.type == _FIRED, inbox.c.at == at)
    found = [dict(row) for row in conn.execute(waiting).mappings()]
    recent = events.last(conn, _EVENTS, subject=key)
    if recent and recent[0]["at"] > at:
        first = _first_event(conn, key, at, recent[0]["id"])
        since = t.events.select().where(t.events.c.subject == key, t.events.c.id >= first).order_by(t.events.c.id)
        recent = [dict(row) for row in conn.execute(since.limit(_EVENTS)).mappings()]
    told = (one["data"] for one in (*found, *recent) if one["type"] == _FIRED and one["at"] == at)
    return next((data.get("node") for data in told if data.get("run") == run["id"]), None)


def _first_event(conn: Connection, key: str, at: datetime, high: int) -> int:
    """An id from which on the subject's events are not before `at`; found by halving, however many there are."""
    table = of(conn).events
    low = 1
    while low < high:
        middle = (low + high) // 2
        following = select(table.c.id, table.c.at).where(table.c.subject == key, table.c.id >= middle)
        row = conn.execute(following.order_by(table.c.id).limit(1)).first()
        if row is None or row.at >= at:
            high = middle
        else:
            low = row.id + 1
    return low


def decision_at(conn: Connection, subject: Subject, at: datetime) -> dict[str, Any] | None:
    """The decision whose (after_at, until_at] holds the instant."""
    table = of(conn).decisions
    found = (
        table.select()
        .where(table.c.schedule_id == subject.id, table.c.until_at >= at)
        .order_by(table.c.until_at, table.c.id)
        .limit(10)
    )
    return next((dict(row) for row in conn.execute(found).mappings() if row["after_at"] < at), None)


def outage(conn: Connection, at: datetime, fired_at: datetime) -> Outage | None:
    """The time without a live scheduler that holds `at`, if it ended with the start of one before the fire."""
    table = of(conn).nodes
    rows = conn.execute(
        table.select()
        .where(table.c.started_at <= fired_at, table.c.roles.contains("scheduler"))
        .order_by(table.c.started_at.desc())
        .limit(_NODES)
    ).mappings()
    spans = sorted(
        (row["started_at"], max(row["started_at"], row["ended_at"] if row["state"] == "stopped" else row["seen_at"]))
        for row in rows
    )
    starts = [start for start, _ in spans if start > at]
    if not starts:
        return None
    before = [end for start, end in spans if start <= at]
    last = max(before, default=None)
    if last is not None and last >= at and min(starts) - last < timedelta(seconds=1):
        return None
    return None if last is not None and last >= min(starts) else Outage(last, min(starts))


def scheduler_alive(conn: Connection, now: datetime) -> bool:
    """Whether a live node with the role scheduler was seen lately."""
    sql = "SELECT 1 FROM {nodes} WHERE state = 'live' AND roles LIKE %s AND seen_at >= %s LIMIT 1"
    return bool(dialect.query(conn, sql, ["%scheduler%", dialect.at(conn, now - _SEEN)]))


def _change(conn: Connection, subject: Subject, actions: tuple[str, ...], until: datetime) -> dict[str, Any] | None:
    """The last of these changes to the schedule, not after `until`."""
    table = of(conn).changes
    key = subject.plan.definition.key
    found = table.select().where(table.c.subject == key, table.c.action.in_(actions), table.c.at <= until)
    row = conn.execute(found.order_by(table.c.id.desc()).limit(1)).mappings().first()
    return None if row is None else dict(row)


def was_paused(conn: Connection, subject: Subject, at: datetime, fired_at: datetime) -> bool:
    """Whether the occurrence lay in a pause that was over when it fired."""
    last = _change(conn, subject, ("paused", "resumed", "enabled", "created"), at)
    if last is None or last["action"] != "paused":
        return False
    until = (last["after"] or {}).get("paused_until")
    ended = _change(conn, subject, ("resumed",), fired_at)
    return until is not None or (ended is not None and ended["at"] >= at)


def who(conn: Connection, subject: Subject, row: Mapping[str, Any], at: datetime) -> str | None:
    """Who is behind a decision, as the sentence's words need it: `anna`, or for an operator the whole clause."""
    match row["reason"]:
        case "operator":
            ended = _change(conn, subject, ("disabled", "removed"), row["at"])
            if ended is not None and ended["at"] == row["at"]:
                return f"{ended['actor']} {ended['action']} the schedule before it was decided{_reason(ended)}"
            taken = _change(conn, subject, ("skip",), row["at"])
            return None if taken is None else f"{taken['actor']} took it out{_reason(taken)}"
        case "edited":
            found = _change(conn, subject, ("updated",), row["at"])
        case "paused":
            found = _change(conn, subject, ("paused",), max(row["at"], at))
        case _:
            return None
    return None if found is None else found["actor"] + _reason(found)


def _reason(change: Mapping[str, Any]) -> str:
    return f" ({change['reason']})" if change["reason"] else ""


def skip_of(conn: Connection, subject: Subject, at: datetime) -> str | None:
    """Who took a coming occurrence out: `anna took it out (reason)`."""
    table = of(conn).skips
    found = table.select().where(table.c.schedule_id == subject.id, table.c.scheduled_for == at)
    row = conn.execute(found).mappings().first()
    return None if row is None else f"{row['actor']} took it out{_reason(dict(row))}"


def folded_into(conn: Connection, subject: Subject, at: datetime) -> str | None:
    """The run that stands for an occurrence: `run 12 of 2026-…Z`."""
    from rota.model.instants import local

    zone = subject.plan.definition.zone
    for order, comparison in (("", ">"), (" DESC", "<")):
        rows = dialect.query(
            conn,
            "SELECT id, scheduled_for, covers_from, covers_to FROM {runs} WHERE schedule_id = %s AND retry_of IS NULL"
            f" AND scheduled_for {comparison} %s ORDER BY scheduled_for{order} LIMIT 1",
            [subject.id, dialect.at(conn, at)],
        )
        for row in rows:
            low, high = dialect.read_at(row["covers_from"]), dialect.read_at(row["covers_to"])
            if low is not None and high is not None and low <= at <= high:
                return f"run {row['id']}, of {local(dialect.read_at(row['scheduled_for']), zone)}"
    return None


def holder(conn: Connection, run: Mapping[str, Any]) -> str | None:
    """Who holds the key that a waiting run waits for."""
    rows = dialect.query(
        conn, "SELECT run_id FROM {flights} WHERE flight = %s AND run_id <> %s", [run["flight"], run["id"]]
    )
    return f"run {rows[0]['run_id']}" if rows else None


def blocker(conn: Connection, subject: Subject, at: datetime) -> str | None:
    """The run of this schedule that was not final at an instant: with a key of its own, the one that held it."""
    if subject.plan.definition.policies.single_flight is not None:
        return None
    rows = dialect.query(
        conn,
        "SELECT id FROM {runs} WHERE schedule_id = %s AND created_at < %s AND (finished_at IS NULL OR finished_at >= %s)"
        " ORDER BY id DESC LIMIT 1",
        [subject.id, dialect.at(conn, at), dialect.at(conn, at)],
    )
    return f"run {rows[0]['id']}" if rows else None


def stopped_at(conn: Connection, subject: Subject, at: datetime) -> dict[str, Any] | None:
    """The disabling or removal that was in force at an instant, or None."""
    last = _change(conn, subject, ("disabled", "removed", "enabled", "created"), at)
    return last if last is not None and last["action"] in ("disabled", "removed") else None
