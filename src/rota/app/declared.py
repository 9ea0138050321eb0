"""Schedules declared in code: collected while modules load, applied in one transaction at start."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rota.app.core import Core, Place
from rota.engine.registry import Job
from rota.errors import Conflict
from rota.model.spec import normalise
from rota.model.timing import read_when
from rota.store import declared
from rota.store.jobs import JobRow


class Declarations:
    """The schedules that one application declares, in the order of their declaration."""

    def __init__(self) -> None:
        self._items: dict[str, declared.Item] = {}

    def add(self, core: Core, name: str, fields: Mapping[str, Any], where: str) -> None:
        """Declare one. Raises Conflict for a second one of the name that is not the same, and what its fields get wrong."""
        key = core.place.key(name)
        spec = normalise(core.with_zone(dict(fields)))
        when, zone = spec.get("when"), spec.get("timezone") or "UTC"
        if when is not None:
            read_when(when, zone, now=core.store.unopened.clock.now(), key=str(key))
        item = declared.Item(key.name, spec, where)
        known = self._items.get(key.name)
        if known is not None and known.spec != item.spec:
            raise Conflict(f"schedule {name}: it is declared twice in {where}, each time otherwise")
        self._items[key.name] = item

    @property
    def items(self) -> tuple[declared.Item, ...]:
        """All of them."""
        return tuple(self._items.values())


def job_rows(jobs: Iterable[Job], origin: str | None) -> list[JobRow]:
    """What the registry's table is told about the jobs of this process."""
    return [
        JobRow(
            name=job.name,
            kind=job.kind,
            version=job.version,
            parameters=None if job.parameters is None else job.parameters.schema(),
            defaults=job.policies,
            lane=job.lane,
            priority=job.priority,
            origin=origin,
        )
        for job in jobs
    ]


def origin_of(place: Place, name: str) -> declared.Origin:
    """The origin of declarations in code: nothing of it is removed at a start."""
    return declared.Origin(name, place.tenant, place.stack, place.environment, prune=False)


def code_origin(owner: object, module: str | None) -> str:
    """`code:MODULE:OBJ`: the module where jobs are declared, and the name under which it holds the application.

    A module that was started as the main one has the name that importing it would give it.
    """
    if module is None:
        return "code:-:rota"
    found = sys.modules.get(module)
    names = [name for name, value in vars(found).items() if value is owner] if found is not None else []
    if module == "__main__" and found is not None:
        module = _main_name(found)
    return f"code:{module}:{names[0] if names else 'rota'}"


def _main_name(found: Any) -> str:
    spec = getattr(found, "__spec__", None)
    if spec is not None and spec.name != "__main__":
        return str(spec.name).removesuffix(".__main__")
    file = getattr(found, "__file__", None)
    return Path(file).stem if file else "__main__"
