"""What a test may not leave behind: threads, child processes, event loops and tasks."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

from tests.support.postgres import until

GRACE_S = 2.0
# multiprocessing keeps these for the life of the process that first used it.
PERMANENT = (b"multiprocessing.resource_tracker", b"multiprocessing.forkserver")

_loops: weakref.WeakSet[asyncio.AbstractEventLoop] = weakref.WeakSet()


def watch_loops() -> None:
    """From now on remember every event loop that is made."""
    original: Callable[..., None] = asyncio.base_events.BaseEventLoop.__init__

    @wraps(original)
    def remembering(self: asyncio.BaseEventLoop, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        _loops.add(self)

    setattr(asyncio.base_events.BaseEventLoop, "__init__", remembering)  # noqa: B010 - mypy forbids the plain form


def open_loops() -> list[str]:
    """Loops that are not closed, with the tasks that still wait in them."""
    loops = [loop for loop in _loops if not loop.is_closed()]
    return [f"event loop {loop!r}, tasks {[*asyncio.all_tasks(loop)]}" for loop in loops]


def threads() -> set[threading.Thread]:
    """The living threads that would keep the process from ending."""
    return {thread for thread in threading.enumerate() if not thread.daemon}


def children() -> set[int]:
    """The ids of this process's children, as the kernel lists them; empty where it does not."""
    lists = [read(path) for path in Path("/proc/self/task").glob("*/children")]
    return {int(pid) for text in lists for pid in text.split()}


def read(path: Path) -> bytes:
    """A file of /proc, which may vanish meanwhile."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def permanent(pid: int) -> bool:
    """True for the helpers that Python itself keeps."""
    command = read(Path(f"/proc/{pid}/cmdline")).replace(b"\0", b" ")
    return any(name in command for name in PERMANENT)


class Leaks:
    """Remembers what there is before a test, and says afterwards what came and stayed."""

    def __init__(self) -> None:
        self.threads = threads()
        self.children = children()

    def found(self) -> list[str]:
        """One line for each thing left. What is just ending gets two seconds."""
        until(lambda: not self.now(), GRACE_S)
        return self.now()

    def now(self) -> list[str]:
        """One line for each thing that is there and was not before."""
        new_threads = [f"thread {thread.name!r}" for thread in threads() - self.threads]
        new_children = [
            f"child process {pid}: {read(Path(f'/proc/{pid}/cmdline')).decode(errors='replace')!r}"
            for pid in children() - self.children
            if not permanent(pid)
        ]
        return [*new_threads, *new_children, *open_loops()]
