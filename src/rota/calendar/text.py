"""Any `when` text to a Recurrence: routes cron, joins rules by `;` and `except`, and makes every error precise."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from rota.calendar import civil
from rota.calendar.canonical import canonical, time_text
from rota.calendar.clauses import Reading, Setting
from rota.calendar.cron import parse_cron
from rota.calendar.exclude import minus_of
from rota.calendar.grammar import HEADS, read_rule
from rota.calendar.recurrence import Recurrence
from rota.calendar.route import is_cron
from rota.calendar.rules import Cron, Days, Except, Reboot, Rule, Union
from rota.calendar.tokens import LONGEST_TEXT, Cursor, check_characters, check_length, invalid
from rota.calendar.vocabulary import PERIODS
from rota.errors import InvalidSchedule, InvalidValue, NaiveDatetime

if TYPE_CHECKING:
    from rota.calendar.notes import Note

__all__ = ["canonical", "describe", "longest_prefix", "notes", "parse", "read_text", "union", "warnings", "why_never"]

_SPACE: Final = " \t\r\n"
_EXCEPT: Final = re.compile(r"(?<=[ \t])except(?=[ \t]|$)", re.IGNORECASE)
_AND: Final = re.compile(r"[ \t]and[ \t]", re.IGNORECASE)
_MOST_ANDS: Final = 6
_PLAIN_CRON: Final = re.compile(r"[0-9*/,-]+(?: [0-9A-Za-z*/,#?+-]+){4,5}")
_SUNDAY_NOTE: Final = "`weekly` and @weekly are Sundays at 00:00; `weekly at 00:00` or `every week` are Mondays"


def parse(
    when: str | Sequence[str],
    timezone: str = "UTC",
    *,
    now: datetime | None = None,
    key: str | None = None,
    anchor: datetime | None = None,
    calendars: Collection[str] | None = None,
    dst_gap: str = "auto",
    dst_overlap: str = "auto",
) -> Recurrence:
    """The recurrence of a `when` text, or of a list of texts (their union), in an IANA zone.

    `now` (aware) resolves relative texts (`in 2 hours`), which are refused without it; the recurrence's `text` is then
    the resolved one. `key` resolves `H` in cron texts. `anchor` (aware) replaces 2024-01-01T00:00 as the point that
    steps are counted from, for rules without `starting`. `calendars` names calendars that `except` may not use yet:
    the error then says so. Raises InvalidSchedule, UnknownZone, NaiveDatetime, InvalidValue.
    """
    civil.zone(timezone)
    if isinstance(when, str) and now is None and anchor is None and _PLAIN_CRON.fullmatch(when):
        try:  # What most texts are, read in a third of the time; all errors are explained below.
            return Recurrence(parse_cron(when, key), timezone, dst_gap=dst_gap, dst_overlap=dst_overlap, text=when)
        except InvalidSchedule:
            pass
    texts = _texts(when)
    setting = Setting(timezone, _aware(now, "now"), _wall(anchor, timezone))
    readings: list[Reading] = []
    for text in texts:
        readings += _read_or_explain(text, setting, key, calendars or ())
    rule = union(reading.rule for reading in readings)
    text = "; ".join(text.strip(_SPACE) for text in texts)
    written = canonical(rule)
    if len(written) > LONGEST_TEXT:
        problem = f"the rule has {len(written):,} characters when written out"
        raise invalid(text, 1, text[:1], f"{LONGEST_TEXT:,} characters", problem=problem)
    if any(reading.resolved for reading in readings):
        text = written
    notes = tuple(dict.fromkeys(note for reading in readings for note in reading.notes))
    return Recurrence(rule, timezone, dst_gap=dst_gap, dst_overlap=dst_overlap, text=text, warnings=notes)


def describe(rec: Recurrence) -> str:
    """One English sentence with the zone, without a full stop."""
    from rota.calendar.words import describe as described

    return described(rec)


def notes(rec: Recurrence, after: datetime, until: datetime) -> list[Note]:
    """What each clock change in (after, until] does to the recurrence; see `rota.calendar.notes`."""
    from rota.calendar.notes import notes as noted

    return noted(rec, after, until)


def warnings(rec: Recurrence, after: datetime | None = None) -> list[str]:
    """What may surprise about the recurrence (after `after`), one sentence each; see `rota.calendar.lint`."""
    from rota.calendar.lint import warnings as warned

    return warned(rec, after)


def why_never(rec: Recurrence, now: datetime | None = None) -> str | None:
    """Why the recurrence never fires (after `now`), or None if it does; see `rota.calendar.never`."""
    from rota.calendar.never import why_never as explained

    return explained(rec, now)


def longest_prefix(words: list[str], now: datetime, timezone: str = "UTC") -> tuple[Recurrence, int]:
    """The longest run of leading words that is a `when` text, and its length; see `rota.calendar.reminders`."""
    from rota.calendar.reminders import longest_prefix as longest

    return longest(words, now, timezone)


def union(rules: Iterable[Rule]) -> Rule:
    """One rule for all of `rules`: each once, in the order of their canonical texts; a single one as it is."""
    flat: dict[str, Rule] = {}
    for rule in rules:
        for part in rule.parts if isinstance(rule, Union) else (rule,):
            flat[canonical(part)] = part
    parts = tuple(flat[text] for text in sorted(flat))
    return parts[0] if len(parts) == 1 else Union(parts)


def _texts(when: object) -> list[str]:
    items = [when] if isinstance(when, str) else list(when) if isinstance(when, (list, tuple)) else None
    if not items or not all(isinstance(item, str) for item in items):
        raise invalid("", 1, "", "a text or a list of texts", problem=f"{ascii(when)[:80]} is no schedule")
    check_length("; ".join(items))
    return items


def _aware(instant: datetime | None, name: str) -> datetime | None:
    if instant is not None and instant.utcoffset() is None:
        raise NaiveDatetime(f"{name} is {instant.isoformat()}, without a zone: give an aware datetime")
    return instant


def _wall(anchor: datetime | None, timezone: str) -> datetime | None:
    aware = _aware(anchor, "anchor")
    if aware is None:
        return None
    try:
        return aware.astimezone(civil.zone(timezone)).replace(tzinfo=None, microsecond=0)
    except OverflowError:
        raise InvalidValue(f"anchor: {aware.isoformat()} has no wall time in {timezone}") from None


# Reading with explanations


def _read_or_explain(text: str, setting: Setting, key: str | None, calendars: Collection[str]) -> list[Reading]:
    try:
        return read_text(text, setting, key)
    except InvalidSchedule as error:
        from rota.calendar.suggest import explained

        def valid(candidate: str) -> bool:
            try:
                read_text(candidate, setting, key)
            except InvalidSchedule:
                return False
            return True

        raise explained(error, valid, calendars) from None


def read_text(text: str, setting: Setting, key: str | None = None) -> list[Reading]:
    """The rules of one text, as written between `;`. Raises InvalidSchedule with a column of `text`."""
    check_length(text)
    start, end = _trim(text, 0, len(text))
    if start == end:
        raise invalid(text, 1, "", HEADS, problem="an empty text is no schedule")
    if text[start:end].upper().startswith(("RRULE:", "DTSTART")):
        found = re.split("[:;]", text[start:end])[0]
        problem = "RRULE is not available in this version"
        raise invalid(text, start + 1, found, "any other `when` text", problem=problem)
    check_characters(text, start, end)
    source = _Source(text, setting, key)
    return [source.difference(start, end) for start, end in _split(text, re.compile(";"), 0, len(text))]


def _split(text: str, pattern: re.Pattern[str], start: int, end: int) -> list[tuple[int, int]]:
    """The stretches of text[start:end] between the matches of `pattern`, without the white space around them."""
    edges = [start, *(edge for match in pattern.finditer(text, start, end) for edge in match.span()), end]
    return [_trim(text, low, high) for low, high in zip(edges[::2], edges[1::2], strict=True)]


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start] in _SPACE:
        start += 1
    while end > start and text[end - 1] in _SPACE:
        end -= 1
    return start, end


@dataclass(frozen=True, slots=True)
class _Source:
    """A whole text and what it is read against; stretches of it are read as rules."""

    text: str
    setting: Setting
    key: str | None

    def difference(self, start: int, end: int) -> Reading:
        """`A except B except C`: the reading of A without what B and C match."""
        spans = _split(self.text, _EXCEPT, start, end)
        base, *taken = [self.term(*span) for span in spans]
        if not taken:
            return base
        rules = []
        for span, reading in zip(spans[1:], taken, strict=True):
            minus = minus_of(base.rule, reading)
            if minus is None:
                problem = "`except` needs the times of day of these days"
                raise invalid(self.text, span[1] + 1, "", "`at` and times", problem=problem)
            rules.append(minus)
        notes = tuple(note for reading in (base, *taken) for note in reading.notes)
        resolved = any(reading.resolved for reading in (base, *taken))
        return replace(base, rule=Except(base.rule, union(rules)), timed=True, notes=notes, resolved=resolved)

    def term(self, start: int, end: int) -> Reading:
        """One rule. Two rules joined by `and` are refused with what to write instead."""
        try:
            return self.single(start, end)
        except InvalidSchedule as error:
            joints = list(_AND.finditer(self.text, start, end))[:_MOST_ANDS]
            for joint in joints:
                left, right = _trim(self.text, start, joint.start()), _trim(self.text, joint.end(), end)
                parts = [self._try(*left), self._try(*right)]
                if parts[0] is not None and parts[1] is not None:
                    raise self._two_rules((left, right), (parts[0], parts[1]), joint) from None
            raise error from None

    def _try(self, start: int, end: int) -> Reading | None:
        try:
            return self.single(start, end)
        except InvalidSchedule:
            return None

    def single(self, start: int, end: int) -> Reading:
        """One rule: a nickname, a cron text, or words."""
        piece = self.text[start:end]
        if not piece:
            raise invalid(
                self.text, start + 1, self.text[start : start + 1], "a rule", problem="a rule is missing here"
            )
        word = piece.lower()
        if word == "@reboot":
            return Reading(Reboot(), repeats=False)
        if word in PERIODS:
            return Reading(parse_cron(f"@{word}"), notes=(_SUNDAY_NOTE,) if word == "weekly" else ())
        if is_cron(piece):
            notes = (_SUNDAY_NOTE,) if word == "@weekly" else ()
            return Reading(self._cron(piece, start), notes=notes)
        return read_rule(Cursor(piece, self.text, start), self.setting)

    def _cron(self, piece: str, start: int) -> Cron:
        try:
            return parse_cron(piece, self.key)
        except InvalidSchedule as error:
            if piece == self.text:
                raise
            suggestion = error.suggestion
            message = error.message.replace(f"column {error.column}:", f"column {error.column + start}:", 1)
            if suggestion is not None:
                whole = self.text[:start] + suggestion + self.text[start + len(piece) :]
                message, suggestion = message.replace(suggestion, whole), whole
            raise InvalidSchedule(
                message,
                text=self.text,
                column=error.column + start,
                found=error.found,
                allowed=error.allowed,
                suggestion=suggestion,
            ) from None

    def _two_rules(
        self, spans: tuple[tuple[int, int], tuple[int, int]], parts: tuple[Reading, Reading], joint: re.Match[str]
    ) -> InvalidSchedule:
        left, right = (self.text[slice(*span)] for span in spans)
        if not parts[0].timed and isinstance(parts[1].rule, Days) and parts[1].timed:
            # "every tuesday and every friday at 9" means 9 on both days, not midnight on the first.
            left += " at " + ",".join(time_text(at) for at in parts[1].rule.times)
        allowed = (
            f'"{left}; {right}" (either of the two) or, for days that must match both, one cron text with `+` '
            f"in the weekday field, such as {_both([part.rule for part in parts])}"
        )
        suggestion = f"{self.text[: spans[0][0]]}{left}; {right}{self.text[spans[1][1] :]}"
        problem = "`and` does not join two whole rules"
        return invalid(self.text, joint.start() + 2, "and", allowed, problem=problem, suggestion=suggestion)


def _both(rules: list[Rule]) -> str:
    """The cron text in which a day of the month and a weekday must both match: of these two rules, or an example."""
    crons = [rule for rule in rules if isinstance(rule, Cron) and len(rule.fields) == 5]
    if len(crons) == 2:
        for one, two in (crons, crons[::-1]):
            same = one.fields[:2] == two.fields[:2] and one.fields[3] == two.fields[3]
            if same and two.fields[2] in {"*", "?"} and one.fields[4] in {"*", "?"}:
                return " ".join([*one.fields[:4], "+" + two.fields[4].lstrip("+")])
    return "0 9 13 * +fri"
