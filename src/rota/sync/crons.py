"""The `crons` of a file: each a schedule, as a text or as a mapping, checked as far as that needs no database."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from rota.calendar.civil import zone
from rota.calendar.recurrence import GAPS, OVERLAPS
from rota.calendar.text import parse, why_never
from rota.engine.registry import Job, check_args
from rota.errors import InvalidArguments, InvalidSchedule
from rota.model.instants import read_instant
from rota.model.schedule import Key
from rota.model.spec import FIELDS, normalise
from rota.sync.reading import Reader, shown, unescaped
from rota.sync.yaml import Path

LATER: Final = dict.fromkeys(
    ("windows", "outside", "calendar", "on_holiday"), "windows and named calendars come with a later version"
)
_EXAMPLE: Final = 'a schedule, such as "every day at 03:15" or {when: "0 9 * * mon-fri", overlap: skip}'


@dataclass(frozen=True, slots=True)
class Declared:
    """A schedule as a file declares it: its name, its fields, where it stands (`file:line:column`).

    `fields` has those that were written down, in the normal form of `model.spec`, and always `job` and `when`;
    `timezone` only if the schedule or its file names one.
    """

    name: str
    fields: Mapping[str, Any]
    where: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class Scope:
    """What a file says for all of its schedules."""

    tenant: str
    stack: str
    environment: str
    timezone: str | None

    def key(self, name: str) -> Key:
        """The key of a schedule of this file."""
        return Key(self.tenant, self.stack, self.environment, name)


def read_schedule(reader: Reader, path: Path, value: Any, scope: Scope, jobs: Mapping[str, Job]) -> Declared | None:
    """The schedule at `path`; None and faults if it is not valid.

    A job that is not in `jobs` may be declared elsewhere (in code, in another file): that is looked up when the
    schedule is applied.
    """
    name = str(path[-1])
    before = len(reader.faults)
    reader.name(path, name)
    given = _given(reader, path, value)
    if scope.timezone is not None:
        given.setdefault("timezone", scope.timezone)
    fields: dict[str, Any] = {"job": name}
    for each, raw in given.items():
        fields |= reader.attempt((*path, each), _normal(each, raw)) or {}
    _check_when(reader, path, fields, scope)
    if "args" in fields or "args" not in given:
        _check_args(reader, path, fields, jobs)
    if len(reader.faults) > before:
        return None
    if fields.get("timezone", "") is None:
        del fields["timezone"]
    return Declared(name, fields, reader.where(path, key=True))


def _given(reader: Reader, path: Path, value: Any) -> dict[str, Any]:
    if isinstance(value, (str, list)):
        return {"when": value}
    if not isinstance(value, dict):
        reader.fault(path, f"{shown(value)} is not {_EXAMPLE}")
        return {}
    given = reader.known(path, value, FIELDS, LATER)
    if "when" not in given:
        reader.fault(path, f"`when` is missing; write {_EXAMPLE}", key=True)
    return given


def _normal(name: str, value: Any) -> Callable[[], dict[str, Any]]:
    """One field by itself, so that each bad one is a fault."""

    def make() -> dict[str, Any]:
        found = normalise({name: value})
        if name == "timezone" and value is not None:
            zone(value)
        return found

    return make


def _check_when(reader: Reader, path: Path, fields: dict[str, Any], scope: Scope) -> None:
    """A fault unless the text parses and can fire; a past one-shot may stand: it is created `done`."""
    when = fields.get("when")
    if when is None:
        return
    where = (*path, "when") if (*path, "when") in reader.document.values else path
    anchor = fields.get("anchor") and read_instant("anchor", fields["anchor"])
    gap, overlap = fields.get("dst_gap", GAPS[0]), fields.get("dst_overlap", OVERLAPS[0])
    timezone, key = fields.get("timezone") or "UTC", Key(scope.tenant, scope.stack, scope.environment, str(path[-1]))
    try:
        found = parse(when, timezone, key=str(key), anchor=anchor, dst_gap=gap, dst_overlap=overlap)
    except InvalidSchedule as error:
        reader.fault(where, f'"{error.text}": {error.message}')
        return
    never = why_never(found)
    if never is not None:
        reader.fault(where, f'"{when}" never fires: {never}')


def _check_args(reader: Reader, path: Path, fields: dict[str, Any], jobs: Mapping[str, Job]) -> None:
    job = jobs.get(fields["job"])
    if job is None:
        return
    try:
        check_args(job, fields.get("args"))
    except InvalidArguments as error:
        for each in error.errors or [{"pointer": "/args", "detail": error.message}]:
            steps = (unescaped(step) for step in str(each["pointer"]).split("/")[1:])
            reader.fault((*path, *steps), str(each["detail"]))
