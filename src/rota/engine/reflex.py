"""The worker's reflex: the thread that hears of a run claims it there and then, while the worker's loop sleeps.

That is two changes of thread and several round trips less between a request and its code. One claim at a time still
holds: the loop arms the reflex before it sleeps, and goes on only once it is disarmed, its claim, if any, answered.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from rota.store.reflex import MOST, Caught, Reach

if TYPE_CHECKING:
    from rota.engine.worker import Worker


class Reflex:
    """One worker's. `react` is called in the thread that hears hints, all else in the worker's loop."""

    def __init__(self, worker: Worker) -> None:
        database = worker.database
        self._worker = worker
        self._able = not database.sqlite and not database.clock.simulated
        self._reach = Reach(database.schema, worker.lane_names, database.clock)
        self._armed: list[tuple[str, int]] = []
        self._open = False
        self._resting = False
        self._answered = asyncio.Event()
        worker.wake.reflex = self.react

    @property
    def under_way(self) -> bool:
        """Whether a claim of its is unanswered."""
        return self._open and not self._armed

    def arm(self) -> None:
        """Let a hint claim what there is room for, and the next ones after it, until `disarm`."""
        worker = self._worker
        self._resting = True
        limit = 0 if worker.stopping or worker.draining else min(worker.free, MOST)
        if self._able and limit > 0 and not self._open:
            self._open = True
            self._answered.clear()
            self._armed.append((worker.node, limit))  # last: from here on the other thread may take it

    async def disarm(self) -> None:
        """Afterwards no claim of its is under way, and none begins."""
        self._resting = False
        if not self._open:
            return
        try:
            self._armed.pop()
        except IndexError:
            await self._answered.wait()
        else:
            self._open = False

    def react(self, raw: Any) -> bool:
        """Claim on the driver's own connection, if armed; False where the loop is to look itself."""
        try:
            node, limit = self._armed.pop()
        except IndexError:
            return False
        caught, answered = Caught([], left=True), False
        try:
            caught = self._reach.claim(raw, node, limit)
            answered = True
        finally:
            self._worker.wake.call(self._deliver, node, caught, answered)
        return True

    def _deliver(self, node: str, caught: Caught, answered: bool) -> None:
        self._open = False
        self._answered.set()
        if node == self._worker.node:  # else it was fenced meanwhile: its tokens are void, and the keeper moves them on
            self._worker.took(caught.runs, doubtful=not answered)
        if caught.left:
            self._worker.ear.wake()
        elif self._resting:
            self.arm()
