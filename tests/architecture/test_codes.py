"""Every code is documented once, with the status and exit code that it has, and something raises it."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator

import pytest

from rota import errors
from tests.architecture import source

PAGE = source.ROOT / "docs" / "reference" / "codes.md"
ROW = re.compile(r"^\| `(\w+)` \| `(\w+)` \| .+ \| (\d{3}) \| (\d+) \|$", re.MULTILINE)


def tree(root: type[errors.Error]) -> Iterator[type[errors.Error]]:
    yield root
    for below in root.__subclasses__():
        yield from tree(below)


def classes() -> dict[str, type[errors.Error]]:
    """Every error of rota by its class's name, those that a room defines for itself too."""
    for name, text in source.modules().items():
        if re.search(r'^    code(: str)? = "', text, re.MULTILINE):
            importlib.import_module("rota." + name.removesuffix(".py").replace("/", "."))
    return {thing.__name__: thing for thing in tree(errors.Error) if thing.__module__.startswith("rota.")}


CLASSES = classes()
BASES = {"Error", "NotFound", "Conflict"}


def documented() -> dict[str, tuple[str, int, int]]:
    """Class name, status and exit code, by code."""
    return {code: (name, int(status), int(leave)) for code, name, status, leave in ROW.findall(PAGE.read_text())}


def test_the_page_is_the_tree() -> None:
    expected = {thing.code: (name, int(thing.code[1:4]), thing.exit_code) for name, thing in CLASSES.items()}
    assert documented() == expected


def test_codes_are_unique_and_well_formed() -> None:
    codes = [thing.code for thing in CLASSES.values()]
    assert len(set(codes)) == len(codes)
    assert all(re.fullmatch(r"[XV][1-5]\d\d\d{3}[A-Z]{4,6}", code) for code in codes)


@pytest.mark.parametrize("name", sorted(set(CLASSES) - BASES))
def test_each_error_is_raised_somewhere(name: str) -> None:
    """A construction, not a mere mention: raised at once, or collected first."""
    pattern = re.compile(rf"\b{name}\(")
    assert any(pattern.search(text) for module, text in source.modules().items() if module != "errors.py")


def test_codes_in_the_source_are_documented() -> None:
    page = PAGE.read_text()
    mentioned = {code for text in source.modules().values() for code in re.findall(r"\b[XV]\d{6}[A-Z]{4,6}\b", text)}
    assert sorted(code for code in mentioned if code not in page) == []
