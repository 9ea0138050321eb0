"""`rota lane`: the named queues."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from rota.cli.client import each, open_app
from rota.cli.frame import Command, State, pass_state, usage
from rota.cli.frame import group as make_group
from rota.cli.output import Column, dump, say, show_list

COMMANDS = {
    "ls": ("rota.cli.lane:ls", "List lanes."),
    "set": ("rota.cli.lane:set_", "Limit how many runs of a lane go at a time."),
    "pause": ("rota.cli.lane:pause", "Start nothing from these lanes."),
    "resume": ("rota.cli.lane:resume", "Start runs from these lanes again."),
}

group = make_group("lane", COMMANDS, "Show, limit, pause and resume lanes.")
_names = click.argument("names", nargs=-1, required=True, metavar="NAME...")


def _limit(lane: Any) -> str:
    return "no limit" if lane["concurrency"] is None else str(lane["concurrency"])


@click.command("ls", cls=Command)
@pass_state
def ls(state: State) -> None:
    """List lanes, their limits, and what waits and runs in them."""
    with open_app(state) as app:
        found = [lane.to_json() for lane in app.lanes.list()]
    columns = [
        Column("LANE", lambda x: x["name"]),
        Column("CONCURRENCY", _limit, right=True),
        Column("RATE", lambda x: x["rate"] or ""),
        Column("QUEUED", lambda x: str(x["queued"]), right=True),
        Column("RUNNING", lambda x: str(x["running"]), right=True),
        Column("", lambda x: "paused" if x["paused"] else ""),
    ]
    show_list(state, found, columns, name="name", empty="no lanes yet")


def _told(state: State, records: Sequence[dict[str, Any]]) -> None:
    if state.machine:
        dump(state, records[0] if len(records) == 1 else list(records))
        return
    for lane in records:
        rate = "" if lane["rate"] is None else f", rate {lane['rate']}"
        text = f"lane {lane['name']}: concurrency {_limit(lane)}{rate}" + (", paused" if lane["paused"] else "")
        say(lane["name"] if state.output == "name" else text)


@click.command("set", cls=Command)
@click.argument("name")
@click.option("--concurrency", metavar="N", help="At most so many at a time, in all processes; none: no limit.")
@click.option(
    "--rate", metavar="N/LENGTH", help="At most so many starts in a length of time, such as 30/m; none: no limit."
)
@pass_state
def set_(state: State, name: str, concurrency: str | None, rate: str | None) -> None:
    """Limit how many runs of the lane NAME go at a time, in the whole deployment. A new name makes a lane."""
    given: dict[str, Any] = {}
    if concurrency is not None:
        given["concurrency"] = _number(concurrency)
    if rate is not None:
        given["rate"] = None if rate == "none" else rate
    if not given:
        raise usage("what is to change? --concurrency N or --rate N/LENGTH")
    with open_app(state) as app:
        done = app.lanes.set(name, **given).to_json()
    _told(state, [done])


def _number(text: str) -> int | None:
    if text != "none" and not (text.isascii() and text.isdigit() and len(text) < 10):
        raise usage(f"--concurrency: {text!r} is neither a whole number nor none")
    return None if text == "none" else int(text)


@click.command("pause", cls=Command)
@_names
@pass_state
def pause(state: State, names: tuple[str, ...]) -> None:
    """Start nothing from these lanes; what runs goes on."""
    with open_app(state) as app:
        _told(state, each(names, lambda name: app.lanes.pause(name).to_json()))


@click.command("resume", cls=Command)
@_names
@pass_state
def resume(state: State, names: tuple[str, ...]) -> None:
    """Start runs from these lanes again."""
    with open_app(state) as app:
        _told(state, each(names, lambda name: app.lanes.resume(name).to_json()))
