"""SIGSTOP: a process that is neither dead nor alive, mostly with a transaction open."""

from __future__ import annotations

import random
import signal
import time
from dataclasses import dataclass
from typing import Any, Final

from chaos.fleet import Member, until
from chaos.grounds import Ground
from chaos.plan import Plan
from chaos.watch import GRACE_S, Watch, live
from rota.store.database import Connection

FREE_S: Final = 10.0
"""Rows that a stopped process holds are free after this long."""
_TRIES: Final = 200
_OPEN: Final = (
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = ANY(%s)"
    " AND state LIKE 'idle in transaction%%'"
)


@dataclass
class Stop:
    """One stop: when it was fenced and when its transaction was gone, in seconds after it; None: not seen."""

    inside: bool
    fenced: float | None = None
    freed: float | None = None


def stopping(_ground: Ground, watch: Watch, plan: Plan) -> dict[str, Any]:
    """Stop a random member for `stop_s`, again and again; how many held a transaction, and for how long."""
    draw = random.Random(plan.seed)
    stops, back = [], 0.0
    for _ in range(plan.stops):
        member = draw.choice(watch.fleet.members)
        stops.append(_stopped(watch, member, _stop_inside(watch, member, draw), plan.stop_s))
        member.process.send_signal(signal.SIGCONT)
        back = max(back, _back(watch, member))
    most = max(watch.lags)
    if most > FREE_S:
        watch.faults.append(f"a watermark lagged by {most:.1f} s while a process was stopped")
    fences = [stop.fenced for stop in stops if stop.fenced is not None]
    return {
        "stops": plan.stops,
        "stopped inside a transaction": sum(stop.inside for stop in stops),
        "its transaction gone after at most s": round(max((s.freed or 0.0 for s in stops), default=0.0), 1),
        "fenced while stopped": len(fences),
        "fenced after at most s": round(max(fences, default=0.0), 1),
        "works again after SIGCONT within s": round(back, 1),
    }


def _stopped(watch: Watch, member: Member, sessions: list[int], seconds: float) -> Stop:
    """Look on for these seconds, and until its transaction is gone."""
    stop, begin = Stop(bool(sessions)), time.monotonic()
    passed = 0.0
    while passed < seconds or (stop.inside and stop.freed is None and passed < FREE_S + 5.0):
        watch.sample()
        passed = time.monotonic() - begin
        if stop.inside and stop.freed is None and not watch.read(_still, sessions):
            stop.freed = passed
        if stop.fenced is None and member.pid not in watch.read(live).values():
            stop.fenced = passed
        Plan(0).pause(0.1)
    if stop.inside and (stop.freed is None or stop.freed > FREE_S + GRACE_S):
        watch.faults.append(f"{member.name} was stopped inside a transaction, which was open after {FREE_S:g} s")
    return stop


def _stop_inside(watch: Watch, member: Member, draw: random.Random) -> list[int]:
    """Stop the member; the database sessions that it holds a transaction open on (none where it could not be caught)."""
    for _ in range(_TRIES):
        member.process.send_signal(signal.SIGSTOP)
        Plan(0).pause(0.01)  # what it had sent is carried out meanwhile
        sessions: list[int] = watch.read(_open, _nodes(watch, member))
        if sessions:
            return sessions
        member.process.send_signal(signal.SIGCONT)
        Plan(0).pause(draw.random() * 0.05)
    member.process.send_signal(signal.SIGSTOP)
    return []


def _nodes(watch: Watch, member: Member) -> list[str]:
    return [f"rota:{node}" for node, pid in watch.read(live).items() if pid == member.pid]


def _open(conn: Connection, names: list[str]) -> list[int]:
    return [row[0] for row in conn.exec_driver_sql(_OPEN, (names,))]


def _still(conn: Connection, sessions: list[int]) -> bool:
    sql = "SELECT count(*) FROM pg_stat_activity WHERE pid = ANY(%s) AND state LIKE 'idle in transaction%%'"
    return bool(conn.exec_driver_sql(sql, (sessions,)).scalar_one())


def _back(watch: Watch, member: Member) -> float:
    """How long after SIGCONT the process is a live node again, and the schedules current."""

    def works() -> bool:
        return member.pid in watch.read(live).values() and watch.sample().lag_s < 1.0 + watch.fleet.poll_s + 1.0

    took = until(works, 15.0, 0.1)
    if took is None:
        watch.faults.append(f"{member.name} is not live, or schedules are not current, 15 s after SIGCONT")
    return 15.0 if took is None else took
