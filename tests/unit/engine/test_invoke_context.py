"""What a Context takes, and what it refuses."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from rota.engine.context import ARTIFACT_LIMIT, Context, Covers, Holder, output_for
from rota.errors import InvalidSchedule, InvalidValue, NaiveDatetime, NotAllowed
from tests.unit.engine.invoke_support import NOON, MemorySink, run_of


class FixedClock:
    simulated = True

    def now(self) -> datetime:
        return NOON

    def monotonic(self) -> float:
        return 0.0


def context(sink: MemorySink | None = None, **changes: Any) -> Context:
    run, where = run_of(**changes), sink or MemorySink()
    return Context(run, where, output_for(run, where, 1000), clock=FixedClock(), deadline=NOON)


def test_wake_at_takes_instants_lengths_and_texts() -> None:
    made = context()
    holder = Holder(made)
    assert holder.wake_at is None
    made.wake_at(NOON + timedelta(days=1))
    assert holder.wake_at == NOON + timedelta(days=1)
    made.wake_at(timedelta(minutes=5))
    assert holder.wake_at == NOON + timedelta(minutes=5)
    made.wake_at("every day at 16:00")
    assert holder.wake_at == datetime(2026, 3, 29, 14, tzinfo=UTC), "in the schedule's zone"


def test_wake_at_refuses_what_names_no_time() -> None:
    made = context()
    with pytest.raises(NaiveDatetime):
        made.wake_at(datetime(2026, 3, 30))  # noqa: DTZ001
    with pytest.raises(InvalidSchedule):
        made.wake_at("whenever you like")
    with pytest.raises(InvalidValue, match="no instant after now"):
        made.wake_at("2020-01-01 10:00")
    with pytest.raises(InvalidValue, match="belongs to no schedule"):
        context(schedule_id=None).wake_at(NOON)


@pytest.mark.parametrize("name", ["", "../x", "a/b", "a\\b", ".hidden", "a\nb", "x" * 201, 3])
def test_artifact_names(name: Any) -> None:
    with pytest.raises(InvalidValue):
        context().save(name, b"")


def test_artifacts_are_bytes_and_bounded() -> None:
    sink = MemorySink()
    context(sink).save("r", bytearray(b"abc"))
    assert sink.saved == {"r": b"abc"}
    text: Any = "text"
    with pytest.raises(InvalidValue, match="str is not bytes"):
        context().save("r", text)
    with pytest.raises(InvalidValue, match="at most"):
        context().save("r", bytes(ARTIFACT_LIMIT + 1))


@pytest.mark.parametrize(("done", "total"), [(-1, 2), (float("nan"), 1), ("1", 2), (1, float("inf")), (True, 2)])
def test_progress_is_numbers(done: Any, total: Any) -> None:
    with pytest.raises(InvalidValue):
        context().progress(done, total)


def test_cancelled_is_seen_from_any_thread() -> None:
    made = context()
    holder = Holder(made)
    assert not made.cancelled
    assert not made.wait_cancelled(timedelta(0))
    assert not holder.saw_stop
    thread = threading.Thread(target=holder.request_stop)
    thread.start()
    thread.join()
    assert not holder.saw_stop
    assert made.wait_cancelled(10)
    assert holder.saw_stop


def test_no_transaction_here() -> None:
    for name in ("connection", "session"):
        with pytest.raises(NotAllowed, match="not transactional"):
            getattr(context(), name)


def test_covers_and_log() -> None:
    sink = MemorySink()
    made = context(sink, covers_from=None, covers_to=None, covers_count=0)
    assert made.covers == Covers(None, None, 0)
    made.log("")
    made.log.debug("d")
    try:
        raise ValueError("x\0y")
    except ValueError:
        made.log.exception("went wrong")
    assert sink.lines[:3] == [("log", ""), ("log", "DEBUG d"), ("log", "ERROR went wrong")]
    assert sink.lines[-1] == ("log", "ValueError: x\ufffdy")
