"""One immediate job at a time, asked for by another process: how long until its code runs."""

from __future__ import annotations

import importlib
import threading
import time
from contextlib import closing
from typing import Protocol

from bench.child import Child
from bench.report import Line, Section, middle, quantile, ratio
from bench.servers import Store
from bench.sizes import Sizes

PAUSE_S = 0.02
"""Between two jobs: each finds an idle worker."""

Round = dict[str, float]


class Client(Protocol):
    """Asks for one job at a time."""

    def enqueue(self) -> None:
        """Commit one immediate job."""
        ...

    def close(self) -> None:
        """Close the connections."""
        ...


def section(store: Store, sizes: Sizes) -> Section:
    """The table of one kind of database."""
    store.prepare("tables", lambda _conn: None)
    store.prepare("empty", None)
    rounds = [_round(store, sizes) for _ in range(min(sizes.rounds, 3))]
    key = f"latency/{store.kind.lower()}"
    lines = [Line("rota", (middle(rounds, "rota_p50"), middle(rounds, "rota_p99")))]
    if "pgqueuer_p50" in rounds[0]:
        marks = (ratio(f"{key}/pgqueuer", rounds, "rota_p50", "pgqueuer_p50", better="lower", goal=0.6),)
        lines.append(Line("pgqueuer", (middle(rounds, "pgqueuer_p50"), middle(rounds, "pgqueuer_p99")), marks))
    else:
        worst = middle(rounds, "rota_max")
        lines.append(Line("rota, the slowest (goal at most 250 ms)", (None, worst)))
    return Section(
        f"Latency on {store.kind}: from the request in another process to the first line of the job",
        ("p50 ms", "p99 ms"), tuple(lines), f"{sizes.samples} jobs a round, one every {PAUSE_S * 1000:g} ms.",
    )  # fmt: skip


def _round(store: Store, sizes: Sizes) -> Round:
    found: Round = {}
    with store.copy("tables") as url:
        found |= _measure("rota", "rota_app", url, sizes.samples)
    if store.kind == "PostgreSQL":
        with store.copy("empty") as url:
            found |= _measure("pgqueuer", "pgqueuer", url, sizes.samples)
    return found


def _client(module: str, url: str) -> Client:
    """A contender's client; loaded when asked for, since not every machine has every peer."""
    found: Client = importlib.import_module(f"bench.contenders.{module}").Client(url)
    return found


def _measure(name: str, module: str, url: str, samples: int) -> Round:
    pause = threading.Event()
    asked = []
    with Child(module, "serve", url=url) as child:
        child.answer()
        with closing(_client(module, url)) as mine:
            for _ in range(samples):
                asked.append(time.monotonic_ns())
                mine.enqueue()
                pause.wait(PAUSE_S)
            pause.wait(0.5)
        started = child.finish()["started"]
    if len(started) != samples:
        raise RuntimeError(f"{name} started {len(started)} of {samples} jobs")
    late = [(at - begin) / 1e6 for begin, at in zip(asked, started, strict=True)]
    return {f"{name}_p50": quantile(late, 0.5), f"{name}_p99": quantile(late, 0.99), f"{name}_max": max(late)}
