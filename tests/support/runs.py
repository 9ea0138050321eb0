"""A world for tests of runs: a database, nodes, schedules whose runs are placed at chosen instants."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from rota.model.by import By
from rota.model.overlap import NewRun, RunSet
from rota.model.policy import parse_policies
from rota.model.run import Claimed, Failed, Outcome, Succeeded
from rota.model.settlement import Settlement, settle
from rota.store import claims, dialect, intake, lanes, settlements
from rota.store.database import Database
from rota.store.definitions import load
from tests.support import seed

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
FAILED = Failed("ValueError", "no", ("ValueError", "Exception"), trace="Traceback: no")


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def place(conn: Connection, schedule: int, when: Sequence[datetime], now: datetime, **fields: Any) -> list[int]:
    """Runs of the schedule's revision in force, as a fire would place them."""
    row = dialect.query(conn, "SELECT definition_id FROM {cursors} WHERE schedule_id = %s", [schedule])[0]
    definition = load(conn, [row["definition_id"]])[row["definition_id"]]
    flight = fields.pop("flight", None)
    overlap = fields.pop("overlap", definition.policies.overlap)
    runs = tuple(
        NewRun(
            definition.id, definition.key, fields.get("cause", "schedule"), definition.lane,
            fields.get("priority", definition.priority), schedule, scheduled_for=x, not_before=fields.get("not_before"),
            expires_at=fields.get("expires_at"), covers_from=x, covers_to=x, covers_count=1,
        )
        for x in when
    )  # fmt: skip
    placed = intake.place(conn, now, [RunSet(runs, flight, overlap)])
    return [p.id for p in placed[0] if p.id is not None]


class World:
    """Steps of claims and settlements on one database."""

    def __init__(self, url: str, *nodes: str) -> None:
        self.url = url
        self.db = Database(url)
        self.others: list[Database] = []
        for node in nodes or ("n1",):
            self.db.call(seed.node, START, node)

    def close(self) -> None:
        for database in [self.db, *self.others]:
            database.close()

    def other(self) -> Database:
        """Another process's way to the same database."""
        self.others.append(Database(self.url))
        return self.others[-1]

    def add(self, name: str = "a", **given: Any) -> int:
        return self.db.call(lambda conn: seed.schedules(conn, START, [name], given.pop("when", "* * * * *"), **given))[
            name
        ]

    def lane(self, name: str, **limits: Any) -> None:
        self.db.call(lanes.put, lanes.Lane(name, **limits), START, By())

    def place(
        self, schedule: int, count: int = 1, *, now: datetime = START, first: int = 0, **fields: Any
    ) -> list[int]:
        when = [at(first + n) for n in range(count)]
        return self.db.call(lambda conn: place(conn, schedule, when, now, **fields))

    def claim(
        self, node: str = "n1", limit: int = 100, now: datetime = START, names: Any = None, turn: int = 0
    ) -> list[Claimed]:
        return self.db.call(claims.claim, node, names, limit, now, turn=turn)

    def decide(
        self, run: Claimed, outcome: Outcome | None = None, now: datetime = START, cancel: str | None = None
    ) -> Settlement:
        return settle(run, outcome or Succeeded(), now, parse_policies(run.policies), cancel=cancel, share=0.5)

    def settle(self, *wanted: Settlement, now: datetime = START, node: str = "n1") -> set[int]:
        return self.db.call(settlements.settle, wanted, now, node)

    def end(self, run: Claimed, outcome: Outcome | None = None, now: datetime = START) -> set[int]:
        return self.settle(self.decide(run, outcome, now), now=now)

    def rows(self, sql: str, *params: Any) -> list[dict[str, Any]]:
        return self.db.read(seed.rows, sql, params)

    def write(self, sql: str, *params: Any) -> int:
        return self.db.call(dialect.execute, sql, params)

    def one(self, run: int) -> dict[str, Any]:
        return self.rows("SELECT * FROM {runs} WHERE id = %s", run)[0]

    def ready(self) -> list[int]:
        return [r["run_id"] for r in self.rows("SELECT run_id FROM {ready} ORDER BY priority, run_id")]

    def events(self) -> list[tuple[str, int | None]]:
        """(type, run) in the order they were written."""
        self.db.call(numbered)
        rows = self.rows("SELECT type, data FROM {events} ORDER BY id")
        return [(r["type"], loads(r["data"]).get("run")) for r in rows]


def numbered(conn: Connection) -> None:
    from rota.store.events import number

    while number(conn):
        pass


def loads(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value
