"""The schedules that the bench measures with are what it says they are."""

from __future__ import annotations

import itertools
from datetime import timedelta

from bench import fill
from rota.calendar.text import parse


def test_no_two_texts_are_alike_and_all_are_due_at_once() -> None:
    texts = list(fill.distinct(5000))
    assert len(set(texts)) == 5000
    rules = [parse(text, timezone="UTC", key="x") for text in itertools.islice(texts, 0, 5000, 7)]
    assert len({rule.canonical for rule in rules}) == len(rules)
    assert {rule.next_after(fill.DUE - timedelta(microseconds=1)) for rule in rules} == {fill.DUE}


def test_there_are_enough_texts_for_the_long_form() -> None:
    assert sum(1 for _ in fill.distinct(100_000)) == 100_000
