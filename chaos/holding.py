"""SIGSTOP on SQLite: a stopped process keeps the file's one lock, and nobody can take it away."""

from __future__ import annotations

import fcntl
import random
import signal
from pathlib import Path
from typing import Any, Final

from chaos.away import LINES, current_after, lines_of, resumed
from chaos.fleet import Member, until
from chaos.grounds import Ground
from chaos.plan import Plan
from chaos.watch import Watch, look

NAMED_S: Final = 10.0
"""The others name the process that keeps them waiting after this long."""
_SLACK_S: Final = 3.0
_TRIES: Final = 500


def holding(ground: Ground, watch: Watch, plan: Plan) -> dict[str, Any]:
    """Stop a random member inside its transaction until the others have named it; then continue it, or kill it."""
    draw = random.Random(plan.seed)
    lock = Path(ground.url.removeprefix("sqlite:///") + ".lock")
    inside = 0
    named = first = current = 0.0
    lines = 0
    for number in range(plan.holds):
        plan.pause(3.0)
        before = lines_of(watch)
        member = draw.choice(watch.fleet.members)
        inside += _stop_inside(member, lock, draw)
        named = max(named, _named(watch, member))
        lines = max([lines, *(after - before.get(name, 0) for name, after in lines_of(watch).items())])
        watch.sample()
        if number % 2:
            watch.fleet.kill(member)
        else:
            member.process.send_signal(signal.SIGCONT)
        back = watch.read(look).now
        first = max(first, resumed(watch, back))
        current = max(current, current_after(watch, back))
        if until(lambda: all(other.ready()[0] == 200 for other in watch.fleet.members), 20.0) is None:
            watch.faults.append("/readyz is not green 20 s after the process went on, or was killed")
    if inside < plan.holds:
        watch.faults.append(f"only {inside} of {plan.holds} stops were inside a transaction")
    if lines > LINES:
        watch.faults.append(f"a process logged {lines} lines while another one was stopped")
    return {
        "stops inside a transaction": inside,
        "named by /readyz of the others after at most s": round(named, 1),
        "first firing after it went on s": round(first, 1),
        "all current after it went on s": round(current, 1),
        "most lines logged by one process meanwhile": lines,
    }


def _stop_inside(member: Member, lock: Path, draw: random.Random) -> bool:
    """Stop the member while it holds the lock; False where it could not be caught."""
    for _ in range(_TRIES):
        member.process.send_signal(signal.SIGSTOP)
        Plan(0).pause(0.005)
        if _holder(lock) == member.pid:
            return True
        member.process.send_signal(signal.SIGCONT)
        Plan(0).pause(draw.random() * 0.02)
    member.process.send_signal(signal.SIGSTOP)
    return False


def _holder(lock: Path) -> int | None:
    """Who holds the lock now, as the file says; None where it is free."""
    with lock.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return int(file.read().strip() or 0)
    return None


def _named(watch: Watch, stopped: Member) -> float:
    """How long until every other process says at `/readyz` whom it waits for."""
    others = [member for member in watch.fleet.members if member is not stopped]

    def all_name() -> bool:
        said = [member.ready() for member in others]
        return all(status == 503 and any(str(stopped.pid) in reason for reason in why) for status, why in said)

    took = until(all_name, NAMED_S + 10.0)
    if took is None or took > NAMED_S + _SLACK_S:
        watch.faults.append(f"not named within {NAMED_S:g} s: {[member.ready() for member in others]}")
    return NAMED_S + 10.0 if took is None else took
