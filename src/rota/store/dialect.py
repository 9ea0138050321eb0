"""The only file that names a database: locks, bulk statements, ids, clock, notifications, pragmas.

Every function takes the Connection of a transaction that its caller began. Bulk functions go to the driver through the
same connection: Core costs four times as much per row (design document 6).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from sqlalchemy import Boolean, Connection, Table
from sqlalchemy.exc import DBAPIError
from sqlalchemy.types import TypeEngine

from rota.clock import Clock, SystemClock
from rota.store.bulk import (
    array_text,
    encode,
    insert_columns,
    insert_many,
    is_postgresql,
    json_text,
    same,
    scalar,
    update_columns,
    update_many,
)
from rota.store.tables import Instant, Json, from_micros, of, to_micros

__all__ = ["encode", "insert_columns", "insert_many", "is_postgresql", "update_columns", "update_many"]

P = ParamSpec("P")
T = TypeVar("T")

CHANNEL: Final = "rota_wake"
_SYSTEM: Final = SystemClock()
_SETTINGS: Final = (
    "set_config('application_name', %s, true), set_config('idle_in_transaction_session_timeout', '10s', true),"
    " set_config('lock_timeout', '2s', true), set_config('statement_timeout', '30s', true),"
    # Compiling takes a second where a plan looks costly, and with a queue's statistics any may.
    " set_config('jit', 'off', true)"
)


def skip_locked(conn: Connection, *, of_table: str = "") -> str:
    """The clause that locks the selected rows and passes over those locked elsewhere; nothing on SQLite."""
    target = f" OF {of_table}" if of_table else ""
    return f" FOR NO KEY UPDATE{target} SKIP LOCKED" if is_postgresql(conn) else ""


def for_update(conn: Connection, *, of_table: str = "") -> str:
    """The clause that locks the selected rows and waits for them; nothing on SQLite."""
    target = f" OF {of_table}" if of_table else ""
    return f" FOR NO KEY UPDATE{target}" if is_postgresql(conn) else ""


def start(conn: Connection, name: str) -> datetime | None:
    """Make this transaction one of rota's own: bounded waits, named; tells the database's time on PostgreSQL."""
    if not is_postgresql(conn):
        return None
    row = conn.exec_driver_sql(f"SELECT clock_timestamp(), {_SETTINGS}", (name,)).one()
    conn.execution_options(rota_began=_utc(row[0]))
    return _utc(row[0])


def moment(clock: Clock, name: str) -> tuple[str, list[Any]]:
    """A query of one row, and its parameters, for a statement that is a transaction of its own: what `start` does.

    Its column `at` is the present instant. For PostgreSQL; materialize it.
    """
    if clock.simulated:
        return f"SELECT %s::timestamptz AS at, {_SETTINGS}", [clock.now(), name]
    return f"SELECT clock_timestamp() AS at, {_SETTINGS}", [name]


def began(conn: Connection) -> datetime:
    """The instant that the first statement of this transaction of rota's own has told: a question less than `instant`.

    For a turn that asks the clock first; whoever takes a lock asks `instant` behind it.
    """
    options = conn.get_execution_options()
    known: datetime | None = options.get("rota_began")
    return instant(conn) if known is None or options.get("rota_clock", _SYSTEM).simulated else known


def instant(conn: Connection) -> datetime:
    """The present instant: of the simulated clock, else of the database's machine."""
    clock: Clock = conn.get_execution_options().get("rota_clock", _SYSTEM)
    if clock.simulated or not is_postgresql(conn):
        return clock.now()
    return _utc(conn.exec_driver_sql("SELECT clock_timestamp()").scalar_one())


def _utc(value: datetime) -> datetime:
    return value.astimezone(UTC)


def draw_ids(conn: Connection, table: Table, count: int) -> list[int]:
    """`count` fresh ids of a table, growing. On PostgreSQL they stay drawn after a rollback."""
    if count <= 0:
        return []
    if is_postgresql(conn):
        sequence = f'"{table.schema}".{table.name}_id_seq'
        sql = f"SELECT nextval('{sequence}') FROM generate_series(1, %s)"
        return [row[0] for row in conn.exec_driver_sql(sql, (count,))]
    last = conn.exec_driver_sql("SELECT seq FROM sqlite_sequence WHERE name = ?", (table.name,)).scalar()
    return list(range((last or 0) + 1, (last or 0) + 1 + count))


def decode(kind: TypeEngine[Any], value: Any) -> Any:
    """One value that the driver returned, as rota holds it."""
    if value is None:
        return None
    if isinstance(kind, Instant):
        return from_micros(value) if isinstance(value, int) else _utc(value)
    if isinstance(kind, Json):
        return json.loads(value) if isinstance(value, str) else value
    return bool(value) if isinstance(kind, Boolean) else value


def at(conn: Connection, value: datetime | None) -> Any:
    """An instant as a driver parameter."""
    return value if value is None or is_postgresql(conn) else to_micros(value)


def read_at(value: Any) -> Any:
    """An instant from a driver row: aware UTC, or None."""
    if value is None:
        return None
    return from_micros(value) if isinstance(value, int) else _utc(value)


class Repeat(Exception):  # noqa: N818 - a request to the caller, not a fault
    """The transaction found the world other than it had looked: it is rolled back and repeated by `Database.call`."""


def query(conn: Connection, sql: str, params: Sequence[Any] = ()) -> list[dict[str, Any]]:
    """Rows of raw SQL with `{table}` names and `%s` marks on every database, as dicts of driver values."""
    result = conn.exec_driver_sql(_marks(conn, of(conn).sql(sql)), tuple(params))
    names = list(result.keys())
    return [dict(zip(names, row, strict=True)) for row in result.all()]


def tuples(conn: Connection, sql: str, params: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """The same as bare tuples, for the hot path."""
    result = conn.exec_driver_sql(_marks(conn, of(conn).sql(sql)), tuple(params))
    rows = result.cursor.fetchall() if result.cursor is not None else []
    result.close()
    return list(rows)


def name_of(conn: Connection, table: str) -> str:
    """The bare name of a table, as an ON CONFLICT clause refers to it."""
    return of(conn).names[table].rsplit(".", 1)[-1]


def execute(conn: Connection, sql: str, params: Sequence[Any] = ()) -> int:
    """Run raw SQL with `{table}` names and `%s` marks; the number of rows it touched."""
    return conn.exec_driver_sql(_marks(conn, of(conn).sql(sql)), tuple(params)).rowcount


def _marks(conn: Connection, sql: str) -> str:
    return sql if is_postgresql(conn) else sql.replace("%s", "?")


def in_list(conn: Connection, values: Iterable[Any], cast: str = "bigint") -> tuple[str, list[Any]]:
    """A membership test `… ` + clause and its parameters: one array on PostgreSQL, marks on SQLite.

    Callers keep the lists bounded (SQLite takes at most 32,766 marks).
    """
    items = list(values)
    if is_postgresql(conn):
        return f"= ANY(%s::{cast}[])", [items]
    return f"IN ({','.join(['%s'] * len(items))})", items


def derived(
    conn: Connection, alias: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[Any]]
) -> tuple[str, list[Any]]:
    """Rows of values as a derived table for a FROM clause, and its parameters: one array per column, or one JSON text.

    `columns` has (name, type), the types named as PostgreSQL does; instants and JSON values are given as rota holds them.
    """
    values = list(zip(*rows, strict=True)) or [()] * len(columns)
    return derived_columns(conn, alias, columns, values)


def derived_columns(
    conn: Connection, alias: str, columns: Sequence[tuple[str, str]], values: Sequence[Sequence[Any]]
) -> tuple[str, list[Any]]:
    """`derived` of values given by column. A column that is the same in every row travels once."""
    once = [bool(number and column and same(column)) for number, column in enumerate(values)]
    return (_unnested if is_postgresql(conn) else _from_json)(conn, alias, columns, values, once)


def _unnested(
    conn: Connection,  # noqa: ARG001 - as `_from_json`
    alias: str,
    columns: Sequence[tuple[str, str]],
    values: Sequence[Sequence[Any]],
    once: Sequence[bool],
) -> tuple[str, list[Any]]:
    constants, arrays, names, picked, sources = [], [], [], [], []
    for (name, kind), column, constant in zip(columns, values, once, strict=True):
        if constant:
            constants.append(scalar(kind, column[0]))
            picked.append(f"%s::{kind}")
            continue
        arrays.append(array_text(kind, column))
        names.append(name)
        # In a subselect the planner does not know how long an array is, and takes the index whatever its statistics say.
        sources.append(f"(SELECT %s::{'text' if kind == 'jsonb' else kind}[])")
        picked.append(f"a.{name}::jsonb" if kind == "jsonb" else f"a.{name}")
    every = ", ".join(name for name, _ in columns)
    inner = f"SELECT {', '.join(picked)} FROM unnest({', '.join(sources)}) AS a({', '.join(names)})"
    return f"({inner}) AS {alias}({every})", [*constants, *arrays]


def _from_json(
    conn: Connection,
    alias: str,
    columns: Sequence[tuple[str, str]],
    values: Sequence[Sequence[Any]],
    once: Sequence[bool],
) -> tuple[str, list[Any]]:
    constants, picked = [], []
    varying: list[Sequence[Any]] = []
    for (name, kind), column, constant in zip(columns, values, once, strict=True):
        if constant:
            constants.append(_loose(conn, kind, column[0]))
            picked.append(f"%s AS {name}")
        else:
            picked.append(f"json_extract(value, '$[{len(varying)}]') AS {name}")
            varying.append([_loose(conn, kind, v) for v in column] if kind in _LOOSE else column)
    text = json.dumps(list(zip(*varying, strict=True)))
    return f"(SELECT {', '.join(picked)} FROM json_each(%s)) AS {alias}", [*constants, text]


_LOOSE: Final = ("jsonb", "timestamptz")


def _loose(conn: Connection, kind: str, value: Any) -> Any:
    if value is None or kind not in _LOOSE:
        return value
    return at(conn, value) if kind == "timestamptz" else json_text(value)


def instant_mark(conn: Connection) -> str:
    """The mark of an instant's parameter where its type cannot be told from its place."""
    return "%s::timestamptz" if is_postgresql(conn) else "%s"


def instant_text(conn: Connection, column: str) -> str:
    """An SQL expression: the instant of a column as UTC text with `Z`, a fraction only if not zero; NULL of none."""
    if is_postgresql(conn):
        micros = f"to_char({column} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US')"
        return f"rtrim(rtrim({micros}, '0'), '.') || 'Z'"
    fraction = f"rtrim(rtrim(printf('.%06d', {column} % 1000000), '0'), '.')"
    return f"replace(datetime({column} / 1000000, 'unixepoch'), ' ', 'T') || {fraction} || 'Z'"


def json_object(conn: Connection, always: Mapping[str, str], given: Mapping[str, str]) -> str:
    """An SQL expression: a JSON object of name -> expression; of `given` only those that are not NULL."""
    pairs, more = (", ".join(f"'{name}', {sql}" for name, sql in part.items()) for part in (always, given))
    if not given:
        return f"jsonb_build_object({pairs})" if is_postgresql(conn) else f"json_object({pairs})"
    if is_postgresql(conn):
        return f"jsonb_build_object({pairs}) || jsonb_strip_nulls(jsonb_build_object({more}))"
    return f"json_patch(json_object({pairs}), json_object({more}))"


def stored_json(conn: Connection, column: str) -> str:
    """An SQL expression: a JSON column as a part of `json_object`."""
    return column if is_postgresql(conn) else f"json({column})"


def in_index_order(conn: Connection) -> str:
    """An expression for a SELECT list that makes this transaction's later statements read in an index's order.

    Rather than sort: the statistics of a queue are always old, and a sort reads all of it.
    """
    return "set_config('enable_sort', 'off', true)" if is_postgresql(conn) else "NULL"


def end_sessions(conn: Connection, nodes: Sequence[str]) -> int:
    """End the database sessions whose transaction belongs to one of these nodes; how many. Nothing on SQLite."""
    if not nodes or not is_postgresql(conn):
        return 0
    sql = (
        "SELECT count(*) FILTER (WHERE pg_terminate_backend(pid)) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = ANY(%s::text[])"
    )
    return int(conn.exec_driver_sql(sql, ([f"rota:{node}" for node in nodes],)).scalar_one())


def lock_named(conn: Connection, names: Iterable[str]) -> None:
    """Take the transaction-scoped advisory locks of named keys, in order. SQLite has one writer: nothing."""
    ordered = sorted(set(names))
    if ordered and is_postgresql(conn):
        sql = (
            "SELECT pg_advisory_xact_lock(hashtextextended(n, 8470))"
            " FROM unnest(%s::text[]) WITH ORDINALITY AS a(n, i) ORDER BY i"
        )
        conn.exec_driver_sql(sql, (ordered,))


def notifying(
    conn: Connection,
    payloads: Iterable[str],
    op: Callable[Concatenate[Connection, P], T],
    /,
    *args: P.args,
    **kwargs: P.kwargs,
) -> T:
    """`op`, and hints that go out with its commit: one round trip and one commit less than hints behind it.

    For single acts by hand alone: sessions that send hints commit one after the other.
    """
    answer = op(conn, *args, **kwargs)
    notify(conn, payloads)
    return answer


def notify(conn: Connection, payloads: Iterable[str]) -> None:
    """Send wake hints; they reach listeners when the transaction commits. Nothing on SQLite (data_version serves)."""
    if is_postgresql(conn):
        sql = "SELECT pg_notify(%s, n) FROM unnest(%s::text[]) AS a(n)"
        conn.exec_driver_sql(sql, (CHANNEL, sorted(set(payloads))))


_RETRYABLE: Final = {"40001", "40P01", "55P03"}


def is_transient(error: BaseException) -> bool:
    """Whether the transaction was rolled back for a reason that a repeat heals: deadlock, serialization, lock wait."""
    if isinstance(error, Repeat):
        return True
    if not isinstance(error, DBAPIError) or error.orig is None:
        return False
    state = getattr(error.orig, "sqlstate", None)
    if state is not None:
        return state in _RETRYABLE
    message = str(error.orig)
    return (
        "database is locked" in message
        or "database table is locked" in message
        or "database schema has changed" in message
    )


_AWAY: Final = (
    "unable to open",
    "readonly database",
    "disk is full",
    "disk I/O error",
    "file is not a database",
    "disk image is malformed",
)
"""What SQLite says of a file that cannot be used now, or at all."""


def is_gone(error: BaseException) -> bool:
    """Whether the connection or the server is away, does not get on within the timeout, or will not take writes now."""
    if not isinstance(error, DBAPIError) or error.orig is None:
        return False
    state = getattr(error.orig, "sqlstate", None)
    if error.connection_invalidated or (state or "").startswith(("08", "57P", "57014", "53", "25006", "58")):
        return True
    if state is None and type(error.orig).__module__.startswith("psycopg"):
        return type(error.orig).__name__ in ("OperationalError", "InterfaceError")
    message = str(error.orig)
    return any(text in message for text in _AWAY)


def is_unmigrated(error: BaseException) -> bool:
    """Whether rota's tables are missing."""
    if not isinstance(error, DBAPIError) or error.orig is None:
        return False
    if getattr(error.orig, "sqlstate", None) in ("42P01", "3F000", "42703"):
        return True
    return "no such table" in str(error.orig) or "no such column" in str(error.orig)
