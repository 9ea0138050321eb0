"""Tables and column types: what is stored, once for every database.

On PostgreSQL the tables live in a schema (default `rota`), on SQLite they carry the prefix `rota_`. Small hot tables
stand beside wide rows that are updated in place: `ready` (may start), `claims` (runs), `flights` (holds a key).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from rota.store.types import EPOCH, Instant, Json, from_micros, to_micros

__all__ = ["EPOCH", "Instant", "Json", "Tables", "build", "from_micros", "of", "to_micros"]


def big_key() -> Column[Any]:
    """An automatic id that is never used again."""
    return Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True)


@dataclass(frozen=True)
class Tables:
    """All tables of one schema and prefix. `sql` fills `{name}` with their quoted names."""

    metadata: MetaData
    schema: str | None
    prefix: str

    def __getattr__(self, name: str) -> Table:
        full = f"{self.schema}.{self.prefix}{name}" if self.schema else f"{self.prefix}{name}"
        try:
            return self.metadata.tables[full]
        except KeyError:
            raise AttributeError(name) from None

    @functools.cached_property
    def names(self) -> dict[str, str]:
        """Logical name -> name in SQL."""
        quoted = f'"{self.schema}".' if self.schema else ""
        return {t.name.removeprefix(self.prefix): f"{quoted}{t.name}" for t in self.metadata.tables.values()}

    def sql(self, template: str) -> str:
        """The template with every `{table}` filled in."""
        return _filled(self.schema, self.prefix, template)


@functools.lru_cache(maxsize=512)
def _filled(schema: str | None, prefix: str, template: str) -> str:
    return template.format_map(build(schema, prefix).names)


def of(conn: Connection) -> Tables:
    """The tables as this connection sees them."""
    if conn.dialect.name == "sqlite":
        return build(None, "rota_")
    return build(conn.get_execution_options().get("rota_schema", "rota"), "")


@functools.lru_cache(maxsize=16)
def build(schema: str | None, prefix: str) -> Tables:
    """The table objects for one schema and prefix."""
    metadata = MetaData(schema=schema)
    for make in (_places, _schedules, _cursors, _runs, _hot, _history, _events, _output, _machines):
        make(metadata, prefix)
    return Tables(metadata, schema, prefix)


def _table(metadata: MetaData, name: str, *items: Any, **options: Any) -> Table:
    return Table(name, metadata, *items, **options)


def _places(m: MetaData, p: str) -> None:
    _table(m, p + "meta", Column("key", Text, primary_key=True), Column("value", Text, nullable=False))
    _table(
        m, p + "tenants",
        Column("name", Text, primary_key=True),
        Column("timezone", Text),
        Column("updated_at", Instant, nullable=False),
    )  # fmt: skip
    _table(
        m, p + "owners",
        Column("tenant", Text, primary_key=True),
        Column("name", Text, primary_key=True),
        Column("timezone", Text),
        Column("updated_at", Instant, nullable=False),
    )  # fmt: skip
    _table(
        m, p + "jobs",
        Column("name", Text, primary_key=True),
        Column("kind", Text, nullable=False),
        Column("version", Integer, nullable=False),
        Column("definition_id", BigInteger),
        Column("parameters", Json),
        Column("defaults", Json, nullable=False),
        Column("lane", Text, nullable=False),
        Column("priority", Integer, nullable=False),
        Column("origin", Text),
        Column("created_at", Instant, nullable=False),
        Column("seen_at", Instant, nullable=False),
    )  # fmt: skip
    _table(
        m, p + "lanes",
        Column("name", Text, primary_key=True),
        Column("concurrency", Integer),
        Column("rate", Text),
        Column("rate_tokens", Float),
        Column("rate_at", Instant),
        Column("paused", Boolean, nullable=False),
        Column("engine", Text),
        Column("url", Text),
        Column("updated_at", Instant, nullable=False),
    )  # fmt: skip


def _schedules(m: MetaData, p: str) -> None:
    _table(
        m, p + "schedules",
        big_key(),
        Column("tenant", Text, nullable=False),
        Column("stack", Text, nullable=False),
        Column("environment", Text, nullable=False),
        Column("name", Text, nullable=False),
        Column("owner", Text),
        Column("labels", Json, nullable=False),
        Column("note", Text),
        Column("source", Text, nullable=False),
        Column("origin", Text),
        Column("applied", Json),
        Column("created_at", Instant, nullable=False),
        Column("updated_at", Instant, nullable=False),
        Column("removed_at", Instant),
        UniqueConstraint("tenant", "stack", "environment", "name", name=p + "schedules_key"),
        sqlite_autoincrement=True,
    )  # fmt: skip
    definitions = _table(
        m, p + "definitions",
        big_key(),
        Column("schedule_id", BigInteger),
        Column("revision", Integer, nullable=False),
        Column("key", Text, nullable=False),
        Column("when_text", Text, nullable=False),
        Column("canonical", Text, nullable=False),
        Column("timezone", Text),
        Column("zone", Text, nullable=False),
        Column("job", Text, nullable=False),
        Column("args", Json, nullable=False),
        Column("lane", Text, nullable=False),
        Column("priority", Integer, nullable=False),
        Column("policies", Json, nullable=False),
        Column("given", Json, nullable=False),
        Column("anchor", Text),
        Column("dst_gap", Text, nullable=False),
        Column("dst_overlap", Text, nullable=False),
        Column("valid_from", Instant),
        Column("valid_until", Instant),
        Column("max_occurrences", Integer),
        Column("ends_at", Instant),
        Column("created_at", Instant, nullable=False),
        sqlite_autoincrement=True,
    )  # fmt: skip
    Index(p + "definitions_revision", definitions.c.schedule_id, definitions.c.revision, unique=True)
    _partial(p + "definitions_job", "schedule_id IS NULL", definitions.c.key, definitions.c.revision, unique=True)


def _cursors(m: MetaData, p: str) -> None:
    cursors = _table(
        m, p + "cursors",
        Column("schedule_id", BigInteger, primary_key=True, autoincrement=False),
        Column("definition_id", BigInteger, nullable=False),
        Column("revision", Integer, nullable=False),
        Column("state", Text, nullable=False),
        Column("watermark", Instant, nullable=False),
        Column("next_at", Instant),
        Column("due_at", Instant),
        Column("paused_until", Instant),
        Column("disabled_reason", Text),
        Column("cut_until", Instant),
        Column("last_wall", Text),
        Column("probe_at", Instant),
        Column("zone_data", Text),
        Column("wake_at", Instant),
    )  # fmt: skip
    _partial(p + "cursors_due", "due_at IS NOT NULL", cursors.c.due_at)
    _partial(p + "cursors_unarmed", "due_at IS NULL AND state = 'active'", cursors.c.schedule_id)
    _table(
        m, p + "health",
        Column("schedule_id", BigInteger, primary_key=True, autoincrement=False),
        Column("consecutive_failures", Integer, nullable=False),
        Column("last_success_at", Instant),
        Column("last_success_for", Instant),
    )  # fmt: skip
    _table(
        m, p + "skips",
        Column("schedule_id", BigInteger, primary_key=True, autoincrement=False),
        Column("scheduled_for", Instant, primary_key=True, autoincrement=False),
        Column("at", Instant, nullable=False),
        Column("actor", Text, nullable=False),
        Column("reason", Text),
    )  # fmt: skip


def _runs(m: MetaData, p: str) -> None:
    runs = _table(
        m, p + "runs",
        big_key(),
        Column("schedule_id", BigInteger),
        Column("definition_id", BigInteger, nullable=False),
        Column("scheduled_for", Instant),
        Column("scope", Text),
        Column("invocation", Text),
        Column("state", Text, nullable=False),
        Column("reason", Text),
        Column("cause", Text, nullable=False),
        Column("lane", Text, nullable=False),
        Column("priority", Integer, nullable=False),
        Column("flight", Text),
        Column("waiting", Boolean, nullable=False),
        Column("judged", Boolean, nullable=False),
        Column("not_before", Instant),
        Column("admit_at", Instant),
        Column("expires_at", Instant),
        Column("attempt", Integer, nullable=False),
        Column("lost", Integer, nullable=False),
        Column("token", Integer, nullable=False),
        Column("node", Text),
        Column("retry_of", BigInteger),
        Column("args", Json),
        Column("covers_from", Instant),
        Column("covers_to", Instant),
        Column("covers_count", Integer),
        Column("result", Text),
        Column("error", Json),
        Column("exit_code", Integer),
        Column("created_at", Instant, nullable=False),
        Column("started_at", Instant),
        Column("finished_at", Instant),
        sqlite_autoincrement=True,
        postgresql_with={"fillfactor": "70"},
    )  # fmt: skip
    _partial(
        p + "runs_occurrence", "scheduled_for IS NOT NULL AND retry_of IS NULL",
        runs.c.schedule_id, runs.c.scheduled_for, unique=True,
    )  # fmt: skip
    _partial(p + "runs_invocation", "invocation IS NOT NULL", runs.c.scope, runs.c.invocation, unique=True)
    _partial(p + "runs_schedule", "schedule_id IS NOT NULL", runs.c.schedule_id, runs.c.id)
    _partial(p + "runs_admit", "admit_at IS NOT NULL", runs.c.admit_at)
    _partial(p + "runs_waiting", "waiting", runs.c.flight, runs.c.id)


def _partial(name: str, where: str, *columns: Column[Any], unique: bool = False) -> None:
    condition = text(where)
    Index(name, *columns, unique=unique, postgresql_where=condition, sqlite_where=condition)


def _hot(m: MetaData, p: str) -> None:
    _table(
        m, p + "ready",
        Column("lane", Text, primary_key=True),
        Column("priority", Integer, primary_key=True, autoincrement=False),
        Column("run_id", BigInteger, primary_key=True, autoincrement=False),
    )  # fmt: skip
    claims = _table(
        m, p + "claims",
        Column("run_id", BigInteger, primary_key=True, autoincrement=False),
        Column("token", Integer, nullable=False),
        Column("node", Text, nullable=False),
        Column("lane", Text, nullable=False),
    )  # fmt: skip
    Index(p + "claims_node", claims.c.node)
    _table(
        m, p + "flights",
        Column("flight", Text, primary_key=True),
        Column("run_id", BigInteger, nullable=False),
    )  # fmt: skip
    _table(
        m, p + "cancels",
        Column("run_id", BigInteger, primary_key=True, autoincrement=False),
        Column("kind", Text, primary_key=True),
        Column("at", Instant, nullable=False),
        Column("actor", Text, nullable=False),
        Column("reason", Text),
    )  # fmt: skip


def _history(m: MetaData, p: str) -> None:
    decisions = _table(
        m, p + "decisions",
        big_key(),
        Column("schedule_id", BigInteger, nullable=False),
        Column("after_at", Instant, nullable=False),
        Column("until_at", Instant, nullable=False),
        Column("what", Text, nullable=False),
        Column("reason", Text),
        Column("revision", Integer, nullable=False),
        Column("node", Text, nullable=False),
        Column("at", Instant, nullable=False),
    )  # fmt: skip
    Index(p + "decisions_until", decisions.c.schedule_id, decisions.c.until_at)
    changes = _table(
        m, p + "changes",
        big_key(),
        Column("at", Instant, nullable=False),
        Column("subject", Text, nullable=False),
        Column("action", Text, nullable=False),
        Column("actor", Text, nullable=False),
        Column("channel", Text, nullable=False),
        Column("reason", Text),
        Column("before", Json),
        Column("after", Json),
    )  # fmt: skip
    Index(p + "changes_subject", changes.c.subject, changes.c.id)


def _events(m: MetaData, p: str) -> None:
    for name in ("event_inbox", "events"):
        table = _table(
            m, p + name,
            big_key(),
            Column("type", Text, nullable=False),
            Column("at", Instant, nullable=False),
            Column("subject", Text, nullable=False),
            Column("code", Text),
            Column("data", Json, nullable=False),
            sqlite_autoincrement=True,
        )  # fmt: skip
        if name == "events":
            Index(p + "events_subject", table.c.subject, table.c.id)
    _table(m, p + "spine", Column("one", Integer, primary_key=True, autoincrement=False))


def _output(m: MetaData, p: str) -> None:
    _table(
        m, p + "logs",
        Column("run_id", BigInteger, primary_key=True, autoincrement=False),
        Column("token", Integer, primary_key=True, autoincrement=False),
        Column("seq", Integer, primary_key=True, autoincrement=False),
        Column("at", Instant, nullable=False),
        Column("stream", Text, nullable=False),
        Column("text", Text, nullable=False),
    )  # fmt: skip
    _table(
        m, p + "progress",
        Column("run_id", BigInteger, primary_key=True, autoincrement=False),
        Column("done", Float, nullable=False),
        Column("total", Float),
        Column("at", Instant, nullable=False),
    )  # fmt: skip
    _table(
        m, p + "artifacts",
        Column("run_id", BigInteger, primary_key=True, autoincrement=False),
        Column("name", Text, primary_key=True),
        Column("at", Instant, nullable=False),
        Column("data", LargeBinary, nullable=False),
    )  # fmt: skip


def _machines(m: MetaData, p: str) -> None:
    nodes = _table(
        m, p + "nodes",
        Column("id", Text, primary_key=True),
        Column("host", Text, nullable=False),
        Column("pid", Integer, nullable=False),
        Column("roles", Text, nullable=False),
        Column("lanes", Text),
        Column("slots", Integer, nullable=False),
        Column("state", Text, nullable=False),
        Column("draining", Boolean, nullable=False),
        Column("beats", BigInteger, nullable=False),
        Column("started_at", Instant, nullable=False),
        Column("seen_at", Instant, nullable=False),
        Column("ended_at", Instant),
        Column("version", Text, nullable=False),
        Column("zone_data", Text, nullable=False),
    )  # fmt: skip
    Index(p + "nodes_state", nodes.c.state)
    _table(
        m, p + "leases",
        Column("name", Text, primary_key=True),
        Column("node", Text),
        Column("at", Instant),
    )  # fmt: skip
