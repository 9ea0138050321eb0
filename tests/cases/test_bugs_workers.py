"""Reports about carrying runs out, from bugs.jsonl: leases, zombies, cancels, slow handlers. By single turns."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest

from rota.app.records import Run
from rota.engine.context import Context
from rota.errors import DatabaseUnavailable
from rota.model.settlement import Settlement
from rota.store import dialect, nodes, settlements
from tests.support.crashing import BEFORE, Killer, Order
from tests.support.faults import losing
from tests.support.postgres import until
from tests.support.world import Machine, World
from tests.unit.engine import invoke_handlers


@pytest.fixture
def world(store_url: str) -> Iterator[World]:
    made = World(store_url)
    yield made
    made.close()


class Gate:
    """A handler that waits until the test lets it go, in each of the ways in which a handler can be slow."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.started: list[int] = []

    def job(self, how: str) -> Callable[..., Any]:
        def thread(ctx: Context) -> str:
            return self.wait(ctx)

        async def blocking(ctx: Context) -> str:
            return self.wait(ctx)

        async def waiting(ctx: Context) -> str:
            self.started.append(ctx.token)
            while not self.gate.is_set():
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(asyncio.Event().wait(), 0.01)
            return f"token {ctx.token}"

        return {"thread": thread, "blocking": blocking, "waiting": waiting}[how]

    def wait(self, ctx: Context) -> str:
        self.started.append(ctx.token)
        self.gate.wait(60)
        return f"token {ctx.token}"


@pytest.fixture
def gate() -> Iterator[Gate]:
    made = Gate()
    yield made
    made.gate.set()


def slow(world: World, gate: Gate, how: str = "thread", **fields: Any) -> None:
    """A schedule `a` of the job `slow`, due at 12:01."""
    world.app.job(gate.job(how), name="slow")
    world.app.prepare()
    world.add("a", job="slow", **fields)
    world.at("12:01")


def only(world: World, name: str = "a") -> Run:
    (run,) = world.app.runs.list(schedule=name)
    return run


@pytest.mark.parametrize("how", ["thread", "blocking", "waiting"])
def test_bug_118_a_slow_job_starves_nobody(world: World, gate: Gate, how: str) -> None:
    """A is due every 5 s, B runs for a minute: A is planned at its time and starts at once."""
    slow(world, gate, how)
    world.add("quick", "*/5 * * * * *")
    machine = world.machine()
    machine.turn()
    machine.work_but(1)
    for _ in range(12):
        world.clock.on(seconds=5)
        machine.turn()
        machine.work_but(1)
    found = list(world.app.runs.list(schedule="quick"))[:12]
    assert {run.state for run in found} == {"succeeded"}
    assert {run.created_at - run.scheduled_for for run in found if run.scheduled_for} == {timedelta(0)}
    assert {run.started_at for run in found} == {run.scheduled_for for run in found}
    assert only(world).state == "running"
    gate.gate.set()
    machine.finish()


@pytest.mark.parametrize(("on_lost", "state"), [("retry", "queued"), ("fail", "lost")])
def test_bug_119_a_killed_workers_run_moves_on(world: World, gate: Gate, on_lost: str, state: str) -> None:
    slow(world, gate, on_lost=on_lost)
    killed, other = world.machine("killed"), world.machine("other")
    killed.turn()
    killed.claim()
    assert only(world).state == "running"
    assert world.pass_lease(other) == ["killed"]
    other.keep()
    assert (only(world).state, only(world).attempt) == (state, 0 if state == "queued" else 1)
    gate.gate.set()
    world.settle_down(other)
    world.go(world.at("12:02"), other)
    last = "succeeded" if on_lost == "retry" else "lost"
    assert world.runs() == [("03-01 12:01", last), ("03-01 12:02", "succeeded")]


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.full)])
def test_bug_121_a_sweep_that_dies_is_swept_by_another(world: World, gate: Gate, step: int) -> None:
    """A node is killed before one commit of its sweep after the other; whoever sweeps next finds and moves everything."""
    slow(world, gate, overlap="allow")
    gate.gate.set()
    other = world.machine("other")
    killer = Killer("tests.support.sweeping")
    killed = 0
    for nth in range(6, 90, step):
        world.settle_down(other)
        world.clock.on(minutes=1)
        dead = world.machine(f"dead{nth}")
        dead.turn()
        dead.claim()
        survived = killer.survives(Order("tests.support.sweeping:sweep", world.url, world.now.isoformat(), nth, BEFORE))
        world.clock.on(minutes=1)
        world.pass_lease(other)

        def over() -> bool:
            """A sweep passes over rows that the killed one's session still holds; the server ends it in a moment."""
            other.keep()
            world.settle_down(other)
            return not world.app.runs.page(state=("running", "queued")).items

        assert until(over, 10)
        killed += not survived
        if survived:
            break
    killer.close()
    assert killed >= 12 // step


def test_bug_122_a_restarted_worker_is_another_node(world: World, gate: Gate) -> None:
    """The same host, a fresh start within the lease; then a worker's row is deleted by hand."""
    slow(world, gate)
    first, second = world.machine(nodes.fresh_id()), world.machine(nodes.fresh_id())
    (one, two) = world.app.nodes.list()
    assert (one.host, one.pid) == (two.host, two.pid)
    first.turn()
    first.claim()
    assert world.pass_lease(second) == [first.node]
    assert only(world).state == "queued"
    second.turn()
    second.claim()
    assert (only(world).state, only(world).node) == ("running", second.node)
    third = world.machine(nodes.fresh_id())
    world.db.call(dialect.execute, "DELETE FROM {nodes} WHERE id = %s", [second.node])
    assert third.keep().moved == [only(world).id]
    gate.gate.set()
    world.settle_down(third)
    assert (only(world).state, only(world).result) == ("succeeded", "token 3")


def frozen(world: World, gate: Gate) -> tuple[Machine, Machine, Run]:
    """A worker froze while its code ran, was fenced, and another has finished its run."""
    slow(world, gate)
    zombie, other = world.machine("zombie"), world.machine("other")
    zombie.turn()
    zombie.claim()
    assert world.pass_lease(other) == ["zombie"]
    other.keep()
    other.turn()
    other.claim()
    gate.gate.set()
    other.finish()
    return zombie, other, only(world)


def test_bug_124_a_zombie_changes_nothing(world: World, gate: Gate) -> None:
    zombie, other, run = frozen(world, gate)
    assert (run.state, run.result, run.node) == ("succeeded", "token 2", "other")
    assert zombie.finish() == 0
    assert zombie.worker.totals.stale == 1
    assert zombie.beat() is False
    assert zombie.node != "zombie"
    assert (only(world), gate.started) == (run, [1, 2])
    assert world.events("run.succeeded", "run.failed", "run.lost") == ["run.succeeded"]
    assert other.beat()


def test_bug_124_a_zombie_is_told_to_stop(world: World, gate: Gate) -> None:
    """It renews before its code has ended: it is fenced, its code is asked to stop, and it goes on under a fresh id."""
    slow(world, gate, "waiting")
    zombie, other = world.machine("zombie"), world.machine("other")
    zombie.turn()
    zombie.claim()
    assert world.pass_lease(other) == ["zombie"]
    other.keep()
    assert zombie.beat() is False
    zombie.finish()
    assert (only(world).state, zombie.worker.in_hands) == ("queued", frozenset())
    gate.gate.set()
    world.settle_down(zombie)
    assert (only(world).state, only(world).node) == ("succeeded", zombie.node)


def test_bug_125_final_is_final(world: World, gate: Gate) -> None:
    """A run has succeeded; then come a sweep, a shutdown, a fence, and every late settlement there is."""
    slow(world, gate)
    machine, other = world.machine(), world.machine("other")
    machine.turn()
    machine.claim()
    (hand,) = machine.worker.held
    gate.gate.set()
    machine.finish()
    run = only(world)
    machine.worker.give_up(hand, "its process ended before it stopped")
    machine.claim()
    world.pass_lease(other)
    other.keep()
    for state in ("failed", "lost", "cancelled", "queued", "succeeded"):
        for token in (0, 1, 2):
            late = Settlement(run.id, token, state, admit_at=world.now if state == "queued" else None)
            assert world.db.call(settlements.settle, [late], world.now, "other") == set()
    assert only(world) == run
    assert world.events("run.succeeded", "run.failed", "run.lost", "run.cancelled") == ["run.succeeded"]


def test_bug_127_a_completion_that_cannot_be_written_is_written_later(world: World, gate: Gate) -> None:
    slow(world, gate)
    machine = world.machine()
    machine.turn()
    machine.claim()
    gate.gate.set()
    for _ in range(3):
        with losing(machine.db, 1, r"UPDATE \S*runs\b") as fault, pytest.raises(DatabaseUnavailable):
            machine.finish()
        assert fault.struck
        assert (only(world).state, machine.beat()) == ("running", True)
    assert machine.finish() == 1
    assert (only(world).state, only(world).attempt) == ("succeeded", 1)
    assert world.events("run.succeeded") == ["run.succeeded"]
    world.go(world.at("12:02"), machine)
    assert world.fired() == ["03-01 12:01", "03-01 12:02"]


def test_bug_127_an_outcome_kept_too_long_is_not_recorded_twice(world: World, gate: Gate) -> None:
    """The worker cannot write for more than a lease, nor renew: another carries the run out, the late word is void."""
    slow(world, gate)
    blind, other = world.machine("blind"), world.machine("other")
    blind.turn()
    blind.claim()
    gate.gate.set()
    with losing(blind.db, 1, r"UPDATE \S*runs\b"), pytest.raises(DatabaseUnavailable):
        blind.finish()
    assert world.pass_lease(other) == ["blind"]
    other.keep()
    world.settle_down(other)
    assert blind.finish() == 0
    assert (only(world).state, only(world).node) == ("succeeded", "other")
    assert world.events("run.succeeded") == ["run.succeeded"]


@pytest.mark.parametrize("how", ["thread", "waiting"])
def test_bug_132_a_cancelled_run_is_running_until_its_code_ends(world: World, gate: Gate, how: str) -> None:
    """The thread does not look at its flag: it goes on, and so does its run. The coroutine gets CancelledError."""
    slow(world, gate, how)
    machine = world.machine()
    machine.turn()
    machine.claim()
    asked = world.app.runs.cancel(only(world).id)
    assert (asked.state, asked.cancelling) == ("running", True)
    world.do(machine.worker.watch_cancels())
    if how == "thread":
        machine.claim()
        assert (only(world).state, only(world).cancelling) == ("running", True)
        gate.gate.set()
    machine.finish()
    stands = "succeeded" if how == "thread" else "cancelled"  # code that ran to its end has a result, and it stands
    assert (only(world).state, only(world).cancelling) == (stands, False)


def test_bug_132_a_thread_may_look_at_its_flag(world: World) -> None:
    world.app.job(invoke_handlers.cooperates, name="slow")
    world.app.prepare()
    world.add("a", job="slow")
    machine = world.machine()
    world.at("12:01")
    machine.turn()
    machine.claim()
    world.app.runs.cancel(only(world).id)
    world.do(machine.worker.watch_cancels())
    machine.finish()
    assert only(world).state == "cancelled"


def test_bug_132_a_process_that_ignores_it_is_killed(world: World) -> None:
    world.app.job(invoke_handlers.ignores_sigterm, name="slow", isolated=True)
    world.app.prepare()
    world.add("a", job="slow")
    machine = world.machine()
    world.at("12:01")
    machine.turn()
    machine.claim()
    world.app.runs.cancel(only(world).id)
    world.do(machine.worker.watch_cancels())
    assert only(world).state == "running"
    machine.finish()
    assert (only(world).state, only(world).cancelling) == ("cancelled", False)
