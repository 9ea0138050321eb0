"""`Rota`: one application's door to rota. Jobs are declared on it, handles hang on it, `serve` runs it."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import logging
import os
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, ParamSpec, Self, TypeVar, overload

from rota.app import declared
from rota.app.core import Core, Place, Store
from rota.app.job import JobHandle
from rota.app.places import Events, Jobs, Lanes, Nodes
from rota.app.records import Run
from rota.app.runs import Runs
from rota.app.schedules import Schedules, check_typed, job_name
from rota.engine.registry import Registry, python_job
from rota.errors import DatabaseNotMigrated, DatabaseUnavailable, InvalidValue
from rota.model.instants import read_instant
from rota.model.policy import NAMES as POLICIES
from rota.model.schedule import DEFAULT
from rota.model.settings import Settings
from rota.model.spec import FIELDS
from rota.store import orders, starting
from rota.store.declared import Report

if TYPE_CHECKING:
    from sqlalchemy.engine import Engine

    from rota.app.aio import AsyncRota
    from rota.engine.service import Service

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger("rota")

ROLES: Final = ("scheduler", "worker")
_FIRST_WAIT: Final = 0.1
_OF_JOB: Final = ("version", "lane", "priority", *POLICIES)


class Rota:
    """An application of rota on one database, in one place (tenant, stack, environment).

    `url`: a database URL or an SQLAlchemy Engine; None is ROTA_DATABASE, else sqlite:///rota.db. Nothing is opened
    before the first use; an embedded database is created and migrated then, a PostgreSQL one must have been
    (DatabaseNotMigrated). `timezone` is the zone of the schedules it declares or adds that name none. `settings` (a
    Settings or a mapping) yields to environment variables. `origin` and `release` are those of declarations in code.
    """

    def __init__(
        self,
        url: str | Engine | None = None,
        *,
        tenant: str = DEFAULT,
        stack: str = DEFAULT,
        environment: str = DEFAULT,
        timezone: str | None = None,
        schema: str = "rota",
        settings: Settings | Mapping[str, Any] | None = None,
        origin: str | None = None,
        release: int | None = None,
    ) -> None:
        self._given: tuple[Settings | Mapping[str, Any] | None, ...] = (settings,)
        found = self._settings()
        store = Store(url, schema=schema, create=True, pool_size=found.pool_size)
        self._core = Core(store, Place(tenant, stack, environment), found, _checked_zone(timezone), registry=Registry())
        self._origin = origin
        self._release = release
        self._module: str | None = None
        self._declared = declared.Declarations()

    # Handles

    @property
    def schedules(self) -> Schedules:
        """Schedules."""
        return Schedules(self._core)

    @property
    def runs(self) -> Runs:
        """Runs."""
        return Runs(self._core)

    @property
    def jobs(self) -> Jobs:
        """Jobs that processes have registered."""
        return Jobs(self._core)

    @property
    def lanes(self) -> Lanes:
        """Lanes."""
        return Lanes(self._core)

    @property
    def nodes(self) -> Nodes:
        """Processes of rota."""
        return Nodes(self._core)

    @property
    def events(self) -> Events:
        """The spine."""
        return Events(self._core)

    @property
    def aio(self) -> AsyncRota:
        """The same handles, awaitable."""
        from rota.app.aio import AsyncRota

        return AsyncRota(self)

    def acting(self, actor: str, *, channel: str = "python", reason: str | None = None) -> Self:
        """The same application for somebody else: what is changed through it has this actor on record."""
        other = copy.copy(self)
        by = replace(self._core.by, actor=actor, channel=channel, reason=reason)
        other._core = replace(self._core, by=by)  # noqa: SLF001 - the copy's own
        return other

    def enqueue(
        self,
        job: str | JobHandle[..., Any],
        args: Mapping[str, Any] | None = None,
        *,
        lane: str | None = None,
        priority: int | None = None,
        not_before: datetime | timedelta | str | None = None,
        dedupe_key: str | None = None,
    ) -> Run:
        """Queue a run of a job now, or not before an instant (an aware datetime, RFC 3339, or a timedelta from now).

        The same `dedupe_key` again answers with the first run while that is kept. Raises JobNotFound, InvalidArguments,
        InvalidValue, NaiveDatetime.
        """
        name = job_name(job)
        order = orders.Order(
            name, self._core.place.scope, check_typed(self._core, name, args or {}), lane, priority,
            self._instant(not_before), dedupe_key,
        )  # fmt: skip
        return Run.of(self._core.store.desk.enqueue(self._core.database, order, self._core.by))

    def _instant(self, value: datetime | timedelta | str | None) -> datetime | None:
        if isinstance(value, timedelta):
            return self._core.database.clock.now() + value
        return None if value is None else read_instant("not_before", value)

    # Declaring

    @overload
    def job(
        self,
        handler: Callable[P, T],
        /,
        *,
        name: str | None = None,
        when: str | Sequence[str] | datetime | None = None,
        transactional: bool = False,
        isolated: bool = False,
        **options: Any,
    ) -> JobHandle[P, T]: ...

    @overload
    def job(
        self,
        *,
        name: str | None = None,
        when: str | Sequence[str] | datetime | None = None,
        transactional: bool = False,
        isolated: bool = False,
        **options: Any,
    ) -> Callable[[Callable[P, T]], JobHandle[P, T]]: ...

    def job(  # type: ignore[misc]  # mypy cannot match ParamSpec with `...` here
        self,
        *handler: Callable[..., Any],
        name: str | None = None,
        when: str | Sequence[str] | datetime | None = None,
        transactional: bool = False,
        isolated: bool = False,
        **options: Any,
    ) -> Any:
        """Declare the decorated function as a job and, with `when`, one schedule named after it.

        `options`: version, lane, priority and policies of the job, and any further field of the schedule (timezone,
        args, labels, …), which needs `when`. Raises InvalidValue for a handler or an option that cannot be, Conflict
        where another function has the name. Usable with and without parentheses.
        """
        of_job = {key: value for key, value in options.items() if key in _OF_JOB}
        of_schedule = {key: value for key, value in options.items() if key not in _OF_JOB}
        unknown = sorted(set(of_schedule) - set(FIELDS))
        if unknown:
            raise InvalidValue(f"{unknown[0]}: unknown option of a job; allowed are when, {', '.join(FIELDS)}")
        if of_schedule and when is None:
            raise InvalidValue(f"{min(of_schedule)}: it belongs to a schedule, so it needs when=")

        def declare(function: Callable[..., T]) -> JobHandle[..., T]:
            made = python_job(
                function, name=name, transactional=transactional, isolated=isolated, allow_local=not isolated, **of_job
            )
            self.registry.add(made)
            self._module = self._module or function.__module__
            handle = JobHandle(self, made.name, function)
            return handle if when is None else handle.schedule(when, **of_schedule)

        return declare(handler[0]) if handler else declare

    def declare(self, name: str, fields: Mapping[str, Any]) -> None:
        """Declare a schedule (source app), as `JOB.schedule` does: applied when the application starts to serve."""
        self._declared.add(self._core, name, fields, self.origin)

    @property
    def registry(self) -> Registry:
        """The jobs of this process."""
        return self._core.registry

    @property
    def origin(self) -> str:
        """The origin of its declarations: the one given, else code:MODULE:OBJ."""
        return self._origin or declared.code_origin(self, self._module)

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._core.settings

    @property
    def place(self) -> Place:
        """Tenant, stack and environment."""
        return self._core.place

    @property
    def core(self) -> Core:
        """What its handles share: for the rooms beside this one."""
        return self._core

    def configure(
        self, settings: Mapping[str, Any] | None = None, *, place: Place | None = None, timezone: str | None = None
    ) -> None:
        """Lay a file's settings over those given in code (environment variables stay above), and its place and zone."""
        self._given = (*self._given, settings)
        self._core = replace(
            self._core,
            settings=self._settings(),
            place=place or self._core.place,
            timezone=timezone or self._core.timezone,
        )

    def _settings(self) -> Settings:
        return Settings.of(*self._given, Settings.from_environment(os.environ))

    # Running

    def prepare(self) -> Report:
        """Register this process's jobs and apply what its code declares, in one transaction; what that did."""
        rows = declared.job_rows(self.registry, self.origin)
        where = declared.origin_of(self.place, self.origin)
        return self._core.change(("s",), starting.apply, rows, self._declared.items, where, self._release)

    def service(self, roles: Iterable[str] = ROLES, lanes: Iterable[str] | None = None) -> Service:
        """The loops of one process, not started; jobs registered, declarations applied. Raises InvalidValue."""
        from rota.engine.service import Service

        wanted = frozenset([roles] if isinstance(roles, str) else roles)
        if not wanted or not wanted <= set(ROLES):
            raise InvalidValue(f"roles: {sorted(wanted)!r} are not among {', '.join(ROLES)}")
        self.prepare()
        chosen = None if lanes is None else tuple([lanes] if isinstance(lanes, str) else lanes)
        return Service(self._core.database, self.registry, self.settings, roles=wanted, lanes=chosen)

    def serve(self, roles: Iterable[str] = ROLES, lanes: Iterable[str] | None = None) -> None:
        """Run this process's loops until SIGTERM or SIGINT, then drain; `lanes` None serves all.

        A PostgreSQL that is out of reach at the start is waited for; one that is not migrated is an error at once.
        """
        try:
            asyncio.run(self._serve(roles, lanes))
        finally:
            self.close()

    async def _serve(self, roles: Iterable[str], lanes: Iterable[str] | None) -> int:
        service = await self._service(roles, lanes)
        return await service.run_until_signal()

    async def _service(self, roles: Iterable[str], lanes: Iterable[str] | None) -> Service:
        """`service`, as soon as the database answers."""
        from rota.engine.wake import nap

        wait = _FIRST_WAIT
        while True:
            try:
                return await asyncio.to_thread(self.service, roles, lanes)
            except DatabaseUnavailable as error:
                if isinstance(error, DatabaseNotMigrated) or self._core.store.unopened.sqlite:
                    raise
                if wait == _FIRST_WAIT:
                    log.warning("database.away", extra={"error": str(error)})
            await nap(wait)
            wait = min(wait * 2, 5.0)

    @contextlib.asynccontextmanager
    async def serving(self, roles: Iterable[str] = ROLES, lanes: Iterable[str] | None = None) -> AsyncIterator[Service]:
        """Run the loops beside an asyncio application, from the start of the block; at its end they drain.

        Signals are the application's own affair. What keeps the loops from starting is raised here.
        """
        service = await self._service(roles, lanes)
        running = asyncio.create_task(service.run(), name="rota")
        started = asyncio.create_task(service.started.wait(), name="rota-started")
        try:
            await asyncio.wait({running, started}, return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                await running
            yield service
        finally:
            started.cancel()
            service.stop()
            await asyncio.gather(running, started, return_exceptions=True)
        await running

    def close(self) -> None:
        """Close this process's connections and threads; the next use opens them again."""
        self._core.store.unopened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _checked_zone(timezone: str | None) -> str | None:
    if timezone is not None:
        from rota.calendar.civil import zone

        zone(timezone)
    return timezone
