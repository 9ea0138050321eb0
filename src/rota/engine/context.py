"""What a handler is given, and what it may raise.

A Context only collects and hands on; whatever it writes goes through a Sink, which buffers, so that no handler ever
waits for the database.
"""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Protocol

from rota.clock import Clock
from rota.errors import InvalidValue, NaiveDatetime, NotAllowed
from rota.model.policy import length
from rota.model.run import Claimed
from rota.targets.output import Output, Stream

ARTIFACT_LIMIT: Final = 16 * 1024 * 1024
"""Bytes of one artifact."""


class TryAgain(Exception):  # noqa: N818 - it reads as what it asks for: raise TryAgain("10m")
    """Raised by a handler: this attempt failed, attempt again after `delay` (None: after the policy's own wait)."""

    def __init__(self, delay: timedelta | str | float | None = None, message: str = "") -> None:
        self.delay = None if delay is None else length(delay, "TryAgain")
        super().__init__(message or ("try again" if self.delay is None else f"try again in {delay}"))


class GiveUp(Exception):  # noqa: N818 - the same: raise GiveUp("no such customer")
    """Raised by a handler: the run has failed, and no other attempt can help."""


class Sink(Protocol):
    """Where what a running handler says goes. Thread-safe; never waits; never raises."""

    def log(self, run_id: int, token: int, stream: Stream, text: str) -> None:
        """One clean line of the run's log: its stdout, its stderr or `ctx.log`."""

    def progress(self, run_id: int, token: int, done: float, total: float | None) -> None:
        """How far it is; only the last one counts."""

    def save(self, run_id: int, token: int, name: str, data: bytes) -> None:
        """An artifact; the same name again replaces it."""


@dataclass(frozen=True, slots=True)
class Covers:
    """The occurrences a run stands for: the first, the last, how many. A run without an occurrence covers none."""

    start: datetime | None
    end: datetime | None
    count: int


class RunLog(logging.Logger):
    """`ctx.log`: a logger of its own (no parent, nothing reaches the process's log), also callable with a text."""

    def __init__(self, output: Output) -> None:
        super().__init__("rota.run", logging.DEBUG)
        self._output = output
        self.addHandler(_ToOutput(output))

    def __call__(self, text: object, /) -> None:
        """Write `text`, as it is, into the run's log."""
        self._output.text("log", str(text))


class _ToOutput(logging.Handler):
    def __init__(self, output: Output) -> None:
        super().__init__()
        self._output = output
        self.setFormatter(logging.Formatter("%(levelname)s %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        """Hand the record on; a message that cannot be formatted is the handler's error, and is raised there."""
        self._output.text("log", self.format(record))


class Context:
    """A run as its handler sees it. Every method may be called from any thread and returns at once.

    `scheduled_for` is the nominal instant (None for a requested run), `since` the occurrence of this schedule's last
    successful run (None: none yet), `token` the number with which outside writes can be fenced, `deadline` the instant
    at which the run is stopped (None: never). All instants are aware UTC.
    """

    def __init__(
        self, run: Claimed, sink: Sink, output: Output, *, clock: Clock, deadline: datetime | None = None
    ) -> None:
        self._run = run
        self._sink = sink
        self._output = output
        self._clock = clock
        self._stop = threading.Event()
        self._log: RunLog | None = None
        self._wake_at: datetime | None = None
        self._seen_cancelled = False
        self.deadline = deadline

    @property
    def invocation(self) -> str:
        """The idempotency key: the same for every attempt of this run, different for every other run."""
        return self._run.invocation

    @property
    def run_id(self) -> int:
        """The run's id."""
        return self._run.id

    @property
    def key(self) -> str | None:
        """The schedule's key, `tenant/stack/environment/name`, or None."""
        return self._run.key

    @property
    def schedule(self) -> str | None:
        """The schedule's name, or None."""
        return self._run.schedule

    @property
    def scheduled_for(self) -> datetime | None:
        """The nominal instant, or None for a requested run."""
        return self._run.scheduled_for

    @property
    def since(self) -> datetime | None:
        """The occurrence of this schedule's last successful run, or None."""
        return self._run.since

    @property
    def covers(self) -> Covers:
        """The occurrences this run stands for, those that were coalesced into it included."""
        return Covers(self._run.covers_from, self._run.covers_to, self._run.covers_count)

    @property
    def attempt(self) -> int:
        """The number of this attempt, from 1."""
        return self._run.attempt

    @property
    def cause(self) -> str:
        """Why there is this run: schedule, catchup, backfill, manual, event, retry, probe."""
        return self._run.cause

    @property
    def token(self) -> int:
        """The number that proves this claim; a later claim of the run has a larger one."""
        return self._run.token

    @property
    def cancelled(self) -> bool:
        """Whether this code has been asked to stop: by a cancel, its deadline, a shutdown or a fence.

        Code that has read True here and then returns None has stopped because of it; a value that it returns stands.
        """
        if self._stop.is_set():
            self._seen_cancelled = True
            return True
        return False

    def wait_cancelled(self, timeout: timedelta | float | None = None) -> bool:
        """Wait (in a synchronous handler) until `cancelled`, at most `timeout`; answers what `cancelled` does then."""
        seconds = timeout.total_seconds() if isinstance(timeout, timedelta) else timeout
        self._stop.wait(seconds)
        return self.cancelled

    @property
    def log(self) -> RunLog:
        """The run's log: `ctx.log("text")`, or any method of a `logging.Logger`."""
        if self._log is None:
            self._log = RunLog(self._output)
        return self._log

    def progress(self, done: float, total: float | None = None) -> None:
        """Say how far the run is. Raises InvalidValue for what is not a number >= 0."""
        for name, value in (("done", done), ("total", total)):
            if value is None and name == "total":
                continue
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
                raise InvalidValue(f"progress: {name} is {value!r}, not a number from 0 on")
        self._sink.progress(self._run.id, self._run.token, done, total)

    def save(self, name: str, data: bytes | bytearray | memoryview) -> None:
        r"""Keep `data` as an artifact of this run; the same name again replaces it. At most 16 MiB.

        Raises InvalidValue for a name that is not 1-200 printable characters without `/`, `\` and a leading dot.
        """
        good = isinstance(name, str) and 1 <= len(name) <= 200 and name.isprintable() and name[0] != "."
        if not good or "/" in name or "\\" in name:
            raise InvalidValue(
                f"save: {name!r} is not a name: 1-200 printable characters without / and \\, no leading dot"
            )
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise InvalidValue(f"save: {name}: {type(data).__name__} is not bytes")
        kept = bytes(data)
        if len(kept) > ARTIFACT_LIMIT:
            raise InvalidValue(f"save: {name} has {len(kept)} bytes; at most {ARTIFACT_LIMIT} are kept")
        self._sink.save(self._run.id, self._run.token, name, kept)

    def wake_at(self, when: datetime | timedelta | str) -> None:
        """Set this schedule's own next time, committed with the run's settlement; the last call counts.

        `when` is an aware datetime, a length from now on, or any `when` text, read in the schedule's zone. Raises
        InvalidValue where the run has no schedule or the text names no later instant, NaiveDatetime, InvalidSchedule.
        """
        if self._run.schedule_id is None:
            raise InvalidValue("wake_at: this run belongs to no schedule, so there is nothing to wake")
        self._wake_at = self._instant(when)

    def _instant(self, when: datetime | timedelta | str) -> datetime:
        if isinstance(when, datetime):
            if when.utcoffset() is None:
                raise NaiveDatetime(f"wake_at: {when.isoformat()} has no zone; give an aware datetime")
            return when.astimezone(UTC)
        now = self._clock.now()
        if isinstance(when, timedelta):
            return now + when
        from rota.calendar.text import parse

        found = parse(when, timezone=self._run.timezone, now=now).next_after(now)
        if found is None:
            raise InvalidValue(f"wake_at: {when!r} names no instant after now ({now.isoformat()})")
        return found

    @property
    def connection(self) -> Any:
        """The transaction of a transactional job; raises NotAllowed in every other."""
        raise NotAllowed(
            f"job {self._run.job} is not transactional: it has no ctx.connection; open a connection of your own"
        )

    @property
    def session(self) -> Any:
        """The session of a transactional job; raises NotAllowed in every other."""
        raise NotAllowed(f"job {self._run.job} is not transactional: it has no ctx.session; open a session of your own")


class Holder:
    """The engine's side of a Context: what handlers have no business with."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def request_stop(self) -> None:
        """Make `cancelled` true. Any thread."""
        self.context._stop.set()  # noqa: SLF001 - this class is the one friend

    @property
    def saw_stop(self) -> bool:
        """Whether the code has read `cancelled` as true."""
        return self.context._seen_cancelled  # noqa: SLF001 - the same

    @property
    def wake_at(self) -> datetime | None:
        """What `wake_at` was last called with."""
        return self.context._wake_at  # noqa: SLF001 - the same


def output_for(run: Claimed, sink: Sink, limit: int) -> Output:
    """The bounded way of one run's lines into the sink."""
    emit: Callable[[Stream, str], None] = lambda stream, text: sink.log(run.id, run.token, stream, text)  # noqa: E731
    return Output(emit, limit)
