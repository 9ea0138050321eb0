"""The calendar: texts and instants in, instants out. Pure: no clock, no host zone, no database.

`parse` and the types are imported on first use, so that importing this package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rota.calendar.recurrence import Occurrence, Recurrence
    from rota.calendar.text import parse

__all__ = ["Occurrence", "Recurrence", "parse"]

_HOMES = {
    "Occurrence": "rota.calendar.recurrence",
    "Recurrence": "rota.calendar.recurrence",
    "parse": "rota.calendar.text",
}


def __getattr__(name: str) -> Any:
    """Import the module that has `name`, once."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(home), name)
    globals()[name] = value
    return value
