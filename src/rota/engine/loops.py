"""Event loops for async handlers, in threads of their own: a handler that blocks its loop holds up nobody else.

All async handlers share the first loop as long as it answers. A start that it does not take within `patience` is taken
by the next one, which is made when it is first needed; once the first answers again, it is the one again.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from datetime import timedelta
from typing import Final

PATIENCE: Final = timedelta(seconds=0.5)
MOST: Final = 8

Start = Callable[[asyncio.AbstractEventLoop], None]


class HandlerLoops:
    """Loops to start handlers on. `submit` is called on the worker's loop; `close` once nothing runs any more."""

    def __init__(self, patience: timedelta = PATIENCE, most: int = MOST) -> None:
        self._patience_s = patience.total_seconds()
        self._most = most
        self._starts: deque[Start] = deque()
        self._loops: list[_Loop] = []
        self._watch: asyncio.TimerHandle | None = None

    def submit(self, start: Start) -> None:
        """Have `start(loop)` called once, in the thread of a loop that answers."""
        self._starts.append(start)
        for number in range(self._most):
            if number == len(self._loops):
                self._loops.append(_Loop(self._take, number))
            if self._loops[number].poke():
                break
        if self._watch is None:
            self._watch = asyncio.get_running_loop().call_later(self._patience_s, self._look)

    def _look(self) -> None:
        """Starts are still waiting: the loop that was poked does not answer, so the next is asked."""
        self._watch = None
        if not self._starts:
            return
        for loop in self._loops:
            loop.doubt()
        self.submit(self._starts.popleft())

    def _take(self, loop: asyncio.AbstractEventLoop) -> bool:
        """Start one; whether there may be more."""
        try:
            start = self._starts.popleft()
        except IndexError:
            return False
        start(loop)
        return True

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
    """One loop in one thread. `poke`, `doubt` and `blocked` are called in the worker's thread."""

    def __init__(self, take: Callable[[asyncio.AbstractEventLoop], bool], number: int) -> None:
        self._take = take
        self._poked = False
        self._doubted = False
        self._asked = False
        self._told = False
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name=f"rota-handlers-{number}", daemon=True)
        self._thread.start()

    def poke(self) -> bool:
        """Ask the loop to take what waits; False where it is known not to answer."""
        if not self._poked:
            self._poked = True
            self.loop.call_soon_threadsafe(self._answer)
        return not self._doubted

    def doubt(self) -> None:
        """A poke that has had no answer by now means that the loop is blocked."""
        self._doubted = self._poked

    def blocked(self) -> str | None:
        """The name of the task that has kept the loop from answering since the last call; None where it answers."""
        if self._asked:
            task = None if self._told else asyncio.current_task(self.loop)
            self._told = self._told or task is not None
            return None if task is None else task.get_name()
        self._asked, self._told = True, False
        self.loop.call_soon_threadsafe(self._alive)
        return None

    def _alive(self) -> None:
        self._asked = False

    def _answer(self) -> None:
        # Cleared before the taking: a start that is appended after it pokes anew, so none is left behind.
        self._poked = False
        self._doubted = False
        # One at a time: the handler's first step comes before the next is taken, so that one that blocks at once
        # does not keep the others from being taken elsewhere.
        if self._take(self.loop) and not self._poked:
            self._poked = True
            self.loop.call_soon(self._answer)

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        try:
            self.loop.run_forever()
            self.loop.run_until_complete(_cancel_all())
            self.loop.run_until_complete(self.loop.shutdown_asyncgens())
        finally:
            self.loop.close()

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
