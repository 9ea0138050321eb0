"""Event loops for async handlers, in threads of their own: a handler that blocks its loop holds up nobody else.

All async handlers share the first loop as long as it answers. A start that it does not take within `patience` is taken
by the next one, which is made when it is first needed; once the first answers again, it is the one again.

A thread costs more than a handler that does little, so nothing here is done once per handler that can be done once per
batch: starts and ends wait in queues that one call into the other thread empties, and handlers that never suspend share
a task (`_Loop._serve`).
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import threading
from collections import deque
from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final, Protocol

log = logging.getLogger("rota.worker")

PATIENCE: Final = timedelta(seconds=0.5)
MOST: Final = 8
_BURST_S: Final = 0.005
"""How long handlers are started one after the other before what else waits on the loop has its turn."""


class Startable(Protocol):
    """A handler that waits for a loop."""

    async def perform(self, suspended: Callable[[], None], task: asyncio.Task[Any] | None) -> bool:
        """Carry it out in the present task, which is `task`. Calls `suspended` when it first waits for something.

        False where the task may not be used again: the handler has suspended, or the task was cancelled. Never raises
        but GeneratorExit.
        """
        ...

    def name(self) -> str:
        """What it is called in a warning."""
        ...


class Ends:
    """The way back: calls to be made on the loop where this was made, many with one wake-up."""

    def __init__(self) -> None:
        self.home = asyncio.get_running_loop()
        self._calls: deque[tuple[Callable[..., object], tuple[Any, ...]]] = deque()
        self._poked = False

    def call(self, function: Callable[..., object], *args: Any) -> None:
        """Have `function` called at home, from any thread; nobody listens any more where that loop is closed."""
        self._calls.append((function, args))
        if not self._poked:
            self._poked = True
            post(self.home, self._empty)

    def _empty(self) -> None:
        # Cleared before the look: what is appended after it pokes anew, so nothing is left behind.
        self._poked = False
        calls = self._calls
        while calls:
            function, args = calls.popleft()
            function(*args)


def post(loop: asyncio.AbstractEventLoop, call: Callable[..., object], *args: object) -> None:
    """Have `call` called by a loop of another thread; nobody listens any more where that loop is closed."""
    try:
        loop.call_soon_threadsafe(call, *args)
    except RuntimeError:
        if not loop.is_closed():
            raise


class HandlerLoops:
    """Loops to start handlers on. `submit` is called on the worker's loop; `close` once nothing runs any more."""

    def __init__(self, patience: timedelta = PATIENCE, most: int = MOST) -> None:
        self._patience_s = patience.total_seconds()
        self._most = most
        self._starts: deque[Startable] = deque()
        self._loops: list[_Loop] = []
        self._watch: asyncio.TimerHandle | None = None
        self._ends: Ends | None = None

    def submit(self, start: Startable) -> None:
        """Have `start` performed once, in the thread of a loop that answers."""
        self._starts.append(start)
        for number in range(self._most):
            if number == len(self._loops):
                self._loops.append(_Loop(self._starts, number))
            if self._loops[number].poke():
                break
        if self._watch is None:
            self._watch = asyncio.get_running_loop().call_later(self._patience_s, self._look)

    def ends(self) -> Ends:
        """The way back to the present loop."""
        if self._ends is None or self._ends.home is not asyncio.get_running_loop():
            self._ends = Ends()
        return self._ends

    def _look(self) -> None:
        """Starts are still waiting: the loop that was poked does not answer, so the next is asked."""
        self._watch = None
        try:
            start = self._starts.popleft()
        except IndexError:
            return
        for loop in self._loops:
            loop.doubt()
        self.submit(start)

    def blocked(self) -> list[str]:
        """What keeps a loop from answering since the last time this was asked, each told once; for the worker's log."""
        return [name for loop in self._loops if (name := loop.blocked()) is not None]

    def close(self, timeout: timedelta = timedelta(seconds=1)) -> bool:
        """Stop all loops; False where one did not stop in time (its thread is a daemon and ends with the process)."""
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None
        stopped = [loop.close(timeout) for loop in self._loops]
        self._loops = []
        return all(stopped)


class _Loop:
    """One loop in one thread. `poke`, `doubt` and `blocked` are called in the worker's thread.

    `_poked` promises that this loop will look at `starts` again: whoever sees it true after an append need not wake it.
    """

    def __init__(self, starts: deque[Startable], number: int) -> None:
        self._starts = starts
        self._poked = False
        self._doubted = False
        self._asked = False
        self._told = False
        self._performing: dict[asyncio.Task[Any] | None, Startable] = {}
        self._context = contextvars.copy_context()
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name=f"rota-handlers-{number}", daemon=True)
        self._thread.start()

    def poke(self) -> bool:
        """Ask the loop to take what waits; False where it is known not to answer."""
        if not self._poked:
            self._poked = True
            self.loop.call_soon_threadsafe(self._answer, context=self._context)
        return not self._doubted

    def doubt(self) -> None:
        """A poke that has had no answer by now means that the loop is blocked."""
        self._doubted = self._poked

    def blocked(self) -> str | None:
        """The name of what has kept the loop from answering since the last call; None where it answers."""
        if self._asked:
            task = None if self._told else asyncio.current_task(self.loop)
            self._told = self._told or task is not None
            start = self._performing.get(task)
            if start is not None:
                return start.name()
            return None if task is None else task.get_name()
        self._asked, self._told = True, False
        self.loop.call_soon_threadsafe(self._alive)
        return None

    def _alive(self) -> None:
        self._asked = False

    def _answer(self) -> None:
        self._poked = False
        self._doubted = False
        if self._starts:
            task = self.loop.create_task(self._serve())
            task.add_done_callback(self._served)

    def _served(self, task: asyncio.Task[None]) -> None:
        self._performing.pop(task, None)

    async def _serve(self) -> None:
        """Perform what waits, one after the other, as long as nothing shows that this task has been used.

        A handler that suspends keeps the task for itself, and another one takes the rest: tasks, cancellation and
        `current_task` are each handler's own wherever it could notice. One that leaves a context variable behind ends
        the task, too. One at a time: a handler that blocks at once does not keep the rest from being taken elsewhere.
        """
        task = asyncio.current_task()
        until = self.loop.time() + _BURST_S
        while True:
            # Cleared before the look: what is appended after it pokes anew, so nothing is left behind.
            self._poked = False
            try:
                start = self._starts.popleft()
            except IndexError:
                return
            self._poked = True
            self._doubted = False
            self._performing[task] = start
            unused = await start.perform(self._go_on, task) and contextvars.copy_context() == self._context
            if not unused or self.loop.time() > until:
                self._go_on()
                return

    def _go_on(self) -> None:
        """Have another task take what waits: this one is in use."""
        self._poked = False
        if self._starts:
            self._poked = True
            self.loop.call_soon(self._answer, context=self._context)

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        try:
            while not self._ran():
                pass
            self.loop.run_until_complete(_cancel_all())
            self.loop.run_until_complete(self.loop.shutdown_asyncgens())
        finally:
            self.loop.close()

    def _ran(self) -> bool:
        """Run until stopped: True. A task of a handler's own that raises SystemExit ends the loop's turn alone: False."""
        try:
            self.loop.run_forever()
        except (SystemExit, KeyboardInterrupt):
            log.warning("handler.exits", exc_info=True)
            return False
        return True

    def close(self, timeout: timedelta) -> bool:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(timeout.total_seconds())
        return not self._thread.is_alive()


async def _cancel_all() -> None:
    """Cancel what still runs and give it a second to end."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks, timeout=1)
