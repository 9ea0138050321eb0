"""Settings: one frozen value, from code, file and environment (weak to strong)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from typing import Any, Final

from rota.errors import InvalidValue
from rota.model.policy import length, length_text


@dataclass(frozen=True, slots=True)
class Settings:
    """How a process of rota behaves. Each field is `ROTA_` + its upper-case name in the environment.

    `lease`: a node whose heartbeat is not seen to move for this long is fenced; it renews three times as often.
    `poll`: the longest sleep of any loop. `drain`: how long a shutdown waits for handlers. `slots`: how many runs one
    process holds at a time. `retention`, `keep_runs`: history older than this goes, but for the last runs of each
    schedule. `kill_grace`: between SIGTERM and SIGKILL of a child. `log_limit`: bytes of output kept per run.
    `batch`: rows per transaction. `sweep`: the interval of the keeper's repairs. `stop_when_blind`: cancel what runs
    and can be retried when the database was out of reach for one lease.
    """

    lease: timedelta = timedelta(seconds=15)
    poll: timedelta = timedelta(seconds=5)
    drain: timedelta = timedelta(seconds=30)
    sweep: timedelta = timedelta(seconds=30)
    retention: timedelta = timedelta(days=90)
    kill_grace: timedelta = timedelta(seconds=5)
    stuck_after: timedelta = timedelta(seconds=30)
    keep_runs: int = 100
    slots: int = 100
    batch: int = 1000
    log_limit: int = 1_048_576
    pool_size: int = 8
    stop_when_blind: bool = False
    allow_private: bool = False
    webhook_secret: str | None = None

    @property
    def renewal(self) -> timedelta:
        """The interval of heartbeats: a third of the lease."""
        return self.lease / 3

    @classmethod
    def of(cls, *sources: Mapping[str, Any] | Settings | None) -> Settings:
        """The settings that the sources give, later ones over earlier ones. Raises InvalidValue with every bad field."""
        result = cls()
        errors: list[dict[str, Any]] = []
        for source in sources:
            if isinstance(source, Settings):
                result = source
                continue
            for name, raw in (source or {}).items():
                try:
                    result = replace(result, **{name: _parse(name, raw)})
                except InvalidValue as error:
                    errors.append({"pointer": f"/settings/{name}", "detail": error.message})
        if errors:
            raise InvalidValue("; ".join(e["detail"] for e in errors), errors=errors)
        return result

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> dict[str, Any]:
        """The fields that `ROTA_LEASE`, `ROTA_POLL`, … set, as a source for `of`."""
        names = {f"ROTA_{f.name.upper()}": f.name for f in fields(cls)}
        return {names[key]: value for key, value in environment.items() if key in names and value != ""}

    def to_json(self) -> dict[str, Any]:
        """Every setting, lengths as text; secrets are not shown."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        shown = {k: length_text(v) if isinstance(v, timedelta) else v for k, v in values.items()}
        return shown | {"webhook_secret": "set" if self.webhook_secret else None}


_WHOLE: Final[dict[str, tuple[int, int]]] = {
    "keep_runs": (0, 1_000_000),
    "slots": (1, 100_000),
    "batch": (1, 10_000),
    "log_limit": (0, 1_073_741_824),
    "pool_size": (1, 1000),
}
_SHORTEST: Final = {"lease": 0.3, "poll": 0.01, "sweep": 0.05, "retention": 60.0}


def _parse(name: str, raw: Any) -> Any:
    known = [f.name for f in fields(Settings)]
    if name not in known:
        raise InvalidValue(f"{name}: unknown setting; allowed are {', '.join(known)}")
    if name in _WHOLE:
        return _whole(name, raw)
    if name in ("stop_when_blind", "allow_private"):
        return _flag(name, raw)
    if name == "webhook_secret":
        return None if raw is None else str(raw)
    value = length(raw, name)
    if value.total_seconds() < _SHORTEST.get(name, 0.0):
        raise InvalidValue(f"{name}: {raw!r} is shorter than {_SHORTEST[name]:g} s")
    return value


def _whole(name: str, raw: Any) -> int:
    least, most = _WHOLE[name]
    if isinstance(raw, str) and re.fullmatch("[0-9]{1,10}", raw, re.ASCII):
        raw = int(raw)
    if not isinstance(raw, int) or isinstance(raw, bool) or not least <= raw <= most:
        raise InvalidValue(f"{name}: {raw!r} is not a whole number from {least} to {most}")
    return raw


def _flag(name: str, raw: Any) -> bool:
    if isinstance(raw, bool):
        return raw
    known = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}
    if str(raw).lower() in known:
        return known[str(raw).lower()]
    raise InvalidValue(f"{name}: {raw!r} is not true or false")
