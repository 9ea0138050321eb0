"""The calendar lines of bugs.jsonl, each by its number: what others got wrong and rota may not."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from rota.calendar.text import parse
from rota.errors import InvalidSchedule
from tests.support.effort import lines

# These two are described, not written, in the data; their texts stand in its README.
TEXTS = {66: "monthly on day 31 at 00:00", 69: "every 2 weeks on sun starting 2026-06-23"}
LINES: list[dict[str, Any]] = [
    line
    for line in map(json.loads, (Path(__file__).parent / "data" / "bugs.jsonl").read_text("utf-8").splitlines())
    if line["kind"] == "calendar"
]
TICK = timedelta(microseconds=1)


def of(kind: str) -> list[Any]:
    return [pytest.param(line, id=f"bug-{line['id']:03}") for line in LINES if _kind(line) == kind]


def _kind(line: dict[str, Any]) -> str:
    if line.get("invalid"):
        return "invalid"
    if line.get("never"):
        return "never"
    return "backward" if line.get("direction") == "backward" else "forward"


def text_of(line: dict[str, Any]) -> str:
    return str(line.get("expr") or TEXTS[line["id"]])


def instants(line: dict[str, Any]) -> list[datetime]:
    return [datetime.fromisoformat(text).astimezone(UTC) for text in line["expected"]]


@pytest.mark.parametrize("line", of("forward"))
def test_forward(line: dict[str, Any]) -> None:
    recurrence = parse(text_of(line), line["tz"])
    start, expected = datetime.fromisoformat(line["start"]), instants(line)
    assert recurrence.upcoming(start, len(expected)) == expected
    assert lines(lambda: recurrence.upcoming(start, len(expected))) < 200_000 * len(expected)
    assert recurrence.between(start, expected[-1]) == expected


@pytest.mark.parametrize("line", of("backward"))
def test_backward(line: dict[str, Any]) -> None:
    recurrence = parse(text_of(line), line["tz"])
    at: datetime | None = datetime.fromisoformat(line["start"])
    for expected in instants(line):
        assert at is not None
        at = recurrence.last_until(at - TICK)
        assert at == expected


@pytest.mark.parametrize("line", of("invalid"))
def test_invalid(line: dict[str, Any]) -> None:
    with pytest.raises(InvalidSchedule) as caught:
        parse(text_of(line), line["tz"])
    assert caught.value.suggestion == "every 90 minutes"


@pytest.mark.parametrize("text", [None, "0 0 30 2 *", "0 0 31 4 *", "0 0 31 2 *"])
@pytest.mark.parametrize("line", of("never"))
def test_never(line: dict[str, Any], text: str | None) -> None:
    text, start = text or text_of(line), datetime.fromisoformat(line["start"])
    recurrence = parse(text, line["tz"])
    assert recurrence.never_fires
    assert recurrence.next_after(start) is None
    assert lines(lambda: parse(text, line["tz"]).next_after(start)) < 200_000


def test_bug_004_any_start() -> None:
    line = next(line for line in LINES if line["id"] == 4)
    recurrence, expected = parse(line["expr"], line["tz"]), instants(line)
    start = datetime.fromisoformat("2020-03-28T02:01:00+01:00")
    while start < expected[0]:
        assert recurrence.upcoming(start, 3) == expected
        start += timedelta(seconds=1741)


def test_bug_069_saving_again_changes_nothing() -> None:
    line = next(line for line in LINES if line["id"] == 69)
    text = text_of(line)
    for _ in range(3):
        recurrence = parse(text, line["tz"])
        assert recurrence.upcoming(datetime.fromisoformat(line["start"]), 4) == instants(line)
        text = recurrence.canonical


def test_bug_074_step_zero() -> None:
    with pytest.raises(InvalidSchedule, match="step of 0"):
        parse("*/0 * * * *")
