"""The leading words of a line that say when; the rest says what: `rota remind friday at 17:00 call home`."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from rota.calendar import civil
from rota.calendar.clauses import Setting
from rota.calendar.grammar import HEADS, read_rule, single_occurrence
from rota.calendar.recurrence import Recurrence
from rota.calendar.route import is_cron
from rota.calendar.text import parse
from rota.calendar.tokens import Cursor, check_characters, invalid
from rota.calendar.vocabulary import PERIODS
from rota.errors import InvalidSchedule, NaiveDatetime

_MOST_WORDS: Final = 40


def longest_prefix(words: list[str], now: datetime, timezone: str = "UTC") -> tuple[Recurrence, int]:
    """The recurrence of the longest run of leading `words` that is a `when` text, and how many words that is.

    A text that names no repetition (`friday at 17:00`, `9am`) is its first occurrence after `now` alone. At most 40
    words are looked at. Raises InvalidSchedule when no prefix is a `when` text, UnknownZone, NaiveDatetime.
    """
    civil.zone(timezone)
    if now.utcoffset() is None:
        raise NaiveDatetime(f"now is {now.isoformat()}, without a zone: give an aware datetime")
    for count in range(min(len(words), _MOST_WORDS), 0, -1):
        text = " ".join(words[:count])
        rec = _single(text, now, timezone) or _repeated(text, now, timezone)
        if rec is not None:
            return rec, count
    text = " ".join(words[:_MOST_WORDS])
    raise invalid(text, 1, words[0] if words else "", HEADS)


def _single(text: str, now: datetime, timezone: str) -> Recurrence | None:
    piece = text.strip()
    if not piece or ";" in piece or piece.lower() in PERIODS or is_cron(piece):
        return None
    setting = Setting(timezone, now)
    try:
        check_characters(piece)
        cur = Cursor(piece, piece)
        reading = read_rule(cur, setting)
        if reading.repeats:
            return None
        rule = single_occurrence(cur, reading, setting).rule
    except InvalidSchedule:
        return None
    return Recurrence(rule, timezone, text=rule.canonical)


def _repeated(text: str, now: datetime, timezone: str) -> Recurrence | None:
    try:
        return parse(text, timezone, now=now)
    except InvalidSchedule:
        return None
