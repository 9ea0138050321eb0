"""The command `rota` itself: its global options and the table of its commands."""

from __future__ import annotations

from typing import Any

import click

from rota.cli.frame import Group, global_options
from rota.version import VERSION

COMMANDS = {
    "init": ("rota.cli.init:init", "Write a first rota.yaml, with comments."),
    "up": ("rota.cli.up:up", "Scheduler, worker and pages in one process."),
    "scheduler": ("rota.cli.up:scheduler", "One role: plan and fire schedules."),
    "worker": ("rota.cli.up:worker", "One role: carry out runs."),
    "web": ("rota.cli.up:web", "One role: pages and HTTP API."),
    "schedule": ("rota.cli.schedule:group", "Add, show, change, pause and run schedules."),
    "explain": ("rota.cli.explain:explain", "What a schedule text means and when it occurs; no database."),
    "next": ("rota.cli.upcoming:upcoming", "Coming occurrences of all schedules, or of one."),
    "why": ("rota.cli.why:why", "Why each occurrence of a schedule did or did not run."),
    "run": ("rota.cli.run:group", "Show, follow, cancel, retry and await runs."),
    "job": ("rota.cli.job:group", "Show jobs, and run one."),
    "lane": ("rota.cli.lane:group", "Show, limit, pause and resume lanes."),
    "node": ("rota.cli.node:group", "Show and drain the processes of rota."),
    "event": ("rota.cli.event:group", "Show what happened."),
    "db": ("rota.cli.db:group", "Migrate the database, or tell its state."),
    "doctor": ("rota.cli.doctor:doctor", "Look for what is wrong with this installation."),
    "completion": ("rota.cli.completion:completion", "Print the completion script of a shell."),
}


def _version(context: click.Context, _parameter: click.Parameter, value: Any) -> None:
    if value and not context.resilient_parsing:
        click.echo(f"rota {VERSION}")
        context.exit()


root = Group(
    "rota",
    lazy=COMMANDS,
    help="Turn 'when' into work that happens exactly once, in your own database.",
    epilog="Global options may stand before or after the command. Start with `rota init` and `rota up`.",
    params=[
        *global_options(hidden=False),
        click.Option(
            ["--version"], is_flag=True, expose_value=False, is_eager=True, callback=_version, help="The version."
        ),
    ],
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
