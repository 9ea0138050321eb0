"""A file to rows: what is created, changed, removed, left alone and reported (document 5, `rota sync`)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rota.errors import InvalidArguments, InvalidValue, JobNotFound
from rota.model.by import By
from rota.model.schedule import Key
from rota.store import dialect, edits, lanes, schedules
from rota.store.database import Database
from rota.store.declared import Report
from rota.sync.apply import apply
from rota.sync.file import load

ME = By("ada", "cli")
JOBS = "jobs:\n  a: {shell: echo, timeout: 10s}\n  b: {command: [echo]}\n"
TWO = JOBS + "crons:\n  a: every day at 03:15\n  b: {when: hourly, labels: {x: y}, overlap: allow}\n"


class Place:
    """A folder with a file, and a database that it is applied to."""

    def __init__(self, database: Database, folder: Path) -> None:
        self.database, self.folder = database, folder

    def apply(self, text: str, name: str = "rota.yaml") -> Report:
        path = self.folder / name
        path.write_text(text)
        return self.database.call(apply, load(path))

    def edit(self, name: str, **changes: Any) -> None:
        self.database.call(edits.update, key(name), changes, ME)

    def rows(self, sql: str, *params: Any) -> list[dict[str, Any]]:
        return self.database.read(dialect.query, sql, params)

    def one(self, name: str) -> dict[str, Any]:
        (row,) = self.rows(
            "SELECT s.*, c.state, c.revision, c.next_at, d.when_text, d.lane, d.timezone, d.max_occurrences FROM {schedules} s"
            " JOIN {cursors} c ON c.schedule_id = s.id JOIN {definitions} d ON d.id = c.definition_id WHERE s.name = %s",
            name,
        )
        return row

    def policy(self, name: str, policy: str) -> Any:
        found = self.database.read(lambda conn: schedules.lock(conn, key(name)).definition.policies)
        return found.to_json()[policy]

    def history(self) -> dict[str, Any]:
        """All that a change would change."""
        tables = (
            "schedules",
            "definitions",
            "cursors",
            "changes",
            "event_inbox",
            "events",
            "lanes",
            "decisions",
            "runs",
        )
        return {name: self.rows(f"SELECT * FROM {{{name}}} ORDER BY 1") for name in tables}


def key(name: str) -> Key:
    return Key("default", "default", "default", name)


@pytest.fixture
def place(store_url: str, tmp_path: Path) -> Iterator[Place]:
    database = Database(store_url)
    yield Place(database, tmp_path)
    database.close()


def test_creates(place: Place) -> None:
    report = place.apply(TWO)
    assert (report.created, report.unchanged, report.taken, report.drift) == (["a", "b"], [], {}, {})
    row = place.one("b")
    assert (row["source"], row["origin"], row["state"], row["when_text"]) == ("app", "rota.yaml", "active", "hourly")
    assert row["next_at"] is not None
    assert place.policy("b", "overlap") == "allow"
    assert place.policy("a", "timeout") == "10s"
    (change, _) = place.rows("SELECT * FROM {changes} WHERE action = 'created' ORDER BY id")
    assert (change["actor"], change["channel"]) == ("file", "file")


def test_the_same_file_changes_nothing(place: Place) -> None:
    """Law 9."""
    text = TWO + "lanes: {background: {concurrency: 3, rate: 5/m}}\n"
    place.apply(text)
    before = place.history()
    report = place.apply("# a comment\n" + text)
    assert place.history() == before
    assert (report.unchanged, report.changed) == (["a", "b"], False)


def test_changes_only_what_the_file_changes(place: Place) -> None:
    place.apply(TWO)
    report = place.apply(TWO.replace("hourly", "every 2 hours").replace("{x: y}", "{x: z}"))
    assert (report.updated, report.unchanged) == (["b"], ["a"])
    assert (place.one("a")["revision"], place.one("b")["revision"]) == (1, 2)
    assert place.one("b")["when_text"] == "every 2 hours"


def test_a_field_that_is_gone_from_the_file_gets_its_default(place: Place) -> None:
    text = JOBS + "crons: {a: {when: hourly, grace: 1h, timezone: Asia/Tokyo, max_occurrences: 5}}\n"
    place.apply(text)
    report = place.apply(JOBS + "crons: {a: hourly}\n")
    assert report.updated == ["a"]
    assert place.policy("a", "grace") is None
    assert (place.one("a")["timezone"], place.one("a")["max_occurrences"]) == (None, None)


def test_what_somebody_changed_by_hand_stays(place: Place) -> None:
    place.apply(TWO)
    place.edit("b", when="every 15 minutes", grace="1h")
    report = place.apply(TWO)
    assert (report.changed, report.drift) == (False, {"b": {"when": "every 15 minutes"}})
    report = place.apply(TWO.replace("{x: y}", "{x: z}"))
    assert (report.updated, report.drift) == (["b"], {"b": {"when": "every 15 minutes"}})
    assert place.one("b")["when_text"] == "every 15 minutes"
    assert place.policy("b", "grace") == "1h"
    report = place.apply(TWO.replace("{x: y}", "{x: z}").replace("hourly", "every 3 hours"))
    assert (place.one("b")["when_text"], report.drift) == ("every 3 hours", {})


def test_disabled_paused_and_removed_by_hand_stay_so(place: Place) -> None:
    text = TWO + "  c: {job: a, when: hourly}\n"
    place.apply(text)
    place.database.call(schedules.disable, key("a"), ME)
    place.database.call(schedules.pause, key("b"), ME)
    place.database.call(schedules.remove, key("c"), ME)
    report = place.apply(text)
    assert not report.changed
    assert report.drift == {"a": {"state": "disabled"}, "b": {"state": "paused"}, "c": {"state": "removed"}}
    place.apply(text.replace("03:15", "04:15"))
    assert place.one("a")["state"] == "disabled"
    assert place.apply(text.replace("c: {job: a, when: hourly}", "c: {job: a, when: daily}")).created == ["c"]


def test_enabled_is_a_field_like_the_others(place: Place) -> None:
    off = JOBS + "crons: {a: {when: hourly, enabled: false}}\n"
    place.apply(off)
    assert place.one("a")["state"] == "disabled"
    place.database.call(schedules.enable, key("a"), ME)
    assert place.apply(off).drift == {"a": {"enabled": True}}
    assert place.one("a")["state"] == "active"
    place.apply(off.replace("false", "true"))
    assert place.one("a")["state"] == "active"
    assert place.apply(off).updated == ["a"]
    assert place.one("a")["state"] == "disabled"


def test_removes_only_its_own(place: Place) -> None:
    place.apply(TWO)
    place.apply("jobs: {c: {shell: x}}\ncrons: {c: hourly}\n", "other.yaml")
    place.database.call(edits.add, key("mine"), {"job": "a", "when": "hourly"}, ME)
    report = place.apply(JOBS + "crons: {b: {when: hourly, labels: {x: y}, overlap: allow}}\n")
    assert (report.removed, report.unchanged) == (["a"], ["b"])
    assert place.apply(JOBS + "crons: {}\n").removed == ["b"]
    states = {row["name"]: row["removed_at"] is None for row in place.rows("SELECT name, removed_at FROM {schedules}")}
    assert states == {"a": False, "b": False, "c": True, "mine": True}


def test_comes_back_with_its_history(place: Place) -> None:
    place.apply(TWO)
    first = place.one("a")["id"]
    place.apply(JOBS + "crons: {}\n")
    assert place.apply(TWO).created == ["a", "b"]
    assert (place.one("a")["id"], place.one("a")["revision"], place.one("a")["state"]) == (first, 2, "active")


@pytest.mark.parametrize("source", ["user", "system", "other.yaml"])
def test_a_name_that_others_hold_is_reported_and_not_taken(place: Place, source: str) -> None:
    if source == "other.yaml":
        place.apply(TWO, source)
    else:
        place.apply(JOBS)
        place.database.call(edits.add, key("a"), {"job": "b", "when": "daily"}, ME, edits.Birth(source))
    before = place.one("a")
    report = place.apply(TWO)
    assert report.taken["a"] == (f"origin {source}" if "." in source else f"source {source}")
    assert place.one("a") == before
    assert "a" not in place.apply(JOBS + "crons: {}\n").removed


def test_a_past_one_shot_is_done_and_warned_about(place: Place) -> None:
    text = JOBS + "crons: {a: 2020-01-01T00:00}\n"
    report = place.apply(text)
    assert place.one("a")["state"] == "done"
    (warning,) = report.warnings
    assert warning.endswith('rota.yaml:4:9: a: "2020-01-01T00:00" is past, so it is done and will not fire')
    assert place.apply(text).warnings == []
    place.apply(text.replace("2020-01-01T00:00", "2099-01-01T00:00"))
    assert place.one("a")["state"] == "active"


def test_faults_have_places_and_nothing_is_written(place: Place) -> None:
    before = place.history()
    with pytest.raises(
        JobNotFound, match=r"rota\.yaml:5:3: a2: no job is called .*\n.*rota\.yaml:6:3: c: no job"
    ) as caught:
        place.apply(JOBS + "crons:\n  a2: hourly\n  c: hourly\n  a: hourly\n")
    assert [e["pointer"] for e in caught.value.errors] == ["/crons/a2/job", "/crons/c/job"]
    assert place.history() == before
    with pytest.raises(InvalidValue, match=r"valid_until.*before valid_from"):
        place.apply(
            JOBS + "crons: {a: {when: hourly, valid_from: 2030-01-02T00:00Z, valid_until: 2030-01-01T00:00Z}}\n"
        )
    assert place.history() == before


def test_a_job_of_another_file_or_of_code(place: Place) -> None:
    place.apply(JOBS, "jobs.yaml")
    assert place.apply("crons: {a: hourly}\n").created == ["a"]


def test_a_jobs_new_defaults_reach_its_schedules(place: Place) -> None:
    place.apply(TWO)
    report = place.apply(TWO.replace("timeout: 10s", "timeout: 20s, lane: slow"))
    assert (report.updated, report.unchanged) == (["a"], ["b"])
    assert (place.policy("a", "timeout"), place.one("a")["lane"]) == ("20s", "slow")


def test_lanes(place: Place) -> None:
    place.apply("lanes: {slow: {concurrency: 2}, mail: {rate: 30/m}}\n")
    place.database.call(lambda conn: lanes.pause(conn, "slow", dialect.instant(conn), ME, paused=True))
    place.apply("lanes: {slow: {concurrency: 3}}\n")
    found = {
        row["name"]: (row["concurrency"], row["rate"], bool(row["paused"]))
        for row in place.rows("SELECT * FROM {lanes}")
    }
    assert found["slow"] == (3, None, True)
    assert found["mail"] == (None, "30/m", False)


def test_the_place_that_the_file_names(place: Place) -> None:
    place.apply("tenant: acme\nstack: shop\nenvironment: prod\n" + TWO)
    (row,) = place.rows("SELECT * FROM {schedules} WHERE name = 'a'")
    assert (row["tenant"], row["stack"], row["environment"]) == ("acme", "shop", "prod")
    assert place.apply(TWO).created == ["a", "b"]


def test_arguments_of_a_job_that_is_declared_elsewhere(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setattr(sys, "path", sys.path.copy())
    (place.folder / "apply_jobs.py").write_text("def digest(workspace: str) -> None: ...\n")
    place.apply("jobs: {digest: {python: 'apply_jobs:digest'}}\n", "jobs.yaml")
    with pytest.raises(InvalidArguments, match=r"rota\.yaml:1:9: digest: .*workspace"):
        place.apply("crons: {digest: {when: hourly, args: {}}}\n")


def test_two_at_once(place: Place) -> None:
    """The same file from several processes at their start: each row once, no deadlock, no error."""
    path = place.folder / "rota.yaml"
    path.write_text(JOBS + "crons:\n" + "".join(f"  s{i}: {{job: {'ab'[i % 2]}, when: hourly}}\n" for i in range(20)))
    file, together = load(path), threading.Barrier(4)
    reports: list[Report] = []

    def one() -> None:
        together.wait()
        reports.append(place.database.call(apply, file))

    threads = [threading.Thread(target=one) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(len(report.created) for report in reports) == [0, 0, 0, 20]
    assert len(place.rows("SELECT * FROM {schedules}")) == 20
