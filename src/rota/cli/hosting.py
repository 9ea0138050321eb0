"""A process that stays: its application made ready, its pages, its file followed, until a signal ends it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from rota.cli.client import local_only, place
from rota.cli.follow import Followed
from rota.cli.frame import State
from rota.cli.logs import configure
from rota.cli.sources import DEFAULT_FILE, Sources, read
from rota.errors import DatabaseNotMigrated, DatabaseUnavailable, MissingExtra
from rota.version import VERSION

if TYPE_CHECKING:
    from rota.app.rota import Rota
    from rota.engine.service import Service
    from rota.server.serve import Serving

log = logging.getLogger("rota")

RETRY_S: Final = (0.5, 1.0, 2.0, 5.0)
"""Waits between tries to reach a database at start; the last one repeats."""


@dataclass(frozen=True)
class Hosting:
    """What a process does. `web` adds pages at `host`:`port`; `create` makes an embedded database where there is none."""

    roles: tuple[str, ...]
    lanes: tuple[str, ...] | None = None
    slots: int | None = None
    web: bool = False
    host: str = "127.0.0.1"
    port: int = 8470
    create: bool = False


def serve(state: State, what: Sequence[str], hosting: Hosting) -> int:
    """Run the process until a signal; the exit code. What cannot start raises one of rota's errors."""
    local_only(state)
    configure(state)
    _strongest(state, hosting)
    sources = read(what, example=hosting.create)
    app = _application(state, sources)
    if not hosting.create:
        app.core.store.must_exist()
    if sources.builtin:
        log.info("no %s here: running the built-in example; write a file of your own with `rota init`", DEFAULT_FILE)
    process = Process(app, sources, hosting)
    try:
        return asyncio.run(process.run())
    finally:
        app.close()


def _strongest(state: State, hosting: Hosting) -> None:
    """Options go before the environment, and the environment before code and files: so they become part of it."""
    given = {"ROTA_DATABASE": state.db, "ROTA_SLOTS": hosting.slots}
    os.environ.update({name: str(value) for name, value in given.items() if value is not None})


def _application(state: State, sources: Sources) -> Rota:
    """The first MODULE:OBJ; else one of the options' and the files' own."""
    if sources.apps:
        app = sources.apps[0]
    else:
        from rota.app.rota import Rota

        app = Rota(**(_scope(sources) | place(state)))
    for file in sources.files:
        app.configure(file.settings)
    return app


def _scope(sources: Sources) -> dict[str, Any]:
    """Tenant, stack and environment of the first file that says them."""
    found: dict[str, Any] = {}
    for file in sources.files:
        given = {"tenant": file.tenant, "stack": file.stack, "environment": file.environment}
        found = {name: value for name, value in given.items() if value is not None} | found
    return found


class Process:
    """One process of rota, from its start to its end."""

    def __init__(self, app: Rota, sources: Sources, hosting: Hosting) -> None:
        self._app = app
        self._sources = sources
        self._hosting = hosting
        self._service: Service | None = None
        self._trouble = "it is starting"
        self._ended = asyncio.Event()
        self._signals = 0

    async def run(self) -> int:
        """Serve until a signal, then drain; 0, or 128 + the signal's number after a second signal."""
        pages = self._pages() if self._hosting.web else None
        tasks: list[asyncio.Task[Any]] = []
        try:
            if pages is not None:
                tasks.append(asyncio.create_task(pages.run(), name="pages"))
                tasks[0].add_done_callback(_told)
            return await self._work(tasks)
        finally:
            self._ended.set()
            if pages is not None:
                pages.stop()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _work(self, tasks: list[asyncio.Task[Any]]) -> int:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):  # until the service puts its own in their place
            loop.add_signal_handler(number, self._signalled, number)
        if not await self._until_ready():
            return 0
        tasks.append(asyncio.create_task(self._followed.follow(self._ended), name="follow"))
        if self._service is None:
            await self._ended.wait()
        elif not self._ended.is_set():
            return await self._service.run_until_signal()
        return 0

    # Start

    async def _until_ready(self) -> bool:
        """Make the database agree with the sources, waiting for one that is out of reach; False where a signal came."""
        for attempt in range(10**9):
            try:
                await asyncio.to_thread(self._start)
            except DatabaseUnavailable as error:
                if isinstance(error, DatabaseNotMigrated) or self._app.core.store.unopened.sqlite:
                    raise
                if attempt == 0:
                    log.warning("%s; trying again until it is back", error.message)
                self._trouble = error.message
            else:
                return True
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._ended.wait(), RETRY_S[min(attempt, len(RETRY_S) - 1)])
            if self._ended.is_set():
                return False
        raise AssertionError("unreachable")

    def _start(self) -> None:
        self._app.core.store.database  # noqa: B018 - opens, creates and looks at it
        for other in self._sources.apps[1:]:
            other.prepare()
        if self._hosting.roles:
            self._service = self._app.service(self._hosting.roles, self._hosting.lanes)
        elif self._sources.apps:
            self._app.prepare()
        for job in (job for other in self._sources.apps[1:] for job in other.registry):
            self._app.registry.add(job)
        self._followed = Followed(self._app, self._sources.files, changing=not self._sources.builtin)
        self._followed.apply()
        log.info(
            "rota %s on %s: %s", VERSION, self._app.core.database.shown, ", ".join(self._hosting.roles) or "pages only"
        )

    def _signalled(self, number: int) -> None:
        self._signals += 1
        self._ended.set()
        if self._signals > 1:
            os._exit(128 + number)

    # Pages

    def ready(self) -> dict[str, Any]:
        """What `/readyz` answers: the loops' own word, or why they do not run yet."""
        if self._service is not None:
            found: dict[str, Any] = self._service.ready()
            return found
        if self._hosting.roles:
            return {"ready": False, "reasons": [self._trouble]}
        return _reachable(lambda: self._app.nodes.list(live=True))

    def _pages(self) -> Serving | None:
        """The server, bound; None (and a word) where the extra is missing and other roles can do without."""
        try:
            from rota.server.application import build
            from rota.server.serve import Serving, bind, is_loopback, shown_address
        except ImportError as error:
            missing = f"pages need the extra `server`: pip install 'rota[server]' ({error})"
            if not self._hosting.roles:
                raise MissingExtra(missing) from None
            log.warning("running without pages: %s", missing)
            return None
        host = self._hosting.host
        if not is_loopback(host):
            log.warning(
                "pages are served on 127.0.0.1, not on %s: without tokens rota is open to this machine only", host
            )
            host = "127.0.0.1"
        listener = bind(host, self._hosting.port)
        log.info("pages on %s", shown_address(listener))
        shown = self._app.core.store.unopened.shown
        return Serving(build(self._app, self.ready, database=shown), listener)


def _told(task: asyncio.Task[Any]) -> None:
    if not task.cancelled() and task.exception() is not None:
        log.error("pages.failed", exc_info=task.exception())


def _reachable(look: Callable[[], Any]) -> dict[str, Any]:
    try:
        list(look())
    except DatabaseUnavailable as error:
        return {"ready": False, "reasons": [error.message]}
    return {"ready": True, "reasons": []}
