"""Filters by label on every store, whatever the label is called."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from rota import InvalidValue, Rota

ODD = ("$.a", "$", "[0]", "#-1", 'say "hi"', "a.b", "a'b", "%", "ü", "0", " ")


def noop() -> None:
    """A job."""


@pytest.fixture
def app(store_url: str) -> Iterator[Rota]:
    with Rota(store_url) as made:
        made.job(noop)
        made.prepare()
        made.schedules.add("plain", job="noop", when="@daily", labels={"a": "1", "team": "ops"})
        for number, key in enumerate(ODD):
            made.schedules.add(f"odd{number}", job="noop", when="@daily", labels={key: str(number), "a": "2"})
        yield made


def names(app: Rota, label: str) -> list[str]:
    return [schedule.name for schedule in app.schedules.list(label=[label])]


@pytest.mark.parametrize("number", range(len(ODD)))
def test_a_label_is_found_by_its_own_name(app: Rota, number: int) -> None:
    assert names(app, ODD[number]) == [f"odd{number}"]
    assert names(app, f"{ODD[number]}={number}") == [f"odd{number}"]
    assert names(app, f"{ODD[number]}=x") == []


def test_what_no_label_is_called_finds_nothing(app: Rota) -> None:
    for label in ("", "=", "=1", "$.team", "$.team=ops", '$."team"', "nothing", "team="):
        assert names(app, label) == []
    assert names(app, "team=ops") == names(app, "a=1") == ["plain"]
    assert len(names(app, "a")) == 1 + len(ODD)


@pytest.mark.parametrize("value", ["a\x00", "\ud800"])
@pytest.mark.parametrize(
    "name", ["q", "job", "lane", "owner", "origin", "source", "label", "tenant", "stack", "environment"]
)
def test_what_no_stored_text_has_is_refused_as_a_filter(app: Rota, name: str, value: str) -> None:
    """On PostgreSQL the driver refused it, and the API answered 500."""
    wanted: dict[str, Any] = {name: value}
    with pytest.raises(InvalidValue, match=name):
        app.schedules.page(**wanted)
    if name in ("job", "lane"):
        with pytest.raises(InvalidValue, match=name):
            app.runs.page(**wanted)
