"""The spine's order (law 8): no reader that goes by a cursor ever skips an event, whatever order commits come in."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from rota.errors import EventsForgotten
from rota.model.event import Event
from rota.store import events, retention
from rota.store.database import Connection, Database

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def _tell(name: str) -> Event:
    return Event("schedule.fired", NOW, name, {})


@pytest.fixture
def database(store_url: str) -> Iterator[Database]:
    made = Database(store_url, pool_size=6)
    yield made
    made.close()


def _number(database: Database) -> int:
    return database.call(events.number)


def _read(database: Database, cursor: int) -> list[dict[str, Any]]:
    return database.read(events.after, cursor, 1000)


def test_events_are_read_in_the_order_of_their_ids(database: Database) -> None:
    database.call(events.write, [_tell("a"), _tell("b")])
    database.call(events.write, [_tell("c")])
    _number(database)
    found = _read(database, 0)
    assert [e["subject"] for e in found] == ["a", "b", "c"]
    assert [e["id"] for e in found] == sorted(e["id"] for e in found)
    assert [e["subject"] for e in _read(database, found[0]["id"])] == ["b", "c"]


def test_a_cursor_older_than_what_is_kept_is_told_of_the_gap(database: Database) -> None:
    database.call(events.write, [_tell(name) for name in "abcd"])
    _number(database)
    ids = [e["id"] for e in _read(database, 0)]
    database.call(retention.prefix, "events", NOW + timedelta(days=1), 3)
    with pytest.raises(EventsForgotten, match=f"events {ids[0] + 1} to {ids[2]}"):
        _read(database, ids[0])
    assert [e["subject"] for e in _read(database, ids[2])] == ["d"]
    assert [e["subject"] for e in _read(database, 0)] == ["d"], "0 begins at the oldest that is kept"


@pytest.mark.parametrize("place", range(4))
def test_a_reader_that_retention_overtakes_has_all_or_is_told(database: Database, place: int) -> None:
    """Retention deletes and commits before the reader's n-th statement: a gap is never passed over in silence."""
    database.call(events.write, [_tell(name) for name in "abcdef"])
    _number(database)
    ids = [e["id"] for e in _read(database, 0)]
    steps = iter(range(10))

    def step(*_: Any) -> None:
        if next(steps) == place:
            assert database.call(retention.prefix, "events", NOW + timedelta(days=1), 4).deleted == 4

    with database.transaction(write=False) as reader:
        sa.event.listen(reader, "before_cursor_execute", step)
        try:
            answer: Any = [e["id"] for e in events.after(reader, ids[0], 100)]
        except EventsForgotten as told:
            answer = told.message.split(" are older")[0]
        sa.event.remove(reader, "before_cursor_execute", step)
    assert answer in (ids[1:], f"after: events {ids[0] + 1} to {ids[3]}")
    assert next(steps) >= 2, "it asks more than once, so there is a between"


def test_two_open_transactions_the_later_one_commits_first(pg_url: str) -> None:
    """The one that took the smaller id commits last: a reader that has seen the other sees it all the same."""
    database = Database(pg_url, pool_size=6)
    try:
        with database.transaction() as slow:
            events.write(slow, [_tell("slow")])
            with database.transaction() as quick:
                events.write(quick, [_tell("quick")])
            assert _number(database) == 1
            first = _read(database, 0)
            assert [e["subject"] for e in first] == ["quick"]
        assert _number(database) == 1
        rest = _read(database, first[-1]["id"])
        assert [e["subject"] for e in rest] == ["slow"]
    finally:
        database.close()


def test_a_numbering_under_way_is_not_waited_for_and_nothing_is_numbered_twice(pg_url: str) -> None:
    database = Database(pg_url, pool_size=6)
    try:
        database.call(events.write, [_tell("a")])
        with database.transaction() as one:
            assert events.number(one) == 1
            database.call(events.write, [_tell("b")])
            assert _number(database) == 0
            assert _read(database, 0) == []
        assert _number(database) == 1
        assert [e["subject"] for e in _read(database, 0)] == ["a", "b"]
    finally:
        database.close()


def test_a_reader_misses_nothing_while_writers_commit_out_of_order(database: Database) -> None:
    """Four writers hold their transactions open across each other; a reader numbers and reads as it likes."""
    writers, each = 4, 12
    gates = [threading.Event() for _ in range(writers)]

    def write(number: int) -> None:
        for n in range(each):
            with database.transaction() as conn:
                _held(conn, f"{number}-{n}", gates[number])

    def _held(conn: Connection, name: str, gate: threading.Event) -> None:
        events.write(conn, [_tell(name)])
        gate.wait(0.005 * (int(name[0]) + 1))  # each holds on for another while, so that commits cross

    threads = [threading.Thread(target=write, args=(number,)) for number in range(writers)]
    for thread in threads:
        thread.start()
    seen: list[str] = []
    cursor = 0
    while any(t.is_alive() for t in threads) or _more(database, cursor):
        _number(database)
        for found in _read(database, cursor):
            seen.append(found["subject"])
            cursor = found["id"]
    for thread in threads:
        thread.join()
    assert sorted(seen) == sorted(f"{w}-{n}" for w in range(writers) for n in range(each))
    for writer in range(writers):
        mine = [int(s.split("-")[1]) for s in seen if s.startswith(f"{writer}-")]
        assert mine == sorted(mine), "an effect comes after its cause"


def _more(database: Database, cursor: int) -> bool:
    return _number(database) > 0 or bool(_read(database, cursor))
