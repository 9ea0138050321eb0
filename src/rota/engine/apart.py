"""The steps of a sweep stand alone: one that fails keeps no other from its turn, and is told of once."""

from __future__ import annotations

import copy
import logging
import re
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

from rota.errors import DatabaseUnavailable, Error

log = logging.getLogger("rota.keeper")

T = TypeVar("T")
_NUMBERS: Final = re.compile(r"\d+")


class Apart:
    """Carries out steps and remembers which of them fail.

    A failure is told of when it begins, when it becomes another one and when it is over, not at every sweep between.
    `there` is asked when the database does not carry a step out: it raises where the database is away altogether, which
    is no step's own failure and ends the sweep. Without it the database's absence always does.
    """

    def __init__(self, there: Callable[[], Awaitable[object]] | None = None) -> None:
        self.failing: dict[str, str] = {}
        self._there = there
        self._needless: frozenset[str] = frozenset()

    def but(self, needless: frozenset[str]) -> Apart:
        """The same, but these steps have nothing to do: they answer `otherwise`, and none of them fails."""
        other = copy.copy(self)
        other._needless = needless  # noqa: SLF001 - its own kind
        return other

    async def do(self, name: str, step: Callable[[], Awaitable[T]], otherwise: T) -> T:
        """What the step answers; `otherwise` where it failed or is needless.

        Raises DatabaseUnavailable where the database is away.
        """
        try:
            done = otherwise if name in self._needless else await step()
        except Exception as error:  # noqa: BLE001 - told of below; the other steps have their turn
            await self._failed(name, error)
            return otherwise
        if self.failing.pop(name, None) is not None:
            log.info("repair.works", extra={"repair": name})
        return done

    async def _failed(self, name: str, error: Exception) -> None:
        away = isinstance(error, DatabaseUnavailable)
        if away and self._there is None:
            raise error
        if away and self._there is not None:
            await self._there()
        kind = f"{type(error).__name__}: {_NUMBERS.sub('', str(error))}"
        if self.failing.get(name) == kind:
            return
        self.failing[name] = kind
        facts: dict[str, Any] = {"repair": name, "error": str(error)}
        if away:
            log.warning("repair.failed", extra=facts)
        else:
            log.error("repair.failed", extra=facts, exc_info=None if isinstance(error, Error) else error)
