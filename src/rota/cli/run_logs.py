"""`rota run logs`: what a run has written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from rota.cli import times
from rota.cli.client import open_app
from rota.cli.frame import Command, State, pass_state
from rota.cli.output import dump, note, say
from rota.cli.run import run_id

if TYPE_CHECKING:
    from rota.app.records import LogLine
    from rota.app.rota import Rota


@click.command("logs", cls=Command)
@click.argument("number", type=run_id, metavar="ID")
@click.option("-f", "--follow", is_flag=True, help="Go on until the run has ended.")
@click.option("--timestamps", is_flag=True, help="Begin each line with its instant and stream.")
@pass_state
def logs(state: State, number: int, *, follow: bool, timestamps: bool) -> None:
    """Show what a run has written to standard output, standard error and its log, in order.

    With -o json an array of {token, seq, at, stream, text}; each attempt has a token of its own; with -f one object a line.
    """
    with open_app(state) as app:
        if state.output == "json" and not follow:
            dump(state, [line.to_json() for line in _all(app, number)])
            return
        lines = app.runs.follow(number) if follow else _all(app, number)
        shown = _json(lines) if state.output == "json" else _stamped(lines) if timestamps else _plain(lines)
        wrote = False
        for text in shown:
            say(text)
            wrote = True
        if not wrote and not follow:
            note(state, f"run {number} is {app.runs.get(number).state} and has written nothing")


def _all(app: Rota, number: int) -> Iterator[LogLine]:
    last = None
    while True:
        found = app.runs.logs(number, after=last)
        yield from found
        if not found:
            return
        last = found[-1]


def _json(lines: Iterable[LogLine]) -> Iterator[str]:
    return (json.dumps(line.to_json(), ensure_ascii=False) for line in lines)


def _plain(lines: Iterable[LogLine]) -> Iterator[str]:
    return (line.text.removesuffix("\n") for line in lines)


def _stamped(lines: Iterable[LogLine]) -> Iterator[str]:
    return (f"{times.plain(line.at)} {line.stream} {text}" for line in lines for text in line.text.splitlines())
