"""`why`: what became of each occurrence of a schedule, from the rows that were written when it was decided.

An occurrence's disposition is its run, if it has one; else the decision that covers it; else it is pending, or nothing
is on record: before creation, while the schedule was disabled, or older than history.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from rota.model import telling
from rota.model.firing import TICK, Plan
from rota.model.instants import local
from rota.model.schedule import ACTIVE, DISABLED, DONE, PAUSED, REMOVED
from rota.model.telling import Facts, Told
from rota.model.timing import coming, holds, inside, last_of, rule_of
from rota.store import dialect, evidence
from rota.store.evidence import Subject
from rota.store.runs import get as get_run
from rota.store.schedules import Ref
from rota.store.tables import EPOCH, of

Answer = dict[str, Any]

_WHILE_AWAY = (None, "late", "too_old", "over_max")
"""Reasons (None: folded into another) that come of a time without a scheduler."""


def why(conn: Connection, ref: Ref, instant: datetime | None, n: int) -> list[Answer]:
    """Explanations, newest first: of the last `n` occurrences, or of the one at `instant`; also of removed schedules.

    An instant that is no occurrence is answered first, then its neighbours. Raises ScheduleNotFound.
    """
    subject = evidence.subject(conn, ref)
    if instant is None:
        return [explain(conn, subject, at) for at in past(conn, subject, n)]
    answer = explain(conn, subject, instant)
    if answer["disposition"] != "no_occurrence":
        return [answer]
    return [answer, *(explain(conn, subject, at) for at in around(conn, subject, instant))]


def why_run(conn: Connection, run_id: int) -> Answer | None:
    """The explanation of the occurrence that a run is for; None for a run without one. Raises RunNotFound."""
    run = get_run(conn, run_id)
    if run["schedule_id"] is None or run["scheduled_for"] is None:
        return None
    return explain(conn, evidence.subject(conn, run["schedule_id"]), run["scheduled_for"])


def past(conn: Connection, subject: Subject, n: int) -> list[datetime]:
    """The last `n` occurrences up to now, newest first: those with a run, those decided, those due."""
    found = set(_with_runs(conn, subject, n))
    for row in _decisions(conn, subject, n):
        plan = subject.plan_at(conn, row["revision"])
        found.update(last_of(plan, row["after_at"], row["until_at"], n))
    if subject.cursor.state in (ACTIVE, PAUSED):
        found.update(last_of(subject.plan, subject.cursor.watermark, subject.now, n))
    return sorted(found, reverse=True)[:n]


def _with_runs(conn: Connection, subject: Subject, n: int) -> list[datetime]:
    sql = (
        "SELECT scheduled_for FROM {runs} WHERE schedule_id = %s AND scheduled_for IS NOT NULL AND retry_of IS NULL"
        f" ORDER BY scheduled_for DESC LIMIT {int(n)}"
    )
    return [dialect.read_at(row["scheduled_for"]) for row in dialect.query(conn, sql, [subject.id])]


def _decisions(conn: Connection, subject: Subject, n: int) -> list[Mapping[str, Any]]:
    table = of(conn).decisions
    newest = table.select().where(table.c.schedule_id == subject.id).order_by(table.c.until_at.desc()).limit(n)
    return [dict(row) for row in conn.execute(newest).mappings()]


def around(conn: Connection, subject: Subject, at: datetime) -> list[datetime]:
    """The occurrences before and after an instant, the later one first."""
    plan = subject.plan_when(conn, at)
    following, before = coming(plan, at, 1), last_of(plan, EPOCH, at - TICK, 1)
    return following + before


def explain(conn: Connection, subject: Subject, at: datetime) -> Answer:
    """What became of one instant."""
    run = evidence.run_at(conn, subject, at)
    if run is not None:
        return _fired(conn, subject, at, run)
    row = evidence.decision_at(conn, subject, at)
    if row is not None:
        if holds(subject.plan_at(conn, row["revision"]), at):
            return _decided(conn, subject, at, row)
        return _no_occurrence(conn, subject, at)
    if at > subject.cursor.watermark and subject.cursor.state in (ACTIVE, PAUSED):
        known = holds(subject.plan, at)
        return _pending(conn, subject, at) if known else _no_occurrence(conn, subject, at)
    if not holds(subject.plan_when(conn, at), at):
        return _no_occurrence(conn, subject, at)
    return _unrecorded(conn, subject, at)


def _fired(conn: Connection, subject: Subject, at: datetime, run: Mapping[str, Any]) -> Answer:
    fired_at = run["created_at"]
    late = (fired_at - at).total_seconds()
    oldest = min(at, run["covers_from"] or at)
    facts = Facts(
        subject.name,
        at,
        subject.plan.definition.zone,
        subject.policies(conn, run["definition_id"]),
        run=run,
        node=evidence.fired_by(conn, subject, run),
        outage=evidence.outage(conn, oldest, fired_at) if (fired_at - oldest).total_seconds() >= 1 else None,
        paused=late >= 1 and evidence.was_paused(conn, subject, at, fired_at),
        holder=evidence.holder(conn, run) if run["waiting"] else None,
    )
    told = telling.fired(facts)
    more = {
        "run": run["id"],
        "run_state": run["state"],
        "node": run["node"],
        "decided_at": fired_at,
        "lateness_s": late,
    }
    return _answer(subject, at, "fired", told, reason=run["reason"], **more)


def _decided(conn: Connection, subject: Subject, at: datetime, row: Mapping[str, Any]) -> Answer:
    plan = subject.plan_at(conn, row["revision"])
    definition = plan.definition
    told = row if _told_by_row(plan, at, row) else {"node": None, "at": None}
    facts = Facts(
        subject.name,
        at,
        definition.zone,
        definition.policies.to_json(),
        what=row["what"],
        reason=row["reason"],
        node=told["node"],
        decided_at=told["at"],
        outage=evidence.outage(conn, at, row["at"]) if row["reason"] in _WHILE_AWAY else None,
        paused=row["what"] == "coalesced" and evidence.was_paused(conn, subject, at, row["at"]),
        by=evidence.who(conn, subject, row, at),
        into=evidence.folded_into(conn, subject, at) if row["what"] == "coalesced" else None,
        holder=evidence.blocker(conn, subject, told["at"] or at) if row["reason"] == "overlap" else None,
    )
    more = {"node": told["node"], "decided_at": told["at"]}
    return _answer(subject, at, row["what"], telling.decided(facts), reason=row["reason"], **more)


def _told_by_row(plan: Plan, at: datetime, row: Mapping[str, Any]) -> bool:
    """Whether the row's instant and node are those of this occurrence's decision.

    A row of skips for overlap grows with each of them and keeps the last one's; of the others it does not tell.
    """
    following = plan.recurrence.next_after(at)
    return row["reason"] != "overlap" or following is None or following > row["until_at"]


def _pending(conn: Connection, subject: Subject, at: datetime) -> Answer:
    definition, state = subject.plan.definition, subject.cursor.state
    facts = Facts(subject.name, at, definition.zone, definition.policies.to_json(), paused=state == PAUSED)
    told = telling.pending(
        facts,
        subject.now,
        alive=evidence.scheduler_alive(conn, subject.now),
        skipped_by=evidence.skip_of(conn, subject, at),
        paused_until=subject.cursor.paused_until,
    )
    return _answer(subject, at, "pending", told)


def _no_occurrence(conn: Connection, subject: Subject, at: datetime) -> Answer:
    plan = subject.plan_when(conn, at)
    zone = plan.definition.zone
    words = rule_of(plan).describe()
    texts = [f"{'after' if near > at else 'before'} it {local(near, zone)}" for near in around(conn, subject, at)]
    beside = f"; occurrences {' and '.join(reversed(texts))}" if texts else ""
    limit = _outside(plan.definition, at)
    text = f"is no occurrence of {subject.name}{limit}: its schedule is “{words}”{beside}"
    return _answer(subject, at, "no_occurrence", telling.nothing(Facts(subject.name, at, zone), text))


def _outside(definition: Any, at: datetime) -> str:
    if definition.valid_from is not None and at < definition.valid_from:
        return f" (valid_from {local(definition.valid_from, definition.zone)})"
    if definition.ends_at is not None and at > definition.ends_at:
        return f" (it ended with {local(definition.ends_at, definition.zone)})"
    return ""


def _unrecorded(conn: Connection, subject: Subject, at: datetime) -> Answer:
    zone = subject.plan_when(conn, at).definition.zone
    text, advice = _missing(conn, subject, at)
    return _answer(subject, at, "none", telling.nothing(Facts(subject.name, at, zone), text, advice))


def _missing(conn: Connection, subject: Subject, at: datetime) -> tuple[str, str | None]:
    """Why an occurrence has neither run nor decision nor is pending."""
    state, created = subject.cursor.state, subject.row["created_at"]
    zone = subject.plan.definition.zone
    backfill = f"rota schedule backfill {subject.name} runs occurrences of the past"
    stopped = evidence.stopped_at(conn, subject, at)
    if stopped is not None:
        word = "had been removed" if stopped["action"] == "removed" else "was disabled"
        reason = f" ({stopped['reason']})" if stopped["reason"] else ""
        text = (
            f"has no disposition because the schedule {word} since {local(stopped['at'].replace(microsecond=0), zone)}"
        )
        return f"{text} by {stopped['actor']}{reason}: a schedule that is not enabled decides nothing", (
            f"rota schedule enable {subject.name}" if state == DISABLED else backfill
        )
    if at <= created:
        return (
            f"has no disposition because the schedule was created later, at {local(created.replace(microsecond=0), zone)}",
            backfill,
        )
    if state == DONE and at > subject.cursor.watermark:
        return (
            "will not fire because the schedule is done: its rule has no further occurrence",
            f"rota schedule set {subject.name} --when …",
        )
    if state in (DISABLED, REMOVED) and at > subject.now:
        return (
            f"will not fire because the schedule is {state}",
            f"rota schedule enable {subject.name}" if state == DISABLED else None,
        )
    return "is older than the history that is kept (retention), so what became of it is not on record", None


def _answer(subject: Subject, at: datetime, disposition: str, told: Told, **more: Any) -> Answer:
    empty = dict.fromkeys(("reason", "run", "run_state", "node", "decided_at", "lateness_s"))
    return {
        "schedule": subject.plan.definition.key,
        "at": at,
        "local": local(at, subject.plan.definition.zone),
        "disposition": disposition,
        "sentence": told.sentence,
        "advice": told.advice,
    } | (empty | more)


def occurrences(conn: Connection, ref: Ref, start: datetime, end: datetime, limit: int) -> list[Answer]:
    """The explanations of the occurrences that the timing in force names in (start, end], ascending."""
    subject = evidence.subject(conn, ref)
    return [explain(conn, subject, at) for at in inside(subject.plan, start, end, limit)]
