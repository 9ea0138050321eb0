"""The only place that sleeps. A hint may end a sleep early; what is true stands in the database alone."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable

from rota.store.database import Database
from rota.store.hints import ALL, CANCEL, EVENT, READY, SCHEDULE, PostgresHints, SqliteHints
from rota.store.line import Answer, Answered
from rota.store.lone import Question, Unanswered

__all__ = ["ALL", "CANCEL", "EVENT", "READY", "SCHEDULE", "Ear", "Wake", "nap"]


class Wake:
    """Wakes the loops of one process, and tells the other processes.

    `hint` may be called from any thread, after the commit it tells of. Outgoing hints are coalesced: what comes while
    one is being sent goes out with the next. `reflex` may answer a hint that a run is ready before any loop is woken.
    """

    def __init__(self, database: Database | None = None) -> None:
        self._events: dict[str, list[asyncio.Event]] = {kind: [] for kind in ALL}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._hints: PostgresHints | SqliteHints | None = None
        self.reflex: Callable[[], bool] | None = None
        if database is not None and database.sqlite:
            self._hints = SqliteHints(database.url, lambda kind: self.call(self._heard, kind))
        elif database is not None:
            self._hints = PostgresHints(database.url, self._heard)

    def start(self) -> None:
        """Begin to hear and to send; call it in the running loop."""
        self._loop = asyncio.get_running_loop()
        if self._hints is not None:
            self._hints.start()

    async def stop(self) -> None:
        """End both, and every sleep."""
        self._set(ALL)
        if self._hints is not None:
            await self._hints.stop()

    @property
    def listening(self) -> bool:
        """Whether hints of other processes are heard now."""
        return self._hints is not None and self._hints.listening

    def hint(self, *kinds: str) -> None:
        """Wake this process's loops and tell the others."""
        self.call(self._hinted, kinds)

    def call(self, function: Callable[..., None], *args: object) -> None:
        """Call a function in the loop's thread, from any thread; nothing where the loop has ended."""
        if self._loop is not None and not self._loop.is_closed():
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(function, *args)

    def ask(self, asked: Question, answered: Answered) -> bool:
        """Ask the database on the connection that hears, in the loop's thread; False where there is none for it."""
        return self._hints is not None and self._hints.ask(asked, answered)

    async def answer(self, asked: Question) -> bytes | None:
        """The answer to `ask`, awaited. Raises Unanswered, also where there is nobody to ask."""
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()

        def answered(answer: Answer) -> None:
            if not future.done():
                future.set_result(answer)

        if not self.ask(asked, answered):
            raise Unanswered
        answer = await future
        if isinstance(answer, Unanswered):
            raise answer
        return answer

    def told(self, *kinds: str) -> None:
        """Wake this process's loops, in its loop's thread: the others have been told."""
        for kind in kinds:
            self._heard(kind)

    def _hinted(self, kinds: tuple[str, ...]) -> None:
        self.told(*kinds)
        if self._hints is not None:
            self._hints.send(kinds)

    def _heard(self, payload: str) -> None:
        if payload == READY and self.reflex is not None and self.reflex():
            return
        self._set((payload,) if payload in ALL else ALL)

    def _set(self, kinds: Iterable[str]) -> None:
        for kind in kinds:
            for waiting in self._events.get(kind, ()):
                waiting.set()

    def ear(self, *kinds: str) -> Ear:
        """A sleeper that hints of these kinds wake. It remembers a hint that came while it was not asleep."""
        return Ear(self, kinds)


class Ear:
    """One loop's way to sleep."""

    def __init__(self, wake: Wake, kinds: tuple[str, ...]) -> None:
        self._event = asyncio.Event()
        for kind in kinds:
            wake._events[kind].append(self._event)  # noqa: SLF001 - two halves of one thing
        self.wake: Callable[[], None] = self._event.set
        """End this sleep, or the next one; call it in the loop's own thread."""

    async def sleep(self, seconds: float) -> bool:
        """Sleep until a hint or until `seconds` have passed; True where a hint ended it."""
        if not self._event.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(max(0.0, seconds)):
                    await self._event.wait()
        woken = self._event.is_set()
        self._event.clear()
        return woken


async def nap(seconds: float) -> None:
    """Sleep for a bounded moment that no hint ends: between two tries of the same thing."""
    await asyncio.sleep(min(seconds, 5.0))  # noqa: TID251 - this is the place
