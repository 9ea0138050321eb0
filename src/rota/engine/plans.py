"""Definitions with their recurrences, remembered: definitions are immutable, so a remembered one is never stale."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any, Final, NamedTuple

from rota.calendar.recurrence import Recurrence
from rota.errors import Error, LocallyIncapable
from rota.model.firing import Firing, plan_firing
from rota.model.policy import Policies
from rota.model.schedule import Cursor
from rota.model.timing import recurrence
from rota.store import dialect
from rota.store.database import Connection
from rota.store.definitions import Target, Timing, targets

_MOST: Final = 20_000


class Like(NamedTuple):
    """What schedules that decide alike have in common."""

    recurrence: Recurrence
    policies: Policies
    valid_from: datetime | None
    ends_at: datetime | None


class Known(NamedTuple):
    """A definition as a firing needs it."""

    target: Target
    like: Like


class Plans:
    """The definitions that one process has seen lately, and what was made of their timings; bounded."""

    def __init__(self) -> None:
        self._known: dict[int, Known] = {}
        self._likes: dict[Timing, Like] = {}

    def fetch(self, conn: Connection, ids: Iterable[int]) -> dict[int, Known | Error]:
        """For each definition id what is known of it, or the error that kept this node from making its recurrence."""
        found: dict[int, Known | Error] = {}
        missing = []
        for key in ids:
            known = self._known.get(key)
            if known is None:
                missing.append(key)
            else:
                found[key] = known
        if not missing:
            return found
        if len(self._known) > _MOST:
            self._known.clear()
        for key, read in targets(conn, missing).items():
            if isinstance(read, Error):
                found[key] = read
                continue
            target, timing = read
            like = self._likes.get(timing) or self._make(target, timing)
            if isinstance(like, Error):
                found[key] = like
            else:
                found[key] = self._known[key] = Known(target, like)
        return found

    def _make(self, target: Target, timing: Timing) -> Like | Error:
        try:
            anchor = None if timing.anchor is None else datetime.fromisoformat(timing.anchor)
            rule = recurrence(timing.canonical, timing.zone, anchor, timing.dst_gap, timing.dst_overlap)
        except Error as error:
            return LocallyIncapable(f"this node cannot make the rule of {target.key}: {error.message}")
        if len(self._likes) > _MOST:
            self._likes.clear()
        like = Like(rule, target.policies, dialect.read_at(timing.valid_from), dialect.read_at(timing.ends_at))
        self._likes[timing] = like
        return like


class Batch:
    """Plans one batch of due cursors: schedules that decide alike at the same watermark are decided once."""

    def __init__(self, now: datetime) -> None:
        self._now = now
        self._decided: dict[tuple[Any, ...], Firing] = {}

    def plan(self, known: Known, cursor: Cursor, skips: Collection[datetime]) -> Firing:
        """The firing of one cursor."""
        like = known.like
        if skips or like.policies.jitter or cursor.state != "active" or cursor.wake_at is not None:
            return plan_firing(like, cursor, self._now, skips)
        key = (id(like), cursor.watermark, cursor.cut_until, cursor.last_wall)
        made = self._decided.get(key)
        if made is None:
            made = self._decided[key] = plan_firing(like, cursor, self._now)
            return made
        return Firing(_moved(cursor, made.cursor), made.fires, made.decisions, always_wait=made.always_wait)


def _moved(cursor: Cursor, like: Cursor) -> Cursor:
    return Cursor(
        cursor.schedule_id, cursor.definition_id, cursor.revision, like.state, like.watermark, like.next_at, like.due_at,
        None, cursor.disabled_reason, like.cut_until, like.last_wall, None, cursor.zone_data,
    )  # fmt: skip


def uncomputable(cursor: Cursor, reason: str) -> Firing:
    """The firing of a schedule whose next occurrence cannot be computed: disabled, nothing else."""
    return Firing(cursor._replace(state="disabled", disabled_reason=reason, next_at=None, due_at=None, probe_at=None))
