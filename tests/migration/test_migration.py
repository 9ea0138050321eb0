"""Migrations: a migrated store equals a fresh one, each released schema is brought up, two at once are safe."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from rota.store import dialect, migrate
from rota.store.database import Database
from rota.store.tables import build, of

COLUMNS = (
    "SELECT table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns"
    " WHERE table_schema = 'rota' ORDER BY 1, 2"
)
INDEXES = "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'rota' ORDER BY 1, 2"
OPTIONS = (
    "SELECT c.relname, c.reloptions FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
    " WHERE n.nspname = 'rota' AND c.relkind = 'r' ORDER BY 1"
)
MASTER = "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY 1, 2"


def shape(conn: Connection) -> list[Any]:
    """What the database says of rota's tables, but for the version's own."""
    queries = (COLUMNS, INDEXES, OPTIONS) if dialect.is_postgresql(conn) else (MASTER,)
    found = [[_plain(row) for row in conn.exec_driver_sql(q)] for q in queries]
    return [[row for row in rows if "rota_version" not in str(row)] for rows in found]


def _plain(row: Any) -> tuple[Any, ...]:
    return tuple("".join(v.split()) if isinstance(v, str) else v for v in row)


def fresh(conn: Connection) -> None:
    """The tables as the code of this version describes them."""
    if dialect.is_postgresql(conn):
        conn.exec_driver_sql("CREATE SCHEMA rota")
        build("rota", "").metadata.create_all(conn)
    else:
        build(None, "rota_").metadata.create_all(conn)


def asked(url: str, op: Callable[..., Any], *args: Any) -> Any:
    database = Database(url)
    try:
        return database.call(op, *args)
    finally:
        database.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database without tables."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'empty.db'}"
    url: str = request.getfixturevalue("pg_empty_url")
    return url


@pytest.fixture
def migrated_url(empty_url: str, request: pytest.FixtureRequest) -> str:
    """A migrated database of the same kind as `empty_url`."""
    url: str = request.getfixturevalue("sqlite_url" if empty_url.startswith("sqlite") else "pg_url")
    return url


def test_a_migrated_store_equals_a_fresh_one(migrated_url: str, empty_url: str) -> None:
    asked(empty_url, fresh)
    assert asked(migrated_url, shape) == asked(empty_url, shape)


def test_head_is_the_last_migration() -> None:
    config = Config()
    config.set_main_option("script_location", "rota.store:migrations")
    config.set_main_option("path_separator", "os")
    assert ScriptDirectory.from_config(config).get_heads() == [migrate.HEAD]


def test_two_at_once_are_safe(empty_url: str) -> None:
    errors: list[BaseException] = []

    def bring_up() -> None:
        try:
            migrate.upgrade(empty_url)
        except BaseException as error:  # noqa: BLE001 - told to the test
            errors.append(error)

    threads = [threading.Thread(target=bring_up) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert asked(empty_url, migrate.current) == migrate.HEAD


def test_migrating_again_changes_nothing(store_url: str) -> None:
    before = asked(store_url, shape)
    migrate.upgrade(store_url)
    assert asked(store_url, shape) == before


DATA = Path(__file__).parent / "data"
RELEASES = sorted({path.name.split("-")[0] for path in DATA.glob("*.sql")})


def _load(conn: Connection, text: str) -> None:
    for statement in text.split(";\n"):
        if statement.strip():
            conn.exec_driver_sql(statement.replace("%", "%%") if dialect.is_postgresql(conn) else statement)


def _counts(conn: Connection) -> dict[str, int]:
    """Rows per table, for the tables that a release knew."""
    return {
        name: dialect.query(conn, f"SELECT count(*) AS n FROM {{{name}}}")[0]["n"]
        for name in of(conn).names
        if name != "spine"
    }


@pytest.mark.parametrize("release", RELEASES)
def test_each_released_schema_is_brought_up(release: str, empty_url: str) -> None:
    """A small database of each release: its history is there afterwards, and it says this version's revision."""
    kind = "sqlite" if empty_url.startswith("sqlite") else "postgresql"
    asked(empty_url, _load, (DATA / f"{release}-{kind}.sql").read_text("utf-8"))
    migrate.upgrade(empty_url)
    assert asked(empty_url, migrate.current) == migrate.HEAD
    counts = asked(empty_url, _counts)
    assert counts["schedules"] == 2
    assert counts["runs"] >= 3
    assert counts["decisions"] >= 1
    assert counts["changes"] >= 2


def test_there_is_a_database_of_this_release() -> None:
    from rota.version import VERSION

    assert VERSION in RELEASES
