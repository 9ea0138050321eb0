"""Overlap: schedules of every policy share keys; a model of document 2 says what each occurrence becomes."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from rota.model.run import Claimed, Failed, Succeeded
from rota.store import cancels
from rota.store.database import Database
from tests.modelbased.conftest import Prove, Worlds
from tests.support import laws, seed
from tests.support.hands import START, HandClock
from tests.support.steps import ME, Steps

QUEUE_MAX = 2
SCHEDULES: dict[str, dict[str, Any]] = {
    "skip": {"overlap": "skip", "single_flight": "k"},
    "one": {"overlap": "queue_one", "single_flight": "k"},
    "all": {"overlap": "queue_all", "single_flight": "k", "queue_max": QUEUE_MAX},
    "replace": {
        "overlap": "replace",
        "single_flight": "k",
        "retry": {"attempts": 2, "backoff": "fixed", "base": "90s"},
    },
    "allow": {"overlap": "allow", "single_flight": "k"},
    "own": {"overlap": "queue_one"},
}
EACH = len(SCHEDULES)


@dataclass
class Key:
    """Who holds a key and who waits for it, in order."""

    holder: int | None = None
    waiting: list[int] = field(default_factory=list)


class Overlap(RuleBasedStateMachine):
    """Each minute exactly one schedule is due, so that the model knows in which order they come."""

    worlds: Worlds

    def __init__(self) -> None:
        super().__init__()
        self.world: AbstractContextManager[str] = self.worlds()
        self.clock = HandClock()
        self.db = Database(self.world.__enter__(), clock=self.clock, synchronous="OFF")
        self.steps = Steps(self.db, self.clock)
        self.watch = laws.Watch()
        self.shared, self.own = Key(), Key()
        self.asked: set[int] = set()
        self.final: set[int] = set()
        self.hands: list[Claimed] = []

    def teardown(self) -> None:
        """Nobody waits for ever once everything is final and admitted."""
        try:
            if self.hands:
                self.steps.settle([self.steps.decide(run, Succeeded()) for run in self.hands], "n1")
            self.steps.to_the_end("n1", seconds=100)
            facts = self.watch.look(self.db)
            faults = laws.broken(facts, self.watch.spans) + laws.unfinished(facts)
            assert not faults, "\n".join(faults)
        finally:
            self.db.close()
            self.world.__exit__(None, None, None)

    @initialize()
    def begin(self) -> None:
        self.steps.join("n1")
        for number, (name, given) in enumerate(SCHEDULES.items()):
            self.db.call(seed.schedules, START, [name], f"{number}-59/{EACH} * * * *", **given)

    @rule()
    def fire(self) -> None:
        """The next minute comes, and its schedule."""
        now = self.clock.on(minutes=1)
        name = list(SCHEDULES)[now.minute % EACH]
        before = {run["id"] for run in self.facts().runs}
        self.steps.fire()
        fresh = [run for run in self.facts().runs if run["id"] not in before]
        assert len(fresh) <= 1
        place = "skip" if not fresh else "wait" if fresh[0]["waiting"] else "start"
        run = fresh[0]["id"] if fresh else 0
        key = self.own if name == "own" else self.shared
        assert place == self.expected(name, key), (name, key)
        if name != "allow" and place != "skip":
            self.placed(name, key, place, run)

    @staticmethod
    def expected(name: str, key: Key) -> str:
        """Document 2: a free key is taken; where runs wait for a free one the first of them counts as its holder."""
        behind = len(key.waiting) - (key.holder is None)
        if name == "allow" or (key.holder is None and not key.waiting):
            return "start"
        if name in ("one", "own"):
            return "wait" if behind == 0 else "skip"
        if name == "all":
            return "wait" if behind < QUEUE_MAX else "skip"
        if name == "replace":
            return "wait" if key.holder is not None else "start"
        return "skip"

    def placed(self, name: str, key: Key, place: str, run: int) -> None:
        if name == "replace":
            self.final.update(key.waiting)
            key.waiting.clear()
            if key.holder is not None:
                self.asked.add(key.holder)
        if place == "wait":
            key.waiting.append(run)
        else:
            key.holder = run

    @rule(seconds=st.sampled_from([1, 30]))
    def admit(self, seconds: int) -> None:
        for key in (self.shared, self.own):
            if key.holder is not None and key.holder in self.asked and self.row(key.holder)["state"] == "queued":
                self.ended(key.holder)
        self.steps.admit()
        for key in (self.shared, self.own):
            if key.holder is None and key.waiting:
                key.holder = key.waiting.pop(0)

    @rule(limit=st.integers(1, 3))
    def claim(self, limit: int) -> None:
        taken = self.steps.claim("n1", limit)
        assert not {run.id for run in taken} & (self.asked | self.final)
        self.hands += taken
        for key in (self.shared, self.own):
            if key.holder in self.asked and self.row(key.holder)["state"] == "cancelled":
                self.ended(key.holder)

    @rule(data=st.data(), fails=st.booleans())
    @precondition(lambda self: self.hands)
    def settle(self, data: st.DataObject, fails: bool) -> None:
        run = self.hands.pop(data.draw(st.integers(0, len(self.hands) - 1)))
        outcome = Failed("E", "no", ("E",)) if fails else Succeeded()
        assert self.steps.settle([self.steps.decide(run, outcome)], "n1") == {run.id}
        row = self.row(run.id)
        if fails and run.id in self.asked:
            assert row["state"] == "cancelled"
        if row["state"] != "queued":
            self.ended(run.id)

    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        queued = [run["id"] for run in self.facts().runs if run["state"] == "queued"]
        if queued:
            run = data.draw(st.sampled_from(queued))
            self.db.call(cancels.request_cancel, run, "cancel", ME, self.clock.now())
            self.ended(run)

    def ended(self, run: int) -> None:
        self.final.add(run)
        for key in (self.shared, self.own):
            if key.holder == run:
                key.holder = None
            if run in key.waiting:
                key.waiting.remove(run)

    def facts(self) -> laws.Facts:
        return self.db.read(laws.Facts.read)

    def row(self, run: int | None) -> laws.Row:
        return next(row for row in self.facts().runs if row["id"] == run)

    @invariant()
    def look(self) -> None:
        facts = self.watch.look(self.db)
        faults = laws.unruly(facts)
        assert not faults, "\n".join(faults)
        waiting = [run["id"] for run in facts.runs if run["waiting"]]
        assert waiting == sorted(self.shared.waiting + self.own.waiting)
        assert len(self.own.waiting) <= 2
        alive = {run["id"] for run in facts.runs if run["flight"] and run["state"] in ("queued", "running")}
        assert alive - set(waiting) == {key.holder for key in (self.shared, self.own)} - {None}
        assert all(run["state"] not in ("queued", "running") for run in facts.runs if run["id"] in self.final)


def machine(worlds_: Worlds) -> type[Overlap]:
    class On(Overlap):
        worlds = staticmethod(worlds_)

    return On


def test_overlap(sqlite_worlds: Worlds, prove: Prove) -> None:
    prove(machine(sqlite_worlds), share=0.2)


@pytest.mark.full
def test_overlap_on_postgresql(postgresql_worlds: Worlds, prove: Prove) -> None:
    prove(machine(postgresql_worlds), share=0.2)
