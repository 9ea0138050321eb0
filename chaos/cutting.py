"""Connections that are cut without a word: nothing is refused, nothing answered."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from chaos.fleet import until
from chaos.grounds import Ground
from chaos.plan import Plan
from chaos.watch import Watch, live, look, node_states
from rota.store.database import Connection

FREE_S: Final = 10.0
"""Rows that a cut session holds are free after this long."""
GO_ON_S: Final = 20.0
"""All processes were cut off at once, so nobody is left to go on for them: each has found out by then."""
_INSIDE: Final = (
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'rota:%%'"
    " AND pid <> pg_backend_pid()"
)
"""The name is one transaction's: whoever has it is inside one."""
_OPEN: Final = (
    _INSIDE + " AND state LIKE 'idle in transaction%%' AND clock_timestamp() - state_change > interval '1 second'"
)
_SETTLED_S: Final = 1.2
"""A session that has been idle in its transaction for longer than a second by then was cut inside it."""


def cutting(ground: Ground, watch: Watch, plan: Plan) -> dict[str, Any]:
    """Cut every connection of every process at once, `stops` times; when all of them were at work again."""
    if ground.door is None:
        raise RuntimeError("this attack needs a door")
    held = again = 0.0
    inside = 0
    for _ in range(plan.stops):
        plan.pause(plan.stop_s / 2)
        until(lambda: bool(watch.read(_sessions, _INSIDE)), 2.0, 0.001)
        ground.door.shut()
        cut = watch.read(look).now
        plan.pause(_SETTLED_S)
        inside += len(watch.read(_sessions, _OPEN))
        held, again = max(held, _SETTLED_S + _freed(watch)), max(again, _at_work(watch, cut))
        watch.faults += watch.fleet.fallen()
    return {
        "cuts of all connections": plan.stops,
        "sessions that were inside a transaction": inside,
        "rows held by cut sessions for at most s": round(held, 1) if inside else 0.0,
        "all current after at most s": round(again, 1),
        "nodes fenced meanwhile": watch.read(node_states)["fenced"],
    }


def _freed(watch: Watch) -> float:
    took = until(lambda: not watch.read(_sessions, _OPEN), FREE_S + 5.0)
    if took is None or took > FREE_S:
        watch.faults.append(f"cut sessions hold rows after {FREE_S:g} s")
    return FREE_S + 5.0 if took is None else took


def _sessions(conn: Connection, sql: str) -> list[int]:
    return [row[0] for row in conn.exec_driver_sql(sql)]


def _at_work(watch: Watch, cut: datetime) -> float:
    def current() -> bool:
        seen = watch.sample()
        return seen.oldest is not None and seen.oldest > cut and seen.lag_s < 3.0 and _all_live(watch)

    took = until(current, GO_ON_S + 40.0, 0.1)
    since = float((watch.read(look).now - cut).total_seconds())
    if took is None or since > GO_ON_S:
        watch.faults.append(
            f"not everything was at work again {GO_ON_S:g} s after all connections were cut, but {since:.0f}"
        )
    return since


def _all_live(watch: Watch) -> bool:
    pids = set(watch.read(live).values())
    return all(member.pid in pids for member in watch.fleet.members)
