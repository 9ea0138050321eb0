"""Faults of a database connection at a chosen statement."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
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
    with listening(database, Fault(nth, pattern)) as fault:
        yield fault


@contextmanager
def listening(database: Database, fault: Fault) -> Iterator[Fault]:
    """The fault sees every statement of this database."""
    engine = database.engine
    event.listen(engine, "do_execute", fault.look)
    try:
        yield fault
    finally:
        event.remove(engine, "do_execute", fault.look)


class Busy(Fault):
    """The first `nth` transactions that write find the rows locked, or lose a conflict of serialization."""

    def look(self, _cursor: Any, statement: str, _parameters: Any, context: Any) -> None:
        """Called in the statement's place; whoever returns None lets it go on."""
        if not re.search(self.pattern, statement) or self.seen >= self.nth:
            return
        self.seen += 1
        self.struck = True
        if context.dialect.name == "sqlite":
            raise sqlite3.OperationalError("database is locked")
        raise psycopg.errors.SerializationFailure("could not serialize access")


@contextmanager
def busy(database: Database, times: int, pattern: str = r"UPDATE|INSERT|DELETE") -> Iterator[Fault]:
    """So many writing statements of this database fail for a reason that a repeat heals; later ones succeed."""
    with listening(database, Busy(times, pattern)) as fault:
        yield fault
