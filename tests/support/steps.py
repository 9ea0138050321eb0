"""Steps of rota's loops at the instant a clock shows, for tests that put them in an order of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import Connection

from rota.engine.scheduler import Scheduler, Turned
from rota.model.by import By
from rota.model.policy import parse_policies
from rota.model.run import Claimed, Outcome, Succeeded
from rota.model.settings import Settings
from rota.model.settlement import Settlement, settle
from rota.store import cancels, claims, jobs, nodes, repair, settlements
from rota.store.database import Database
from tests.support.hands import HandClock

ME = By("me", "cli", "because")


class Steps:
    """One database under one clock: schedulers, workers and their nodes, each step when it is asked for."""

    def __init__(self, database: Database, clock: HandClock) -> None:
        self.db, self.clock = database, clock
        self._schedulers: dict[str, Scheduler] = {}

    def scheduler(self, name: str = "s1", batch: int = 1000) -> Scheduler:
        """The scheduler of this name; it remembers what it has seen."""
        if name not in self._schedulers:
            self._schedulers[name] = Scheduler(self.db, Settings(batch=batch), node=name)
        return self._schedulers[name]

    def turn(self, name: str = "s1") -> Turned:
        """One fire and one admit."""
        return asyncio.run(self.scheduler(name).turn(self.clock.now()))

    def fire(self, name: str = "s1") -> Turned:
        return self.db.call(self.scheduler(name).fire, self.clock.now())

    def admit(self, name: str = "s1") -> int:
        return self.db.call(self.scheduler(name).admit, self.clock.now()).ready

    def join(self, node: str) -> None:
        """A node's row, and the job it knows; it may claim."""
        self.db.call(jobs.register, [jobs.JobRow("noop", "python")])
        made = nodes.Node(node, ("scheduler", "worker"), None, 100, "0", "0")
        self.db.call(nodes.join, made, self.clock.now())

    def claim(self, node: str, limit: int = 100) -> list[Claimed]:
        return self.db.call(claims.claim, node, None, limit, self.clock.now())

    def decide(self, run: Claimed, outcome: Outcome) -> Settlement:
        """What the run becomes, with the cancel requests on record, as a worker decides it."""
        cancel = self.db.read(cancels.cancels_of, [run.id]).get(run.id)
        return settle(run, outcome, self.clock.now(), parse_policies(run.policies), cancel=cancel, share=0.5)

    def settle(self, wanted: Sequence[Settlement], node: str) -> set[int]:
        return self.db.call(settlements.settle, wanted, self.clock.now(), node)

    def hand_back(self, node: str, in_hands: Sequence[tuple[int, int]] = ()) -> list[int]:
        return self.db.call(claims.hand_back, node, in_hands, self.clock.now())

    def work(
        self, node: str, outcome: Callable[[Claimed], Outcome] = lambda run: Succeeded(), limit: int = 100
    ) -> list[Claimed]:
        """Claim, invoke (`outcome` says how it ends) and settle in one batch; what was claimed."""
        taken = self.claim(node, limit)
        if taken:
            self.settle([self.decide(run, outcome(run)) for run in taken], node)
        return taken

    def fence_others(self, node: str) -> list[str]:
        """The three steps of fencing, for every live node but this one."""
        seen = {name: beats for name, beats in self.db.read(nodes.beats).items() if name != node}
        fenced = self.db.call(nodes.fence, seen, self.clock.now(), node)
        self.db.call(nodes.end_sessions)
        while self.db.call(repair.move_on, self.clock.now(), node):
            pass
        return fenced

    def to_the_end(self, node: str, turns: int = 60, **step: Any) -> None:
        """Fire, admit, claim and settle as succeeded, the clock going on, until nothing is queued or running."""
        for _ in range(turns):
            self.clock.on(**(step or {"minutes": 10}))
            self.admit()
            while self.work(node):
                self.admit()
            if not self.db.read(_left):
                return
        raise AssertionError("there is no end to it")


def _left(conn: Connection) -> int:
    from rota.store import dialect

    rows = dialect.query(conn, "SELECT count(*) AS n FROM {runs} WHERE state IN ('queued', 'running')")
    return int(rows[0]["n"]) + int(dialect.query(conn, "SELECT count(*) AS n FROM {ready}")[0]["n"])
