"""Queued runs of a job that does nothing, until all have succeeded: one worker process beside the floor and others."""

from __future__ import annotations

import functools
from collections.abc import Callable

from sqlalchemy import Connection

from bench import fill
from bench.child import ask
from bench.report import Line, Section, middle, ratio
from bench.servers import Store
from bench.sizes import Sizes

SLOTS = 1000
PGQUEUER_BATCH = 100
"""The fastest of 10, 100 and 1,000 where this was written; 10 is its default and six times slower."""

_NOTES = {
    "PostgreSQL": f"pgqueuer with its asyncpg driver, uvloop and batches of {PGQUEUER_BATCH}; APScheduler's store: {{slow:,}}.",
    "SQLite": "Huey and APScheduler's store commit each job by itself: {slow:,}.",
}
Round = dict[str, float]


def section(store: Store, sizes: Sizes) -> Section:
    """The table of one kind of database."""
    store.prepare(f"queued{sizes.runs}", functools.partial(_fill, count=sizes.runs))
    store.prepare("empty", None)
    measure = _postgresql if store.kind == "PostgreSQL" else _sqlite
    rounds = [_own(store, sizes) | measure(store, sizes) for _ in range(sizes.rounds)]
    lines = _postgresql_lines(rounds) if store.kind == "PostgreSQL" else _sqlite_lines(rounds)
    note = f"{sizes.runs:,} jobs, one worker process with {SLOTS:,} slots; {_NOTES[store.kind].format(slow=sizes.slow_runs)}"
    return Section(
        f"Running on {store.kind}: no-op async jobs, queued until succeeded", ("runs/s",),
        _floor_lines(store, rounds) + lines, note,
    )  # fmt: skip


def _fill(conn: Connection, count: int) -> None:
    fill.queued(conn, count)
    fill.node(conn, "bench")


def _own(store: Store, sizes: Sizes) -> Round:
    """The floor, rota's store without its loops, rota's worker."""
    rate = functools.partial(_rate, store, f"queued{sizes.runs}", sizes.runs)
    return {
        "floor": rate(lambda url: ask("floor", "work", url=url, count=sizes.runs)),
        "store": rate(lambda url: ask("rota_store", "work", url=url, count=sizes.runs)),
        "rota": rate(lambda url: ask("rota_app", "work", url=url, count=sizes.runs, slots=SLOTS)),
    }


def _postgresql(store: Store, sizes: Sizes) -> Round:
    pgqueuer = functools.partial(ask, "pgqueuer", "work", count=sizes.runs, batch=PGQUEUER_BATCH)
    found = {"pgqueuer": _rate(store, "empty", sizes.runs, lambda url: pgqueuer(url=url))}
    return found | (_apscheduler(store, sizes) if sizes.peers else {})


def _sqlite(store: Store, sizes: Sizes) -> Round:
    huey = functools.partial(ask, "huey", "work", count=sizes.slow_runs, workers=1)
    found = {"huey": _rate(store, "empty", sizes.slow_runs, lambda url: huey(url=url))}
    return found | (_apscheduler(store, sizes) if sizes.peers else {})


def _apscheduler(store: Store, sizes: Sizes) -> Round:
    durable = functools.partial(ask, "apscheduler", "work", count=sizes.slow_runs)
    memory = sizes.runs / ask("apscheduler", "work", url=None, count=sizes.runs)["seconds"]
    return {"sql": _rate(store, "empty", sizes.slow_runs, lambda url: durable(url=url)), "memory": memory}


def _rate(store: Store, name: str, count: int, measure: Callable[[str], dict[str, float]]) -> float:
    with store.copy(name) as url:
        return count / measure(url)["seconds"]


def _floor_lines(store: Store, rounds: list[Round]) -> tuple[Line, ...]:
    key = f"run/{store.kind.lower()}"
    goal = 0.5 if store.kind == "PostgreSQL" else 0.3
    return (
        Line(
            "the floor: claim and settle, set-based, batches of 1,000", (middle(rounds, "floor"),),
            (ratio(f"{key}/floor", rounds, "rota", "floor", goal=goal),),
        ),
        Line(
            "rota's store alone: the same two transactions", (middle(rounds, "store"),),
            (ratio(f"{key}/store", rounds, "rota", "store"),),
        ),
        Line("rota", (middle(rounds, "rota"),)),
    )  # fmt: skip


def _postgresql_lines(rounds: list[Round]) -> tuple[Line, ...]:
    own = ratio("run/postgresql/pgqueuer", rounds, "rota", "pgqueuer", goal=2.0)
    return (Line("pgqueuer", (middle(rounds, "pgqueuer"),), (own,)), *_apscheduler_lines("run/postgresql", rounds, 8.0))


def _sqlite_lines(rounds: list[Round]) -> tuple[Line, ...]:
    own = ratio("run/sqlite/huey", rounds, "rota", "huey", goal=5.0)
    return (Line("Huey, fsync on", (middle(rounds, "huey"),), (own,)), *_apscheduler_lines("run/sqlite", rounds, None))


def _apscheduler_lines(key: str, rounds: list[Round], goal: float | None) -> tuple[Line, ...]:
    if "sql" not in rounds[0]:
        return ()
    durable = ratio(f"{key}/apscheduler_sql", rounds, "rota", "sql", goal=goal)
    memory = ratio(f"{key}/apscheduler_memory", rounds, "rota", "memory")
    return (
        Line("APScheduler 3, SQL store", (middle(rounds, "sql"),), (durable,)),
        Line("APScheduler 3, in memory: nothing survives, nothing is recorded", (middle(rounds, "memory"),), (memory,)),
    )
