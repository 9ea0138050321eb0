"""Schedules under every act, every policy and a clock that goes both ways: laws 1, 2 and 9, watermarks that only grow."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from rota.errors import Conflict, InvalidValue, InvalidWhen, NotFound
from rota.model.run import Failed, Succeeded
from rota.model.schedule import Key
from rota.store import backfill, edits, manual, schedules, skips
from rota.store.database import Database
from tests.modelbased.conftest import Prove, Worlds
from tests.support import laws
from tests.support.hands import HandClock
from tests.support.steps import ME, Steps

NAMES = ("a", "b", "c")
WHENS = ("* * * * *", "*/7 * * * *", "30 2 * * *", "15 */2 * * *", "every 90s", "@hourly")
BEGINNINGS = (
    datetime(2026, 3, 28, 23, 50, tzinfo=UTC),
    datetime(2026, 10, 24, 22, 50, tzinfo=UTC),
    datetime(2026, 5, 1, tzinfo=UTC),
)
TIMINGS = st.fixed_dictionaries(
    {"when": st.sampled_from(WHENS)},
    optional={
        "timezone": st.sampled_from(["UTC", "Europe/Stockholm", "America/New_York"]),
        "dst_overlap": st.sampled_from(["auto", "first", "both"]),
        "on_edit": st.sampled_from(["skip", "catchup"]),
    },
)
POLICIES = st.fixed_dictionaries(
    {},
    optional={
        "catchup": st.sampled_from(["latest", "earliest", "all", "none"]),
        "catchup_max": st.sampled_from([1, 3, 20]),
        "catchup_window": st.sampled_from([None, "5m", "2h"]),
        "grace": st.sampled_from([None, "1m", "1h"]),
        "jitter": st.sampled_from([None, "20s"]),
        "overlap": st.sampled_from(["skip", "queue_one", "queue_all", "replace", "allow"]),
        "queue_max": st.sampled_from([1, 3]),
        "single_flight": st.sampled_from([None, "k"]),
        "on_resume": st.sampled_from(["skip", "catchup"]),
        "disable_after": st.sampled_from([None, 1, 2]),
        "probe_after": st.sampled_from([None, "10m"]),
    },
)
FORWARD = st.sampled_from([1, 20, 60, 61, 7 * 60, 65 * 60, 5 * 3600, 2 * 86400])
BACKWARD = st.sampled_from([1, 59, 300, 3000, 3 * 3600, 30 * 3600])
NAME = st.sampled_from(NAMES)
EXPECTED = (Conflict, NotFound, InvalidValue, InvalidWhen)


def key(name: str) -> Key:
    return Key("default", "default", "default", name)


class Schedules(RuleBasedStateMachine):
    """The model is small on purpose: what an act must have made of the state, and the laws, which `Watch` reads."""

    worlds: Worlds

    def __init__(self) -> None:
        super().__init__()
        self.world: AbstractContextManager[str] = self.worlds()
        self.clock = HandClock()
        self.db = Database(self.world.__enter__(), clock=self.clock, synchronous="OFF")
        self.steps = Steps(self.db, self.clock)
        self.watch = laws.Watch()
        self.facts: laws.Facts | None = None

    def teardown(self) -> None:
        try:
            facts = self.watch.look(self.db)
            faults = laws.undisposed(facts, self.watch.spans) + laws.out_of_place(facts, self.watch.spans)
            assert not faults, "\n".join(faults)
        finally:
            self.db.close()
            self.world.__exit__(None, None, None)

    @initialize(beginning=st.sampled_from(BEGINNINGS), timing=TIMINGS, policies=POLICIES)
    def begin(self, beginning: datetime, timing: dict[str, Any], policies: dict[str, Any]) -> None:
        self.clock.set(beginning)
        self.steps.join("n1")
        for name in NAMES:
            self.do(edits.put, key(name), timing | policies | {"job": "noop"}, ME)

    def do(self, op: Callable[..., Any], *args: Any, **kwargs: Any) -> bool:
        """Whether the act was accepted."""
        try:
            self.db.call(op, *args, **kwargs)
        except EXPECTED as error:
            note(f"refused: {error}")
            return False
        return True

    def cursor(self, name: str) -> laws.Row:
        row = self.db.read(schedules.row_of, key(name))
        assert row is not None
        return self.db.read(laws.Facts.read).cursors[row["id"]]

    # --- time ---

    @rule(seconds=FORWARD)
    def goes_on(self, seconds: int) -> None:
        self.clock.on(seconds=seconds)

    @rule(seconds=BACKWARD)
    def goes_back(self, seconds: int) -> None:
        self.clock.on(seconds=-seconds)

    @rule(scheduler=st.sampled_from(["s1", "s2"]), seconds=st.sampled_from([0, 0, 60, 7 * 60]))
    def fire(self, scheduler: str, seconds: int) -> None:
        self.clock.on(seconds=seconds)
        self.steps.fire(scheduler)

    @rule()
    def admit(self) -> None:
        self.steps.admit()

    @rule(fails=st.booleans(), limit=st.sampled_from([1, 5]))
    def work(self, fails: bool, limit: int) -> None:
        self.steps.work("n1", lambda run: Failed("E", "no", ("E",)) if fails else Succeeded(), limit)

    # --- acts ---

    @rule(name=NAME, timing=TIMINGS)
    def edit_the_timing(self, name: str, timing: dict[str, Any]) -> None:
        self.do(edits.update, key(name), timing, ME)

    @rule(name=NAME, policies=POLICIES)
    def edit_something_else(self, name: str, policies: dict[str, Any]) -> None:
        before = self.cursor(name)
        if self.do(edits.update, key(name), policies | {"note": str(policies)}, ME):
            after = self.cursor(name)
            same = ("watermark", "next_at", "due_at", "state", "paused_until", "cut_until")
            assert [after[n] for n in same] == [before[n] for n in same]

    @rule(name=NAME, timing=TIMINGS)
    def edit_twice(self, name: str, timing: dict[str, Any]) -> None:
        """Law 9: the second time nothing changes."""
        if self.do(edits.update, key(name), timing, ME):
            self.look()
            before = self.db.read(laws.Facts.read)
            assert self.do(edits.update, key(name), timing, ME)
            assert self.db.read(laws.Facts.read) == before

    @rule(name=NAME, minutes=st.sampled_from([None, 1, 10, 90]))
    def pause(self, name: str, minutes: int | None) -> None:
        until = None if minutes is None else self.clock.now() + timedelta(minutes=minutes)
        if self.do(schedules.pause, key(name), ME, until=until):
            assert (self.cursor(name)["state"], self.cursor(name)["paused_until"]) == ("paused", until)

    @rule(name=NAME)
    def resume(self, name: str) -> None:
        if self.do(schedules.resume, key(name), ME):
            assert self.cursor(name)["state"] in ("active", "done")

    @rule(name=NAME)
    def disable(self, name: str) -> None:
        before = self.cursor(name)["state"]
        if self.do(schedules.disable, key(name), ME):
            assert self.cursor(name)["state"] == "disabled"
            assert before == "disabled" or self.cursor(name)["watermark"] >= self.clock.now()

    @rule(name=NAME)
    def enable(self, name: str) -> None:
        if self.do(schedules.enable, key(name), ME):
            assert self.cursor(name)["state"] in ("active", "paused", "done")

    @rule(name=NAME)
    def remove(self, name: str) -> None:
        if self.do(schedules.remove, key(name), ME):
            assert self.cursor(name)["state"] == "removed"

    @rule(name=NAME, timing=TIMINGS, policies=POLICIES)
    def add_again(self, name: str, timing: dict[str, Any], policies: dict[str, Any]) -> None:
        before = self.cursor(name)
        if self.do(edits.add, key(name), timing | policies | {"job": "noop"}, ME):
            after = self.cursor(name)
            assert (before["state"], after["schedule_id"]) == ("removed", before["schedule_id"])
            assert after["revision"] == before["revision"] + 1

    @rule(name=NAME, n=st.integers(1, 3))
    def skip(self, name: str, n: int) -> None:
        cursor = self.cursor(name)
        definition = self.db.read(laws.Facts.read).definitions[cursor["definition_id"]]
        at = laws.rule_of(definition).upcoming(max(cursor["watermark"], self.clock.now()), n)[-1]
        self.do(skips.skip, key(name), at, ME)

    @rule(name=NAME, minutes=st.sampled_from([3, 30, 200]))
    def backfill(self, name: str, minutes: int) -> None:
        start = self.clock.now() - timedelta(minutes=minutes)
        asked = backfill.Backfilling(start, start + timedelta(minutes=10), timedelta(days=90))
        self.do(backfill.backfill, key(name), asked, ME)

    @rule(name=NAME)
    def run_now(self, name: str) -> None:
        self.do(manual.request_run, key(name), manual.Request(), ME)

    @invariant()
    def look(self) -> None:
        facts = self.watch.look(self.db)
        faults = laws.unruly(facts) + laws.unarmed(facts)
        assert not faults, "\n".join(faults)


def machine(worlds_: Worlds) -> type[Schedules]:
    class On(Schedules):
        worlds = staticmethod(worlds_)

    return On


def test_schedules(sqlite_worlds: Worlds, prove: Prove) -> None:
    prove(machine(sqlite_worlds), share=0.2)


@pytest.mark.full
def test_schedules_on_postgresql(postgresql_worlds: Worlds, prove: Prove) -> None:
    prove(machine(postgresql_worlds), share=0.2)
