"""rota: the scheduler that turns "when" into work that happens exactly once, in your own database.

Names are loaded at their first use: `import rota` alone loads nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rota.app.job import JobHandle
    from rota.app.rota import Rota
    from rota.calendar.recurrence import Recurrence
    from rota.calendar.text import parse
    from rota.engine.context import Context, GiveUp, TryAgain
    from rota.errors import (
        Conflict,
        DatabaseNotMigrated,
        DatabaseUnavailable,
        Error,
        InvalidArguments,
        InvalidSchedule,
        InvalidValue,
        InvalidWhen,
        JobNotFound,
        NaiveDatetime,
        NotFound,
        RevisionMoved,
        RunNotFound,
        ScheduleExists,
        ScheduleNotFound,
        TimedOut,
        UnknownZone,
    )
    from rota.model.policy import Retry
    from rota.model.settings import Settings

__all__ = [
    "Conflict",
    "Context",
    "DatabaseNotMigrated",
    "DatabaseUnavailable",
    "Error",
    "GiveUp",
    "InvalidArguments",
    "InvalidSchedule",
    "InvalidValue",
    "InvalidWhen",
    "JobHandle",
    "JobNotFound",
    "NaiveDatetime",
    "NotFound",
    "Recurrence",
    "Retry",
    "RevisionMoved",
    "Rota",
    "RunNotFound",
    "ScheduleExists",
    "ScheduleNotFound",
    "Settings",
    "TimedOut",
    "TryAgain",
    "UnknownZone",
    "parse",
]

_HOMES = {
    "Context": "rota.engine.context",
    "GiveUp": "rota.engine.context",
    "JobHandle": "rota.app.job",
    "Recurrence": "rota.calendar.recurrence",
    "Retry": "rota.model.policy",
    "Rota": "rota.app.rota",
    "Settings": "rota.model.settings",
    "TryAgain": "rota.engine.context",
    "parse": "rota.calendar.text",
}


def __getattr__(name: str) -> Any:
    """Import the module that has `name`, once; errors are all in one."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES.get(name, "rota.errors")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names."""
    return sorted({*globals(), *__all__})
