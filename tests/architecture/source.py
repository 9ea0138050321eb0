"""rota's own source, read once for the tests of this folder."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "rota"

Function = ast.FunctionDef | ast.AsyncFunctionDef
Documentable = ast.Module | ast.ClassDef | Function


@cache
def modules() -> dict[str, str]:
    """Text of each module, by its path below src/rota."""
    return {str(path.relative_to(PACKAGE)): path.read_text("utf-8") for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def tree(name: str) -> ast.Module:
    """The parsed module."""
    return ast.parse(modules()[name], filename=name)


def functions() -> Iterator[tuple[str, Function]]:
    """Every function and method of rota, with `module:name`."""
    for name in modules():
        for node in ast.walk(tree(name)):
            if isinstance(node, Function):
                yield f"{name}:{node.name}", node


def without_docstrings(name: str) -> str:
    """The module's code alone: neither docstrings nor comments."""
    stripped = ast.parse(modules()[name])
    for node in ast.walk(stripped):
        if isinstance(node, Documentable) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(stripped)
