"""The laws of design document 2, read off a database after the fact.

Nothing here uses the engine's or the store's own decisions: rows are read as they are, occurrences are named by the
calendar alone. Each check returns sentences; none means that the laws hold.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Connection, select

from rota.calendar.recurrence import Recurrence
from rota.calendar.text import parse
from rota.store.database import Database
from rota.store.tables import of

TICK: Final = timedelta(microseconds=1)
FINAL: Final = ("succeeded", "failed", "cancelled", "expired", "skipped", "lost")
STATES: Final = ("queued", "running", *FINAL)
ALIVE: Final = ("active", "paused", "done")
"""States of a schedule in which its occurrences have dispositions."""

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Span:
    """The occurrences that one definition names in (after, until], all of which want a disposition."""

    schedule_id: int
    definition_id: int
    after: datetime
    until: datetime


def rows(conn: Connection, table: str) -> list[Row]:
    """All rows of a table, in the order of its key."""
    found = getattr(of(conn), table)
    return [dict(row) for row in conn.execute(select(found).order_by(*found.primary_key.columns)).mappings()]


def rule_of(definition: Row) -> Recurrence:
    """The recurrence of a row of `definitions`."""
    anchor = definition["anchor"]
    return parse(
        definition["canonical"],
        definition["zone"],
        anchor=None if anchor is None else datetime.fromisoformat(anchor),
        dst_gap=definition["dst_gap"],
        dst_overlap=definition["dst_overlap"],
    )


def named(definition: Row, after: datetime, until: datetime) -> list[datetime]:
    """The occurrences of a definition in (after, until], inside its validity."""
    start, end = definition["valid_from"], definition["ends_at"]
    low = after if start is None else max(after, start - TICK)
    high = until if end is None else min(until, end)
    return rule_of(definition).between(low, high) if high > low else []


@dataclass
class Facts:
    """What a database says, in one reading."""

    definitions: dict[int, Row]
    cursors: dict[int, Row]
    runs: list[Row]
    decisions: list[Row]
    changes: list[Row]
    ready: list[Row]
    claims: list[Row]
    flights: dict[str, int]
    cancels: list[Row]

    @classmethod
    def read(cls, conn: Connection) -> Facts:
        """All of it; in one transaction, so that the parts fit each other."""
        return cls(
            {row["id"]: row for row in rows(conn, "definitions")},
            {row["schedule_id"]: row for row in rows(conn, "cursors")},
            rows(conn, "runs"),
            rows(conn, "decisions"),
            rows(conn, "changes"),
            rows(conn, "ready"),
            rows(conn, "claims"),
            {row["flight"]: row["run_id"] for row in rows(conn, "flights")},
            rows(conn, "cancels"),
        )


def recorded_spans(facts: Facts, since: datetime | None = None) -> list[Span]:
    """The spans as definitions and the record of changes tell them; for histories in which the clock only went on.

    `since`: what is older is not kept any more.
    """
    spans: list[Span] = []
    for schedule, cursor in facts.cursors.items():
        mine = sorted(
            (d for d in facts.definitions.values() if d["schedule_id"] == schedule), key=lambda d: d["revision"]
        )
        bounds = [d["created_at"] for d in mine[1:]] + [cursor["watermark"]]
        off = list(_off(facts, mine[0]["key"]))
        for definition, until in zip(mine, bounds, strict=True):
            end = min(until, cursor["watermark"])
            for low, high in _without(off, definition["created_at"], end):
                spans.append(Span(schedule, definition["id"], low if since is None else max(low, since), high))
    return spans


def _off(facts: Facts, key: str) -> Iterator[tuple[datetime, datetime | None]]:
    """When the schedule was disabled or removed."""
    since: datetime | None = None
    for change in facts.changes:
        if change["subject"] != key:
            continue
        if change["action"] in ("disabled", "removed"):
            since = since or change["at"]
        elif change["action"] in ("enabled", "created") and since is not None:
            yield since, change["at"]
            since = None
    if since is not None:
        yield since, None


def _without(
    off: Iterable[tuple[datetime, datetime | None]], low: datetime, high: datetime
) -> Iterator[tuple[datetime, datetime]]:
    for start, end in off:
        if end is not None and end <= low:
            continue
        if start >= high:
            break
        if start > low:
            yield low, start
        if end is None:
            return
        low = end
    if low < high:
        yield low, high


def undisposed(facts: Facts, spans: Sequence[Span]) -> list[str]:
    """Laws 1 and 2: at most one run an occurrence; a run or exactly one decision for each occurrence of the spans."""
    found: list[str] = []
    made: dict[int, Counter[datetime]] = defaultdict(Counter)
    for run in facts.runs:
        if run["schedule_id"] is not None and run["scheduled_for"] is not None and run["retry_of"] is None:
            made[run["schedule_id"]][run["scheduled_for"]] += 1
    covers: dict[int, list[Row]] = defaultdict(list)
    for decision in facts.decisions:
        covers[decision["schedule_id"]].append(decision)
    for schedule, counts in made.items():
        found += [f"schedule {schedule}: {n} runs for {at}" for at, n in counts.items() if n > 1]
    for span in spans:
        for at in named(facts.definitions[span.definition_id], span.after, span.until):
            over = [d for d in covers[span.schedule_id] if d["after_at"] < at <= d["until_at"]]
            ran = made[span.schedule_id][at]
            if len(over) > 1 or (not ran and not over):
                said = [(d["what"], d["reason"], str(d["after_at"]), str(d["until_at"])) for d in over]
                found.append(f"schedule {span.schedule_id}: {at}: {ran} runs and {len(over)} decisions {said}")
    return found


def out_of_place(facts: Facts, spans: Sequence[Span], *, ahead: bool = False) -> list[str]:
    """Nothing fired that no rule names, nothing was decided beyond the watermark, no decision is empty.

    `ahead`: runs beyond the watermark are right, because a clock that was set right since stood in the future.
    """
    found: list[str] = []
    named_at: dict[int, set[datetime]] = defaultdict(set)
    for span in spans:
        named_at[span.schedule_id].update(named(facts.definitions[span.definition_id], span.after, span.until))
    oldest = {schedule: min(s.after for s in spans if s.schedule_id == schedule) for schedule in [*named_at]}
    for run in facts.runs:
        at, schedule = run["scheduled_for"], run["schedule_id"]
        if run["cause"] not in ("schedule", "catchup") or (ahead and at > facts.cursors[schedule]["watermark"]):
            continue
        low = oldest.get(schedule)
        if at not in named_at[schedule] and (low is None or at > low):
            found.append(f"run {run['id']} of schedule {schedule}: fired for {at}, which is no decided occurrence")
    for d in facts.decisions:
        mark = facts.cursors[d["schedule_id"]]["watermark"]
        empty = (
            d["after_at"] >= d["until_at"] and d["reason"] != "clock"
        )  # that one marks where a wrong clock was set right
        if d["until_at"] > mark or empty:
            found.append(f"decision {d['id']}: ({d['after_at']}, {d['until_at']}] with the watermark at {mark}")
    return found


def unarmed(facts: Facts) -> list[str]:
    """Law 2's other half: whatever is still to come will be looked at in time."""
    found: list[str] = []
    for schedule, cursor in facts.cursors.items():
        state, due, mark = cursor["state"], cursor["due_at"], cursor["watermark"]
        definition = facts.definitions[cursor["definition_id"]]
        start = definition["valid_from"]
        following = rule_of(definition).next_after(mark if start is None else max(mark, start - TICK))
        if following is not None and definition["ends_at"] is not None and following > definition["ends_at"]:
            following = None
        wake = cursor["wake_at"]
        if wake is not None and wake > mark:  # a handler's own next time
            following = wake if following is None else min(following, wake)
        if state == "active" and following is None:
            found.append(f"schedule {schedule}: active, and nothing is to come")
        if state == "active" and following is not None and cursor["cut_until"] is None and due != following:
            found.append(f"schedule {schedule}: due at {due}, its next occurrence is {following}")
        if state == "active" and cursor["cut_until"] is not None and due is None:
            found.append(f"schedule {schedule}: cut at {cursor['cut_until']} and not due")
        if state == "done" and following is not None:
            found.append(f"schedule {schedule}: done, and {following} is to come")
        if state == "paused" and due != cursor["paused_until"]:
            found.append(f"schedule {schedule}: paused until {cursor['paused_until']}, due at {due}")
    return found


def unruly(facts: Facts) -> list[str]:
    """Laws 5 and 12 on rows: each run is in a state that can go on, and stands where that state says."""
    found: list[str] = []
    ready = {row["run_id"]: row for row in facts.ready}
    claims = {row["run_id"]: row for row in facts.claims}
    cancelling = {row["run_id"] for row in facts.cancels}
    known = {run["id"]: run for run in facts.runs}
    for run in facts.runs:
        faults = _faults(run, ready.get(run["id"]), claims.get(run["id"]), run["id"] in cancelling)
        found += [f"run {run['id']} ({run['state']}): {fault}" for fault in faults]
    found += [f"ready holds run {i}, which is not there" for i in ready if i not in known]
    found += [f"claims holds run {i}, which is not there" for i in claims if i not in known]
    return found + _keys(facts, known)


def _faults(run: Row, ready: Row | None, claim: Row | None, cancelling: bool) -> Iterator[str]:
    state = run["state"]
    if state not in STATES:
        yield "no such state"
    if (claim is not None) != (state == "running"):
        yield f"its row in claims is {claim}"
    if claim is not None and (claim["token"], claim["node"], claim["lane"]) != (run["token"], run["node"], run["lane"]):
        yield f"claimed as {claim}, and runs with token {run['token']} on {run['node']} in {run['lane']}"
    if (run["finished_at"] is not None) != (state in FINAL):
        yield f"finished at {run['finished_at']}"
    if state != "queued" and (run["waiting"] or run["admit_at"] is not None):
        yield "waits, or is to be admitted"
    if state == "running" and (run["token"] < 1 or run["attempt"] < 1 or run["started_at"] is None):
        yield f"token {run['token']}, attempt {run['attempt']}, started {run['started_at']}"
    if (
        ready is not None
        and state not in FINAL
        and (state != "queued" or run["waiting"] or run["admit_at"] is not None)
    ):
        yield "may start although it runs, waits or is not yet to be admitted"
    if ready is not None and (ready["lane"], ready["priority"]) != (run["lane"], run["priority"]):
        yield f"ready as {ready}"
    if state == "queued" and ready is None and not run["waiting"] and run["admit_at"] is None and not cancelling:
        yield "queued, and nothing will ever start it"
    if run["waiting"] and run["flight"] is None:
        yield "waits for no key"


def _keys(facts: Facts, known: Mapping[int, Row]) -> list[str]:
    """At most one run that is neither final nor waiting under each key, and it is the one that `flights` names."""
    found: list[str] = []
    holders: dict[str, list[int]] = defaultdict(list)
    for run in facts.runs:
        if run["flight"] is not None and run["judged"] and run["state"] not in FINAL and not run["waiting"]:
            holders[run["flight"]].append(run["id"])
    for flight, ids in holders.items():
        if len(ids) > 1:
            found.append(f"key {flight} is held by runs {ids}")
        if facts.flights.get(flight) not in ids:
            found.append(f"key {flight} is held by runs {ids}, and flights names {facts.flights.get(flight)}")
    for flight, run_id in facts.flights.items():
        holder = known.get(run_id)
        if holder is not None and holder["state"] not in FINAL and (holder["flight"] != flight or holder["waiting"]):
            found.append(f"flights names run {run_id} for {flight}, which does not hold it")
    return found


def unfinished(facts: Facts) -> list[str]:
    """What is not over, for the end of a scenario in which everything was given its time."""
    left = [
        f"run {r['id']} is still {r['state']} (waiting {r['waiting']})" for r in facts.runs if r["state"] not in FINAL
    ]
    return left + [f"ready still holds run {row['run_id']}" for row in facts.ready]


def broken(facts: Facts, spans: Sequence[Span], *, ahead: bool = False) -> list[str]:
    """Every law that these facts break; `ahead` as in `out_of_place`."""
    return undisposed(facts, spans) + out_of_place(facts, spans, ahead=ahead) + unarmed(facts) + unruly(facts)


def check(database: Database, *, over: bool = False, ahead: bool = False, since: datetime | None = None) -> Facts:
    """Assert that the laws hold; with `over` also that nothing is left to do. What was read."""
    facts = database.read(Facts.read)
    spans = recorded_spans(facts, since)
    faults = broken(facts, spans, ahead=ahead) + (unfinished(facts) if over else [])
    assert not faults, "\n".join(["the laws are broken:", *faults])
    return facts


@dataclass
class Watch:
    """Looks at a database between steps: what only grows or never changes again, and under which timing it grew.

    At most one act may lie between two looks; then the spans hold whatever the clock did.
    """

    cursors: dict[int, Row] = field(default_factory=dict)
    ended: dict[int, str] = field(default_factory=dict)
    tokens: dict[int, int] = field(default_factory=dict)
    spans: list[Span] = field(default_factory=list)

    def look(self, database: Database) -> Facts:
        """Read, compare with the look before, remember; asserts."""
        facts = database.read(Facts.read)
        faults = list(self._moved(facts)) + list(self._ended(facts))
        assert not faults, "\n".join(["the laws are broken:", *faults])
        return facts

    def _moved(self, facts: Facts) -> Iterator[str]:
        for schedule, cursor in facts.cursors.items():
            before = self.cursors.get(schedule)
            if before is not None:
                low, high = before["watermark"], cursor["watermark"]
                if high < low:
                    yield f"schedule {schedule}: the watermark fell from {low} to {high}"
                if high > low and before["state"] in ALIVE:
                    self.spans.append(Span(schedule, before["definition_id"], low, high))
                if cursor["revision"] < before["revision"]:
                    yield f"schedule {schedule}: the revision fell"
            self.cursors[schedule] = cursor

    def _ended(self, facts: Facts) -> Iterator[str]:
        for run in facts.runs:
            text = json.dumps(run, default=str, sort_keys=True)
            before = self.ended.get(run["id"])
            if before is not None and before != text:
                yield f"run {run['id']} was final and changed: {before} -> {text}"
            if run["state"] in FINAL:
                self.ended[run["id"]] = text
            if run["token"] < self.tokens.get(run["id"], 0):
                yield f"run {run['id']}: its token fell"
            self.tokens[run["id"]] = run["token"]
