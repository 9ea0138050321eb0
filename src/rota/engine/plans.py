"""Definitions with their recurrences, remembered: definitions are immutable, so a remembered one is never stale."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from rota.calendar.recurrence import Recurrence
from rota.calendar.text import parse
from rota.errors import Error
from rota.model.firing import Firing, Plan, plan_firing
from rota.model.schedule import Cursor, Definition
from rota.store.database import Connection
from rota.store.definitions import load

_MOST: Final = 20_000


def recurrence_of(definition: Definition) -> Recurrence:
    """The recurrence of a definition. Raises an Error of rota where this node cannot make it (an unknown zone)."""
    return parse(
        definition.canonical,
        timezone=definition.zone,
        key=definition.key,
        anchor=definition.anchor,
        dst_gap=definition.dst_gap,
        dst_overlap=definition.dst_overlap,
    )


@dataclass(frozen=True, slots=True)
class Known:
    """A plan, and the number of the group of definitions that decide alike."""

    plan: Plan
    group: int


class Plans:
    """The plans that one process has seen lately; bounded."""

    def __init__(self) -> None:
        self._known: OrderedDict[int, Known] = OrderedDict()
        self._rules: dict[tuple[Any, ...], Recurrence] = {}
        self._groups: dict[tuple[Any, ...], int] = {}

    def fetch(self, conn: Connection, ids: Iterable[int]) -> dict[int, Known | Error]:
        """For each definition id its plan, or the error that kept this node from making it."""
        wanted = set(ids)
        found: dict[int, Known | Error] = {i: self._known[i] for i in wanted if i in self._known}
        for key, definition in load(conn, wanted - found.keys()).items():
            found[key] = self._make(definition)
        return found

    def _make(self, definition: Definition) -> Known | Error:
        try:
            plan = Plan(definition, self._rule(definition))
        except Error as error:
            return error
        known = Known(plan, self._group(definition))
        self._known[definition.id] = known
        while len(self._known) > _MOST:
            self._known.popitem(last=False)
        return known

    def _rule(self, d: Definition) -> Recurrence:
        key = (d.canonical, d.zone, d.anchor, d.dst_gap, d.dst_overlap)
        rule = self._rules.get(key)
        if rule is None:
            if len(self._rules) > _MOST:
                self._rules.clear()
            rule = self._rules[key] = recurrence_of(d)
        return rule

    def _group(self, d: Definition) -> int:
        key = (d.canonical, d.zone, d.anchor, d.dst_gap, d.dst_overlap, d.policies, d.valid_from, d.ends_at)
        if len(self._groups) > _MOST:
            self._groups.clear()
            self._known.clear()
        return self._groups.setdefault(key, len(self._groups))


class Batch:
    """Plans one batch of due cursors: schedules that decide alike at the same watermark are decided once."""

    def __init__(self, now: datetime) -> None:
        self._now = now
        self._decided: dict[tuple[Any, ...], Firing] = {}

    def plan(self, known: Known, cursor: Cursor, skips: Collection[datetime]) -> Firing:
        """The firing of one cursor."""
        definition = known.plan.definition
        if skips or definition.policies.jitter or cursor.state != "active":
            return plan_firing(known.plan, cursor, self._now, skips)
        key = (known.group, cursor.watermark, cursor.cut_until, cursor.last_wall)
        like = self._decided.get(key)
        if like is None:
            like = self._decided[key] = plan_firing(known.plan, cursor, self._now)
            return like
        moved = _moved(cursor, like.cursor)
        return Firing(moved, like.fires, like.decisions, always_wait=like.always_wait)


def _moved(cursor: Cursor, like: Cursor) -> Cursor:
    return Cursor(
        cursor.schedule_id, cursor.definition_id, cursor.revision, like.state, like.watermark, like.next_at, like.due_at,
        None, cursor.disabled_reason, like.cut_until, like.last_wall, None, cursor.zone_data,
    )  # fmt: skip


def uncomputable(cursor: Cursor, reason: str) -> Firing:
    """The firing of a schedule whose next occurrence cannot be computed: disabled, nothing else."""
    return Firing(replace(cursor, state="disabled", disabled_reason=reason, next_at=None, due_at=None, probe_at=None))
