"""A file to rows: its jobs, its schedules, its lanes, in one transaction of the caller's."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rota.app.declared import job_rows
from rota.model.by import By
from rota.store import dialect, jobs, lanes
from rota.store.declared import Item, Origin, Report, declare
from rota.sync.file import File, Lane

if TYPE_CHECKING:
    from sqlalchemy import Connection


def apply(conn: Connection, file: File, by: By | None = None) -> Report:
    """Make the database agree with `file`; the caller commits. Applying the same file again changes nothing.

    Its jobs are in the registry afterwards (one of another file or module that has its name is replaced), its schedules
    have source `app` and the file's origin, those that the origin had and the file has not are removed, its lanes have
    the limits it says. Raises JobNotFound, InvalidWhen, InvalidArguments, UnknownZone or InvalidValue with every fault
    and its place; the caller rolls back then.
    """
    by = by or By("file", "file", f"{file.origin} was read")
    changed = jobs.register(conn, job_rows(file.jobs, file.origin))
    scope = file.scope
    origin = Origin(file.origin, scope.tenant, scope.stack, scope.environment)
    report = declare(conn, [Item(d.name, d.fields, d.where) for d in file.schedules], origin, by, changed)
    for lane in sorted(file.lanes, key=lambda lane: lane.name):
        _lane(conn, lane, by)
    return report


def _lane(conn: Connection, wanted: Lane, by: By) -> None:
    """Set a lane's limits; whether it is paused stays as it is."""
    now = dialect.instant(conn)
    lanes.ensure_lane(conn, wanted.name, now)
    current = lanes.current(conn, wanted.name)
    lanes.put(conn, replace(current, concurrency=wanted.concurrency, rate=wanted.rate), now, by)
