"""Runs that a command has made or waits for: told, awaited, and the exit code that says how they ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from rota.cli import times
from rota.cli.frame import State, usage
from rota.cli.output import dump, note, say
from rota.model.policy import length

if TYPE_CHECKING:
    from rota.app.records import Run
    from rota.app.rota import Rota

RUN_FAILED: Final = 8


def finish(state: State, app: Rota, runs: Sequence[Run], *, wait: bool, timeout: str | None, one: bool) -> None:
    """Tell the runs; with `wait` first await each. Exits 8 unless all that were waited for succeeded, 9 on time out."""
    if timeout is not None and not wait:
        raise usage("--timeout goes with --wait")
    if not wait:
        _tell(state, [run.to_json() for run in runs], one=one)
        return
    for run in runs:
        note(state, f"waiting for run {run.id}")
    await_all(state, app, [run.id for run in runs], timeout, one=one)


def await_all(state: State, app: Rota, ids: Sequence[int], timeout: str | None, *, one: bool) -> None:
    """Wait for the end of each run, tell them, exit 8 unless all succeeded. Raises TimedOut (exit 9)."""
    limit = None if timeout is None else length(timeout, "--timeout")
    begun = times.now()
    ended = []
    for number in ids:
        left = None if limit is None else max(limit - (times.now() - begun), limit * 0)
        ended.append(app.runs.wait(number, timeout=left).to_json())
    _tell(state, ended, one=one)
    if any(run["state"] != "succeeded" for run in ended):
        click.get_current_context().exit(RUN_FAILED)


def _tell(state: State, runs: list[dict[str, Any]], *, one: bool) -> None:
    if state.machine:
        dump(state, runs[0] if one else runs)
        return
    for run in runs:
        if state.output == "name" or (run["state"] == "queued" and not state.for_people):
            say(str(run["id"]))
        else:
            say(sentence(run))


def sentence(run: dict[str, Any]) -> str:
    """`run 7 of heartbeat: succeeded`, with what is known of why not."""
    text = f"run {run['id']} of {name(run)}: {run['state']}"
    if run["reason"] and run["state"] != "queued":
        text += f" ({run['reason']})"
    return text + (f": {run['error']['message']}" if run["error"] else "")


def name(run: Any) -> str:
    """What the run is of: its schedule's name, or its job."""
    return str(run["schedule"] or run["job"]).rpartition("/")[2]
