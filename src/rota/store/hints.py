"""Hints between processes: they may end a sleep early and never carry truth (law 7).

PostgreSQL: NOTIFY on a connection of its own after the commit, LISTEN on another. SQLite: `PRAGMA data_version`, which
changes when another connection has committed.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from sqlalchemy.engine import URL

from rota.store import lone
from rota.store.dialect import CHANNEL

SCHEDULE: Final = "s"
"""Something is due earlier, or a key may be free: schedulers look."""
READY: Final = "r"
"""A run is ready: workers look."""
CANCEL: Final = "c"
"""A cancel was asked for: workers look."""
EVENT: Final = "e"
"""Events wait to be read."""
ALL: Final = (SCHEDULE, READY, CANCEL, EVENT)
Note = tuple[int, str]

_PING: Final = 20.0
_ANSWER: Final = 10.0
"""A round trip that takes longer than this has no end: a pooler or a firewall swallows it."""
_ALIVE: Final[dict[str, Any]] = {
    "connect_timeout": 5,
    "keepalives": 1,
    "keepalives_idle": 5,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 15000,
}


def _dsn(url: URL) -> str:
    return url.set(drivername="postgresql").render_as_string(hide_password=False)


@contextlib.contextmanager
def _bounded(conn: Any) -> Iterator[None]:
    """Cut the connection where what is done within takes too long, so that it raises instead of waiting for ever."""
    late = threading.Timer(_ANSWER, _cut, [conn.fileno()])
    late.daemon = True
    late.start()
    try:
        yield
    finally:
        late.cancel()


def _cut(descriptor: int) -> None:
    with contextlib.suppress(OSError), socket.socket(fileno=os.dup(descriptor)) as path:
        path.shutdown(socket.SHUT_RDWR)


class PostgresHints:
    """Both directions for one process: a thread that listens, a connection that sends. Faults are survived silently.

    `listening` tells whether it really does; a dead listener is found by a ping within 20 s and opened again. `react` is
    called with the driver's own connection, in the thread that listens, before others are told of a run that is ready;
    where it returns True they are not told. What this process has sent itself it does not hear.
    """

    def __init__(self, url: URL, heard: Callable[[str], None], react: Callable[[Any], bool] | None = None) -> None:
        self._dsn = _dsn(url)
        self._heard = heard
        self._react = react
        self._stop = threading.Event()
        self._bell, self._ring = socket.socketpair()
        self._sender: Any = None
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._listen, name="rota-listen", daemon=True)
        self.listening = False

    def start(self) -> None:
        """Begin to listen."""
        self._thread.start()

    def stop(self) -> None:
        """End both; returns when the thread has ended."""
        self._stop.set()
        self._ring.close()
        self._thread.join(timeout=10)
        with self._lock:
            self._close_sender()

    def send(self, kinds: Iterable[str]) -> None:
        """Tell the other processes, after the commit. A fault loses the hint: the poll makes up for it."""
        import psycopg

        with self._lock:
            try:
                if self._sender is None:
                    self._sender = psycopg.connect(self._dsn, autocommit=True, prepare_threshold=None, **_ALIVE)
                with _bounded(self._sender):
                    for kind in kinds:
                        self._sender.execute("SELECT pg_notify(%s, %s)", (CHANNEL, kind))
            except psycopg.Error:
                self._close_sender()

    def _close_sender(self) -> None:
        if self._sender is not None:
            with contextlib.suppress(Exception):
                self._sender.close()
            self._sender = None

    def _listen(self) -> None:
        import psycopg

        while not self._stop.is_set():
            try:
                with psycopg.connect(self._dsn, autocommit=True, prepare_threshold=None, **_ALIVE) as conn:
                    conn.execute(f"LISTEN {CHANNEL}")
                    conn.prepare_threshold = 0 if lone.is_direct(conn) else None
                    self.listening = True
                    self._heard("")  # whatever was sent before this moment was not heard
                    self._hear(conn)
            except psycopg.Error:
                self.listening = False
                self._stop.wait(1.0)
        self._bell.close()

    def _hear(self, conn: Any) -> None:
        notes: deque[Note] = deque()
        conn.add_notify_handler(lambda note: notes.append((note.pid, note.payload)))
        look = select.poll()
        look.register(conn.fileno(), select.POLLIN)
        look.register(self._bell, select.POLLIN)
        while not self._stop.is_set():
            for pid, kind in _taken(conn, notes):
                if not self._is_mine(pid):
                    self._told(conn, kind)
            if notes:
                continue
            if not look.poll(_PING * 1000):
                with _bounded(conn):
                    conn.execute("SELECT 1")
            elif not self._stop.is_set():
                conn.pgconn.consume_input()

    def _is_mine(self, pid: int) -> bool:
        sender = self._sender
        return sender is not None and bool(sender.info.backend_pid == pid)

    def _told(self, conn: Any, kind: str) -> None:
        if kind != READY or self._react is None or not self._react(conn):
            self._heard(kind)


def _taken(conn: Any, notes: deque[Note]) -> list[Note]:
    """What has come, each (sender's pid, payload) once: during a statement, or read from the socket just now."""
    while (raw := conn.pgconn.notifies()) is not None:
        notes.append((raw.be_pid, raw.extra.decode()))
    found = list(dict.fromkeys(notes))
    notes.clear()
    return found


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

    def stop(self) -> None:
        """End it; returns when the thread has ended."""
        self._stop.set()
        self._thread.join(timeout=10)

    def send(self, kinds: Iterable[str]) -> None:
        """Nothing to send: the commit itself is seen."""

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
