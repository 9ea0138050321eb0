"""The scheduler loop: fire what is due, admit what may start. Any number of schedulers, each safe, no leader.

One turn asks the clock once, claims due cursors, decides in pure code and commits, in one transaction (document 4).
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from rota.calendar.civil import zone_data_version
from rota.engine import aside
from rota.engine.plans import Batch, Known, Plans, uncomputable
from rota.engine.wake import READY, SCHEDULE, Ear, Wake
from rota.errors import DatabaseUnavailable
from rota.model.event import event
from rota.model.schedule import Cursor
from rota.model.settings import Settings
from rota.store import admission, dialect, events, firings, passes
from rota.store.database import Connection, Database, StatementRefused
from rota.store.lone import Unanswered
from rota.store.quiet import Quiet, Seen, seen

log = logging.getLogger("rota.scheduler")

_CANNOT: Final = timedelta(minutes=1)
_MOST_RUNS: Final = 5000
"""Past this many runs of one batch the schedules that are left stay due for the next one."""
UTC_ZONES: Final = frozenset({"UTC", "Etc/UTC", "GMT", "Etc/GMT", "Zulu", "Etc/Zulu", "Universal", "Etc/Universal"})
"""Zones whose data never changes: a node with old zone data fires these alone."""
_STOP_AFTER: Final = 10
"""More uncomputable schedules than this in one batch stop the node, not the schedules (law 3)."""


class NodeBroken(Exception):  # noqa: N818 - says that this process must not go on
    """Too many schedules of one batch could not be computed: the fault is this node's."""


@dataclass(slots=True)
class Turned:
    """What one turn did."""

    fired: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    coalesced: int = 0
    claimed: int = 0
    ready: int = 0
    cancelled: int = 0
    full: bool = False

    @property
    def any(self) -> bool:
        """Whether it decided anything."""
        return bool(self.claimed or self.ready or self.cancelled)


class Scheduler:
    """Fires and admits. `turn(now)` is one step; `run` turns until stopped."""

    def __init__(
        self, database: Database, settings: Settings, *, node: str = "scheduler", wake: Wake | None = None
    ) -> None:
        self.database = database
        self.settings = settings
        self.node = node
        self.wake = wake or Wake()
        self.turned_at: float | None = None
        self.totals = Turned()
        self._plans = Plans()
        self._cannot: dict[int, datetime] = {}
        self._ear: Ear = self.wake.ear(SCHEDULE)
        self._quiet = Quiet(database.schema, database.clock)
        self._poll_s = settings.poll.total_seconds()
        self._stopped = False

    async def turn(self, now: datetime | None = None) -> Turned:
        """One fire and one admit, each in its own transaction; `now` is the chosen instant, None asks the clock."""
        done = await self._fire(now)
        admitted = await self._admit(now)
        done.ready, done.cancelled = admitted.ready, admitted.cancelled
        return done

    async def _fire(self, now: datetime | None = None) -> Turned:
        try:
            done = await self.database.acall(self.fire, now)
        except StatementRefused as error:
            log.error("firing.refused", extra={"error": str(error)})  # noqa: TRY400 - a fact
            done = await asyncio.to_thread(aside.in_halves, self, now)
        if done.fired:
            self.wake.hint(READY)
        self._count(done)
        return done

    async def _admit(self, now: datetime | None = None) -> admission.Admitted:
        done = await self.database.acall(self.admit, now)
        if done.ready:
            self.wake.hint(READY)
        self.totals.ready += done.ready
        return done

    async def burst(self, now: datetime | None = None) -> None:
        """Fire and admit until nothing is due; on PostgreSQL two batches at once, one decided while the other is written."""
        lanes = 1 if self.database.sqlite else 2
        await asyncio.gather(*(self._drain(now) for _ in range(lanes)), self._admit(now))

    async def _drain(self, now: datetime | None) -> None:
        while not self._stopped and (await self._fire(now)).full:
            self.turned_at = self.database.clock.monotonic()

    def _count(self, done: Turned) -> None:
        self.totals.fired += done.fired
        self.totals.coalesced += done.coalesced
        self.totals.skipped.update(done.skipped)

    def fire(self, conn: Connection, now: datetime | None = None, *, only: Collection[int] | None = None) -> Turned:
        """Fire one batch of due schedules (of these alone, where `only` names some) in the caller's transaction."""
        at = now or dialect.instant(conn)
        self._cannot = {key: until for key, until in self._cannot.items() if until > at}
        batch = self.settings.batch
        due = firings.claim_due(conn, at, batch, self._cannot, only)
        if not due:
            return Turned()
        judged = self._judge(conn, at, due)
        made = firings.commit(conn, at, judged, self.node)
        return Turned(
            fired=made.fired,
            skipped=made.skipped,
            coalesced=made.coalesced,
            claimed=len(judged),
            full=len(due) == batch,
        )

    def _judge(self, conn: Connection, now: datetime, due: list[Cursor]) -> list[firings.Judged]:
        known = self._plans.fetch(conn, (c.definition_id for c in due))
        newest = passes.newest_zone_data(conn)
        outdated = newest is not None and passes.is_newer(newest, zone_data_version())
        out = firings.skips(conn, due)
        batch = Batch(now)
        judged: list[firings.Judged] = []
        broken: list[tuple[Known, Cursor, Exception]] = []
        runs = 0
        for cursor in due:
            if runs > _MOST_RUNS:
                break  # the others stay due: one transaction must end well within its time
            plan = known.get(cursor.definition_id)
            if not isinstance(plan, Known):
                self._leave(cursor, now, str(plan or "no definition"))
                continue
            if outdated and plan.target.zone not in UTC_ZONES:
                self._leave(cursor, now, f"zone data {zone_data_version()} here is older than {newest}")
                continue
            try:
                firing = batch.plan(plan, cursor, out.get(cursor.schedule_id, ()))
            except Exception as error:  # noqa: BLE001 - whatever one rule's computation does touches no other schedule
                broken.append((plan, cursor, error))
                continue
            judged.append(firings.Judged(plan.target, cursor, firing))
            runs += len(firing.fires)
        return judged + self._disable(conn, now, broken)

    def _leave(self, cursor: Cursor, now: datetime, why: str) -> None:
        """What only this node lacks is left to other nodes; it looks again in a minute."""
        self._cannot[cursor.schedule_id] = now + _CANNOT
        log.warning("schedule.left", extra={"schedule_id": cursor.schedule_id, "reason": why})

    def _disable(
        self, conn: Connection, now: datetime, broken: list[tuple[Known, Cursor, Exception]]
    ) -> list[firings.Judged]:
        if len(broken) > _STOP_AFTER:
            raise NodeBroken(f"{len(broken)} schedules of one batch cannot be computed here: {broken[0][2]!r}")
        judged = []
        for known, cursor, error in broken:
            fault = aside.cannot(error)
            reason = f"{fault.code}: {fault.message}"
            judged.append(firings.Judged(known.target, cursor, uncomputable(cursor, reason)))
            key = known.target.key
            events.write(conn, [event("schedule.uncomputable", now, key, error=repr(error)[:500], node=self.node)])
        return judged

    def admit(self, conn: Connection, now: datetime | None = None) -> admission.Admitted:
        """Admit one batch of queued runs in the caller's transaction."""
        return admission.admit(conn, now or dialect.instant(conn), self.settings.batch)

    def _next(self, conn: Connection) -> tuple[datetime, datetime | None]:
        """(now, when something is due next)."""
        again = [min(self._cannot.values())] if self._cannot else []
        first = (firings.next_due(conn, self._cannot), admission.next_admission(conn), *again)
        times = [t for t in first if t is not None]
        return dialect.instant(conn), min(times, default=None)

    async def run(self) -> None:
        """Turn until `stop`. A failed turn moves no cursor; the database's absence is survived with backoff."""
        idle = blind = 0.05
        healed, due = False, False
        while not self._stopped:
            try:
                if not healed:
                    healed = await asyncio.to_thread(aside.heal, self)
                look = None if due else await self._look()
                if look is not None and (rest := self._rest(look)) is not None:
                    blind = 0.05
                    self.turned_at = self.database.clock.monotonic()
                    due = not await self._ear.sleep(rest) and rest < self._poll_s and look.fires_next
                    continue
                fires_only = due or (look is not None and not look.pending)
                due = False
                done = await (self._fire() if fires_only else self.turn())
                blind = 0.05
                self.turned_at = self.database.clock.monotonic()
                if done.full:
                    await self.burst()
                if done.any:
                    idle = 0.05
                    continue
                idle = await self._sleep(idle)
            except (DatabaseUnavailable, StatementRefused) as error:
                if blind == 0.05:
                    log.warning("database.away", extra={"error": str(error)})
                await self._ear.sleep(blind)
                blind = min(blind * 2, self.settings.poll.total_seconds())

    async def _look(self) -> Seen | None:
        """Admit what may start now, and look what else there is to do; None where only a turn can tell.

        No turn by itself: that somebody can look does not mean that what is due can be fired.
        """
        if self._cannot:
            return None
        try:
            found = seen(await self.wake.answer(self._quiet.look(self.node)) or b"")
        except Unanswered:
            return None
        if found.admitted:
            self.totals.ready += found.admitted
            self.wake.told(READY)
        return found

    def _rest(self, look: Seen) -> float | None:
        """For how many seconds there is nothing to do, at most one poll interval; None where there is something."""
        left = look.left_s
        if look.pending or (left is not None and left <= 0):
            return None
        return self._poll_s if left is None else min(left, self._poll_s)

    async def _sleep(self, idle: float) -> float:
        """Sleep until something is due, at most one poll interval; longer and longer while others hold what is due."""
        now, following = await self.database.aread(self._next)
        poll = self.settings.poll.total_seconds()
        if following is None:
            await self._ear.sleep(poll)
            return 0.05
        seconds = (following - now).total_seconds()
        if seconds > 0:
            await self._ear.sleep(min(seconds, poll))
            return 0.05
        await self._ear.sleep(min(idle, poll))
        return min(idle * 2, poll)

    def stop(self) -> None:
        """End `run` after the turn under way; call it in the loop's own thread."""
        self._stopped = True
        self._ear.wake()
