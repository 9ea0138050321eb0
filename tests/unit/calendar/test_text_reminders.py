"""The longest run of words that says when; texts that name no repetition mean their first occurrence."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from rota.calendar.text import longest_prefix
from rota.errors import InvalidSchedule, NaiveDatetime, UnknownZone

NOW = datetime(2026, 6, 20, 12, 0, tzinfo=UTC)

LINES = [
    ("friday at 17:00 | call home", "2026-06-26T17:00"),
    ("in 2 hours | 5 people come", "2026-06-20T14:00Z"),
    ("tomorrow at 9am | buy milk", "2026-06-21T09:00"),
    ("2026-12-24 18:00 | Call home", "2026-12-24T18:00"),
    ("2026-12-24 | 5 things", "2026-12-24T00:00"),
    ("9am | meet Bob and Alice", "2026-06-21T09:00"),
    ("at 9 | 30 people come", "2026-06-21T09:00"),
    ("first monday at 10 | rent", "2026-07-06T10:00"),
    ("mon | wash", "2026-06-22T00:00"),
    ("noon and 5pm | pills", "2026-06-20T17:00"),
    ("every weekday at 9 | stand up", "every week on mon,tue,wed,thu,fri at 09:00"),
    ("weekdays at 9 | stand up", "every week on mon,tue,wed,thu,fri at 09:00"),
    ("mondays at 9 | stand up", "every week on mon at 09:00"),
    ("daily at 9 and 17 | drink water", "every day at 09:00,17:00"),
    ("weekly | review", "0 0 * * 0"),
    ("0 9 * * 1 | do it", "0 9 * * 1"),
    ("at 9; at 17 | pills", "every day at 09:00; every day at 17:00"),
    ("in an hour |", "2026-06-20T13:00Z"),
]


@pytest.mark.parametrize(("line", "canonical"), LINES)
def test_longest_prefix(line: str, canonical: str) -> None:
    when, _, what = line.partition("|")
    rec, count = longest_prefix([*when.split(), *what.split()], NOW, "Europe/Stockholm")
    assert (rec.canonical, count) == (canonical, len(when.split()))
    assert rec.next_after(NOW) is not None


def test_no_prefix_at_all() -> None:
    for words in (["call", "home"], []):
        with pytest.raises(InvalidSchedule):
            longest_prefix(words, NOW)


def test_arguments_are_checked() -> None:
    with pytest.raises(NaiveDatetime):
        longest_prefix(["noon"], NOW.replace(tzinfo=None))
    with pytest.raises(UnknownZone):
        longest_prefix(["noon"], NOW, "Mars/Base")
