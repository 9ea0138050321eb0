"""Which texts are cron."""

from __future__ import annotations

import re
from typing import Final

from rota.calendar.vocabulary import DATE, MONTHS, NTH, TIME, UNITS

_CRON_START: Final = re.compile(r"[0-9*?/+#,-]|[HLWR](?=$|[ \t(/#0-9W])")
_NOT_FIELD: Final = re.compile(r"[0-9]{4}-|[0-9]+[:.][0-9]|[0-9]+[a-z]")
_AFTER_NUMBER: Final = frozenset(("am", "pm", "and", "of")).union(UNITS, MONTHS)


def is_cron(piece: str) -> bool:
    """True when `piece` is to be read as a cron text: a nickname, a `*` or `?`, or a first word that only cron has."""
    first, *rest = piece.split() or [""]
    if first.startswith("@"):
        return first.lower() != "@every"
    if "*" in piece or "?" in piece:
        return True
    word = first.rstrip(",").lower()
    if not _CRON_START.match(first):
        return False
    if DATE.fullmatch(word) or NTH.fullmatch(word.partition(",")[0]) or (TIME.fullmatch(word) and not word.isdigit()):
        return False
    if _NOT_FIELD.match(word):
        return False
    return not (rest and word.isdigit() and rest[0].lower() in _AFTER_NUMBER)
