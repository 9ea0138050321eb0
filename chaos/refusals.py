"""The database is there and takes no writes: it is read-only, or its disk is full."""

from __future__ import annotations

from typing import Any, Final

from chaos.away import blameless, current_after, lines_of, resumed
from chaos.fleet import until
from chaos.grounds import Ground
from chaos.plan import Plan
from chaos.watch import GRACE_S, Watch, live, look

RED_S: Final = 10.0
"""`/readyz` tells of it within this long, and of its end."""


def refused(ground: Ground, watch: Watch, plan: Plan) -> dict[str, Any]:
    """Shut the door for `away_s`, again and again; what `/readyz` said, when firing went on."""
    if ground.door is None:
        raise RuntimeError("this attack needs a door")
    red = green = first = current = 0.0
    lines, nodes = 0, watch.read(live)
    for _ in range(plan.outages):
        plan.pause(5.0)
        before = lines_of(watch)
        ground.door.shut()
        red = max(red, _says(watch, ready=False))
        plan.pause(plan.away_s)
        _says(watch, ready=False, within_s=0.0)
        lines = max([lines, *(after - before.get(name, 0) for name, after in lines_of(watch).items())])
        ground.door.open()
        back = watch.read(look).now
        first = max(first, resumed(watch, back))
        current = max(current, current_after(watch, back))
        green = max(green, _says(watch, ready=True))
        watch.faults += watch.fleet.fallen()
    blameless(watch, lines, nodes)
    return {
        "outages": plan.outages,
        "each of s": plan.away_s,
        "/readyz red after at most s": round(red, 1),
        "first firing after return s": round(first, 1),
        "all current after return s": round(current, 1),
        "/readyz green after at most s": round(green, 1),
        "most lines logged by one process in one outage": lines,
    }


def _says(watch: Watch, *, ready: bool, within_s: float = RED_S) -> float:
    """How long until every process says so at `/readyz`; a fault where that takes too long."""
    wanted = 200 if ready else 503

    def all_say() -> bool:
        return all(member.ready()[0] == wanted for member in watch.fleet.members)

    took = until(all_say, within_s)
    if took is None or took > within_s + GRACE_S:
        said = {member.name: member.ready() for member in watch.fleet.members}
        watch.faults.append(f"/readyz was to be {wanted} within {within_s:g} s: {said}")
    return within_s if took is None else took
