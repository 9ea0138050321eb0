"""The handle `rota.schedules`: what can be done with schedules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from rota.app.core import Core
from rota.app.records import Backfill, Change, Decision, Explanation, Page, Run, Schedule, Upcoming
from rota.engine.registry import check_args
from rota.errors import InvalidValue
from rota.model.instants import read_instant
from rota.model.spec import FIELDS
from rota.store import backfill, edits, history, listing, manual, outlook, reports, runs, schedules, skips

_WAKE = ("s",)
_WORK = ("s", "r")

_Upcomings = list[Upcoming]
_Explanations = list[Explanation]
_Decisions = list[Decision]
_Changes = list[Change]

Ref = str | int
"""A schedule's name in this place, its whole key `tenant/stack/environment/name`, or its id."""


@dataclass(frozen=True, slots=True)
class Schedules:
    """Schedules by name (in the application's place), by whole key, or by id.

    Every change is one transaction that records who made it. Raises ScheduleNotFound for a name that is not there.
    """

    _core: Core

    def add(self, name: str, *, job: str | Any, when: str | Sequence[str] | datetime, **fields: Any) -> Schedule:
        """Create a schedule of source `user`; a removed one of that key comes back with its history.

        `fields`: timezone, args, lane, priority, owner, labels, note, enabled, anchor, valid_from, valid_until,
        max_occurrences, dst_gap, dst_overlap and all policies. Raises ScheduleExists, JobNotFound, InvalidWhen,
        InvalidArguments, UnknownZone, NaiveDatetime, InvalidValue; nothing is written then.
        """
        return self._made(edits.add, name, {"job": job, "when": when, **fields})

    def put(self, name: str, *, job: str | Any, when: str | Sequence[str] | datetime, **fields: Any) -> Schedule:
        """Create the schedule, or make it equal to these values (what is not named gets its default).

        An equal one changes nothing: not the revision, not next_at, not history. State and pauses are left alone
        unless `enabled` is given. The same errors as `add`, but for ScheduleExists.
        """
        return self._made(edits.put, name, {"job": job, "when": when, **fields})

    def _made(self, op: Callable[..., int], name: str, fields: dict[str, Any]) -> Schedule:
        key = self._core.place.key(name)
        spec = self._core.with_zone(_named(fields))
        if "args" in spec:
            spec["args"] = check_typed(self._core, spec["job"], spec["args"])
        made: int = self._core.change(_WAKE, op, key, spec, self._core.by)
        return self.get(made)

    def get(self, name: Ref) -> Schedule:
        """The schedule."""
        return Schedule.of(self._core.read(listing.one, self._core.ref(name)))

    def list(self, *, limit: int | None = None, sort: str = "name", **filters: Any) -> Iterator[Schedule]:
        """Schedules of the application's place, page by page; `limit` None: all. `filters` as in `page`."""
        cursor, left = None, limit
        while True:
            page = self.page(cursor=cursor, limit=min(200, left or 200), sort=sort, **filters)
            yield from page.items
            left = None if left is None else left - len(page.items)
            cursor = page.next_cursor
            if cursor is None or left == 0:
                return

    def page(self, *, cursor: str | None = None, limit: int = 50, sort: str = "name", **filters: Any) -> Page[Schedule]:
        """One page. `sort`: name, next_at, created_at or updated_at, with `-` before it for descending.

        `filters`: q (a part of name, job or note), state (or several), job, lane, source, origin, label ("key=value" or
        "key", or several), owner, tenant, stack, environment ("*": any; default: the application's place).
        """
        wanted = listing.Filter.of(self._place() | filters)
        rows, following = self._core.read(listing.page, wanted, sort=sort, cursor=cursor, limit=limit)
        return Page(tuple(Schedule.of(row) for row in rows), following)

    def _place(self) -> dict[str, Any]:
        place = self._core.place
        return {"tenant": place.tenant, "stack": place.stack, "environment": place.environment}

    def update(self, name: Ref, *, revision: int | None = None, reason: str | None = None, **changes: Any) -> Schedule:
        """Change the named fields and leave the others; a no-op changes nothing.

        With `revision` the schedule must still be at it (RevisionMoved otherwise). An edit of the timing follows
        `on_edit`; every other edit leaves watermark, next_at and what is due alone. The same errors as `add`.
        """
        wanted = _named(changes)
        if wanted.get("args") and len(self._core.registry):
            wanted["args"] = check_typed(self._core, wanted.get("job") or self.get(name).job, wanted["args"])
        return self._act(edits.update, name, wanted, revision=revision, reason=reason)

    def enable(self, name: Ref, *, reason: str | None = None) -> Schedule:
        """Make a disabled schedule active from now on; occurrences while it was disabled have no disposition."""
        return self._act(schedules.enable, name, reason=reason)

    def disable(self, name: Ref, *, reason: str | None = None) -> Schedule:
        """Disable: what is due is recorded as skipped, queued runs are cancelled, running ones are not retried.

        One that failures disabled is disabled by hand then: nothing probes it any more.
        """
        return self._act(schedules.disable, name, reason=reason)

    def pause(self, name: Ref, *, until: datetime | str | None = None, reason: str | None = None) -> Schedule:
        """Fire nothing until `resume`, or until `until` (inclusive). Queued runs stay and start."""
        end = None if until is None else read_instant("until", until)
        return self._act(schedules.pause, name, until=end, reason=reason)

    def resume(self, name: Ref, *, reason: str | None = None) -> Schedule:
        """End a pause; `on_resume` tells what becomes of the occurrences in it."""
        return self._act(schedules.resume, name, reason=reason)

    def remove(self, name: Ref, *, reason: str | None = None) -> None:
        """Remove: like disable, and the name is free again. History stays until retention."""
        self._core.change(_WAKE, schedules.remove, self._core.ref(name), self._core.by.because(reason))

    def skip(self, name: Ref, instant: datetime | str, *, reason: str | None = None) -> Schedule:
        """Take out one coming occurrence. Raises InvalidValue where `instant` is none, naming its neighbours."""
        return self._act(skips.skip, name, read_instant("instant", instant), reason=reason)

    def unskip(self, name: Ref, instant: datetime | str, *, reason: str | None = None) -> Schedule:
        """Take back the skip of a coming occurrence; one that is not skipped changes nothing."""
        return self._act(skips.unskip, name, read_instant("instant", instant), reason=reason)

    def _act(self, op: Callable[..., int], name: Ref, *args: Any, reason: str | None = None, **kwargs: Any) -> Schedule:
        done: int = self._core.change(_WORK, op, self._core.ref(name), *args, self._core.by.because(reason), **kwargs)
        return self.get(done)

    def run(
        self,
        name: Ref,
        *,
        args: Mapping[str, Any] | None = None,
        dedupe_key: str | None = None,
        reason: str | None = None,
    ) -> Run:
        """Request a run now, beside the schedule; `args` go over the schedule's own.

        Where its single-flight key is held the schedule's overlap policy decides: the answer may be a run that waits,
        or one that is `skipped` from birth. Allowed on paused and disabled schedules, refused on removed ones.
        """
        request = manual.Request(args or {}, dedupe_key)
        by = self._core.by.because(reason)
        made: int = self._core.change(_WORK, manual.request_run, self._core.ref(name), request, by)
        return Run.of(self._core.read(runs.get, made))

    def backfill(
        self, name: Ref, start: datetime | str, end: datetime | str, *, again: bool = False, dry_run: bool = False
    ) -> Backfill:
        """Make runs for the past occurrences in [start, end] that have none; they wait for each other.

        What lies before the retention horizon may have run without a trace: refused, unless `again`. With `dry_run`
        nothing is written. At most 10,000 at a time.
        """
        span = (read_instant("start", start), read_instant("end", end))
        options = backfill.Backfilling(*span, again=again, dry_run=dry_run, retention=self._core.settings.retention)
        op = backfill.backfill
        if dry_run:
            done = self._core.call(op, self._core.ref(name), options, self._core.by)
        else:
            done = self._core.change(_WORK, op, self._core.ref(name), options, self._core.by)
        return Backfill(done.occurrences, done.runs, done.existing, dry_run)

    def record_run(
        self,
        name: Ref,
        scheduled_for: datetime | str,
        state: str,
        started_at: datetime | str,
        finished_at: datetime | str,
        result: Any = None,
    ) -> Run:
        """Record a run that somebody else carried out: final from birth. It moves health, never the watermark.

        `state`: succeeded, failed, cancelled, expired, skipped or lost. Raises Conflict where the occurrence has a run.
        """
        at = read_instant("scheduled_for", scheduled_for)
        span = (read_instant("started_at", started_at), read_instant("finished_at", finished_at))
        recorded = manual.Recorded(at, state, *span, result)
        made: int = self._core.call(manual.record_run, self._core.ref(name), recorded, self._core.by)
        return Run.of(self._core.read(runs.get, made))

    def upcoming(self, name: Ref | None = None, n: int = 10) -> _Upcomings:
        """The next `n` occurrences of one schedule, or of all in the application's place, in order."""
        wanted = listing.Filter.of(self._place())
        ref = None if name is None else self._core.ref(name)
        return [Upcoming.of(row) for row in self._core.read(outlook.upcoming, ref, wanted, _at_most(n))]

    def why(self, name: Ref, instant: datetime | str | None = None, n: int = 10) -> _Explanations:
        """What became of the last `n` occurrences, newest first, or of the one at `instant`, a sentence each.

        An `instant` that is no occurrence is answered first, then its neighbours.
        """
        at = None if instant is None else read_instant("instant", instant)
        rows = self._core.read(reports.why, self._core.ref(name), at, _at_most(n))
        return [Explanation.of(row) for row in rows]

    def why_run(self, run_id: int) -> Explanation | None:
        """The sentence of the occurrence that a run is for; None for a run without one."""
        found = self._core.read(reports.why_run, run_id)
        return None if found is None else Explanation.of(found)

    def decisions(self, name: Ref, n: int = 50) -> _Decisions:
        """The last decisions about occurrences without a run, newest first."""
        rows = self._core.read(history.decisions, self._core.ref(name), _at_most(n))
        return [Decision.of(row) for row in rows]

    def changes(self, name: Ref, n: int = 50) -> _Changes:
        """Who changed it, newest first."""
        return [Change.of(row) for row in self._core.read(history.changes, self._core.ref(name), _at_most(n))]


def _named(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields with a job given as an object replaced by its name; unknown names are refused together."""
    unknown = sorted(set(fields) - set(FIELDS))
    if unknown:
        raise InvalidValue(
            f"{unknown[0]}: unknown field; allowed are {', '.join(FIELDS)}",
            errors=[{"pointer": f"/{name}", "detail": f"{name}: unknown field"} for name in unknown],
        )
    return fields if fields.get("job") is None else fields | {"job": job_name(fields["job"])}


def job_name(job: Any) -> Any:
    """The name of a job that is given as an object or by its name."""
    return job if isinstance(job, str) else getattr(job, "name", job)


def check_typed(core: Core, job: Any, args: Any) -> Any:
    """Arguments as JSON, checked by the types of the job if this process has it; else as they are."""
    known = core.registry.get(job) if isinstance(job, str) else None
    return args if known is None or args is None else check_args(known, args)


def _at_most(n: int) -> int:
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= 10_000:
        raise InvalidValue(f"n: {n!r} is not a whole number from 1 to 10000")
    return n
