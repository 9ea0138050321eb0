"""Reports about what is asked of rota and what it tells, from bugs.jsonl. The number of each is in the name."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self

import pytest

from rota.app.rota import Rota
from rota.calendar.text import parse
from rota.engine.context import Context
from rota.errors import InvalidValue, NaiveDatetime
from rota.store import dialect
from rota.store.database import Database
from rota.sync import apply
from rota.sync.file import load
from tests.support import laws
from tests.support.steps import Steps
from tests.support.world import START, Machine, World, noop

NAIVE = datetime(2026, 3, 2, 12, 0)  # noqa: DTZ001 - the subject


@pytest.fixture
def world(store_url: str) -> Iterator[World]:
    made = World(store_url)
    yield made
    made.close()


def declared(world: World) -> Rota:
    """A process that has just started: its code declares the schedule `hourly`."""
    app = world.other(origin="code:app:rota")
    app.job(noop, name="hourly", when="every minute")
    app.prepare()
    return app


FILE = """\
jobs:
  report: {command: ["true"]}
crons:
  report: {when: "every minute", overlap: queue_all}
"""


def test_bug_105_the_same_definition_again_drops_nothing(world: World, tmp_path: Path) -> None:
    """Three late runs are queued; the file, the code and the handle say again what they said before."""
    (tmp_path / "rota.yaml").write_text(FILE)
    file = load(tmp_path / "rota.yaml")
    world.db.call(apply.apply, file)
    app = declared(world)
    world.add("a", overlap="queue_all")
    scheduler = world.machine()
    for minute in (1, 2, 3):
        world.at(f"12:0{minute}")
        scheduler.turn()
    world.at("13:00:30")
    before = {name: (world.runs(name), world.app.schedules.get(name)) for name in ("report", "a", "hourly")}
    assert len(before["report"][0]) == len(before["a"][0]) == 3
    assert not world.db.call(apply.apply, file).changed
    app.prepare()
    world.app.schedules.put("a", job="noop", when="every minute", overlap="queue_all")
    assert {name: (world.runs(name), world.app.schedules.get(name)) for name in before} == before


def test_bug_106_removal_leaves_no_orphan(world: World) -> None:
    """Five runs are queued, one runs."""
    gate = threading.Event()

    def slow(ctx: Context) -> str:
        gate.wait(30)
        return "done"

    world.job(slow)
    world.add("a", job="slow", overlap="queue_all")
    machine = world.machine()
    for minute in range(1, 7):
        world.at(f"12:0{minute}")
        machine.turn()
        machine.claim()
    assert [state for _, state in world.runs()] == ["running", *["queued"] * 5]
    world.app.schedules.remove("a")
    gate.set()
    machine.finish()
    world.clock.on(hours=1)
    world.settle_down(machine)
    assert [state for _, state in world.runs()] == ["succeeded", *["cancelled"] * 5]
    assert {run.reason for run in world.app.runs.list(schedule="a", state="cancelled")} == {"removed"}
    assert len(world.app.schedules.why("a")) == 6


class Load:
    """A scheduler and a worker that turn in threads of their own, as fast as they can."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.over = threading.Event()
        self.errors: list[BaseException] = []
        self.threads = [threading.Thread(target=self.run, args=(act,)) for act in (self.plan, self.work)]

    def plan(self, steps: Steps) -> None:
        steps.fire()
        steps.admit()

    def work(self, steps: Steps) -> None:
        steps.work("worker", limit=3)

    def run(self, act: Callable[[Steps], None]) -> None:
        database = Database(self.world.url, clock=self.world.clock, synchronous="OFF")
        try:
            while not self.over.is_set():
                act(Steps(database, self.world.clock))
        except BaseException as error:  # noqa: BLE001 - told to the test
            self.errors.append(error)
        finally:
            database.close()

    def __enter__(self) -> Self:
        Steps(self.world.db, self.world.clock).join("worker")
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        for thread in self.threads:
            thread.join()
        assert self.errors == []


@pytest.mark.parametrize("times", [20, pytest.param(300, marks=pytest.mark.full)])
def test_bug_106_removal_under_load(world: World, times: int) -> None:
    with Load(world):
        for number in range(times):
            name = f"s{number}"
            world.add(name, "* * * * * *", overlap="allow", catchup="all", catchup_max=20)
            world.clock.on(seconds=10)
            while not world.rows("SELECT 1 AS one FROM {runs} r JOIN {schedules} s ON s.id = r.schedule_id"
                                 " WHERE s.name = %s LIMIT 1", name):  # fmt: skip
                assert not threading.Event().wait(0.001)
            world.app.schedules.remove(name)
            assert "queued" not in {state for _, state in world.runs(name)}
            world.clock.on(seconds=1)
    steps = Steps(world.db, world.clock)
    steps.to_the_end("worker")
    assert not world.rows("SELECT 1 AS one FROM {runs} WHERE state IN ('queued', 'running')")
    laws.check(world.db, over=True)


def handed_naive(world: World) -> dict[str, Callable[[], object]]:
    """Every entry point that takes an instant, given one without a zone."""
    app, rule = world.app, parse("every minute")
    schedules = app.schedules
    return {
        "when": lambda: schedules.add("b", job="noop", when=NAIVE),
        "put": lambda: schedules.put("b", job="noop", when=NAIVE),
        "valid_from": lambda: schedules.add("b", job="noop", when="every minute", valid_from=NAIVE),
        "valid_until": lambda: schedules.update("a", valid_until=NAIVE),
        "anchor": lambda: schedules.update("a", when="every 2 hours", anchor=NAIVE),
        "text": lambda: schedules.update("a", valid_until="2026-03-02T12:00:00"),
        "until": lambda: schedules.pause("a", until=NAIVE),
        "skip": lambda: schedules.skip("a", NAIVE),
        "unskip": lambda: schedules.unskip("a", NAIVE),
        "why": lambda: schedules.why("a", NAIVE),
        "backfill": lambda: schedules.backfill("a", NAIVE, START),
        "record_run": lambda: schedules.record_run("a", NAIVE, "succeeded", START, START),
        "not_before": lambda: app.enqueue("noop", not_before=NAIVE),
        "declared": lambda: app.job(noop, name="late", when="every minute", valid_from=NAIVE),
        "next_after": lambda: rule.next_after(NAIVE),
        "last_until": lambda: rule.last_until(NAIVE),
        "between": lambda: rule.between(NAIVE, START),
        "upcoming": lambda: rule.upcoming(NAIVE, 1),
        "now": lambda: parse("every minute", now=NAIVE),
        "parse_anchor": lambda: parse("every 2 hours", anchor=NAIVE),
    }


def test_bug_139_naive_instants_are_refused_everywhere(world: World) -> None:
    world.add("a")
    for name, call in handed_naive(world).items():
        with pytest.raises(NaiveDatetime, match=r"time zone|aware|naive"):
            print(name, call())
    machine = world.machine()
    world.go(world.at("12:01"), machine)
    assert world.runs() == [("03-01 12:01", "succeeded")]
    assert [s.name for s in world.app.schedules.list()] == ["a"]


def test_bug_139_a_handler_may_not_hand_one_in(world: World) -> None:
    def asks(ctx: Context) -> None:
        ctx.wake_at(NAIVE)

    world.job(asks)
    world.add("a", job="asks")
    world.go(world.at("12:01"), world.machine())
    (run,) = world.app.runs.list(schedule="a")
    assert (run.state, run.error and run.error.type) == ("failed", "rota.errors.NaiveDatetime")
    assert world.app.schedules.get("a").next_at == datetime(2026, 3, 1, 12, 2, tzinfo=UTC)


# Jobs that are gone


def renamed(world: World) -> Rota:
    """A process of the next release, in which the job has another name."""
    app = world.other(origin="code:app:rota")
    app.job(noop, name="new_name")
    app.prepare()
    return app


def test_bug_135_a_job_that_is_gone_deletes_nothing(world: World) -> None:
    """Handed back for 30 s at a time, failed after an hour; the schedule stays, says so, and heals."""
    world.app.job(noop, name="old_name")
    world.app.prepare()
    world.add("a", "0 13 * * *", job="old_name", args={})
    gone = world.machine("gone", app=renamed(world))
    world.at("13:00")
    world.settle_down(gone)
    (run,) = world.app.runs.list(schedule="a")
    assert (run.state, run.reason, run.attempt) == ("queued", "unknown_job", 0)
    assert run.next_attempt_at == world.now + timedelta(seconds=30)
    assert "no live worker knows its job" in world.why("2026-03-01T13:00:00+00:00").sentence
    for _ in range(3):
        assert [schedule.name for schedule in world.other().schedules.list()] == ["a"]
    world.go("2026-03-01T14:01:00+00:00", gone)
    (run,) = world.app.runs.list(schedule="a")
    assert (run.state, run.reason, run.error and run.error.type) == ("failed", "unknown_job", "unknown_job")
    assert world.app.schedules.get("a").state == "active"
    world.go("2026-03-02T13:10:00+00:00", gone)
    back = world.machine("back")
    world.clock.on(seconds=30)
    gone.turn()
    back.work()
    assert world.runs() == [("03-01 13:00", "failed"), ("03-02 13:00", "succeeded")]


def test_bug_135_a_job_that_no_row_knows_is_flagged(world: World) -> None:
    world.add("a")
    assert world.app.schedules.get("a").job_known
    world.db.call(dialect.execute, "DELETE FROM {jobs} WHERE name = 'noop'")
    assert not world.app.schedules.get("a").job_known
    world.go(world.at("12:01"), world.machine(app=renamed(world)))
    assert world.runs() == [("03-01 12:01", "queued")]
    world.app.prepare()
    assert world.app.schedules.get("a").job_known


class Holder:
    def method(self) -> None:
        """Bound to an object that no other process has."""


def closure() -> Callable[[], None]:
    def inside() -> None:
        """Made inside a function."""

    return inside


def test_bug_136_what_another_process_cannot_find_is_refused(world: World) -> None:
    for handler, word in ((lambda: None, "lambda"), (Holder().method, "bound method"), (print, "function")):
        with pytest.raises(InvalidValue, match=word):
            world.app.job(handler, name="bad")
    with pytest.raises(InvalidValue, match="top level"):
        world.app.job(closure(), name="bad", isolated=True)
    assert [job.name for job in world.app.registry] == ["noop"]


# What is told


def skip_everything(world: World, machine: Machine) -> dict[str, str]:
    """A skip of every kind that a schedule can have by itself or by hand: the reason of each schedule's."""
    made: dict[str, dict[str, Any]] = {
        "overlap": {}, "full": {"overlap": "queue_all", "queue_max": 1}, "late": {"catchup": "none"},
        "too_old": {"catchup": "all", "catchup_window": "2m"}, "over_max": {"catchup": "all", "catchup_max": 2},
        "paused": {}, "edited": {}, "operator": {},
    }  # fmt: skip
    for name, fields in made.items():
        world.add(name, **fields)
    world.app.schedules.pause("paused")
    world.app.schedules.skip("operator", START + timedelta(minutes=3), reason="a holiday")
    world.at("12:03:30")
    world.app.schedules.update("edited", when="every hour")
    for text in ("12:04", "12:05", "12:06"):
        world.at(text)
        machine.turn()
    world.app.schedules.resume("paused")
    return {name: "overlap" if name == "full" else name for name in made}


def test_bug_093_every_skip_is_a_row_an_event_and_a_count(world: World) -> None:
    machine = world.machine()
    reasons = skip_everything(world, machine)
    told = [(e.subject.rpartition("/")[2], e.data["reason"]) for e in world.app.events.list(type="schedule.skipped")]
    for name, reason in reasons.items():
        rows = [d for d in world.app.schedules.decisions(name) if d.what == "skipped"]
        assert reason in {row.reason for row in rows}, name
        assert (name, reason) in told
    counted = machine.scheduler.totals.skipped
    assert {"overlap", "late", "too_old", "over_max", "operator"} <= set(counted)
    assert all(number > 0 for number in counted.values())


SENTENCES = {
    "overlap": "held its single-flight key (overlap: skip)",
    "full": "held its single-flight key (overlap: queue_all)",
    "late": "(grace: 60s, from catchup: none)",
    "too_old": "(catchup_window: 2m)",
    "over_max": "(catchup_max: 2)",
    "paused": "the schedule was paused",
    "edited": "the timing was edited",
    "operator": "a holiday",
}


def test_bug_162_each_reason_is_explained(world: World) -> None:
    """Also: no worker, no scheduler, a pause that goes on; the last twenty, newest first, each once."""
    machine = world.machine()
    for name, reason in skip_everything(world, machine).items():
        found = [told for told in world.app.schedules.why(name, n=20) if told.reason == reason]
        assert found, name
        assert all(SENTENCES[name] in told.sentence and told.advice for told in found), [
            (told.sentence, told.advice) for told in found
        ]
    world.at("12:40")
    machine.turn()
    told = world.app.schedules.why("overlap", n=20)
    assert [t.at for t in told] == sorted({t.at for t in told}, reverse=True)
    assert len(told) == 20
    (queued,) = (t for t in world.app.schedules.why("overlap", n=100) if t.run is not None)
    assert "no worker has taken it" in queued.sentence
    world.app.schedules.pause("late")
    world.at("12:41")
    assert "the schedule is paused" in world.why("2026-03-01T12:41:00+00:00", "late").sentence
    machine.leave()
    world.machines.remove(machine)
    world.at("13:00")
    assert "no scheduler is alive" in world.why("2026-03-01T12:59:00+00:00", "operator").sentence
    again = world.machine("again")
    again.turn()
    assert "decided at 13:00:00 by again" in world.why("2026-03-01T13:00:00+00:00", "overlap").sentence
