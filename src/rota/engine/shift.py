"""A worker's loop: turn after turn, sleeping between them, and the orderly end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from rota.engine.wake import nap
from rota.errors import DatabaseUnavailable
from rota.store.database import StatementRefused
from rota.store.lone import Unanswered
from rota.store.quiet import Quiet

if TYPE_CHECKING:
    from rota.engine.worker import Turned, Worker

log = logging.getLogger("rota.worker")

FLUSH_S: Final = 0.5
"""What handlers say is readable at most this much later."""
_LEAST_S: Final = 0.05
_GATHER_S: Final = 0.002
"""How long a burst waits for company of a few runs that have ended."""
_MANY: Final = 100
"""A claim of at least so many runs is likely to have left others."""
_BLIND_S: Final = 1.0


class Shift:
    """One `Worker.run`."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.settings = worker.settings
        self._flushed_at = 0.0
        self._more = True
        self._quiet = Quiet(worker.database.schema, worker.database.clock, worker.lane_names)

    async def run(self) -> None:
        """Turn until the worker is stopped, then drain."""
        watch = asyncio.ensure_future(self._watch())
        try:
            while not self.worker.stopping:
                await self._guarded(self._step)
            await self._drain()
        finally:
            watch.cancel()
            await asyncio.gather(watch, return_exceptions=True)

    def _monotonic(self) -> float:
        return self.worker.database.clock.monotonic()

    async def _step(self) -> None:
        done = await (self._beside() if self._few_have_ended() else self.worker.turn())
        self._more = done.more
        self.worker.turned_at = self._monotonic()
        await self._flush()
        if done.claimed >= _MANY and not self.worker.database.sqlite:
            await self._burst()
        elif not self.worker.ripe and not (done.more and self.worker.free):
            await self._rest(self._patience(done))

    def _few_have_ended(self) -> bool:
        """Whether a settlement can go by itself: few have ended, and no claim of the general kind is to be made."""
        since = self._monotonic() - self.worker.handed_back_at
        return 0 < self.worker.ripe < _MANY and not self._more and since < self.settings.renewal.total_seconds()

    async def _beside(self) -> Turned:
        """Settle while the reflex goes on claiming; then it looks, for what has ended may have made room for others."""
        reflex = self.worker.reflex
        reflex.arm()
        try:
            done = await self.worker.turn(most=0)
            looks = reflex.react()
        finally:
            await reflex.disarm()
        return replace(done, more=not looks or reflex.left)

    async def _rest(self, seconds: float) -> None:
        """Sleep until a hint, or until there may be something to do; meanwhile the reflex claims what it can by itself."""
        while True:
            self.worker.reflex.arm()
            try:
                woken = await self.worker.ear.sleep(seconds)
            finally:
                await self.worker.reflex.disarm()
            if woken or self.worker.held or not await self._is_idle():
                return

    async def _is_idle(self) -> bool:
        """Whether nothing is ready and nothing runs under this node; False where only a turn can tell."""
        try:
            work = await self.worker.wake.answer(self._quiet.work(self.worker.node))
        except Unanswered:
            return False
        if work is not None:
            return False
        self.worker.turned_at = self.worker.handed_back_at = self._monotonic()
        return True

    async def _burst(self) -> None:
        """While there is much to claim, claims and settlements go side by side: one is decided while the other is written.

        SQLite has one writer, and gains nothing by it.
        """
        claiming = asyncio.ensure_future(self._claim_on())
        claiming.add_done_callback(lambda _: self.worker.ear.wake())
        try:
            while self.worker.ripe or not claiming.done():
                if 0 < self.worker.ripe < _MANY:
                    await nap(_GATHER_S)
                if self.worker.ripe:
                    await self.worker.turn(most=0)
                else:
                    await self.worker.ear.sleep(FLUSH_S)
                await self._flush()
        finally:
            await claiming

    async def _claim_on(self) -> None:
        more, half = True, max(1, self.settings.slots // 2)  # one half runs while the other is on its way
        while more and not self.worker.stopping:
            if not self.worker.roomy:
                await self.worker.room_ear.sleep(_LEAST_S)
            if not self.worker.roomy:
                return
            more = (await self.worker.turn(settles=False, most=half)).claimed >= min(_MANY, half)
            self.worker.turned_at = self._monotonic()

    def _patience(self, done: Turned) -> float:
        """How long there is nothing to do unless a hint says otherwise."""
        waits = [self.settings.poll.total_seconds()]
        if self.worker.answerable:
            waits.append(FLUSH_S)
        if done.next_token is not None:
            waits.append(max(done.next_token.total_seconds(), _LEAST_S))
        return min(waits)

    async def _guarded(self, step: Callable[[], Awaitable[object]]) -> None:
        """Do one step; while the database is away try again and again, with growing waits."""
        blind = _LEAST_S
        while True:
            try:
                await step()
            except (DatabaseUnavailable, StatementRefused) as error:
                if blind == _LEAST_S:
                    log.warning("database.away", extra={"error": str(error)})
                await self.worker.ear.sleep(blind)
                blind = min(blind * 2, _BLIND_S)
                if self.worker.stopping:
                    return
            else:
                return

    async def _flush(self) -> None:
        if self._monotonic() - self._flushed_at >= FLUSH_S:
            self._flushed_at = self._monotonic()
            await self.worker.write_said(self.worker.sink.take())

    async def _watch(self) -> None:
        """Look at cancel requests once per renewal, and when one is hinted at; tell of handlers that block their loop."""
        renewal, told_at = self.settings.renewal.total_seconds(), self._monotonic()
        while True:
            await self.worker.cancel_ear.sleep(renewal)
            tell = self._monotonic() - told_at >= renewal
            told_at = self._monotonic() if tell else told_at
            await self._look(tell=tell)

    async def _look(self, *, tell: bool) -> None:
        """One look that no error ends the watch for: without it no cancel would reach running code any more."""
        try:
            if tell:
                self.worker.tell_blocked()
            if self.worker.answerable:
                await self._guarded(self.worker.watch_cancels)
        except Exception:
            log.exception("loop.failed", extra={"loop": "cancels"})

    async def _drain(self) -> None:
        """Wait for handlers, then ask them to stop, then hand back what did not."""
        await self._settle_until(self.settings.drain)
        for hand in self.worker.held:
            hand.execution.cancel("shutdown")
        await self._settle_until(self.settings.kill_grace + timedelta(seconds=1))
        ended = self.worker.ended
        for hand in self.worker.held:
            if (hand.run.id, hand.run.token) not in ended:
                self.worker.give_up(hand, "its process ended before it stopped")
        await self._settle_all()

    async def _settle_until(self, limit: timedelta) -> None:
        end = self._monotonic() + limit.total_seconds()
        while self.worker.held and (left := end - self._monotonic()) > 0:
            try:
                await self.worker.turn()
            except (DatabaseUnavailable, StatementRefused) as error:
                log.warning("database.away", extra={"error": str(error)})
            if self.worker.held:
                await self.worker.ear.sleep(min(left, FLUSH_S))

    async def _settle_all(self) -> None:
        """The last transaction. Where the database is away, the keepers of other nodes move these runs on."""
        try:
            while self.worker.ended:
                await self.worker.turn()
            await self.worker.write_said(self.worker.sink.take())
        except (DatabaseUnavailable, StatementRefused) as error:
            facts = {"error": str(error), "runs": len(self.worker.ended)}
            log.error("settlement.lost", extra=facts)  # noqa: TRY400 - the message is the fact
