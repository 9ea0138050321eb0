"""The reader of the laws sees each kind of breach: what it does not see, no crash test would."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta

import pytest

from rota.store import dialect
from rota.store.database import Database
from tests.support import laws, seed
from tests.support.hands import START, HandClock
from tests.support.steps import Steps


@pytest.fixture
def steps(sqlite_url: str) -> Iterator[Steps]:
    """One run is running, one waits for it, one may start, one is done; two occurrences were decided without a run."""
    clock = HandClock()
    database = Database(sqlite_url, clock=clock, synchronous="OFF")
    made = Steps(database, clock)
    with closing(database):
        made.join("n1")
        database.call(seed.schedules, START, ["a"], overlap="queue_one")
        database.call(seed.schedules, START, ["b"], overlap="allow")
        clock.on(minutes=2)
        made.turn()
        made.work("n1", limit=1)
        made.claim("n1", 1)
        for _ in range(3):
            clock.on(minutes=1)
            made.turn()
        yield made


def test_the_world_is_lawful(steps: Steps) -> None:
    facts = laws.check(steps.db)
    assert {run["state"] for run in facts.runs} == {"queued", "running", "succeeded"}
    assert any(run["waiting"] for run in facts.runs)
    assert len(facts.ready) > 0
    assert len(facts.decisions) > 1
    with pytest.raises(AssertionError, match="is still running"):
        laws.check(steps.db, over=True)


BREACHES = {
    "DELETE FROM {decisions} WHERE what = 'coalesced'": "0 runs and 0 decisions",
    "DELETE FROM {runs} WHERE state = 'succeeded'": "0 runs and 0 decisions",
    "INSERT INTO {decisions} (schedule_id, after_at, until_at, what, revision, node, at)"
    " SELECT schedule_id, after_at, until_at, what, revision, node, at FROM {decisions}": "2 decisions",
    "UPDATE {decisions} SET until_at = until_at + 3600000000": "with the watermark at",
    "UPDATE {runs} SET scheduled_for = scheduled_for + 1000000 WHERE state = 'succeeded'": "is no decided occurrence",
    "UPDATE {cursors} SET due_at = due_at + 60000000": "its next occurrence is",
    "UPDATE {cursors} SET due_at = NULL": "due at None",
    "DELETE FROM {claims}": "its row in claims is None",
    "UPDATE {claims} SET token = 9": "claimed as",
    "DELETE FROM {ready}": "nothing will ever start it",
    "UPDATE {ready} SET run_id = run_id + 4711": "which is not there",
    "UPDATE {runs} SET waiting = 0": "is held by runs",
    "UPDATE {runs} SET flight = NULL WHERE waiting": "waits for no key",
    "DELETE FROM {flights}": "flights names None",
    "UPDATE {runs} SET state = 'running', token = 1, attempt = 1, started_at = 1 WHERE state = 'queued' AND NOT waiting": (
        "may start although it runs"
    ),
    "UPDATE {runs} SET finished_at = NULL": "finished at None",
}


@pytest.mark.parametrize("breach", BREACHES)
def test_a_breach_is_seen(steps: Steps, breach: str) -> None:
    assert steps.db.call(dialect.execute, breach) > 0
    with pytest.raises(AssertionError, match=BREACHES[breach]):
        laws.check(steps.db)


@pytest.mark.parametrize(
    ("breach", "said"),
    [
        ("UPDATE {cursors} SET watermark = watermark - 1", "the watermark fell"),
        ("UPDATE {runs} SET state = 'failed' WHERE state = 'succeeded'", "was final and changed"),
        ("UPDATE {runs} SET token = token - 1 WHERE state = 'running'", "its token fell"),
    ],
)
def test_what_only_grows_is_watched(steps: Steps, breach: str, said: str) -> None:
    watch = laws.Watch()
    watch.look(steps.db)
    steps.db.call(dialect.execute, breach)
    with pytest.raises(AssertionError, match=said):
        watch.look(steps.db)


def test_time_spent_disabled_has_no_disposition(steps: Steps) -> None:
    from rota.store import schedules
    from tests.support.steps import ME

    steps.db.call(schedules.disable, 1, ME)
    steps.clock.on(hours=1)
    steps.db.call(schedules.enable, 1, ME)
    steps.clock.on(minutes=1)
    steps.turn()
    facts = laws.check(steps.db)
    spans = [span for span in laws.recorded_spans(facts) if span.schedule_id == 1]
    assert [span.until - span.after for span in spans] == [timedelta(minutes=5), timedelta(minutes=1)]
