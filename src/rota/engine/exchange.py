"""One transaction between a worker and the store: what it says goes in, what has ended is settled, new runs come out."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final

from rota.engine import sink
from rota.model.policy import Policies, stored_policies
from rota.model.run import Claimed, Failed, Interrupted, Outcome, Succeeded
from rota.model.settlement import Settlement, settle, succeeded
from rota.store import cancels, claims, dialect, intake, lanes, settlements
from rota.store.database import Connection, Database, StatementRefused

log = logging.getLogger("rota.worker")

_MOST: Final = 20_000


@dataclass(slots=True)
class Finished:
    """A run whose claim is to end, and what its code did."""

    run: Claimed
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a worker asks for: at most `limit` runs for `node` from these lanes."""

    node: str
    lanes: tuple[str, ...] | None
    limit: int
    turn: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What one exchange did.

    `settled` are the runs that were really settled, `again` those of them that were queued again; `more` says that
    others may be ready, `next_token` how long until a lane's rate permits the next start.
    """

    at: datetime
    taken: list[Claimed] = field(default_factory=list)
    settled: frozenset[int] = frozenset()
    again: frozenset[int] = frozenset()
    keys_waited_for: bool = False
    more: bool = False
    next_token: timedelta | None = None


class Decider:
    """Decides settlements; remembers parsed policies by definition, which never change."""

    def __init__(self, draw: Callable[[], float]) -> None:
        self._draw = draw
        self._policies: dict[int, Policies] = {}

    def policies(self, run: Claimed) -> Policies:
        """The run's policies."""
        found = self._policies.get(run.definition_id)
        if found is None:
            if len(self._policies) > _MOST:
                self._policies.clear()
            found = self._policies[run.definition_id] = stored_policies(run.policies)
        return found

    def decide(self, one: Finished, now: datetime, cancel: str | None) -> Settlement:
        """What the run becomes."""
        if isinstance(one.outcome, Succeeded):
            return succeeded(one.run, one.outcome)
        return settle(one.run, one.outcome, now, self.policies(one.run), cancel=cancel, share=self._draw())


def exchange(
    conn: Connection,
    wanted: Wanted,
    finished: Sequence[Finished],
    said: sink.Collected,
    decider: Decider,
    now: datetime | None = None,
) -> Answer:
    """Write what was said, settle what has ended, claim what there is room for; the clock is asked once, first."""
    at = now or dialect.began(conn)
    if said:
        sink.write(conn, said)
    settled, again = _settle(conn, finished, decider, at, wanted.node) if finished else (set(), set())
    waited = bool(settled) and intake.any_waits(conn)
    answer = Answer(at, [], frozenset(settled), frozenset(again), waited)
    if wanted.limit == 0:
        return answer
    took = claims.take(conn, wanted.node, wanted.lanes, wanted.limit, at, turn=wanted.turn)
    token = None if took.rows else lanes.next_token(conn, wanted.lanes, at)
    return replace(answer, taken=took.runs, more=took.rows > 0, next_token=token)


def _settle(
    conn: Connection, finished: Sequence[Finished], decider: Decider, now: datetime, node: str
) -> tuple[set[int], set[int]]:
    """Cancels are read for what did not run to its end: the outcome of code that did stands."""
    broken = [one.run.id for one in finished if not isinstance(one.outcome, Succeeded)]
    asked: dict[int, str] = cancels.cancels_of(conn, broken) if broken else {}
    decided = [decider.decide(one, now, asked.get(one.run.id)) for one in finished]
    settled = settlements.settle(conn, decided, now, node)
    return settled, {s.run_id for s in decided if not s.final} & settled


async def in_parts(
    database: Database,
    none: Wanted,
    batch: Sequence[Finished],
    decider: Decider,
    now: datetime | None = None,
) -> Answer:
    """Settle a batch that the database refuses for good: halves are tried, the run that fails alone is failed for it.

    `none` claims nothing. Each part is a transaction of its own.
    """
    if len(batch) <= 1:
        return await _alone(database, none, batch, decider, now)
    answers = []
    for half in (batch[: len(batch) // 2], batch[len(batch) // 2 :]):
        try:
            answers.append(await database.acall(exchange, none, half, sink.Collected(), decider, now))
        except StatementRefused:
            answers.append(await in_parts(database, none, half, decider, now))
    settled: frozenset[int] = frozenset().union(*(a.settled for a in answers))
    again_queued: frozenset[int] = frozenset().union(*(a.again for a in answers))
    return Answer(answers[0].at, [], settled, again_queued, keys_waited_for=True)


async def _alone(
    database: Database, none: Wanted, batch: Sequence[Finished], decider: Decider, now: datetime | None
) -> Answer:
    """The run itself first: what was refused may have been another one's output, or the claim."""
    try:
        return await database.acall(exchange, none, batch, sink.Collected(), decider, now)
    except StatementRefused as error:
        facts_ = {"error": str(error), "runs": [one.run.id for one in batch]}
        log.error("settlement.refused", extra=facts_)  # noqa: TRY400 - a fact
        replaced = [refused(one, error) for one in batch]
        return await database.acall(exchange, none, replaced, sink.Collected(), decider, now)


def refused(one: Finished, error: Exception) -> Finished:
    """The same run as failed, because the database will not take what it returned."""
    kind = type(one.outcome).__name__.lower()
    return Finished(one.run, Failed("storage", f"the {kind} outcome could not be stored: {error}"[:500], give_up=True))


def interrupted(run: Claimed, message: str) -> Finished:
    """A run whose code was still running when its process went."""
    return Finished(run, Interrupted(message))


def facts(run: Claimed) -> dict[str, Any]:
    """How a log line names a run."""
    return {"run": run.id, "token": run.token, "job": run.job, "schedule": run.key}
