"""`rota up` and the roles: start, follow a file, serve, drain; and what ends them at once, in one line."""

from __future__ import annotations

import json
import signal
import socket
import sys
import time
from pathlib import Path

import pytest

from tests.interface.cli import rota
from tests.interface.conftest import Run
from tests.interface.processes import started
from tests.support.postgres import until

FILE = """\
jobs:
  tick: {command: [sh, -c, "echo tick $1; echo tock", sh, "{{occurrence:%H:%M:%S}}"]}
crons:
  tick: every second
"""
CODE = """\
import time
from rota import Context, Rota

rota = Rota()

@rota.job(when="every second")
def tick(ctx: Context) -> str:
    ctx.log.info("from code")
    return "tock"

@rota.job
def slow() -> None:
    open("begun", "w").close()
    time.sleep(60)
"""


def write(folder: Path, text: str = FILE, name: str = "rota.yaml") -> None:
    (folder / name).write_text(text)


def test_a_file_is_run_followed_and_drained(tmp_path: Path) -> None:
    write(tmp_path)
    with started(tmp_path, "up") as up:
        up.ready()
        run = up.until_run("succeeded")
        assert run["schedule"] == "default/default/default/tick"
        logs = rota("run", "logs", str(run["id"]), "-f", cwd=tmp_path)
        assert [line.split()[0] for line in logs.out.splitlines()] == ["tick", "tock"]
        stamped = rota("run", "logs", str(run["id"]), "--timestamps", cwd=tmp_path).out.splitlines()
        assert stamped[1].endswith(" out tock")
        followed = rota("run", "logs", str(run["id"]), "-f", "-o", "json", cwd=tmp_path)
        assert json.loads(followed.out.splitlines()[0])["stream"] == "out"
        assert "fired" in rota("why", "tick", cwd=tmp_path).out

        write(tmp_path, FILE.replace("every second", "every 2 seconds") + "  more: {job: tick, when: '@daily'}\n")
        assert until(lambda: len(up.items("/api/v1/schedules")) == 2, 5), up.said()
        write(tmp_path, FILE.replace("every second", "every dya"))
        up.says("rota.yaml:4:9: ", 5)
        up.says("was not applied")
        assert len(up.items("/api/v1/schedules")) == 2
        write(tmp_path)
        assert until(lambda: [s["when"] for s in up.items("/api/v1/schedules")] == ["every second"], 5), up.said()
        assert up.end(signal.SIGINT) == 0


def test_the_built_in_example_runs_where_there_is_no_file(tmp_path: Path) -> None:
    with started(tmp_path, "up") as up:
        up.says("running the built-in example")
        up.until_run("succeeded")
        assert up.end(signal.SIGTERM) == 0


def test_what_init_writes_runs(tmp_path: Path) -> None:
    assert rota("init", cwd=tmp_path).code == 0
    with started(tmp_path, "up") as up:
        run = up.until_run("succeeded", schedule="default/default/default/hello")
        assert "hello from rota, it is" in rota("run", "logs", str(run["id"]), cwd=tmp_path).out
        assert up.end() == 0


def test_an_application_in_code(tmp_path: Path) -> None:
    write(tmp_path, CODE, "tasks.py")
    with started(tmp_path, "up", "tasks:rota") as up:
        run = up.until_run("succeeded")
        assert run["result"] == "tock"
        assert rota("run", "logs", str(run["id"]), cwd=tmp_path).out.strip() == "INFO from code"
        assert [s["origin"] for s in up.items("/api/v1/schedules")] == ["code:tasks:rota"]
        waited = rota("schedule", "run", "tick", "--wait", cwd=tmp_path)
        assert (waited.code, waited.out.split(": ")[1].strip()) in [(0, "succeeded"), (8, "skipped (overlap)")]
        assert up.end() == 0


def test_a_second_signal_ends_at_once(tmp_path: Path) -> None:
    write(tmp_path, CODE, "tasks.py")
    with started(tmp_path, "up", "tasks:rota") as up:
        up.ready()
        assert rota("job", "run", "slow", cwd=tmp_path).code == 0
        assert until((tmp_path / "begun").exists, 20), up.said()
        up.child.send_signal(signal.SIGTERM)
        up.says("service.stopping")
        assert up.end(signal.SIGTERM) == 143


def test_killed_and_started_again_it_tells_why(tmp_path: Path) -> None:
    write(tmp_path)
    with started(tmp_path, "up") as up:
        up.until_run("succeeded")
        up.child.kill()
        up.child.wait(10)
    killed = time.monotonic()
    assert until(lambda: time.monotonic() - killed > 5, 10)  # time in which nothing of rota lives
    with started(tmp_path, "up") as up:
        up.until_run("succeeded", cause="catchup")
        told = rota("why", "tick", "-n", "50", cwd=tmp_path).out
        assert "earlier occurrences were folded into this one (catchup: latest)" in told, told
        assert "Hint: to run each missed occurrence use catchup: all." in told
        assert up.end() == 0


def test_roles_apart_and_a_second_node_on_one_file(tmp_path: Path) -> None:
    write(tmp_path)
    assert rota("db", "upgrade", cwd=tmp_path).code == 0
    with started(tmp_path, "scheduler"), started(tmp_path, "worker", "--slots", "3"), started(tmp_path, "web") as web:
        web.ready()
        web.until_run("succeeded")
        with started(tmp_path, "up") as second:
            second.ready()
            nodes = rota("node", "ls", "-o", "json", cwd=tmp_path).json
            roles = sorted(node["roles"] for node in nodes)
            assert roles == [["scheduler"], ["scheduler", "worker"], ["worker"]]
            assert sorted(node["slots"] for node in nodes) == [0, 3, 100]
            assert rota("doctor", "-o", "json", cwd=tmp_path).code == 0
            assert second.end() == 0
        assert web.end(signal.SIGTERM) == 0


def test_without_the_extra_it_runs_and_says_how_to_get_pages(tmp_path: Path) -> None:
    write(tmp_path)
    with started(tmp_path, "up", without_server=True) as up:
        up.says("pip install 'rota[server]'")
        up.says("scheduler, worker")
        assert until(lambda: "\tsucceeded\t" in rota("run", "ls", cwd=tmp_path).out, 30)
        assert up.end() == 0
    with started(tmp_path, "web", without_server=True) as web:
        assert web.child.wait(30) == 1
        assert "pip install 'rota[server]'" in web.said()


def test_only_loopback_is_served(tmp_path: Path) -> None:
    write(tmp_path)
    with started(tmp_path, "up", "--host", "0.0.0.0") as up:  # noqa: S104 - what must not happen
        up.says("pages are served on 127.0.0.1, not on 0.0.0.0")
        up.ready()
        assert up.get("/healthz", Host="evil.example")[0] == 403
        assert up.end() == 0


def test_a_port_in_use_is_1(tmp_path: Path) -> None:
    write(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        answer = rota("up", "--port", str(port), cwd=tmp_path)
    assert answer.code == 1
    assert f"port {port} on 127.0.0.1 is in use" in answer.one_line()
    assert not (tmp_path / "rota.db").exists()


def test_a_folder_that_cannot_be_written_is_1() -> None:
    """/proc: even root makes no file there."""
    answer = rota("up", cwd=Path("/proc"), env={"ROTA_PORT": "0"})
    assert answer.code == 1
    assert "the folder /proc cannot be written" in answer.err


@pytest.mark.parametrize("role", ["scheduler", "worker", "web"])
def test_a_role_in_the_wrong_folder_is_7_and_makes_nothing(tmp_path: Path, role: str) -> None:
    write(tmp_path)
    answer = rota(role, cwd=tmp_path, env={"ROTA_PORT": "0"})
    assert answer.code == 7
    assert "rota up" in answer.err.splitlines()[-1]
    assert [path.name for path in tmp_path.iterdir()] == ["rota.yaml"]


@pytest.mark.parametrize(
    ("words", "case"),
    [
        ((), ("rota.yaml", "crons: {x: every dya}\njobs: {y: {}}\n", 6, "rota.yaml:1:")),
        (("nothing.yaml",), ("x", "", 6, "nothing.yaml")),
        (("nothing:rota",), ("x", "", 6, "neither a file nor a module")),
        (("tasks.py",), ("tasks.py", CODE, 6, "tasks:rota")),
        (("tasks:app",), ("tasks.py", CODE, 6, "there is tasks:rota")),
        (("tasks:time",), ("tasks.py", CODE, 6, "not a Rota application")),
        (("tasks:rota",), ("tasks.py", "import nonsense_\n", 6, "nonsense_")),
        (("tasks:rota",), ("tasks.py", "1 / 0\n", 6, "ZeroDivisionError: division by zero")),
        (("tasks:rota",), ("tasks.py", "def x(:\n", 6, "SyntaxError")),
        (("rota:app",), ("rota.py", CODE, 6, "has the name of the package rota")),
        (("--port", "70000"), ("x", "", 2, "70000")),
    ],
)
def test_what_cannot_start(
    run_empty: Run,
    empty: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    case: tuple[str, str, int, str],
) -> None:
    """In one clear line (or one a fault), with the exit code of the contract; and nothing is made."""
    name, text, code, hint = case
    monkeypatch.setattr("rota.cli.hosting.configure", lambda _state: None)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "tasks", raising=False)
    write(empty, text, name)
    answer = run_empty("up", *words)
    assert answer.code == code, answer
    assert hint in answer.err
    assert answer.err.startswith("rota: ")
    assert [path.name for path in empty.iterdir() if path.name != "__pycache__"] == [name]


def test_a_schedule_of_an_unknown_job_names_its_place(tmp_path: Path) -> None:
    write(tmp_path, "crons: {x: {job: nothing, when: '@daily'}}\n")
    answer = rota("up", cwd=tmp_path, env={"ROTA_PORT": "0"})
    assert answer.code == 3
    assert "rota.yaml:1:" in answer.err
    assert "nothing" in answer.err


def test_postgresql_that_is_not_migrated_is_7(tmp_path: Path, pg_empty_url: str) -> None:
    write(tmp_path)
    answer = rota("--db", pg_empty_url, "up", cwd=tmp_path, env={"ROTA_PORT": "0"})
    assert answer.code == 7
    assert "db upgrade" in answer.err.splitlines()[-1]


def test_postgresql_that_is_away_is_waited_for(tmp_path: Path) -> None:
    write(tmp_path)
    with started(tmp_path, "--db", "postgresql://nobody@127.0.0.1:1/none", "up") as up:
        up.says("trying again until it is back")
        status, body, _ = up.get("/readyz")
        assert status == 503
        assert "out of reach" in json.loads(body)["reasons"][0]
        assert up.get("/healthz")[0] == 200
        status, body, _ = up.get("/")
        assert status == 503
        assert b"is out of reach" in body
        assert b"<!doctype html>" in body
        assert up.end(signal.SIGTERM) == 0


def test_postgresql(tmp_path: Path, pg_url: str) -> None:
    write(tmp_path)
    with started(tmp_path, "--db", pg_url, "up") as up:
        up.ready()
        up.until_run("succeeded")
        assert rota("--db", pg_url, "why", "tick", cwd=tmp_path).code == 0
        assert up.end() == 0
