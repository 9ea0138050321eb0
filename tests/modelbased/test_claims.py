"""Claims and tokens: whatever two nodes do in whatever order, a run has one live claim and ends once (laws 5 and 12)."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from rota.model.run import Cancelled, Claimed, Failed, Interrupted, Outcome, Succeeded, TimedOut
from rota.model.settlement import Settlement
from rota.store import cancels, jobs, nodes, orders, repair
from rota.store.database import Database
from tests.modelbased.conftest import Prove, Worlds
from tests.support import laws
from tests.support.hands import HandClock
from tests.support.steps import ME, Steps

FAILED = Failed("ValueError", "no", ("ValueError",))
WAIT = timedelta(seconds=10)
JOBS: dict[str, dict[str, Any]] = {
    "plain": {},
    "stubborn": {"retry": {"attempts": 3, "backoff": "fixed", "base": "10s"}},
    "once": {"on_lost": "fail"},
    "fragile": {"max_lost": 1},
}
OUTCOMES: dict[str, Outcome] = {
    "succeeded": Succeeded("1"),
    "failed": FAILED,
    "timeout": TimedOut(timedelta(seconds=1)),
    "stuck": TimedOut(timedelta(seconds=1), stopped=False),
    "interrupted": Interrupted(),
    "cancelled": Cancelled(),
}


@dataclass
class Model:
    """What a run should be."""

    job: str
    priority: int
    state: str = "queued"
    ready: bool = True
    admit_at: datetime | None = None
    token: int = 0
    attempt: int = 0
    lost: int = 0
    node: str | None = None
    cancel: bool = False

    def again(self, admit_at: datetime, *, counts: bool) -> None:
        self.state, self.admit_at, self.node = "queued", admit_at, None
        self.attempt -= not counts

    def end(self, outcome: str, now: datetime) -> None:
        attempts = 3 if self.job == "stubborn" else 1
        if outcome == "interrupted":
            if self.cancel:
                self.state = "cancelled"
                self.attempt -= 1
            elif self.job == "once":
                self.state = "lost"
            else:
                self.again(now, counts=False)
        elif outcome in ("failed", "timeout", "stuck"):
            if self.cancel:
                self.state = "cancelled"
            elif self.attempt < attempts and outcome != "stuck":
                self.again(now + WAIT, counts=True)
            else:
                self.state = "failed"
        else:
            self.state = outcome

    def lose(self, now: datetime) -> None:
        self.lost += 1
        if self.cancel:
            self.state = "cancelled"
        elif self.job == "once" or self.lost > (1 if self.job == "fragile" else 3):
            self.state = "lost"
        else:
            self.again(now, counts=False)


class Claims(RuleBasedStateMachine):
    worlds: Worlds

    def __init__(self) -> None:
        super().__init__()
        self.world: AbstractContextManager[str] = self.worlds()
        self.clock = HandClock()
        self.db = Database(self.world.__enter__(), clock=self.clock, synchronous="OFF")
        self.steps = Steps(self.db, self.clock)
        self.watch = laws.Watch()
        self.runs: dict[int, Model] = {}
        self.hands: list[tuple[str, Claimed]] = []
        self.stale: list[Claimed] = []
        self.names = 0
        self.live: list[str] = []

    def teardown(self) -> None:
        self.db.close()
        self.world.__exit__(None, None, None)

    @initialize()
    def begin(self) -> None:
        rows = [jobs.JobRow(name, "python", defaults=given) for name, given in JOBS.items()]
        self.db.call(jobs.register, rows)
        self.join()
        self.join()

    @rule()
    @precondition(lambda self: len(self.live) < 2)
    def join(self) -> None:
        self.names += 1
        self.live.append(f"n{self.names}")
        self.steps.join(self.live[-1])

    @rule(job=st.sampled_from(sorted(JOBS)), priority=st.integers(-1, 1), again=st.booleans())
    def enqueue(self, job: str, priority: int, again: bool) -> None:
        key = f"only {job}" if again else None
        order = orders.Order(job, priority=priority, dedupe_key=key)
        run = self.db.call(orders.enqueue, order, self.clock.now(), ME)
        if run in self.runs:
            assert again
            assert self.runs[run].job == job
        else:
            self.runs[run] = Model(job, priority)

    @rule(seconds=st.sampled_from([1, 9, 10, 60]))
    def goes_on(self, seconds: int) -> None:
        self.clock.on(seconds=seconds)

    @rule(which=st.integers(0, 1), limit=st.integers(1, 4))
    def claim(self, which: int, limit: int) -> None:
        if which >= len(self.live):
            return
        node = self.live[which]
        wanted = sorted((i for i, m in self.runs.items() if m.ready), key=lambda i: (self.runs[i].priority, i))[:limit]
        taken = self.steps.claim(node, limit)
        for i in wanted:
            self.runs[i].ready = False
        assert [run.id for run in taken] == wanted
        for run in taken:
            model = self.runs[run.id]
            model.state, model.node, model.token, model.attempt = "running", node, model.token + 1, model.attempt + 1
            assert (run.token, run.attempt, run.lost) == (model.token, model.attempt, model.lost)
            self.hands.append((node, run))

    @rule(data=st.data(), count=st.integers(1, 3))
    @precondition(lambda self: self.hands)
    def settle(self, data: st.DataObject, count: int) -> None:
        """A worker ends what it has in its hands, some of which may have been taken away meanwhile."""
        wanted: list[Settlement] = []
        expected: set[int] = set()
        for _ in range(min(count, len(self.hands))):
            node, run = self.hands.pop(data.draw(st.integers(0, len(self.hands) - 1)))
            kind = data.draw(st.sampled_from(sorted(OUTCOMES)))
            wanted.append(self.steps.decide(run, OUTCOMES[kind]))
            model = self.runs[run.id]
            if model.state == "running" and model.token == run.token:
                expected.add(run.id)
                model.end(kind, self.clock.now())
            self.stale.append(run)
            assert node
        assert self.steps.settle(wanted, "any") == expected

    @rule(data=st.data(), state=st.sampled_from(["succeeded", "failed", "queued", "lost", "cancelled"]))
    @precondition(lambda self: self.stale)
    def settle_with_a_stale_token(self, data: st.DataObject, state: str) -> None:
        run = data.draw(st.sampled_from(self.stale))
        assert self.steps.settle([Settlement(run.id, run.token, state, admit_at=self.clock.now())], "any") == set()

    @rule(which=st.integers(0, 1), data=st.data())
    def hand_back(self, which: int, data: st.DataObject) -> None:
        """A worker forgot what it had claimed (the answer was lost): only what is in its hands stays."""
        if which >= len(self.live):
            return
        node = self.live[which]
        mine = [run for owner, run in self.hands if owner == node]
        kept = [run for run in mine if data.draw(st.booleans())]
        back = self.steps.hand_back(node, [(run.id, run.token) for run in kept])
        expected = {i for i, m in self.runs.items() if m.state == "running" and m.node == node} - {r.id for r in kept}
        assert set(back) == expected
        for i in back:
            self.runs[i].again(self.clock.now(), counts=False)
        gone = [run for run in mine if run not in kept]
        self.hands = [(owner, run) for owner, run in self.hands if run not in gone]
        self.stale += gone

    @rule(which=st.integers(0, 1))
    def fence(self, which: int) -> None:
        """What the node has in its hands stays there: it does not know yet."""
        if which >= len(self.live):
            return
        node = self.live.pop(which)
        seen = {node: self.db.read(nodes.beats)[node]}
        assert self.db.call(nodes.fence, seen, self.clock.now(), "keeper") == [node]
        moved = self.db.call(repair.move_on, self.clock.now(), "keeper")
        assert set(moved) == {i for i, m in self.runs.items() if m.state == "running" and m.node == node}
        for i in moved:
            self.runs[i].lose(self.clock.now())
        assert self.steps.claim(node) == []
        assert not self.db.call(nodes.renew, node, self.clock.now()).live

    @rule(data=st.data())
    @precondition(lambda self: self.runs)
    def cancel(self, data: st.DataObject) -> None:
        run = data.draw(st.sampled_from(sorted(self.runs)))
        model = self.runs[run]
        if model.state not in ("queued", "running"):
            return
        answer = self.db.call(cancels.request_cancel, run, "cancel", ME, self.clock.now())
        if model.state == "queued":
            assert answer == "cancelled"
            model.state, model.ready, model.admit_at = "cancelled", False, None
        else:
            assert answer == "running"
            model.cancel = True

    @rule()
    def admit(self) -> None:
        now = self.clock.now()
        self.steps.admit()
        for model in self.runs.values():
            if model.state != "queued":
                continue
            if model.cancel:
                model.state, model.admit_at = "cancelled", None
            elif model.admit_at is not None and model.admit_at <= now:
                model.ready, model.admit_at = True, None

    @invariant()
    def look(self) -> None:
        facts = self.watch.look(self.db)
        faults = laws.unruly(facts)
        assert not faults, "\n".join(faults)
        assert {r["run_id"] for r in facts.ready} == {i for i, m in self.runs.items() if m.ready}
        for run in facts.runs:
            model = self.runs[run["id"]]
            shown = (run["state"], run["token"], run["attempt"], run["lost"], run["admit_at"])
            assert shown == (model.state, model.token, model.attempt, model.lost, model.admit_at), run


def machine(worlds_: Worlds) -> type[Claims]:
    class On(Claims):
        worlds = staticmethod(worlds_)

    return On


def test_claims(sqlite_worlds: Worlds, prove: Prove) -> None:
    prove(machine(sqlite_worlds), share=0.2)


@pytest.mark.full
def test_claims_on_postgresql(postgresql_worlds: Worlds, prove: Prove) -> None:
    prove(machine(postgresql_worlds), share=0.2)
