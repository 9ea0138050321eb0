"""The handle `rota.runs`: reading runs, waiting for them, cancelling, running again."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from rota.app.core import Core
from rota.app.records import LogLine, Page, Run
from rota.errors import InvalidValue, TimedOut
from rota.model.policy import length
from rota.model.run import FINAL, STATES
from rota.model.storable import findable
from rota.store import cancels, dialect, logs, orders, runs

_SHORTEST: Final = 0.02
_LONGEST: Final = 0.5
_CANCEL: Final = ("c", "s")
_WORK: Final = ("s", "r")
_FILTERS: Final = ("schedule", "job", "state", "lane", "node", "cause")


Lines = list[LogLine]
Artifacts = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Runs:
    """Runs by id. Raises RunNotFound for an id that is not there (any more)."""

    _core: Core

    def get(self, run_id: int) -> Run:
        """The run."""
        return Run.of(self._core.read(runs.get, run_id))

    def list(self, *, limit: int | None = None, **filters: Any) -> Iterator[Run]:
        """Runs, newest first, page by page; `limit` None: all. `filters` as in `page`."""
        cursor, left = None, limit
        while True:
            page = self.page(cursor=cursor, limit=min(200, left or 200), **filters)
            yield from page.items
            left = None if left is None else left - len(page.items)
            cursor = page.next_cursor
            if cursor is None or left == 0:
                return

    def page(self, *, cursor: str | None = None, limit: int = 50, **filters: Any) -> Page[Run]:
        """One page, newest first. `filters`: schedule (name or key), job, state (or several), lane, node, cause."""
        if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= 1000:
            raise InvalidValue(f"limit: {limit!r} is not a whole number from 1 to 1000")
        rows = self._core.read(runs.page, self._filter(cursor, filters), limit + 1)
        shown = [Run.of(row) for row in rows[:limit]]
        return Page(tuple(shown), str(shown[-1].id) if len(rows) > limit else None)

    def _filter(self, cursor: str | None, filters: dict[str, Any]) -> runs.Filter:
        unknown = sorted(set(filters) - set(_FILTERS))
        if unknown:
            raise InvalidValue(f"{unknown[0]}: unknown filter; allowed are {', '.join(_FILTERS)}")
        wanted = {name: value for name, value in filters.items() if value is not None}
        states = wanted.pop("state", ())
        states = (states,) if isinstance(states, str) else tuple(states)
        wrong = [state for state in states if state not in STATES]
        if wrong:
            raise InvalidValue(f"state: {wrong[0]!r} is not one of {', '.join(STATES)}")
        if "schedule" in wanted:
            wanted["schedule"] = str(self._core.place.key(wanted["schedule"]))
        for name, text in wanted.items():
            findable(name, text)
        return runs.Filter(states=states, after=_cursor(cursor), **wanted)

    def wait(self, run_id: int, timeout: timedelta | str | float | None = None) -> Run:
        """The run once it is final. Raises TimedOut (a timeout of None waits for ever) and RunNotFound."""
        clock = self._core.database.clock
        limit = None if timeout is None else length(timeout, "timeout").total_seconds()
        begun, nap = clock.monotonic(), threading.Event()
        pause = _SHORTEST
        while True:
            state = self._core.read(runs.states, [run_id]).get(run_id)
            if state is None or state in FINAL:
                return self.get(run_id)
            left = None if limit is None else limit - (clock.monotonic() - begun)
            if left is not None and left <= 0:
                raise TimedOut(f"run {run_id} is still {state} after {limit:g} s")
            nap.wait(pause if left is None else min(pause, left))
            pause = min(pause * 1.5, _LONGEST)

    def cancel(self, run_id: int, *, reason: str | None = None) -> Run:
        """Ask for the end: a queued run is cancelled at once, a running one is `cancelling` until its code has stopped.

        Raises Conflict for a run that has ended otherwise.
        """
        self._core.change(_CANCEL, _cancel, run_id, self._core.by.because(reason))
        return self.get(run_id)

    def retry(self, run_id: int, *, reason: str | None = None) -> Run:
        """A new run for what a final run stood for. Raises Conflict where it is not final or its schedule was removed."""
        made = self._core.change(_WORK, orders.retry, run_id, self._core.by.because(reason))
        return self.get(made)

    def logs(self, run_id: int, *, after: LogLine | None = None, limit: int = 1000) -> Lines:
        """At most `limit` pieces of the run's output, in order, behind `after`; readable while the run goes on."""
        mark = None if after is None else (after.token, after.seq)
        return [LogLine.of(row) for row in self._core.read(_logs, run_id, mark, limit)]

    def artifacts(self, run_id: int) -> Artifacts:
        """What the run saved with `ctx.save`, by name: {name, at, size in bytes}."""
        self.get(run_id)
        return self._core.read(logs.artifacts, run_id)

    def artifact(self, run_id: int, name: str) -> bytes:
        """One artifact of a run. Raises NotFound."""
        self.get(run_id)
        return self._core.read(logs.artifact, run_id, name)

    def follow(self, run_id: int) -> Iterator[LogLine]:
        """The run's output as it comes, until the run is final and all of it was told."""
        last: LogLine | None = None
        nap, pause = threading.Event(), _SHORTEST
        while True:
            ended = self.get(run_id).final
            found = self.logs(run_id, after=last)
            yield from found
            last = found[-1] if found else last
            if ended and not found:
                return
            pause = _SHORTEST if found else min(pause * 1.5, _LONGEST)
            nap.wait(0 if found else pause)


def _cancel(conn: Any, run_id: int, by: Any) -> str:
    return cancels.request_cancel(conn, run_id, "cancel", by, dialect.instant(conn))


def _logs(conn: Any, run_id: int, after: tuple[int, int] | None, limit: int) -> Any:
    runs.get(conn, run_id)
    return logs.read(conn, run_id, after=after, limit=limit)


def _cursor(cursor: str | None) -> int | None:
    if cursor is None:
        return None
    if not (isinstance(cursor, str) and cursor.isascii() and cursor.isdigit() and len(cursor) < 19):
        raise InvalidValue(f"cursor: {cursor!r:.80} is not the next_cursor of this list")
    return int(cursor)
