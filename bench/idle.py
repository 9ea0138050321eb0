"""Many schedules, none of them due: what a scheduler costs that has nothing to do."""

from __future__ import annotations

import functools

from bench import fill
from bench.child import ask
from bench.report import Line, Ratio, Section
from bench.servers import Store
from bench.sizes import Sizes

FEW = 1000
"""The number to compare with: what the scheduler costs must not depend on how many there are."""


def section(store: Store, sizes: Sizes) -> Section:
    """The table of one kind of database."""
    found = {count: _measure(store, sizes, count) for count in (FEW, sizes.idle)}
    few, many = found[FEW], found[sizes.idle]
    key = f"idle/{store.kind.lower()}"
    marks = (
        Ratio(f"{key}/probe", many["probe_us"] / many["select_us"], "lower", 1.2),
        Ratio(f"{key}/memory", many["memory_mb"] / few["memory_mb"], "lower", 1.1),
        Ratio(f"{key}/start", many["ready_s"] / few["ready_s"], "lower", 2.0),
        Ratio(f"{key}/cpu_s", many["cpu_s"], "lower", 0.05, absolute=True),
        Ratio(f"{key}/ready_s", many["ready_s"], "lower", 1.0, absolute=True),
    )
    columns = ("due probe us", "SELECT 1 us", "whole look us", "CPU s/min", "start-up s", "memory MB")
    names = ("probe_us", "select_us", "look_us", "cpu_s", "ready_s", "memory_mb")
    return Section(
        f"Idling on {store.kind}: one scheduler process", columns,
        (
            Line(f"{FEW:,} schedules, none due", tuple(few[name] for name in names)),
            Line(f"{sizes.idle:,} schedules, none due", tuple(many[name] for name in names)),
        ),
        "With the larger number: the probe is " + marks[0].text() + " times a SELECT 1 on the same connection; memory "
        + marks[1].text() + " and start-up " + marks[2].text() + " times those with the smaller one; CPU s/min "
        + marks[3].text() + ", start-up s " + marks[4].text() + ".",
        marks,
    )  # fmt: skip


def _measure(store: Store, sizes: Sizes, count: int) -> dict[str, float]:
    name = f"idle{count}"
    store.prepare(name, functools.partial(fill.schedules, count=count, rule=fill.Rule("0 0 1 1 *", fill.FAR)))
    with store.copy(name) as url:
        return ask("rota_app", "idle", url=url, seconds=sizes.idle_s, probes=sizes.probes)
