"""The four ways in which code runs: a task, a thread, a child process with a program, a child with a Python function.

A body is started once and asked to stop as often as one likes; it reports its end exactly once, on the loop it was
started on: what the code did, and whether it ended because it was asked to.
"""

from __future__ import annotations

import asyncio
import contextvars
import os
import threading
import types
from collections.abc import Awaitable, Callable, Generator
from types import CoroutineType
from typing import Any, Protocol

from rota.engine.context import Holder
from rota.engine.loops import Ends, HandlerLoops, post
from rota.engine.outcome import Limits, failure
from rota.model.run import Failed, Succeeded
from rota.targets.process import Process

Raw = Succeeded | Failed
Report = Callable[[Raw, bool], None]
"""(what the code did, whether it ended because of `stop`)."""


class Body(Protocol):
    """Running code."""

    def start(self) -> None:
        """Begin; on the loop that is told the end."""

    def stop(self) -> None:
        """Ask it to end; on the same loop."""


def _leave_if_forked(pid: int) -> None:
    """End a copy of this process in which a handler's own fork has come back: a worker there must never go on."""
    if os.getpid() != pid:
        os._exit(0)


class TaskBody:
    """A coroutine of `call()`, performed in a task of the loop that `loops` chooses (None: in one of the present loop).

    `returned` makes the outcome of what the coroutine returned; it may raise.
    """

    __slots__ = (
        "_asked",
        "_call",
        "_ends",
        "_limits",
        "_loops",
        "_over",
        "_report",
        "_returned",
        "_shown",
        "_task",
        "_yielded",
    )

    def __init__(
        self,
        call: Callable[[], Awaitable[Any]],
        returned: Callable[[Any], Raw],
        report: Report,
        limits: Limits,
        loops: HandlerLoops | None,
        shown: Callable[[], str],
    ) -> None:
        self._call = call
        self._returned = returned
        self._report = report
        self._limits = limits
        self._loops = loops
        self._shown = shown
        self._ends: Ends | None = None
        self._task: asyncio.Task[Any] | None = None
        self._asked = False
        self._yielded = False
        self._over = False

    def start(self) -> None:
        """Have it performed, here or where `loops` says."""
        if self._loops is None:
            task = self._task = asyncio.get_running_loop().create_task(self._alone(), name=self._shown())
            task.add_done_callback(self._never_began)
        else:
            self._ends = self._loops.ends()
            self._loops.submit(self)

    async def _alone(self) -> None:
        await self.perform(_nothing, asyncio.current_task())

    def _never_began(self, _task: asyncio.Task[None]) -> None:
        """Cancelled before its first step."""
        if not self._over:
            self._end(failure(asyncio.CancelledError(), self._limits))

    def stop(self) -> None:
        """Cancel the task, in its own loop; one that has not begun will not."""
        self._asked = True
        task = self._task
        if task is None:
            return
        if self._ends is None:
            self._cancel(task)
        else:
            post(task.get_loop(), self._cancel, task)

    def _cancel(self, task: asyncio.Task[Any]) -> None:
        """The task may be in other hands by now, if the code has ended by itself. False from `cancel`: it is at its end."""
        if not self._over:
            self._yielded = task.cancel() or self._yielded

    def name(self) -> str:
        """What it is called in a warning."""
        return self._shown()

    async def perform(self, suspended: Callable[[], None], task: asyncio.Task[Any] | None) -> bool:
        """Carry it out in the present task, `task`; whether that is as good as new (`loops.Startable`).

        Contains whatever the code raises: a loop that sees SystemExit or KeyboardInterrupt in a task ends.
        """
        self._task = task
        if self._asked:  # looked at after `_task` was set, and set before it is looked at: a stop is never missed
            self._yielded = True
            self._end(failure(asyncio.CancelledError(), self._limits))
            return True
        pid, unused = os.getpid(), True
        try:
            code = self._call()
            if isinstance(code, CoroutineType):
                # By hand up to where it first waits: most that is done quickly never does, and leaves the task unused.
                try:
                    waits = code.send(None)
                except StopIteration as end:
                    value = end.value
                else:
                    unused = self._keeps(task, suspended)
                    value = await _rest(code, waits)
            else:
                unused = self._keeps(task, suspended)
                value = await code
            raw = self._returned(value)
        except GeneratorExit:
            raise
        except BaseException as error:  # noqa: BLE001 - an outcome, whatever it is
            raw = failure(error, self._limits)
        finally:
            _leave_if_forked(pid)
        self._end(raw)
        return unused and task is not None and not task.cancelling()

    def _keeps(self, task: asyncio.Task[Any] | None, suspended: Callable[[], None]) -> bool:
        """The code waits, so the task is its own from now on."""
        if task is not None:
            task.set_name(self._shown())
        suspended()
        return False

    def _end(self, raw: Raw) -> None:
        self._over = True
        if self._ends is None:
            self._report(raw, self._yielded)
        else:
            self._ends.call(self._report, raw, self._yielded)


def _nothing() -> None:
    """Nobody waits for the task."""


@types.coroutine
def _rest(code: CoroutineType[Any, Any, Any], waits: Any) -> Generator[Any, Any, Any]:
    """What is left of a coroutine that has been driven to where it waits for `waits`; its value."""
    while True:
        try:
            yield waits
        except GeneratorExit:
            code.close()
            raise
        except BaseException as error:  # noqa: BLE001 - it is the code's, as from any await
            try:
                waits = code.throw(error)
            except StopIteration as end:
                return end.value
        else:
            try:
                waits = code.send(None)
            except StopIteration as end:
                return end.value


class ThreadBody:
    """A synchronous function in a daemon thread of its own, so that one that hangs holds up nothing else."""

    def __init__(self, call: Callable[[], Raw], report: Report, limits: Limits, holder: Holder, name: str) -> None:
        self._call = call
        self._report = report
        self._limits = limits
        self._holder = holder
        self._name = name

    def start(self) -> None:
        """Start the thread, in a copy of the present context."""
        home, context = asyncio.get_running_loop(), contextvars.copy_context()
        threading.Thread(target=context.run, args=(self._run, home), name=self._name, daemon=True).start()

    def stop(self) -> None:
        """Make `ctx.cancelled` true: a thread cannot be stopped, it can only be asked."""
        self._holder.request_stop()

    def _run(self, home: asyncio.AbstractEventLoop) -> None:
        pid = os.getpid()
        try:
            raw = self._call()
        except BaseException as error:  # noqa: BLE001 - an outcome, whatever it is
            raw = failure(error, self._limits)
        _leave_if_forked(pid)
        post(home, self._report, raw, self._holder.saw_stop)


class ChildBody:
    """A child process, looked after by a thread.

    `call` runs it to its end, `stopped` then tells whether that was because of `stop` (None: ask the process).
    """

    def __init__(
        self,
        call: Callable[[], Raw],
        report: Report,
        limits: Limits,
        process: Process,
        stopped: Callable[[], bool] | None,
    ) -> None:
        self._call = call
        self._report = report
        self._limits = limits
        self._process = process
        self._stopped = stopped or (lambda: process.signalled)

    def start(self) -> None:
        """Start the thread that starts the child."""
        home = asyncio.get_running_loop()
        threading.Thread(target=self._run, args=(home,), name="rota-child", daemon=True).start()

    def stop(self) -> None:
        """SIGTERM to the group, SIGKILL after the grace."""
        self._process.stop()

    def _run(self, home: asyncio.AbstractEventLoop) -> None:
        try:
            raw = self._call()
        except BaseException as error:  # noqa: BLE001 - whatever went wrong here ends this run, and no other
            raw = failure(error, self._limits)
        post(home, self._report, raw, self._stopped())
