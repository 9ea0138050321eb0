"""The frame of the command line: help, global options, completion, errors, exit codes."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from rota.cli.main import main
from rota.cli.root import COMMANDS, root
from tests.interface import reference
from tests.interface.cli import command, environment, rota
from tests.interface.conftest import Run


def test_help_lists_every_command(run_empty: Run) -> None:
    answer = run_empty("--help")
    assert answer.code == 0
    for name, (_, line) in COMMANDS.items():
        assert f"  {name} " in answer.out
        assert line in " ".join(answer.out.split())


@pytest.mark.parametrize("path", [found[0] for found in reference.commands(root)])
def test_every_command_has_help(path: str) -> None:
    answer = CliRunner().invoke(root, [*path.split()[1:], "--help"])
    assert answer.exit_code == 0, answer.output
    assert answer.output.startswith("Usage: ")


def test_the_page_of_commands_is_current() -> None:
    assert reference.PAGE.read_text("utf-8") == reference.page()


def test_version(run_empty: Run) -> None:
    assert run_empty("--version").out == "rota 0.1.0\n"


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("explian", "x"), "did you mean `rota explain`?"),
        (("schedule", "lst"), "did you mean `rota schedule ls`?"),
        (("explain", "--zone", "x"), "No such option"),
        (("explain",), "Missing argument"),
        (("schedule", "add", "x"), "when?"),
        (("schedule", "add", "x", "every", "day", "--when", "every day"), "once"),
        (("schedule", "pause", "x", "--until", "1h", "--for", "2h"), "not both"),
        (("lane", "set", "x"), "what is to change?"),
        (("lane", "set", "x", "--concurrency", "+5"), "neither a whole number"),
        (("--url", "http://localhost:8470", "schedule", "ls"), "comes with a later version"),
        (("-o", "xml", "schedule", "ls"), "'xml' is not one of"),
    ],
)
def test_a_wrong_command_line_is_2(run_empty: Run, words: tuple[str, ...], hint: str) -> None:
    answer = run_empty(*words)
    assert answer.code == 2
    assert hint in answer.one_line()


def test_no_command_shows_help_and_is_2(run_empty: Run) -> None:
    answer = run_empty()
    assert answer.code == 2
    assert "Commands:" in answer.err


@pytest.mark.parametrize(
    "words",
    [
        ("schedule", "ls"),
        ("schedule", "add", "x", "every", "day"),
        ("why", "heartbeat"),
        ("next",),
        ("run", "ls"),
        ("job", "ls"),
        ("lane", "ls"),
        ("node", "ls"),
        ("event", "ls"),
        ("db", "status"),
    ],
)
def test_a_folder_without_a_database_is_7_and_stays_empty(run_empty: Run, empty: Path, words: tuple[str, ...]) -> None:
    answer = run_empty(*words)
    assert answer.code == 7
    assert "rota up" in answer.one_line()
    assert list(empty.iterdir()) == []


def test_an_unreachable_database_is_7(run_empty: Run) -> None:
    answer = run_empty("--db", "postgresql://nobody@127.0.0.1:1/none", "schedule", "ls")
    assert answer.code == 7
    assert "out of reach" in answer.one_line()


@pytest.mark.parametrize("url", ["mysql://x/y", "sqlite://", "nonsense", "sqlite:////nowhere/at/all/rota.db"])
def test_a_database_that_cannot_be_one_is_7(run_empty: Run, url: str) -> None:
    answer = run_empty("--db", url, "schedule", "ls")
    assert answer.code == 7
    answer.one_line()


def test_a_file_that_is_no_database_is_7_and_left_as_it_is(run_empty: Run, empty: Path) -> None:
    (empty / "notes.txt").write_text("not a database\n" * 100)
    answer = run_empty("--db", "sqlite:///notes.txt", "schedule", "ls")
    assert answer.code == 7
    assert "file is not a database" in answer.one_line()
    assert (empty / "notes.txt").read_text() == "not a database\n" * 100


def test_global_options_stand_anywhere(run_empty: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for words in (
        ("-o", "json", "explain", "@daily", "-n", "1"),
        ("explain", "@daily", "-n", "1", "-o", "json"),
        ("-o", "yaml", "explain", "@daily", "-n", "1", "-o", "json"),
    ):
        assert run_empty(*words).json["canonical"] == "0 0 * * *"
    monkeypatch.setenv("ROTA_OUTPUT", "json")
    by_variable = run_empty("explain", "@daily", "-n", "1")
    assert by_variable.json["canonical"] == "0 0 * * *"


def test_init_writes_a_file_once(run_empty: Run, empty: Path) -> None:
    answer = run_empty("init")
    assert answer.code == 0
    assert answer.out == "wrote rota.yaml\n"
    written = (empty / "rota.yaml").read_text()
    assert run_empty("db", "status").code == 0
    again = run_empty("init")
    assert again.code == 5
    assert "left as it is" in again.one_line()
    assert (empty / "rota.yaml").read_text() == written


def test_what_init_writes_is_valid(tmp_path: Path) -> None:
    from rota.cli.init import FIRST
    from rota.sync.file import load

    (tmp_path / "rota.yaml").write_text(FIRST)
    file = load(tmp_path / "rota.yaml")
    assert [schedule.name for schedule in file.schedules] == ["hello", "tidy"]


def test_a_folder_that_cannot_be_written_is_1(run_empty: Run) -> None:
    answer = run_empty("init", "nowhere/rota.yaml")
    assert answer.code == 1
    assert "nowhere" in answer.one_line()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(run_empty: Run, shell: str) -> None:
    assert "_ROTA_COMPLETE" in run_empty("completion", shell).out


def test_completion_answers(tmp_path: Path) -> None:
    env = {"_ROTA_COMPLETE": "bash_complete", "COMP_WORDS": "rota sch", "COMP_CWORD": "1"}
    assert rota(cwd=tmp_path, env=env).out.split() == ["plain,scheduler", "plain,schedule"]


def test_a_closed_pipe_is_quiet(tmp_path: Path) -> None:
    with subprocess.Popen(
        command("explain", "every second", "-n", "10000"), cwd=tmp_path, env=environment(),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout
        assert process.stderr
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(30) == 0


def test_ctrl_c_is_130(tmp_path: Path) -> None:
    with subprocess.Popen(
        command("explain", "-"), cwd=tmp_path, env=environment(), stdin=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        reads = Path(f"/proc/{process.pid}/wchan")
        while "pipe" not in reads.read_text():  # it waits for standard input: its handlers are in place
            os.sched_yield()
        process.send_signal(signal.SIGINT)
        assert process.stderr
        assert b"Traceback" not in process.stderr.read()
        assert process.wait(30) == 130


def test_a_fault_of_rota_itself_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the wheel came off\nand more")

    monkeypatch.setattr("rota.cli.explain.describe", broken)
    assert main(["explain", "@daily"]) == 1
    assert capsys.readouterr().err.startswith("rota: internal error: RuntimeError: the wheel came off (ROTA_TRACE=1")
