"""Instants and lengths for people: read from words, shown with their offset, and the machine's own zone."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime, timedelta
from typing import Final

import click

from rota.calendar import civil
from rota.calendar.rules import Once
from rota.calendar.text import parse
from rota.clock import SystemClock
from rota.errors import InvalidSchedule, InvalidValue, NaiveDatetime, UnknownZone
from rota.model.instants import in_range

_AGO: Final = re.compile(r"\s*(.+?)\s+ago\s*", re.IGNORECASE)
_SHOWN: Final = re.compile(
    r"^\s*(?:(?:mon|tue|wed|thu|fri|sat|sun) )?(\d{4}-\d\d-\d\d.*?)\s*([+-]\d\d:\d\d)?\s*$", re.IGNORECASE
)
"""An instant as rota itself shows it: a day's name before it, a blank before its offset."""
_LINKS: Final = ("/etc/localtime",)


def now() -> datetime:
    """The present instant, for what is shown and what is relative."""
    return SystemClock().now()


def shown(at: datetime | str | None, zone: str = "UTC") -> str:
    """`Wed 2026-07-01 03:15:00 +02:00` on the wall of a zone; an instant may come as the API's text."""
    if at is None:
        return ""
    local = instant_of(at).astimezone(civil.zone(zone))
    offset = local.strftime("%z")
    return f"{local:%a %Y-%m-%d %H:%M:%S} {offset[:3]}:{offset[3:5]}"


def plain(at: datetime | str | None, zone: str = "UTC") -> str:
    """The same for programs: RFC 3339 with the zone's offset."""
    return "" if at is None else instant_of(at).astimezone(civil.zone(zone)).isoformat()


def instant_of(at: datetime | str) -> datetime:
    """An instant of a record: as it is, or read from the API's text."""
    return at if isinstance(at, datetime) else datetime.fromisoformat(at)


def stamp(at: datetime) -> str:
    """As in the API's JSON: RFC 3339, UTC, `Z`, a fraction only if not zero."""
    return at.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"


def ago(at: datetime | str | None, at_now: datetime) -> str:
    """`in 3 h`, `2 min ago`: the distance of an instant from now, in its largest unit."""
    if at is None:
        return ""
    seconds = (instant_of(at) - at_now).total_seconds()
    size = about(timedelta(seconds=abs(seconds)))
    return f"in {size}" if seconds >= 0 else f"{size} ago"


def about(length: timedelta) -> str:
    """A length in its largest unit, rounded down: `45 s`, `12 min`, `3 h`, `5 days`."""
    seconds = length.total_seconds()
    for size, unit in ((86400 * 2, "days"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{int(seconds // (86400 if unit == 'days' else size))} {unit}"
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"


def read_instant(text: str, zone: str | None, at_now: datetime) -> datetime:
    """The instant that a text names: RFC 3339, `2 hours ago`, or any text of the `when` grammar that occurs once.

    A time without an offset is on the wall of `zone`; where there is none it is refused (NaiveDatetime).
    """
    text = _SHOWN.sub(r"\1\2", text)
    past = _AGO.fullmatch(text)
    if text.strip().lower() == "now":
        return at_now
    if past:
        return at_now - (read_instant(f"in {past[1]}", "UTC", at_now) - at_now)
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        return _once(text, zone or "UTC", at_now)
    if found.utcoffset() is not None:
        return in_range("instant", found)
    if zone is None:
        raise NaiveDatetime(f"{text} has no offset: write it as {found.isoformat()}Z or with an offset such as +02:00")
    return _once(found.isoformat(timespec="seconds"), zone, at_now)


def _once(text: str, zone: str, at_now: datetime) -> datetime:
    try:
        recurrence = parse(text, zone, now=at_now)
    except InvalidSchedule as error:
        raise InvalidValue(
            f"{text!r} is no instant; allowed are texts like 2026-12-24T18:00:00Z, 2026-12-24 18:00, tomorrow at 9am, "
            "in 2 hours, 2 hours ago"
        ) from error
    at = recurrence.next_after(civil.EPOCH) if isinstance(recurrence.rule, Once) else None
    if at is None:
        raise InvalidValue(f"{text!r} does not name one instant")
    return at


def machine_zone() -> str | None:
    """The IANA name of the machine's zone, from TZ, /etc/localtime or /etc/timezone; None where nothing tells."""
    candidates = [os.environ.get("TZ", "").lstrip(":")]
    for link in _LINKS:
        _, found, name = os.path.realpath(link).partition("zoneinfo/")
        candidates.append(name if found else "")
    try:
        with open("/etc/timezone", encoding="utf-8") as written:  # noqa: PTH123 - pathlib takes 4 ms to load
            candidates.append(written.read().strip())
    except OSError:
        candidates.append("")
    return next((name for name in candidates if name and _known(name)), None)


def _known(name: str) -> bool:
    try:
        civil.zone(name)
    except UnknownZone:
        return False
    return True


def name_zone(zone: str, at_now: datetime) -> None:
    """Say on stderr that the machine's own clock shows another time than the zone in force, which nobody named."""
    machine = machine_zone()
    if (
        machine
        and at_now.astimezone(civil.zone(machine)).utcoffset() != at_now.astimezone(civil.zone(zone)).utcoffset()
    ):
        click.echo(f"rota: no zone was given: times are in {zone}; this machine's is {machine}", err=True)
