"""Instants and lengths as the pages show them."""

from __future__ import annotations

from datetime import datetime, timedelta

from rota.calendar import civil
from rota.model.instants import rfc3339

stamp = rfc3339


def clock(at: datetime, zone: str) -> str:
    """`Wed 2026-12-02 03:15:00 +01:00` on the wall of a zone."""
    local = at.astimezone(civil.zone(zone))
    offset = local.strftime("%z")
    return f"{local:%a %Y-%m-%d %H:%M:%S} {offset[:3]}:{offset[3:5]}"


def ago(at: datetime, now: datetime) -> str:
    """`in 3 h`, `2 min ago`; the script counts on in the same words."""
    seconds = (at - now).total_seconds()
    return f"in {about(seconds)}" if seconds >= 0 else f"{about(-seconds)} ago"


def about(seconds: float) -> str:
    """A length in its largest unit, rounded down."""
    if seconds >= 172800:
        return f"{int(seconds // 86400)} days"
    if seconds >= 3600:
        return f"{int(seconds // 3600)} h"
    return f"{int(seconds // 60)} min" if seconds >= 60 else f"{int(seconds)} s"


def length_to(start: datetime, end: datetime) -> str:
    """How long from `start` to `end`: `35 ms`, `1.2 s`, `3 min 5 s`, `2 h 10 min`."""
    length = max(end - start, timedelta(0))
    seconds = length.total_seconds()
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    if seconds < 3600:
        return f"{int(seconds // 60)} min {int(seconds % 60)} s"
    return f"{int(seconds // 3600)} h {int(seconds % 3600 // 60)} min"


def short_key(key: str) -> str:
    """The name alone where tenant, stack and environment are the defaults, else the whole key."""
    return key.removeprefix("default/default/default/")
