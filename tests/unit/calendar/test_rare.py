"""Rules of which a part comes rarely or never: what was found once is not looked for again, and no answer changes by it."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest

from rota import InvalidValue
from rota.calendar.text import parse
from tests.support.effort import lines

NOW = datetime(2026, 3, 28, 23, 30, tzinfo=UTC)
MANY = 2_000_000
"""Lines of Python: some 100 ms of a quiet machine."""

TEXTS = [
    "0 0 31 6 +MON; 30 2 L 3 *; 0 0 31 2,4,6,9,11 *; 30 1 * * *; */60 * * * * *",
    "*,4-10/7 */18 * */11 *; 0 0 29,30 2 *; 0 16 * * 1,3,5; */10 * * * * *; 0 0 1 * +TUE#2; 0 0 1,L * *",
    "30 2 10 3 * 4; every 90 months; every thu at 11:34 except thu",
    "0 0 29 2 1; 2nd friday of the month at 10:00; every 17 minutes",
    "0 0 30 2 *; 0 0 31 4 *",
    "every 400 weeks; 2027-03-05T10:00; */7 3 * * * except 0 0 31 6 *",
]
ZONES = ["UTC", "America/St_Johns", "Antarctica/Troll"]


@pytest.mark.parametrize("text", TEXTS)
def test_effort(text: str) -> None:
    rule = parse(text, "America/St_Johns", dst_overlap="both")
    assert lines(lambda: rule.upcoming(NOW, 50)) < MANY
    assert lines(lambda: rule.warnings) < MANY
    assert lines(lambda: rule.notes(NOW, NOW + timedelta(days=400))) < MANY


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("text", TEXTS)
def test_no_answer_depends_on_what_was_asked_before(text: str, zone: str) -> None:
    draw = random.Random(text)
    asked = parse(text, zone)
    for _ in range(60):
        at = NOW + timedelta(seconds=draw.randrange(-3 * 10**8, 3 * 10**8))
        if draw.random() < 0.5:
            at = asked.next_after(at) or at
            at += draw.choice((timedelta(0), timedelta(seconds=-1), timedelta(seconds=1)))
        fresh = parse(text, zone)
        assert asked.next_after(at) == fresh.next_after(at)
        assert asked.last_until(at) == parse(text, zone).last_until(at)


def test_an_anchor_that_the_zone_s_wall_clock_cannot_show() -> None:
    ends = (datetime.max.replace(tzinfo=UTC), datetime.min.replace(tzinfo=UTC))
    for at, zone in zip(ends, ("Asia/Kathmandu", "America/New_York"), strict=True):
        with pytest.raises(InvalidValue, match="anchor"):
            parse("every 2 days", zone, anchor=at)
