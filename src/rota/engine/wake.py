"""The only place that sleeps. A hint may end a sleep early; what is true stands in the database alone."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterable
from typing import Any

from rota.store.database import Database
from rota.store.hints import ALL, CANCEL, EVENT, READY, SCHEDULE, PostgresHints, SqliteHints

__all__ = ["ALL", "CANCEL", "EVENT", "READY", "SCHEDULE", "Ear", "Wake", "nap"]


class Wake:
    """Wakes the loops of one process, and tells the other processes.

    `hint` may be called from any thread, after the commit it tells of. Outgoing hints are coalesced: what comes while
    one is being sent goes out with the next. `reflex` may answer a hint that a run is ready before any loop is woken.
    """

    def __init__(self, database: Database | None = None) -> None:
        self._events: dict[str, list[asyncio.Event]] = {kind: [] for kind in ALL}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pending: set[str] = set()
        self._more = threading.Event()
        self._stopped = False
        self._sender: threading.Thread | None = None
        self._hints: PostgresHints | SqliteHints | None = None
        self.reflex: Callable[[Any], bool] | None = None
        if database is not None and database.sqlite:
            self._hints = SqliteHints(database.url, self._heard)
        elif database is not None:
            self._hints = PostgresHints(database.url, self._heard, self._react)

    def start(self) -> None:
        """Begin to hear and to send; call it in the running loop."""
        self._loop = asyncio.get_running_loop()
        if self._hints is not None:
            self._hints.start()
            if isinstance(self._hints, PostgresHints):
                self._sender = threading.Thread(target=self._send, name="rota-notify", daemon=True)
                self._sender.start()

    def stop(self) -> None:
        """End both, and every sleep."""
        self._stopped = True
        self._more.set()
        self._set(ALL)
        if self._sender is not None:
            self._sender.join(timeout=10)
        if self._hints is not None:
            self._hints.stop()

    @property
    def listening(self) -> bool:
        """Whether hints of other processes are heard now."""
        return self._hints is not None and self._hints.listening

    def hint(self, *kinds: str) -> None:
        """Wake this process's loops and tell the others."""
        self._local(kinds)
        if isinstance(self._hints, PostgresHints):
            self._pending.update(kinds)
            self._more.set()

    def call(self, function: Callable[..., None], *args: object) -> None:
        """Call a function in the loop's thread, from any thread; nothing where the loop has ended."""
        if self._loop is not None and not self._loop.is_closed():
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(function, *args)

    def _local(self, kinds: Iterable[str]) -> None:
        loop = self._loop
        if loop is not None and not loop.is_closed():
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(self._set, tuple(kinds))

    def _set(self, kinds: Iterable[str]) -> None:
        for kind in kinds:
            for waiting in self._events.get(kind, ()):
                waiting.set()

    def _heard(self, payload: str) -> None:
        self._local((payload,) if payload in ALL else ALL)

    def _react(self, raw: Any) -> bool:
        """A run is ready: where there is a reflex for it (a worker's, see there) it acts in the thread that has heard."""
        return self.reflex is not None and self.reflex(raw)

    def _send(self) -> None:
        while not self._stopped:
            self._more.wait()
            self._more.clear()
            kinds, self._pending = self._pending, set()
            if kinds and isinstance(self._hints, PostgresHints):
                self._hints.send(sorted(kinds))

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
