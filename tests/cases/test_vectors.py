"""Every line of vectors.jsonl: forwards, backwards, under the two per-schedule options, and its class."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from rota.calendar.recurrence import Recurrence
from rota.calendar.text import parse

LINES: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parent / "data" / "vectors.jsonl").read_text("utf-8").splitlines()
]
OPTIONS = {
    "expected": ("auto", "auto"),
    "expected_gap_skip_overlap_first": ("skip", "first"),
    "expected_gap_skip_overlap_both": ("skip", "both"),
}
CASES = [
    pytest.param(line, answer, id=f"{line['id']}{answer.removeprefix('expected')}")
    for line in LINES
    for answer in OPTIONS
    if answer in line
]
TICK = timedelta(microseconds=1)


def instants(texts: list[str]) -> list[datetime]:
    return [datetime.fromisoformat(text).astimezone(UTC) for text in texts]


def read(line: dict[str, Any], answer: str) -> Recurrence:
    gap, overlap = OPTIONS[answer]
    return parse(line["expr"], line["tz"], dst_gap=gap, dst_overlap=overlap)


def test_there_are_lines() -> None:
    assert len(LINES) > 400
    assert len(CASES) > len(LINES)


@pytest.mark.parametrize(("line", "answer"), CASES)
def test_forwards(line: dict[str, Any], answer: str) -> None:
    expected = instants(line[answer])
    # One more than expected where the line says that the rule ends; fewer are listed only then.
    wanted = len(expected) if len(expected) > 1 and "exhausted" not in line["note"] else len(expected) + 1
    found = read(line, answer).upcoming(datetime.fromisoformat(line["start"]), wanted)
    assert found[: len(expected)] == expected
    if not expected or "exhausted" in line["note"]:
        assert len(found) == len(expected)


@pytest.mark.parametrize(("line", "answer"), CASES)
def test_backwards(line: dict[str, Any], answer: str) -> None:
    expected = instants(line[answer])
    recurrence, start = read(line, answer), datetime.fromisoformat(line["start"])
    if not expected:
        assert recurrence.last_until(datetime(2199, 12, 31, tzinfo=UTC)) is None or line["expr"] != "@reboot"
        return
    found, at = [], recurrence.last_until(expected[-1])
    while at is not None and at > start:
        found.append(at)
        at = recurrence.last_until(at - TICK)
    assert found[::-1] == expected


@pytest.mark.parametrize(("line", "answer"), CASES)
def test_counted_and_between(line: dict[str, Any], answer: str) -> None:
    expected = instants(line[answer])
    recurrence, start = read(line, answer), datetime.fromisoformat(line["start"])
    end = expected[-1] if expected else start + timedelta(days=400)
    assert recurrence.between(start, end) == expected
    assert recurrence.count(start, end) == len(expected)


@pytest.mark.parametrize("line", LINES, ids=[line["id"] for line in LINES])
def test_class_and_canonical(line: dict[str, Any]) -> None:
    recurrence = parse(line["expr"], line["tz"])
    assert recurrence.kind == line["kind"]
    again = parse(recurrence.canonical, line["tz"])
    assert again.rule == recurrence.rule
    assert again.canonical == recurrence.canonical
