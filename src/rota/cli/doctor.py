"""`rota doctor`: looks for what is wrong with an installation, and says what to do."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from rota.cli import times
from rota.cli.client import local_only, open_app
from rota.cli.frame import Command, State, pass_state
from rota.cli.output import dump, paint, say
from rota.cli.sources import DEFAULT_FILE, shadow
from rota.errors import Error
from rota.version import VERSION

if TYPE_CHECKING:
    from rota.app.rota import Rota

_COLORS: Final = {"ok": "green", "warning": "yellow", "bad": "red"}
_EXTRAS: Final = (("server", "fastapi", "pages and HTTP API"), ("postgres", "psycopg", "PostgreSQL"))
LATE_S: Final = 30.0


@dataclass(frozen=True)
class Finding:
    """One thing looked at. `grade` is ok, warning or bad; `code` the exit code that a bad one asks for."""

    grade: str
    what: str
    detail: str
    code: int = 1


@click.command(cls=Command)
@pass_state
def doctor(state: State) -> None:
    """Look at the installation, the folder, the database and the processes; exit 0 unless something is bad."""
    local_only(state)
    found = [*_installation(), *_folder(), *_database(state)]
    if state.machine:
        dump(state, [{k: v for k, v in asdict(one).items() if k != "code"} for one in found])
    else:
        for one in found:
            grade = paint(state, one.grade.ljust(7), fg=_COLORS[one.grade])
            say(f"{grade}  {one.what}: {one.detail}" if state.for_people else f"{one.grade}\t{one.what}\t{one.detail}")
    codes = [one.code for one in found if one.grade == "bad"]
    click.get_current_context().exit(codes[0] if codes else 0)


def _installation() -> Iterator[Finding]:
    from importlib.metadata import version

    python = ".".join(map(str, sys.version_info[:3]))
    yield Finding("ok", "rota", f"{VERSION} on Python {python}, zone data {version('tzdata')}")
    for extra, module, what in _EXTRAS:
        there = importlib.util.find_spec(module) is not None
        missing = f"not installed, so no {what}: pip install 'rota[{extra}]'"
        yield Finding("ok" if there else "warning", f"extra {extra}", "installed" if there else missing)


def _folder() -> Iterator[Finding]:
    hidden = shadow().removeprefix("; ")
    if hidden:
        yield Finding("bad", "folder", hidden)
    if Path(DEFAULT_FILE).is_file():
        from rota.sync.file import load

        try:
            file = load(DEFAULT_FILE)
        except Error as error:
            yield Finding("bad", DEFAULT_FILE, error.message.replace("\n", "; "), error.exit_code)
        else:
            yield Finding("ok", DEFAULT_FILE, f"{len(file.schedules)} schedules, {len(file.jobs)} jobs")


def _database(state: State) -> Iterator[Finding]:
    from rota.app.examine import examine

    try:
        with open_app(state) as app:
            facts = examine(app)
            yield Finding("ok", "database", f"{facts['database']}, {facts['server']}, revision {facts['revision']}")
            yield from (Finding("warning", "database", text) for text in facts["warnings"])
            yield from _processes(app)
            yield from _schedules(app)
    except Error as error:
        yield Finding("bad", "database", error.message, error.exit_code)


def _processes(app: Rota) -> Iterator[Finding]:
    from rota.app.examine import heard

    every = heard(app)
    nodes = [node for node, silent_s in every if not silent_s]
    for role in ("scheduler", "worker"):
        count = sum(role in node.roles for node in nodes)
        idle = f"none is alive: nothing {'fires' if role == 'scheduler' else 'runs'} until one starts (`rota up`)"
        yield Finding("ok" if count else "warning", f"{role}s", f"{count} alive" if count else idle)
    versions = {node.version for node in nodes}
    if len(versions) > 1:
        yield Finding("warning", "versions", f"processes of several versions are alive: {', '.join(sorted(versions))}")
    for node, silent_s in every:
        if silent_s:
            text = (
                f"{node.host}, process {node.pid}, has not renewed its lease since {times.shown(node.seen_at)}: it hangs or "
                "is gone; what it ran is taken up by others once one of them has watched it for a lease"
            )
            yield Finding("warning", "processes", text)


def _schedules(app: Rota) -> Iterator[Finding]:
    now = times.now()
    every: dict[str, Any] = dict.fromkeys(("tenant", "stack", "environment"), "*")
    late = next(iter(app.schedules.list(state="active", sort="next_at", limit=1, **every)), None)
    if late is not None and late.next_at is not None and (now - late.next_at).total_seconds() > LATE_S:
        at = times.shown(late.next_at, late.zone)
        yield Finding(
            "bad", "schedules", f"{late.key} is due since {at} and has not fired: `rota why {late.name}` tells"
        )
    for schedule in app.schedules.list(state="disabled", limit=5, **every):
        yield Finding("warning", "schedules", f"{schedule.key} is disabled: {schedule.disabled_reason or 'by hand'}")
    for lane in app.lanes.list():
        if lane.paused:
            yield Finding("warning", "lanes", f"{lane.name} is paused; {lane.queued} runs wait in it")
