"""`rota db`: the database itself."""

from __future__ import annotations

import click

from rota.cli.client import local_only
from rota.cli.frame import Command, State, pass_state
from rota.cli.frame import group as make_group
from rota.cli.output import dump, pairs, say
from rota.errors import DatabaseNotMigrated

COMMANDS = {
    "upgrade": (
        "rota.cli.db:upgrade",
        "Bring the database to this version's tables, creating them where there are none.",
    ),
    "status": ("rota.cli.db:status", "Tell whether the database is this version's; exit 7 if not."),
}

group = make_group("db", COMMANDS, "Migrate the database, or tell its state.")


@click.command("upgrade", cls=Command)
@pass_state
def upgrade(state: State) -> None:
    """Bring the database to this version's tables; an embedded one is created. Safe to repeat and to run twice at once."""
    local_only(state)
    from rota.app.client import migrate

    before, after, shown = migrate(state.db)
    if state.machine:
        dump(state, {"database": shown, "before": before, "revision": after})
    elif before == after:
        say(f"{shown} is at revision {after} already")
    else:
        say(f"{shown} is at revision {after} now" + (f", it was at {before}" if before else ""))


@click.command("status", cls=Command)
@pass_state
def status(state: State) -> None:
    """Tell at which revision the database is and which one this version needs; exit 7 where they differ."""
    local_only(state)
    from rota.app.client import status as find

    found, needed, shown = find(state.db)
    answer = {"database": shown, "revision": found, "needed": needed, "current": found == needed}
    if state.machine:
        dump(state, answer)
    else:
        pairs(state, [("database", shown), ("revision", found or "none"), ("needed", needed)])
    if found != needed:
        raise DatabaseNotMigrated(f"database {shown} is not this version's: run `rota db upgrade`")
