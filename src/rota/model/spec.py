"""What somebody asks a schedule to be: checked field by field, every fault at once, in one normal form.

A spec is a dict with the fields that were given and no others. Its normal form is JSON: instants are RFC 3339 texts,
lengths are texts, `retry` is its whole object; two specs that ask for the same are equal dicts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Final

from rota.calendar.recurrence import GAPS, OVERLAPS
from rota.errors import Error, InvalidArguments, InvalidValue, InvalidWhen, NaiveDatetime
from rota.model.instants import read_instant, rfc3339
from rota.model.policy import NAMES as POLICIES
from rota.model.policy import Policies, one_of, parse_policies
from rota.model.schedule import check_name
from rota.model.storable import is_clean
from rota.model.timing import when_text

ARGS_LIMIT: Final = 1_048_576
"""Characters of JSON that a schedule's arguments may have."""
_TEXT_LIMIT: Final = 10_000
_WHOLE: Final = 2**31


class Faults:
    """Collects the errors of several fields, to be raised as one."""

    def __init__(self) -> None:
        self._found: list[tuple[str, Error]] = []

    @contextmanager
    def at(self, field: str) -> Iterator[None]:
        """Collect an error of the fields within."""
        try:
            yield
        except Error as error:
            self._found.append((field, error))

    def check(self) -> None:
        """Raise what was found: a single kind as itself, several kinds as that of `when`, else as InvalidValue."""
        if not self._found:
            return
        details = [detail for field, error in self._found for detail in _details(field, error)]
        message = "; ".join(dict.fromkeys(error.message for _, error in self._found))
        kinds = {type(error) for _, error in self._found}
        when = next((error for _, error in self._found if isinstance(error, InvalidWhen)), None)
        if when is not None:
            raise InvalidWhen(message, text=when.text, errors=details)
        raise (kinds.pop() if len(kinds) == 1 else InvalidValue)(message, errors=details)


def _details(field: str, error: Error) -> list[dict[str, Any]]:
    return error.errors or [{"pointer": f"/{field}", "detail": error.message}]


def normalise(given: Mapping[str, Any]) -> dict[str, Any]:
    """The normal form of a spec. Raises with every fault: InvalidValue, InvalidWhen, NaiveDatetime, InvalidArguments."""
    faults = Faults()
    found: dict[str, Any] = {}
    for field, value in given.items():
        with faults.at(field):
            found[field] = _field(field, value)
    faults.check()
    return found


def _field(field: str, value: Any) -> Any:
    reader = _READERS.get(field)
    if reader is not None:
        return reader(field, value)
    if field in POLICIES:
        return parse_policies({field: value}).to_json()[field]
    raise InvalidValue(f"{field}: unknown field; allowed are {', '.join(FIELDS)}")


def _when(_field: str, value: Any) -> Any:
    if isinstance(value, datetime) and value.utcoffset() is None:
        raise NaiveDatetime(f"when: {value.isoformat()} has no time zone: give an aware datetime, or a text")
    text = when_text(value)
    if isinstance(text, (list, tuple)) and text and all(isinstance(item, str) for item in text):
        return "; ".join(item.strip() for item in text)
    if not isinstance(text, str):
        raise InvalidWhen(
            f"when: {value!r:.80} is no schedule: give a text, a list of texts or an aware datetime",
            text=str(value)[:80],
        )
    return text.strip(" \t\r\n")


def _name(field: str, value: Any) -> str:
    return check_name(field, value)


def _name_or_none(field: str, value: Any) -> str | None:
    return None if value is None else check_name(field, value)


def _zone(field: str, value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise InvalidValue(f"{field}: {value!r} is not the name of a time zone")
    return value


def _note(field: str, value: Any) -> str | None:
    if value is None or (isinstance(value, str) and len(value) <= _TEXT_LIMIT and is_clean(value)):
        return value
    raise InvalidValue(f"{field}: not a text of at most {_TEXT_LIMIT} characters without NUL")


def _labels(field: str, value: Any) -> dict[str, str]:
    if value is None:
        return {}
    if not isinstance(value, Mapping) or len(value) > 100:
        raise InvalidValue(f"{field}: {value!r:.80} is not an object of at most 100 names and texts")
    for key, text in value.items():
        if not isinstance(key, str) or not isinstance(text, str) or not 1 <= len(key) <= 200 or len(text) > 1000:
            raise InvalidValue(f"{field}: {key!r}: {text!r:.80} is not a name with a text")
        if "=" in key or not key.isprintable() or not is_clean(text):
            raise InvalidValue(f"{field}: {key!r} is not a label: printable characters without = and NUL")
    return dict(value)


def _args(field: str, value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise InvalidArguments(
            f"{field}: {value!r:.80} is not an object of names and values",
            errors=[{"pointer": f"/{field}", "detail": "not an object"}],
        )
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidArguments(
            f"{field}: not JSON: {error}", errors=[{"pointer": f"/{field}", "detail": f"not JSON: {error}"}]
        ) from None
    if len(text) > ARGS_LIMIT or not is_clean(text) or "\\u0000" in text:
        problem = f"more than {ARGS_LIMIT} characters of JSON, or NUL or a lone surrogate in a text"
        raise InvalidArguments(f"{field}: {problem}", errors=[{"pointer": f"/{field}", "detail": problem}])
    found: dict[str, Any] = json.loads(text)
    return found


def _instant(field: str, value: Any) -> str | None:
    return None if value is None else rfc3339(read_instant(field, value))


def _whole(least: int, *, optional: bool) -> Callable[[str, Any], int | None]:
    def read(field: str, value: Any) -> int | None:
        if value is None and optional:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value < _WHOLE:
            raise InvalidValue(f"{field}: {value!r} is not a whole number from {least} to {_WHOLE - 1}")
        return value

    return read


def _choice(allowed: tuple[str, ...]) -> Callable[[str, Any], str]:
    def read(field: str, value: Any) -> str:
        one_of(field, value, allowed)
        return str(value)

    return read


def _flag(field: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise InvalidValue(f"{field}: {value!r} is not true or false")
    return value


_READERS: Final[dict[str, Callable[[str, Any], Any]]] = {
    "job": _name,
    "when": _when,
    "timezone": _zone,
    "args": _args,
    "lane": _name_or_none,
    "priority": _whole(-_WHOLE, optional=True),
    "owner": _name_or_none,
    "labels": _labels,
    "note": _note,
    "enabled": _flag,
    "anchor": _instant,
    "valid_from": _instant,
    "valid_until": _instant,
    "max_occurrences": _whole(1, optional=True),
    "dst_gap": _choice(GAPS),
    "dst_overlap": _choice(OVERLAPS),
}

FIELDS: Final = (*_READERS, *POLICIES)
"""All fields that a schedule may be given."""

DEFAULTS: Final[dict[str, Any]] = {
    "timezone": None,
    "args": {},
    "lane": None,
    "priority": None,
    "owner": None,
    "labels": {},
    "note": None,
    "anchor": None,
    "valid_from": None,
    "valid_until": None,
    "max_occurrences": None,
    "dst_gap": "auto",
    "dst_overlap": "auto",
}
"""What a field that is not given means, but for policies (the job's, else the defaults) and `enabled` (as it is)."""


def policies_of(given: Mapping[str, Any], base: Mapping[str, Any]) -> Policies:
    """The effective policies of a normal spec over the job's defaults."""
    return parse_policies({k: v for k, v in given.items() if k in POLICIES}, parse_policies(base))
