"""`rota job`: the jobs that processes have registered, and a run of one by hand."""

from __future__ import annotations

from typing import Any

import click

from rota.cli import times
from rota.cli.client import arguments, open_app, schema_of
from rota.cli.frame import Command, State, pass_state
from rota.cli.frame import group as make_group
from rota.cli.output import Column, show_list
from rota.cli.waiting import finish

COMMANDS = {
    "ls": ("rota.cli.job:ls", "List jobs."),
    "run": ("rota.cli.job:run", "Run a job once, without a schedule."),
}

group = make_group("job", COMMANDS, "Show jobs, and run one.")


@click.command("ls", cls=Command)
@pass_state
def ls(state: State) -> None:
    """List the jobs that processes have registered here."""
    now = times.now()
    with open_app(state) as app:
        found = [job.to_json() for job in app.jobs.list()]
    columns = [
        Column("JOB", lambda j: j["name"]),
        Column("KIND", lambda j: j["kind"]),
        Column("LANE", lambda j: j["lane"]),
        Column("SCHEDULES", lambda j: str(j["schedules"]), right=True),
        Column("VERSION", lambda j: str(j["version"]), right=True),
        Column("SEEN", lambda j: times.ago(j["seen_at"], now) if state.for_people else times.plain(j["seen_at"])),
        Column("PARAMETERS", lambda j: ", ".join((j["parameters"] or {}).get("properties", {})), folds=True),
    ]
    show_list(state, found, columns, name="name", empty="no process has registered a job here yet")


@click.command("run", cls=Command)
@click.argument("name")
@click.option("--arg", "args", multiple=True, metavar="K=V", help="An argument; several times.")
@click.option("--lane", help="Another lane than the job's.")
@click.option("--priority", type=int, help="Smaller goes first.")
@click.option("--in", "length", metavar="LENGTH", help="Not before this long from now.")
@click.option("--dedupe-key", metavar="KEY", help="The same key again answers with the run it made.")
@click.option("--wait", is_flag=True, help="Wait for the end: exit 0 if it succeeded, 8 if not.")
@click.option("--timeout", metavar="LENGTH", help="With --wait: give up after this long (exit 9).")
@pass_state
def run(
    state: State,
    name: str,
    args: tuple[str, ...],
    length: str | None,
    *,
    wait: bool,
    timeout: str | None,
    **given: Any,
) -> None:
    """Run the job NAME once, without a schedule."""
    from rota.model.policy import length as read_length

    options = {key: value for key, value in given.items() if value is not None}
    if length is not None:
        options["not_before"] = times.now() + read_length(length, "--in")
    with open_app(state) as app:
        made = app.enqueue(name, arguments(args, schema_of(app, name)), **options)
        finish(state, app, [made], wait=wait, timeout=timeout, one=True)
