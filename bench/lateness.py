"""How late starts are when the machine is idle: many schedules, each due every second, spread over the second."""

from __future__ import annotations

import functools
from datetime import timedelta

from bench import fill
from bench.child import ask
from bench.report import Line, Ratio, Section, quantile
from bench.servers import Store
from bench.sizes import Sizes
from rota.clock import SystemClock

SETTLE_S = 4
"""Seconds in which a process starts before its first schedule is due."""

SPREAD = "rota, spread over the second by `jitter: 1s`"
AT_ONCE = "rota, all at the same instant of each second"


def section(store: Store, sizes: Sizes) -> Section:
    """The table of one kind of database."""
    lines = [_rota(store, sizes, "1s"), _rota(store, sizes, None)]
    if sizes.peers:
        lines += [_apscheduler(store, sizes, durable=durable) for durable in (True, False)]
    return Section(
        f"Lateness on {store.kind}: {sizes.spread:,} schedules, each due every second for {sizes.spread_s} s",
        ("p50 ms", "p99 ms", "not started"), tuple(lines),
        "A start counts if it comes within 2.5 s; rota's own measure is the instant from which the run may start.",
    )  # fmt: skip


def _rota(store: Store, sizes: Sizes, jitter: str | None) -> Line:
    clock = SystemClock()
    name = f"spread{jitter}{clock.monotonic():.0f}"
    start = (clock.now() + timedelta(seconds=SETTLE_S + sizes.spread / 1000)).replace(microsecond=0)
    policies = {"overlap": "allow", "catchup": "all", **({"jitter": jitter} if jitter else {})}
    rule = fill.Rule("* * * * * *", start, policies)
    store.prepare(name, functools.partial(fill.schedules, count=sizes.spread, rule=rule))
    first = start + timedelta(seconds=2)
    with store.copy(name) as url:
        found = ask("rota_app", "spread", url=url, first=first.isoformat(), seconds=sizes.spread_s)
    key = f"lateness/{store.kind.lower()}/{'spread' if jitter else 'at_once'}"
    p50, p99 = quantile(found["late"], 0.5), quantile(found["late"], 0.99)
    lost = sizes.spread * sizes.spread_s - found["started"]
    goals = (4.0, 12.0) if jitter else (None, None)
    marks = (
        Ratio(f"{key}/p50_ms", p50, "lower", goals[0], absolute=True),
        Ratio(f"{key}/p99_ms", p99, "lower", goals[1], absolute=True),
    )
    return Line(SPREAD if jitter else AT_ONCE, (p50, p99, lost), marks if jitter else ())


def _apscheduler(store: Store, sizes: Sizes, *, durable: bool) -> Line:
    shown = "APScheduler 3, SQL store" if durable else "APScheduler 3, in memory"
    store.prepare("empty", None)
    with store.copy("empty") as url:
        given = url if durable else None
        found = ask("apscheduler", "spread", url=given, count=sizes.spread, seconds=sizes.spread_s)
    late = found["late"]
    figures = (quantile(late, 0.5), quantile(late, 0.99)) if late else (None, None)
    return Line(f"{shown}, spread over the second", (*figures, sizes.spread * sizes.spread_s - found["started"]))
