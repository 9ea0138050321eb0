"""Set-based writes: one statement for many rows, through the driver. The other half of `dialect`; see there.

PostgreSQL takes one array a column, written here as text: psycopg's own dumper costs four times as much. Whatever goes
in is made storable on the way (NUL, surrogates, numbers that JSON has not), so that one bad value harms no batch.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import BigInteger, Boolean, Connection, Float, Integer, LargeBinary, Table, Text
from sqlalchemy.types import TypeEngine

from rota.model.storable import clean
from rota.store.types import Instant, Json, to_micros

Row = Mapping[str, Any]

_BAD: Final = re.compile("[\x00\ud800-\udfff]")
_BAD_JSON: Final = re.compile(r"\\u0000|[\ud800-\udfff]")


def is_postgresql(conn: Connection) -> bool:
    """Whether this is PostgreSQL (else SQLite)."""
    return conn.dialect.name == "postgresql"


def json_text(value: Any) -> str:
    """A JSON value as storable text."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except ValueError:
        text = ""
    if text and not _BAD_JSON.search(text):
        return text
    return json.dumps(clean(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def encode(conn: Connection, kind: TypeEngine[Any], value: Any) -> Any:
    """One value as the driver of this connection takes it."""
    if value is None:
        return None
    if isinstance(kind, Json):
        return json_text(value)
    if isinstance(kind, Instant) and not is_postgresql(conn):
        return to_micros(value)
    return clean(value) if isinstance(value, str) and _BAD.search(value) else value


def _plain(values: Sequence[Any]) -> str:
    return "{" + ",".join(["NULL" if v is None else str(v) for v in values]) + "}"


def _instants(values: Sequence[datetime | None]) -> str:
    seen: dict[datetime | None, str] = {None: "NULL"}
    for value in values:
        if value not in seen and value is not None:
            seen[value] = value.isoformat()
    return "{" + ",".join([seen[v] for v in values]) + "}"


def _quoted(values: Sequence[str | None]) -> str:
    items = ["NULL" if v is None else '"' + v.replace("\\", "\\\\").replace('"', '\\"') + '"' for v in values]
    text = "{" + ",".join(items) + "}"
    return _quoted([v and clean(v) for v in values]) if _BAD.search(text) else text


def _jsons(values: Sequence[Any]) -> str:
    return _quoted([None if v is None else json_text(v) for v in values])


_TYPES: Final[tuple[tuple[type[Any], str, str, Callable[[Sequence[Any]], Any]], ...]] = (
    (Instant, "timestamptz", "timestamptz", _instants),
    (Json, "text", "jsonb", _jsons),
    (BigInteger, "bigint", "bigint", _plain),
    (Integer, "integer", "integer", _plain),
    (Boolean, "boolean", "boolean", _plain),
    (Float, "double precision", "double precision", _plain),
    (LargeBinary, "bytea", "bytea", list),
    (Text, "text", "text", _quoted),
)


def _kind(kind: TypeEngine[Any]) -> tuple[str, str, Callable[[Sequence[Any]], Any]]:
    """(array type, column type, how a list of values becomes an array) on PostgreSQL."""
    for cls, array, cast, dump in _TYPES:
        if isinstance(kind, cls):
            return array, cast, dump
    raise TypeError(f"no PostgreSQL type known for {kind!r}")


def array_text(kind: str, values: Sequence[Any]) -> Any:
    """A list of values of the named PostgreSQL type (jsonb: JSON values) as an array parameter."""
    return next(dump for _, _, cast, dump in _TYPES if cast == kind)(values)


def insert_many(
    conn: Connection, table: Table, rows: Sequence[Row], *, ignore: bool = False, returning: str | None = None
) -> list[Any]:
    """Insert rows (all with the same keys) by one set-based statement; see `insert_columns`."""
    if not rows:
        return []
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    return insert_columns(conn, table, columns, ignore=ignore, returning=returning)


def insert_columns(
    conn: Connection,
    table: Table,
    columns: Mapping[str, Sequence[Any]],
    *,
    ignore: bool = False,
    returning: str | None = None,
) -> list[Any]:
    """Insert rows that are given as columns of equal length, at least one row.

    With `ignore` a row that breaks a uniqueness is left out without an error; `returning` names the column (the
    primary key, given, growing) whose values of the rows that really went in are returned.
    """
    conflict = " ON CONFLICT DO NOTHING" if ignore else ""
    if is_postgresql(conn):
        back = f" RETURNING {returning}" if returning else ""
        return _insert_arrays(conn, table, columns, conflict + back)
    marks = ", ".join("?" * len(columns))
    sql = f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES ({marks}){conflict}"
    encoded = [_column(conn, table.c[name].type, values) for name, values in columns.items()]
    count = conn.exec_driver_sql(sql, list(zip(*encoded, strict=True))).rowcount
    if returning is None:
        return []
    given = list(columns[returning])
    return given if count == len(given) else _those_in(conn, table, returning, given)


def _same(values: Sequence[Any]) -> bool:
    first = values[0]
    return all([value is first for value in values])  # noqa: C419 - a list is twice as fast here as a generator


def _column(conn: Connection, kind: TypeEngine[Any], values: Sequence[Any]) -> Sequence[Any]:
    """A column as SQLite's driver takes it: `encode` of each value, with the work done once where values recur."""
    if _same(values):
        return [encode(conn, kind, values[0])] * len(values)
    if isinstance(kind, Json):
        return [None if v is None else json_text(v) for v in values]
    if isinstance(kind, Instant):
        known = {v: None if v is None else to_micros(v) for v in values}
        return [known[v] for v in values]
    if isinstance(kind, Text) and _BAD.search("".join([v for v in values if v])):
        return [v and clean(v) for v in values]
    return values


def _those_in(conn: Connection, table: Table, column: str, given: list[Any]) -> list[Any]:
    sql = f"SELECT {column} FROM {table.name} WHERE {column} IN (SELECT value FROM json_each(?))"
    return [row[0] for row in conn.exec_driver_sql(sql, (json.dumps(given),))]


def _insert_arrays(conn: Connection, table: Table, columns: Mapping[str, Sequence[Any]], tail: str) -> list[Any]:
    """One INSERT … SELECT over arrays; a column that is the same in every row travels once, not as an array."""
    values, arrays, params, constants = [], [], [], []
    for number, (name, column) in enumerate(columns.items()):
        kind = table.c[name].type
        array, cast, dump = _kind(kind)
        if number and _same(column):
            values.append(f"%s::{cast}")
            constants.append(encode(conn, kind, column[0]))
        else:
            values.append(f"a.{name}::{cast}" if array != cast else f"a.{name}")
            arrays.append((name, array))
            params.append(dump(column))
    sql = (
        f'INSERT INTO "{table.schema}".{table.name} ({", ".join(columns)}) SELECT {", ".join(values)}'
        f" FROM unnest({', '.join(f'%s::{kind}[]' for _, kind in arrays)}) AS a({', '.join(n for n, _ in arrays)}){tail}"
    )
    result = conn.exec_driver_sql(sql, (*constants, *params))
    return [row[0] for row in result.all()] if result.returns_rows else []


def update_many(
    conn: Connection, table: Table, rows: Sequence[Row], *, keys: Sequence[str], where: str = ""
) -> list[Any]:
    """Update rows by their `keys` (equality on each) and an extra condition on the table; all rows have the same keys.

    Returns the first key of every row that was really updated: the caller looks at that.
    """
    if not rows:
        return []
    sets = [name for name in rows[0] if name not in keys]
    extra = f" AND {where}" if where else ""
    if is_postgresql(conn):
        return _update_arrays(conn, table, rows, sets, list(keys), extra)
    order = [*sets, *keys]
    kinds = [table.c[name].type for name in order]
    sql = (
        f"UPDATE {table.name} SET {', '.join(f'{n} = ?' for n in sets)}"
        f" WHERE {' AND '.join(f'{k} = ?' for k in keys)}{extra.replace('t.', '')}"
    )
    encoded = [_column(conn, kind, [row[name] for row in rows]) for name, kind in zip(order, kinds, strict=True)]
    given = [row[keys[0]] for row in rows]
    if not where and len(keys) == 1:
        count = conn.exec_driver_sql(sql, list(zip(*encoded, strict=True))).rowcount
        return given if count == len(given) else _those_in(conn, table, keys[0], given)
    return _one_by_one(conn, sql, given, list(zip(*encoded, strict=True)))


def _one_by_one(conn: Connection, sql: str, keys: list[Any], rows: list[tuple[Any, ...]]) -> list[Any]:
    """The keys of the rows that a guarded update really touched."""
    done = []
    cursor = conn.connection.cursor()
    for key, values in zip(keys, rows, strict=True):
        cursor.execute(sql, values)
        if cursor.rowcount == 1:
            done.append(key)
    cursor.close()
    return done


def _update_arrays(
    conn: Connection, table: Table, rows: Sequence[Row], sets: list[str], keys: list[str], extra: str
) -> list[Any]:
    assign, arrays, params, constants = [], [], [], []
    for name in [*keys, *sets]:
        kind = table.c[name].type
        array, cast, dump = _kind(kind)
        column = [row[name] for row in rows]
        if name in sets and _same(column):
            assign.append(f"{name} = %s::{cast}")
            constants.append(encode(conn, kind, column[0]))
            continue
        arrays.append((name, array))
        params.append(dump(column))
        if name in sets:
            assign.append(f"{name} = a.{name}::{cast}")
    match = " AND ".join(f"t.{k} = a.{k}" for k in keys)
    source = f"unnest({', '.join(f'%s::{kind}[]' for _, kind in arrays)}) AS a({', '.join(n for n, _ in arrays)})"
    sql = (
        f'UPDATE "{table.schema}".{table.name} AS t SET {", ".join(assign)}'
        f" FROM {source} WHERE {match}{extra} RETURNING t.{keys[0]}"
    )
    return [row[0] for row in conn.exec_driver_sql(sql, (*constants, *params)).all()]
