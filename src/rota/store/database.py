"""Engines and transactions: one database, its retry of transient errors, and the way off the event loop.

`call` and `acall` run a store operation in one writing transaction, `read` and `aread` in one that only reads. On SQLite
a writing transaction first takes a lock of this process, then a blocking `flock` on `<database>.lock`: the built-in
busy handler is unfair (seconds of starvation were measured).
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import functools
import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import URL, Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from rota.clock import Clock, SystemClock
from rota.errors import DatabaseNotMigrated, DatabaseUnavailable, Error, MissingExtra
from rota.store import dialect

__all__ = ["AmbiguousCommit", "Connection", "Database", "StatementRefused"]

P = ParamSpec("P")
T = TypeVar("T")
Operation = Callable[Concatenate[Connection, P], T]

_TRIES: Final = 10
_LONG_S: Final = 10.0
PATIENCE_S: Final = 35.0
"""A statement has an answer by then: the server itself gives up after 30 s. One that has none has lost its connection."""


class StatementRefused(Error):  # noqa: N818 - named as its siblings in rota.errors
    """The database refuses a statement for good: a value it cannot store, a constraint. Nothing of it was written."""

    code = "X500002DBSTMT"


class AmbiguousCommit(DatabaseUnavailable):
    """The answer to a COMMIT was lost: the transaction may be durable or not. The caller reads it back by a write."""

    code = "X503003COMAMB"


def normalise(url: str | URL) -> URL:
    """The URL with the driver that rota uses; `postgres://` and `postgresql://` mean psycopg 3."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError) as error:
        raise DatabaseUnavailable(
            f"database: {str(url)!r} is not a database URL; allowed are sqlite:///FILE and postgresql://USER@HOST/NAME"
        ) from error
    if parsed.drivername in ("postgres", "postgresql", "postgresql+psycopg"):
        return parsed.set(drivername="postgresql+psycopg")
    if parsed.drivername in ("sqlite", "sqlite+pysqlite"):
        if not parsed.database or parsed.database == ":memory:":
            raise DatabaseUnavailable(
                "database: an in-memory SQLite database cannot be shared; give a file: sqlite:///rota.db"
            )
        return parsed.set(drivername="sqlite+pysqlite")
    raise DatabaseUnavailable(f"database: {parsed.drivername}:// is not supported; allowed are sqlite and postgresql")


ALIVE: Final[dict[str, Any]] = {
    "connect_timeout": 5,
    "keepalives": 1,
    "keepalives_idle": 5,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 15000,
}
"""What libpq is told, so that a dead connection to PostgreSQL is found out."""


def make_engine(url: str | URL, *, pool_size: int = 8, synchronous: str = "FULL") -> Engine:
    """An engine as rota needs it: SQLite with WAL and explicit BEGIN, PostgreSQL with keepalives and no prepared state."""
    parsed = normalise(url)
    if parsed.get_backend_name() == "sqlite":
        return _sqlite_engine(parsed, pool_size, synchronous)
    try:
        engine = sa.create_engine(
            parsed,
            pool_size=pool_size,
            max_overflow=pool_size,
            pool_use_lifo=True,  # a session that was used just now has its catalogue at hand
            pool_pre_ping=False,
            pool_reset_on_return="rollback",
            isolation_level="READ COMMITTED",  # whatever the database's own default is
            connect_args=ALIVE | {"prepare_threshold": None},
        )
        from rota.store.patience import connect_patiently
    except (NoSuchModuleError, ImportError) as error:
        raise MissingExtra("PostgreSQL needs the extra `postgres`: pip install 'rota[postgres]'") from error
    connect_patiently(engine)
    return engine


def _sqlite_engine(url: URL, pool_size: int, synchronous: str) -> Engine:
    engine = sa.create_engine(
        url,
        poolclass=sa.pool.QueuePool,
        pool_size=pool_size,
        max_overflow=pool_size,
        connect_args={"check_same_thread": False, "timeout": 30.0},
    )

    @event.listens_for(engine, "connect")
    def _connect(raw: Any, _record: Any) -> None:
        raw.isolation_level = None
        cursor = raw.cursor()
        for pragma in ("journal_mode=WAL", f"synchronous={synchronous}", "busy_timeout=30000", "foreign_keys=ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(conn: Connection) -> None:
        write = conn.get_execution_options().get("rota_write", True)
        conn.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")

    return engine


class _FileLock:
    """The blocking lock of writers on one SQLite file: fair enough, since each holder yields 1 ms after it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._mutex = threading.Lock()
        self._pid = 0
        self._fd = -1
        self.waiting_since: float | None = None

    def holder(self) -> int | None:
        """The process that has kept this one waiting for more than 10 s, as it says in the file; None mostly."""
        since = self.waiting_since
        if since is None or time.monotonic() - since < _LONG_S:
            return None
        with contextlib.suppress(OSError, ValueError):
            return int(self._path.read_text().strip())
        return None

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock for a transaction; waits for it as long as it takes."""
        with self._mutex:
            fd = self._open()
            self.waiting_since = time.monotonic()
            fcntl.flock(fd, fcntl.LOCK_EX)
            self.waiting_since = None
            try:
                os.pwrite(fd, b"%-20d\n" % os.getpid(), 0)  # others name the holder when they wait for it
                yield
            finally:
                fcntl.flock(fd, fcntl.LOCK_UN)
                time.sleep(0.001)  # noqa: TID251 - lets another process have the lock; no loop waits on it

    def _open(self) -> int:
        if self._pid != os.getpid():
            self._fd = os.open(self._path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o644)
            self._pid = os.getpid()
        return self._fd


class Database:
    """One database of rota. Opens connections lazily, in the process that uses them (also after a fork)."""

    def __init__(
        self,
        url: str | URL | Engine,
        *,
        schema: str = "rota",
        clock: Clock | None = None,
        node: str = "client",
        pool_size: int = 8,
        synchronous: str = "FULL",
        patience_s: float = PATIENCE_S,
    ) -> None:
        self.clock: Clock = clock or SystemClock()
        self.schema = schema
        self.node = node
        self._given = url
        self._pool_size = pool_size
        self._synchronous = synchronous
        self.patience_s = patience_s
        self._engine: Engine | None = None
        self._pid = 0
        self._guard = threading.Lock()
        self._threads: ThreadPoolExecutor | None = None
        self.url = url.url if isinstance(url, Engine) else normalise(url)
        self.sqlite = self.url.get_backend_name() == "sqlite"
        self._lock = _FileLock(Path(f"{self.url.database}.lock")) if self.sqlite else None

    @property
    def engine(self) -> Engine:
        """The engine of this process."""
        with self._guard:
            if self._engine is None or self._pid != os.getpid():
                if isinstance(self._given, Engine):
                    if self._pid and self._pid != os.getpid():
                        self._given.dispose(close=False)
                    self._engine = self._ours(self._given)
                else:
                    self._engine = make_engine(self.url, pool_size=self._pool_size, synchronous=self._synchronous)
                self._pid = os.getpid()
                self._threads = None
            return self._engine

    def _ours(self, given: Engine) -> Engine:
        """An application's engine with rota's isolation, on the same pool; the application's own use keeps its own."""
        return given if self.sqlite else given.execution_options(isolation_level="READ COMMITTED")

    def options(self, *, write: bool) -> dict[str, Any]:
        """The execution options that store functions look at."""
        return {"rota_schema": self.schema, "rota_clock": self.clock, "rota_write": write}

    @contextlib.contextmanager
    def transaction(self, *, write: bool = True) -> Iterator[Connection]:
        """One transaction of rota's own: bounded waits, committed at the end, rolled back on an exception.

        Raises DatabaseUnavailable, DatabaseNotMigrated or AmbiguousCommit for what the database itself refuses;
        StatementRefused for what it refuses for good (a value, a constraint); transient errors (deadlock, serialization,
        lock waits) come through as SQLAlchemy's, for `call` to repeat, a stale pooled connection as `dialect.Repeat`.
        """
        with (
            self._writer(write=write),
            self._translated(),
            self.engine.connect().execution_options(**self.options(write=write)) as conn,
            self._patient(conn),
        ):
            transaction = conn.begin()
            try:
                self._start(conn)
                yield conn
            except BaseException:
                with contextlib.suppress(DBAPIError):
                    transaction.rollback()
                raise
            self._commit(transaction)

    def _patient(self, conn: Connection) -> contextlib.AbstractContextManager[None]:
        if self.sqlite:
            return contextlib.nullcontext()
        from rota.store.patience import patient

        return patient(conn, self.patience_s)

    def doubt(self) -> None:
        """Say that a statement on a connection of this database had no answer in its time (see `patience`)."""
        if not self.sqlite:
            from rota.store.patience import doubt

            doubt()

    def _start(self, conn: Connection) -> None:
        """The first statement; where a pooled connection turns out to be of before an outage, another one is taken."""
        try:
            dialect.start(conn, f"rota:{self.node}")
        except DBAPIError as error:
            if error.connection_invalidated:
                raise dialect.Repeat(_first_line(error)) from error
            raise

    def _commit(self, transaction: Any) -> None:
        try:
            transaction.commit()
        except DBAPIError as error:
            if dialect.is_transient(error) or not dialect.is_gone(error):
                raise
            raise AmbiguousCommit(f"the answer to a commit was lost: {error.orig}") from error

    def _writer(self, *, write: bool) -> contextlib.AbstractContextManager[None]:
        if write and self._lock is not None:
            return self._open_lock(self._lock)
        return contextlib.nullcontext()

    @contextlib.contextmanager
    def _open_lock(self, lock: _FileLock) -> Iterator[None]:
        with contextlib.ExitStack() as stack:
            try:
                stack.enter_context(lock.held())
            except OSError as error:
                raise DatabaseUnavailable(f"cannot lock {self.url.database}.lock: {error.strerror}") from error
            yield

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            if dialect.is_unmigrated(error):
                raise DatabaseNotMigrated(self.unmigrated()) from error
            if dialect.is_transient(error):
                raise
            if dialect.is_gone(error):
                raise DatabaseUnavailable(f"database {self.shown} is out of reach: {_first_line(error)}") from error
            raise StatementRefused(f"database {self.shown} refused a statement: {_first_line(error)}") from error
        except UnicodeEncodeError as error:  # what drivers raise of their own for a value that no column holds
            raise StatementRefused(f"database {self.shown} has no place for {error.object!r}: not UTF-8") from error
        except OverflowError as error:
            if "SQLite" not in str(error):
                raise
            raise StatementRefused(f"database {self.shown} has no place for a number: {error}") from error
        except ModuleNotFoundError as error:
            if error.name != "psycopg":
                raise
            raise MissingExtra("PostgreSQL needs the extra `postgres`: pip install 'rota[postgres]'") from error

    def holder(self) -> int | None:
        """On SQLite the process that keeps writers of this one waiting for more than 10 s; None mostly."""
        return None if self._lock is None else self._lock.holder()

    @property
    def shown(self) -> str:
        """The URL without its password."""
        return self.url.render_as_string(hide_password=True).replace("+psycopg", "").replace("+pysqlite", "")

    def unmigrated(self) -> str:
        """What to do about missing tables, in one line."""
        return f"database {self.shown} has no tables of rota, or of another version: run `rota --db {self.shown} db upgrade`"

    def call(self, op: Callable[Concatenate[Connection, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `op(conn, …)` in one writing transaction and commit; repeat it up to ten times on transient errors."""
        return self._repeat(functools.partial(self._once, True, op, args, kwargs))

    def read(self, op: Callable[Concatenate[Connection, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `op(conn, …)` in a transaction that only reads."""
        return self._repeat(functools.partial(self._once, False, op, args, kwargs))

    def _once(self, write: bool, op: Callable[..., T], args: tuple[Any, ...], kwargs: dict[str, Any]) -> T:
        with self.transaction(write=write) as conn:
            return op(conn, *args, **kwargs)

    def _repeat(self, attempt: Callable[[], T]) -> T:
        for number in range(1, _TRIES + 1):
            try:
                return attempt()
            except (DBAPIError, dialect.Repeat) as error:
                if number == _TRIES:
                    raise DatabaseUnavailable(f"database {self.shown} is busy: {_first_line(error)}") from error
                time.sleep(random.random() * 0.01 * 2 ** min(number, 6))  # noqa: TID251, S311 - jitter between repeats
        raise AssertionError("unreachable")

    async def acall(self, op: Callable[Concatenate[Connection, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """`call`, in a thread. A cancelled await does not stop the transaction: it commits or not, unseen."""
        return await self._off(functools.partial(self.call, op, *args, **kwargs))

    async def aread(self, op: Callable[Concatenate[Connection, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """`read`, in a thread."""
        return await self._off(functools.partial(self.read, op, *args, **kwargs))

    async def _off(self, work: Callable[[], T]) -> T:
        self.engine  # noqa: B018 - notices a fork before the pool of threads is used
        if self._threads is None:
            self._threads = ThreadPoolExecutor(self._pool_size, thread_name_prefix="rota-db")
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def sibling(self, *, pool_size: int = 1, patience_s: float = PATIENCE_S) -> Database:
        """Another way to the same database, with connections of its own."""
        return Database(
            self.url,
            schema=self.schema,
            clock=self.clock,
            node=self.node,
            pool_size=pool_size,
            synchronous=self._synchronous,
            patience_s=patience_s,
        )

    def close(self) -> None:
        """Close this process's connections and threads. The database may be used again: it opens anew."""
        with self._guard:
            threads, self._threads = self._threads, None
            engine, self._engine = self._engine, None
        if threads is not None:
            threads.shutdown(wait=True)
        if engine is not None and not isinstance(self._given, Engine):
            engine.dispose()


def _first_line(error: DBAPIError | dialect.Repeat) -> str:
    cause = error.orig if isinstance(error, DBAPIError) else error
    return (str(cause).strip().splitlines() or [type(cause).__name__])[0]
