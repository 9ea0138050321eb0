"""Reports about processes that are stopped, frozen and killed, from bugs.jsonl: with real processes and real signals."""

from __future__ import annotations

import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.processes import Fleet

FINAL_EVENTS = ("run.succeeded", "run.failed", "run.lost", "run.cancelled")


@pytest.fixture
def fleet(store_url: str, tmp_path: Path) -> Iterator[Fleet]:
    with Fleet(store_url, tmp_path) as made:
        yield made


@pytest.fixture
def embedded(sqlite_url: str, tmp_path: Path) -> Iterator[Fleet]:
    with Fleet(sqlite_url, tmp_path) as made:
        yield made


@pytest.mark.full
def test_bug_119_a_killed_workers_run_is_carried_out_by_another(fleet: Fleet) -> None:
    with fleet.up() as killed, fleet.up():
        run = fleet.app.enqueue("slow")
        fleet.started(run)
        ((_, _, pid),) = fleet.journal()
        victim = killed if pid == killed.pid else None
        if victim is None:  # the other one was quicker: it has to stay, so give the run to the one to be killed
            fleet.go()
            assert fleet.ended(run).state == "succeeded"
            (fleet.folder / "go").unlink()
            fleet.app.nodes.drain(fleet.node_of(pid).id)
            run = fleet.app.enqueue("slow")
            fleet.started(run)
            fleet.app.nodes.drain(fleet.node_of(pid).id, on=False)
        killed.signal(signal.SIGKILL)
        fleet.wait(lambda: (run.id, 2) in {(r, token) for r, token, _ in fleet.journal()}, 10)
        fleet.go()
        assert (fleet.ended(run).state, fleet.run(run).attempt, fleet.run(run).result) == ("succeeded", 1, "token 2")


@pytest.mark.full
@pytest.mark.parametrize("job", ["blocks", "spins"])
def test_bug_123_a_busy_handler_does_not_starve_the_heartbeat(fleet: Fleet, job: str) -> None:
    """It blocks its event loop, or spins, for three leases; another process watches all the while."""
    fleet.env["ROTA_LEASE"] = "1.5s"
    with fleet.up() as process, fleet.up():
        run = fleet.app.enqueue(job, {"seconds": 4.5})
        assert fleet.ended(run).state == "succeeded"
        assert (fleet.run(run).attempt, len(fleet.journal())) == (1, 1)
        assert {node.state for node in fleet.app.nodes.list()} == {"live"}
        if job == "blocks":
            said = fleet.said()
            assert "handler.blocks_loop" in said
            assert f"blocks (run {run.id})" in said
        assert process.popen.poll() is None


@pytest.mark.full
def test_bug_124_a_frozen_worker_wakes_up_too_late(fleet: Fleet) -> None:
    with fleet.up() as frozen:
        run = fleet.app.enqueue("slow")
        fleet.started(run)
        old = fleet.node_of(frozen.pid)
        frozen.signal(signal.SIGSTOP)
        with fleet.up():
            fleet.wait(lambda: fleet.app.nodes.get(old.id).state == "fenced")
            fleet.wait(lambda: len(fleet.journal()) == 2)
            fleet.go()
            before = fleet.ended(run)
            frozen.signal(signal.SIGCONT)
            fleet.wait(lambda: fleet.node_of(frozen.pid).id != old.id)
            fleet.wait(lambda: len(fleet.journal("end")) == 2)
            again = fleet.app.enqueue("slow")
            assert fleet.ended(again).state == "succeeded"
            assert (fleet.run(run), before.state, before.result) == (before, "succeeded", "token 2")
    events = [e.type for e in fleet.app.events.list() if e.data.get("run") == run.id]
    assert [kind for kind in events if kind in FINAL_EVENTS] == ["run.succeeded"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_bug_128_a_signal_lets_handlers_finish(embedded: Fleet, number: int) -> None:
    with embedded.up() as process:
        run, later = embedded.app.enqueue("slow"), None
        embedded.started(run)
        process.signal(number)
        embedded.wait(lambda: "service.stopping" in process.said)
        later = embedded.app.enqueue("slow")
        embedded.go()
        assert process.ends() == 0, process.said
    assert (embedded.run(run).state, embedded.run(run).attempt) == ("succeeded", 1)
    assert (embedded.run(later).state, embedded.run(later).attempt) == ("queued", 0)


@pytest.mark.full
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_bug_128_what_does_not_finish_goes_back(fleet: Fleet, number: int) -> None:
    """Two handlers do not end within the grace: one yields when it is asked to, one never does. Neither is lost."""
    fleet.env["ROTA_DRAIN"] = "0.5s"
    with fleet.up() as process:
        runs = fleet.app.enqueue("slow"), fleet.app.enqueue("yields")
        fleet.started(*runs)
        process.signal(number)
        assert process.ends() == 0, process.said
    for run in runs:
        assert (fleet.run(run).state, fleet.run(run).reason, fleet.run(run).attempt) == ("queued", "handed_back", 0)
    fleet.go()
    with fleet.up():
        assert fleet.ended(runs[0]).result == "token 2"


@pytest.mark.full
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_bug_128_a_second_signal_ends_at_once(embedded: Fleet, number: int) -> None:
    with embedded.up() as process:
        run = embedded.app.enqueue("slow")
        embedded.started(run)
        process.signal(number)
        embedded.wait(lambda: "service.stopping" in process.said)
        process.signal(number)
        assert process.ends() == 128 + number
    embedded.go()
    with embedded.up():
        assert embedded.ended(run).result == "token 2"


@pytest.mark.full
def test_bug_129_a_draining_worker_keeps_its_lease(fleet: Fleet) -> None:
    """The handler needs more than two leases after the signal, and another process watches."""
    with fleet.up() as draining:
        run = fleet.app.enqueue("slow", {"seconds": 3.0})
        fleet.started(run)
        with fleet.up():
            draining.signal(signal.SIGINT)
            assert draining.ends() == 0, draining.said
            assert (fleet.run(run).state, fleet.run(run).attempt) == ("succeeded", 1)
            assert [token for _, token, _ in fleet.journal()] == [1]
    assert "node.fenced" not in [event.type for event in fleet.app.events.list()]


@pytest.mark.full
@pytest.mark.parametrize("cause", ["SIGTERM", "SIGKILL", "out of memory"])
def test_bug_130_one_rule_whatever_the_cause(fleet: Fleet, cause: str) -> None:
    """`on_lost: retry` runs again, `on_lost: fail` is lost; the node's row says where, and when it was last seen."""
    fleet.env["ROTA_DRAIN"] = "0.3s"
    names = ("eats", "eats_once") if cause == "out of memory" else ("slow", "once")
    with fleet.up() as process:
        again, never = (fleet.app.enqueue(name) for name in names)
        fleet.started(again, never)
        if cause != "out of memory":
            process.signal(getattr(signal, cause))
        process.ends()
    fleet.go()
    with fleet.up():
        assert (fleet.ended(again).state, fleet.run(again).result, fleet.run(again).attempt) == (
            "succeeded",
            "token 2",
            1,
        )
        lost = fleet.ended(never)
    assert lost.state == "lost"
    assert lost.error is not None
    assert lost.node is not None
    node = fleet.app.nodes.get(lost.node)
    assert (node.host, node.pid) == (socket.gethostname(), process.pid)
    assert node.state == ("stopped" if cause == "SIGTERM" else "fenced")
    assert node.started_at <= node.seen_at
    assert lost.started_at is not None
    assert lost.started_at >= node.started_at
