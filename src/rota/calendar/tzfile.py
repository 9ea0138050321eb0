"""Reading a compiled zone (TZif, RFC 9636): its changes of UTC offset, listed and by its closing rule.

The standard library can answer "which offset now", but not "when next"; a search that jumps needs the latter.
"""

from __future__ import annotations

import re
import struct
from datetime import date
from typing import NamedTuple

_DAY = 86400
_EPOCH = date(1970, 1, 1).toordinal()
_HEADER = struct.Struct(">4sc15x6l")
_TYPE = struct.Struct(">lBB")

_NAME = r"(?:<[^>]+>|[A-Za-z]+)"
_TIME = r"[+-]?\d+(?::\d+){0,2}"
_RULE = re.compile(
    rf"{_NAME}(?P<std>{_TIME})"
    rf"(?:{_NAME}(?P<dst>{_TIME})?,(?P<begin>[^,/]+)(?:/(?P<begin_at>{_TIME}))?,(?P<end>[^,/]+)(?:/(?P<end_at>{_TIME}))?)?"
)


class _Block(NamedTuple):
    times: tuple[int, ...]
    offsets: list[int]
    first: int
    end: int


def changes_of(data: bytes, last_year: int) -> tuple[int, list[tuple[int, int, int]]]:
    """The offset before any change, and every change as (instant, offset before, offset after) up to `last_year`.

    Instants are seconds since 1970-01-01T00:00Z, offsets seconds east of UTC. What alters only a name or a flag is
    no change. Raises ValueError if `data` is no TZif file of version 2 or later.
    """
    block = _block(data, _block(data, 0, 4).end, 8)
    footer = data[block.end :].strip(b"\n").decode("ascii")
    listed = list(zip(block.times, block.offsets, strict=True))
    start = listed[-1][0] if listed else None
    for at, offset in _by_rule(footer, last_year):
        if start is None or at > start:
            listed.append((at, offset))
    changes: list[tuple[int, int, int]] = []
    before = block.first
    if not block.times and (std := _RULE.fullmatch(footer)):
        before = -_seconds(std["std"])
    first = before
    for at, offset in listed:
        if offset != before:
            changes.append((at, before, offset))
            before = offset
    return first, changes


def _block(data: bytes, at: int, width: int) -> _Block:
    """One data block with transition times of `width` bytes; `end` is where the next part begins."""
    magic, version, n_utc, n_std, n_leap, n_times, n_types, n_chars = _HEADER.unpack_from(data, at)
    if magic != b"TZif" or version < b"2":
        raise ValueError("no TZif file of version 2 or later")
    at += _HEADER.size
    times = struct.unpack_from(f">{n_times}{'q' if width == 8 else 'l'}", data, at)
    at += n_times * width
    which = data[at : at + n_times]
    at += n_times
    types = [_TYPE.unpack_from(data, at + i * _TYPE.size)[0] for i in range(n_types)]
    end = at + n_types * _TYPE.size + n_chars + n_leap * (width + 4) + n_std + n_utc
    return _Block(times, [types[i] for i in which], types[0] if types else 0, end)


def _by_rule(footer: str, last_year: int) -> list[tuple[int, int]]:
    """The (instant, new offset) that the closing POSIX rule gives for the years 1970 to `last_year`, in order."""
    rule = _RULE.fullmatch(footer)
    if rule is None or rule["begin"] is None:
        return []
    standard = -_seconds(rule["std"])
    summer = -_seconds(rule["dst"]) if rule["dst"] else standard + 3600
    begin_at = _seconds(rule["begin_at"] or "2")
    end_at = _seconds(rule["end_at"] or "2")
    found: list[tuple[int, int]] = []
    for year in range(1970, last_year + 1):
        found.append((_day_of(rule["begin"], year) * _DAY + begin_at - standard, summer))
        found.append((_day_of(rule["end"], year) * _DAY + end_at - summer, standard))
    return sorted(found)


def _seconds(text: str) -> int:
    sign = -1 if text.startswith("-") else 1
    parts = [int(part) for part in text.lstrip("+-").split(":")] + [0, 0]
    return sign * (parts[0] * 3600 + parts[1] * 60 + parts[2])


def _day_of(text: str, year: int) -> int:
    """The day that a POSIX date (`M3.2.0`, `J60`, `59`) names in `year`, as days since 1970-01-01."""
    new_year = date(year, 1, 1).toordinal() - _EPOCH
    if text.startswith("M"):
        month, week, weekday = (int(part) for part in text[1:].split("."))
        return _weekday_of(year, month, week, weekday)
    if text.startswith("J"):  # 1 to 365: 29 February is not counted
        leap_day_before = int(text[1:]) > 59 and date(year, 12, 31).timetuple().tm_yday == 366
        return new_year + int(text[1:]) - 1 + leap_day_before
    return new_year + int(text)


def _weekday_of(year: int, month: int, week: int, weekday: int) -> int:
    """The week-th (5: last) weekday (0 = Sunday) of a month, as days since 1970-01-01."""
    first = date(year, month, 1)
    after = date(year + month // 12, month % 12 + 1, 1).toordinal()
    day = first.toordinal() + (weekday - first.isoweekday()) % 7 + (week - 1) * 7
    while day >= after:
        day -= 7
    return day - _EPOCH
