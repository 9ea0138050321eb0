"""Hints between processes: they may end a sleep early and never carry truth (law 7).

PostgreSQL: NOTIFY after the commit, and LISTEN, on a connection of their own. SQLite: `PRAGMA data_version`, which
changes when another connection has committed.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Iterable
from typing import Final

from sqlalchemy.engine import URL

from rota.store.dialect import CHANNEL
from rota.store.line import Answer, Answered, Line, Opened, opened
from rota.store.lone import Question, Statement

SCHEDULE: Final = "s"
"""Something is due earlier, or a key may be free: schedulers look."""
READY: Final = "r"
"""A run is ready: workers look."""
CANCEL: Final = "c"
"""A cancel was asked for: workers look."""
EVENT: Final = "e"
"""Events wait to be read."""
ALL: Final = (SCHEDULE, READY, CANCEL, EVENT)
_TELL: Final = Statement.of("SELECT pg_notify(%s, n) FROM unnest(%s::text[]) AS a(n)")


def _dsn(url: URL) -> str:
    return url.set(drivername="postgresql").render_as_string(hide_password=False)


class PostgresHints:
    """Both directions for one process, on one connection. Faults are survived silently: the poll makes up for them.

    `listening` tells whether it really hears; a dead connection is found within 30 s and opened again. What this process
    has sent itself it does not hear. All of it belongs to the loop it was started in.
    """

    def __init__(self, url: URL, heard: Callable[[str], None]) -> None:
        self._dsn = _dsn(url)
        self._heard = heard
        self._line: Line | None = None
        self._made: deque[Opened] = deque()
        self._stopped = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._unsent: set[str] = set()
        self._sending = False

    @property
    def listening(self) -> bool:
        """Whether it hears now."""
        return self._line is not None

    def start(self) -> None:
        """Begin to listen; call it in the running loop."""
        self._task = asyncio.get_running_loop().create_task(self._keep(), name="rota-listen")

    async def stop(self) -> None:
        """End both directions."""
        self._stopped.set()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._drop()

    def send(self, kinds: Iterable[str]) -> None:
        """Tell the other processes, after the commit. What comes while something is being sent goes out together."""
        self._unsent.update(kinds)
        if self._unsent and self._line is not None and not self._sending:
            told = _TELL.with_([CHANNEL, sorted(self._unsent)])
            self._unsent.clear()
            self._sending = True
            self._line.ask(told, self._sent)

    def _sent(self, _answer: Answer) -> None:
        self._sending = False
        self.send(())

    def ask(self, asked: Question, answered: Answered) -> bool:
        """Ask on the connection that listens (`Line.ask`); False where there is none to the server itself."""
        if self._line is None or not self._line.direct:
            return False
        self._line.ask(asked, answered)
        return True

    async def _keep(self) -> None:
        """Have a line, and another one when that has ended."""
        import psycopg

        while not self._stopped.is_set():
            with contextlib.suppress(psycopg.Error):
                await asyncio.to_thread(self._open)
                await self._hear(self._made.pop())
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(1.0):
                    await self._stopped.wait()

    async def _hear(self, made: Opened) -> None:
        lost = asyncio.Event()
        line = self._line = Line(made, self._heard, lost.set)
        self._sending = False
        try:
            self._heard("")  # whatever was sent before this moment was not heard
            await lost.wait()
        finally:
            self._line = None
            line.close()

    def _open(self) -> None:
        """In a thread: nobody may be there any more to take what it has made."""
        self._made.append(opened(self._dsn))
        if self._stopped.is_set():
            self._drop()

    def _drop(self) -> None:
        while self._made:
            with contextlib.suppress(IndexError):
                self._made.pop().raw.close()


class SqliteHints:
    """Looks at `PRAGMA data_version` every 100 ms on a connection of its own: another process has committed."""

    def __init__(self, url: URL, heard: Callable[[str], None]) -> None:
        self._path = url.database or ""
        self._heard = heard
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="rota-watch", daemon=True)
        self.listening = True

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    async def stop(self) -> None:
        """End it; returns when the thread has ended."""
        self._stop.set()
        await asyncio.to_thread(self._thread.join, 10)

    def send(self, kinds: Iterable[str]) -> None:
        """Nothing to send: the commit itself is seen."""

    def ask(self, asked: Question, answered: Answered) -> bool:  # noqa: ARG002 - as PostgresHints
        """Nobody to ask."""
        return False

    def _watch(self) -> None:
        while not self._stop.is_set():
            try:
                with contextlib.closing(sqlite3.connect(self._path, isolation_level=None)) as conn:
                    self._compare(conn)
            except sqlite3.Error:
                self._stop.wait(1.0)

    def _compare(self, conn: sqlite3.Connection) -> None:
        seen = conn.execute("PRAGMA data_version").fetchone()[0]
        while not self._stop.wait(0.1):
            now = conn.execute("PRAGMA data_version").fetchone()[0]
            if now != seen:
                seen = now
                self._heard("")
