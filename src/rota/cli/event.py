"""`rota event`: what happened, in order."""

from __future__ import annotations

import json
from typing import Any

import click

from rota.cli import times
from rota.cli.client import open_app
from rota.cli.frame import Command, State, pass_state
from rota.cli.frame import group as make_group
from rota.cli.output import Column, show_list

COMMANDS = {"ls": ("rota.cli.event:ls", "List events, oldest first.")}

group = make_group("event", COMMANDS, "Show what happened.")


@click.command("ls", cls=Command)
@click.option(
    "--after",
    type=click.IntRange(0, 2**63 - 1),
    metavar="ID",
    help="Those behind this event (without it: the last ones).",
)
@click.option("--type", "type_", metavar="TYPE", help="Only this type, such as run.failed.")
@click.option("--subject", metavar="KEY", help="Only what happened to this schedule or job.")
@click.option("--limit", type=click.IntRange(1, 100_000), default=20, show_default=True, help="At most so many.")
@pass_state
def ls(state: State, after: int | None, limit: int, type_: str | None, subject: str | None) -> None:
    """List events in the order readers know, oldest first."""
    filters: dict[str, Any] = {"type": type_, "subject": subject}
    with open_app(state) as app:
        wanted = {key: value for key, value in filters.items() if value}
        found = [event.to_json() for event in app.events.list(after=after, limit=limit, **wanted)]
    shape = times.shown if state.for_people else times.plain
    columns = [
        Column("ID", lambda e: str(e["id"]), right=True),
        Column("AT", lambda e: shape(e["at"])),
        Column("TYPE", lambda e: e["type"]),
        Column("SUBJECT", lambda e: e["subject"].removeprefix("default/default/default/")),
        Column("CODE", lambda e: e["code"] or ""),
        Column("DATA", lambda e: json.dumps(e["data"], ensure_ascii=False), cut=True),
    ]
    show_list(state, found, columns, name="id", empty="no events")
