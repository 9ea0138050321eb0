"""The same handles, awaitable: each call is the synchronous one, carried out in a thread."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from rota.errors import TimedOut
from rota.model.policy import length

if TYPE_CHECKING:
    from rota.app.records import Run
    from rota.app.rota import Rota

_SLICE: Final = 0.5
"""Seconds that one waiting thread waits at most, so that a cancelled await leaves none behind for longer."""


class AsyncHandle:
    """A handle whose methods are awaited; those that answer with an iterator answer with an asynchronous one."""

    def __init__(self, target: Any) -> None:
        self._target = target

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._target, name)
        if inspect.isgeneratorfunction(method):
            return functools.partial(_iterate, method)
        if not inspect.ismethod(method):
            raise AttributeError(name)
        return functools.partial(asyncio.to_thread, method)


class AsyncRuns(AsyncHandle):
    """`rota.runs`, awaitable."""

    async def wait(self, run_id: int, timeout: timedelta | str | float | None = None) -> Run:  # noqa: ASYNC109 - the contract's name
        """The run once it is final. Raises TimedOut."""
        left = None if timeout is None else length(timeout, "timeout").total_seconds()
        while True:
            step = _SLICE if left is None else min(left, _SLICE)
            try:
                found: Run = await asyncio.to_thread(self._target.wait, run_id, step)
            except TimedOut as error:
                left = None if left is None else left - step
                if left is not None and left <= 0:
                    raise TimedOut(f"run {run_id} has not ended after {length(timeout or 0)}") from error
            else:
                return found


class AsyncRota:
    """An application's handles, awaitable."""

    def __init__(self, rota: Rota) -> None:
        self._rota = rota
        self.schedules = AsyncHandle(rota.schedules)
        self.runs = AsyncRuns(rota.runs)
        self.jobs = AsyncHandle(rota.jobs)
        self.lanes = AsyncHandle(rota.lanes)
        self.nodes = AsyncHandle(rota.nodes)
        self.events = AsyncHandle(rota.events)

    async def enqueue(self, *args: Any, **options: Any) -> Run:
        """`rota.enqueue`, awaitable."""
        return await asyncio.to_thread(self._rota.enqueue, *args, **options)

    async def close(self) -> None:
        """Close this process's connections and threads."""
        await asyncio.to_thread(self._rota.close)


async def _iterate(method: Callable[..., Iterator[Any]], *args: Any, **options: Any) -> AsyncIterator[Any]:
    found = await asyncio.to_thread(method, *args, **options)
    while True:
        item = await asyncio.to_thread(next, found, _END)
        if item is _END:
            return
        yield item


_END: Final = object()
