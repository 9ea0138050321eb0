"""The registry of jobs, requests by hand, backfills and recorded runs, on every store."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from rota import errors
from rota.model.arguments import check_arguments
from rota.store import jobs
from rota.store.jobs import JobRow
from tests.support.application import START, World, archive, moment, noop


@pytest.fixture
def world(store_url: str) -> Iterator[World]:
    made = World(store_url)
    yield made
    made.close()


# The registry


def test_registering_again_only_moves_seen_at(world: World) -> None:
    before = {job.name: job for job in world.app.jobs.list()}
    world.at("12:30")
    world.app.prepare()
    after = {job.name: job for job in world.app.jobs.list()}
    assert {name: job.seen_at for name, job in after.items()} == dict.fromkeys(before, moment("12:30"))
    assert before["archive"].created_at == after["archive"].created_at == START
    assert (after["archive"].lane, after["archive"].defaults["timeout"], after["archive"].kind) == (
        "reports",
        "5m",
        "python",
    )
    parameters = after["archive"].parameters
    assert parameters is not None
    assert parameters["required"] == ["workspace"]


def test_changed_jobs_are_named(world: World) -> None:
    row = JobRow("extra", "shell", defaults={"retry": 2})
    assert world.db.call(jobs.register, [row]) == ["extra"]
    assert world.db.call(jobs.register, [row, JobRow("noop", "python", parameters={})]) == ["noop"]
    assert world.app.jobs.get("extra").parameters is None
    assert world.app.jobs.get("extra").schedules == 0
    with pytest.raises(errors.JobNotFound):
        world.app.jobs.get("nobody")


def test_a_job_that_nobody_serves_keeps_its_schedules(world: World) -> None:
    """Law 11: names survive."""
    world.add("a")
    other = world.other(world.db.url.render_as_string(hide_password=False))
    other.prepare()
    assert other.schedules.get("a").job_known
    assert other.schedules.update("a", note="x").note == "x"
    other.close()


def test_arguments_are_checked_without_the_code(world: World) -> None:
    other = world.other(world.db.url.render_as_string(hide_password=False))
    with pytest.raises(errors.InvalidArguments) as caught:
        other.schedules.add("a", job="archive", when="@daily", args={"workspace": 5, "keep_days": "x", "bogus": None})
    found = {fault["pointer"] for fault in caught.value.errors}
    assert found == {"/args/workspace", "/args/keep_days", "/args/bogus"}
    with pytest.raises(errors.InvalidArguments, match="/args/workspace: missing"):
        other.enqueue("archive")
    assert other.schedules.add("a", job="archive", when="@daily", args={"workspace": "w"}).args == {"workspace": "w"}
    other.close()


ITEM = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer", "minimum": 1}}}
ITEMS = {"type": "array", "items": {"$ref": "#/$defs/Item"}, "maxItems": 2, "$defs": {"Item": ITEM}}
SCHEMA = {
    "type": "object",
    "properties": {
        "when": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "mode": {"enum": ["fast", "slow"]},
        "items": ITEMS,
        "code": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 3},
    },
    "additionalProperties": {"type": "number"},
}


@pytest.mark.parametrize(
    ("args", "pointers"),
    [
        ({"when": None, "mode": "fast", "items": [{"n": 1}], "code": "abc", "x": 1.5}, []),
        ({"when": 5}, ["/args/when"]),
        ({"mode": "odd"}, ["/args/mode"]),
        ({"items": [{"n": 0}, {}]}, ["/args/items/0/n", "/args/items/1/n"]),
        ({"items": [{"n": 1}] * 3}, ["/args/items"]),
        ({"code": "ABCD"}, ["/args/code", "/args/code"]),
        ({"a/b~": "text"}, ["/args/a~1b~0"]),
        ({"x": True}, ["/args/x"]),
    ],
)
def test_the_schemas_that_types_produce(args: dict[str, Any], pointers: list[str]) -> None:
    found: list[str] = []
    try:
        check_arguments("j", args, SCHEMA)
    except errors.InvalidArguments as error:
        found = [fault["pointer"] for fault in error.errors]
    assert found == pointers


# Requests


def test_run_now(world: World) -> None:
    world.add("a", job="archive", args={"workspace": "w"})
    run = world.app.acting("anna").schedules.run("a", args={"keep_days": 3}, reason="now")
    assert (run.state, run.cause, run.args, run.lane) == (
        "queued",
        "manual",
        {"workspace": "w", "keep_days": 3},
        "reports",
    )
    assert run.scheduled_for is None
    assert run.invocation.startswith("default/default/default/a@manual-")
    assert [row["run_id"] for row in world.rows("SELECT run_id FROM {ready}")] == [run.id]
    assert world.events()[-1] == "run.requested"
    with pytest.raises(errors.InvalidArguments):
        world.app.schedules.run("a", args={"keep_days": "many"})


def test_a_request_whose_key_is_held_has_an_answer(world: World) -> None:
    world.add("a")
    world.fire("12:01")
    skipped = world.app.schedules.run("a")
    assert (skipped.state, skipped.reason, skipped.final) == ("skipped", "overlap", True)
    assert world.events()[-2:] == ["run.requested", "run.skipped"]
    world.app.schedules.update("a", overlap="queue_all")
    assert world.app.schedules.run("a").waiting


def test_the_same_dedupe_key_answers_with_the_first_run(world: World) -> None:
    world.add("a", overlap="allow")
    first = world.app.schedules.run("a", dedupe_key="order-7")
    assert world.app.schedules.run("a", dedupe_key="order-7") == first
    assert first.invocation == "order-7"
    made = world.app.enqueue("noop", dedupe_key="n-1")
    world.set_runs("succeeded")
    assert world.app.enqueue("noop", dedupe_key="n-1").id == made.id
    assert world.app.enqueue("noop", dedupe_key="n-2").id != made.id


def test_rotas_own_repeat_finds_the_first_run(world: World) -> None:
    from rota.model.by import By
    from rota.store import manual

    made = world.add("a", overlap="allow")
    request = manual.Request()
    first = world.db.call(manual.request_run, made, request, By())
    assert world.db.call(manual.request_run, made, request, By()) == first


def test_run_now_on_every_state(world: World) -> None:
    world.add("a", overlap="allow")
    world.app.schedules.pause("a")
    assert world.app.schedules.run("a").state == "queued"
    world.app.schedules.disable("a")
    assert world.app.schedules.run("a").state == "queued"
    world.app.schedules.remove("a")
    with pytest.raises(errors.ScheduleNotFound):
        world.app.schedules.run("a")


def test_enqueue(world: World) -> None:
    made = world.app.enqueue("archive", {"workspace": "c"}, lane="fast", priority=2, not_before=timedelta(minutes=5))
    assert (made.schedule, made.job, made.lane, made.priority) == (None, "archive", "fast", 2)
    assert made.not_before == START + timedelta(minutes=5)
    assert world.rows("SELECT run_id FROM {ready}") == []
    assert {lane.name for lane in world.app.lanes.list()} >= {"fast"}
    again = world.app.enqueue("archive", {"workspace": "c"})
    assert (again.lane, again.priority) == ("reports", 5)
    assert world.rows("SELECT count(*) AS n FROM {definitions}")[0]["n"] == 1
    elsewhere = world.other(world.db.url.render_as_string(hide_password=False), tenant="acme")
    assert elsewhere.enqueue("noop").invocation.startswith("acme/default/default/noop@manual-")
    elsewhere.close()
    for wrong in ({"job": "nobody"}, {"lane": "a/b"}, {"dedupe_key": ""}, {"not_before": "2026-03-01T12:00:00"}):
        with pytest.raises(errors.Error):
            world.app.enqueue(**({"job": "noop"} | wrong))  # type: ignore[arg-type]


def test_new_defaults_of_a_job_make_a_new_revision_of_its_requests(world: World) -> None:
    world.app.enqueue("noop")
    world.db.call(jobs.register, [JobRow("noop", "python", defaults={"timeout": "1h"})])
    world.app.enqueue("noop")
    rows = world.rows("SELECT revision FROM {definitions} ORDER BY revision")
    assert [row["revision"] for row in rows] == [1, 2]


# Backfill


def test_backfill_makes_runs_only_where_there_is_none(world: World) -> None:
    world.add("a", when="every 10 minutes")
    world.at("12:10:30")
    world.fire()
    dry = world.app.schedules.backfill("a", moment("11:40"), moment("12:30"), dry_run=True)
    expected = (moment("11:40"), moment("11:50"), moment("12:00"))
    assert (dry.occurrences, dry.existing, dry.runs, dry.dry_run) == (expected, 1, (), True)
    assert len(world.runs()) == 1
    made = world.app.schedules.backfill("a", "2026-03-01T11:40:00Z", "2026-03-01T12:30:00Z")
    assert (made.occurrences, made.existing, len(made.runs)) == (expected, 1, 3)
    found = {run.scheduled_for: run for run in world.app.runs.list(cause="backfill")}
    assert set(found) == set(expected)
    assert all(run.waiting for run in found.values())
    assert found[moment("11:40")].invocation == "default/default/default/a@2026-03-01T11:40:00Z"
    again = world.app.schedules.backfill("a", moment("11:40"), moment("12:30"))
    assert (again.runs, again.existing) == ((), 4)


def test_backfill_refuses_what_may_have_run_without_a_trace(world: World) -> None:
    world.add("a", when="every day at 12:00")
    old = START - timedelta(days=91)
    with pytest.raises(errors.InvalidValue, match="again"):
        world.app.schedules.backfill("a", old, START)
    assert len(world.app.schedules.backfill("a", old, START, again=True).occurrences) == 91
    with pytest.raises(errors.InvalidValue, match="before start"):
        world.app.schedules.backfill("a", START, old)
    world.add("b", when="every second")
    with pytest.raises(errors.InvalidValue, match="10000"):
        world.app.schedules.backfill("b", START - timedelta(days=1), START)


def test_r05_backfill_of_a_removed_schedule_is_refused(world: World) -> None:
    made = world.add("a")
    world.app.schedules.remove("a")
    for name in ("a", made):
        with pytest.raises(errors.ScheduleNotFound):
            world.app.schedules.backfill(name, moment("11:00"), moment("12:00"))
    assert world.rows("SELECT count(*) AS n FROM {runs}")[0]["n"] == 0


# Recorded runs


def test_record_run_moves_health_never_the_watermark(world: World) -> None:
    world.add("a", disable_after=2)
    before = world.app.schedules.get("a")
    done = world.app.schedules.record_run(
        "a", moment("12:01"), "succeeded", moment("12:01"), moment("12:01:05"), {"rows": 7}
    )
    assert (done.state, done.cause, done.result, done.final) == ("succeeded", "recorded", {"rows": 7}, True)
    assert (done.started_at, done.finished_at) == (moment("12:01"), moment("12:01:05"))
    after = world.app.schedules.get("a")
    assert (after.watermark, after.next_at) == (before.watermark, before.next_at)
    assert after.last_success_at is not None
    with pytest.raises(errors.Conflict):
        world.app.schedules.record_run("a", moment("12:01"), "failed", moment("12:01"), moment("12:02"))
    with pytest.raises(errors.InvalidValue):
        world.app.schedules.record_run("a", moment("12:02"), "running", moment("12:01"), moment("12:02"))
    with pytest.raises(errors.InvalidValue):
        world.app.schedules.record_run("a", moment("12:02"), "failed", moment("12:03"), moment("12:02"))
    world.app.schedules.record_run("a", moment("11:59"), "failed", moment("11:59"), moment("11:59"))
    assert world.app.schedules.get("a").consecutive_failures == 1
    world.app.schedules.record_run("a", moment("11:58"), "lost", moment("11:59"), moment("11:59"))
    assert world.app.schedules.get("a").disabled_reason == "2 consecutive failures"
    assert world.events().count("run.failed") == 1


def test_handlers_stay_ordinary_functions(world: World) -> None:
    handle = world.app.job(noop)
    assert handle() is None
    assert (handle.name, handle.__name__) == ("noop", "noop")
    assert world.app.registry.get("archive") is not None
    assert archive.__module__ == "tests.support.application"
