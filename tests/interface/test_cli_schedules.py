"""`rota schedule …`, `next` and `why` on a database: answers, shapes, exit codes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from rota import Rota
from tests.interface.conftest import Run

FIELDS = """id key tenant stack environment name job job_known args when canonical words note labels timezone zone lane
priority source origin owner enabled paused_until disabled_reason state watermark next_at last_run last_success_at
consecutive_failures anchor dst_gap dst_overlap valid_from valid_until max_occurrences catchup catchup_window catchup_max
grace overlap single_flight queue_max retry timeout on_lost max_lost disable_after probe_after jitter on_edit on_resume
revision created_at updated_at"""


def add(run: Run, name: str, *words: str) -> None:
    answer = run("schedule", "add", name, *(words or ("every", "day", "at", "03:15")), "--job", "tick")
    assert answer.code == 0, answer.err


def test_add_with_words_and_info(run: Run) -> None:
    answer = run(
        "schedule", "add", "backup-acme", "every", "day", "at", "03:15", "--job", "backup", "--timezone", "Asia/Tokyo",
        "--arg", "target=007", "--arg", "keep_days=3", "--label", "team=ops", "--retry", "3", "--retry-base", "5s",
        "--catchup", "none", "--note", "for acme",
    )  # fmt: skip
    assert answer.code == 0, answer.err
    assert answer.out.startswith("added backup-acme: At 03:15 every day, Asia/Tokyo time; next ")
    assert "+09:00" in answer.out
    info = run("schedule", "info", "backup-acme", "-o", "json").json
    assert list(info) == FIELDS.split()
    assert info["key"] == "default/default/default/backup-acme"
    assert info["args"] == {"target": "007", "keep_days": 3}
    assert info["labels"] == {"team": "ops"}
    assert info["retry"] == {"attempts": 3, "backoff": "exponential", "base": "5s", "max": "1h", "on": []}
    assert (info["catchup"], info["source"], info["note"]) == ("none", "user", "for acme")
    assert info["next_at"].endswith("Z")
    text = run("schedule", "info", "backup-acme").out
    assert "arguments\ttarget='007', keep_days=3\n" in text


def test_the_zone_in_force_is_told_where_none_was_given(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    answer = run("schedule", "add", "x", "every day at 9am", "--job", "tick")
    assert answer.one_line() == "rota: no zone was given: times are in UTC; this machine's is Asia/Tokyo"


@pytest.mark.parametrize(
    ("words", "code", "hint"),
    [
        (("x", "every", "weekdy", "--job", "tick"), 6, "weekday"),
        (("x", "0 0 31 2 *", "--job", "tick"), 6, "31 2"),
        (("x", "@reboot", "--job", "tick"), 6, "node.started"),
        (("x", "@daily", "--job", "tick", "--timezone", "Europe/Nowhere"), 6, "Nowhere"),
        (("x", "@daily", "--job", "nothing"), 3, "nothing"),
        (("x", "@daily", "--job", "backup"), 6, "target"),
        (("x", "@daily", "--job", "backup", "--arg", "target=1", "--arg", "keep_days=x"), 6, "keep_days"),
        (("x", "@daily", "--job", "tick", "--grace", "soon"), 6, "grace"),
        (("x", "@daily", "--job", "tick", "--catchup", "some"), 2, "catchup"),
        (("x", "@daily", "--job", "tick", "--priority", "high"), 2, "priority"),
        (("x/y", "@daily", "--job", "tick"), 6, "x/y"),
        (("x", "@daily", "--job", "tick", "--arg", "k"), 2, "NAME=VALUE"),
    ],
)
def test_what_add_refuses(run: Run, words: tuple[str, ...], code: int, hint: str) -> None:
    answer = run("schedule", "add", *words)
    assert answer.code == code, answer.err
    assert hint in answer.err
    assert answer.err.startswith("rota: ")
    assert run("schedule", "ls", "-o", "json").json == []


def test_add_twice_is_5(run: Run) -> None:
    add(run, "x")
    answer = run("schedule", "add", "x", "@hourly", "--job", "tick")
    assert answer.code == 5
    assert "x" in answer.one_line()


def test_quote_it(run: Run, folder: Path) -> None:
    words = [path.name for path in folder.iterdir()]
    answer = run("schedule", "add", "x", "0", "2", *words, *words, *words, "--job", "tick")
    assert answer.code == 6
    assert "quote it" in answer.one_line()


def test_ls(run: Run) -> None:
    add(run, "b")
    add(run, "a", "0 4 * * *")
    run("schedule", "set", "b", "--label", "team=ops")
    assert [one["name"] for one in run("schedule", "ls", "-o", "json").json] == ["a", "b"]
    assert run("schedule", "ls", "-o", "name").out == "a\nb\n"
    lines = [line.split("\t") for line in run("schedule", "ls").out.splitlines()]
    assert [line[:4] for line in lines] == [
        ["a", "0 4 * * *", "UTC", "active"],
        ["b", "every day at 03:15", "UTC", "active"],
    ]
    assert run("schedule", "ls", "-o", "table").out.split()[:3] == ["SCHEDULE", "WHEN", "ZONE"]
    assert run("schedule", "ls", "-l", "team=ops", "-o", "name").out == "b\n"
    assert run("schedule", "ls", "--state", "paused", "-o", "name").out == ""
    assert "no schedules here" in run("schedule", "ls", "--state", "paused").err
    assert run("schedule", "ls", "--search", "0 4").code == 0


def test_places(run: Run) -> None:
    assert (
        run(
            "--tenant", "acme", "--stack", "shop", "--env", "prod", "schedule", "add", "x", "@daily", "--job", "tick"
        ).code
        == 0
    )
    assert run("schedule", "ls", "-o", "json").json == []
    assert run("schedule", "info", "x").code == 3
    assert run("schedule", "info", "acme/shop/prod/x", "-o", "name").out == "x\n"
    assert run("schedule", "ls", "--everywhere", "-o", "name").out == "acme/shop/prod/x\n"
    assert run("--tenant", "a/b", "schedule", "ls").code == 6


def test_verbs_take_several_names_labels_and_all(run: Run) -> None:
    for name in ("a", "b", "c"):
        add(run, name)
    run("schedule", "set", "b", "c", "--label", "team=ops")

    def states() -> dict[str, str]:
        return {one["name"]: one["state"] for one in run("schedule", "ls", "-o", "json").json}

    assert run("schedule", "pause", "a", "b").code == 0
    assert states() == {"a": "paused", "b": "paused", "c": "active"}
    assert run("schedule", "disable", "-l", "team=ops", "--reason", "audit").code == 0
    assert states() == {"a": "paused", "b": "disabled", "c": "disabled"}
    assert run("schedule", "enable", "b", "c").code == 0
    assert run("schedule", "resume", "--all").code == 0
    assert states() == {"a": "active", "b": "active", "c": "active"}
    assert run("schedule", "rm", "-l", "team=ops", "--yes").out == "removed b\nremoved c\n"
    assert list(states()) == ["a"]


@pytest.mark.parametrize("words", [(), ("x", "--all"), ("-l", "a=b", "--all")])
def test_choosing_in_no_way_or_two_is_2(run: Run, words: tuple[str, ...]) -> None:
    assert run("schedule", "pause", *words).code == 2


def test_an_unknown_name_is_3_and_nothing_is_done(run: Run) -> None:
    add(run, "a")
    answer = run("schedule", "pause", "a", "nix")
    assert answer.code == 3
    assert "nix" in answer.one_line()
    assert run("schedule", "info", "a", "-o", "json").json["state"] == "active"


def test_pause_until_on_the_schedules_wall(run: Run) -> None:
    run("schedule", "add", "x", "@daily", "--job", "tick", "--timezone", "Asia/Tokyo")
    answer = run("schedule", "pause", "x", "--until", "2099-01-01 08:00", "-o", "json")
    assert answer.json["paused_until"] == "2098-12-31T23:00:00Z"
    assert run("schedule", "pause", "x", "--for", "2h").out.startswith("paused x: paused until ")
    assert run("schedule", "pause", "x", "--until", "whenever").code == 6


def test_set_keeps_the_rest_and_a_no_op_changes_nothing(run: Run) -> None:
    add(run, "x")
    before = run("schedule", "info", "x", "-o", "json").json
    same = run("schedule", "set", "x", "--when", "every day at 03:15", "-o", "json").json
    assert same == before
    after = run("schedule", "set", "x", "--grace", "10m", "--timeout", "5m", "-o", "json").json
    assert (after["grace"], after["timeout"], after["revision"]) == ("10m", "5m", before["revision"] + 1)
    assert run("schedule", "set", "x", "--grace", "none", "-o", "json").json["grace"] is None
    assert run("schedule", "set", "x", "--note", "n", "--revision", "1").code == 5
    assert run("schedule", "set", "x").code == 2
    assert run("schedule", "set", "x", "--when", "every dya").code == 6


def test_set_changes_single_arguments_and_labels(run: Run) -> None:
    run("schedule", "add", "x", "@daily", "--job", "backup", "--arg", "target=a", "--label", "k=1")
    after = run("schedule", "set", "x", "--arg", "keep_days=9", "--label", "l=2", "--unlabel", "k", "-o", "json").json
    assert after["args"] == {"target": "a", "keep_days": 9}
    assert after["labels"] == {"l": "2"}


def test_every_change_is_on_record_with_who_made_it(run: Run, app: Rota) -> None:
    add(run, "x")
    run("schedule", "pause", "x", "--reason", "holidays")
    newest = app.schedules.changes("x")[0]
    assert (newest.channel, newest.reason) == ("cli", "holidays")
    assert newest.actor


def test_run_by_hand(run: Run) -> None:
    run("schedule", "add", "x", "@daily", "--job", "backup", "--arg", "target=a")
    answer = run("schedule", "run", "x", "--arg", "target=b", "-o", "json")
    assert answer.code == 0
    assert (answer.json["state"], answer.json["cause"], answer.json["args"]["target"]) == ("queued", "manual", "b")
    skipped = run("schedule", "run", "x", "--wait")
    assert skipped.code == 8
    assert skipped.out == "run 2 of x: skipped (overlap)\n"
    late = run("run", "wait", str(answer.json["id"]), "--timeout", "50ms")
    assert late.code == 9
    assert "still queued" in late.one_line()


def test_skip_and_unskip(run: Run) -> None:
    add(run, "x")
    first, second = (one["at"] for one in run("next", "x", "-n", "2", "-o", "json").json)
    assert run("schedule", "skip", "x", "next").code == 0
    coming = run("next", "x", "-n", "2", "-o", "json").json
    assert [one["skipped"] for one in coming] == [True, False]
    assert run("schedule", "unskip", "x", first).code == 0
    assert not run("next", "x", "-n", "1", "-o", "json").json[0]["skipped"]
    off = (datetime.fromisoformat(second) + timedelta(minutes=1)).isoformat()
    assert run("schedule", "skip", "x", off).code == 6


def test_backfill(run: Run) -> None:
    add(run, "x", "every hour")
    dry = run("schedule", "backfill", "x", "--from", "3 hours ago", "--dry-run", "-o", "json").json
    assert dry["dry_run"] is True
    assert len(dry["occurrences"]) == 3
    assert run("run", "ls", "-o", "json").json == []
    assert run("schedule", "backfill", "x", "--from", "3 hours ago").out.startswith("x: 3 queued\n")
    assert len(run("run", "ls", "-o", "json").json) == 3


def test_next_of_all(run: Run) -> None:
    add(run, "a", "every hour")
    add(run, "b", "every day at 00:00")
    coming = run("next", "-n", "30", "-o", "json").json
    assert list(coming[0]) == ["schedule", "at", "local", "job", "state", "skipped"]
    assert [one["at"] for one in coming] == sorted(one["at"] for one in coming)
    assert {one["schedule"].rpartition("/")[2] for one in coming} == {"a", "b"}
    assert run("next", "nix").code == 3


def test_why(run: Run, app: Rota) -> None:
    add(run, "x", "every second")
    answers = run("why", "x", "-o", "json").json
    assert all(set(one) >= {"schedule", "at", "disposition", "sentence", "advice"} for one in answers)
    at = (datetime.now(UTC) + timedelta(hours=1)).replace(microsecond=500_000)  # noqa: TID251 - an instant to ask about
    shown = run("why", "x", at.isoformat())
    assert shown.code == 0
    assert len(shown.out.splitlines()) >= 2  # it is no occurrence: itself, then its neighbours
    assert run("why", "nix").code == 3
    assert run("why", "x", "whenever").code == 6


def test_a_schedule_without_an_occurrence_yet(run: Run) -> None:
    add(run, "x")
    answer = run("why", "x")
    assert answer.code == 0
