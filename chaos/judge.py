"""Judging an attack: the laws on the database, and the handlers' own record beside it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import select

from rota.store.database import Connection, Database
from rota.store.tables import of
from tests.support.laws import FINAL, Facts, broken, named, recorded_spans, unfinished


@dataclass
class Record:
    """Who started and ended what: (run, token) -> the processes that said so."""

    starts: dict[tuple[int, int], list[int]] = field(default_factory=lambda: defaultdict(list))
    ends: dict[tuple[int, int], list[int]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def read(cls, path: Path) -> Record:
        """The handlers' record; a line that is not whole raises."""
        record = cls()
        for line in path.read_text().splitlines():
            what, run, token, pid = line.split(" ")
            {"start": record.starts, "end": record.ends}[what][(int(run), int(token))].append(int(pid))
        return record


@dataclass
class Verdict:
    """Figures by name, and what broke a promise: sentences, none if all held."""

    figures: dict[str, int | float] = field(default_factory=dict)
    dispositions: dict[str, int] = field(default_factory=dict)
    runs: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


def judge(database: Database, path: Path) -> Verdict:
    """Everything that can be said once all processes have ended."""
    facts = database.read(Facts.read)
    nodes, events = database.read(_nodes), database.read(_events)
    verdict = Verdict(faults=broken(facts, recorded_spans(facts)) + unfinished(facts))
    record = Record.read(path) if path.exists() else Record()
    kinds = _dispositions(facts)
    verdict.dispositions = dict(sorted(kinds.items(), key=lambda kind: (-kind[1], kind[0])))
    lost, twice = kinds.pop("lost", 0), _twice(facts)
    verdict.runs = dict(Counter(run["state"] for run in facts.runs).most_common())
    verdict.faults += [*_recorded(facts, record, nodes), *_told(facts, events), *_left(nodes)]
    verdict.figures = {
        "occurrences": sum(kinds.values()) + lost,
        "lost": lost,
        "doubled": twice,
        "started twice under one token": sum(len(pids) > 1 for pids in record.starts.values()),
        "runs": len(facts.runs),
        "not final": sum(run["state"] not in FINAL for run in facts.runs),
        "started again after a fence": len(_again(record)),
        "nodes fenced": sum(node["state"] == "fenced" for node in nodes),
    }
    return verdict


def _nodes(conn: Connection) -> list[dict[str, Any]]:
    table = of(conn).nodes
    return [dict(row) for row in conn.execute(select(table.c.id, table.c.pid, table.c.state)).mappings()]


def _events(conn: Connection) -> dict[str, Counter[int]]:
    """How many events of each type there are for each run, numbered or not yet."""
    found: dict[str, Counter[int]] = defaultdict(Counter)
    for table in (of(conn).events, of(conn).event_inbox):
        for kind, data in conn.execute(select(table.c.type, table.c.data)):
            if "run" in data:
                found[kind][data["run"]] += 1
    return found


def _dispositions(facts: Facts) -> Counter[str]:
    """What became of each occurrence up to the watermark: `fired`, `coalesced`, `skipped/overlap`, …, `lost`."""
    ran: dict[int, set[Any]] = defaultdict(set)
    for run in facts.runs:
        if run["scheduled_for"] is not None and run["retry_of"] is None:
            ran[run["schedule_id"]].add(run["scheduled_for"])
    decided = defaultdict(list)
    for decision in facts.decisions:
        decided[decision["schedule_id"]].append(decision)
    kinds: Counter[str] = Counter()
    for span in recorded_spans(facts):
        for at in named(facts.definitions[span.definition_id], span.after, span.until):
            over = [d for d in decided[span.schedule_id] if d["after_at"] < at <= d["until_at"]]
            if at in ran[span.schedule_id]:
                kinds["fired"] += 1
            elif over:
                kinds["/".join(filter(None, (over[0]["what"], over[0]["reason"])))] += 1
            else:
                kinds["lost"] += 1
    return kinds


def _twice(facts: Facts) -> int:
    """Occurrences with more than one run."""
    made: Counter[tuple[int, Any]] = Counter(
        (run["schedule_id"], run["scheduled_for"])
        for run in facts.runs
        if run["scheduled_for"] is not None and run["retry_of"] is None
    )
    return sum(count > 1 for count in made.values())


def _again(record: Record) -> dict[int, list[int]]:
    """The runs that were started under more than one token, with those tokens."""
    tokens: dict[int, list[int]] = defaultdict(list)
    for run, token in sorted(record.starts):
        tokens[run].append(token)
    return {run: found for run, found in tokens.items() if len(found) > 1}


def _recorded(facts: Facts, record: Record, nodes: list[dict[str, Any]]) -> Iterator[str]:
    """Where the database and the handlers' own record disagree."""
    known = {run["id"]: run for run in facts.runs}
    fenced = {node["pid"] for node in nodes if node["state"] == "fenced"}
    for (run, token), pids in record.starts.items():
        if len(pids) > 1:
            yield f"run {run} was started {len(pids)} times with token {token}, by {pids}"
        if run not in known:
            yield f"run {run} was started by {pids} and is not there"
        elif token > known[run]["token"]:
            yield f"run {run} was started with token {token} and has {known[run]['token']}"
    for run, tokens in _again(record).items():
        if run in known and len(tokens) > 1 + known[run]["lost"]:
            yield f"run {run} was started with tokens {tokens} and was lost {known[run]['lost']} times only"
        for token in tokens[:-1]:
            pids = record.starts[(run, token)]
            if not set(pids) <= fenced:
                yield f"run {run}, token {token}: started again although no node of {pids} was fenced"
    for row in facts.runs:
        last = (row["id"], row["token"])
        if row["state"] == "succeeded" and not (last in record.starts and last in record.ends):
            yield f"run {row['id']} succeeded with token {row['token']}, and no handler says so"


def _told(facts: Facts, events: dict[str, Counter[int]]) -> Iterator[str]:
    """Per run one event of its firing and one of its final state, and no other final one."""
    for run in facts.runs:
        told = {state: events[f"run.{state}"][run["id"]] for state in FINAL}
        wanted = {state: int(state == run["state"]) for state in FINAL}
        if told != wanted:
            yield f"run {run['id']} ({run['state']}): events of its end are {told}"
        if run["schedule_id"] is not None and events["schedule.fired"][run["id"]] != 1:
            yield f"run {run['id']}: {events['schedule.fired'][run['id']]} events of its firing"


def _left(nodes: list[dict[str, Any]]) -> Iterator[str]:
    """Every process has ended, so no node may be live."""
    for node in nodes:
        if node["state"] == "live":
            yield f"node {node['id']} (pid {node['pid']}) is live although its process has ended"
