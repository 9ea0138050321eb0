"""Races of keepers with each other and with fires, real connections stepped by hand on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from rota.store import intake, leases, passes, retention
from rota.store.database import Connection
from tests.support import interleave
from tests.support.runs import START, World, at, place

DAY = 86400


@pytest.fixture
def pg(pg_url: str) -> Iterator[World]:
    made = World(pg_url)
    yield made
    made.close()


def step_back(conn: Connection, seconds: float) -> None:
    """The clock is seen at an hour and more after this instant, then at it: a pass begins."""
    passes.watch_clock(conn, at(seconds + 7200))
    passes.watch_clock(conn, at(seconds))


def clock_pass(pg: World) -> dict[str, object]:
    found: dict[str, object] = pg.db.read(leases.recall, "clock_pass")
    return found


def test_a_slow_keeper_does_not_write_over_a_pass_that_has_just_begun(pg: World) -> None:
    """It had read the pass before; the clock goes back once more meanwhile."""
    pg.add("a")
    pg.db.call(step_back, 90000)
    slow = pg.other()
    with pg.db.transaction() as conn:
        passes.watch_clock(conn, at(0))
        late = interleave.Side(lambda: slow.call(passes.clock_slice, "n2", at(90001)))
        assert late.end() is None
    assert clock_pass(pg)["from"] == "2026-03-02T13:00:00Z"
    assert pg.db.call(passes.clock_slice, "n1", at(1)) == 0
    assert clock_pass(pg)["round"] == 2


def test_a_pass_that_begins_waits_for_the_slice_under_way(pg: World) -> None:
    pg.add("a")
    pg.db.call(step_back, 90000)
    other = pg.other()
    with pg.db.transaction() as conn:
        assert passes.clock_slice(conn, "n1", at(90001)) == 0
        begins = interleave.Side(lambda: other.call(passes.watch_clock, at(0)))
        interleave.waits(pg.db)
    begins.end()
    assert clock_pass(pg)["round"] == 1


def test_two_keepers_are_not_at_one_pass_at_once(pg: World) -> None:
    for name in "abc":
        pg.add(name)
    pg.db.call(step_back, 0)
    other = pg.other()
    with pg.db.transaction() as conn:
        assert passes.clock_slice(conn, "n1", at(1), limit=2) == 0
        assert interleave.Side(lambda: other.call(passes.clock_slice, "n2", at(1), limit=2)).end() is None
    assert clock_pass(pg)["after"] == 2
    assert other.call(passes.clock_slice, "n2", at(1), limit=2) == 0
    assert clock_pass(pg)["round"] == 2


def test_two_keepers_are_not_at_one_pass_of_zone_data_at_once(pg: World) -> None:
    for version in ("2026a", "2026b"):
        pg.db.call(passes.watch_zone_data, version)
    for name in "abc":
        pg.add(name)
    other = pg.other()
    with pg.db.transaction() as conn:
        assert passes.zone_slice(conn, "2026b", at(1), limit=2) == 0
        assert interleave.Side(lambda: other.call(passes.zone_slice, "2026b", at(1), limit=2)).end() is None
    assert other.call(passes.zone_slice, "2026b", at(1), limit=2) == 0
    assert other.call(passes.zone_slice, "2026b", at(1), limit=2) is None


def test_the_newest_zone_data_is_kept_whoever_starts_last(pg: World) -> None:
    pg.db.call(passes.watch_zone_data, "2026a")
    other = pg.other()
    with pg.db.transaction() as conn:
        assert passes.watch_zone_data(conn, "2026c") is True
        older = interleave.Side(lambda: other.call(passes.watch_zone_data, "2026b"))
        interleave.waits(pg.db)
    assert older.end() is False
    assert pg.db.read(passes.newest_zone_data) == "2026c"


def test_a_key_that_is_taken_over_while_its_last_run_goes_stays_taken(pg: World) -> None:
    a = pg.add("a")
    (old,) = pg.place(a, flight="k")
    pg.end(pg.claim()[0])
    other = pg.other()
    with pg.db.transaction() as conn:
        (fresh,) = place(conn, a, [at(60)], at(2 * DAY), flight="k")
        tidy = interleave.Side(lambda: other.call(retention.runs, START + timedelta(days=1), 0, 0, 100))
        interleave.waits(pg.db)
    assert tidy.end().deleted == 1
    assert pg.rows("SELECT id FROM {runs}") == [{"id": fresh}]
    assert pg.rows("SELECT flight, run_id FROM {flights}") == [{"flight": "k", "run_id": fresh}]
    assert pg.db.read(intake.key_states, ["k"])["k"].holder == fresh != old
