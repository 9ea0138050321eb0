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
_to_json: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
_BAD_JSON: Final = re.compile(r"\\u0000|[\ud800-\udfff]")


def is_postgresql(conn: Connection) -> bool:
    """Whether this is PostgreSQL (else SQLite)."""
    return conn.dialect.name == "postgresql"


def _is_bad(text: str) -> bool:
    """Whether a text holds what PostgreSQL does not store. Plain ASCII, the most, is told without the search."""
    return "\x00" in text or (not text.isascii() and _BAD.search(text) is not None)


def _is_bad_json(text: str) -> bool:
    return "\\u0000" in text or (not text.isascii() and _BAD_JSON.search(text) is not None)


def json_text(value: Any) -> str:
    """A JSON value as storable text."""
    try:
        text = _to_json(value)
    except ValueError:
        text = ""
    if text and not _is_bad_json(text):
        return text
    return _to_json(clean(value))


def json_texts(values: Sequence[Any]) -> list[str | None]:
    """`json_text` of each; None of None."""
    try:
        texts = [None if v is None else _to_json(v) for v in values]
    except ValueError:
        return [None if v is None else json_text(v) for v in values]
    if _is_bad_json("\n".join([t for t in texts if t])):
        return [None if v is None else json_text(v) for v in values]
    return texts


def encode(conn: Connection, kind: TypeEngine[Any], value: Any) -> Any:
    """One value as the driver of this connection takes it."""
    if value is None:
        return None
    if isinstance(kind, Json):
        return json_text(value)
    if isinstance(kind, Instant) and not is_postgresql(conn):
        return to_micros(value)
    return clean(value) if isinstance(value, str) and _is_bad(value) else value


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
    return _quoted([v and clean(v) for v in values]) if _is_bad(text) else text


def _jsons(values: Sequence[Any]) -> str:
    return _quoted(json_texts(values))


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


def scalar(kind: str, value: Any) -> Any:
    """One value of the named PostgreSQL type as a parameter."""
    if kind == "jsonb":
        return None if value is None else json_text(value)
    return clean(value) if isinstance(value, str) and _is_bad(value) else value


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
    binds = _Binds(conn, table, columns)
    marks = ", ".join([binds.mark(name, bound=not number) for number, name in enumerate(columns)])
    sql = f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES ({marks}){conflict}"
    count = conn.exec_driver_sql(sql, binds.rows()).rowcount
    if returning is None:
        return []
    given = list(columns[returning])
    return given if count == len(given) else _those_in(conn, table, returning, given)


def same(values: Sequence[Any]) -> bool:
    """Whether the values, at least one, are all equal."""
    return values.count(values[0]) == len(values)


class _Binds:
    """Columns as one statement of SQLite's driver takes them, executed for each row: in the order they were marked.

    A number or NULL that is the same in every row stands in the statement instead: binding it would cost each row.
    """

    def __init__(self, conn: Connection, table: Table, columns: Mapping[str, Sequence[Any]]) -> None:
        self._conn, self._table, self._columns = conn, table, columns
        self._bound: list[Sequence[Any]] = []

    def mark(self, name: str, *, bound: bool = False) -> str:
        """What stands for the column in the statement; a mark wherever `bound`."""
        values, kind = self._columns[name], self._table.c[name].type
        if not bound and same(values):
            value = encode(self._conn, kind, values[0])
            if value is None or isinstance(value, int):
                return "NULL" if value is None else str(int(value))
        self._bound.append(_column(self._conn, kind, values))
        return "?"

    def rows(self) -> list[tuple[Any, ...]]:
        """The values of each row, at least one column."""
        return list(zip(*self._bound, strict=True))


def _column(conn: Connection, kind: TypeEngine[Any], values: Sequence[Any]) -> Sequence[Any]:
    """A column as SQLite's driver takes it: `encode` of each value, with the work done once where values recur."""
    if same(values):
        return [encode(conn, kind, values[0])] * len(values)
    if isinstance(kind, Json):
        return json_texts(values)
    if isinstance(kind, Instant):
        known = {v: None if v is None else to_micros(v) for v in values}
        return [known[v] for v in values]
    if isinstance(kind, Text) and _is_bad("".join([v for v in values if v])):
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
        if number and same(column):
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


def update_many(conn: Connection, table: Table, rows: Sequence[Row], *, key: str) -> None:
    """Update rows by their `key`, by one set-based statement; all rows have the same columns."""
    if rows:
        update_columns(conn, table, {name: [row[name] for row in rows] for name in rows[0]}, key=key)


def update_columns(conn: Connection, table: Table, columns: Mapping[str, Sequence[Any]], *, key: str) -> None:
    """The same for rows that are given as columns of equal length, at least one row."""
    sets = [name for name in columns if name != key]
    if is_postgresql(conn):
        _update_arrays(conn, table, columns, sets, key)
        return
    binds = _Binds(conn, table, columns)
    assigned = ", ".join(f"{name} = {binds.mark(name)}" for name in sets)
    conn.exec_driver_sql(
        f"UPDATE {table.name} SET {assigned} WHERE {key} = {binds.mark(key, bound=True)}", binds.rows()
    )


def _update_arrays(
    conn: Connection, table: Table, columns: Mapping[str, Sequence[Any]], sets: list[str], key: str
) -> None:
    assign, arrays, params, constants = [], [], [], []
    for name in [key, *sets]:
        kind, column = table.c[name].type, columns[name]
        array, cast, dump = _kind(kind)
        if name in sets and same(column):
            assign.append(f"{name} = %s::{cast}")
            constants.append(encode(conn, kind, column[0]))
            continue
        arrays.append((name, array))
        params.append(dump(column))
        if name in sets:
            assign.append(f"{name} = a.{name}::{cast}")
    source = f"unnest({', '.join(f'%s::{kind}[]' for _, kind in arrays)}) AS a({', '.join(n for n, _ in arrays)})"
    sql = f'UPDATE "{table.schema}".{table.name} AS t SET {", ".join(assign)} FROM {source} WHERE t.{key} = a.{key}'
    conn.exec_driver_sql(sql, (*constants, *params))
