"""Bringing a database to the schema of this version of rota: forward only, in one transaction, safe when two try."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError

from rota.errors import DatabaseUnavailable
from rota.store import dialect
from rota.store.database import Database

HEAD: Final = "0001"
"""The revision this version of rota works with; a test compares it with the migrations."""


def current(conn: Connection) -> str | None:
    """The revision that the database is at, or None where rota has no tables. Does not import Alembic."""
    schema = conn.get_execution_options().get("rota_schema", "rota")
    if dialect.is_postgresql(conn):
        found = conn.execute(text("SELECT to_regclass(:name)"), {"name": f'"{schema}".rota_version'}).scalar()
        sql = f'SELECT version_num FROM "{schema}".rota_version'
    else:
        found = conn.exec_driver_sql("SELECT 1 FROM sqlite_master WHERE name = 'rota_version'").scalar()
        sql = "SELECT version_num FROM rota_version"
    return conn.exec_driver_sql(sql).scalar() if found else None


def status(database: Database) -> tuple[str | None, str]:
    """(the revision of the database or None, the one this version needs). Raises DatabaseUnavailable."""
    return database.read(current), HEAD


def upgrade(url: str | URL, *, schema: str = "rota") -> None:
    """Migrate the database at `url` to HEAD; afterwards all tables exist. Creates an embedded database's file.

    One transaction: a crash leaves the old schema whole. Two at once are safe: one waits for the other.
    """
    database = Database(url, schema=schema)
    try:
        upgrade_database(database)
    finally:
        database.close()


def upgrade_database(database: Database) -> None:
    """The same, for an open database."""
    try:
        database.call(_apply, None if database.sqlite else database.schema)
    except DBAPIError as error:
        raise DatabaseUnavailable(f"database {database.shown} cannot be migrated: {error.orig}") from error


def _apply(conn: Connection, schema: str | None) -> None:
    if schema is not None:
        conn.exec_driver_sql(
            "SELECT set_config('statement_timeout', '0', true), set_config('lock_timeout', '60s', true)"
        )
        conn.exec_driver_sql("SELECT pg_advisory_xact_lock(84700001)")
        conn.exec_driver_sql(f'CREATE SCHEMA IF NOT EXISTS "{schema}"')
    if current(conn) == HEAD:
        return
    _run_alembic(conn, schema)


def _run_alembic(conn: Connection, schema: str | None) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "rota.store:migrations")
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = conn
    config.attributes["schema"] = schema
    command.upgrade(config, "head")
