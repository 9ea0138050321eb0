"""A sweep on every store: each repair stands alone, a schedule that cannot be computed touches no other."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from sqlalchemy import make_url

from rota.calendar.civil import zone_data_version
from rota.calendar.recurrence import Recurrence
from rota.engine import keeper, tidy
from rota.engine.keeper import Keeper, Kept
from rota.engine.scheduler import Scheduler
from rota.errors import DatabaseUnavailable, InvalidValue
from rota.model import policy
from rota.model.settings import Settings
from rota.store import cancels, dialect, leases, nodes, passes, repair, retention
from rota.store.database import Connection, Database, StatementRefused
from rota.store.tables import of
from tests.support import seed
from tests.support.hands import HandClock
from tests.support.runs import FAILED, START, World, at
from tests.support.steps import ME

OLD = START - timedelta(days=200)
REPAIRS: dict[str, tuple[Any, str]] = {
    "sessions": (nodes, "end_sessions"),
    "runs": (repair, "move_on"),
    "schedules": (repair, "arm"),
    "ready": (repair, "drop_stale_ready"),
    "forgotten": (repair, "admit_forgotten"),
    "probes": (keeper, "_probes"),
    "cancels": (cancels, "forget"),
    "clock": (passes, "watch_clock"),
    "zones": (passes, "watch_zone_data"),
    "clock_pass": (passes, "clock_slice"),
    "zone_pass": (passes, "zone_slice"),
    "retention": (leases, "acquire"),
    "retention.runs": (retention, "runs"),
    "retention.decisions": (retention, "decisions"),
    "retention.events": (tidy, "_events"),
    "retention.changes": (tidy, "_changes"),
    "retention.nodes": (retention, "nodes"),
    "retention.schedules": (retention, "removed_schedules"),
}
LEFT = {
    "runs": "SELECT 1 FROM {runs} WHERE state = 'running'",
    "schedules": "SELECT 1 FROM {meta} WHERE NOT EXISTS (SELECT 1 FROM (SELECT type FROM {events} UNION ALL"
    " SELECT type FROM {event_inbox}) e WHERE type = 'repair.armed')",
    "ready": "SELECT 1 FROM {ready} WHERE lane = 'nowhere'",
    "forgotten": "SELECT 1 FROM {runs} WHERE state = 'queued' AND id > 3 AND admit_at IS NULL",
    "cancels": "SELECT 1 FROM {cancels}",
    "clock_pass": "SELECT 1 FROM {cursors} WHERE schedule_id = 4 AND paused_until = watermark",
    "zone_pass": "SELECT 1 FROM {cursors} WHERE schedule_id = 5 AND next_at IS NULL",
    "retention.runs": "SELECT 1 FROM {runs} WHERE id = 2",
    "retention.decisions": "SELECT 1 FROM {decisions} WHERE node = 'old'",
    "retention.events": "SELECT 1 FROM {events} WHERE type = 'old'",
    "retention.changes": "SELECT 1 FROM {changes} WHERE action = 'old'",
    "retention.nodes": "SELECT 1 FROM {nodes} WHERE id = 'old'",
    "retention.schedules": "SELECT 1 FROM {schedules} WHERE name = 'gone'",
}
"""Repair -> what finds something as long as it has not been made. The others leave nothing to look at."""


class Ailing(World):
    """A database in which every repair has something to do, and a keeper."""

    def __init__(self, url: str) -> None:
        super().__init__(url, "n1", "n2")
        self.db.close()
        self.clock = HandClock(START)
        self.db = Database(url, clock=self.clock)
        self.keeper = Keeper(self.db, Settings(keep_runs=0), node="n1")

    def sweep(self, seconds: float = 30) -> Kept:
        self.clock.on(seconds=seconds)
        return asyncio.run(self.keeper.turn(sweep=True))

    def fall_ill(self) -> None:
        a = self.add("a", overlap="allow")
        for name in ("gone", "unarmed", "ahead", "zoned"):
            self.add(name)
        self.place(a, 3)
        _, ended, cancelled = sorted(self.claim("n2", limit=3), key=lambda run: run.id)
        self.end(ended)
        self.db.call(cancels.request_cancel, cancelled.id, "cancel", ME, START)
        self.end(cancelled, FAILED)
        self.place(a, 1, first=10)
        for version in ("1900a", zone_data_version()):
            self.db.call(passes.watch_zone_data, version)
        for seconds in (7200.0, 0.0):  # the clock was two hours ahead: a pass begins
            self.db.call(passes.watch_clock, at(seconds))
        self.db.call(fall_ill)

    def left(self) -> set[str]:
        """The repairs that have not been made."""
        return {name for name, sql in LEFT.items() if self.rows(sql)}


def fall_ill(conn: Connection) -> None:
    """What only time, another program or a fault could leave behind."""
    old, ahead = dialect.at(conn, OLD), dialect.at(conn, at(6600))
    seed.node(conn, OLD, "old", "stopped")
    for sql, params in (
        ("UPDATE {nodes} SET ended_at = %s WHERE id = 'old'", [old]),
        ("UPDATE {nodes} SET state = 'fenced' WHERE id = 'n2'", []),
        ("DELETE FROM {ready}", []),
        ("INSERT INTO {ready} (lane, priority, run_id) VALUES ('nowhere', 0, 3)", []),
        ("UPDATE {runs} SET created_at = %s, finished_at = %s WHERE id = 2", [old, old]),
        ("UPDATE {schedules} SET removed_at = %s WHERE name = 'gone'", [old]),
        ("UPDATE {cursors} SET state = 'removed', due_at = NULL WHERE schedule_id = 2", []),
        ("UPDATE {cursors} SET due_at = NULL WHERE schedule_id = 3", []),
        ("UPDATE {cursors} SET watermark = %s, paused_until = %s WHERE schedule_id = 4", [ahead, ahead]),
        ("UPDATE {cursors} SET next_at = NULL, due_at = watermark WHERE schedule_id = 5", []),
        ("DELETE FROM {events}", []),
        ("DELETE FROM {changes}", []),
    ):
        dialect.execute(conn, sql, params)
    decision = {"schedule_id": 1, "after_at": OLD, "until_at": OLD, "what": "skipped", "revision": 1, "node": "old"}
    dialect.insert_many(conn, of(conn).decisions, [decision | {"at": OLD}])
    dialect.insert_many(conn, of(conn).events, [{"type": "old", "at": OLD, "subject": "x", "data": {}}])
    change = {"at": OLD, "subject": "x", "action": "old", "actor": "me", "channel": "cli"}
    dialect.insert_many(conn, of(conn).changes, [change])


@pytest.fixture
def world(store_url: str) -> Iterator[Ailing]:
    made = Ailing(store_url)
    yield made
    made.close()


def broken(error: Exception) -> Callable[..., Any]:
    def op(*_: Any, **__: Any) -> Any:
        raise error

    return op


def repairs(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    """What was told of repairs."""
    told = [record for record in caplog.records if record.msg in ("repair.failed", "repair.works")]
    return [(record.msg, record.__dict__["repair"]) for record in told]


@pytest.mark.parametrize("name", REPAIRS)
def test_a_repair_that_fails_keeps_no_other_from_its_turn(
    world: Ailing, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    """And it is told of when it begins to fail and when it works again, not at every sweep."""
    caplog.set_level(logging.INFO, "rota.keeper")
    world.fall_ill()
    assert world.left() == set(LEFT)
    with monkeypatch.context() as patch:
        patch.setattr(*REPAIRS[name], broken(RuntimeError("no")))
        for _ in range(3):
            world.sweep()
        assert world.left() == {other for other in LEFT if f"{other}.".startswith(f"{name}.")}
        assert repairs(caplog) == [("repair.failed", name)]
    world.write("UPDATE {cursors} SET due_at = NULL WHERE schedule_id = 3")  # the pass of zone data has armed it
    world.sweep(3700)  # retention rests for an hour
    assert world.left() == set()
    assert repairs(caplog) == [("repair.failed", name), ("repair.works", name)]


@pytest.mark.parametrize(
    "error", [StatementRefused("no"), DatabaseUnavailable("busy"), ValueError("no"), RecursionError("deep")], ids=repr
)
def test_whatever_a_repair_fails_for(
    world: Ailing, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    world.fall_ill()
    monkeypatch.setattr(repair, "move_on", broken(error))
    world.sweep()
    assert world.left() == {"runs"}
    assert repairs(caplog) == [("repair.failed", "runs")]


def test_another_failure_is_told_anew(
    world: Ailing, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for text in ("run 1 is odd", "run 2 is odd", "run 2 is even", "run 2 is even", "run 3 is odd"):
        monkeypatch.setattr(repair, "arm", broken(StatementRefused(text)))
        world.sweep()
    assert [record.__dict__["error"] for record in caplog.records] == ["run 1 is odd", "run 2 is even", "run 3 is odd"]


def test_the_database_s_absence_is_no_repair_s_failure(
    world: Ailing, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def gone(*_: Any) -> Any:
        monkeypatch.setattr(nodes, "renew", broken(DatabaseUnavailable("away")))
        raise DatabaseUnavailable("away")

    monkeypatch.setattr(repair, "arm", gone)
    with pytest.raises(DatabaseUnavailable):
        world.sweep()
    assert repairs(caplog) == []


def test_a_role_that_may_not_end_sessions(pg_url: str, caplog: pytest.LogCaptureFixture) -> None:
    """The fenced node's session belongs to another role: that is told, and everything else is repaired."""
    world = Ailing(pg_url)
    world.fall_ill()
    world.close()
    url = make_url(pg_url)
    role = f"limited_{url.database}"
    with psycopg.connect(pg_url, autocommit=True) as owner, psycopg.connect(pg_url) as frozen:
        owner.execute(f"CREATE ROLE {role} LOGIN")
        owner.execute(f"GRANT USAGE ON SCHEMA rota TO {role}")
        owner.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA rota TO {role}")
        owner.execute(f"GRANT ALL ON ALL SEQUENCES IN SCHEMA rota TO {role}")
        frozen.execute("SELECT set_config('application_name', 'rota:n2', false)")
        world.db = Database(url.set(username=role), clock=world.clock)
        world.keeper = Keeper(world.db, Settings(keep_runs=0), node="n1")
        with closing(world):
            world.sweep()
            world.sweep()
            assert world.left() == set()
        frozen.rollback()
        owner.execute(f"DROP OWNED BY {role}")
        owner.execute(f"DROP ROLE {role}")
    assert repairs(caplog) == [("repair.failed", "sessions")]
    assert "terminate" in caplog.records[0].__dict__["error"]


def test_a_flood_of_cancel_requests_is_forgotten_in_one_sweep(world: Ailing) -> None:
    world.db.call(flood)
    world.sweep()
    assert world.rows("SELECT count(*) AS n FROM {cancels}") == [{"n": 0}]


def flood(conn: Connection) -> None:
    row = {"kind": "no_retry", "at": START, "actor": "me"}
    dialect.insert_many(conn, of(conn).cancels, [row | {"run_id": 1000 + n} for n in range(3500)])


# Schedules that cannot be computed


def as_armed(world: Ailing) -> None:
    world.write("UPDATE {cursors} SET due_at = NULL, next_at = NULL")


def after_the_clock(world: Ailing) -> None:
    for seconds in (7200.0, 0.0):
        world.db.call(passes.watch_clock, at(seconds))
    ahead = "UPDATE {cursors} SET watermark = (SELECT max(next_at) FROM {cursors}), next_at = NULL, due_at = NULL"
    world.write(ahead)


def after_zone_data(world: Ailing) -> None:
    for version in ("1900a", zone_data_version()):
        world.db.call(passes.watch_zone_data, version)
    world.write("UPDATE {cursors} SET next_at = NULL")


WAYS = [as_armed, after_the_clock, after_zone_data]


def an_unreadable_rule(world: Ailing, patch: pytest.MonkeyPatch) -> None:
    world.write("UPDATE {definitions} SET canonical = 'nonsense' WHERE schedule_id = 2")


def unreadable_policies(world: Ailing, patch: pytest.MonkeyPatch) -> None:
    world.write("UPDATE {definitions} SET policies = %s WHERE schedule_id = 2", '{"overlap": "sideways"}')


def a_fault(error: Exception) -> Callable[[Ailing, pytest.MonkeyPatch], None]:
    def begin(_world: Ailing, patch: pytest.MonkeyPatch) -> None:
        following = Recurrence.next_after

        def next_after(rule: Recurrence, instant: Any) -> Any:
            if rule.text == "0 * * * *":
                raise error
            return following(rule, instant)

        patch.setattr(Recurrence, "next_after", next_after)

    begin.__name__ = type(error).__name__
    return begin


FAULTS = [an_unreadable_rule, unreadable_policies, a_fault(ZeroDivisionError()), a_fault(RecursionError())]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_schedule_that_cannot_be_computed_touches_no_other(
    world: Ailing, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, way: Any, fault: Any
) -> None:
    """It is due at once, so that a scheduler judges it (law 3)."""
    world.add("a")
    world.add("b", when="0 * * * *")
    world.add("c")
    way(world)
    fault(world, monkeypatch)
    world.sweep(1)
    rows = world.rows("SELECT due_at, next_at FROM {cursors} ORDER BY schedule_id")
    assert [dialect.read_at(row["due_at"]) for row in rows] == [at(60), at(1), at(60)]
    assert repairs(caplog) == []


def test_what_the_sweep_leaves_to_a_scheduler_is_disabled(world: Ailing, monkeypatch: pytest.MonkeyPatch) -> None:
    world.add("a")
    world.add("b", when="0 * * * *")
    as_armed(world)
    a_fault(ZeroDivisionError())(world, monkeypatch)
    world.sweep(1)
    world.db.call(Scheduler(world.db, Settings(), node="n1").fire)
    (cursor,) = world.rows("SELECT state, disabled_reason FROM {cursors} WHERE state <> 'active'")
    assert cursor["state"] == "disabled"
    assert "X200900SCHCAL" in cursor["disabled_reason"]


def test_a_run_whose_policies_cannot_be_read_keeps_no_other_from_moving_on(
    world: Ailing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A later version may have written them: its keepers move the run on."""
    read = policy.stored_policies

    def stored_policies(stored: Any) -> Any:
        if stored["max_lost"] == 7:
            raise InvalidValue("on_lost: sideways")
        return read(stored)

    monkeypatch.setattr(repair, "stored_policies", stored_policies)
    world.place(world.add("odd", max_lost=7))
    world.place(world.add("fine"))
    world.claim("n2")
    world.write("UPDATE {nodes} SET state = 'fenced' WHERE id = 'n2'")
    assert world.sweep().moved == [2]
