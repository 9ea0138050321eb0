"""Reports about processes that are stopped, frozen and killed, from bugs.jsonl: with real processes and real signals."""

from __future__ import annotations

import contextlib
import signal
import socket
import sqlite3
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from rota.app.records import Run
from rota.clock import SystemClock
from rota.store import jobs, migrate
from tests.support import laws, postgres
from tests.support.pooler import pooler
from tests.support.processes import Fleet

FINAL_EVENTS = ("run.succeeded", "run.failed", "run.lost", "run.cancelled")


TICK = jobs.JobRow("tick", "python", 1, None, {}, "default", 0, None)


def succeeded(fleet: Fleet) -> list[Run]:
    return list(fleet.app.runs.list(state="succeeded"))


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


@pytest.mark.full
def test_bug_140_the_database_goes_and_comes_back(tmp_path: Path) -> None:
    """It is away at the start, there, away in mid-minute, there again: the process stays, says so, and goes on."""
    with postgres.private_server() as server:
        postgres.create_database(server, "rota")
        migrate.upgrade(server.url("rota"))
        with Fleet(server.url("rota"), tmp_path) as fleet:
            fleet.app.core.database.call(jobs.register, [TICK])
            fleet.app.schedules.add("tick", job="tick", when="* * * * * *")
            fleet.app.close()
            server.stop()
            with fleet.start("up", "app:rota") as process:
                fleet.wait(lambda: process.status("/healthz") == 200)
                assert (process.status("/readyz"), process.popen.poll()) == (503, None)
                server.start()
                fleet.wait(lambda: process.status("/readyz") == 200, 10)
                fleet.wait(lambda: len(succeeded(fleet)) >= 2, 10)
                fleet.app.close()
                server.crash()
                fleet.wait(lambda: process.status("/readyz") == 503, 10)
                assert process.popen.poll() is None
                down = SystemClock().monotonic()
                fleet.wait(lambda: SystemClock().monotonic() - down > 3, 10)  # occurrences pass meanwhile
                server.start()
                before = len(succeeded(fleet))
                fleet.wait(lambda: len(succeeded(fleet)) >= before + 2, 10)
                assert process.said.count("database.away") < 20
                process.signal(signal.SIGTERM)
                assert process.ends() == 0, process.said
            laws.check(fleet.app.core.database)
            assert "catchup" in {run.cause for run in fleet.app.runs.list()}


@pytest.mark.full
def test_bug_143_behind_a_pooler_in_transaction_mode(pg_url: str, tmp_path: Path) -> None:
    """Nothing needs a session; the number of connections does not depend on how many jobs run."""
    with pooler(pg_url) as between, Fleet(pg_url, tmp_path) as fleet:
        fleet.env["ROTA_DATABASE"] = between.url
        with fleet.up() as one, fleet.up() as two:
            fleet.app.schedules.add("tick", job="tick", when="* * * * * *")
            fleet.started(fleet.app.enqueue("slow"))
            few = between.clients()
            runs = [fleet.app.enqueue("slow") for _ in range(40)]
            fleet.started(*runs)
            assert between.clients() <= few + 2
            assert few <= 2 * 10
            cancelled = fleet.app.enqueue("yields")
            fleet.started(cancelled)
            fleet.app.runs.cancel(cancelled.id)
            assert fleet.ended(cancelled).state == "cancelled"
            fleet.wait(lambda: len(succeeded(fleet)) >= 3)
            fleet.go()
            assert {fleet.ended(run).state for run in runs} == {"succeeded"}
            assert [token for _, token, _ in fleet.journal()] == [1] * 42
            assert (one.popen.poll(), two.popen.poll()) == (None, None)
        laws.check(fleet.app.core.database)


@pytest.mark.full
def test_bug_145_a_foreign_lock_on_sqlite_is_outlived(embedded: Fleet, sqlite_url: str) -> None:
    """Four processes on one file, and somebody else's write transaction that holds it for three seconds."""
    path = sqlite_url.removeprefix("sqlite:///")
    with contextlib.ExitStack() as stack:
        processes = [stack.enter_context(embedded.up()) for _ in range(4)]
        embedded.app.schedules.add("tick", job="tick", when="* * * * * *")
        embedded.wait(lambda: len(succeeded(embedded)) >= 2)
        last = succeeded(embedded)[0].created_at
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as foreign:
            foreign.execute("BEGIN IMMEDIATE")
            embedded.wait(lambda: embedded.app.core.database.clock.now() - last > timedelta(seconds=4))
            foreign.execute("ROLLBACK")
            embedded.wait(lambda: succeeded(embedded)[0].created_at > last + timedelta(seconds=5))
            # Nobody keeps a read transaction open: the WAL can be emptied between two writes.
            embedded.wait(lambda: foreign.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0)
        assert [process.popen.poll() for process in processes] == [None] * 4
        for process in processes:
            process.signal(signal.SIGTERM)
        assert [process.ends() for process in processes] == [0] * 4
    laws.check(embedded.app.core.database)
    assert "catchup" in {run.cause for run in embedded.app.runs.list()}
