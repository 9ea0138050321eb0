"""The three jobs of the registry; what they did is in an SQLite file of their own."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from rota import Context

DATABASE = Path(os.environ.get("HARVEST_DATABASE", "harvest.db"))


def note(ctx: Context, what: str) -> None:
    """Write down once per run what was done, however many attempts it takes."""
    with closing(sqlite3.connect(DATABASE, timeout=10)) as connection, connection:
        connection.execute("CREATE TABLE IF NOT EXISTS done (invocation TEXT PRIMARY KEY, what TEXT NOT NULL)")
        connection.execute("INSERT OR IGNORE INTO done VALUES (?, ?)", (ctx.invocation, what))


def harvest(ctx: Context, source: str) -> str:
    """Read what is new at a source since the last harvest of it that succeeded."""
    note(ctx, f"harvested {source} since {ctx.since or 'the beginning'}")
    return source


def summarise(ctx: Context) -> None:
    """Have an agent read the harvest."""
    note(ctx, "summarised")


def post(ctx: Context) -> None:
    """Send the newsletter."""
    note(ctx, "posted")
