"""`rota node`: the processes of rota."""

from __future__ import annotations

from typing import Any

import click

from rota.cli import times
from rota.cli.client import each, open_app
from rota.cli.frame import Command, State, pass_state
from rota.cli.frame import group as make_group
from rota.cli.output import Column, dump, say, show_list

COMMANDS = {
    "ls": ("rota.cli.node:ls", "List the processes of rota."),
    "drain": ("rota.cli.node:drain", "Let processes take no further work, and end."),
}

group = make_group("node", COMMANDS, "Show and drain the processes of rota.")


@click.command("ls", cls=Command)
@click.option("--all", "every", is_flag=True, help="Also those that have ended.")
@pass_state
def ls(state: State, *, every: bool) -> None:
    """List the processes of rota that are alive: roles, lanes, what they run."""
    now = times.now()
    with open_app(state) as app:
        found = [node.to_json() for node in app.nodes.list(live=not every)]
    columns = [
        Column("NODE", lambda n: n["id"]),
        Column("STATE", lambda n: "draining" if n["draining"] and n["state"] == "live" else n["state"]),
        Column("HOST", lambda n: n["host"]),
        Column("PID", lambda n: str(n["pid"]), right=True),
        Column("ROLES", lambda n: ", ".join(n["roles"])),
        Column("LANES", lambda n: "all" if n["lanes"] is None else ", ".join(n["lanes"])),
        Column("RUNNING", lambda n: f"{n['running']}/{n['slots']}", right=True),
        Column(
            "STARTED", lambda n: times.ago(n["started_at"], now) if state.for_people else times.plain(n["started_at"])
        ),
        Column("VERSION", lambda n: n["version"]),
    ]
    show_list(state, found, columns, name="id", empty="no process of rota is alive here")


@click.command("drain", cls=Command)
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@pass_state
def drain(state: State, ids: tuple[str, ...]) -> None:
    """Let processes take no further work; each ends when what it runs has ended."""
    with open_app(state) as app:
        done: list[dict[str, Any]] = each(ids, lambda node: app.nodes.drain(node).to_json())
    if state.machine:
        dump(state, done[0] if len(ids) == 1 else done)
        return
    for node in done:
        say(node["id"] if state.output == "name" else f"{node['id']} drains; it runs {node['running']}")
