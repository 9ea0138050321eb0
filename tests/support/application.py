"""An application under a clock that tests set: schedules through its handles, fires by hand, runs put into any state."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from rota.app.records import Explanation
from rota.app.rota import Rota
from rota.engine.context import Context
from rota.engine.scheduler import Scheduler, Turned
from rota.model.settings import Settings
from rota.store import dialect
from tests.support import seed

START = datetime(2026, 3, 1, 12, 0, 30, tzinfo=UTC)
"""Half a minute after an occurrence of `every minute`."""


class Clock:
    """Stands still until a test sets it."""

    simulated = True

    def __init__(self, at: datetime = START) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return (self.at - START).total_seconds()


def noop() -> None:
    """Do nothing."""


def archive(ctx: Context, workspace: str, keep_days: int = 30) -> str:
    return f"{ctx.invocation} {workspace} {keep_days}"


class World:
    """One database, an application with the jobs `noop` and `archive`, and a scheduler that fires when told."""

    def __init__(self, url: str, **options: Any) -> None:
        self.clock = Clock()
        self.others: list[Rota] = []
        self.app = self.other(url, **options)
        self.app.job(noop)
        self.app.job(archive, retry=3, timeout="5m", lane="reports", priority=5)
        self.app.prepare()
        self.db = self.app.core.database
        self.scheduler = Scheduler(self.db, Settings(), node="s1")
        self.db.call(seed.node, START - timedelta(days=1), "s1")
        self.db.call(_left, "s1", START + timedelta(days=3650))

    def other(self, url: str, **options: Any) -> Rota:
        """Another application on the same clock."""
        app = Rota(url, **options)
        app.core.store.unopened.clock = self.clock
        self.others.append(app)
        return app

    def close(self) -> None:
        for app in self.others:
            app.close()

    def at(self, text: str) -> datetime:
        """Set the clock: `12:05` or `12:05:30` of the first day, or a whole RFC 3339 instant."""
        self.clock.at = moment(text)
        return self.clock.at

    def fire(self, text: str | None = None) -> Turned:
        """What a scheduler does at this time."""
        if text is not None:
            self.at(text)
        return self.db.call(self.scheduler.fire)

    def add(self, name: str = "a", when: str = "every minute", job: str = "noop", **fields: Any) -> int:
        return self.app.schedules.add(name, job=job, when=when, **fields).id

    def rows(self, sql: str, *params: Any) -> list[dict[str, Any]]:
        return self.db.read(seed.rows, sql, params)

    def set_runs(self, state: str, **columns: Any) -> None:
        """Every run that is not final becomes this, as whoever ended it would leave its row."""
        self.db.call(_set_runs, state, columns, self.clock.at)

    def decisions(self, name: str = "a") -> list[tuple[str, str, str, str | None]]:
        """(after, until, what, reason), oldest first, as times of the first day."""
        found = self.app.schedules.decisions(name)
        return [(_time(d.after_at), _time(d.until_at), d.what, d.reason) for d in reversed(found)]

    def runs(self, name: str = "a") -> list[tuple[str, str]]:
        """(occurrence, state) of the schedule's runs, oldest first."""
        found = self.app.runs.list(schedule=name)
        return [(_time(r.scheduled_for) if r.scheduled_for else r.cause, r.state) for r in reversed(list(found))]

    def why(self, text: str, name: str = "a") -> Explanation:
        return self.app.schedules.why(name, moment(text))[0]

    def events(self) -> list[str]:
        return [event.type for event in self.app.events.list()]


def moment(text: str) -> datetime:
    if "T" in text:
        return datetime.fromisoformat(text)
    return datetime.fromisoformat(f"2026-03-01T{text}").replace(tzinfo=UTC)


def _time(at: datetime) -> str:
    return f"{at:%H:%M:%S}" if at.second or at.microsecond else f"{at:%H:%M}"


def _left(conn: Any, node: str, at: datetime) -> None:
    """A scheduler whose whole life is known: alive until `at`."""
    sql = "UPDATE {nodes} SET roles = 'scheduler', seen_at = %s WHERE id = %s"
    dialect.execute(conn, sql, [dialect.at(conn, at), node])


def _set_runs(conn: Any, state: str, columns: dict[str, Any], now: datetime) -> None:
    values = {"state": state, "started_at": now, **({} if state == "running" else {"finished_at": now}), **columns}
    names = ", ".join(f"{name} = %s" for name in values)
    params = [
        dialect.at(conn, v) if isinstance(v, datetime) else json.dumps(v) if isinstance(v, dict) else v
        for v in values.values()
    ]
    dialect.execute(conn, f"UPDATE {{runs}} SET {names} WHERE state IN ('queued', 'running')", params)
    dialect.execute(conn, "DELETE FROM {ready}")


__all__ = ["START", "Clock", "World", "archive", "moment", "noop"]
