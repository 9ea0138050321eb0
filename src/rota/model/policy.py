"""Policies of a schedule: small frozen values with defaults (design document 2).

Lengths are `timedelta` inside; texts such as "90s", "5m", "2h30m" or numbers of seconds at the edge.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import timedelta
from typing import Any, Final

from rota.errors import InvalidValue

CATCHUP: Final = ("latest", "earliest", "all", "none")
OVERLAP: Final = ("skip", "queue_one", "queue_all", "replace", "allow")
BACKOFF: Final = ("fixed", "exponential", "jitter")
ON_LOST: Final = ("retry", "fail")
ON_EDIT: Final = ("skip", "catchup")
ON_RESUME: Final = ("skip", "catchup")

NONE_GRACE: Final = timedelta(seconds=60)
"""`catchup: none` is `latest` under this grace."""

_UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
_LENGTH: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m|h|d|w)")
_MAX_LENGTH: Final = timedelta(days=36525)


def length(value: object, field_name: str = "length") -> timedelta:
    """The length of time that `value` says: a timedelta, seconds as a number, or text such as "90s" or "2h30m".

    Raises InvalidValue for anything else, for negative lengths and for more than a hundred years.
    """
    if isinstance(value, timedelta):
        result = value
    elif isinstance(value, bool):
        raise InvalidValue(_bad_length(field_name, value))
    elif isinstance(value, (int, float)):
        if not 0 <= value <= _MAX_LENGTH.total_seconds():
            raise InvalidValue(_bad_length(field_name, value))
        result = timedelta(seconds=value)
    elif isinstance(value, str):
        result = _length_of_text(value, field_name)
    else:
        raise InvalidValue(_bad_length(field_name, value))
    if not timedelta(0) <= result <= _MAX_LENGTH:
        raise InvalidValue(_bad_length(field_name, value))
    return result


def _length_of_text(text: str, field_name: str) -> timedelta:
    stripped = text.strip()
    if re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,6})?", stripped, re.ASCII):
        return timedelta(seconds=min(float(stripped), _MAX_LENGTH.total_seconds() + 1))
    pieces = _LENGTH.findall(stripped)
    if not pieces or "".join(n + u for n, u in pieces) != stripped or len(stripped) > 40:
        raise InvalidValue(_bad_length(field_name, text))
    seconds = sum(float(number) * _UNITS[unit] for number, unit in pieces)
    return timedelta(seconds=min(seconds, _MAX_LENGTH.total_seconds() + 1))


def _bad_length(field_name: str, value: object) -> str:
    return f'{field_name}: {value!r} is not a length of time; allowed are seconds or texts like "90s", "5m", "2h", "1d"'


def length_text(value: timedelta) -> str:
    """The shortest exact text of a length: 90 s -> "90s", 300 s -> "5m", 2.5 s -> "2.5s"."""
    seconds = value.total_seconds()
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds and seconds % size == 0:
            return f"{int(seconds // size)}{unit}"
    return f"{seconds:.6f}".rstrip("0").rstrip(".") + "s"


@dataclass(frozen=True, slots=True)
class Retry:
    """How often and when a failed run is tried again.

    `attempts` counts all tries (1: no retry). The wait before try n+1 is `base` (fixed), `base * 2**(n-1)` (exponential)
    or a share of the latter chosen evenly between 0 and 1 (jitter: "full jitter", AWS Architecture Blog 2015), at most
    `max`. `on` has exception classes or their names; empty means every exception.
    """

    attempts: int = 1
    backoff: str = "exponential"
    base: timedelta | str | float = timedelta(seconds=10)
    max: timedelta | str | float = timedelta(hours=1)
    on: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.attempts, int) or isinstance(self.attempts, bool) or not 1 <= self.attempts <= 1000:
            raise InvalidValue(f"retry.attempts: {self.attempts!r} is not a whole number from 1 to 1000")
        one_of("retry.backoff", self.backoff, BACKOFF)
        object.__setattr__(self, "base", length(self.base, "retry.base"))
        object.__setattr__(self, "max", length(self.max, "retry.max"))
        names = (self.on,) if isinstance(self.on, (str, type)) else tuple(self.on)
        object.__setattr__(self, "on", tuple(_exception_name(x) for x in names))

    def covers(self, exception_names: tuple[str, ...]) -> bool:
        """Whether an exception with these class names (its whole MRO, bare and dotted) is to be tried again."""
        return not self.on or any(name in self.on for name in exception_names)

    def wait(self, attempt: int, share: float) -> timedelta:
        """The wait after try number `attempt` failed; `share` in [0, 1) is the caller's draw for full jitter."""
        base, most = length(self.base), length(self.max)
        if self.backoff == "fixed":
            return min(base, most)
        grown = min(base * (2 ** min(attempt - 1, 40)), most) if base else base
        return grown * share if self.backoff == "jitter" else grown

    def to_json(self) -> dict[str, Any]:
        """The object of the API's JSON."""
        return {
            "attempts": self.attempts,
            "backoff": self.backoff,
            "base": length_text(length(self.base)),
            "max": length_text(length(self.max)),
            "on": list(self.on),
        }

    @classmethod
    def of(cls, value: object) -> Retry:
        """A Retry from a Retry, a number of attempts, or the API's object; raises InvalidValue naming the field."""
        if isinstance(value, Retry):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return cls(attempts=value)
        if not isinstance(value, Mapping):
            raise InvalidValue(f"retry: {value!r} is not a number of attempts nor an object")
        known = {f.name for f in fields(cls)}
        unknown = sorted(str(k) for k in value if k not in known)
        if unknown:
            raise InvalidValue(f"retry.{unknown[0]}: unknown field; allowed are {', '.join(sorted(known))}")
        return cls(**{str(k): v for k, v in value.items()})


def _exception_name(value: object) -> str:
    if isinstance(value, type) and issubclass(value, BaseException):
        return value.__name__ if value.__module__ == "builtins" else f"{value.__module__}.{value.__qualname__}"
    if isinstance(value, str) and value:
        return value
    raise InvalidValue(f"retry.on: {value!r} is not an exception class nor the name of one")


def one_of(field_name: str, value: object, allowed: tuple[str, ...]) -> None:
    """Raise InvalidValue unless `value` is one of `allowed`."""
    if value not in allowed:
        raise InvalidValue(f"{field_name}: {value!r} is not one of {', '.join(allowed)}")


@dataclass(frozen=True, slots=True)
class Policies:
    """All policies of a schedule (or, as defaults, of a job); document 2 tells what each does."""

    catchup: str = "latest"
    catchup_window: timedelta | None = None
    catchup_max: int = 100
    grace: timedelta | None = None
    overlap: str = "skip"
    single_flight: str | None = None
    queue_max: int = 1000
    retry: Retry = field(default_factory=Retry)
    timeout: timedelta | None = None
    on_lost: str = "retry"
    max_lost: int = 3
    disable_after: int | None = None
    probe_after: timedelta | None = None
    jitter: timedelta | None = None
    on_edit: str = "skip"
    on_resume: str = "skip"

    def __post_init__(self) -> None:
        one_of("catchup", self.catchup, CATCHUP)
        one_of("overlap", self.overlap, OVERLAP)
        one_of("on_lost", self.on_lost, ON_LOST)
        one_of("on_edit", self.on_edit, ON_EDIT)
        one_of("on_resume", self.on_resume, ON_RESUME)
        _whole("catchup_max", self.catchup_max, 1, 1_000_000)
        _whole("queue_max", self.queue_max, 1, 1_000_000)
        _whole("max_lost", self.max_lost, 0, 1000)
        if self.disable_after is not None:
            _whole("disable_after", self.disable_after, 1, 1_000_000)
        if self.single_flight is not None and not (
            isinstance(self.single_flight, str)
            and 0 < len(self.single_flight) <= 200
            and self.single_flight.isprintable()
        ):
            raise InvalidValue(f"single_flight: {self.single_flight!r} is not a text of 1-200 printable characters")

    @property
    def effective_grace(self) -> timedelta | None:
        """The grace in force: `catchup: none` means at most 60 s."""
        if self.catchup != "none":
            return self.grace
        return NONE_GRACE if self.grace is None else min(self.grace, NONE_GRACE)

    def to_json(self) -> dict[str, Any]:
        """Flat keys as in the API; lengths as text, None where unset."""
        return {f.name: _value_json(getattr(self, f.name)) for f in fields(self)}


NAMES: Final = tuple(f.name for f in fields(Policies))
_LENGTHS: Final = ("catchup_window", "grace", "timeout", "probe_after", "jitter")


def _whole(field_name: str, value: object, least: int, most: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise InvalidValue(f"{field_name}: {value!r} is not a whole number from {least} to {most}")


def _value_json(value: object) -> Any:
    if isinstance(value, timedelta):
        return length_text(value)
    return value.to_json() if isinstance(value, Retry) else value


def parse_policies(given: Mapping[str, Any], base: Policies | None = None) -> Policies:
    """`base` (default: the defaults) with the `given` fields over it; raises InvalidValue with every bad field."""
    values: dict[str, Any] = {}
    errors: list[dict[str, Any]] = []
    for name, raw in given.items():
        try:
            values[name] = _parse_one(name, raw)
            replace(Policies(), **{name: values[name]})
        except InvalidValue as error:
            errors.append({"pointer": f"/{name}", "detail": error.message})
    if errors:
        raise InvalidValue("; ".join(e["detail"] for e in errors), errors=errors)
    return replace(base or Policies(), **values)


def stored_policies(stored: Mapping[str, Any]) -> Policies:
    """The policies of a stored definition; fields that only a later version knows are passed over."""
    return parse_policies({name: value for name, value in stored.items() if name in NAMES})


def _parse_one(name: str, raw: Any) -> Any:
    if name not in NAMES:
        raise InvalidValue(f"{name}: unknown policy; allowed are {', '.join(NAMES)}")
    if name == "retry":
        return Retry.of(1 if raw is None else raw)
    if name in _LENGTHS:
        return None if raw is None else length(raw, name)
    return raw
