"""What all handles of one application share: its database, its place, its settings, and who acts."""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, TypeVar

from rota.engine.registry import Registry
from rota.errors import DatabaseNotMigrated, DatabaseUnavailable, Error
from rota.model.by import By
from rota.model.schedule import DEFAULT, Key, check_name
from rota.model.settings import Settings
from rota.store import dialect, migrate
from rota.store.database import Database
from rota.store.desk import Desk

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from sqlalchemy.engine import Engine

P = ParamSpec("P")
T = TypeVar("T")

DEFAULT_URL: Final = "sqlite:///rota.db"


@dataclass(frozen=True, slots=True)
class Place:
    """Tenant, stack and environment: the first three parts of every key that is given as a bare name."""

    tenant: str = DEFAULT
    stack: str = DEFAULT
    environment: str = DEFAULT

    def __post_init__(self) -> None:
        for name in ("tenant", "stack", "environment"):
            check_name(name, getattr(self, name))

    def key(self, name: str) -> Key:
        """The key of a bare name in this place, or of a whole `tenant/stack/environment/name`."""
        if isinstance(name, str) and "/" in name:
            return Key.parse(name)
        return Key(self.tenant, self.stack, self.environment, check_name("name", name))

    @property
    def scope(self) -> str:
        """`tenant/stack/environment`."""
        return f"{self.tenant}/{self.stack}/{self.environment}"


class Store:
    """The database of an application, opened and (if embedded) created and migrated at its first use."""

    def __init__(self, url: str | Engine | None, *, schema: str, create: bool, pool_size: int) -> None:
        given = url if url is not None else os.environ.get("ROTA_DATABASE") or DEFAULT_URL
        self._database = Database(given, schema=schema, pool_size=pool_size)
        self.desk = Desk()
        self._create = create
        self._ready_in = 0
        self._guard = threading.Lock()

    def must_exist(self) -> None:
        """Never create or migrate it: what is not there is an error."""
        self._create = False

    @property
    def unopened(self) -> Database:
        """The database as it is: it may be absent, or not migrated."""
        return self._database

    @property
    def database(self) -> Database:
        """The database, there and of this version's schema; raises DatabaseUnavailable or DatabaseNotMigrated."""
        if self._ready_in != os.getpid():
            with self._guard:
                self._prepare(self._database)
                self._ready_in = os.getpid()
        return self._database

    def _prepare(self, database: Database) -> None:
        if database.sqlite:
            self.check_file()
        found, needed = migrate.status(database)
        if found == needed:
            return
        if not database.sqlite or not self._create:
            raise DatabaseNotMigrated(database.unmigrated())
        migrate.upgrade_database(database)

    def check_file(self) -> None:
        """Raise DatabaseUnavailable where an embedded database is not there and may or can not be created."""
        database = self._database
        path = Path(database.url.database or "")
        if not database.sqlite or path.exists():
            return
        if not self._create:
            raise DatabaseUnavailable(
                f"there is no database {path} here: start with `rota up` or `rota db upgrade`, or name another one with --db"
            )
        self.check_folder()

    def check_folder(self) -> None:
        """Raise DatabaseUnavailable where the folder of an embedded database is not there, Error where it is read-only."""
        path = Path(self._database.url.database or "")
        folder = path.absolute().parent
        if not folder.is_dir():
            raise DatabaseUnavailable(f"database {path}: there is no folder {folder}")
        try:
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError as error:
            raise Error(
                f"the folder {folder} cannot be written ({error.strerror}), so there can be no database {path.name} in it: "
                "go to another folder, or name another database with --db"
            ) from None


@dataclass(frozen=True, slots=True)
class Core:
    """One application's shared values; `dataclasses.replace` gives another actor or place on the same database."""

    store: Store
    place: Place = field(default_factory=Place)
    settings: Settings = field(default_factory=Settings)
    timezone: str | None = None
    by: By = field(default_factory=By)
    registry: Registry = field(default_factory=Registry)

    @property
    def database(self) -> Database:
        """The opened database."""
        return self.store.database

    def call(self, op: Callable[Concatenate[Connection, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a store operation in one writing transaction."""
        return self.store.database.call(op, *args, **kwargs)

    def change(
        self, hints: Sequence[str], op: Callable[Concatenate[Connection, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """`call`, and as it is committed tell the loops of all processes to look. A lost hint costs one poll."""
        if self.database.sqlite:  # there they see the commit itself
            return self.call(op, *args, **kwargs)
        return self.call(dialect.notifying, hints, op, *args, **kwargs)

    def hint(self, *kinds: str) -> None:
        """Wake loops elsewhere. On SQLite they see the commit itself."""
        if not self.database.sqlite:
            with contextlib.suppress(DatabaseUnavailable):
                self.database.call(dialect.notify, kinds)

    def read(self, op: Callable[Concatenate[Connection, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a store operation that only reads."""
        return self.store.database.read(op, *args, **kwargs)

    def ref(self, name: str | int) -> Key | int:
        """What the store takes for a schedule: its id, or its key."""
        return name if isinstance(name, int) and not isinstance(name, bool) else self.place.key(name)  # type: ignore[arg-type]

    def with_zone(self, fields: dict[str, Any]) -> dict[str, Any]:
        """The fields of a new schedule, with the application's zone where they name none."""
        if self.timezone is None or fields.get("timezone") is not None:
            return fields
        return fields | {"timezone": self.timezone}
