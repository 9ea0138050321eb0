"""rota.yaml, and the `*.job.yaml` files beside it, to one frozen value; or every fault of all of them at once."""

from __future__ import annotations

import importlib.resources
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path as FilePath
from typing import Any, Final

from rota.calendar.civil import zone
from rota.engine.registry import Job
from rota.model.schedule import DEFAULT, check_name
from rota.model.settings import Settings
from rota.store.lanes import parse_rate
from rota.sync.crons import Declared, Scope, read_schedule
from rota.sync.jobs import FIELDS as JOB_FIELDS
from rota.sync.jobs import Surroundings, read_job
from rota.sync.reading import Reader, shown, unreadable
from rota.sync.yaml import MAX_BYTES, Path

PLACES: Final = ("tenant", "stack", "environment")
FIELDS: Final = (*PLACES, "timezone", "settings", "jobs", "crons", "schedules", "lanes")
LATER: Final = {
    "triggers": "triggers come with a later version",
    "calendars": "named calendars come with a later version",
}
LANE_LATER: Final = dict.fromkeys(("engine", "url"), "lanes with an engine of their own come with a later version")
JOB_SUFFIX: Final = ".job.yaml"
BUILT_IN: Final = "quickstart.yaml"
MOST_JOB_FILES: Final = 1000


@dataclass(frozen=True, slots=True)
class Lane:
    """A lane as a file declares it; a limit that is None is none. `rate` is a text such as 30/m."""

    name: str
    concurrency: int | None = None
    rate: str | None = None


@dataclass(frozen=True, slots=True)
class File:
    """A valid file. `origin` is its base name: the rows that it declares are known by it.

    `tenant`, `stack` and `environment` are None where the file does not say. `settings` has what the file sets, a
    source for `Settings.of`.
    """

    path: FilePath
    origin: str
    tenant: str | None = None
    stack: str | None = None
    environment: str | None = None
    timezone: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    jobs: tuple[Job, ...] = ()
    schedules: tuple[Declared, ...] = ()
    lanes: tuple[Lane, ...] = ()

    @property
    def scope(self) -> Scope:
        """Where its schedules live, defaults filled in."""
        return Scope(self.tenant or DEFAULT, self.stack or DEFAULT, self.environment or DEFAULT, self.timezone)


def load(path: FilePath | str, *, origin: str | None = None) -> File:
    """The file at `path` with the `*.job.yaml` files beside it. Raises InvalidFile with every fault of all of them.

    Each of its `errors` has pointer, detail, file, line and column; its message is one line per fault. Modules that
    `python:` jobs name are imported.
    """
    main = FilePath(path)
    reader = Reader(str(path), _bytes(main))
    beside = [(file, Reader(str(file), _bytes(file))) for file in _job_files(main)]
    found = _read(reader, beside, main)
    reader.finish(*(other for _, other in beside))
    return File(main, origin or main.name, **found)


def builtin() -> File:
    """The example that `rota up` runs where there is no file.

    Its origin is `rota.yaml`, so that the user's first own file in the same database takes its place.
    """
    with importlib.resources.as_file(importlib.resources.files("rota") / "examples" / BUILT_IN) as path:
        return load(path, origin="rota.yaml")


def _bytes(path: FilePath) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise unreadable(str(path), error.strerror or str(error)) from None
    except ValueError as error:  # a path that holds NUL
        raise unreadable(repr(str(path)), str(error)) from None


def _job_files(main: FilePath) -> list[FilePath]:
    """The job files beside the main one, in the order of their names."""
    found = sorted(p for p in main.parent.glob(f"*{JOB_SUFFIX}") if p.is_file() and not p.name.startswith("."))
    if len(found) > MOST_JOB_FILES:
        raise unreadable(str(main), f"more than {MOST_JOB_FILES:,} *{JOB_SUFFIX} files stand beside it")
    return [path for path in found if path.name != main.name]


def _read(reader: Reader, beside: Iterable[tuple[FilePath, Reader]], main: FilePath) -> dict[str, Any]:
    given = _top(reader)
    around = Surroundings(main.absolute().parent)
    jobs = _jobs(reader, given, around)
    for file, other in beside:
        _job_file(other, file, jobs, around)
    by_name = {name: job for name, (job, _) in jobs.items() if job is not None}
    found = {name: _place(reader, name, given.get(name)) for name in PLACES}
    timezone = _timezone(reader, given.get("timezone"))
    tenant, stack, environment = (found[name] or DEFAULT for name in PLACES)
    scope = Scope(tenant, stack, environment, timezone)
    return found | {
        "timezone": timezone,
        "settings": _settings(reader, given.get("settings")),
        "jobs": tuple(by_name.values()),
        "schedules": _schedules(reader, given, scope, by_name),
        "lanes": _lanes(reader, given.get("lanes")),
    }


def _top(reader: Reader) -> dict[str, Any]:
    value = reader.value
    if value is None and not reader.faults:
        reader.fault((), "the file is empty; to remove all of its schedules write `crons: {}`")
    if value is not None and not isinstance(value, dict):
        reader.fault((), f"{shown(value)} is not a mapping with {', '.join(FIELDS)}")
    return reader.known((), value if isinstance(value, dict) else {}, FIELDS, LATER)


def _place(reader: Reader, name: str, value: Any) -> str | None:
    return None if value is None else reader.attempt((name,), lambda: check_name(name, value))


def _timezone(reader: Reader, value: Any) -> str | None:
    if value is None or reader.text(("timezone",), value) is None:
        return None
    return None if reader.attempt(("timezone",), lambda: zone(value)) is None else str(value)


def _settings(reader: Reader, value: Any) -> dict[str, Any]:
    names = tuple(f.name for f in fields(Settings))
    given = reader.known(("settings",), reader.mapping(("settings",), value, what="a mapping of settings"), names)
    reader.attempt(("settings",), lambda: Settings.of(given))
    return given


_Jobs = dict[str, tuple[Job | None, str]]


def _jobs(reader: Reader, given: Mapping[str, Any], around: Surroundings) -> _Jobs:
    """Name -> the job (None: it has faults) and where it is declared."""
    declared = reader.mapping(("jobs",), given.get("jobs"), what="a mapping of names to jobs")
    return {
        name: (read_job(reader, ("jobs", name), name, around), reader.where(("jobs", name), key=True))
        for name in declared
    }


def _job_file(reader: Reader, file: FilePath, jobs: _Jobs, around: Surroundings) -> None:
    """Add the job of one `*.job.yaml` to `jobs`."""
    value = reader.value
    if not isinstance(value, dict):
        if not reader.faults:
            reader.fault((), f"{shown(value)} is not a job, such as `shell: ./backup.sh`")
        return
    unknown = value.keys() & {"jobs", "crons", "schedules"}
    if unknown:
        reader.fault((min(unknown),), f"a *{JOB_SUFFIX} file declares one job; this belongs in rota.yaml", key=True)
        return
    name = value.pop("name", file.name.removesuffix(JOB_SUFFIX))
    path: Path = ("name",) if ("name",) in reader.document.values else ()
    if reader.name(path, name) is None:
        return
    if name in jobs:
        reader.fault(path, f"the job {name} is declared already, in {jobs[name][1]}")
        return
    jobs[name] = (read_job(reader, (), name, around), reader.where(()))


def _schedules(reader: Reader, given: Mapping[str, Any], scope: Scope, jobs: Mapping[str, Job]) -> tuple[Declared, ...]:
    if given.get("crons") is not None and given.get("schedules") is not None:
        reader.fault(("schedules",), "another name for `crons`, which stands here too; keep one", key=True)
    found: list[Declared] = []
    for block in ("crons", "schedules"):
        entries = reader.mapping((block,), given.get(block), what="a mapping of names to schedules")
        read = (read_schedule(reader, (block, name), value, scope, jobs) for name, value in entries.items())
        found += [declared for declared in read if declared is not None]
    return tuple(found)


def _lanes(reader: Reader, value: Any) -> tuple[Lane, ...]:
    entries = reader.mapping(("lanes",), value, what="a mapping of names to lanes, such as {reports: {concurrency: 2}}")
    return tuple(_lane(reader, name, entry) for name, entry in entries.items())


def _lane(reader: Reader, name: str, entry: Any) -> Lane:
    path = ("lanes", name)
    reader.name(path, name)
    found = reader.mapping(path, entry, what="a mapping such as {concurrency: 2}")
    given = reader.known(path, found, ("concurrency", "rate"), LANE_LATER)
    most = given.get("concurrency")
    if most is not None and (type(most) is not int or not 1 <= most <= 1_000_000):
        reader.fault((*path, "concurrency"), f"{shown(most)} is not a whole number from 1 to 1,000,000")
        most = None
    rate = given.get("rate")
    if rate is not None:
        reader.attempt((*path, "rate"), lambda: parse_rate(rate))
    return Lane(name, most, rate)


__all__ = [
    "BUILT_IN",
    "FIELDS",
    "JOB_FIELDS",
    "Declared",
    "File",
    "Lane",
    "Scope",
    "builtin",
    "load",
]
