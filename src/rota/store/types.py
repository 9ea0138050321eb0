"""Column types: instants and JSON, once for every database."""

from __future__ import annotations

import functools
import json
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import BigInteger, Text
from sqlalchemy.dialects import postgresql
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator, TypeEngine

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


def to_micros(instant: datetime) -> int:
    """Microseconds since 1970, exact."""
    return (instant - EPOCH) // _MICROSECOND


@functools.lru_cache(maxsize=4096)
def from_micros(value: int) -> datetime:
    """The aware UTC instant of `to_micros`."""
    return EPOCH + timedelta(microseconds=value)


class Instant(TypeDecorator[datetime]):
    """An aware UTC instant: `timestamptz` on PostgreSQL, integer microseconds on SQLite."""

    impl = BigInteger
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """The column type of each database."""
        if dialect.name == "postgresql":
            return dialect.type_descriptor(postgresql.TIMESTAMP(timezone=True))
        return dialect.type_descriptor(BigInteger())

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        """Towards the database."""
        if value is None or dialect.name == "postgresql":
            return value
        return to_micros(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:  # noqa: ARG002 - SQLAlchemy's signature
        """From the database: always aware UTC."""
        if value is None:
            return None
        return from_micros(value) if isinstance(value, int) else value.astimezone(UTC)


class Json(TypeDecorator[Any]):
    """Storable JSON: `jsonb` on PostgreSQL, text on SQLite. Values went through `model.storable` before."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """The column type of each database."""
        if dialect.name == "postgresql":
            return dialect.type_descriptor(postgresql.JSONB(none_as_null=True))
        return dialect.type_descriptor(Text())

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        """Towards the database."""
        if value is None or dialect.name == "postgresql":
            return value
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        """From the database: a fresh value that the caller may change."""
        if value is None or dialect.name == "postgresql":
            return value
        return json.loads(value)
