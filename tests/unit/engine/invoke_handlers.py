"""Handlers at the top level of a module, as users write them; some of them behave badly on purpose."""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

from rota.engine.context import Context, GiveUp, TryAgain

GO: dict[str, threading.Event] = {}
STARTED = threading.Event()


@dataclasses.dataclass
class Place:
    city: str
    zip: int


async def answers() -> int:
    await asyncio.sleep(0)  # noqa: TID251
    return 42


def adds(a: int, b: int = 2) -> int:
    return a + b


def typed(day: date, place: Place, tags: set[str], *, ctx: Context) -> dict[str, Any]:
    assert isinstance(day, date)
    assert isinstance(place, Place)
    assert isinstance(tags, set)
    return {"day": day.isoformat(), "city": place.city, "tags": sorted(tags), "attempt": ctx.attempt}


async def typed_async(ctx: Context, day: date) -> str:
    return f"{day:%d.%m.%Y} {ctx.invocation}"


def tells(ctx: Context) -> dict[str, Any]:
    ctx.log("plain\nof two lines")
    ctx.log.warning("formatted %s", 1)
    ctx.progress(1, 4)
    ctx.save("report.bin", b"\x00\xff")
    ctx.wake_at(timedelta(hours=1))
    return {
        "invocation": ctx.invocation,
        "run_id": ctx.run_id,
        "key": ctx.key,
        "schedule": ctx.schedule,
        "scheduled_for": str(ctx.scheduled_for),
        "since": ctx.since,
        "covers": [str(ctx.covers.start), str(ctx.covers.end), ctx.covers.count],
        "cause": ctx.cause,
        "token": ctx.token,
        "deadline": ctx.deadline is not None,
        "cancelled": ctx.cancelled,
        "pid": os.getpid(),
    }


def unicode_prints() -> None:
    print("smörgås 日本 🚲")
    print("trouble\x00\ud800", file=sys.stderr)


def raises() -> None:
    raise ValueError("bad \x00 value \ud800")


async def raises_async() -> None:
    raise OSError(2, "no such thing")


def exits() -> None:
    sys.exit(3)


async def exits_async() -> None:
    raise SystemExit(3)


async def interrupts_async() -> None:
    raise KeyboardInterrupt


def tries_again() -> None:
    raise TryAgain("10m")


def gives_up() -> None:
    raise GiveUp("no such customer")


class UnreadableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def raises_unreadable() -> None:
    raise UnreadableError


def recurses() -> None:
    recurses()


def returns_object() -> object:
    return object()


def returns_nan() -> float:
    return float("nan")


def returns_100_mb() -> str:
    return "x" * 100_000_000


def returns_poison() -> dict[str, str]:
    return {"a\x00": "b\ud800c"}


async def sleeps_for_ever() -> None:
    await asyncio.Event().wait()


async def ignores_cancel() -> str:
    for _ in range(2):
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            continue
    return "stubborn"


async def stays(name: str) -> None:
    """Ignores every cancel until the test lets it go."""
    while not GO[name].is_set():
        try:
            await asyncio.wait_for(asyncio.Event().wait(), 0.02)
        except (asyncio.CancelledError, TimeoutError):
            continue


async def finishes_anyway() -> str:
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        return "done all the same"
    return ""


def waits_for(name: str) -> str:
    GO[name].wait(30)
    return "late"


def cooperates(ctx: Context) -> None:
    ctx.log("waiting")
    assert ctx.wait_cancelled(30)


async def blocks_loop(name: str) -> str:
    STARTED.set()
    GO[name].wait(30)
    return "blocked"


def forks_and_returns() -> str:
    """The copy comes back from the handler, too."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
    return "parent" if child else "child"


def leaves_grandchild(ctx: Context) -> int:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    ctx.log(f"grandchild {child.pid}")
    return child.pid


def spins() -> None:
    while True:
        pass


def ignores_sigterm(ctx: Context) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    ctx.log(f"ignoring {os.getpid()}")
    while True:
        time.sleep(1)  # noqa: TID251


def cleans_up(ctx: Context) -> None:
    try:
        ctx.log("started")
        while True:
            time.sleep(1)  # noqa: TID251
    finally:
        ctx.log("cleaned up")


async def cleans_up_async(ctx: Context) -> None:
    try:
        ctx.log("started")
        await asyncio.Event().wait()
    finally:
        ctx.log("cleaned up")


def dies() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def leaves() -> None:
    os._exit(0)


def fills_log(ctx: Context) -> None:
    for number in range(100_000):
        ctx.log(f"line {number} " + "x" * 100)


def wrapped(function: Callable[[], int]) -> Callable[[], int]:
    @functools.wraps(function)
    def inner() -> int:
        return function() + 1

    return inner


@wrapped
def decorated() -> int:
    return 1


def forgets_to_await() -> Any:
    return answers()


def refuses_transactions(ctx: Context) -> None:
    _ = ctx.connection


async def exits_in_a_task_of_its_own() -> int:
    async def leaves() -> None:
        sys.exit(3)

    task = asyncio.create_task(leaves())
    await asyncio.wait([task])
    return 7
