"""Rows to work on, put into rota's tables by a few statements of the server's own: a million schedules take seconds."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import Connection

from rota.calendar.text import parse
from rota.clock import SystemClock
from rota.model.policy import parse_policies
from rota.store import dialect
from rota.store.tables import of

START: Final = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
"""When every schedule was created."""
DUE: Final = START + timedelta(minutes=1)
"""When every schedule of `schedules` is due."""
FAR: Final = datetime(2099, 1, 1, tzinfo=UTC)
"""A year that no bench lives to see: schedules made then are not due."""
JOB: Final = "noop"
SCOPE: Final = "default/default/default"


def distinct(count: int) -> Iterator[str]:
    """`count` cron texts, no two alike, that all name DUE (12:01 on 1 March 2026)."""
    minutes, hours, days, months = range(2, 60), [*range(12), *range(13, 24)], range(2, 29), [1, 2, *range(4, 13)]
    every = itertools.product(months, days, hours, minutes)
    for month, day, hour, minute in itertools.islice(every, count):
        first, second = sorted((12, hour))
        third, fourth = sorted((3, month))
        yield f"1,{minute} {first},{second} 1,{day} {third},{fourth} *"


@dataclass(frozen=True, slots=True)
class Rule:
    """What the schedules have in common. `varied`: no two with the same text, all due at DUE."""

    when: str = "* * * * *"
    start: datetime = START
    policies: Mapping[str, Any] = field(default_factory=dict)
    varied: bool = False


def schedules(conn: Connection, count: int, rule: Rule) -> None:
    """Active schedules with the ids 1 to `count`; definition ids are the same."""
    recurrence = parse(rule.when, timezone="UTC", key="x")
    at, following = _at(conn, rule.start), _at(conn, recurrence.next_after(rule.start))
    _insert(
        conn, "schedules", count,
        id="i", tenant="'default'", stack="'default'", environment="'default'", name="'s' || i", labels="'{}'",
        source="'user'", created_at=at, updated_at=at,
    )  # fmt: skip
    policies = json.dumps(parse_policies(rule.policies).to_json())
    _insert(
        conn, "definitions", count,
        id="i", schedule_id="i", revision="1", key=f"'{SCOPE}/s' || i", when_text=f"'{rule.when}'",
        canonical=f"'{recurrence.canonical}'", timezone="'UTC'", zone="'UTC'", job=f"'{JOB}'", args="'{}'", lane="'default'",
        priority="0", policies=f"'{policies}'", given="'{}'", dst_gap="'auto'", dst_overlap="'auto'", created_at=at,
    )  # fmt: skip
    if rule.varied:
        _vary(conn, count)
        following = _at(conn, DUE)
    _insert(
        conn, "cursors", count,
        schedule_id="i", definition_id="i", revision="1", state="'active'", watermark=at, next_at=following,
        due_at=following,
    )  # fmt: skip
    _insert(conn, "health", count, schedule_id="i", consecutive_failures="0")
    _lane(conn)


def _vary(conn: Connection, count: int) -> None:
    texts = zip(range(1, count + 1), distinct(count), strict=True)
    while some := list(itertools.islice(texts, 5000)):
        rows = [{"id": i, "when_text": t, "canonical": parse(t, timezone="UTC", key="x").canonical} for i, t in some]
        dialect.update_many(conn, of(conn).definitions, rows, key="id")


def queued(conn: Connection, count: int) -> None:
    """`count` queued runs of the job, requested by hand just now, each with its row in `ready`."""
    at = _at(conn, SystemClock().now())
    policies = json.dumps(parse_policies({"overlap": "allow"}).to_json())
    _insert(
        conn, "definitions", 1,
        id="i", revision="1", key=f"'{SCOPE}/{JOB}'", when_text="''", canonical="''", zone="'UTC'", job=f"'{JOB}'",
        args="'{}'", lane="'default'", priority="0", policies=f"'{policies}'", given="'{}'", dst_gap="'auto'",
        dst_overlap="'auto'", created_at=at,
    )  # fmt: skip
    _insert(
        conn, "runs", count,
        id="i", definition_id="1", scope=f"'{SCOPE}'", invocation=f"'{SCOPE}/{JOB}@' || i", state="'queued'",
        cause="'manual'", lane="'default'", priority="0", waiting="false", judged="true", attempt="0", lost="0",
        token="0", created_at=at,  # noqa: S106 - a counter
    )  # fmt: skip
    _insert(conn, "ready", count, lane="'default'", priority="0", run_id="i")
    _lane(conn)


def node(conn: Connection, name: str) -> None:
    """A live node, for claims."""
    at = _at(conn, START)
    dialect.execute(
        conn,
        "INSERT INTO {nodes} (id, host, pid, roles, slots, state, draining, beats, started_at, seen_at, version, zone_data)"
        f" VALUES ('{name}', 'bench', 1, 'worker', 1000, 'live', false, 0, {at}, {at}, '0', '0')",
    )


def _lane(conn: Connection) -> None:
    at = _at(conn, START)
    dialect.execute(conn, f"INSERT INTO {{lanes}} (name, paused, updated_at) VALUES ('default', false, {at})")


def _at(conn: Connection, value: datetime | None) -> str:
    """An instant as a literal."""
    if value is None:
        return "NULL"
    return f"'{value.isoformat()}'" if dialect.is_postgresql(conn) else str(dialect.at(conn, value))


def _insert(conn: Connection, table: str, count: int, **values: str) -> None:
    """One INSERT … SELECT over 1 to `count`; each value is an expression of `i`. Ids that were given count as drawn."""
    series = f"generate_series(1, {count}) AS g(i)"
    if not dialect.is_postgresql(conn):
        series = f"(WITH RECURSIVE g(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM g WHERE i < {count}) SELECT i FROM g)"
    into = of(conn).sql("{" + table + "}")
    conn.exec_driver_sql(f"INSERT INTO {into} ({', '.join(values)}) SELECT {', '.join(values.values())} FROM {series}")
    if "id" in values and dialect.is_postgresql(conn):
        conn.exec_driver_sql(f"SELECT setval('\"rota\".{table}_id_seq', {count})")
