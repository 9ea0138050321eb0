"""One statement that is a transaction of its own: one round trip, where BEGIN, the clock and COMMIT are three more.

PostgreSQL alone. Whoever uses it has a general way, too, and goes it wherever this one gets no answer.
"""

from __future__ import annotations

import contextlib
import select
from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import PoolProxiedConnection

from rota.store.database import Database

_DIRECT: Final = "rota_direct"


class Unanswered(Exception):  # noqa: N818 - says which way to go, not what is wrong
    """The statement was refused, or its answer was lost: it may be durable or not, as after an ambiguous commit."""


def ask(database: Database, sql: str, params: Sequence[Any]) -> list[tuple[Any, ...]]:
    """The rows of the statement, which is committed when this returns. Raises Unanswered."""
    try:
        import psycopg

        pooled = database.engine.raw_connection()
    except (ImportError, DBAPIError) as error:
        raise Unanswered from error
    with contextlib.closing(pooled):
        raw = pooled.driver_connection
        if not isinstance(raw, psycopg.Connection) or _speaks(raw):
            raise Unanswered
        try:
            return _alone(pooled, raw, sql, params)
        except psycopg.Error as error:
            pooled.invalidate(error)
            raise Unanswered from error
        except BaseException:
            pooled.invalidate()
            raise


def _speaks(raw: Any) -> bool:
    """Whether an idle connection has something to say: mostly that the server has ended it."""
    look = select.poll()
    look.register(raw.fileno(), select.POLLIN)
    return bool(look.poll(0))


def _alone(pooled: PoolProxiedConnection, raw: Any, sql: str, params: Sequence[Any]) -> list[tuple[Any, ...]]:
    direct = pooled.info.get(_DIRECT)
    before = raw.prepare_threshold
    raw.autocommit = True
    if direct is None:
        direct = pooled.info[_DIRECT] = is_direct(raw)
    raw.prepare_threshold = 0 if direct else None
    rows = run(raw, sql, params)
    raw.prepare_threshold = before
    raw.autocommit = False
    return rows


def run(raw: Any, sql: str, params: Sequence[Any]) -> list[tuple[Any, ...]]:
    """The rows of a statement on the driver's own connection, prepared where its threshold is not None."""
    from psycopg import Cursor
    from psycopg.rows import tuple_row

    rows: list[tuple[Any, ...]] = Cursor(raw, row_factory=tuple_row).execute(sql, params).fetchall()
    return rows


def is_direct(raw: Any) -> bool:
    """Whether the server itself is at the other end, and not a pooler that may give each transaction another session.

    Only there are prepared statements safe: elsewhere the one of that name may be somebody else's.
    """
    return bool(run(raw, "SELECT pg_backend_pid()", ())[0][0] == raw.info.backend_pid)
