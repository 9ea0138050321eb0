"""Recurring schedules due at once: how long until the last of them has started, in one process that does everything."""

from __future__ import annotations

import functools

from bench import fill
from bench.child import ask
from bench.report import Line, Section, middle, ratio
from bench.run import SLOTS
from bench.servers import Store
from bench.sizes import Sizes

LIMIT_S = 60.0
NAMES = {
    "rota": "rota, scheduler and worker in one process",
    "pgqueuer": "pgqueuer",
    "sql": "APScheduler 3, SQL store",
    "memory": "APScheduler 3, in memory, no grace",
}

Round = dict[str, float]


def section(store: Store, sizes: Sizes) -> Section:
    """The table of one kind of database; peers are asked in the full form only."""
    name = f"start{sizes.start}"
    rule = fill.Rule(policies={"overlap": "allow"})
    store.prepare(name, functools.partial(fill.schedules, count=sizes.start, rule=rule))
    store.prepare("empty", None)
    rounds = [_round(store, name, sizes) for _ in range(min(sizes.rounds, 3))]
    key = f"start/{store.kind.lower()}"
    lines = []
    for one, shown in NAMES.items():
        if one in rounds[0]:
            goal = 0.1 if one in ("pgqueuer", "sql") else None
            mine = () if one == "rota" else (ratio(f"{key}/{one}", rounds, "rota", one, better="lower", goal=goal),)
            lost = sum(each[f"{one}_lost"] for each in rounds)
            lines.append(Line(shown, (middle(rounds, one), lost), mine))
    return Section(
        f"Starting on {store.kind}: {sizes.start:,} recurring schedules due at once",
        ("s until all have started", f"not started in {LIMIT_S:g} s"), tuple(lines),
    )  # fmt: skip


def _round(store: Store, name: str, sizes: Sizes) -> Round:
    task = {"count": sizes.start, "limit_s": LIMIT_S}
    found: Round = {}
    with store.copy(name) as url:
        found |= _told("rota", sizes, ask("rota_app", "start", url=url, slots=SLOTS, **task))
    if not sizes.peers:
        return found
    if store.kind == "PostgreSQL":
        with store.copy("empty") as url:
            found |= _told("pgqueuer", sizes, ask("pgqueuer", "start", url=url, **task))
    with store.copy("empty") as url:
        found |= _told("sql", sizes, ask("apscheduler", "start", url=url, **task))
    return found | _told("memory", sizes, ask("apscheduler", "start", url=None, **task))


def _told(name: str, sizes: Sizes, answer: dict[str, float]) -> Round:
    return {name: answer["seconds"], f"{name}_lost": sizes.start - answer["started"]}
