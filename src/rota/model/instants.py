"""Instants at the edge: RFC 3339 texts in, aware UTC inside, RFC 3339 with `Z` out."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from rota.errors import InvalidValue, NaiveDatetime

_EARLIEST: Final = datetime(2, 1, 1, tzinfo=UTC)
_LATEST: Final = datetime(9999, 1, 1, tzinfo=UTC)


def rfc3339(instant: datetime) -> str:
    """The instant in UTC with `Z`; a fraction only if it is not zero."""
    return instant.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"


def read_instant(field: str, value: object) -> datetime:
    """The instant that an aware datetime or an RFC 3339 text names, as aware UTC.

    Raises NaiveDatetime for one without a zone, InvalidValue for anything else.
    """
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            raise InvalidValue(
                f'{field}: {value!r} is not an instant; allowed are texts like "2026-03-29T01:00:00Z"'
            ) from None
    if not isinstance(value, datetime):
        raise InvalidValue(f"{field}: {value!r} is not an instant: give an aware datetime")
    if value.utcoffset() is None:
        raise NaiveDatetime(
            f"{field}: {value.isoformat()} has no time zone: give an aware datetime, or a text that ends with Z or an offset"
        )
    return in_range(field, value)


def in_range(field: str, instant: datetime) -> datetime:
    """An aware instant as UTC. Raises InvalidValue in the first and the last year of all: arithmetic wants room."""
    if not _EARLIEST <= instant < _LATEST:
        raise InvalidValue(f"{field}: {instant.isoformat()} is out of range; allowed are the years 2 to 9998")
    return instant.astimezone(UTC)


def local(instant: datetime, zone: str) -> str:
    """The instant on the clock of a zone with its offset: `2026-11-30 12:00:00 +00:00`."""
    from rota.calendar.civil import zone as zone_of

    text = instant.astimezone(zone_of(zone)).isoformat(sep=" ")
    return f"{text[:-6]} {text[-6:]}"
