"""Doors to a database for interfaces: open one that exists, create an embedded one, migrate, tell its state."""

from __future__ import annotations

import getpass
import os
from typing import Any

from rota.app.core import DEFAULT_URL, Store
from rota.app.rota import Rota
from rota.store import migrate as migrations


def connect(url: str | None = None, *, actor: str | None = None, channel: str = "cli", **place: Any) -> Rota:
    """The handles on a database that must exist and be migrated: DatabaseUnavailable or DatabaseNotMigrated if not.

    `place`: tenant, stack, environment. `actor` None is the user of this process.
    """
    rota = Rota(url, **place)
    try:
        rota.core.store.must_exist()
        rota.core.store.database  # noqa: B018 - looks now, so that the caller's first line is the error
    except BaseException:
        rota.close()
        raise
    return rota.acting(actor or user(), channel=channel)


def user() -> str:
    """Who runs this process, as far as the system knows."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # no such user in this container
        return f"uid {os.getuid()}"


def create(url: str | None = None) -> None:
    """Create and migrate an embedded database, or look that a PostgreSQL one is migrated."""
    store = _store(url, create=True)
    try:
        store.database  # noqa: B018 - opening does it
    finally:
        store.unopened.close()


def migrate(url: str | None = None, *, schema: str = "rota") -> tuple[str | None, str, str]:
    """Bring a database to this version's tables: (revision before or None, revision now, the URL without password)."""
    store = _store(url, create=True, schema=schema)
    database = store.unopened
    try:
        if database.sqlite:
            store.check_folder()
        before, needed = migrations.status(database)
        if before != needed:
            migrations.upgrade_database(database)
        return before, needed, database.shown
    finally:
        database.close()


def status(url: str | None = None, *, schema: str = "rota") -> tuple[str | None, str, str]:
    """(the revision of the database or None, the one this version needs, the URL without password)."""
    store = _store(url, create=False, schema=schema)
    try:
        store.check_file()
        return *migrations.status(store.unopened), store.unopened.shown
    finally:
        store.unopened.close()


def _store(url: str | None, *, create: bool, schema: str = "rota") -> Store:
    return Store(url or os.environ.get("ROTA_DATABASE") or DEFAULT_URL, schema=schema, create=create, pool_size=2)
