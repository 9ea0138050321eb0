"""A job as its author holds it: still the function, and more schedules of it to declare."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

from rota.engine.registry import HANDLER_ATTRIBUTE

if TYPE_CHECKING:
    from rota.app.rota import Rota

P = ParamSpec("P")
T = TypeVar("T")


class JobHandle(Generic[P, T]):
    """What `@rota.job` leaves in the function's place. Calling it is an ordinary call, without rota."""

    __name__: str

    def __init__(self, rota: Rota, name: str, handler: Callable[P, T]) -> None:
        functools.update_wrapper(self, handler)
        setattr(self, HANDLER_ATTRIBUTE, handler)
        self._rota = rota
        self._handler = handler
        self.name = name

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        """Call the function itself."""
        return self._handler(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<job {self.name}>"

    def schedule(
        self,
        when: str | Sequence[str] | datetime,
        *,
        name: str | None = None,
        args: Mapping[str, Any] | None = None,
        **fields: Any,
    ) -> JobHandle[P, T]:
        """Declare a schedule of this job (source app); its name is the job's unless given. The job itself is returned.

        `fields` as in `rota.schedules.add`. It is applied when the application starts to serve. Raises InvalidValue for
        what no database is needed to refuse, Conflict for a name that is declared twice.
        """
        self._rota.declare(name or self.name, {"job": self.name, "when": when, "args": args or {}, **fields})
        return self
