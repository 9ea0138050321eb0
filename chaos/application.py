"""The application that is attacked: many one-second schedules whose handlers write down that they ran.

Run as `rota scheduler chaos.application:rota`, and as worker and up. What it is like stands in the environment:
CHAOS_SCHEDULES (a number), CHAOS_POLICIES (JSON), CHAOS_RECORD (the handlers' record), CHAOS_PARENT (whose death ends it).
"""

from __future__ import annotations

import asyncio
import ctypes
import json
import os
import signal
import threading
from typing import Final

from rota import Context, Rota

_PR_SET_PDEATHSIG: Final = 1


def _die_with(parent: int) -> None:
    """No process is left behind, however the attack itself ends."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


if "CHAOS_PARENT" in os.environ:
    _die_with(int(os.environ["CHAOS_PARENT"]))

rota = Rota(origin="chaos")
_RECORD: Final = os.open(os.environ["CHAOS_RECORD"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)


def _said(what: str, ctx: Context) -> None:
    """One line in one write: whole lines, also where the process is killed right after it."""
    os.write(_RECORD, f"{what} {ctx.run_id} {ctx.token} {os.getpid()}\n".encode())


def _length(ctx: Context) -> float:
    """50 to 300 ms, by the run."""
    return 0.05 + ctx.run_id % 251 / 1000


@rota.job
async def tick(ctx: Context) -> None:
    _said("start", ctx)
    _said("end", ctx)


@rota.job
async def doze(ctx: Context) -> None:
    _said("start", ctx)
    await asyncio.sleep(_length(ctx))  # noqa: TID251 - a handler that takes its time
    _said("end", ctx)


@rota.job
def step(ctx: Context) -> None:
    _said("start", ctx)
    _said("end", ctx)


@rota.job
def rest(ctx: Context) -> None:
    _said("start", ctx)
    threading.Event().wait(_length(ctx))
    _said("end", ctx)


JOBS: Final = ("tick", "tick", "tick", "tick", "step", "step", "step", "step", "doze", "rest")
WHENS: Final = ("* * * * * *", "every 1s")

for _number in range(int(os.environ["CHAOS_SCHEDULES"])):
    rota.declare(
        f"s{_number:04}",
        {"job": JOBS[_number % len(JOBS)], "when": WHENS[_number // len(JOBS) % len(WHENS)]}
        | json.loads(os.environ["CHAOS_POLICIES"]),
    )
