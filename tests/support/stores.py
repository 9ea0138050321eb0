"""Migrated databases for tests: a template per session and kind, a copy per test."""

from __future__ import annotations

import importlib
import itertools
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from tests.support import postgres

TEMPLATE = "rota_template"
_numbers = itertools.count(1)


def migrate(url: str) -> None:
    """Bring a database to this version's schema. Imported here, not above: most folders of tests need no store."""
    importlib.import_module("rota.store.migrate").upgrade(url)


class SharedServer:
    """The session's one server, started by whichever worker needs it first."""

    def __init__(self, home: Path) -> None:
        self.server = postgres.Server(home)
        self.home = home

    def ready(self) -> postgres.Server:
        """The server, running."""
        with postgres.exclusive(self.home / "start.lock"):
            if not (self.home / "started").exists():
                self.server.create()
                self.server.start()
                (self.home / "started").touch()
        return self.server

    def template(self) -> str:
        """The name of the migrated template database. A migration that fails is not tried again in this session."""
        server = self.ready()
        with postgres.exclusive(self.home / "template.lock"):
            failed = self.home / "template.failed"
            if failed.exists():
                raise RuntimeError(f"the template database could not be migrated: {failed.read_text()}")
            if not (self.home / "template").exists():
                self.build_template(server, failed)
        return TEMPLATE

    def build_template(self, server: postgres.Server, failed: Path) -> None:
        """Create and migrate it; nobody may stay connected to it, or it cannot be copied."""
        postgres.create_database(server, TEMPLATE)
        try:
            migrate(server.url(TEMPLATE))
        except BaseException as error:
            failed.write_text(repr(error))
            raise
        if postgres.connections_left(server, TEMPLATE):
            failed.write_text("upgrade() left a connection open")
            raise RuntimeError(failed.read_text())
        (self.home / "template").touch()

    @contextmanager
    def database(self, template: str | None) -> Iterator[str]:
        """The URL of a database of one test's own. A connection that the test leaves open fails it."""
        server = self.ready()
        name = f"t_{os.getpid()}_{next(_numbers)}"
        postgres.create_database(server, name, template)
        try:
            yield server.url(name)
            left = postgres.connections_left(server, name)
        finally:
            postgres.drop_database(server, name)
        if left:
            raise AssertionError(f"{left} connection(s) to the test's database left open")


class SqliteTemplate:
    """A migrated SQLite file, made once in each worker and copied."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "template.db"

    def copy_to(self, target: Path) -> str:
        """Put a migrated database at `target`; its URL."""
        if not self.path.exists():
            self.build()
        shutil.copyfile(self.path, target)
        return f"sqlite:///{target}"

    def build(self) -> None:
        """Migrate under another name first: a template that failed is none. The WAL is folded into the file."""
        draft = self.path.with_suffix(".draft")
        draft.unlink(missing_ok=True)
        migrate(f"sqlite:///{draft}")
        with closing(sqlite3.connect(draft)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        draft.rename(self.path)
