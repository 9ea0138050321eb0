"""What each clock change does to a recurrence: which of its times do not exist, exist twice, or move."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import pairwise
from typing import TYPE_CHECKING

from rota.calendar import civil
from rota.calendar.canonical import canonical, length_text, time_text
from rota.calendar.civil import ClockChange, clock_changes
from rota.calendar.rules import Cron, Days, Every, Except, Once, Rule, Union

if TYPE_CHECKING:
    from rota.calendar.recurrence import Recurrence

_SECOND = timedelta(seconds=1)
_DAY = timedelta(days=1)
_SHOWN = 4
_MOST = 64


@dataclass(frozen=True, slots=True)
class Note:
    """What the clock change at the UTC instant `at` does to a rule.

    `effect`: `moved` (the times do not exist, the rule fires at the gap's end), `skipped` (they do not exist, it does
    not fire), `once` or `twice` (they exist twice), `shifted` (an interval goes on; its wall times are others
    afterwards). `walls`: the nominal wall times concerned, the first 64; `instants`: when the rule fires for them, in
    UTC, the first 64 of each pass. `text` is one sentence.
    """

    at: datetime
    effect: str
    walls: tuple[datetime, ...]
    instants: tuple[datetime, ...]
    text: str

    def __str__(self) -> str:
        return self.text


def notes(rec: Recurrence, after: datetime, until: datetime) -> list[Note]:
    """The notes for the clock changes of the rule's zone in (after, until], in their order.

    A change that touches no occurrence gets none. Raises NaiveDatetime.
    """
    changes = clock_changes(rec.zone_name, after, until)
    return [note for change in changes for leaf in _leaves(rec.rule) for note in _notes_of(rec, leaf, change)]


def _leaves(rule: Rule) -> Iterator[Rule]:
    if isinstance(rule, Union):
        for part in rule.parts:
            yield from _leaves(part)
    elif isinstance(rule, Except):
        yield from _leaves(rule.base)
    else:
        yield rule


def _notes_of(rec: Recurrence, leaf: Rule, change: ClockChange) -> Iterator[Note]:
    if isinstance(leaf, Every):
        note = _shifted(leaf, change)
    elif not isinstance(leaf, (Cron, Days)) and not (isinstance(leaf, Once) and leaf.wall is not None):
        return
    elif change.after > change.before:
        note = _gap(rec, leaf, change)
    else:
        note = _overlap(rec, leaf, change)
    if note is not None:
        yield note


def _change_text(change: ClockChange) -> str:
    """`on 2026-03-29 clocks go from 02:00 to 03:00`."""
    before = (change.at + change.before).replace(tzinfo=None)
    after = (change.at + change.after).replace(tzinfo=None)
    day = "" if after.date() == before.date() else f" of {after.date().isoformat()}"
    way = "forward" if change.after > change.before else "back"
    return (
        f"on {before.date().isoformat()} clocks go {way} from {time_text(before.time())} "
        f"to {time_text(after.time())}{day}"
    )


def _shifted(rule: Every, change: ClockChange) -> Note | None:
    """An interval of elapsed time shows other wall times after a change that is no multiple of it."""
    shift = change.after - change.before
    if shift % timedelta(seconds=rule.seconds) == timedelta(0):
        return None
    way = "later" if shift > timedelta(0) else "earlier"
    size = length_text(int(abs(shift).total_seconds()))
    size = f"1 {size}" if size.isalpha() else size
    text = (
        f"{_change_text(change)}: {canonical(rule)} keeps its elapsed spacing, its wall times are {size} {way} after it"
    )
    return Note(change.at, "shifted", (), (), text)


def _nominal(rec: Recurrence, leaf: Rule, start: timedelta, shift: timedelta, at: datetime) -> list[datetime]:
    """The rule's nominal wall times in [at + start, at + start + shift), of a rule that reads the wall clock."""
    # In UTC every wall time exists once, so the rule's occurrences there are its nominal times.
    low = at + start - _SECOND
    flat = _on(rec, leaf, "UTC")
    return [instant.replace(tzinfo=None) for instant in flat.between(low, low + shift, limit=_MOST)]


def _on(rec: Recurrence, leaf: Rule, zone: str) -> Recurrence:
    from rota.calendar.recurrence import Recurrence as Recurring

    return Recurring(leaf, zone, dst_gap=rec.dst_gap, dst_overlap=rec.dst_overlap)


def _gap(rec: Recurrence, leaf: Rule, change: ClockChange) -> Note | None:
    walls = _nominal(rec, leaf, change.before, change.after - change.before, change.at)
    if not walls:
        return None
    what = f"{_change_text(change)}: {_walls_text(walls)} {_does(walls)} not exist"
    if not _moves(rec, leaf) or change.after - change.before >= _DAY:
        return Note(change.at, "skipped", tuple(walls), (), f"{what} and {_is(walls)} skipped")
    if rec.occurrence(change.at) is None:
        return None  # excepted
    zone = civil.zone(rec.zone_name)
    return Note(change.at, "moved", tuple(walls), (change.at,), f"{what}; fires at {_local(change.at, zone)} instead")


def _moves(rec: Recurrence, leaf: Rule) -> bool:
    """True when times in a gap fire at its end. Whether one is `moved` there or meets another time is the same."""
    interval_like = isinstance(leaf, Cron) and leaf.interval_like
    return rec.dst_gap == "run" or (rec.dst_gap == "auto" and not interval_like)


def _overlap(rec: Recurrence, leaf: Rule, change: ClockChange) -> Note | None:
    shift = change.before - change.after
    walls = _nominal(rec, leaf, change.after, shift, change.at)
    if not walls:
        return None
    leaf_here = _on(rec, leaf, rec.zone_name)
    edges = (change.at - shift - _SECOND, change.at - _SECOND, change.at + shift - _SECOND)
    # Each pass of the leaf alone, but for what the whole rule excepts.
    first, second = (
        [instant for instant in leaf_here.between(low, high, limit=_MOST) if rec.occurrence(instant) is not None]
        for low, high in pairwise(edges)
    )
    if not first and not second:
        return None
    what = f"{_change_text(change)}: {_walls_text(walls)} {'exists' if len(walls) == 1 else 'exist'} twice"
    instants = tuple(first + second)
    if first and second:
        return Note(change.at, "twice", tuple(walls), instants, f"{what}; fires both times")
    zone = civil.zone(rec.zone_name)
    shown = ", ".join(_local(instant, zone) for instant in instants[:_SHOWN])
    more = "" if len(instants) <= _SHOWN else ", ..."
    return Note(change.at, "once", tuple(walls), instants, f"{what}; fires once, at {shown}{more}")


def _walls_text(walls: list[datetime]) -> str:
    shown = ", ".join(time_text(wall.time()) for wall in walls[:_SHOWN])
    if len(walls) <= _SHOWN:
        return shown
    least = "at least " if len(walls) == _MOST else ""
    return f"{shown} and {least}{len(walls) - _SHOWN} more"


def _does(walls: list[datetime]) -> str:
    return "does" if len(walls) == 1 else "do"


def _is(walls: list[datetime]) -> str:
    return "is" if len(walls) == 1 else "are"


def _local(instant: datetime, zone: tzinfo) -> str:
    return instant.astimezone(UTC).astimezone(zone).isoformat(timespec="seconds" if instant.second else "minutes")
