"""Writes the small database that a release leaves for its successors: `python -m tests.migration.dump` once per release.

Two schedules that fired, were skipped, edited and paused, by this version's own code; dumped as SQL for both databases.
"""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import tempfile
from contextlib import closing
from pathlib import Path

from rota import Rota
from rota.store.migrate import upgrade
from rota.version import VERSION
from tests.support import postgres

DATA = Path(__file__).parent / "data"


async def live(url: str) -> None:
    """A few seconds in the life of a small application."""
    with Rota(url) as rota:
        done = 0

        @rota.job(when="every second", overlap="queue_one")
        def tick() -> int:
            nonlocal done
            done += 1
            return done

        @rota.job(when="every day at 03:15", timezone="Europe/Stockholm", retry={"attempts": 3})
        def nightly() -> str:
            return "done"

        async with rota.serving():
            while done < 4:
                await asyncio.to_thread(rota.runs.wait, (await asyncio.to_thread(rota.schedules.run, "nightly")).id)
        await asyncio.to_thread(rota.schedules.update, "nightly", when="every day at 04:15", reason="the backup moved")
        await asyncio.to_thread(rota.schedules.pause, "tick", reason="for the dump")
        await asyncio.sleep(2.5)  # noqa: TID251 - occurrences pass while it is paused: they become a decision
        await asyncio.to_thread(rota.schedules.resume, "tick")


def main() -> None:
    """Make both files."""
    DATA.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rota.db"
        upgrade(f"sqlite:///{path}")
        asyncio.run(live(f"sqlite:///{path}"))
        with closing(sqlite3.connect(path)) as conn:
            lines = [x for x in conn.iterdump() if x not in ("BEGIN TRANSACTION;", "COMMIT;")]
        text = "\n".join(line for line in lines if not line.startswith('DELETE FROM "sqlite_sequence"'))
        kept = "\n".join(x for x in text.split("\n") if not x.startswith('INSERT INTO "sqlite_sequence"'))
        (DATA / f"{VERSION}-sqlite.sql").write_text(kept + "\n", "utf-8")
    with postgres.private_server() as server:
        server.connect().execute("CREATE DATABASE small")
        url = server.url("small")
        upgrade(url)
        asyncio.run(live(url))
        dump = [str(server.bin / "pg_dump"), "--inserts", "--no-owner", "--no-privileges", url]
        made = subprocess.run(dump, check=True, capture_output=True, text=True).stdout
        plain = [
            x for x in made.split("\n") if x and not x.startswith(("--", "SET ", "SELECT pg_catalog.set_config", "\\"))
        ]
        (DATA / f"{VERSION}-postgresql.sql").write_text("\n".join(plain) + "\n", "utf-8")


if __name__ == "__main__":
    main()
