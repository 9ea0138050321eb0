"""The short forms of `python -m chaos fuzz`: inputs by chance, nothing but rota's own errors, never a 500, nothing slow."""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import Callable

import pytest

from chaos.fuzz import commands, files, parsing, requests
from chaos.fuzz.found import Found
from rota import Rota
from rota.errors import Error

FIXED = 8470
MANY = 10
"""So many times as much in the full form, with a fresh seed."""
BODIES: dict[str, tuple[Callable[[random.Random, int, Found], None], int]] = {
    "parse": (parsing.fuzz, 2000),
    "yaml": (files.fuzz, 300),
    "cli": (commands.fuzz, 150),
}


def fuzz(body: Callable[[random.Random, int, Found], None], seed: int, count: int) -> None:
    found = Found()
    body(random.Random(seed), count, found)
    assert found.count == count
    assert not found.faults, f"seed {seed}: " + "\n".join(found.faults.values())


@pytest.mark.parametrize("name", BODIES)
def test_fixed_seed(name: str) -> None:
    fuzz(BODIES[name][0], FIXED, BODIES[name][1])


@pytest.mark.full
@pytest.mark.parametrize("name", BODIES)
def test_fresh_seed(name: str) -> None:
    fuzz(BODIES[name][0], secrets.randbelow(1_000_000), MANY * BODIES[name][1])


def test_requests(store_url: str) -> None:
    fuzz(lambda draw, count, found: requests.attack(store_url, draw, count, found), FIXED, 800)


@pytest.mark.full
def test_more_requests(store_url: str) -> None:
    seed = secrets.randbelow(1_000_000)
    fuzz(lambda draw, count, found: requests.attack(store_url, draw, count, found), seed, 800 * MANY)


# What it has found


def test_bytes_that_no_url_has(sqlite_url: str) -> None:
    """A query string with a raw byte ended in a 500 where the path was redirected."""
    scope = {
        "path": "/api/v1/schedules/",
        "raw_path": b"/api/v1/schedules/",
        "query_string": b"q=\xff",
        "method": "GET",
    }
    with Rota(sqlite_url) as app, asyncio.Runner() as runner:
        asking = requests.Asking(app, random.Random(1))
        found = Found()
        assert (
            asking.answered(runner, asking.one() | scope | {"headers": [(b"host", b"localhost")]}, scope, found)
            == "status307"
        )
    assert not found.faults


@pytest.mark.parametrize(
    "words", [["lane", "pause", "a\udcff"], ["init", "a\udcff"], ["job", "ls", "--db", "postgresql://[::1"]]
)
def test_words_that_no_text_has(words: list[str]) -> None:
    """Bytes that are not UTF-8, and a URL that the library of URLs chokes on."""
    found = Found()
    with commands.folder():
        assert commands.ended(words, found) in ("exit0", "exit1", "exit7")
    assert not found.faults


@pytest.mark.parametrize(
    "words",
    [
        ["explain", "@daily", "--from", "9999-12-31T23:59:59Z"],
        ["why", "a", "0001-01-01T00:00:00Z"],
        ["schedule", "set", "a", "--valid-until", "0001-01-01T00:00:00+14:00"],
        ["schedule", "set", "a", "--anchor", "9999-12-31T23:59:59-12:00"],
        ["event", "ls", "--after", "9" * 30],
    ],
)
def test_instants_and_numbers_at_the_ends(words: list[str]) -> None:
    found = Found()
    with commands.folder():
        assert commands.ended(words, found) in ("exit2", "exit6")
    assert not found.faults


def test_numbers_that_no_column_holds(store_url: str) -> None:
    with Rota(store_url) as app:
        for call in (lambda: list(app.events.list(after=10**30)), lambda: [app.runs.get(10**30)]):
            with pytest.raises(Error):
                call()
