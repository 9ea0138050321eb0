"""Run one claimed run's handler; always an Outcome, never an exception.

An Execution is driven by events on one loop (start, end of the code, deadline, a request to stop); it has no task of
its own, so that an async handler costs one task and nothing else. Timers are real time, whatever the clock is.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final, Literal

from rota.clock import Clock
from rota.engine.arguments import Parameters
from rota.engine.bodies import Body, ChildBody, Raw, TaskBody, ThreadBody
from rota.engine.context import Context, Holder, Sink, output_for
from rota.engine.isolate import Isolated
from rota.engine.loops import HandlerLoops
from rota.engine.outcome import Limits, failure, succeeded
from rota.engine.registry import Job
from rota.model.policy import length
from rota.model.run import Cancelled, Claimed, Failed, Interrupted, Outcome, Succeeded, TimedOut, UnknownJob
from rota.targets.fill import Values
from rota.targets.http import Http
from rota.targets.output import Output
from rota.targets.process import Process
from rota.targets.shell import execute

Why = Literal["cancel", "replace", "shutdown", "fenced"]

_MESSAGES: Final[dict[Why, str]] = {
    "cancel": "cancelled on request",
    "replace": "replaced by a newer run",
    "shutdown": "interrupted by shutdown",
    "fenced": "interrupted: the node was fenced",
}
_DEFAULT_LIMITS: Final = Limits()
_SUCCEEDED: Final = Succeeded()


class Execution:
    """One attempt of one run in this process.

    `start` or `run`, once, on the worker's loop. `job` None means that no handler of that name is known here. `secret`
    signs HTTP jobs that have none of their own. `loops` are where async handlers run (None: on the worker's loop).
    """

    __slots__ = (
        "_body", "_clock", "_done", "_holder", "_isolated", "_job", "_limits", "_lines", "_loop", "_loops", "_secret", "_sink",
        "_timed_out", "_timeout", "_timer", "_when_stopped", "_why", "claimed", "outcome", "stopped",
    )  # fmt: skip

    def __init__(
        self,
        job: Job | None,
        run: Claimed,
        sink: Sink,
        *,
        clock: Clock,
        secret: bytes | None = None,
        limits: Limits = _DEFAULT_LIMITS,
        loops: HandlerLoops | None = None,
    ) -> None:
        self.claimed = run
        self.outcome: Outcome | None = None
        self.stopped = False
        self._job = job
        self._sink = sink
        self._clock = clock
        self._secret = secret
        self._limits = limits
        self._loops = loops
        self._body: Body | None = None
        self._holder: Holder | None = None
        self._isolated: Isolated | None = None
        self._lines: Output | None = None
        self._why: Why | None = None
        self._timed_out = False
        self._timeout: timedelta | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._done: Callable[[Outcome], None] | None = None
        self._when_stopped: list[Callable[[Execution], None]] = []

    # --- for the worker ---

    async def run(self) -> Outcome:
        """Start, and return the outcome. Never raises.

        Being cancelled from outside asks the code to stop, as a shutdown does; a second time, it is left alone and the
        run counts as interrupted.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Outcome] = loop.create_future()

        def deliver(outcome: Outcome) -> None:
            if not future.done():
                future.set_result(outcome)

        self.start(deliver)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            self.cancel("shutdown")
        try:
            async with asyncio.timeout(self._limits.stop_wait.total_seconds()):
                return await asyncio.shield(future)
        except (asyncio.CancelledError, TimeoutError):
            return Interrupted(_MESSAGES["shutdown"])

    def start(self, done: Callable[[Outcome], None]) -> None:
        """Begin; `done` gets the outcome exactly once, on this loop, perhaps before `start` returns. Never raises."""
        self._loop = asyncio.get_running_loop()
        self._done = done
        if self._why is not None:
            self._end(Failed("stop", _MESSAGES[self._why]), yielded=True)
            return
        if self._job is None:
            self.stopped = True
            self._finish(UnknownJob(self.claimed.job))
            return
        try:
            timeout = self.claimed.policies.get("timeout")
            self._timeout = None if timeout is None else length(timeout, "timeout")
            self._body = self._make_body(self._job)
            if self._timeout is not None:
                self._timer = self._loop.call_later(self._timeout.total_seconds(), self._on_deadline)
            self._body.start()
        except Exception as error:  # noqa: BLE001 - arguments that no longer fit, no thread to be had: this run's outcome
            self._end(failure(error, self._limits), yielded=False)

    def cancel(self, why: Why) -> None:
        """Ask the code to stop; returns at once, may be called from any thread and again.

        The first reason counts, but for `fenced`, which goes before all. Not started yet: it will not be.
        """
        loop = self._loop
        if loop is None or _runs_here(loop):
            self._ask(why)
        elif not loop.is_closed():
            loop.call_soon_threadsafe(self._ask, why)

    def when_stopped(self, call: Callable[[Execution], None]) -> None:
        """Have `call` called once the code has really ended, at once if it has: the slot is free again."""
        if self.stopped:
            call(self)
        else:
            self._when_stopped.append(call)

    # --- what happens ---

    def _ask(self, why: Why) -> None:
        if self.stopped:
            return
        if self._why is None or why == "fenced":
            self._why = why
        self._stop()

    def _stop(self) -> None:
        if self._holder is not None:
            self._holder.request_stop()
        if self._body is not None:
            self._body.stop()

    def _on_deadline(self) -> None:
        """The time is up: stop the code, and give up on it `stop_wait` later."""
        self._timed_out = self._why is None
        if self._loop is not None:
            self._timer = self._loop.call_later(self._limits.stop_wait.total_seconds(), self._on_stuck)
        self._stop()

    def _on_stuck(self) -> None:
        self._finish(TimedOut(self._timeout or timedelta(0), stopped=False))

    def _end(self, raw: Raw, yielded: bool) -> None:
        """The code has ended, with `raw`; `yielded` if that was because of a request to stop."""
        self.stopped = True
        if self._timer is not None:
            self._timer.cancel()
        self._finish(self._judge(raw, yielded))
        self._body = None  # they know each other: without this only the collector would free them
        waiting, self._when_stopped = self._when_stopped, []
        for call in waiting:
            call(self)

    def _judge(self, raw: Raw, yielded: bool) -> Outcome:
        """What stands: a value that was returned, unless the deadline had passed; else the reason of the stop.

        Code that was asked to stop, knew it, and then returned nothing or raised has stopped because of it.
        """
        if self._timed_out and self._why != "fenced":
            return TimedOut(self._timeout or timedelta(0))
        ran_through = raw.result is not None if isinstance(raw, Succeeded) else raw.give_up
        if self._why is None or not yielded or ran_through:
            return self._with_wake(raw)
        if self._why in ("cancel", "replace"):
            return Cancelled(_MESSAGES[self._why])
        return Interrupted(_MESSAGES[self._why])

    def _with_wake(self, raw: Raw) -> Raw:
        source = self._holder or self._isolated
        wake_at = source.wake_at if source is not None else None
        return raw if wake_at is None else replace(raw, wake_at=wake_at)

    def _finish(self, outcome: Outcome) -> None:
        if self.outcome is None:
            self.outcome = outcome
            done, self._done = self._done, None  # it knows this object, too
            if done is not None:
                done(outcome)

    # --- bodies ---

    def _shown(self) -> str:
        """How a warning names what runs here."""
        return f"{self.claimed.job} (run {self.claimed.id})"

    def _make_body(self, job: Job) -> Body:
        if job.handler is not None:
            return self._isolated_body(job) if job.isolated else self._python_body(job, job.handler)
        spec = job.spec
        if isinstance(spec, Http):
            return TaskBody(lambda: self._send(spec), _same, self._end, self._limits, None, self._shown)
        if spec is None:
            raise ValueError(f"job {job.name} has neither a handler nor a target")
        process, output, values = Process(self._limits.grace), self._output(), Values.of(self.claimed)
        return ChildBody(lambda: execute(spec, values, process, output), self._end, self._limits, process, None)

    async def _send(self, spec: Http) -> Raw:
        from rota.targets.send import send

        target = replace(spec, allow_private=True) if self._limits.allow_private else spec
        return await send(target, Values.of(self.claimed), self._clock.now(), key=self._secret)

    def _isolated_body(self, job: Job) -> Body:
        handler = job.handler
        if handler is None:
            raise ValueError(f"job {job.name} has no handler")
        isolated = self._isolated = Isolated(handler, self.claimed, self._sink, self._output(), self._limits)
        deadline = self._deadline()
        return ChildBody(
            lambda: isolated.run(deadline), self._end, self._limits, isolated.process, lambda: isolated.stopped
        )

    def _python_body(self, job: Job, handler: Callable[..., Any]) -> Body:
        parameters = job.parameters or Parameters()
        context = None
        if parameters.context is not None or not job.is_async:
            context = Context(self.claimed, self._sink, self._output(), clock=self._clock, deadline=self._deadline())
            self._holder = Holder(context)
        positional, named = parameters.bind(self.claimed.args, context, job.name)
        if self._holder is None or job.is_async:
            call = functools.partial(handler, *positional, **named) if positional or named else handler
            return TaskBody(call, self._returned, self._end, self._limits, self._loops, self._shown)
        name = f"rota-run-{self.claimed.id}"
        return ThreadBody(
            lambda: self._returned(handler(*positional, **named)), self._end, self._limits, self._holder, name
        )

    def _returned(self, value: object) -> Succeeded:
        return _SUCCEEDED if value is None else succeeded(value, self._output(), self._limits)

    def _output(self) -> Output:
        """The one bounded way into the run's log."""
        if self._lines is None:
            self._lines = output_for(self.claimed, self._sink, self._limits.output_bytes)
        return self._lines

    def _deadline(self) -> datetime | None:
        return None if self._timeout is None else self._clock.now() + self._timeout


def _same(raw: Raw) -> Raw:
    return raw


def _runs_here(loop: asyncio.AbstractEventLoop) -> bool:
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False
