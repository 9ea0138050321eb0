"""`rota next`: coming occurrences."""

from __future__ import annotations

import click

from rota.cli import times
from rota.cli.client import open_app
from rota.cli.frame import Command, State, pass_state
from rota.cli.output import Column, Record, show_list


@click.command("next", cls=Command)
@click.argument("name", required=False)
@click.option("-n", "count", type=click.IntRange(1, 10_000), default=10, show_default=True, help="How many.")
@pass_state
def upcoming(state: State, name: str | None, count: int) -> None:
    """The coming occurrences of all schedules of this place in order, or of the schedule NAME."""
    now = times.now()
    with open_app(state) as app:
        found = [one.to_json() for one in app.schedules.upcoming(name, count)]
    columns = [
        Column("AT", lambda one: one["local"]),
        *([Column("", lambda one: times.ago(one["at"], now))] if state.for_people else []),
        Column("SCHEDULE", lambda one: one["schedule"].rpartition("/")[2]),
        Column("JOB", lambda one: one["job"]),
        Column("", _remark),
    ]
    show_list(state, found, columns, name="schedule", empty="nothing is to come")


def _remark(one: Record) -> str:
    if one["skipped"]:
        return "skipped by an operator"
    return "" if one["state"] == "active" else str(one["state"])
