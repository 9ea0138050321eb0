"""The worker's reflex: while its loop sleeps, a hint is answered by a claim on the very connection that has heard it.

No change of thread and no other round trip lies between a request and its claim. One claim at a time still holds: the
loop arms the reflex before it sleeps, and goes on only once it is disarmed, its claim, if any, answered.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rota.store.line import Answer, Lost
from rota.store.reflex import MOST, Caught, Reach

if TYPE_CHECKING:
    from rota.engine.worker import Worker


class Reflex:
    """One worker's, in its loop. `react` is what a hint calls."""

    def __init__(self, worker: Worker) -> None:
        database = worker.database
        self._worker = worker
        self._able = not database.sqlite and not database.clock.simulated
        self._reach = Reach(database.schema, worker.lane_names, database.clock)
        self._armed = False
        self._again = False
        self.left = False
        """Whether its last claim has left something to the general one."""
        self._asked: tuple[str, int] | None = None
        self._answered = asyncio.Event()
        worker.wake.reflex = self.react

    @property
    def under_way(self) -> bool:
        """Whether a claim of its is unanswered."""
        return self._asked is not None

    def arm(self) -> None:
        """Let hints claim what there is room for, until `disarm`."""
        self._armed = self._able

    async def disarm(self) -> None:
        """Afterwards no claim of its is under way, and none begins."""
        self._armed = False
        while self._asked is not None:
            await self._answered.wait()

    def react(self) -> bool:
        """Claim; False where the loop is to look itself."""
        worker = self._worker
        if self._asked is not None:
            self._again = True  # the claim that is under way may have looked too early
            return True
        limit = 0 if worker.stopping or worker.draining else min(worker.free, MOST)
        if not self._armed or limit == 0:
            return False
        self._asked = (worker.node, limit)
        self._answered.clear()
        if worker.wake.ask(self._reach.claim(worker.node, limit), self._heard):
            return True
        self._asked = None
        return False

    def _heard(self, answer: Answer) -> None:
        node, limit = self._asked or ("", 0)
        again, self._again, self._asked = self._again, False, None
        self._answered.set()
        caught = Caught([], left=True) if not isinstance(answer, bytes) else self._reach.caught(answer, limit)
        self.left = caught.left
        if node == self._worker.node:  # else it was fenced meanwhile: its tokens are void, and the keeper moves them on
            self._worker.took(caught.runs, doubtful=isinstance(answer, Lost))
        if caught.left or (again and not self.react()):
            self._worker.ear.wake()
