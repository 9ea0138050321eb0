"""Schedules due at once: how many one scheduler fires a second, beside the floor."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from bench import fill
from bench.child import ask
from bench.report import Line, Section, middle, ratio
from bench.servers import Store
from bench.sizes import Sizes

GOALS = {"PostgreSQL": 0.7, "SQLite": 0.4}


def sections(store: Store, sizes: Sizes) -> Iterator[Section]:
    """One table for each number of schedules, with one text for all of them and with a text for each."""
    for count in sizes.fire:
        for varied in (False, True) if sizes.peers or store.kind == "PostgreSQL" else (False,):
            yield _section(store, sizes, count, varied=varied)


def _section(store: Store, sizes: Sizes, count: int, *, varied: bool) -> Section:
    name = f"fire{count}{'v' if varied else ''}"
    store.prepare(name, functools.partial(fill.schedules, count=count, rule=fill.Rule(varied=varied)))
    rounds = [_round(store, name, count) for _ in range(sizes.rounds)]
    texts = "a text for each" if varied else "one text for all"
    key = f"fire/{store.kind.lower()}/{'each' if varied else 'one'}/{count}"
    goal = GOALS[store.kind]
    again = ratio(f"{key}/floor", rounds, "again", "floor", goal=goal)
    first = ratio(f"{key}/floor_first", rounds, "first", "floor")
    return Section(
        f"Firing on {store.kind}: {count:,} schedules due at once, {texts}",
        ("fires/s",),
        (
            Line("the floor: the same rows, set-based, batches of 1,000", (middle(rounds, "floor"),)),
            Line("rota, one scheduler that knows the definitions", (middle(rounds, "again"),), (again,)),
            Line("rota, one scheduler just started: reads and parses each", (middle(rounds, "first"),), (first,)),
        ),
    )


def _round(store: Store, name: str, count: int) -> dict[str, float]:
    """Rates per second."""
    with store.copy(name) as url:
        floor = ask("floor", "fire", url=url, count=count)["seconds"]
    with store.copy(name) as first, store.copy(name) as again:
        ours = ask("rota_store", "fire", urls=[first, again], count=count)
    return {"floor": count / floor, "first": count / ours["first"], "again": count / ours["again"]}
