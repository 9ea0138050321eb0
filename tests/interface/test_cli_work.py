"""`rota run, job, lane, node, event, db, doctor` on a database."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rota import Rota
from tests.interface.cli import rota
from tests.interface.conftest import Run

RUN_FIELDS = """id schedule schedule_id job args lane priority scheduled_for not_before invocation state reason cause attempt
retry_of node covers result error exit_code created_at started_at finished_at"""


def queued(run: Run) -> str:
    """The id of a run that waits."""
    answer = run("job", "run", "backup", "--arg", "target=a")
    assert answer.code == 0, answer.err
    return answer.out.strip()


def test_job_run_and_run_info(run: Run) -> None:
    number = queued(run)
    record = run("run", "info", number, "-o", "json").json
    assert set(record) >= set(RUN_FIELDS.split())
    assert (record["job"], record["state"], record["cause"]) == ("backup", "queued", "manual")
    assert record["args"] == {"target": "a"}
    assert "arguments\ttarget='a'\n" in run("run", "info", number).out
    assert run("run", "info", number, "-o", "name").out == f"{number}\n"


def test_job_run_later_and_once(run: Run) -> None:
    words = ("job", "run", "backup", "--arg", "target=a", "--in", "1h", "--dedupe-key", "k", "-o", "json")
    first = run(*words).json
    assert first["not_before"] is not None
    assert run(*words).json["id"] == first["id"]


@pytest.mark.parametrize(
    ("words", "code", "hint"),
    [
        (("job", "run", "nothing"), 3, "nothing"),
        (("job", "run", "backup"), 6, "target"),
        (("job", "run", "backup", "--arg", "target=a", "--arg", "x=1"), 6, "x"),
        (("run", "info", "999"), 3, "999"),
        (("run", "info", "one"), 2, "one"),
        (("run", "logs", "999"), 3, "999"),
        (("run", "cancel", "999"), 3, "999"),
        (("run", "retry", "999"), 3, "999"),
        (("run", "wait", "999"), 3, "999"),
        (("lane", "pause", "nothing"), 3, "nothing"),
        (("lane", "set", "x", "--rate", "often"), 6, "often"),
        (("node", "drain", "nothing"), 3, "nothing"),
        (("event", "ls", "--limit", "0"), 2, "limit"),
    ],
)
def test_what_is_refused(run: Run, words: tuple[str, ...], code: int, hint: str) -> None:
    answer = run(*words)
    assert answer.code == code
    assert hint in answer.one_line()


def test_retry_of_what_has_not_ended_is_5(run: Run) -> None:
    assert run("run", "retry", queued(run)).code == 5


def test_cancel_wait_retry(run: Run) -> None:
    number = queued(run)
    cancelled = run("run", "cancel", number, "--reason", "no need")
    assert cancelled.out.startswith(f"run {number} of backup: cancelled")
    waited = run("run", "wait", number, "-o", "json")
    assert waited.code == 8
    assert waited.json["state"] == "cancelled"
    again = run("run", "retry", number, "-o", "json").json
    assert (again["retry_of"], again["state"]) == (int(number), "queued")


def test_run_ls(run: Run) -> None:
    first, second = queued(run), queued(run)
    run("run", "cancel", first)
    assert [one["id"] for one in run("run", "ls", "-o", "json").json] == [int(second), int(first)]
    assert run("run", "ls", "--state", "cancelled", "-o", "name").out == f"{first}\n"
    assert run("run", "ls", "--job", "tick").out == ""
    fields = run("run", "ls", "--limit", "1").out.rstrip("\n").split("\t")
    assert fields[:3] == [second, "backup", "queued"]


def test_logs_of_a_silent_run(run: Run) -> None:
    number = queued(run)
    answer = run("run", "logs", number)
    assert (answer.code, answer.out) == (0, "")
    assert "has written nothing" in answer.err
    assert run("run", "logs", number, "-o", "json").json == []


def test_job_ls(run: Run) -> None:
    jobs = run("job", "ls", "-o", "json").json
    assert [job["name"] for job in jobs] == ["backup", "tick"]
    assert set(jobs[0]["parameters"]["properties"]) == {"target", "keep_days"}
    assert run("job", "ls").out.split("\t")[0] == "backup"


def test_lanes(run: Run) -> None:
    assert run("lane", "set", "mail", "--concurrency", "3", "--rate", "30/m").out.startswith("lane mail: concurrency 3")
    assert run("lane", "pause", "mail", "-o", "json").json["paused"] is True
    assert run("lane", "resume", "mail", "-o", "json").json["paused"] is False
    assert run("lane", "set", "mail", "--concurrency", "none", "-o", "json").json["concurrency"] is None
    assert "mail" in run("lane", "ls", "-o", "name").out.splitlines()


def test_nodes(run: Run) -> None:
    answer = run("node", "ls")
    assert (answer.code, answer.out) == (0, "")
    assert "no process of rota is alive here" in answer.err


def test_events(run: Run) -> None:
    run("schedule", "add", "x", "@daily", "--job", "tick")
    events = run("event", "ls", "--type", "schedule.created", "-o", "json").json
    assert [event["subject"] for event in events] == ["default/default/default/x"]
    assert list(events[0]) == ["id", "type", "at", "subject", "code", "data"]
    assert run("event", "ls", "--after", str(events[0]["id"]), "-o", "json").json == []
    assert len(run("event", "ls", "--subject", "x").out.splitlines()) == 1


def test_db(run: Run, folder: Path) -> None:
    assert run("db", "status", "-o", "json").json["current"] is True
    assert "already" in run("db", "upgrade").out
    assert run("--db", f"sqlite:///{folder}/new.db", "db", "upgrade").code == 0
    assert (folder / "new.db").exists()


def test_a_database_that_is_not_migrated_is_7(run: Run, pg_empty_url: str) -> None:
    answer = run("--db", pg_empty_url, "schedule", "ls")
    assert answer.code == 7
    assert "db upgrade" in answer.one_line()
    status = run("--db", pg_empty_url, "db", "status")
    assert status.code == 7
    assert "revision\tnone\n" in status.out
    assert run("--db", pg_empty_url, "db", "upgrade").code == 0
    assert run("--db", pg_empty_url, "db", "status").code == 0
    assert run("--db", pg_empty_url, "schedule", "ls").code == 0


def test_a_file_that_is_no_database(run: Run, folder: Path) -> None:
    (folder / "notes.db").write_text("shopping list\n" * 100)
    answer = run("--db", f"sqlite:///{folder}/notes.db", "schedule", "ls")
    assert answer.code in (1, 7)
    assert "notes.db" in answer.one_line()


def test_a_read_only_folder_is_1(folder: Path) -> None:
    closed = Path("/sys") if os.geteuid() == 0 else folder  # where even root may not make a file
    folder.chmod(0o500)
    try:
        made = rota("init", cwd=closed)
        assert made.code == 1
        assert "rota.yaml" in made.one_line()
        kept = rota("--db", f"sqlite:///{closed}/rota.db", "db", "upgrade", cwd=closed)
        assert kept.code in (1, 7)
        assert "rota.db" in kept.one_line()
    finally:
        folder.chmod(0o700)


def test_doctor(run: Run) -> None:
    answer = run("doctor", "-o", "json")
    assert answer.code == 0
    by_what = {one["what"]: one for one in answer.json}
    assert by_what["database"]["grade"] in ("ok", "warning")
    assert by_what["schedulers"]["grade"] == "warning"
    assert "rota up" in by_what["schedulers"]["detail"]


def test_doctor_sees_a_bad_file_and_a_shadow(run: Run, folder: Path) -> None:
    (folder / "rota.yaml").write_text("crons: {x: every dya}\n")
    (folder / "rota.py").write_text("")
    answer = run("doctor")
    assert answer.code != 0
    assert "bad\trota.yaml\t" in answer.out
    assert "hides one or the other: rename it" in answer.out


def test_doctor_without_a_database_is_7(run: Run, folder: Path) -> None:
    (folder / "rota.db").unlink()
    answer = run("doctor")
    assert answer.code == 7
    assert "bad\tdatabase\t" in answer.out


SHAPES = {
    ("job", "ls"): "name kind version parameters defaults lane priority origin schedules created_at seen_at",
    ("lane", "ls"): "name concurrency rate paused queued running updated_at",
    ("event", "ls", "--limit", "1"): "id type at subject code data",
    ("next",): "schedule at local job state skipped",
    ("why", "x", "2026-01-01T00:00:00Z"): (
        "schedule at local disposition reason sentence advice run run_state node decided_at lateness_s"
    ),
    ("doctor",): "grade what detail",
}


@pytest.mark.parametrize("words", SHAPES, ids=" ".join)
def test_shapes_of_json(run: Run, app: Rota, words: tuple[str, ...]) -> None:
    """Stable: who reads these may rely on the names and their order."""
    app.schedules.add("x", job="tick", when="every minute")
    app.schedules.skip("x", app.schedules.upcoming("x", 1)[0].at)
    app.enqueue("tick")
    answer = run(*words, "-o", "json").json
    assert [list(one) for one in answer[:1]] == [SHAPES[words].split()]


def test_yaml_answers(run: Run, app: Rota) -> None:
    app.enqueue("tick")
    assert run("run", "ls", "-o", "yaml").out.startswith("- id: 1\n  schedule: null\n")
