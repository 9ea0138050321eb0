"""Every line of invalid.jsonl is refused, with a column, what is allowed, and no suggestion that fails too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rota.calendar.cron import parse_cron
from rota.calendar.text import parse
from rota.errors import InvalidSchedule

LINES = [
    json.loads(line) for line in (Path(__file__).parent / "data" / "invalid.jsonl").read_text("utf-8").splitlines()
]
IDS = [f"{number:03}-{line['why'][:40]}" for number, line in enumerate(LINES, 1)]


@pytest.mark.parametrize("line", LINES, ids=IDS)
def test_refused(line: dict[str, str]) -> None:
    with pytest.raises(InvalidSchedule) as caught:
        parse(line["expr"])
    error = caught.value
    assert error.code == "X400003INVSCH"
    assert error.text == line["expr"]
    assert 1 <= error.column <= len(line["expr"]) + 1
    assert error.allowed
    assert line["expr"][error.column - 1 :].startswith(error.found)
    if error.suggestion is not None:
        parse(error.suggestion)


@pytest.mark.parametrize("line", LINES, ids=IDS)
def test_refused_as_cron(line: dict[str, str]) -> None:
    with pytest.raises(InvalidSchedule):
        parse_cron(line["expr"])
