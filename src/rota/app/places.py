"""The handles `rota.jobs`, `rota.lanes`, `rota.nodes` and `rota.events`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from rota.app.core import Core
from rota.app.records import Event, Job, Lane, Node
from rota.errors import JobNotFound, LaneNotFound
from rota.store import dialect, events, jobs, lanes, nodes

_READY: Final = ("r",)
_NODE: Final = re.compile("[0-9a-f]{32}")
_UNSET: Final[Any] = object()


@dataclass(frozen=True, slots=True)
class Jobs:
    """The jobs that processes have registered."""

    _core: Core

    def list(self, *, limit: int | None = None) -> Iterator[Job]:
        """Jobs in the order of their names, page by page; `limit` None: all."""
        after, left = None, limit
        while left is None or left > 0:
            size = min(200, left or 200)
            rows = self._core.read(jobs.page, after=after, limit=size)
            yield from (Job.of(row) for row in rows)
            if len(rows) < size:
                return
            after, left = rows[-1]["name"], None if left is None else left - len(rows)

    def get(self, name: str) -> Job:
        """The job. Raises JobNotFound."""
        found = next((job for job in self.list() if job.name == name), None)
        if found is None:
            raise JobNotFound(f"no job is called {name!r}")
        return found


@dataclass(frozen=True, slots=True)
class Lanes:
    """Lanes by name. Raises LaneNotFound for one that nobody has used or set."""

    _core: Core

    def list(self) -> Iterator[Lane]:
        """All lanes, in the order of their names."""
        yield from (_lane(row) for row in self._core.read(lanes.listing))

    def get(self, name: str) -> Lane:
        """The lane."""
        return _lane(self._core.read(lanes.get, name))

    def set(self, name: str, *, concurrency: int | None = _UNSET, rate: str | None = _UNSET) -> Lane:
        """Set what is given (None: no limit), creating a new lane. Raises InvalidValue."""
        given = {"concurrency": concurrency, "rate": rate}
        wanted = {key: value for key, value in given.items() if value is not _UNSET}
        self._core.change(_READY, _set, name, wanted, self._core.by)
        return self.get(name)

    def pause(self, name: str, *, reason: str | None = None) -> Lane:
        """Start nothing from this lane; what runs goes on."""
        return self._pause(name, reason, paused=True)

    def resume(self, name: str, *, reason: str | None = None) -> Lane:
        """Start runs from this lane again."""
        return self._pause(name, reason, paused=False)

    def _pause(self, name: str, reason: str | None, *, paused: bool) -> Lane:
        self._core.change(_READY, _pause, name, self._core.by.because(reason), paused=paused)
        return self.get(name)


def _lane(row: dict[str, Any]) -> Lane:
    return Lane.of(row)


def _set(conn: Any, name: str, wanted: dict[str, Any], by: Any) -> None:
    now = dialect.instant(conn)
    try:
        before = lanes.current(conn, name)
    except LaneNotFound:
        before = lanes.Lane(name)
    lanes.put(conn, replace(before, **wanted), now, by)


def _pause(conn: Any, name: str, by: Any, *, paused: bool) -> None:
    lanes.pause(conn, name, dialect.instant(conn), by, paused=paused)


@dataclass(frozen=True, slots=True)
class Nodes:
    """The processes of rota."""

    _core: Core

    def list(self, *, live: bool = False) -> Iterator[Node]:
        """All that are remembered, the latest first; with `live` those that have neither left nor were fenced."""
        yield from (_node(row) for row in self._core.read(nodes.listing, all_of_them=not live))

    def get(self, node: str) -> Node:
        """The node. Raises NodeNotFound."""
        return _node(self._core.read(nodes.get, node))

    def drain(self, node: str, *, on: bool = True, reason: str | None = None) -> Node:
        """Let a process take no further work; it learns of it at its next renewal. Raises NodeNotFound."""
        self._core.change(("c",), _drain, node, self._core.by.because(reason), on=on)
        return self.get(node)


def _node(row: dict[str, Any]) -> Node:
    lanes_of = row["lanes"]
    return Node.of(row | {"roles": tuple(row["roles"]), "lanes": None if lanes_of is None else tuple(lanes_of)})


def _drain(conn: Any, node: str, by: Any, *, on: bool) -> None:
    nodes.drain(conn, node, dialect.instant(conn), by, on=on)


@dataclass(frozen=True, slots=True)
class Events:
    """The spine: what happened, in the order that readers know."""

    _core: Core

    def list(
        self,
        *,
        after: int | None = None,
        limit: int | None = None,
        type: str | None = None,  # noqa: A002 - the field's name
        subject: str | None = None,
    ) -> Iterator[Event]:
        """Events with an id above `after`, oldest first; without `after` the last `limit` ones (all where None).

        `subject` is a key, a bare name in the application's place, or a node's id.
        """
        if not self._core.database.sqlite:  # there one writer numbers as it writes
            self._core.call(events.number)
        types, about = (type,) if type else (), self._subject(subject)
        if after is None and limit is not None:
            yield from (Event.of(row) for row in self._core.read(events.last, limit, types=types, subject=about))
            return
        mark, left = after or 0, limit
        while left is None or left > 0:
            rows = self._core.read(events.after, mark, min(500, left or 500), types=types, subject=about)
            yield from (Event.of(row) for row in rows)
            if not rows:
                return
            mark, left = rows[-1]["id"], None if left is None else left - len(rows)

    def _subject(self, subject: str | None) -> str | None:
        if subject is None or "/" in subject or _NODE.fullmatch(subject):
            return subject
        return str(self._core.place.key(subject))
