"""Connections to PostgreSQL that do not wait for ever.

A firewall that has forgotten a connection, a pooler that hangs, a proxy that swallows everything: nothing is refused and
nothing answered, and where the other end takes the bytes TCP's own timers are content, too. A statement of rota's own is
answered by the server within its timeout, so whoever has waited for longer waits for nobody: its connection is ended, and
the statement fails as with any lost connection.

Once that has happened on one connection and another one answers again, whatever was asked before and is still unanswered
went the same way, and is ended at once.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import psycopg
from sqlalchemy import event
from sqlalchemy.engine import Connection, Engine

TICK_S: Final = 0.5
"""How often a thread of this process looks at those that wait."""
IDLE_S: Final = 4 * TICK_S
"""How often it looks whether anybody waits, after a look that has seen nobody wait."""


class Patient(psycopg.Connection[Any]):
    """A connection that says since when it waits for an answer. `patience_s` None: for as long as it takes."""

    patience_s: float | None = None
    asked_at: float | None = None
    answered_at: float = 0.0

    def wait(self, *args: Any, **kwargs: Any) -> Any:
        """As the driver's; what it waits for is known while it waits."""
        self.asked_at = time.monotonic()
        try:
            answer = super().wait(*args, **kwargs)
        finally:
            self.asked_at = None
        self.answered_at = time.monotonic()
        return answer

    def end(self) -> None:
        """End the connection under whoever waits on it, from another thread."""
        with contextlib.suppress(OSError, psycopg.Error), socket.socket(fileno=os.dup(self.fileno())) as path:
            path.shutdown(socket.SHUT_RDWR)


@dataclass(slots=True)
class _Seen:
    """A connection as the looks have seen it: since when it waits, for how many looks."""

    asked_at: float
    looks: int = 0


class Watchdog:
    """Looks at the connections of this process. `look` is one turn; a thread that ends with the process takes them.

    Time counts in looks, so that a process which was stopped for an hour finds no answer late that came meanwhile.
    """

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Begin anew: a fork has no thread yet, and no connection of its own."""
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None
        self._known: weakref.WeakKeyDictionary[Patient, str] = weakref.WeakKeyDictionary()
        self._seen: weakref.WeakKeyDictionary[Patient, _Seen] = weakref.WeakKeyDictionary()
        self._swallowed: dict[str, float] = {}

    def add(self, connection: Patient) -> None:
        """Look after a connection that has just been made, for as long as it is there."""
        connection.answered_at = time.monotonic()
        place = f"{connection.info.host}:{connection.info.port}"
        with self._guard:
            self._known[connection] = place
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="rota-patience", daemon=True)
                self._thread.start()

    def doubt(self) -> None:
        """Somebody has waited in vain on a connection that is not looked after here: all that waits now may do so too."""
        with self._guard:
            self._swallowed.update(dict.fromkeys(self._known.values(), time.monotonic()))

    def _run(self) -> None:
        pause, length = threading.Event(), TICK_S
        while not pause.wait(length):
            self.look()
            length = TICK_S if self._seen or self._swallowed else IDLE_S

    def look(self) -> int:
        """End the connections that wait in vain; how many."""
        with self._guard:
            known = dict(self._known)
        silent = [one for one, place in known.items() if self._is_silent(one, place, known)]
        for place, since in list(self._swallowed.items()):
            if self._answers(place, since, known):
                del self._swallowed[place]
        for one in silent:
            self._swallowed[known[one]] = time.monotonic()
            one.end()
        return len(silent)

    def _is_silent(self, one: Patient, place: str, known: dict[Patient, str]) -> bool:
        asked_at, patience_s = one.asked_at, one.patience_s
        if asked_at is None or patience_s is None:
            self._seen.pop(one, None)
            return False
        seen = self._seen.get(one)
        if seen is None or seen.asked_at != asked_at:
            seen = self._seen[one] = _Seen(asked_at, -1)
        seen.looks += 1
        since = self._swallowed.get(place)
        went_too = since is not None and asked_at < since and self._answers(place, since, known)
        return went_too or seen.looks * TICK_S >= patience_s

    @staticmethod
    def _answers(place: str, since: float, known: dict[Patient, str]) -> bool:
        """Whether any connection to this place has had an answer since."""
        return any(other.answered_at > since for other, where in known.items() if where == place)


_WATCHDOG: Final = Watchdog()
os.register_at_fork(after_in_child=_WATCHDOG.forget)


def connect_patiently(engine: Engine) -> None:
    """Have the engine make connections that a watchdog looks after."""

    @event.listens_for(engine, "do_connect")
    def _connect(_dialect: Any, _record: Any, arguments: Any, options: Any) -> Patient:
        made: Patient = Patient.connect(*arguments, **options)
        _WATCHDOG.add(made)
        return made


def doubt() -> None:
    """A statement had no answer in its time: what this process asked before is lost once a connection answers again."""
    _WATCHDOG.doubt()


@contextlib.contextmanager
def patient(conn: Connection, seconds: float) -> Iterator[None]:
    """Within it this connection's statements wait for an answer for so long; else for as long as it takes."""
    raw = conn.connection.driver_connection
    if not isinstance(raw, Patient):  # an engine of the application's own
        yield
        return
    raw.patience_s = seconds
    try:
        yield
    finally:
        raw.patience_s = None
