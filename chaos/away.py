"""The database away, and back."""

from __future__ import annotations

import time
from datetime import datetime
from typing import Any, Final

from chaos.fleet import until
from chaos.grounds import Ground
from chaos.plan import Plan
from chaos.watch import Watch, live, look, node_states
from rota.store import dialect
from rota.store.database import Connection

RESUME_S: Final = 10.0
"""Firing resumes within this long of the database's return."""
LINES: Final = 12
"""What one process may log about one outage: each of its loops says once that it is away."""


def away(ground: Ground, watch: Watch, plan: Plan) -> dict[str, Any]:
    """Stop the server (every second time: kill it), start it again after `away_s`; when firing went on."""
    if ground.server is None:
        raise RuntimeError("this attack needs a server")
    first, current, lines = 0.0, 0.0, 0
    nodes = watch.read(live)
    for number in range(plan.outages):
        plan.pause(5.0)
        before = lines_of(watch)
        end = time.monotonic() + plan.away_s
        ground.server.crash() if number % 2 else ground.server.stop()
        plan.wait_until(end)
        ground.server.start()
        back = watch.read(look).now
        first = max(first, resumed(watch, back))
        current = max(current, current_after(watch, back))
        lines = max([lines, *(after - before.get(name, 0) for name, after in lines_of(watch).items())])
        watch.faults += watch.fleet.fallen()
    blameless(watch, lines, nodes)
    return {
        "outages": plan.outages,
        "each of s": plan.away_s,
        "first firing after return s": round(first, 1),
        "all current after return s": round(current, 1),
        "most lines logged by one process in one outage": lines,
    }


def blameless(watch: Watch, lines: int, nodes: int) -> None:
    """A fault where a process has logged too much in one outage, or a node was declared dead for it."""
    if lines > LINES:
        watch.faults.append(f"a process logged {lines} lines in one outage")
    if watch.read(live) != nodes or watch.read(node_states)["fenced"]:
        watch.faults.append(f"nodes were declared dead for the outage: {watch.read(node_states)}")


def _latest(conn: Connection) -> datetime | None:
    found: datetime | None = dialect.read_at(
        dialect.query(conn, "SELECT max(watermark) AS latest FROM {cursors}")[0]["latest"]
    )
    return found


def resumed(watch: Watch, back: datetime) -> float:
    """How long it took until something fired again; a fault where that was too long."""
    took = until(lambda: bool((latest := watch.read(_latest)) is not None and latest > back), RESUME_S + 20.0)
    if took is None or took > RESUME_S:
        watch.faults.append(f"firing had not resumed {RESUME_S:g} s after the database's return")
    return RESUME_S + 20.0 if took is None else took


def current_after(watch: Watch, back: datetime) -> float:
    """How long it took until every schedule was current again."""

    def all_of_them() -> bool:
        oldest = watch.read(look).oldest
        return bool(oldest is not None and oldest > back)

    took = until(all_of_them, 30.0)
    if took is None:
        watch.faults.append("not every schedule was current 30 s after firing resumed")
    return 30.0 if took is None else took


def lines_of(watch: Watch) -> dict[str, int]:
    """How many lines each process has logged."""
    return {path.name: path.read_text(errors="replace").count("\n") for path in watch.fleet.folder.glob("*.log")}
