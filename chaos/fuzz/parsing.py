"""`rota.parse`, and every question that a recurrence answers."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from chaos.fuzz.found import Found
from chaos.fuzz.texts import Texts, corpus
from rota.calendar.recurrence import Recurrence
from rota.calendar.text import parse
from rota.errors import InvalidSchedule

NOW: Final = datetime(2026, 3, 28, 23, 30, tzinfo=UTC)
ZONES: Final = (
    *("UTC", "UTC", "America/New_York", "Europe/Stockholm", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia"),
    *("Africa/Casablanca", "America/St_Johns", "Antarctica/Troll", "Etc/GMT+12"),
)
NO_ZONES: Final = ("", "UTC ", "utc", "Nowhere/Land", "../UTC", "Europe", "\x00", "/etc/passwd", "Europe/Stockholm/..")
_ENDS: Final = (datetime.max.replace(tzinfo=UTC), datetime.min.replace(tzinfo=UTC))
_ANCHORS: Final = (*(None,) * 12, NOW, *_ENDS)
_DECADE: Final = timedelta(days=3653)
_YEAR: Final = timedelta(days=366)
_QUESTIONS: Final[dict[str, Callable[[Recurrence, datetime], Any]]] = {
    "next_after": lambda rule, at: rule.next_after(at),
    "last_until": lambda rule, at: rule.last_until(at),
    "upcoming": lambda rule, at: rule.upcoming(at, 5),
    "between": lambda rule, at: rule.between(at, NOW + _DECADE, 5),
    "count": lambda rule, at: rule.count(max(at, NOW - _YEAR), NOW),
    "occurrence": lambda rule, at: rule.occurrence(at),
    "wall": lambda rule, at: None if (found := rule.next_after(at)) is None else rule.wall(found),
    "never_fires": lambda rule, _at: rule.never_fires,
    "describe": lambda rule, _at: rule.describe(),
    "warnings": lambda rule, _at: rule.warnings,
    "notes": lambda rule, at: rule.notes(max(at, NOW - _YEAR), NOW),
}


def fuzz(draw: random.Random, count: int, found: Found) -> None:
    """So many texts. What parses is asked everything, and its canonical text means the same."""
    texts = Texts(draw, corpus())
    for _ in range(count):
        text: str | list[str] = texts.one()
        if draw.random() < 0.03:
            text = [texts.one() for _ in range(draw.randint(0, 4))]
        zone = draw.choice(ZONES) if draw.random() < 0.98 else draw.choice(NO_ZONES)
        options = _options(draw)
        found.carry_out((text, zone, options), lambda t=text, z=zone, o=options: _asked(t, z, o, found))  # type: ignore[misc]


def _options(draw: random.Random) -> dict[str, Any]:
    given: dict[str, Any] = {
        "now": NOW if draw.random() < 0.8 else None,
        "key": draw.choice(("a", "default/default/default/x", "", None)),
        "anchor": draw.choice(_ANCHORS),
        "dst_gap": draw.choice(("auto", "auto", "skip", "run")),
        "dst_overlap": draw.choice(("auto", "auto", "first", "both")),
    }
    return {name: value for name, value in given.items() if value is not None}


def _asked(text: str | list[str], zone: str, options: dict[str, Any], found: Found) -> str:
    shown = (text, zone, options)
    try:
        rule = found.quick("parse", shown, lambda: parse(text, zone, **options))
    except InvalidSchedule as error:
        _explains(error, text, found)
        raise
    at = _ENDS[found.count % 2] if found.count % 50 < 2 else NOW - found.count % 4000 * _DECADE / 500
    for name, question in _QUESTIONS.items():
        found.quick(name, (*shown, at), lambda q=question: q(rule, at))  # type: ignore[misc]
    again = {name: value for name, value in options.items() if name in ("dst_gap", "dst_overlap")}
    if parse(rule.canonical, zone, **again) != rule:
        found.fault("the canonical text means something else", shown, rule.canonical)
    return "parsed"


def _explains(error: InvalidSchedule, text: str | list[str], found: Found) -> None:
    """The column points into the text; a suggestion parses."""
    whole = error.text or (text if isinstance(text, str) else "")
    if not 1 <= error.column <= len(whole) + 1:
        found.fault("the column of an error lies outside the text", text, f"{error.column} of {len(whole)}")
    if error.suggestion is not None:
        try:
            parse(error.suggestion, now=NOW, key="x")
        except InvalidSchedule as again:
            found.fault("a suggestion does not parse", text, f"{error.suggestion!r}: {again}")
