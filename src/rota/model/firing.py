"""The decision taken when a schedule is due: pure, (definition, cursor, recurrence, now) -> Firing.

It jumps (`last_until`), it never walks over what was missed. Order of judgement: too_old (window), late (grace),
over_max; of the rest `latest` and `earliest` fire one and fold the others into it (document 2).
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from rota.calendar.recurrence import Recurrence
from rota.model import reasons
from rota.model.policy import Policies
from rota.model.schedule import ACTIVE, DISABLED, DONE, PAUSED, Cursor, Definition
from rota.model.timed import Timed, fixed_wall
from rota.model.woken import woken

MOST_RUNS: Final = 1000
"""One firing makes at most so many runs of one schedule; the rest is due again at once."""
TICK: Final = timedelta(microseconds=1)


class Fire(NamedTuple):
    """An occurrence that gets a run, and the occurrences that run stands for."""

    at: datetime
    cause: str
    not_before: datetime | None = None
    expires_at: datetime | None = None
    covers_from: datetime | None = None
    covers_to: datetime | None = None
    covers_count: int | None = None


class Decision(NamedTuple):
    """What became of the occurrences in (after_at, until_at] that have no run."""

    after_at: datetime
    until_at: datetime
    what: str
    reason: str | None = None


class Firing(NamedTuple):
    """All that one firing decides about one schedule, and its cursor afterwards."""

    cursor: Cursor
    fires: tuple[Fire, ...] = ()
    decisions: tuple[Decision, ...] = ()
    always_wait: bool = False
    resumed: bool = False
    probe: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """A definition with its recurrence, ready to be asked."""

    definition: Definition
    recurrence: Recurrence

    @property
    def policies(self) -> Policies:
        """The definition's effective policies."""
        return self.definition.policies

    @property
    def valid_from(self) -> datetime | None:
        """The definition's first possible instant."""
        return self.definition.valid_from

    @property
    def ends_at(self) -> datetime | None:
        """The definition's last possible instant."""
        return self.definition.ends_at


def plan_firing(plan: Timed, cursor: Cursor, now: datetime, skips: Collection[datetime] = ()) -> Firing:
    """Decide everything up to `now` for one schedule.

    `skips` are coming occurrences that an operator took out. A `now` before the watermark decides nothing and leaves
    the watermark alone (it only ever grows).
    """
    plan = woken(plan, cursor)
    if cursor.state == PAUSED:
        return _paused(plan, cursor, now, skips)
    if cursor.state == DISABLED:
        return _probe(cursor, now)
    if cursor.state != ACTIVE:
        return Firing(cursor._replace(due_at=None))
    return _active(plan, cursor, now, skips)


def rearm(plan: Timed, cursor: Cursor, now: datetime) -> Cursor:
    """The cursor with next_at and due_at as its rule, state and watermark name them; `done` where nothing is left."""
    plan = woken(plan, cursor)
    if cursor.wake_at is not None and cursor.wake_at <= cursor.watermark:
        cursor = cursor._replace(wake_at=None)
    if cursor.state == PAUSED:
        return cursor._replace(next_at=_next(plan, cursor.watermark), due_at=cursor.paused_until)
    if cursor.state == DISABLED:
        return cursor._replace(next_at=None, due_at=cursor.probe_at)
    if cursor.state not in (ACTIVE, DONE):
        return cursor._replace(next_at=None, due_at=None)
    following = _next(plan, cursor.watermark)
    if following is None:
        return cursor._replace(state=DONE, next_at=None, due_at=None, cut_until=None)
    if cursor.cut_until is not None:
        return cursor._replace(state=ACTIVE, next_at=following, due_at=now)
    return cursor._replace(state=ACTIVE, next_at=following, due_at=following)


def _next(plan: Timed, after: datetime) -> datetime | None:
    start = after if plan.valid_from is None else max(after, plan.valid_from - TICK)
    following = plan.recurrence.next_after(start)
    return None if following is None or (plan.ends_at is not None and following > plan.ends_at) else following


def last_due(plan: Timed, after: datetime, until: datetime) -> datetime | None:
    """The last occurrence in (after, until], inside the definition's validity, or None."""
    upper = until if plan.ends_at is None else min(until, plan.ends_at)
    last = plan.recurrence.last_until(upper)
    lower = after if plan.valid_from is None else max(after, plan.valid_from - TICK)
    return None if last is None or last <= lower else last


def undecided(plan: Timed, after: datetime, until: datetime, reason: str) -> Decision | None:
    """The decision that skips what is undecided in (after, until]; None where there is no occurrence."""
    if last_due(plan, after, until) is None:
        return None
    return Decision(after, until, reasons.SKIPPED, reason)


def _probe(cursor: Cursor, now: datetime) -> Firing:
    if cursor.probe_at is None or cursor.probe_at > now:
        return Firing(cursor._replace(due_at=cursor.probe_at))
    return Firing(cursor._replace(probe_at=None, due_at=None), (Fire(now, "probe"),), probe=True)


def _paused(plan: Timed, cursor: Cursor, now: datetime, skips: Collection[datetime]) -> Firing:
    until = cursor.paused_until
    if until is None or until > now:
        return Firing(rearm(plan, cursor, now))
    active = cursor._replace(state=ACTIVE, paused_until=None)
    if plan.policies.on_resume == "catchup" or until <= cursor.watermark:
        return _active(plan, active, now, skips)._replace(resumed=True)
    skipped = undecided(plan, cursor.watermark, until, reasons.PAUSED)
    moved = active._replace(watermark=until, cut_until=None)
    firing = _active(plan, moved, now, skips)
    return firing._replace(decisions=((skipped,) if skipped else ()) + firing.decisions, resumed=True)


def _sole(plan: Timed, cursor: Cursor, now: datetime) -> Firing | None:
    """The common case, in a few questions: one occurrence is due, and it is in time. None for every other case."""
    policies = plan.policies
    if cursor.cut_until is not None or cursor.wake_at is not None or policies.jitter:
        return None
    at = _next(plan, cursor.watermark)
    following = None if at is None or at > now else _next(plan, at)
    if at is None or following is None or following <= now:
        return None
    grace, window, late = policies.effective_grace, policies.catchup_window, now - at
    if (grace is not None and late > grace) or (window is not None and late > window):
        return None
    wall = fixed_wall(plan.recurrence, at)
    if wall is not None and wall == cursor.last_wall:
        return None
    moved = Cursor(
        cursor.schedule_id, cursor.definition_id, cursor.revision, ACTIVE, at, following, following,
        cursor.paused_until, cursor.disabled_reason, None, wall or cursor.last_wall, cursor.probe_at, cursor.zone_data,
    )  # fmt: skip
    return Firing(moved, (Fire(at, "schedule", None, None if grace is None else at + grace),))


def _active(plan: Timed, cursor: Cursor, now: datetime, skips: Collection[datetime]) -> Firing:
    sole = None if skips else _sole(plan, cursor, now)
    return sole or _judged(plan, cursor, now, skips)


def _judged(plan: Timed, cursor: Cursor, now: datetime, skips: Collection[datetime]) -> Firing:
    """Whatever is due, judged in the order of the policies."""
    continuing = cursor.cut_until is not None and cursor.cut_until > cursor.watermark
    limit = min(now, cursor.cut_until) if continuing and cursor.cut_until is not None else now
    last = last_due(plan, cursor.watermark, limit)
    if last is None:
        return Firing(rearm(plan, cursor._replace(cut_until=None), now))
    span = _Span(plan, cursor, last, now, frozenset(s for s in skips if cursor.watermark < s <= last))
    fires, decisions = span.rest() if continuing else span.judge(cursor.last_wall)
    cut = len(fires) > MOST_RUNS
    fires = fires[:MOST_RUNS]
    mark = fires[-1].at if cut else last
    wall = fixed_wall(plan.recurrence, fires[-1].at) if fires else None
    following = cursor._replace(watermark=mark, last_wall=wall or cursor.last_wall)
    still = (last if not continuing else cursor.cut_until) if cut or (continuing and cursor.cut_until != mark) else None
    kept = tuple(d for d in decisions if d.until_at <= mark)
    return Firing(rearm(plan, following._replace(cut_until=still), now), tuple(fires), kept, always_wait=continuing)


class _Span:
    """The occurrences in (after, last] of one schedule, all due, none decided."""

    def __init__(self, plan: Timed, cursor: Cursor, last: datetime, now: datetime, holes: frozenset[datetime]) -> None:
        self.rule, self.policies = plan.recurrence, plan.policies
        self.seed = cursor.schedule_id
        self.after, self.last, self.now, self.holes = self._lower(plan, cursor.watermark), last, now, holes
        self.decisions: list[Decision] = []

    @staticmethod
    def _lower(plan: Timed, after: datetime) -> datetime:
        start = plan.valid_from
        return after if start is None else max(after, start - TICK)

    def judge(self, last_wall: datetime | None) -> tuple[list[Fire], list[Decision]]:
        """Which fire, and the decisions on the others."""
        low = self._same_wall(self.after, last_wall)
        for reason, first in (
            (reasons.TOO_OLD, self._first_in_window()),
            (reasons.LATE, self._first_in_time()),
            (reasons.OVER_MAX, self._first_in_max(low)),
        ):
            if first is not None:
                low = self._skip(low, min(first - TICK, self.last), reason)
        return self._fire(low), self.decisions

    def rest(self) -> tuple[list[Fire], list[Decision]]:
        """The rest of a catch-up that was cut: judged already, all fire."""
        return self._all(self.after), self.decisions

    def _same_wall(self, low: datetime, last_wall: datetime | None) -> datetime:
        """Newer zone data may name an instant whose wall time has fired already: it is not fired again."""
        first = self.rule.next_after(low) if last_wall is not None else None
        if first is None or first > self.last or fixed_wall(self.rule, first) != last_wall:
            return low
        return self._skip(low, first, reasons.ZONE_DATA)

    def _first_in_window(self) -> datetime | None:
        window = self.policies.catchup_window
        if window is None or self.policies.catchup not in ("earliest", "all"):
            return None
        return self.now - window

    def _first_in_time(self) -> datetime | None:
        grace = self.policies.effective_grace
        if grace is None:
            return None
        edge = self.now - grace
        before = self.rule.last_until(edge - TICK)
        if before is not None and before + self._jitter(before) >= edge:
            return before
        return edge

    def _first_in_max(self, low: datetime) -> datetime | None:
        if self.policies.catchup not in ("earliest", "all"):
            return None
        most = self.policies.catchup_max
        if self.rule.count(low, self.last) <= most:
            return None
        return self._nth_from_last(low, most)

    def _nth_from_last(self, low: datetime, n: int) -> datetime:
        """The n-th occurrence counted back from `last`: found by halving, since the rule can count without walking."""
        left, right = low, self.last
        while right - left > TICK:
            middle = left + (right - left) / 2
            if self.rule.count(middle, self.last) >= n:
                left = middle
            else:
                right = middle
        return right

    def _skip(self, low: datetime, until: datetime, reason: str) -> datetime:
        """Skip the occurrences in (low, until]; where the judgement goes on."""
        if until <= low:
            return low
        last = self.rule.last_until(until)
        if last is not None and last > low:
            self._decide(low, until, reasons.SKIPPED, reason)
        return until

    def _decide(self, low: datetime, until: datetime, what: str, reason: str | None) -> None:
        """A decision on (low, until], but for the occurrences that an operator took out: those get one of their own."""
        for hole in sorted(h for h in self.holes if low < h <= until):
            if hole - TICK > low:
                self.decisions.append(Decision(low, hole - TICK, what, reason))
            self.decisions.append(Decision(hole - TICK, hole, reasons.SKIPPED, reasons.OPERATOR))
            low = hole
        if until > low:
            self.decisions.append(Decision(low, until, what, reason))

    def _fire(self, low: datetime) -> list[Fire]:
        if low >= self.last:
            return []
        if self.policies.catchup == "all":
            return self._all(low)
        chosen = self._earliest(low) if self.policies.catchup == "earliest" else self._latest(low)
        if chosen is None:
            self._decide(low, self.last, reasons.SKIPPED, reasons.OPERATOR)
            return []
        count = self.rule.count(low, self.last) - sum(low < h <= self.last for h in self.holes)
        if count <= 1:
            self._only_holes(low)
            return [self._one(chosen, "schedule")]
        if chosen - TICK > low:
            self._decide(low, chosen - TICK, reasons.COALESCED, None)
        if self.last > chosen:
            self._decide(chosen, self.last, reasons.COALESCED, None)
        first = self.rule.next_after(low)
        return [self._one(chosen, "catchup")._replace(covers_from=first, covers_to=self.last, covers_count=count)]

    def _all(self, low: datetime) -> list[Fire]:
        """Each of them, as far as one firing goes; one more tells that it was cut."""
        found = self.rule.between(low, self.last, MOST_RUNS + 1 + len(self.holes))
        self._only_holes(low)
        chosen = [at for at in found if at not in self.holes][: MOST_RUNS + 1]
        cause = "schedule" if len(chosen) == 1 else "catchup"
        return [self._one(at, cause) for at in chosen]

    def _only_holes(self, low: datetime) -> None:
        self.decisions += [
            Decision(h - TICK, h, reasons.SKIPPED, reasons.OPERATOR) for h in sorted(self.holes) if low < h <= self.last
        ]

    def _latest(self, low: datetime) -> datetime | None:
        at: datetime | None = self.last
        while at is not None and at in self.holes:
            at = self.rule.last_until(at - TICK)
        return at if at is not None and at > low else None

    def _earliest(self, low: datetime) -> datetime | None:
        at = self.rule.next_after(low)
        while at is not None and at in self.holes:
            at = self.rule.next_after(at)
        return at if at is not None and at <= self.last else None

    def _one(self, at: datetime, cause: str) -> Fire:
        jitter, grace = self._jitter(at), self.policies.effective_grace
        return Fire(
            at,
            cause,
            not_before=at + jitter if jitter else None,
            expires_at=None if grace is None else at + jitter + grace,
        )

    def _jitter(self, at: datetime) -> timedelta:
        """A share of the jitter, from a hash of (schedule, occurrence): stable, less than the gap to the next one."""
        most = self.policies.jitter
        if not most:
            return timedelta(0)
        following = self.rule.next_after(at)
        width = most if following is None else min(most, following - at)
        digest = hashlib.blake2b(f"{self.seed}@{at.isoformat()}".encode(), digest_size=8).digest()
        return width * (int.from_bytes(digest, "big") / 2**64)
