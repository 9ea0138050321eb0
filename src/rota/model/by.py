"""Who changes something, by which way, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class By:
    """Stands on record with each change. `channel` is python, cli, api, file, code or engine."""

    actor: str = "python"
    channel: str = "python"
    reason: str | None = None

    def because(self, reason: str | None) -> By:
        """The same with a reason, if there is one."""
        return self if reason is None else replace(self, reason=reason)
