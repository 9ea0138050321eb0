"""The four ways in which code runs: a task, a thread, a child process with a program, a child with a Python function.

A body is started once and asked to stop as often as one likes; it reports its end exactly once, on the loop it was
started on: what the code did, and whether it ended because it was asked to.
"""

from __future__ import annotations

import asyncio
import contextvars
import os
import threading
from collections.abc import Awaitable, Callable
from typing import Protocol

from rota.engine.context import Holder
from rota.engine.outcome import Limits, failure
from rota.model.run import Failed, Succeeded
from rota.targets.process import Process

Raw = Succeeded | Failed
Report = Callable[[Raw, bool], None]
"""(what the code did, whether it ended because of `stop`)."""

Start = Callable[[asyncio.AbstractEventLoop], None]


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
    """A coroutine, as a task called `name` of the loop that `submit` chooses (None: the present one)."""

    def __init__(
        self,
        make: Callable[[], Awaitable[Raw]],
        report: Report,
        limits: Limits,
        submit: Callable[[Start], None] | None,
        name: str,
    ) -> None:
        self._make = make
        self._report = report
        self._limits = limits
        self._submit = submit
        self._name = name
        self._home: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Raw] | None = None
        self._asked = False
        self._yielded = False

    def start(self) -> None:
        """Make the task, here or where `submit` says."""
        self._home = asyncio.get_running_loop()
        if self._submit is None:
            self._begin(self._home)
        else:
            self._submit(self._begin)

    def stop(self) -> None:
        """Cancel the task, in its own loop; one that has not begun will be cancelled as it begins."""
        self._asked = True
        task = self._task
        if task is None:
            return
        loop = task.get_loop()
        if loop is self._home:
            self._cancel(task)
        else:
            _post(loop, self._cancel, task)

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        task = self._task = loop.create_task(self._main(), name=self._name)
        task.add_done_callback(self._done)
        if self._asked:
            self._cancel(task)

    def _cancel(self, task: asyncio.Task[Raw]) -> None:
        """False from `cancel` means that it had ended by itself."""
        self._yielded = task.cancel() or self._yielded

    async def _main(self) -> Raw:
        """Contain whatever the code raises: a loop that sees SystemExit or KeyboardInterrupt in a task ends."""
        pid = os.getpid()
        try:
            return await self._make()
        except GeneratorExit:
            raise
        except BaseException as error:  # noqa: BLE001 - an outcome, whatever it is
            return failure(error, self._limits)
        finally:
            _leave_if_forked(pid)

    def _done(self, task: asyncio.Task[Raw]) -> None:
        try:
            raw = task.result()
        except BaseException as error:  # noqa: BLE001 - cancelled before its first step
            raw = failure(error, self._limits)
        if task.get_loop() is self._home:
            self._report(raw, self._yielded)
        elif self._home is not None:
            _post(self._home, self._report, raw, self._yielded)


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
        _post(home, self._report, raw, self._holder.saw_stop)


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
        _post(home, self._report, raw, self._stopped())


def _post(loop: asyncio.AbstractEventLoop, call: Callable[..., object], *args: object) -> None:
    """Have `call` called by a loop of another thread; nobody listens any more where that loop is closed."""
    try:
        loop.call_soon_threadsafe(call, *args)
    except RuntimeError:
        if not loop.is_closed():
            raise
