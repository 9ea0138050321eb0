"""Executions of Python handlers in this process: tasks and threads."""

from __future__ import annotations

import asyncio
import json
import threading
from datetime import timedelta
from typing import Any

import pytest

from rota.clock import SystemClock
from rota.engine.invoke import Execution
from rota.engine.loops import HandlerLoops
from rota.engine.outcome import Limits
from rota.engine.registry import python_job
from rota.model.run import Cancelled, Failed, Interrupted, Succeeded, TimedOut, UnknownJob
from tests.unit.engine import invoke_handlers as h
from tests.unit.engine.invoke_support import LIMITS, RUN, MemorySink, execution, outcome_of, run_of


@pytest.fixture
def go(request: pytest.FixtureRequest) -> Any:
    """An event that handlers wait for; set at the end whatever happens, so that no thread is left."""
    event = h.GO[request.node.name] = threading.Event()
    yield event
    event.set()
    for thread in threading.enumerate():
        if thread.name.startswith("rota-"):
            thread.join(5)


def result(outcome: object) -> Any:
    assert isinstance(outcome, Succeeded), outcome
    return None if outcome.result is None else json.loads(outcome.result)


def test_async_and_sync_handlers_return() -> None:
    assert result(outcome_of(python_job(h.answers))) == 42
    assert result(outcome_of(python_job(h.adds), args={"a": 1})) == 3
    assert result(outcome_of(python_job(h.decorated))) == 2


def test_arguments_come_back_with_their_types() -> None:
    args = {"day": "2026-03-29", "place": {"city": "Umeå", "zip": 90325}, "tags": ["b", "a"]}
    assert result(outcome_of(python_job(h.typed), args=args)) == {
        "day": "2026-03-29",
        "city": "Umeå",
        "tags": ["a", "b"],
        "attempt": 1,
    }
    found = result(outcome_of(python_job(h.typed_async), args={"day": "2026-03-29"}))
    assert found == f"29.03.2026 {RUN.invocation}"


def test_stored_arguments_that_no_longer_fit_fail_the_run() -> None:
    outcome = outcome_of(python_job(h.adds), args={"a": "one", "c": 1})
    assert isinstance(outcome, Failed)
    assert outcome.type == "rota.errors.InvalidArguments"
    assert "a: Input should be a valid integer" in outcome.message
    assert "c: unknown" in outcome.message


def test_context_tells_and_takes() -> None:
    sink = MemorySink()
    outcome = outcome_of(python_job(h.tells), sink, policies={"timeout": "30s"})
    told = result(outcome)
    assert told["invocation"] == RUN.invocation
    assert told["covers"] == ["2026-03-29 10:00:00+00:00", "2026-03-29 12:00:00+00:00", 3]
    assert (told["run_id"], told["token"], told["deadline"], told["cancelled"]) == (7, 3, True, False)
    assert sink.lines == [("log", "plain"), ("log", "of two lines"), ("log", "WARNING formatted 1")]
    assert sink.steps == [(1, 4)]
    assert sink.saved == {"report.bin": b"\x00\xff"}
    assert isinstance(outcome, Succeeded)
    assert outcome.wake_at is not None
    assert abs(outcome.wake_at - SystemClock().now() - timedelta(hours=1)) < timedelta(minutes=1)


def test_exceptions_are_outcomes_whatever_they_are() -> None:
    cases: list[tuple[Any, str]] = [
        (h.raises, "ValueError"),
        (h.raises_async, "FileNotFoundError"),
        (h.exits, "SystemExit"),
        (h.exits_async, "SystemExit"),
        (h.interrupts_async, "KeyboardInterrupt"),
        (h.recurses, "RecursionError"),
        (h.refuses_transactions, "rota.errors.NotAllowed"),
        (h.forgets_to_await, "TypeError"),
    ]
    for handler, kind in cases:
        outcome = outcome_of(python_job(handler))
        assert isinstance(outcome, Failed), handler
        assert outcome.type == kind
        assert outcome.trace is not None
        assert "invoke_handlers.py" in outcome.trace or handler is h.forgets_to_await
        assert "bodies.py" not in outcome.trace
        assert len(outcome.trace) <= LIMITS.trace_chars


def test_an_error_names_its_bases_and_is_storable() -> None:
    outcome = outcome_of(python_job(h.raises_async))
    assert isinstance(outcome, Failed)
    assert {"FileNotFoundError", "OSError", "Exception"} <= set(outcome.names)
    poisoned = outcome_of(python_job(h.raises))
    assert isinstance(poisoned, Failed)
    assert poisoned.message == "bad \ufffd value \ufffd"
    unreadable = outcome_of(python_job(h.raises_unreadable))
    assert isinstance(unreadable, Failed)
    assert "cannot be read" in unreadable.message
    assert unreadable.names[0] == "UnreadableError"
    assert unreadable.type.endswith("invoke_handlers.UnreadableError")


def test_try_again_and_give_up() -> None:
    again = outcome_of(python_job(h.tries_again))
    assert isinstance(again, Failed)
    assert (again.again, again.try_after, again.give_up) == (True, timedelta(minutes=10), False)
    no_more = outcome_of(python_job(h.gives_up))
    assert isinstance(no_more, Failed)
    assert (no_more.give_up, no_more.message) == (True, "no such customer")


def test_results_that_cannot_be_stored_are_recorded_truthfully() -> None:
    sink = MemorySink()
    found = result(outcome_of(python_job(h.returns_object), sink))
    assert found["type"] == "object"
    assert found["$repr"].startswith("<object object")
    assert "not JSON" in sink.text("log")
    assert result(outcome_of(python_job(h.returns_nan))) == {"$repr": "nan", "type": "float"}
    large = result(outcome_of(python_job(h.returns_100_mb)))
    assert (large["$truncated"], large["size"], len(large["head"])) == (True, 100_000_000, 1024)
    assert result(outcome_of(python_job(h.returns_poison))) == {"a\ufffd": "b\ufffdc"}


def test_unknown_job() -> None:
    assert outcome_of(None) == UnknownJob("tidy")


def test_deadline_cancels_a_task() -> None:
    outcome = outcome_of(python_job(h.sleeps_for_ever), policies={"timeout": 0.05})
    assert outcome == TimedOut(timedelta(seconds=0.05), stopped=True)


def test_deadline_of_a_task_that_ignores_it(go: threading.Event, request: pytest.FixtureRequest) -> None:
    async def main() -> None:
        running = execution(python_job(h.stays), args={"name": request.node.name}, policies={"timeout": 0.05})
        ended = asyncio.Event()
        assert await running.run() == TimedOut(timedelta(seconds=0.05), stopped=False)
        assert not running.stopped
        running.when_stopped(lambda _: ended.set())
        go.set()
        await ended.wait()
        assert running.stopped
        assert isinstance(running.outcome, TimedOut)

    asyncio.run(main())


def test_deadline_of_a_thread(go: threading.Event, request: pytest.FixtureRequest) -> None:
    async def main() -> None:
        running = execution(python_job(h.waits_for), args={"name": request.node.name}, policies={"timeout": 0.05})
        ended = asyncio.Event()
        running.when_stopped(lambda _: ended.set())
        assert await running.run() == TimedOut(timedelta(seconds=0.05), stopped=False)
        assert not ended.is_set()
        go.set()
        await ended.wait()

    asyncio.run(main())
    patient = Limits(stop_wait=timedelta(seconds=20))
    outcome = outcome_of(python_job(h.cooperates), policies={"timeout": 0.05}, limits=patient)
    assert outcome == TimedOut(timedelta(seconds=0.05))


def test_a_late_success_is_a_timeout(go: threading.Event, request: pytest.FixtureRequest) -> None:
    async def main() -> None:
        running = execution(
            python_job(h.waits_for),
            args={"name": request.node.name},
            policies={"timeout": 0.05},
            limits=Limits(stop_wait=timedelta(seconds=20)),
        )
        task = asyncio.create_task(running.run())
        while not running._timed_out:
            await asyncio.wait([task], timeout=0.01)
        go.set()
        assert await task == TimedOut(timedelta(seconds=0.05), stopped=True)

    asyncio.run(main())


@pytest.mark.parametrize(
    ("why", "expected"),
    [
        ("cancel", Cancelled()),
        ("replace", Cancelled("replaced by a newer run")),
        ("shutdown", Interrupted()),
        ("fenced", Interrupted("interrupted: the node was fenced")),
    ],
)
@pytest.mark.parametrize("handler", [h.sleeps_for_ever, h.cooperates, h.cleans_up_async])
def test_a_stop_has_its_reason(handler: Any, why: Any, expected: object) -> None:
    async def main() -> None:
        running = execution(python_job(handler))
        task = asyncio.create_task(running.run())
        await asyncio.wait([task], timeout=0.02)
        running.cancel(why)
        assert await task == expected
        assert running.stopped

    asyncio.run(main())


def test_code_that_ran_to_its_end_stands_in_spite_of_a_cancel(
    go: threading.Event, request: pytest.FixtureRequest
) -> None:
    async def main() -> None:
        running = execution(python_job(h.waits_for), args={"name": request.node.name})
        task = asyncio.create_task(running.run())
        await asyncio.wait([task], timeout=0.02)
        running.cancel("cancel")
        await asyncio.wait([task], timeout=0.02)
        assert not task.done(), "cancelling until the code really stopped"
        go.set()
        assert result(await task) == "late"
        other = execution(python_job(h.finishes_anyway))
        task = asyncio.create_task(other.run())
        await asyncio.wait([task], timeout=0.02)
        other.cancel("cancel")
        assert result(await task) == "done all the same"

    asyncio.run(main())


def test_cancel_from_another_thread_and_before_the_start() -> None:
    async def main() -> None:
        running = execution(python_job(h.sleeps_for_ever))
        task = asyncio.create_task(running.run())
        await asyncio.wait([task], timeout=0.02)
        await asyncio.to_thread(running.cancel, "fenced")
        assert isinstance(await task, Interrupted)
        early = execution(python_job(h.raises))
        early.cancel("cancel")
        assert await early.run() == Cancelled()

    asyncio.run(main())


def test_being_cancelled_from_outside_is_a_shutdown() -> None:
    async def main() -> None:
        running = execution(python_job(h.sleeps_for_ever))
        task = asyncio.create_task(running.run())
        await asyncio.wait([task], timeout=0.02)
        task.cancel()
        assert await task == Interrupted()
        assert running.stopped

    asyncio.run(main())


def test_a_thread_that_hangs_does_not_hold_up_being_cancelled(
    go: threading.Event, request: pytest.FixtureRequest
) -> None:
    async def main() -> None:
        running = execution(python_job(h.waits_for), args={"name": request.node.name})
        task = asyncio.create_task(running.run())
        await asyncio.wait([task], timeout=0.02)
        task.cancel()
        assert await task == Interrupted()
        assert not running.stopped

    asyncio.run(main())


def test_a_handler_that_forks_leaves_no_second_worker() -> None:
    assert result(outcome_of(python_job(h.forks_and_returns))) == "parent"


def test_a_full_log_is_bounded() -> None:
    sink = MemorySink()
    limits = Limits(output_bytes=10_000)
    assert result(outcome_of(python_job(h.fills_log), sink, limits=limits)) is None
    assert sum(len(text) + 1 for _, text in sink.lines) < 10_100
    assert sink.lines[-1] == ("log", "… output cut: more than 10000 bytes")


def test_a_handler_that_blocks_its_loop_holds_up_nobody_else(
    go: threading.Event, request: pytest.FixtureRequest
) -> None:
    loops = HandlerLoops(patience=timedelta(seconds=0.05))

    def on_loops(handler: Any, **changes: Any) -> Execution:
        job = python_job(handler)
        return Execution(job, run_of(job, **changes), MemorySink(), clock=SystemClock(), limits=LIMITS, loops=loops)

    async def main() -> None:
        blocking = on_loops(h.blocks_loop, args={"name": request.node.name}, policies={"timeout": 0.05})
        others = [on_loops(h.answers) for _ in range(5)]
        blocked = asyncio.create_task(blocking.run())
        # In flight beside it a run would be stuck with it; what starts once it blocks is not.
        assert await asyncio.to_thread(h.STARTED.wait, 5)
        for other in others:
            assert result(await other.run()) == 42
        assert await blocked == TimedOut(timedelta(seconds=0.05), stopped=False)
        sleeping = on_loops(h.sleeps_for_ever)
        task = asyncio.create_task(sleeping.run())
        await asyncio.wait([task], timeout=0.02)
        sleeping.cancel("cancel")
        assert await task == Cancelled()
        ended = asyncio.Event()
        blocking.when_stopped(lambda _: ended.set())
        go.set()
        await ended.wait()
        assert result(await on_loops(h.answers).run()) == 42
        assert isinstance(await on_loops(h.exits_async).run(), Failed)

    try:
        asyncio.run(main())
    finally:
        go.set()
        assert loops.close()


def test_a_task_that_exits_ends_neither_the_loop_nor_other_handlers() -> None:
    loops = HandlerLoops()

    def on_loops(handler: Any) -> Execution:
        job = python_job(handler)
        return Execution(job, run_of(job), MemorySink(), clock=SystemClock(), limits=LIMITS, loops=loops)

    async def main() -> None:
        sleeping = on_loops(h.sleeps_for_ever)
        waiting = asyncio.create_task(sleeping.run())
        await asyncio.wait([waiting], timeout=0.02)
        assert result(await on_loops(h.exits_in_a_task_of_its_own).run()) == 7
        assert result(await on_loops(h.answers).run()) == 42
        sleeping.cancel("cancel")
        assert await waiting == Cancelled()

    asyncio.run(main())
    assert loops.close()


def test_a_second_reason_does_not_count_but_a_fence_does() -> None:
    async def main() -> None:
        running = execution(python_job(h.ignores_cancel))
        task = asyncio.create_task(running.run())
        await asyncio.wait([task], timeout=0.02)
        running.cancel("cancel")
        await asyncio.wait([task], timeout=0.02)
        running.cancel("shutdown")
        assert result(await task) == "stubborn"
        fenced = execution(python_job(h.cooperates))
        task = asyncio.create_task(fenced.run())
        await asyncio.wait([task], timeout=0.02)
        fenced.cancel("cancel")
        fenced.cancel("fenced")
        assert isinstance(await task, Interrupted)

    asyncio.run(main())
