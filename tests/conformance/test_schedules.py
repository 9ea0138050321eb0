"""Adding, reading, listing schedules and changing their state, on every store."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from rota import errors
from tests.support.application import START, World, moment


@pytest.fixture
def world(store_url: str) -> Iterator[World]:
    made = World(store_url)
    yield made
    made.close()


def test_add_writes_a_whole_record(world: World) -> None:
    made = world.app.schedules.add(
        "nightly", job="archive", when="0 3 * * *", timezone="Asia/Tokyo", args={"workspace": "b"}, owner="anna",
        labels={"consumer": "x"}, note="n", grace=300, priority=1,
    )  # fmt: skip
    json = made.to_json()
    assert json["key"] == "default/default/default/nightly"
    assert (json["when"], json["zone"], json["timezone"]) == ("0 3 * * *", "Asia/Tokyo", "Asia/Tokyo")
    assert json["next_at"] == "2026-03-01T18:00:00Z"
    assert json["watermark"] == json["created_at"] == "2026-03-01T12:00:30Z"
    assert (json["lane"], json["priority"], json["timeout"], json["grace"]) == ("reports", 1, "5m", "5m")
    assert json["retry"]["attempts"] == 3
    assert (json["state"], json["enabled"], json["revision"], json["last_run"]) == ("active", True, 1, None)
    assert (json["source"], json["origin"], json["owner"]) == ("user", None, "anna")
    assert world.events() == ["schedule.created"]
    assert [lane.name for lane in world.app.lanes.list()] == ["reports"]


def test_an_existing_key_is_refused_and_nothing_is_written(world: World) -> None:
    world.add("a")
    with pytest.raises(errors.ScheduleExists) as caught:
        world.add("a", when="every hour")
    assert caught.value.code == "X409900SCHDPL"
    assert world.app.schedules.get("a").when == "every minute"
    assert world.events() == ["schedule.created"]


BAD: list[tuple[dict[str, Any], type[errors.Error], list[str]]] = [
    ({"when": "61 * * * *"}, errors.InvalidWhen, ["/when"]),
    ({"when": "0 0 30 2 *"}, errors.InvalidWhen, ["/when"]),
    ({"when": "@reboot"}, errors.InvalidWhen, ["/when"]),
    ({"when": "2020-01-01 00:00"}, errors.InvalidWhen, ["/when"]),
    ({"when": datetime(2027, 1, 1)}, errors.NaiveDatetime, ["/when"]),  # noqa: DTZ001
    ({"job": "nobody"}, errors.JobNotFound, ["/job"]),
    ({"timezone": "Europe/Stokholm"}, errors.UnknownZone, ["/timezone"]),
    ({"valid_from": datetime(2027, 1, 1)}, errors.NaiveDatetime, ["/valid_from"]),  # noqa: DTZ001
    ({"valid_until": "2026-03-01T12:00:40Z"}, errors.InvalidWhen, ["/when"]),
    ({"labels": {"a": 1}}, errors.InvalidValue, ["/labels"]),
    ({"args": {"x": 1}}, errors.InvalidArguments, ["/args/x"]),
    ({"args": {"x": float("nan")}}, errors.InvalidArguments, ["/args/x"]),
    ({"grace": "soon", "overlap": "maybe"}, errors.InvalidValue, ["/grace", "/overlap"]),
    ({"when": "61 * * * *", "job": "nobody", "timezone": "X/Y"}, errors.InvalidWhen, ["/job", "/timezone", "/when"]),
    ({"lane": "a/b", "priority": "high"}, errors.InvalidValue, ["/lane", "/priority"]),
    ({"bogus": 1}, errors.InvalidValue, ["/bogus"]),
    ({"when": ["every minute", "daily at noon o'clock"]}, errors.InvalidWhen, ["/when"]),
]


@pytest.mark.parametrize(("fields", "kind", "pointers"), BAD, ids=[str(i) for i in range(len(BAD))])
def test_bad_values_are_refused_all_at_once(
    world: World, fields: dict[str, Any], kind: type[errors.Error], pointers: list[str]
) -> None:
    with pytest.raises(errors.Error) as caught:
        world.app.schedules.add("a", **({"job": "noop", "when": "every minute"} | fields))
    assert type(caught.value) is kind
    assert sorted(fault["pointer"] for fault in caught.value.errors) == pointers
    assert list(world.app.schedules.list()) == []
    assert world.events() == []


def test_a_refused_text_is_carried(world: World) -> None:
    with pytest.raises(errors.InvalidWhen) as caught:
        world.add("a", when="every 5 parsecs")
    assert (caught.value.code, caught.value.text) == ("X400001CRNINV", "every 5 parsecs")


@pytest.mark.parametrize("name", ["", "a/b", "a@b", " a", "x" * 201, "a\x00", "a\n"])
def test_bad_names_are_refused(world: World, name: str) -> None:
    with pytest.raises(errors.InvalidValue):
        world.add(name)


def test_a_datetime_is_a_one_shot(world: World) -> None:
    at = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    made = world.app.schedules.add("once", job="noop", when=at)
    assert (made.next_at, made.canonical) == (at, "2026-03-02T09:00Z")
    world.fire("2026-03-02T09:00:00Z")
    assert world.app.schedules.get("once").state == "done"
    assert world.events()[-1] == "schedule.done"
    again = world.app.schedules.update("once", when=at + timedelta(days=1))
    assert (again.state, again.next_at) == ("active", at + timedelta(days=1))


def test_relative_texts_are_stored_resolved(world: World) -> None:
    made = world.app.schedules.add("soon", job="noop", when="in 2 hours")
    assert made.next_at == START + timedelta(hours=2)
    assert "in 2" not in made.when
    world.at("13:00")
    assert world.app.schedules.update("soon", note="x").next_at == START + timedelta(hours=2)


def test_max_occurrences_end_it(world: World) -> None:
    made = world.app.schedules.add("thrice", job="noop", when="every minute", max_occurrences=3)
    assert made.next_at == moment("12:01")
    world.fire("12:10")
    after = world.app.schedules.get("thrice")
    assert (after.state, after.next_at) == ("done", None)
    assert after.last_run is not None
    assert after.last_run.scheduled_for == moment("12:03")


def test_many_max_occurrences_are_counted_not_walked(world: World) -> None:
    made = world.app.schedules.add("many", job="noop", when="every second", max_occurrences=100_000)
    last = moment("12:00:30") + timedelta(seconds=100_000)
    assert [e.at for e in world.app.schedules.why("many", last)] == [last]
    assert world.app.schedules.why("many", last + timedelta(seconds=1))[0].disposition == "no_occurrence"
    assert made.max_occurrences == 100_000


def test_valid_from_and_until_are_inclusive(world: World) -> None:
    made = world.app.schedules.add(
        "v", job="noop", when="every minute", valid_from="2026-03-01T13:00:00Z", valid_until="2026-03-01T13:01:00Z"
    )
    assert made.next_at == moment("13:00")
    assert [u.at for u in world.app.schedules.upcoming("v")] == [moment("13:00"), moment("13:01")]


def test_zones_come_from_schedule_owner_tenant(world: World) -> None:
    def zones(conn: Any) -> None:
        from rota.store.tables import of

        conn.execute(of(conn).tenants.insert().values(name="default", timezone="Asia/Tokyo", updated_at=START))
        conn.execute(
            of(conn).owners.insert().values(tenant="default", name="bo", timezone="Europe/Rome", updated_at=START)
        )

    assert world.app.schedules.add("u", job="noop", when="@daily").zone == "UTC"
    world.db.call(zones)
    assert world.app.schedules.add("t", job="noop", when="@daily").zone == "Asia/Tokyo"
    assert world.app.schedules.add("o", job="noop", when="@daily", owner="bo").zone == "Europe/Rome"
    assert (
        world.app.schedules.add("s", job="noop", when="@daily", owner="bo", timezone="Asia/Seoul").zone == "Asia/Seoul"
    )
    moved = world.app.schedules.update("t", owner="bo")
    assert (moved.zone, moved.timezone) == ("Europe/Rome", None)


def test_hashed_fields_stay_what_they_are(world: World) -> None:
    made = world.app.schedules.add("h", job="noop", when="H H * * *")
    assert world.app.schedules.update("h", note="x").canonical == made.canonical
    assert world.app.schedules.add("other", job="noop", when="H H * * *").canonical != made.canonical


def test_lists_filter_sort_and_page(world: World) -> None:
    for number, name in enumerate(["delta", "alpha", "charlie", "bravo"]):
        world.add(name, when=f"{number} 15 * * *", labels={"n": str(number)}, note="first" if number == 0 else None)
    world.app.schedules.disable("bravo")
    schedules = world.app.schedules
    assert [s.name for s in schedules.list()] == ["alpha", "bravo", "charlie", "delta"]
    assert [s.name for s in schedules.list(sort="-name", limit=2)] == ["delta", "charlie"]
    assert [s.name for s in schedules.list(sort="next_at")] == ["delta", "alpha", "charlie", "bravo"]
    assert [s.name for s in schedules.list(state="disabled")] == ["bravo"]
    assert [s.name for s in schedules.list(label="n=1")] == ["alpha"]
    assert len(list(schedules.list(label=["n", "n=2"]))) == 1
    assert list(schedules.list(label="missing")) == []
    assert [s.name for s in schedules.list(q="RAV")] == ["bravo"]
    assert [s.name for s in schedules.list(q="firs")] == ["delta"]
    assert list(schedules.list(q="%")) == []
    assert list(schedules.list(job="archive")) == []
    assert list(schedules.list(tenant="other")) == []
    assert len(list(schedules.list(tenant="*", source="user", lane="default"))) == 4
    for sort in ("name", "-name", "next_at", "-next_at", "created_at", "-updated_at"):
        seen, cursor = [], None
        while True:
            page = schedules.page(cursor=cursor, limit=1, sort=sort)
            seen += [s.name for s in page.items]
            cursor = page.next_cursor
            if cursor is None:
                break
        assert seen == [s.name for s in schedules.list(sort=sort)]
    for wrong in ({"sort": "size"}, {"cursor": "x"}, {"limit": 0}, {"nonsense": 1}, {"state": "odd"}):
        with pytest.raises(errors.InvalidValue):
            schedules.page(**wrong)


def test_keys_of_other_places_and_ids_are_taken(world: World) -> None:
    made = world.app.schedules.add("acme/shop/prod/x", job="noop", when="@daily")
    assert (made.tenant, made.name) == ("acme", "x")
    assert world.app.schedules.get(made.id) == world.app.schedules.get("acme/shop/prod/x") == made
    with pytest.raises(errors.ScheduleNotFound):
        world.app.schedules.get("x")
    for bad in ("a/b", "a/b/c/d/e", "a//c/d"):
        with pytest.raises(errors.InvalidValue):
            world.app.schedules.get(bad)


def test_a_near_name_is_suggested(world: World) -> None:
    world.add("heartbeat")
    with pytest.raises(errors.ScheduleNotFound, match="did you mean heartbeat"):
        world.app.schedules.get("hearbeat")


def test_removed_and_added_again_is_revived(world: World) -> None:
    first = world.add("a")
    world.fire("12:02")
    world.app.schedules.remove("a")
    with pytest.raises(errors.ScheduleNotFound):
        world.app.schedules.get("a")
    assert list(world.app.schedules.list()) == []
    world.at("12:10:30")
    again = world.app.schedules.add("a", job="noop", when="every minute")
    assert (again.id, again.revision, again.watermark) == (first, 2, moment("12:10:30"))
    assert world.runs() == [("12:02", "cancelled")]
    assert world.events().count("schedule.created") == 2


def test_every_change_is_on_record(world: World) -> None:
    anna = world.app.acting("anna", channel="cli")
    anna.schedules.add("a", job="noop", when="every minute")
    anna.schedules.update("a", note="x", reason="because")
    anna.schedules.pause("a", reason="calm")
    anna.schedules.resume("a")
    anna.schedules.disable("a")
    anna.schedules.enable("a")
    anna.schedules.skip("a", "2026-03-01T12:05:00Z")
    anna.schedules.unskip("a", "2026-03-01T12:05:00Z")
    anna.schedules.remove("a")
    changes = anna.schedules.changes("a")[::-1]
    actions = ["created", "updated", "paused", "resumed", "disabled", "enabled", "skip", "unskip", "removed"]
    assert [c.action for c in changes] == actions
    assert {(c.actor, c.channel) for c in changes} == {("anna", "cli")}
    assert (changes[1].before, changes[1].after, changes[1].reason) == ({"note": None}, {"note": "x"}, "because")


def test_next_at_of_a_pause(world: World) -> None:
    world.add("a", when="every 10 minutes")
    assert world.app.schedules.pause("a").next_at is None
    assert world.app.schedules.pause("a", until="2026-03-01T12:25:00Z").next_at == moment("12:30")


def test_upcoming_of_all_merges(world: World) -> None:
    world.add("a", when="every 10 minutes")
    world.add("b", when="5-59/10 * * * *")
    world.add("off", when="every minute")
    world.app.schedules.disable("off")
    world.app.schedules.skip("a", "2026-03-01T12:10:00Z")
    found = [(u.at, u.schedule.rpartition("/")[2], u.skipped) for u in world.app.schedules.upcoming(n=3)]
    assert found == [(moment("12:05"), "b", False), (moment("12:10"), "a", True), (moment("12:15"), "b", False)]


def test_a_zone_that_only_this_process_lacks_harms_no_list(world: World) -> None:
    world.add("a", timezone="Asia/Tokyo")
    world.add("b")
    world.db.call(lambda conn: conn.exec_driver_sql(other_zone(conn)))
    found = {s.name: s for s in world.app.schedules.list()}
    assert (found["a"].zone, found["a"].words) == ("Mars/Olympus", "every minute")
    assert found["b"].words == "Every minute, UTC"


def other_zone(conn: Any) -> str:
    from rota.store.tables import of

    return of(conn).sql("UPDATE {definitions} SET zone = 'Mars/Olympus' WHERE zone = 'Asia/Tokyo'")
