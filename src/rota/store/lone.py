"""Statements that are transactions of their own, sent together: one round trip for all that a transaction does in five.

PostgreSQL alone, on the driver's own connection, past SQLAlchemy. Whoever uses it has a general way, too, and goes it
wherever this one gets no answer.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import select
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy.exc import DBAPIError

from rota.store.bulk import array_text
from rota.store.database import Database

if TYPE_CHECKING:
    import psycopg

_KNOWN: Final = "rota_lone"
GOOD: Final = (1, 2)
"""libpq's results of a statement that went well, without and with rows."""
_SYNC: Final = 10
"""libpq's mark of the end of one of several transactions."""


class Unanswered(Exception):  # noqa: N818 - says which way to go, not what is wrong
    """Something was refused, or an answer was lost: it may be durable or not, as after an ambiguous commit."""


class Question(NamedTuple):
    """One statement, its marks numbered, whose answer is one text. One with a name is prepared under it where it may be."""

    sql: bytes
    params: tuple[bytes | None, ...] = ()
    name: bytes = b""


class Statement(NamedTuple):
    """A statement to be asked often. Its name tells it from every other one that the same connection may prepare."""

    sql: bytes
    name: bytes

    @classmethod
    def of(cls, sql: str) -> Statement:
        """The statement of a text with `%s` marks."""
        numbers = itertools.count(1)
        first, *rest = sql.split("%s")
        text = (first + "".join([f"${next(numbers)}{part}" for part in rest])).encode()
        return cls(text, b"rota_" + hashlib.blake2s(text, digest_size=16).hexdigest().encode())

    def with_(self, params: Sequence[Any]) -> Question:
        """The question of its parameters: texts, numbers, instants, lists of texts, None."""
        return Question(self.sql, tuple([_text(value) for value in params]), self.name)


def _text(value: Any) -> bytes | None:
    if isinstance(value, str):
        return value.encode()
    if value is None:
        return None
    if isinstance(value, list):
        value = array_text("text", value)
    return (value.isoformat() if isinstance(value, datetime) else str(value)).encode()


def ask(database: Database, questions: Sequence[Question]) -> list[bytes | None]:
    """The answers, all committed when this returns; one without rows is None. Raises Unanswered."""
    try:
        import psycopg
    except ImportError as error:
        raise Unanswered from error
    try:
        pooled = database.engine.raw_connection()
    except (psycopg.Error, DBAPIError) as error:  # the driver's own where it cannot connect
        raise Unanswered from error
    with contextlib.closing(pooled):
        raw = pooled.driver_connection
        if not isinstance(raw, psycopg.Connection):
            raise Unanswered
        try:
            if _speaks(raw.fileno()):
                raise Unanswered
            known = pooled.info.get(_KNOWN)
            if known is None:
                known = pooled.info[_KNOWN] = _Known(set() if is_direct(raw.pgconn, database.patience_s) else None)
            return _exchange(raw.pgconn, known, questions, database.patience_s)
        except (psycopg.Error, Unanswered) as error:
            pooled.invalidate(error)
            raise Unanswered from error
        except BaseException:
            pooled.invalidate()
            raise


class _Known(NamedTuple):
    """The statements that a connection has prepared; None where it may not prepare any."""

    prepared: set[bytes] | None


def _speaks(descriptor: int) -> bool:
    """Whether an idle connection has something to say: mostly that the server has ended it."""
    look = select.poll()
    look.register(descriptor, select.POLLIN)
    return bool(look.poll(0))


def is_direct(conn: psycopg.pq.abc.PGconn, patience_s: float) -> bool:
    """Whether the server itself is at the other end, and not a pooler that may give each transaction another session.

    Only there are prepared statements safe: elsewhere the one of that name may be somebody else's. Raises psycopg.Error.
    """
    mine = Question(b"SELECT pg_backend_pid()")
    return _exchange(conn, _Known(None), [mine], patience_s) == [str(conn.backend_pid).encode()]


def _exchange(
    conn: psycopg.pq.abc.PGconn, known: _Known, questions: Sequence[Question], patience_s: float
) -> list[bytes | None]:
    """Send all, each a transaction of its own, then wait for the answers."""
    conn.enter_pipeline_mode()
    for each in questions:
        if known.prepared is None or not each.name:
            conn.send_query_params(each.sql, each.params)
        else:
            if each.name not in known.prepared:
                conn.send_prepare(each.name, each.sql)
            conn.send_query_prepared(each.name, each.params)
        conn.pipeline_sync()
    answers = [_answer(conn, patience_s) for _ in questions]
    conn.exit_pipeline_mode()
    if known.prepared is not None:
        known.prepared.update(each.name for each in questions)
    return answers


def _answer(conn: psycopg.pq.abc.PGconn, patience_s: float) -> bytes | None:
    """The first value of the first row of what was asked next; raises Unanswered where it was refused."""
    answer = None
    while True:
        _wait(conn, patience_s)
        result = conn.get_result()
        if result is None:
            continue
        if result.status == _SYNC:
            return answer
        if result.status not in GOOD:
            raise Unanswered
        if result.ntuples:
            answer = result.get_value(0, 0)


def _wait(conn: psycopg.pq.abc.PGconn, patience_s: float) -> None:
    """Until the next result is there, sending what is left to send."""
    look = select.poll()
    look.register(conn.socket, select.POLLIN)
    while True:
        left = conn.flush()
        if not left and not conn.is_busy():
            return
        look.modify(conn.socket, select.POLLIN | select.POLLOUT if left else select.POLLIN)
        found = look.poll(patience_s * 1000)
        if not found:
            raise Unanswered
        if found[0][1] & ~select.POLLOUT:
            conn.consume_input()
