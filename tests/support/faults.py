"""Faults of a database connection at a chosen statement."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import event

from rota.store.database import Database


@dataclass
class Fault:
    """Counts the statements that were seen; `struck` once the chosen one was lost."""

    nth: int
    pattern: str
    seen: int = 0
    struck: bool = False

    def look(self, cursor: Any, statement: str, _parameters: Any, context: Any) -> None:
        """Called in the statement's place; whoever returns None lets it go on."""
        if not re.search(self.pattern, statement):
            return
        self.seen += 1
        if self.seen != self.nth:
            return
        self.struck = True
        if context.dialect.name == "sqlite":
            raise sqlite3.OperationalError("disk I/O error")
        cursor.connection.close()  # the server sees a client that is gone; the statement finds no connection


@contextmanager
def losing(database: Database, nth: int = 1, pattern: str = "") -> Iterator[Fault]:
    """The connection is lost at the `nth` statement of this database that matches a pattern; later ones succeed."""
    fault = Fault(nth, pattern)
    engine = database.engine
    event.listen(engine, "do_execute", fault.look)
    try:
        yield fault
    finally:
        event.remove(engine, "do_execute", fault.look)
