"""Command and shell jobs, and isolated handlers: real child processes."""

from __future__ import annotations

import asyncio
import json
import os
import select
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from rota.engine.invoke import Execution
from rota.engine.outcome import Limits
from rota.engine.registry import Job, python_job, target_job
from rota.errors import InvalidValue
from rota.model.run import Cancelled, Failed, Interrupted, Outcome, Succeeded, TimedOut
from rota.targets.process import Pipes, Process
from rota.targets.shell import Command, Shell
from tests.unit.engine import invoke_handlers as h
from tests.unit.engine.invoke_support import LIMITS, RUN, MemorySink, execution, outcome_of

NASTY = "$(touch pwned) `touch pwned`; \"quoted\" 'single' {{occurrence}} {brace} \\ * ~ \n next line % 日本"

# The tests' own modules, for scripts elsewhere.
IMPORTABLE = os.pathsep.join((str(Path(__file__).parents[3]), *filter(None, sys.path)))


def shell(text: str, **options: Any) -> Job:
    return target_job("job", Shell(text, **options))


def python(code: str, *words: str, **options: Any) -> Job:
    return target_job("job", Command((sys.executable, "-c", code, *words), **options))


def gone(pid: int) -> bool:
    """Whether that process ends within ten seconds (a kill is not instant)."""
    try:
        fd = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([fd], [], [], 10)[0])
    finally:
        os.close(fd)


def stop_when(sink: MemorySink, part: str, running: Execution, stop: Callable[[], None]) -> Outcome:
    """Run; when `part` is in the log, call `stop`; the outcome."""

    async def main() -> Outcome:
        task = asyncio.create_task(running.run())
        await asyncio.to_thread(sink.wait_for, part)
        stop()
        return await task

    return asyncio.run(main())


def test_exit_code_and_output() -> None:
    sink = MemorySink()
    assert outcome_of(shell("echo out; echo err >&2; printf 'no end'"), sink) == Succeeded(exit_code=0)
    assert sink.text("out") == "out\nno end"
    assert sink.text("err") == "err"
    assert outcome_of(shell("exit 3")) == Failed("exit", "exit code 3", names=("exit",), exit_code=3)
    killed = outcome_of(shell("kill -SEGV $$"))
    assert isinstance(killed, Failed)
    assert (killed.type, killed.message, killed.exit_code) == ("signal", "killed by SIGSEGV (11)", 139)


def test_output_comes_while_it_runs() -> None:
    sink = MemorySink()
    running = execution(shell("echo first; read forever < /dev/zero"), sink)
    assert stop_when(sink, "first", running, lambda: running.cancel("cancel")) == Cancelled()


def test_what_cannot_be_started_says_why(tmp_path: Path) -> None:
    plain = tmp_path / "plain.txt"
    plain.write_text("no program")
    cases: list[tuple[Command | Shell, str]] = [
        (Command(("no-such-program-here",)), "program not found: no-such-program-here"),
        (Command((str(plain),)), f"program not executable: {plain}"),
        (Shell("true", cwd=str(tmp_path / "none")), f"cannot start in the folder {tmp_path / 'none'}: "),
        (Shell("true", env={"X": "{{args.none}}"}), "{{args.none}}: the run has no argument none"),
        (Command(("echo", "{{args.nul}}")), "command[1]: the value holds NUL"),
        (Shell("true"), "env ROTA_ARG_NUL: the value holds NUL"),
        (Command(("echo", "{{args.big}}")), "cannot start echo: the run's arguments are too large"),
    ]
    for spec, message in cases:
        args = {"nul": "a\0b"} if "NUL" in message else {"big": "x" * 3_000_000} if "large" in message else {}
        outcome = outcome_of(target_job("job", spec), args=args)
        assert isinstance(outcome, Failed), spec
        assert outcome.message.startswith(message), outcome.message
        assert outcome.exit_code is None


def test_arguments_reach_a_command_unchanged_and_run_nothing(tmp_path: Path) -> None:
    code = "import json, os, sys; print(json.dumps([sys.argv[1:], os.environ['ROTA_ARG_X_Y'], os.environ['MINE']]))"
    job = python(code, "{{args.x-y}}", "a {{args.x-y}} b", env={"MINE": "{{args.x-y}}"}, cwd=str(tmp_path))
    sink = MemorySink()
    assert isinstance(outcome_of(job, sink, args={"x-y": NASTY}), Succeeded)
    assert json.loads(sink.text("out")) == [[NASTY, f"a {NASTY} b"], NASTY, NASTY]
    assert list(tmp_path.iterdir()) == []


def test_arguments_reach_a_shell_unchanged_and_run_nothing(tmp_path: Path) -> None:
    out = tmp_path / "out"
    job = shell('printf %s "$ROTA_ARG_X" > out; printf %s "$DAY {{occurrence}} $ROTA_ARG_N" > day', cwd=str(tmp_path),
                env={"DAY": "{{occurrence:%Y-%m-%d %H:%M}}"})  # fmt: skip
    assert isinstance(outcome_of(job, args={"x": NASTY, "n": {"deep": [1]}}), Succeeded)
    assert out.read_text() == NASTY
    assert (tmp_path / "day").read_text() == '2026-03-29 14:00 {{occurrence}} {"deep": [1]}'
    assert {path.name for path in tmp_path.iterdir()} == {"out", "day"}


def test_environment_of_a_run() -> None:
    sink = MemorySink()
    outcome_of(shell("env | grep ^ROTA_ | sort"), sink, args={"workspace": "acme", "n": 30}, attempt=2)
    told = dict(line.split("=", 1) for line in sink.text("out").splitlines())
    expected = {
        "ROTA_OCCURRENCE": "2026-03-29T14:00:00+02:00",
        "ROTA_SINCE": "",
        "ROTA_INVOCATION": RUN.invocation,
        "ROTA_RUN_ID": "7",
        "ROTA_ATTEMPT": "2",
        "ROTA_TOKEN": "3",
        "ROTA_ARG_WORKSPACE": "acme",
        "ROTA_ARG_N": "30",
    }
    assert expected.items() <= told.items()


def test_unicode_split_over_reads_bad_bytes_and_long_lines() -> None:
    code = (
        "import os, time\n"
        "for byte in '日本\\n'.encode(): os.write(1, bytes([byte]))\n"
        "os.write(1, b'bad \\xff\\x00 byte\\r\\n')\n"
        "os.write(1, b'y' * 100_000 + b'\\nafter\\n')\n"
    )
    sink = MemorySink()
    assert isinstance(outcome_of(python(code), sink), Succeeded)
    lines = sink.text("out").splitlines()
    assert lines[:2] == ["日本", "bad \ufffd\ufffd byte"]
    assert (len(lines[2]), lines[2][-10:], lines[3]) == (8192 + 11, " … line cut"[-10:], "after")


def test_output_is_bounded_and_drained() -> None:
    sink = MemorySink()
    limits = Limits(output_bytes=5000)
    assert isinstance(outcome_of(shell("yes | head -c 20000000"), sink, limits=limits), Succeeded)
    assert sink.lines[-1][1] == "… output cut: more than 5000 bytes"
    assert len(sink.lines) == 2501


def test_a_grandchild_that_holds_the_output_neither_hangs_the_run_nor_outlives_it() -> None:
    sink = MemorySink()
    assert isinstance(outcome_of(shell("sleep 600 & echo $!"), sink), Succeeded)
    assert gone(int(sink.text("out")))
    sink = MemorySink()
    assert isinstance(outcome_of(shell("sleep 600 > /dev/null 2>&1 & echo $!"), sink), Succeeded)
    assert gone(int(sink.text("out")))


def test_the_whole_group_is_killed_where_it_ignores_sigterm() -> None:
    sink = MemorySink()
    job = shell("trap '' TERM; (trap '' TERM; sleep 600) & echo pid $!; sleep 600")
    limits = Limits(grace=timedelta(seconds=0.2), stop_wait=timedelta(seconds=20))
    running = execution(job, sink, limits=limits)
    assert stop_when(sink, "pid", running, lambda: running.cancel("cancel")) == Cancelled()
    assert gone(int(sink.text("out").split()[1]))
    assert outcome_of(job, limits=limits, policies={"timeout": 0.1}) == TimedOut(timedelta(seconds=0.1))


def test_sigterm_comes_first_and_leaves_time_to_clean_up() -> None:
    sink = MemorySink()
    running = execution(shell("trap 'echo cleaned; exit 0' TERM; echo ready; while :; do sleep 0.05; done"), sink,
                        limits=Limits(grace=timedelta(seconds=20)))  # fmt: skip
    assert stop_when(sink, "ready", running, lambda: running.cancel("shutdown")) == Interrupted()
    assert sink.text("out") == "ready\ncleaned"


def test_a_stopped_child_is_woken_to_be_terminated() -> None:
    sink = MemorySink()
    running = execution(shell("echo ready; kill -STOP $$"), sink, limits=Limits(grace=timedelta(seconds=20)))
    assert stop_when(sink, "ready", running, lambda: running.cancel("cancel")) == Cancelled()


def test_a_receiver_that_fails_kills_the_group() -> None:
    process, pids = Process(), []

    def receive(data: bytes) -> None:
        pids.append(int(data))
        raise RuntimeError("full")

    with pytest.raises(RuntimeError, match="full"):
        process.run(["/bin/sh", "-c", "echo $$; sleep 600"], pipes=Pipes({1: receive}))
    assert gone(pids[0])


def test_no_descriptor_is_left() -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(3):
        outcome_of(shell("echo x"))
        outcome_of(target_job("job", Command(("no-such-program-here",))))
        outcome_of(python_job(h.answers, isolated=True))
        early = Process()
        early.stop()
        assert early.run(["true"]).stopped
    assert len(list(Path("/proc/self/fd").iterdir())) == before


@pytest.mark.parametrize(
    "bad",
    [
        lambda: Command(()),
        lambda: Command(("a", 1)),  # type: ignore[arg-type]
        lambda: Command("ls -l"),  # type: ignore[arg-type]
        lambda: Command(("",)),
        lambda: Command(("a\0",)),
        lambda: Command(("echo", "{{ocurrence}}")),
        lambda: Command(("true",), env={"A=B": "x"}),
        lambda: Command(("true",), env={"A": "{{nope}}"}),
        lambda: Shell(" "),
        lambda: Shell("true", env={"A": 5}),  # type: ignore[dict-item]
    ],
)
def test_bad_declarations_are_refused(bad: Callable[[], object]) -> None:
    with pytest.raises(InvalidValue):
        bad()


# --- isolated ---


def test_isolated_runs_elsewhere_and_tells_the_same() -> None:
    sink = MemorySink()
    outcome = outcome_of(python_job(h.tells, isolated=True), sink, policies={"timeout": "30s"})
    assert isinstance(outcome, Succeeded)
    told = json.loads(outcome.result or "")
    assert told["pid"] != os.getpid()
    assert (told["invocation"], told["covers"][2], told["deadline"]) == (RUN.invocation, 3, True)
    assert sink.lines == [("log", "plain"), ("log", "of two lines"), ("log", "WARNING formatted 1")]
    assert (sink.steps, sink.saved) == ([(1, 4)], {"report.bin": b"\x00\xff"})
    assert outcome.wake_at is not None


def test_isolated_arguments_are_typed() -> None:
    args = {"day": "2026-03-29", "place": {"city": "Umeå", "zip": 90325}, "tags": ["b", "a"]}
    outcome = outcome_of(python_job(h.typed, isolated=True), args=args)
    assert isinstance(outcome, Succeeded), outcome
    assert json.loads(outcome.result or "") == {"day": "2026-03-29", "city": "Umeå", "tags": ["a", "b"], "attempt": 1}
    again = outcome_of(python_job(h.typed_async, isolated=True), args={"day": "2026-03-29"})
    assert isinstance(again, Succeeded)
    assert json.loads(again.result or "").startswith("29.03.2026")


def test_isolated_failures() -> None:
    raised = outcome_of(python_job(h.raises, isolated=True))
    assert isinstance(raised, Failed)
    assert (raised.type, raised.message) == ("ValueError", "bad \ufffd value \ufffd")
    assert "Exception" in raised.names
    assert "in raises" in (raised.trace or "")
    again = outcome_of(python_job(h.tries_again, isolated=True))
    assert isinstance(again, Failed)
    assert (again.again, again.try_after) == (True, timedelta(minutes=10))
    died = outcome_of(python_job(h.dies, isolated=True))
    assert isinstance(died, Failed)
    assert (died.type, died.exit_code) == ("signal", 137)
    assert "SIGKILL (9)" in died.message
    left = outcome_of(python_job(h.leaves, isolated=True))
    assert isinstance(left, Failed)
    assert "before the handler did: exit code 0" in left.message


def test_isolated_output_and_results() -> None:
    sink = MemorySink()
    assert outcome_of(python_job(h.unicode_prints, isolated=True), sink) == Succeeded()
    assert sink.text("out") == "smörgås 日本 🚲"
    assert sink.text("err") == "trouble\ufffd?"
    odd = outcome_of(python_job(h.returns_object, isolated=True), sink)
    assert isinstance(odd, Succeeded)
    assert json.loads(odd.result or "")["type"] == "object"
    assert "not JSON" in sink.text("log")
    forked = outcome_of(python_job(h.forks_and_returns, isolated=True))
    assert isinstance(forked, Succeeded)
    assert forked.result == '"parent"'


def test_isolated_code_that_never_stops_is_killed_with_its_children() -> None:
    limits = Limits(grace=timedelta(seconds=0.2), stop_wait=timedelta(seconds=20))
    assert outcome_of(python_job(h.spins, isolated=True), policies={"timeout": 1}, limits=limits) == TimedOut(
        timedelta(seconds=1)
    )
    sink = MemorySink()
    running = execution(python_job(h.ignores_sigterm, isolated=True), sink, limits=limits)
    assert stop_when(sink, "ignoring", running, lambda: running.cancel("cancel")) == Cancelled()
    sink = MemorySink()
    left = outcome_of(python_job(h.leaves_grandchild, isolated=True), sink)
    assert isinstance(left, Succeeded)
    assert gone(int(left.result or "0"))


@pytest.mark.parametrize("handler", [h.cleans_up, h.cleans_up_async])
def test_isolated_code_cleans_up_when_it_is_asked_to_stop(handler: Any) -> None:
    sink = MemorySink()
    running = execution(python_job(handler, isolated=True), sink, limits=Limits(grace=timedelta(seconds=20)))
    assert stop_when(sink, "started", running, lambda: running.cancel("shutdown")) == Interrupted()
    assert sink.text("log") == "started\ncleaned up"


SCRIPT = """
import asyncio, sys
from rota.clock import SystemClock
from rota.engine.invoke import Execution
from rota.engine.registry import python_job
from tests.unit.engine.invoke_support import MemorySink, run_of, LIMITS

def handler() -> str:
    return __name__

if __name__ == "__main__":
    job = python_job(handler, isolated=True)
    if len(sys.argv) > 1:
        from tests.unit.engine import invoke_handlers as h
        job = python_job(h.ignores_sigterm, isolated=True)
    class Sink(MemorySink):
        def log(self, *args):
            print(args[-1], flush=True)
    print(asyncio.run(Execution(job, run_of(job), Sink(), clock=SystemClock()).run()), flush=True)
"""


def test_isolated_handlers_of_a_main_script(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    sink = MemorySink()
    job = target_job("job", Command((sys.executable, str(script)), env={"PYTHONPATH": IMPORTABLE}))
    assert isinstance(outcome_of(job, sink), Succeeded), sink.lines
    assert sink.text("out").startswith("Succeeded(result='\"__mp_main__\"'")


def test_an_isolated_child_dies_with_its_parent(tmp_path: Path) -> None:
    """Even one that ignores SIGTERM: rota itself was killed, and its run may start elsewhere."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    code = (
        "import subprocess, sys\n"
        f"child = subprocess.Popen([sys.executable, {str(script)!r}, 'x'], stdout=subprocess.PIPE, text=True)\n"
        "print(child.stdout.readline(), flush=True)\n"
        "child.kill(); child.wait()\n"
    )
    sink = MemorySink()
    assert isinstance(outcome_of(python(code, env={"PYTHONPATH": IMPORTABLE}), sink), Succeeded)
    assert gone(int(sink.text("out").split()[1]))


def test_limits_are_as_designed() -> None:
    plain = Limits()
    assert (plain.grace, plain.stop_wait) == (timedelta(seconds=5), timedelta(seconds=30))
    assert LIMITS.grace < plain.grace
