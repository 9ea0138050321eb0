"""`Rota`: jobs and schedules declared in code, the handles in an asyncio application, an application that runs."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rota import errors
from rota.app import client
from rota.app.records import Page, plain
from rota.app.rota import Rota
from rota.model.settings import Settings
from tests.support.application import START, World, archive, moment, noop

QUICK = {"poll": "0.2s", "lease": "5s", "drain": "2s"}


@pytest.fixture
def world(store_url: str) -> Iterator[World]:
    made = World(store_url)
    yield made
    made.close()


def declaring(world: World, **options: Any) -> Rota:
    url = world.db.url.render_as_string(hide_password=False)
    return world.other(url, **({"origin": "code:shop:rota"} | options))


# Declarations


def test_declarations_are_applied_once(world: World) -> None:
    app = declaring(world, timezone="Europe/Stockholm")
    app.job(noop, name="tidy", when="every day at 03:15", labels={"consumer": "x"})
    app.job(archive).schedule("0 3 * * *", name="acme", args={"workspace": "acme"}, timezone="UTC")
    report = app.prepare()
    assert report.created == ["acme", "tidy"]
    made = app.schedules.get("tidy")
    assert (made.source, made.origin, made.zone, made.labels) == (
        "app",
        "code:shop:rota",
        "Europe/Stockholm",
        {"consumer": "x"},
    )
    assert app.schedules.get("acme").zone == "UTC"
    before, events = list(app.schedules.list()), world.events()
    world.at("12:30")
    assert not app.prepare().changed
    assert (list(app.schedules.list()), world.events()) == (before, events)


def test_a_new_version_updates_and_removes_nothing(world: World) -> None:
    old = declaring(world)
    old.job(noop, name="tidy", when="every hour")
    old.job(archive).schedule("@daily", name="gone", args={"workspace": "x"})
    old.prepare()
    old.schedules.update("tidy", note="by hand")
    old.schedules.pause("tidy")
    new = declaring(world)
    new.job(noop, name="tidy", when="every 2 hours")
    assert new.prepare().updated == ["tidy"]
    after = new.schedules.get("tidy")
    assert (after.when, after.note, after.state) == ("every 2 hours", "by hand", "paused")
    assert new.schedules.get("gone").state == "active"
    assert old.prepare().updated == ["tidy"]


def test_an_older_release_applies_nothing(world: World) -> None:
    new = declaring(world, release=2)
    new.job(noop, name="tidy", when="every 2 hours")
    new.prepare()
    old = declaring(world, release=1)
    old.job(noop, name="tidy", when="every hour")
    assert not old.prepare().changed
    assert new.schedules.get("tidy").when == "every 2 hours"


def test_a_users_schedule_is_not_taken(world: World) -> None:
    world.add("tidy")
    app = declaring(world)
    app.job(noop, name="tidy", when="every hour")
    assert app.prepare().taken == {"tidy": "source user"}
    assert world.app.schedules.get("tidy").when == "every minute"


def test_bad_declarations_are_refused_where_they_are(world: World) -> None:
    app = declaring(world)
    with pytest.raises(errors.InvalidWhen):
        app.job(noop, name="one", when="every 5 parsecs")
    with pytest.raises(errors.InvalidValue, match="needs when="):
        app.job(noop, name="two", timezone="UTC")
    with pytest.raises(errors.InvalidValue, match="unknown option"):
        app.job(noop, name="three", colour="red")
    with pytest.raises(errors.InvalidValue):
        app.job(lambda: None)
    with pytest.raises(errors.Conflict):
        app.job(archive, name="one")
    app.job(noop, name="four", when="every hour")
    with pytest.raises(errors.Conflict, match="declared twice"):
        app.declare("four", {"job": "one", "when": "every minute"})


def test_a_declared_schedule_of_a_wrong_job_is_told(world: World) -> None:
    app = declaring(world)
    app.declare("a", {"job": "nobody", "when": "every hour"})
    with pytest.raises(errors.JobNotFound):
        app.prepare()


def test_the_origin_of_code_is_found(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(
        "from rota import Rota\nsome = Rota()\n@some.job(when='every hour')\ndef tidy(): pass\n"
        "if __name__ == '__main__': print(some.origin)\n"
    )
    for command in (["shop.py"], ["-c", "import shop; print(shop.some.origin)"], ["-m", "shop"]):
        done = subprocess.run([sys.executable, *command], cwd=tmp_path, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "code:shop:some"
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".db"] == []


# Databases


def test_an_embedded_database_is_made_at_first_use(tmp_path: Path) -> None:
    with Rota(f"sqlite:///{tmp_path}/new.db") as app:
        assert not (tmp_path / "new.db").exists()
        assert list(app.schedules.list()) == []
    assert (tmp_path / "new.db").exists()


def test_other_doors_create_nothing(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/none.db"
    with pytest.raises(errors.DatabaseUnavailable, match="rota up"):
        client.connect(url)
    with pytest.raises(errors.DatabaseUnavailable):
        client.status(url)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(errors.DatabaseUnavailable, match="no folder"):
        client.create(f"sqlite:///{tmp_path}/x/none.db")
    before, now, shown = client.migrate(url)
    assert (before, shown) == (None, url)
    assert client.status(url) == (now, now, url)
    with client.connect(url, actor="anna", tenant="acme") as app:
        assert app.place.tenant == "acme"
        assert list(app.nodes.list()) == []


def test_a_postgresql_database_must_have_been_migrated(pg_empty_url: str) -> None:
    with Rota(pg_empty_url) as app, pytest.raises(errors.DatabaseNotMigrated, match=r"rota --db .+ db upgrade"):
        list(app.schedules.list())
    client.migrate(pg_empty_url)
    with Rota(pg_empty_url) as app:
        assert list(app.schedules.list()) == []


def test_settings_are_laid_over_each_other(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ROTA_LEASE", "9s")
    app = Rota(f"sqlite:///{tmp_path}/a.db", settings={"lease": "1s", "poll": "1s", "slots": 3})
    app.configure({"poll": "2s", "lease": "2s"})
    assert app.settings == Settings.of({"lease": "9s", "poll": "2s", "slots": 3})
    with pytest.raises(errors.UnknownZone):
        Rota(timezone="Mars/Olympus")
    with pytest.raises(errors.InvalidValue):
        Rota(tenant="a/b")


# Records


def test_records_are_the_apis_json(world: World) -> None:
    world.add("a")
    world.at("12:01:00.5")
    run = world.app.schedules.run("a")
    assert run.to_json()["created_at"] == "2026-03-01T12:01:00.500000Z"
    world.fire("12:05")
    page = world.app.schedules.page()
    assert isinstance(page, Page)
    assert plain(page)["next_cursor"] is None
    assert plain(page)["items"][0]["key"] == "default/default/default/a"
    world.app.schedules.update("a", overlap="allow")
    world.fire("12:09")
    covered = next(iter(world.app.runs.list(cause="catchup", limit=1))).to_json()
    assert covered["covers"] == {"from": "2026-03-01T12:06:00Z", "to": "2026-03-01T12:09:00Z", "count": 4}


def test_runs_are_listed_and_filtered(world: World) -> None:
    world.add("a", overlap="allow")
    world.fire("12:01")
    world.fire("12:02")
    world.set_runs("succeeded")
    world.app.enqueue("noop")
    runs = world.app.runs
    assert [run.cause for run in runs.list()] == ["manual", "schedule", "schedule"]
    assert len(list(runs.list(schedule="a"))) == len(list(runs.list(schedule="default/default/default/a"))) == 2
    assert len(list(runs.list(state=["queued", "running"]))) == len(list(runs.list(cause="manual"))) == 1
    first = runs.page(limit=2)
    assert [run.id for run in runs.page(limit=2, cursor=first.next_cursor).items] == [1]
    for wrong in ({"cursor": "x"}, {"limit": 0}, {"state": "odd"}, {"nonsense": 1}):
        with pytest.raises(errors.InvalidValue):
            runs.page(**wrong)
    assert runs.wait(1).final
    with pytest.raises(errors.RunNotFound):
        runs.wait(999)


def test_cancel_and_retry(world: World) -> None:
    world.add("a")
    world.fire("12:01")
    (run,) = world.app.runs.list()
    with pytest.raises(errors.Conflict):
        world.app.runs.retry(run.id)
    assert world.app.runs.cancel(run.id).state == "cancelled"
    again = world.app.runs.retry(run.id)
    assert (again.cause, again.retry_of, again.invocation) == ("retry", run.id, f"{run.invocation}#2")


def test_lanes_and_nodes(world: World) -> None:
    lanes = world.app.lanes
    with pytest.raises(errors.LaneNotFound):
        lanes.pause("mail")
    assert lanes.set("mail", concurrency=2).concurrency == 2
    assert lanes.set("mail", rate="30/m").concurrency == 2
    assert lanes.set("mail", concurrency=None).rate == "30/m"
    assert lanes.pause("mail").paused
    assert not lanes.resume("mail").paused
    (node,) = world.app.nodes.list()
    assert (node.roles, node.lanes, node.state) == (("scheduler",), None, "live")
    assert world.app.nodes.drain(node.id).draining
    with pytest.raises(errors.NodeNotFound):
        world.app.nodes.drain("none")


def test_events_are_listed(world: World) -> None:
    world.add("a")
    world.add("b")
    world.app.schedules.disable("a", reason="calm")
    events = list(world.app.events.list())
    assert [e.id for e in events] == sorted(e.id for e in events)
    assert [e.type for e in world.app.events.list(subject="a")] == ["schedule.created", "schedule.disabled"]
    assert [e.subject for e in world.app.events.list(type="schedule.created", limit=1)] == ["default/default/default/b"]
    assert [e.id for e in world.app.events.list(after=events[0].id, limit=1)] == [events[1].id]
    assert events[-1].data["reason"] == "calm"


# Awaitable, and running


def test_the_handles_are_awaitable(world: World) -> None:
    async def use() -> None:
        made = await world.app.aio.schedules.add("a", job="noop", when="every minute")
        assert made == world.app.schedules.get("a")
        assert [s.name async for s in world.app.aio.schedules.list()] == ["a"]
        run = await world.app.aio.enqueue("noop")
        assert (await world.app.aio.runs.get(run.id)).state == "queued"
        with pytest.raises(errors.TimedOut):
            await world.app.aio.runs.wait(run.id, timeout=0)
        with pytest.raises(errors.ScheduleNotFound):
            await world.app.aio.schedules.get("b")
        with pytest.raises(AttributeError):
            world.app.aio.schedules._core  # noqa: B018

    asyncio.run(use())


def double(n: int) -> int:
    return 2 * n


async def broken() -> None:
    raise ValueError("no")


def test_an_application_runs(store_url: str) -> None:
    app = Rota(store_url, settings=QUICK)
    app.job(double, when="every second", args={"n": 21})
    app.job(broken)

    async def use() -> None:
        async with app.serving():
            made = await app.aio.enqueue("double", {"n": 4})
            done = await app.aio.runs.wait(made.id, timeout="20s")
            assert (done.state, done.result, done.attempt) == ("succeeded", 8, 1)
            failed = await app.aio.runs.wait((await app.aio.enqueue("broken")).id, timeout="20s")
            assert (failed.state, failed.error.type if failed.error else None) == ("failed", "ValueError")
            scheduled = await first_scheduled()
            assert (await app.aio.runs.wait(scheduled, timeout="20s")).result == 42
        assert (await app.aio.schedules.get("double")).last_run is not None

    async def first_scheduled() -> int:
        while True:
            async for run in app.aio.runs.list(schedule="double"):
                found: int = run.id
                return found
            await asyncio.wait_for(asyncio.to_thread(app.runs.wait, 1), 5)

    with app:
        asyncio.run(use())
        assert "fired" in [told.disposition for told in app.schedules.why("double")]


def test_what_keeps_the_loops_from_starting_is_raised(tmp_path: Path) -> None:
    app = Rota(f"sqlite:///{tmp_path}/no/folder.db")

    async def use() -> None:
        async with app.serving():
            raise AssertionError("it must not start")

    with pytest.raises(errors.DatabaseUnavailable):
        asyncio.run(use())
    with pytest.raises(errors.InvalidValue, match="roles"):
        app.service(roles=["boss"])


def test_the_suite_knows_its_time() -> None:
    assert moment("12:00:30") == START
