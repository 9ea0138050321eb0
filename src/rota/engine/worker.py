"""The worker loop: claim, invoke, settle (design document 4, "Running").

One exchange with the store is under way at a time: it settles what finished while the one before was under way and
claims what there is room for. A run is in this node's hands from the claim's answer until its settlement was answered.
"""

from __future__ import annotations

import functools
import logging
import random
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from rota.engine.exchange import Answer, Decider, Finished, Wanted, exchange, facts, in_parts, interrupted
from rota.engine.invoke import Execution, Why
from rota.engine.loops import HandlerLoops
from rota.engine.outcome import Limits
from rota.engine.reflex import Reflex
from rota.engine.registry import Registry
from rota.engine.shift import Shift
from rota.engine.sink import Buffer, Collected
from rota.engine.sink import write as write_said
from rota.engine.wake import CANCEL, EVENT, READY, SCHEDULE, Ear, Wake
from rota.model.run import Claimed, Interrupted, Outcome
from rota.model.settings import Settings
from rota.store import cancels, claims, dialect
from rota.store.database import Connection, Database, StatementRefused

log = logging.getLogger("rota.worker")

_TELL_S: Final = 0.05


@dataclass(slots=True)
class Hand:
    """A run in this node's hands."""

    run: Claimed
    execution: Execution
    node: str


@dataclass(frozen=True, slots=True)
class Turned:
    """What one turn did. `more`: others may be ready; `next_token`: when a lane's rate permits the next start."""

    claimed: int = 0
    settled: int = 0
    more: bool = False
    next_token: timedelta | None = None

    @property
    def any(self) -> bool:
        """Whether it did anything."""
        return bool(self.claimed or self.settled)


@dataclass(slots=True)
class Totals:
    """What this worker has done since it started."""

    claimed: int = 0
    settled: int = 0
    stale: int = 0


class Worker:
    """Claims runs, executes them, settles them. `turn(now)` is one step; `run` turns until stopped."""

    def __init__(
        self,
        database: Database,
        registry: Registry,
        settings: Settings,
        *,
        node: str,
        lane_names: tuple[str, ...] | None = None,
        wake: Wake | None = None,
        loops: HandlerLoops | None = None,
        secret: bytes | None = None,
        draw: Callable[[], float] = random.random,
    ) -> None:
        self.database = database
        self.settings = settings
        self.node = node
        self.lane_names = lane_names
        self.wake = wake or Wake()
        self.sink = Buffer(database.clock)
        self.totals = Totals()
        self.turned_at: float | None = None
        self.draining = False
        self._limits = Limits(
            grace=settings.kill_grace,
            allow_private=settings.allow_private,
            stop_wait=settings.stuck_after,
            output_bytes=settings.log_limit,
        )
        self._make = functools.partial(Execution, clock=database.clock, secret=secret, limits=self._limits, loops=loops)
        self._loops = loops
        self._registry = registry
        self._decider = Decider(draw)
        self._hands: dict[tuple[int, int], Hand] = {}
        self._busy: set[tuple[int, int]] = set()
        self._finished: deque[Finished] = deque()
        self.ear: Ear = self.wake.ear(READY)
        self.cancel_ear: Ear = self.wake.ear(CANCEL)
        self.room_ear: Ear = self.wake.ear()
        self.stopping = False
        self._doubtful = False
        self._asked: dict[int, Why] = {}
        self._claiming = False
        self.handed_back_at = database.clock.monotonic()
        self._told_at = 0.0
        self._turns = 0
        self.reflex = Reflex(self)

    # --- what it holds ---

    @property
    def in_hands(self) -> frozenset[tuple[int, int]]:
        """The (run, token) pairs that this node answers for."""
        return frozenset(self._hands)

    @property
    def free(self) -> int:
        """Slots that hold no running code."""
        return max(0, self.settings.slots - len(self._busy))

    @property
    def roomy(self) -> bool:
        """Whether there is room to claim many: slots, and not too much that waits for its settlement."""
        return self.free * 4 >= self.settings.slots and len(self._finished) < 2 * self.settings.batch

    @property
    def ripe(self) -> int:
        """How many of its hands wait for their settlement."""
        return len(self._finished)

    @property
    def held(self) -> list[Hand]:
        """What is in its hands."""
        return list(self._hands.values())

    @property
    def ended(self) -> frozenset[tuple[int, int]]:
        """Those of its hands whose code has ended and that wait for their settlement."""
        return frozenset((one.run.id, one.run.token) for one in self._finished)

    @property
    def answerable(self) -> bool:
        """Whether it holds runs, or may: a claim is under way."""
        return bool(self._hands) or self._claiming or self.reflex.under_way

    def give_up(self, hand: Hand, message: str) -> None:
        """Settle a run as interrupted although its code has not stopped: its process is about to end."""
        self._finished.append(interrupted(hand.run, message))

    # --- one turn ---

    async def turn(self, now: datetime | None = None, *, settles: bool = True, most: int | None = None) -> Turned:
        """Settle what has ended, claim what there is room for (at most `most`), start it; `now` is the chosen instant.

        Raises what the database raises; nothing is lost by it: outcomes are kept for the next turn. One turn at a time,
        but that one which only settles may go beside one which only claims.
        """
        if most != 0:
            await self._look_after_hands(now)
        ripe = min(len(self._finished), self.settings.batch) if settles else 0
        batch = [self._finished.popleft() for _ in range(ripe)]
        claiming = most != 0 and not (self.stopping or self.draining)
        room = min(self.free, self.settings.batch, self.free if most is None else most) if claiming else 0
        wanted = Wanted(self.node, self.lane_names, room, self._turns)
        if not batch and wanted.limit == 0:
            return Turned()
        self._turns += claiming
        answer = await self._exchange(wanted, batch, now)
        self._answered(batch, answer)
        if answer.taken:
            self._start(answer.taken, wanted.node)
        return Turned(len(answer.taken), len(answer.settled), answer.more, answer.next_token)

    async def finish(self, now: datetime | None = None) -> int:
        """Wait until all code that runs here has ended, and settle it, claiming nothing; how many were settled."""
        done = 0
        while self._hands:
            if not self._finished:  # a fenced run's code leaves its hands without an outcome
                await self.room_ear.sleep(self.settings.poll.total_seconds())
                continue
            batch = [self._finished.popleft() for _ in range(len(self._finished))]
            answer = await self._exchange(Wanted(self.node, self.lane_names, 0), batch, now)
            self._answered(batch, answer)
            done += len(answer.settled)
        return done

    async def _exchange(self, wanted: Wanted, batch: list[Finished], now: datetime | None) -> Answer:
        # what a run has said goes in with its settlement, or before it
        said = self.sink.take() if batch or wanted.limit == 0 else Collected()
        self._claiming = self._claiming or wanted.limit > 0
        try:
            return await self.database.acall(exchange, wanted, batch, said, self._decider, now)
        except StatementRefused:
            return await self._refused(batch, said, now)
        except BaseException:
            # The claim may be durable although its answer is lost: the next turn hands back what is not in its hands.
            self._doubtful = self._doubtful or wanted.limit > 0
            self._keep(batch, said)
            raise
        finally:
            self._claiming = self._claiming and wanted.limit == 0

    def _keep(self, batch: Iterable[Finished], said: Collected) -> None:
        self._finished.extendleft(reversed(list(batch)))
        self.sink.put_back(said)

    async def _refused(self, batch: list[Finished], said: Collected, now: datetime | None) -> Answer:
        """Settle a refused batch in parts, claiming nothing; outcomes are kept where the database goes away meanwhile.

        What was settled before that is stale when it is settled again: its token says so.
        """
        try:
            await self.write_said(said)
            return await in_parts(self.database, Wanted(self.node, self.lane_names, 0), batch, self._decider, now)
        except BaseException:
            self._keep(batch, Collected())
            raise

    async def write_said(self, said: Collected) -> None:
        """Write what handlers said. What the database refuses for good is lost, and the process's log says so."""
        if not said:
            return
        try:
            await self.database.acall(write_said, said)
        except StatementRefused as error:
            log.error("output.refused", extra={"error": str(error), "lines": len(said.chunks)})  # noqa: TRY400 - a fact
        except BaseException:
            self.sink.put_back(said)
            raise

    def _answered(self, batch: list[Finished], answer: Answer) -> None:
        for one in batch:
            self._hands.pop((one.run.id, one.run.token), None)
            self.sink.forget(one.run.id, one.run.token)
            if one.run.id not in answer.settled:
                self.totals.stale += 1
                log.info("settlement.stale", extra=facts(one.run))
        self.totals.claimed += len(answer.taken)
        self.totals.settled += len(answer.settled)
        if answer.again or answer.keys_waited_for:
            self.wake.hint(SCHEDULE)
        self._tell(answer)
        self.room_ear.wake()

    def _tell(self, answer: Answer) -> None:
        """Readers of events hear of settlements, but not of each: a hint is a commit of its own."""
        now = self.database.clock.monotonic()
        if answer.settled and now - self._told_at > _TELL_S:
            self._told_at = now
            self.wake.hint(EVENT)

    # --- executing ---

    def took(self, taken: list[Claimed], *, doubtful: bool) -> None:
        """Start what the reflex has claimed; `doubtful`: it may have claimed what it does not know of."""
        self._doubtful = self._doubtful or doubtful
        self.totals.claimed += len(taken)
        self._start(taken, self.node)

    def _start(self, taken: list[Claimed], node: str) -> None:
        """Start the code of what was claimed, but for runs that somebody is known to have asked to end meanwhile.

        The claim has looked at `cancels` itself. What is asked for later is seen on its hint or within one renewal, as
        for any run, also where the look came before the claim's answer.
        """
        made = []
        for run in taken:
            execution = self._make(self._registry.get(run.job), run, self.sink)
            key = (run.id, run.token)
            self._hands[key] = Hand(run, execution, node)
            self._busy.add(key)
            made.append(execution)
        for execution in made:
            kind = "fenced" if node != self.node else self._asked.get(execution.claimed.id)
            if kind is not None:
                execution.cancel(kind)
            execution.start(functools.partial(self._ended, execution))

    def _ended(self, execution: Execution, outcome: Outcome) -> None:
        run = execution.claimed
        key = (run.id, run.token)
        hand = self._hands.get(key)
        if execution.stopped:
            self._busy.discard(key)
        else:
            execution.when_stopped(lambda _: self._freed(key))
        if hand is not None:
            if isinstance(outcome, Interrupted) and hand.node != self.node:
                self._hands.pop(key)  # fenced: its token is void, and the keeper moves the run on
            else:
                self._finished.append(Finished(run, outcome))
        self._heard()

    def _freed(self, key: tuple[int, int]) -> None:
        self._busy.discard(key)
        self._heard()

    def _heard(self) -> None:
        """Something has ended."""
        self.ear.wake()
        self.room_ear.wake()

    # --- looking after what it holds ---

    async def _look_after_hands(self, now: datetime | None) -> None:
        """Between two claims, none of them unanswered: hand back what runs under this node without being in its hands."""
        monotonic = self.database.clock.monotonic()
        if not self._doubtful and monotonic - self.handed_back_at < self.settings.renewal.total_seconds():
            return
        await self.hand_back(now)
        self._doubtful = False
        self.handed_back_at = monotonic

    async def hand_back(self, now: datetime | None = None) -> list[int]:
        """Hand back the runs of this node that are not in its hands; their ids."""
        back = await self.database.acall(_hand_back, self.node, self.in_hands, now)
        if back:
            log.warning("runs.handed_back", extra={"runs": back, "node": self.node})
            self.wake.hint(SCHEDULE)
        return back

    async def watch_cancels(self) -> int:
        """Ask the code of every run that somebody wants to end to stop; how many there are."""
        asked = await self.database.aread(cancels.of_claims, self.node)
        wanted: dict[int, Why] = {}
        for run, kind in asked.items():
            if kind != "no_retry":
                wanted[run] = "replace" if kind == "replace" else "cancel"
        self._asked = wanted  # among them may be runs of a claim whose answer is still on its way
        for (run, _), hand in list(self._hands.items()) if wanted else ():
            if run in wanted:
                hand.execution.cancel(wanted[run])
        return len(wanted)

    def tell_blocked(self) -> None:
        """Name the async handlers that have blocked their event loop since the last call."""
        for name in self._loops.blocked() if self._loops is not None else ():
            log.warning("handler.blocks_loop", extra={"handler": name, "advice": "make it a plain def, or isolated"})

    def fenced(self, node: str) -> None:
        """This node was fenced and has joined again as `node`: what it ran is not its own any more."""
        self.node = node
        for hand in list(self._hands.values()):
            if hand.node != node:
                hand.execution.cancel("fenced")
        kept = [f for f in self._finished if not isinstance(f.outcome, Interrupted)]
        for one in self._finished:
            if isinstance(one.outcome, Interrupted):
                self._hands.pop((one.run.id, one.run.token), None)
        self._finished = deque(kept)
        self.ear.wake()

    def blind(self) -> None:
        """The database was out of reach for a lease: under `stop_when_blind` stop what can be run again."""
        if not self.settings.stop_when_blind:
            return
        for hand in list(self._hands.values()):
            if self._decider.policies(hand.run).on_lost == "retry":
                hand.execution.cancel("shutdown")

    # --- the loop ---

    async def run(self) -> None:
        """Turn until `stop`, then drain (engine.shift). The database's absence is survived, and said once."""
        await Shift(self).run()

    def stop(self) -> None:
        """Claim nothing more and let `run` drain; call it in the loop's own thread."""
        self.stopping = True
        self.ear.wake()


def _hand_back(conn: Connection, node: str, in_hands: frozenset[tuple[int, int]], now: datetime | None) -> list[int]:
    return claims.hand_back(conn, node, in_hands, now or dialect.instant(conn))
