"""The size budget of the house. What grows past it hides a second thing: cut it by noun, do not raise the number."""

from __future__ import annotations

import ast
import statistics

import pytest

from tests.architecture import source

FILE_LINES = 400
FUNCTION_LINES = 60
MEDIAN_LINES = 10
MOST_LINES = 30
ARGUMENTS = 6


def lines(node: source.Function) -> int:
    """Lines of a function from its `def` to its end, its docstring not counted: contracts may be long."""
    docstring = node.body[0] if ast.get_docstring(node) is not None else None
    spared = (docstring.end_lineno or 0) - docstring.lineno + 1 if docstring else 0
    return (node.end_lineno or node.lineno) - node.lineno + 1 - spared


def arguments(node: source.Function) -> int:
    """Positional or required arguments, `self` and `cls` not counted; keyword-only options are exempt."""
    given = node.args
    positional = [a for a in (*given.posonlyargs, *given.args) if a.arg not in ("self", "cls")]
    required = [a for a, default in zip(given.kwonlyargs, given.kw_defaults, strict=True) if default is None]
    return len(positional) + len(required)


@pytest.mark.parametrize("name", source.modules())
def test_file(name: str) -> None:
    assert len(source.modules()[name].splitlines()) <= FILE_LINES


def test_functions() -> None:
    sizes = {name: lines(node) for name, node in source.functions()}
    assert not [f"{name}: {size} lines" for name, size in sizes.items() if size > FUNCTION_LINES]
    assert statistics.median(sizes.values()) <= MEDIAN_LINES
    longer = sorted((name for name in sizes if sizes[name] > MOST_LINES), key=lambda name: -sizes[name])
    assert len(longer) <= len(sizes) / 10, f"more than one in ten is longer than {MOST_LINES} lines: {longer}"


def test_arguments() -> None:
    counts = {name: arguments(node) for name, node in source.functions()}
    many = [f"{name}: {count} arguments" for name, count in counts.items() if count > ARGUMENTS]
    assert not many, "more than six arguments hide a noun: one frozen value"
