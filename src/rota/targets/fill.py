"""Placeholders: `{{occurrence}}`, `{{occurrence:%Y-%m-%d}}`, `{{since}}`, `{{invocation}}`, `{{args.x}}`.

Each fills exactly one value (a word of a command, an environment value, a piece of a URL, a JSON value, a header, a
text) in one pass, so that a value can neither become code nor hold another placeholder. Single braces are left alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from urllib.parse import quote, urlsplit

from rota.errors import InvalidValue
from rota.model.run import Claimed

_PLACEHOLDER: Final = re.compile(r"\{\{([^{}]*)\}\}")
_INSTANT: Final = re.compile(r"\s*(occurrence|since)\s*(?::(.*))?", re.DOTALL)
_NAME: Final = re.compile(r"\s*(?:(invocation)|args\.([^\s{}]+))\s*")
_DIRECTIVES: Final = "aAbBcdDeFfGHIjmMpRSTuUVwWxXyYzZ%"
_KNOWN: Final = "{{occurrence}}, {{occurrence:%Y-%m-%d}}, {{since}}, {{invocation}}, {{args.NAME}}"


@dataclass(frozen=True, slots=True)
class Values:
    """What placeholders stand for in one run; instants are aware, and already in the schedule's zone."""

    occurrence: datetime
    since: datetime | None
    invocation: str
    args: Mapping[str, Any]
    run_id: int = 0
    attempt: int = 1
    token: int = 0

    @classmethod
    def of(cls, run: Claimed) -> Values:
        """The values of `run`; without an occurrence the request's instant stands for it."""
        from rota.calendar.civil import zone

        where = zone(run.timezone)
        return cls(
            (run.scheduled_for or run.created_at).astimezone(where),
            run.since.astimezone(where) if run.since else None,
            run.invocation,
            run.args,
            run.id,
            run.attempt,
            run.token,
        )

    def environment(self) -> dict[str, str]:
        """The `ROTA_*` variables of a command or shell job; an argument that is no string is its JSON."""
        own = {
            "ROTA_OCCURRENCE": self.occurrence.isoformat(),
            "ROTA_SINCE": self.since.isoformat() if self.since else "",
            "ROTA_INVOCATION": self.invocation,
            "ROTA_RUN_ID": str(self.run_id),
            "ROTA_ATTEMPT": str(self.attempt),
            "ROTA_TOKEN": str(self.token),
        }
        return own | {f"ROTA_ARG_{variable(name)}": as_text(value) for name, value in self.args.items()}


def variable(name: str) -> str:
    """The part of a variable's name that an argument's name becomes: `workspace-id` -> `WORKSPACE_ID`."""
    return re.sub(r"[^A-Z0-9]", "_", name.upper())


def as_text(value: object) -> str:
    """A string as it is, None as the empty string, anything else as its JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def check_placeholders(text: str, field: str = "text") -> None:
    """Raise InvalidValue, naming `field`, for a placeholder in `text` that is not known or has a bad format."""
    for found in _PLACEHOLDER.finditer(text):
        inner = found[1]
        instant = _INSTANT.fullmatch(inner)
        if instant:
            _check_format(instant[2], found[0], field)
        elif not _NAME.fullmatch(inner):
            raise InvalidValue(f"{field}: {found[0]} is no placeholder; known are {_KNOWN}")


def _check_format(form: str | None, shown: str, field: str) -> None:
    if form is None:
        return
    directives = re.findall(r"%(?:-?(.))?", form, re.DOTALL)
    bad = not form or "\x00" in form or any(len(d) != 1 or d not in _DIRECTIVES for d in directives)
    if bad:
        raise InvalidValue(f"{field}: {shown} has a bad date format; an example that works is %Y-%m-%dT%H:%M:%S%z")


def check_json(value: Any, field: str) -> None:
    """`check_placeholders` for every text in a JSON value; keys are not filled."""
    if isinstance(value, str):
        check_placeholders(value, field)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            check_json(item, f"{field}.{key}")
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            check_json(item, f"{field}[{index}]")


def check_url(url: str, field: str = "url") -> None:
    """Raise InvalidValue unless `url` is http(s) with a host, and its placeholders are known and behind the host."""
    bare = _PLACEHOLDER.sub("x", url)
    try:
        parts, port = urlsplit(bare), urlsplit(bare).port
    except ValueError as error:
        raise InvalidValue(f"{field}: {url!r} is not a URL: {error}") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0 or re.search(r"[\x00-\x20\x7f]", bare):
        raise InvalidValue(f"{field}: {url!r} is not a URL of the form https://host/path")
    authority = re.split(r"[/?#]", url.split("//", 1)[1], maxsplit=1)[0]
    if "@" in authority:
        raise InvalidValue(f"{field}: user and password do not belong in a URL; use an Authorization header")
    if "{{" in authority:
        raise InvalidValue(f"{field}: a placeholder may not choose the host; it belongs behind it, in path or query")
    check_placeholders(url, field)


def fill_text(text: str, values: Values) -> str:
    """`text` with every placeholder replaced by its value as text; raises InvalidValue for a missing argument."""
    return _PLACEHOLDER.sub(lambda found: as_text(_value(found[1], values)), text)


def fill_json(value: Any, values: Values) -> Any:
    """A JSON value with its texts filled; a text that is one placeholder becomes the value itself, with its type."""
    if isinstance(value, str):
        whole = _PLACEHOLDER.fullmatch(value)
        return _value(whole[1], values) if whole else fill_text(value, values)
    if isinstance(value, Mapping):
        return {key: fill_json(item, values) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [fill_json(item, values) for item in value]
    return value


def fill_url(url: str, values: Values) -> str:
    """`url` with every value percent-encoded, so that it stays one piece: no `/`, `?`, `&`, `#`, `@`, `..`."""

    def piece(found: re.Match[str]) -> str:
        text = as_text(_value(found[1], values))
        if text in (".", ".."):
            raise InvalidValue(f"url: the value of {found[0]} is {text!r}, which would change the path")
        return quote(text.encode("utf-8", "replace"), safe="")

    return _PLACEHOLDER.sub(piece, url)


def fill_header(text: str, values: Values, field: str) -> str:
    """A header's value; raises InvalidValue where a value holds a line break or NUL, which would start a new header."""
    filled = fill_text(text, values)
    if re.search(r"[\x00\r\n]", filled):
        raise InvalidValue(f"{field}: the value holds a line break or NUL, which a header cannot carry")
    return filled


def _value(inner: str, values: Values) -> Any:
    instant = _INSTANT.fullmatch(inner)
    if instant:
        at = values.occurrence if instant[1] == "occurrence" else values.since
        if at is None:
            return None
        return at.isoformat() if instant[2] is None else at.strftime(instant[2])
    name = _NAME.fullmatch(inner)
    if name is None:
        raise InvalidValue(f"{{{{{inner}}}}} is no placeholder; known are {_KNOWN}")
    if name[1]:
        return values.invocation
    if name[2] not in values.args:
        raise InvalidValue(f"{{{{args.{name[2]}}}}}: the run has no argument {name[2]}")
    return values.args[name[2]]
