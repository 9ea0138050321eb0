"""Retention, batch by batch: one node of the deployment at a time, never long at it."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from rota.engine.apart import Apart
from rota.model.settings import Settings
from rota.store import dialect, leases, passes, retention
from rota.store.database import Connection, Database

log = logging.getLogger("rota.keeper")

LEASE: Final = timedelta(minutes=5)
NODES: Final = timedelta(days=7)
"""Nodes that ended are remembered this long, or as long as history where that is shorter."""
REST_S: Final = 3600.0
"""Between the end of one pass and the next one's begin."""
_MOST: Final = 20
"""Batches per turn."""

Step = Callable[[Connection, datetime], retention.Batch]


class Tidy:
    """One process's share of retention. `turn` does at most a few batches and remembers where it stopped."""

    def __init__(self, settings: Settings, apart: Apart | None = None) -> None:
        self.settings = settings
        self._apart = apart or Apart()
        self._rested_at: float | None = None
        self._runs_after = 0
        self._decisions_after = 0

    async def turn(self, database: Database, node: str, now: datetime | None) -> int:
        """Delete what is older than the horizon, if it is this node's task now; how many rows of history went.

        A table that cannot be tidied keeps no other from its turn; this node then goes on with it at the next sweep.
        """
        monotonic = database.clock.monotonic()
        if self._rested_at is not None and monotonic - self._rested_at < REST_S:
            return 0
        at = await self._apart.do("retention", lambda: database.acall(_may, node, now), None)
        if at is None:
            return 0
        cutoff = at - self.settings.retention
        deleted, ended, failed = 0, True, False
        for name, step in (
            ("runs", self._runs),
            ("decisions", self._decisions),
            ("events", _events),
            ("changes", _changes),
        ):
            batches = functools.partial(self._batches, database, step, cutoff)
            done = await self._apart.do(f"retention.{name}", batches, None)
            failed = failed or done is None
            deleted, ended = deleted + (done[0] if done else 0), ended and (done is None or done[1])
        if ended:
            await self._rest(database, node, at)
            self._rested_at = None if failed else monotonic
        if deleted:
            log.info("retention.deleted", extra={"rows": deleted})
        return deleted

    async def _batches(self, database: Database, step: Step, cutoff: datetime) -> tuple[int, bool]:
        deleted = 0
        for _ in range(_MOST):
            batch = await database.acall(step, cutoff)
            deleted += batch.deleted
            if batch.end:
                return deleted, True
        return deleted, False

    async def _rest(self, database: Database, node: str, at: datetime) -> None:
        """All history is tidied: what it was about, then others may have the lease."""
        horizon = self.settings.retention
        gone = functools.partial(database.acall, retention.nodes, at - min(NODES, horizon))
        removed = functools.partial(database.acall, retention.removed_schedules, at - horizon, 1000)
        await self._apart.do("retention.nodes", gone, 0)
        await self._apart.do("retention.schedules", removed, 0)
        await self._apart.do("retention", functools.partial(database.acall, leases.release, "retention", node), None)

    def _runs(self, conn: Connection, cutoff: datetime) -> retention.Batch:
        batch = retention.runs(conn, cutoff, self.settings.keep_runs, self._runs_after, self.settings.batch)
        self._runs_after = 0 if batch.end else batch.after
        return batch

    def _decisions(self, conn: Connection, cutoff: datetime) -> retention.Batch:
        batch = retention.decisions(conn, cutoff, self._decisions_after, self.settings.batch)
        self._decisions_after = 0 if batch.end else batch.after
        return batch


def _may(conn: Connection, node: str, now: datetime | None) -> datetime | None:
    """The instant, if this node holds the lease and no step of the clock forbids deleting."""
    at = now or dialect.instant(conn)
    held = leases.acquire(conn, "retention", node, at, LEASE)
    return at if held and passes.may_delete(conn, at) else None


def _events(conn: Connection, cutoff: datetime) -> retention.Batch:
    return retention.prefix(conn, "events", cutoff, 5000)


def _changes(conn: Connection, cutoff: datetime) -> retention.Batch:
    return retention.prefix(conn, "changes", cutoff, 5000)
