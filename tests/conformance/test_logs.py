"""Logs, progress and artifacts on every store, and the buffer in front of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from rota.clock import SystemClock
from rota.engine import sink
from rota.errors import NotFound
from rota.store import logs, runs
from tests.support.runs import START, World, at


@pytest.fixture
def world(store_url: str) -> Iterator[World]:
    made = World(store_url)
    yield made
    made.close()


def chunk(seq: int, text: str, token: int = 1, run: int = 1) -> dict[str, Any]:
    return {"run_id": run, "token": token, "seq": seq, "at": START, "stream": "out", "text": text}


def test_chunks_are_read_in_order_from_a_cursor(world: World) -> None:
    world.db.call(logs.append, [chunk(0, "a"), chunk(1, "b\x00"), chunk(0, "c", token=2), chunk(0, "x", run=2)])
    world.db.call(logs.append, [chunk(1, "again"), chunk(2, "d")])
    assert [c["text"] for c in world.db.read(logs.read, 1)] == ["a", "b\ufffd", "d", "c"]
    first = world.db.read(logs.read, 1, limit=2)
    after = (first[-1]["token"], first[-1]["seq"])
    assert [c["text"] for c in world.db.read(logs.read, 1, after=after)] == ["d", "c"]


def test_the_trace_comes_last(world: World) -> None:
    world.db.call(logs.append, [chunk(0, "a"), chunk(1, "b")])
    world.db.call(logs.append_last, [(1, 1, "trace"), (5, 2, "alone")], at(3))
    assert [(c["seq"], c["stream"], c["text"]) for c in world.db.read(logs.read, 1)][-1] == (2, "trace", "trace")
    assert world.db.read(logs.read, 5)[0]["seq"] == 0


def test_progress_keeps_the_latest(world: World) -> None:
    (run,) = world.place(world.add("a"))
    world.db.call(logs.put_progress, [(run, 1.0, None, START), (run, 2.0, 4.0, START)])
    world.db.call(logs.put_progress, [(run, 3.0, 4.0, at(1))])
    assert world.db.read(runs.get, run)["progress"] == {"done": 3.0, "total": 4.0}


def test_artifacts_are_replaced_by_name(world: World) -> None:
    world.db.call(logs.put_artifact, 1, "a.bin", b"\x00\xff", START)
    world.db.call(logs.put_artifact, 1, "a.bin", b"\x00\xfe!", at(1))
    assert world.db.read(logs.artifact, 1, "a.bin") == b"\x00\xfe!"
    assert world.db.read(logs.artifacts, 1) == [{"name": "a.bin", "at": at(1), "size": 3}]
    with pytest.raises(NotFound):
        world.db.read(logs.artifact, 1, "b.bin")


def test_the_buffer_numbers_lines_and_survives_a_failed_write(world: World) -> None:
    buffer = sink.Buffer(SystemClock())
    buffer.log(1, 1, "out", "one")
    taken = buffer.take()
    buffer.log(1, 1, "err", "two")
    buffer.put_back(taken)
    buffer.save(1, 1, "f", b"x")
    buffer.progress(1, 1, 1, 2)
    world.db.call(sink.write, buffer.take())
    assert [(c["seq"], c["stream"], c["text"]) for c in world.db.read(logs.read, 1)] == [
        (0, "out", "one"),
        (1, "err", "two"),
    ]
    assert not buffer.take()


def test_the_buffer_is_bounded_and_says_what_it_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sink, "KEPT", 10)
    buffer = sink.Buffer(SystemClock())
    for text in ("12345", "67890", "lost", "lost too"):
        buffer.log(1, 1, "out", text)
    buffer.save(1, 1, "f", b"12345")
    texts = [c["text"] for c in buffer.take().chunks]
    assert texts[:2] == ["12345", "67890"]
    assert any("2 lines were lost" in text for text in texts)
    assert any("artifact f was lost" in text for text in texts)
    buffer.log(1, 1, "out", "again")
    assert [c["text"] for c in buffer.take().chunks] == ["again"]
