"""The keeper loop: leases, repair, retention (design document 4). Every process has one; any number may run at once.

Late is not yet lost: a keeper fences a node only where it has itself watched the node's beats stand still for a whole
lease of its own monotonic time, its own renewals being on time throughout. No clock is compared.
"""

from __future__ import annotations

import contextlib
import functools
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from rota.calendar.civil import zone_data_version
from rota.engine.apart import Apart
from rota.engine.heartbeat import Heartbeat
from rota.engine.tidy import Tidy
from rota.engine.wake import SCHEDULE, Ear, Wake
from rota.errors import DatabaseUnavailable
from rota.model.settings import Settings
from rota.store import cancels, dialect, health, nodes, passes, repair
from rota.store.database import Connection, Database, StatementRefused
from rota.store.lone import Unanswered
from rota.store.quiet import STEPS, Quiet, renewed, steps

log = logging.getLogger("rota.keeper")

_FENCE_WITHIN_S: Final = 1.0
"""A fence is sent at most this long after the keeper's own renewal and look."""
_FORGET: Final = 1000
_FORGET_TIMES: Final = 200
"""Cancel requests that one transaction forgets, and such transactions per sweep."""


class Watch:
    """What one keeper has seen of the others' beats. Pure: instants are monotonic seconds that its caller read.

    A look reads all beats in the transaction that renewed the keeper's own lease. `began` and `ended` are when that
    transaction did; a node's standing still counts from the end of the first look at a number to the begin of the last.
    """

    def __init__(self, lease: timedelta, renewal: timedelta) -> None:
        self._lease_s = lease.total_seconds()
        self._late_s = 2 * renewal.total_seconds()
        self._seen: dict[str, tuple[int, float]] = {}
        self._looked_at: float | None = None

    def look(self, beats: dict[str, int], began: float, ended: float) -> dict[str, int]:
        """Take one look; the nodes (with their beats) that may be fenced now."""
        if self._looked_at is None or began - self._looked_at > self._late_s or ended - began > self._late_s:
            self.again()  # its own renewals were not on time: all of them may have been late for the same reason
        self._looked_at = began
        fresh = {node: (number, ended) for node, number in beats.items()}
        self._seen = {node: self._older(node, look) for node, look in fresh.items()}
        return {node: number for node, (number, since) in self._seen.items() if began - since >= self._lease_s}

    def _older(self, node: str, look: tuple[int, float]) -> tuple[int, float]:
        before = self._seen.get(node)
        return before if before is not None and before[0] == look[0] else look

    def may_fence(self, at: float) -> bool:
        """Whether a fence sent at `at` comes soon enough after the last look; else the watch starts again."""
        if self._looked_at is not None and at - self._looked_at <= _FENCE_WITHIN_S:
            return True
        self.again()
        return False

    def again(self) -> None:
        """Forget what was seen."""
        self._seen.clear()


@dataclass(slots=True)
class Kept:
    """What one turn did."""

    fenced: list[str] = field(default_factory=list)
    moved: list[int] = field(default_factory=list)
    repaired: int = 0
    deleted: int = 0

    @property
    def any(self) -> bool:
        """Whether it changed anything."""
        return bool(self.fenced or self.moved or self.repaired or self.deleted)


class Keeper:
    """Watches nodes at each renewal and sweeps every `settings.sweep`. `turn` is one step; `run` turns until stopped."""

    def __init__(
        self,
        database: Database,
        settings: Settings,
        *,
        node: str,
        wake: Wake | None = None,
        heartbeat: Heartbeat | None = None,
    ) -> None:
        self.database = database
        self.settings = settings
        self.node = node
        self.wake = wake or Wake()
        self.turned_at: float | None = None
        self._heartbeat = heartbeat
        self._watch = Watch(settings.lease, settings.renewal)
        self._apart = Apart(self._renewable)
        self._tidy = Tidy(settings, self._apart)
        self._after = 0
        self._swept_at: float | None = None
        self._zones_watched = False
        self._ear: Ear = self.wake.ear()
        self._quiet = Quiet(database.schema, database.clock)
        self._stopped = False

    def _monotonic(self) -> float:
        return self.database.clock.monotonic()

    async def turn(self, now: datetime | None = None, *, sweep: bool | None = None) -> Kept:
        """Watch the nodes once and, where it is due (or `sweep` says so), sweep; `now` is the chosen instant."""
        done = Kept(fenced=await self.watch(now))
        due = self._swept_at is None or self._monotonic() - self._swept_at >= self.settings.sweep.total_seconds()
        if done.fenced or (due if sweep is None else sweep):
            self._swept_at = self._monotonic()
            await self._sweep(done, now)
        if done.moved or done.repaired:
            self.wake.hint(SCHEDULE)
        return done

    # --- nodes ---

    async def watch(self, now: datetime | None = None) -> list[str]:
        """Renew, look, and fence whom this keeper has seen standing still; the nodes that it fenced."""
        began = self._monotonic()
        try:
            live, beats = await self._look(now)
        except (DatabaseUnavailable, StatementRefused):
            self._watch.again()
            raise
        if not live:
            self._watch.again()
            return []
        still = self._watch.look(beats, began, self._monotonic())
        still.pop(self.node, None)
        if not still or not self._watch.may_fence(self._monotonic()):
            return []
        fence = functools.partial(self.database.acall, _fence, still, self.node, now)
        nobody: list[str] = []
        fenced = await self._apart.do("fence", fence, nobody)
        if fenced:
            log.warning("nodes.fenced", extra={"nodes": fenced, "by": self.node})
        return fenced

    async def _look(self, now: datetime | None) -> tuple[bool, dict[str, int]]:
        """Renew, and read all beats, in one transaction."""
        if now is None:
            with contextlib.suppress(Unanswered):  # the general way finds the same, or says why not
                told, beats = renewed(await self.wake.answer(self._quiet.beat(self.node)))
                return told.live, beats
        return await self.database.acall(_renew_and_look, self.node, now)

    # --- sweeps ---

    async def _sweep(self, done: Kept, now: datetime | None) -> None:
        """Every repair is a transaction of its own and stands alone: one that fails keeps no other from its turn."""
        apart, call = self._apart.but(await self._needless(now)), self.database.acall
        await apart.do("sessions", lambda: call(nodes.end_sessions), 0)
        await apart.do("runs", lambda: self._move_on(done, now), None)
        done.repaired += len(await apart.do("schedules", lambda: call(_timed, repair.arm, now), []))
        done.repaired += len(await apart.do("ready", lambda: call(_timed, repair.drop_stale_ready, now), []))
        done.repaired += len(await apart.do("forgotten", lambda: self._forgotten(now), []))
        done.repaired += await apart.do("probes", lambda: call(_probes, now), 0)
        await apart.do("cancels", self._cancels, None)
        await apart.do("clock", lambda: call(passes.watch_clock, now), None)
        await apart.do("zones", self._watch_zones, None)
        done.repaired += await apart.do("clock_pass", lambda: self._clock_pass(now), 0)
        done.repaired += await apart.do("zone_pass", lambda: self._zone_pass(now), 0)
        done.deleted = await self._tidy.turn(self.database, self.node, now)
        if done.any:
            log.info(
                "keeper.swept", extra={"moved": len(done.moved), "repaired": done.repaired, "deleted": done.deleted}
            )

    async def _needless(self, now: datetime | None) -> frozenset[str]:
        """The steps that have nothing to do, as far as one question can tell."""
        try:
            return frozenset() if now is not None else STEPS - steps(await self.wake.answer(self._quiet.amiss))
        except Unanswered:
            return frozenset()

    async def _renewable(self) -> None:
        """Raises where the database is away: this node cannot even renew."""
        await self.database.acall(_renew_and_look, self.node, None)

    async def _move_on(self, done: Kept, now: datetime | None) -> None:
        """Until nothing is left; what was done before a failure counts."""
        while part := await self.database.acall(_timed, lambda conn, at: repair.move_on(conn, at, self.node), now):
            done.moved += part
            done.repaired += len(part)

    async def _forgotten(self, now: datetime | None) -> list[int]:
        """Go on through the runs where the last sweep stopped; the whole table is seen in the course of time."""
        after = self._after
        found, self._after = await self.database.acall(
            lambda conn: repair.admit_forgotten(conn, now or dialect.instant(conn), after)
        )
        return found

    async def _cancels(self) -> None:
        """Forget requests about runs that have ended: all of them, but for a flood, which the next sweep goes on with."""
        for _ in range(_FORGET_TIMES):
            if await self.database.acall(cancels.forget, _FORGET) < _FORGET:
                return

    async def _watch_zones(self) -> None:
        """Once: this process's zone data does not change."""
        if not self._zones_watched:
            await self.database.acall(passes.watch_zone_data, zone_data_version())
            self._zones_watched = True

    async def _clock_pass(self, now: datetime | None) -> int:
        changed = 0
        while (part := await self.database.acall(passes.clock_slice, self.node, now)) is not None:
            changed += part
        return changed

    async def _zone_pass(self, now: datetime | None) -> int:
        changed, version = 0, zone_data_version()
        while (part := await self.database.acall(passes.zone_slice, version, now)) is not None:
            changed += part
        return changed

    # --- the loop ---

    async def run(self) -> None:
        """Turn at each renewal until `stop`. The database's absence is survived, and said once."""
        away = False
        while not self._stopped:
            try:
                await self.turn()
                self.turned_at = self._monotonic()
                away = False
            except (DatabaseUnavailable, StatementRefused) as error:
                if not away:
                    log.warning("database.away", extra={"error": str(error)})
                away = True
            await self._ear.sleep(self.settings.renewal.total_seconds())

    def stop(self) -> None:
        """End `run` after the turn under way; call it in the loop's own thread."""
        self._stopped = True
        self._ear.wake()


def _renew_and_look(conn: Connection, node: str, now: datetime | None) -> tuple[bool, dict[str, int]]:
    live = nodes.renew(conn, node, now or dialect.instant(conn)).live
    return live, nodes.beats(conn) if live else {}


def _fence(conn: Connection, still: dict[str, int], keeper: str, now: datetime | None) -> list[str]:
    return nodes.fence(conn, still, now or dialect.instant(conn), keeper)


def _timed(conn: Connection, op: Callable[[Connection, datetime], list[int]], now: datetime | None) -> list[int]:
    return op(conn, now or dialect.instant(conn))


def _probes(conn: Connection, now: datetime | None) -> int:
    return health.replan_probes(conn, now or dialect.instant(conn))
