"""What the crash tests carry out. Each `act` may be killed at any commit and is then carried out again, later.

`prepare_*` makes the world, in a process that is not killed; `act_*` is what crashes. The clock given to `act` stands
at an instant at which nothing has happened yet.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from rota.engine.keeper import Keeper
from rota.errors import Conflict, NotFound
from rota.model.run import Claimed, Failed, Interrupted, Outcome, Succeeded, TimedOut, UnknownJob
from rota.model.schedule import Key
from rota.model.settings import Settings
from rota.store import backfill, cancels, dialect, edits, manual, migrate, orders, passes, runs, schedules, skips
from rota.store.database import Database
from tests.support import seed
from tests.support.hands import START, HandClock
from tests.support.steps import ME, Steps

Act = Callable[[Database, HandClock], None]
DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)
LATER = timedelta(hours=2)
"""After the beginning an act that was killed is carried out again."""
KEPT = timedelta(minutes=10)
"""History from before this much after the beginning goes the second time."""


@dataclass(frozen=True)
class Scenario:
    """A world and what happens in it. `migrated`: it begins with rota's tables; `drained`: its runs are all run then.

    `ahead`: its clock stood in the future once; `since`: history from before is not kept.
    """

    prepare: Act
    act: Act
    migrated: bool = True
    drained: bool = True
    ahead: bool = False
    since: datetime = START


def key(name: str) -> Key:
    return Key("default", "default", "default", name)


def seeded(database: Database, name: str, when: str = "* * * * *", **given: Any) -> int:
    return database.call(seed.schedules, START, [name], when, **given)[name]


OVERLAPS: Mapping[str, Mapping[str, Any]] = {
    "skip": {},
    "all": {"catchup": "all", "catchup_max": 20},
    "window": {"catchup": "all", "catchup_window": "20m", "catchup_max": 5},
    "earliest": {"catchup": "earliest", "overlap": "queue_all", "queue_max": 3},
    "late": {"catchup": "none", "jitter": "20s"},
    "one": {"overlap": "queue_one", "catchup": "all", "grace": "15m"},
    "replace": {"overlap": "replace"},
    "allow": {"overlap": "allow", "catchup": "all", "catchup_max": 7},
    "shared1": {"overlap": "queue_one", "single_flight": "k"},
    "shared2": {"overlap": "replace", "single_flight": "k"},
    "shared3": {"overlap": "skip", "single_flight": "k"},
}


def prepare_fire(database: Database, clock: HandClock) -> None:
    for name, given in OVERLAPS.items():
        seeded(database, name, **given)
    held = seeded(database, "held", catchup="all", catchup_max=50)
    for minutes in (1, 7):
        database.call(skips.skip, held, START + timedelta(minutes=minutes), ME)
    paused = seeded(database, "paused", on_resume="catchup", catchup="all", catchup_max=10)
    database.call(schedules.pause, paused, ME, until=START + timedelta(minutes=30))
    ended = seeded(database, "ended", ends_at=START + timedelta(minutes=40))
    assert ended
    Steps(database, clock).join("first")


def act_fire(database: Database, clock: HandClock) -> None:
    """Turns of a scheduler before and after an outage, with an end of runs between, so that keys change hands."""
    steps, node = Steps(database, clock), f"w{clock.now():%H%M}"
    steps.join(node)
    for number, minutes in enumerate((1, 0, 2, 57, 1)):
        clock.on(minutes=minutes)
        steps.turn()
        if number == 2:
            steps.work(node, limit=4)


def prepare_cut(database: Database, clock: HandClock) -> None:
    seeded(database, "cut", "* * * * * *", catchup="all", catchup_max=1_000_000)
    seeded(database, "beside", "* * * * *", catchup="all")


def act_cut(database: Database, clock: HandClock) -> None:
    """A catch-up of more runs than one firing makes."""
    steps = Steps(database, clock)
    clock.on(seconds=2100)
    for _ in range(4):
        steps.turn()


WORK: Mapping[str, Mapping[str, Any]] = {
    "good": {},
    "flaky": {"retry": {"attempts": 3, "backoff": "fixed", "base": "30s"}},
    "bad": {"disable_after": 2, "overlap": "queue_all", "probe_after": "5m"},
    "hung": {"retry": {"attempts": 2, "backoff": "fixed", "base": "1s"}, "disable_after": 1},
    "stopped": {"on_lost": "fail"},
    "unknown": {"overlap": "queue_one"},
}


def ends(run: Claimed) -> Outcome:
    """How a run of the scenario `work` ends: by its schedule and attempt alone."""
    failed = Failed("ValueError", "no", ("ValueError", "Exception"), trace="Traceback: no")
    kinds: dict[str | None, Outcome] = {
        "flaky": failed if run.attempt < 3 else Succeeded(),
        "bad": failed if run.cause != "probe" else Succeeded(),
        "hung": TimedOut(timedelta(seconds=1)),
        "stopped": Interrupted() if run.token == 1 else Succeeded(),
        "unknown": UnknownJob("noop") if run.token == 1 else Succeeded(),
    }
    return kinds.get(run.schedule, Succeeded('{"n": 1}'))


def prepare_work(database: Database, clock: HandClock) -> None:
    """Runs of every kind are queued; a node that is gone has claimed some."""
    steps = Steps(database, clock)
    steps.join("gone")
    for name, given in WORK.items():
        seeded(database, name, **given)
    clock.on(minutes=1)
    steps.turn()
    steps.claim("gone", 4)


def act_work(database: Database, clock: HandClock) -> None:
    """A new node fences all others, moves their runs on, and works: turn, claim, settle, one by one and in batches."""
    steps = Steps(database, clock)
    node = f"w{clock.now():%H%M}"
    steps.join(node)
    steps.fence_others(node)
    for number in range(5):
        clock.on(seconds=60)
        steps.turn()
        steps.work(node, ends, limit=3)
        if number == 2:
            steps.claim(node, 1)
            steps.hand_back(node)
        for run in steps.claim(node, 10):
            steps.settle([steps.decide(run, ends(run))], node)


def prepare_edits(database: Database, clock: HandClock) -> None:
    Steps(database, clock).join("first")
    for name in ("a", "b", "c"):
        seeded(database, name, catchup="all", catchup_max=10, overlap="queue_all")


class Editor:
    """Acts on schedules; what a second start finds done already is passed over."""

    def __init__(self, database: Database, clock: HandClock) -> None:
        self.db, self.clock = database, clock

    def do(self, op: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        self.clock.on(seconds=61)
        with contextlib.suppress(Conflict, NotFound):
            self.db.call(op, *args, **kwargs)


def act_edits(database: Database, clock: HandClock) -> None:
    """Every act on schedules and runs, a minute apart, with turns between."""
    steps, editor = Steps(database, clock), Editor(database, clock)
    do, a, b, c = editor.do, key("a"), key("b"), key("c")
    steps.join(node := f"w{clock.now():%H%M}")
    do(edits.put, key("new"), {"when": "*/5 * * * *", "job": "noop"}, ME)
    do(edits.update, a, {"when": "*/2 * * * *"}, ME)
    do(edits.update, b, {"when": "*/3 * * * *", "on_edit": "catchup"}, ME)
    steps.turn()
    do(edits.update, c, {"note": "hello", "grace": "2h"}, ME)
    do(schedules.pause, a, ME, until=clock.now() + timedelta(minutes=20))
    do(schedules.pause, b, ME)
    do(edits.update, b, {"when": "*/4 * * * *"}, ME)
    steps.work(node)
    clock.on(minutes=25)
    steps.turn()
    do(schedules.resume, b, ME)
    do(schedules.disable, c, ME)
    do(manual.request_run, a, manual.Request(drawn="once"), ME)
    do(skip_next, a)
    do(backfill.backfill, a, backfill.Backfilling(clock.now() - 20 * MINUTE, clock.now(), 10 * DAY), ME)
    steps.work(node, limit=2)
    do(schedules.enable, c, ME)
    do(schedules.remove, b, ME)
    steps.turn()
    do(edits.add, b, {"when": "*/7 * * * *", "job": "noop"}, ME)
    do(retry_first)
    do(cancel_one)
    do(schedules.remove, key("new"), ME)
    clock.on(minutes=30)
    steps.turn()


def skip_next(conn: Any, name: Key) -> None:
    locked = schedules.lock(conn, name)
    following = locked.plan.recurrence.next_after(max(locked.now, locked.cursor.watermark))
    if following is not None and locked.cursor.state == "active":
        skips.skip(conn, name, following, ME)


def retry_first(conn: Any) -> None:
    (run, *_) = runs.page(conn, runs.Filter(states=("succeeded",), oldest_first=True), 1)
    orders.retry(conn, run["id"], ME)


def cancel_one(conn: Any) -> None:
    queued = runs.page(conn, runs.Filter(states=("queued",)), 1)
    if queued:
        now: datetime = conn.get_execution_options()["rota_clock"].now()
        cancels.request_cancel(conn, queued[0]["id"], "cancel", ME, now)


def prepare_keeper(database: Database, clock: HandClock) -> None:
    """Everything that a keeper repairs: a dead node's runs, stale rows, a cursor that sleeps, a wrong clock, old history."""
    prepare_work(database, clock)
    steps = Steps(database, clock)
    sleeping, forgotten = seeded(database, "sleeping"), seeded(database, "forgotten", overlap="allow")
    steps.join("old")
    clock.on(minutes=1)
    steps.turn()
    database.call(dialect.execute, "UPDATE {cursors} SET due_at = NULL WHERE schedule_id = %s", [sleeping])
    sql = "DELETE FROM {ready} WHERE run_id IN (SELECT id FROM {runs} WHERE schedule_id = %s)"
    database.call(dialect.execute, sql, [forgotten])
    for run in steps.claim("old", 2):
        steps.settle([steps.decide(run, Succeeded())], "old")
        sql = "INSERT INTO {ready} (lane, priority, run_id) VALUES ('default', 0, %s)"
        database.call(dialect.execute, sql, [run.id])
    right = clock.now()
    clock.on(hours=5)
    database.call(passes.watch_clock)
    steps.turn()
    clock.set(right)


def act_keeper(database: Database, clock: HandClock) -> None:
    """A keeper watches until it may fence, and sweeps until both rounds of the pass are over."""
    steps, node = Steps(database, clock), f"k{clock.now():%H%M}"
    steps.join(node)
    keeper = Keeper(database, Settings.of({"retention": LATER - KEPT, "keep_runs": 1}), node=node)
    for number in range(6):
        clock.on(seconds=4 if number < 5 else 70)
        asyncio.run(keeper.turn(sweep=number in (0, 4, 5)))
    steps.turn()


def prepare_migration(database: Database, clock: HandClock) -> None:
    """Nothing: the database is empty."""


def act_migration(database: Database, clock: HandClock) -> None:
    migrate.upgrade_database(database)


SCENARIOS: Mapping[str, Scenario] = {
    "fire": Scenario(prepare_fire, act_fire),
    "cut": Scenario(prepare_cut, act_cut, drained=False),
    "work": Scenario(prepare_work, act_work),
    "edits": Scenario(prepare_edits, act_edits),
    "keeper": Scenario(prepare_keeper, act_keeper, ahead=True, since=START + KEPT),
    "migration": Scenario(prepare_migration, act_migration, migrated=False),
}
