"""The databases under test: a durable PostgreSQL of the bench's own, and SQLite files.

Every measurement gets a fresh copy of a prepared database, so that no contender works in what another has left behind.
"""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, Protocol

from psycopg import sql
from sqlalchemy import Connection

from rota.store.database import Database
from rota.store.migrate import upgrade
from tests.support import postgres

Fill = Callable[[Connection], None]

# The suite's own servers never sync; these lines come after theirs, and the last line counts.
DURABLE: Final = """
fsync = on
synchronous_commit = on
full_page_writes = on
shared_buffers = 512MB
max_wal_size = 4GB
checkpoint_timeout = 30min
timezone = 'UTC'
"""


class Store(Protocol):
    """A kind of database: prepare one by name, then take as many copies of it as there are measurements."""

    kind: str

    def prepare(self, name: str, fill: Fill | None) -> None:
        """Make a database with rota's tables and what `fill` puts there; None: an empty one, without tables."""
        ...

    def copy(self, name: str) -> contextlib.AbstractContextManager[str]:
        """The URL of a fresh copy, gone afterwards."""
        ...


class DurableServer(postgres.Server):
    """The suite's private server, but one that syncs."""

    def choose_port(self) -> None:
        """As the suite's, and the settings that make it durable behind it."""
        super().choose_port()
        with (self.home / "data" / "postgresql.conf").open("a") as file:
            file.write(DURABLE)


class PostgreSQL:
    """Copies by `CREATE DATABASE … TEMPLATE`."""

    kind = "PostgreSQL"

    def __init__(self, server: postgres.Server) -> None:
        self.server = server
        self._number = 0
        self._prepared: set[str] = set()

    def version(self) -> str:
        """Version and durability, as the server itself tells them."""
        names = ("server_version", "fsync", "synchronous_commit", "shared_buffers")
        with self.server.connect() as conn:
            told = [str((conn.execute(f"SHOW {name}".encode()).fetchone() or [""])[0]) for name in names]
        shown = ", ".join(f"{name} {value}" for name, value in zip(names[1:], told[1:], strict=True))
        if told[1:3] != ["on", "on"]:
            raise RuntimeError(f"the bench's server is not durable: {shown}")
        return f"{told[0].split()[0]}, {shown}, one machine, loopback"

    def server_number(self) -> int:
        """The server's major version."""
        with self.server.connect() as conn:
            return conn.info.server_version // 10_000

    def prepare(self, name: str, fill: Fill | None) -> None:
        """See `Store`. Statistics are fresh and no row is dead, as after a quiet night."""
        if name in self._prepared:
            return
        postgres.create_database(self.server, name)
        if fill is not None:
            _fill(self.server.url(name), fill)
            with self.server.connect(name) as conn:
                conn.execute("VACUUM (ANALYZE)")
        self._prepared.add(name)

    @contextlib.contextmanager
    def copy(self, name: str) -> Iterator[str]:
        """See `Store`. The checkpoint makes every contender write the same full pages."""
        self._number += 1
        fresh = f"copy{self._number}"
        with self.server.connect() as conn:
            statement = "CREATE DATABASE {} TEMPLATE {}" + (" STRATEGY file_copy" if self.server_number() >= 15 else "")
            conn.execute(sql.SQL(statement).format(sql.Identifier(fresh), sql.Identifier(name)))
            conn.execute("CHECKPOINT")
        try:
            yield self.server.url(fresh)
        finally:
            postgres.drop_database(self.server, fresh)


class SQLite:
    """Copies of a file."""

    kind = "SQLite"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._number = 0

    def prepare(self, name: str, fill: Fill | None) -> None:
        """See `Store`."""
        path = self.folder / f"{name}.db"
        if path.exists():
            return
        if fill is not None:
            _fill(f"sqlite:///{path}", fill)
        with contextlib.closing(sqlite3.connect(path)) as conn:
            conn.execute("ANALYZE")
            conn.commit()
            conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextlib.contextmanager
    def copy(self, name: str) -> Iterator[str]:
        """See `Store`."""
        self._number += 1
        path = self.folder / f"copy{self._number}.db"
        shutil.copyfile(self.folder / f"{name}.db", path)
        try:
            yield f"sqlite:///{path}"
        finally:
            for rest in self.folder.glob(f"{path.name}*"):
                rest.unlink()


def _fill(url: str, fill: Fill) -> None:
    upgrade(url)
    database = Database(url)
    try:
        with database.engine.connect().execution_options(**database.options(write=True)) as conn, conn.begin():
            fill(conn)
    finally:
        database.close()


@contextlib.contextmanager
def postgresql() -> Iterator[PostgreSQL]:
    """A durable server, started here and gone at the end."""
    suite, lock = postgres.new_home()
    server = DurableServer(suite.home)
    try:
        server.create()
        server.start()
        yield PostgreSQL(server)
    finally:
        server.remove()
        lock.close()


@contextlib.contextmanager
def sqlite() -> Iterator[SQLite]:
    """A folder for SQLite's files, gone at the end."""
    with tempfile.TemporaryDirectory(prefix="rota-bench-") as folder:
        yield SQLite(Path(folder))
