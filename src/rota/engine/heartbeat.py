"""The heartbeat: a thread with a connection of its own that renews this node's lease, whatever the loops are doing."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from rota.errors import DatabaseUnavailable, Error
from rota.model.settings import Settings
from rota.store import dialect, nodes
from rota.store.database import Connection, Database, StatementRefused
from rota.store.lone import Unanswered, ask
from rota.store.quiet import Quiet, renewed

log = logging.getLogger("rota.heartbeat")

RECONNECT_S: Final = 5.0
"""While the database is away it is tried at least this often."""
_LEAST_PATIENCE_S: Final = 2.0
"""An unanswered renewal is given up after one renewal interval, but not sooner: a lock may be waited for that long."""


def _unheard(_node: str) -> None:
    """Nobody listens."""


@dataclass(frozen=True, slots=True)
class Calls:
    """Whom the heartbeat tells, from its own thread.

    `fenced(old)`: this node was fenced; it has not joined again. `drain(on)`: it was asked to claim nothing, or may
    claim again. `blind()`: no renewal for a whole lease; once per outage.
    """

    fenced: Callable[[str], None] = _unheard
    drain: Callable[[bool], None] = lambda _on: None
    blind: Callable[[], None] = lambda: None


class Heartbeat:
    """Keeps one node's row alive. `beat` is one turn; `start` runs them in a thread, a third of a lease apart.

    `join` before anything is claimed; a fenced node `rejoin`s under a fresh id.
    """

    def __init__(self, database: Database, settings: Settings, node: nodes.Node, calls: Calls | None = None) -> None:
        self.node = node
        self.settings = settings
        self.renewed_at: float | None = None
        self.live = False
        self.draining = False
        self._loops_database = database
        patience_s = max(_LEAST_PATIENCE_S, min(settings.renewal.total_seconds(), RECONNECT_S))
        self._database = database.sibling(pool_size=1, patience_s=patience_s)
        self._quiet = Quiet(database.schema, database.clock)
        self._calls = calls or Calls()
        self._away_since_last = False
        self._told_blind = False
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.RLock()

    @property
    def id(self) -> str:
        """This node's present id."""
        return self.node.id

    def join(self) -> str:
        """Add this node's row under its id, live; the id. Raises what the database raises."""
        self._named(self.node.id)
        self._database.call(_join, self.node)
        self.live, self.draining, self.renewed_at = True, False, self._monotonic()
        return self.node.id

    def rejoin(self) -> str:
        """Join under a fresh id: after a fence, the old one's claims are not its own any more."""
        with self._lock:
            self.node = replace(self.node, id=nodes.fresh_id())
            return self.join()

    def _named(self, node: str) -> None:
        """Both ways to the database are sessions of this node, so that a fence can end them."""
        self._database.node = self._loops_database.node = node

    def _monotonic(self) -> float:
        return self._database.clock.monotonic()

    def beat(self, now: datetime | None = None) -> bool:
        """Renew once; whether the node is live. Tells of a fence, of a drain, of an outage of a whole lease."""
        if not self.live:
            return False
        node, asked_at = self.node.id, self._monotonic()
        try:
            answer = self._renewed(node, now)
        except (DatabaseUnavailable, StatementRefused) as error:
            self._away(error)
            return True
        if node != self.node.id:
            return True
        if not answer.live:
            self.live = False
            log.error("node.fenced", extra={"node": node})
            self._calls.fenced(node)
            return False
        self.renewed_at = asked_at
        self._away_since_last = self._told_blind = False
        if answer.draining != self.draining:
            self.draining = answer.draining
            self._calls.drain(answer.draining)
        return True

    def _renewed(self, node: str, now: datetime | None) -> nodes.Renewed:
        if now is None:
            asked_at = self._monotonic()
            try:
                return renewed(ask(self._database, [self._quiet.beat(node)])[0])[0]
            except Unanswered:  # the general way finds the same, or says why not
                if self._monotonic() - asked_at >= self._database.patience_s:
                    self._database.doubt()
        return self._database.call(_renew, node, now)

    def _away(self, error: Error) -> None:
        self._away_since_last = True
        last = self.renewed_at or 0.0
        if not self._told_blind and self._monotonic() - last >= self.settings.lease.total_seconds():
            self._told_blind = True
            log.warning("heartbeat.blind", extra={"node": self.node.id, "error": str(error)})
            self._calls.blind()

    def start(self) -> None:
        """Begin to renew in a thread of its own."""
        self._thread = threading.Thread(target=self._run, name="rota-heartbeat", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        renewal = self.settings.renewal.total_seconds()
        wait = renewal
        while not self._stop.wait(wait):
            with self._lock:
                self._beat_on()
            wait = min(renewal, RECONNECT_S) if self._away_since_last else renewal

    def _beat_on(self) -> None:
        """One beat that no error ends the thread for: a process that no longer renews is half alive."""
        try:
            self.beat()
        except Exception:
            self._away_since_last = True
            log.exception("heartbeat.failed", extra={"node": self.node.id})

    def stop(self, *, leave: bool = True) -> None:
        """End the thread; with `leave` the node's row says that it stopped in order. Never raises for the database."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=60)
        if leave and self.live:
            with contextlib.suppress(DatabaseUnavailable, StatementRefused):
                self._database.call(_leave, self.node.id)
        self.live = False
        self._database.close()


def _join(conn: Connection, node: nodes.Node) -> None:
    nodes.join(conn, node, dialect.instant(conn))


def _renew(conn: Connection, node: str, now: datetime | None) -> nodes.Renewed:
    return nodes.renew(conn, node, now or dialect.instant(conn))


def _leave(conn: Connection, node: str) -> bool:
    return nodes.leave(conn, node, dialect.instant(conn))
