"""SIGKILL just before and just after every commit: the laws hold after the next start (documents 2 and 7).

The scenario is killed at its n-th commit, n counted up until it survives; each time a fresh world is used, the scenario
is carried out again to its end two hours later, everything is given its time, and the laws are read off the database.
"""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from rota.store import migrate
from rota.store.database import Database
from tests.crash.scenarios import LATER, SCENARIOS, Scenario
from tests.support import laws, postgres, stores
from tests.support.crashing import AFTER, BEFORE, Killer, Order
from tests.support.hands import START, HandClock
from tests.support.steps import Steps

Worlds = Callable[[Scenario], AbstractContextManager[Callable[[], AbstractContextManager[str]]]]


@pytest.fixture(scope="session")
def killer() -> Iterator[Killer]:
    made = Killer("tests.crash.scenarios")
    yield made
    made.close()


def prepare(scenario: Scenario, url: str) -> None:
    clock = HandClock()
    database = Database(url, clock=clock, synchronous="OFF")
    scenario.prepare(database, clock)
    database.close()


@pytest.fixture
def sqlite_worlds(sqlite_template: stores.SqliteTemplate, tmp_path: Path) -> Worlds:
    @contextmanager
    def worlds(scenario: Scenario) -> Iterator[Callable[[], AbstractContextManager[str]]]:
        original, target = tmp_path / "original.db", tmp_path / "world.db"
        if scenario.migrated:
            sqlite_template.copy_to(original)
        prepare(scenario, f"sqlite:///{original}")

        @contextmanager
        def fresh() -> Iterator[str]:
            for left in tmp_path.glob("world.db*"):
                left.unlink()
            if original.exists():
                shutil.copyfile(original, target)
            yield f"sqlite:///{target}"

        yield fresh

    return worlds


@pytest.fixture
def postgresql_worlds(shared_server: stores.SharedServer) -> Worlds:
    @contextmanager
    def worlds(scenario: Scenario) -> Iterator[Callable[[], AbstractContextManager[str]]]:
        with shared_server.database(shared_server.template() if scenario.migrated else None) as url:
            prepare(scenario, url)
            name = url.rsplit("/", 1)[1]
            yield lambda: shared_server.database(name)

    return worlds


def settled_down(server: stores.SharedServer | None, url: str) -> None:
    """Wait until the killed process's transaction is rolled back."""
    if server is not None:
        assert not postgres.connections_left(server.ready(), url.rsplit("/", 1)[1])


def afterwards(scenario: Scenario, url: str) -> None:
    """Start again, come to an end, look."""
    clock = HandClock(START + LATER)
    database = Database(url, clock=clock, synchronous="OFF")
    try:
        before = {} if not scenario.migrated else database.read(laws.Facts.read).cursors
        scenario.act(database, clock)
        if not scenario.migrated:
            assert migrate.status(database) == (migrate.HEAD, migrate.HEAD)
            return
        steps = Steps(database, clock)
        steps.join("last")
        steps.fence_others("last")
        if scenario.drained:
            steps.to_the_end("last")
        facts = laws.check(database, over=scenario.drained, ahead=scenario.ahead, since=scenario.since)
        fell = [i for i, row in before.items() if facts.cursors[i]["watermark"] < row["watermark"]]
        assert scenario.ahead or not fell
    finally:
        database.close()


def kill_at_each_commit(
    killer: Killer, name: str, worlds: Worlds, server: stores.SharedServer | None, every: bool
) -> int:
    """About how many commits the scenario makes. Unless `every`, each third commit, the sides alternating."""
    scenario = SCENARIOS[name]
    act = f"tests.crash.scenarios:{scenario.act.__name__}"
    with worlds(scenario) as fresh:
        for nth in itertools.count(1, 1 if every else 3):
            for side in (BEFORE, AFTER) if every else ((BEFORE, AFTER)[nth % 2],):
                with fresh() as url:
                    survived = killer.survives(Order(act, url, START.isoformat(), nth, side))
                    settled_down(server, url)
                    afterwards(scenario, url)
                if survived:
                    return nth - 1 if every else nth
    raise AssertionError("unreachable")


COMMITS = {"fire": 10, "cut": 8, "work": 20, "edits": 20, "keeper": 40, "migration": 1}
"""At least so many commits does each scenario make: a scenario that stopped early would prove nothing."""


@pytest.mark.parametrize("name", SCENARIOS)
def test_short_sqlite(killer: Killer, sqlite_worlds: Worlds, name: str) -> None:
    assert kill_at_each_commit(killer, name, sqlite_worlds, None, every=False) >= COMMITS[name]


@pytest.mark.full
@pytest.mark.parametrize("name", SCENARIOS)
def test_every_commit_sqlite(killer: Killer, sqlite_worlds: Worlds, name: str) -> None:
    assert kill_at_each_commit(killer, name, sqlite_worlds, None, every=True) >= COMMITS[name]


@pytest.mark.full
@pytest.mark.parametrize("name", SCENARIOS)
def test_every_commit_postgresql(
    killer: Killer, postgresql_worlds: Worlds, shared_server: stores.SharedServer, name: str
) -> None:
    assert kill_at_each_commit(killer, name, postgresql_worlds, shared_server, every=True) >= COMMITS[name]
