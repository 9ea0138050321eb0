"""Any sequence of acts leaves law 2 intact: what a watermark passes has exactly one disposition, and it never falls."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from rota import errors
from rota.model.timing import inside, plan_of
from rota.store import evidence
from rota.store.evidence import Subject
from tests.support.application import World

WHENS = ("every minute", "*/7 * * * *", "every 90 seconds", "13 * * * *", "every day at 12:30; every day at 13:05")


@pytest.fixture
def world(store_url: str) -> Iterator[World]:
    made = World(store_url)
    yield made
    made.close()


class Walk:
    """One schedule under acts drawn at random; each act's move of the watermark is checked."""

    def __init__(self, world: World, seed: int) -> None:
        self.world, self.dice = world, random.Random(seed)
        self.policies: dict[str, Any] = {
            "catchup": self.dice.choice(["latest", "earliest", "all", "none"]),
            "overlap": self.dice.choice(["skip", "queue_one", "queue_all", "replace", "allow"]),
            "on_edit": self.dice.choice(["skip", "catchup"]),
            "on_resume": self.dice.choice(["skip", "catchup"]),
            "grace": self.dice.choice([None, "3m"]),
        }
        self.world.add("a", when=self.dice.choice(WHENS), **self.policies)
        self.checked = 0

    def subject(self) -> Subject:
        from rota.model.schedule import Key

        return self.world.db.read(evidence.subject, Key("default", "default", "default", "a"))

    def step(self) -> None:
        self.world.clock.at += timedelta(seconds=self.dice.choice([0, 1, 20, 61, 400, 4000]))
        before = self.subject()
        act = self.dice.choice(self.acts())
        try:
            act()
        except (errors.Conflict, errors.InvalidValue, errors.ScheduleNotFound):
            assert self.subject().cursor == before.cursor
            return
        self.check(before, self.subject())

    def acts(self) -> list[Callable[[], object]]:
        schedules, dice = self.world.app.schedules, self.dice
        until = self.world.clock.at + timedelta(seconds=dice.choice([30, 600]))
        return [
            self.world.fire,
            self.world.fire,
            lambda: schedules.update("a", when=dice.choice(WHENS)),
            lambda: schedules.update("a", note=str(dice.random())),
            lambda: schedules.pause("a", until=dice.choice([None, until])),
            lambda: schedules.resume("a"),
            lambda: schedules.disable("a"),
            lambda: schedules.enable("a"),
            lambda: schedules.enable("a"),
            lambda: schedules.run("a"),
            lambda: self.world.set_runs("succeeded"),
            lambda: schedules.skip("a", schedules.upcoming("a", 3)[-1].at) if schedules.upcoming("a", 3) else None,
            self.remove_and_add,
        ]

    def remove_and_add(self) -> None:
        if self.dice.random() < 0.3:
            before = self.subject()
            self.world.app.schedules.remove("a")
            self.check(before, self.subject())
            self.world.clock.at += timedelta(seconds=100)
            self.world.add("a", when=self.dice.choice(WHENS), **self.policies)

    def check(self, before: Subject, after: Subject) -> None:
        low, high = before.cursor.watermark, after.cursor.watermark
        assert low <= high <= self.world.clock.at
        if before.cursor.state not in ("active", "paused") or high == low:
            return
        if before.row["removed_at"] is None and after.row["created_at"] != before.row["created_at"]:
            return  # removed and added: each half was checked
        for at in inside(plan_of(before.plan.definition), low, high):
            self.one_disposition(after, at)

    def one_disposition(self, subject: Subject, at: datetime) -> None:
        run = self.world.db.read(evidence.run_at, subject, at)
        rows = self.world.rows(
            "SELECT what, reason FROM {decisions} WHERE schedule_id = %s AND after_at < %s AND until_at >= %s",
            subject.id, *[self.world.db.read(param, at)] * 2,
        )  # fmt: skip
        assert len(rows) + (run is not None) == 1, (at, rows, run)
        self.checked += 1


def param(conn: object, at: datetime) -> object:
    from rota.store import dialect

    return dialect.at(conn, at)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(12))
def test_law_2_holds_under_any_acts(world: World, seed: int) -> None:
    walk = Walk(world, seed)
    for _ in range(60):
        walk.step()
    assert walk.checked
    told = world.app.schedules.why("a", n=1000) if walk.subject().row["removed_at"] is None else []
    assert {one.disposition for one in told} <= {"fired", "coalesced", "skipped", "pending"}
