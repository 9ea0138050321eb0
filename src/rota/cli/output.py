"""Answers: a table on a terminal, tab-separated lines in a pipe, JSON, YAML, or names."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import click

from rota.cli.frame import State

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table: its title and what it shows of a record.

    `right` aligns numbers; `folds` lets a long text take several lines where the terminal is narrow; `cut` cuts it.
    """

    title: str
    show: Callable[[Record], str]
    right: bool = False
    folds: bool = False
    cut: bool = False


def say(text: str = "") -> None:
    """One line of the answer, on standard output."""
    click.echo(text)


def note(state: State, text: str) -> None:
    """A remark on stderr, unless `-q`."""
    if not state.quiet:
        click.echo(f"rota: {text}", err=True)


def dump(state: State, value: Any) -> None:
    """`value` (the API's JSON) as JSON or YAML, as `-o` says."""
    if state.output == "yaml":
        import yaml

        text: str = yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=110)
        say(text.rstrip())
    else:
        import json

        say(json.dumps(value, indent=2, ensure_ascii=False))


def show_list(state: State, records: Iterable[Record], columns: Sequence[Column], *, name: str, empty: str) -> None:
    """Many records. `name` is the field that `-o name` prints; `empty` is said on stderr where there is none."""
    if state.machine:
        dump(state, [dict(record) for record in records])
        return
    if state.output == "name":
        for record in records:
            say(str(record[name]))
        return
    rows = [[column.show(record) for column in columns] for record in records]
    if not rows:
        note(state, empty)
    elif state.for_people:
        table(state, columns, rows)
    else:
        for row in rows:
            say("\t".join(cell.replace("\t", " ").replace("\n", " ") for cell in row))


def show_one(state: State, record: Record, facts: Sequence[tuple[str, str]], *, name: str) -> None:
    """One record: its facts, one a line, those without a value left out."""
    if state.machine:
        dump(state, dict(record))
    elif state.output == "name":
        say(str(record[name]))
    else:
        pairs(state, facts)


def pairs(state: State, facts: Sequence[tuple[str, str]]) -> None:
    """Titles and values, aligned; on a pipe separated by a tab."""
    filled = [(title, value) for title, value in facts if value not in ("", None)]
    if not state.for_people:
        for title, value in filled:
            say(f"{title}\t{value}".replace("\n", " "))
        return
    width = max((len(title) for title, _ in filled), default=0)
    for title, value in filled:
        first, *rest = value.split("\n")
        say(f"{paint(state, title.ljust(width), dim=True)}  {first}")
        for line in rest:
            say(" " * (width + 2) + line)


def paint(state: State, text: str, **style: Any) -> str:
    """`text` in a style, where standard output shows colours."""
    return click.style(text, **style) if state.color else text


_ENDLESS = 2000
"""Columns of a table that goes elsewhere than to a terminal: nothing is cut or folded there."""

_GAP = 2
_NARROWEST = 8

STATE_COLORS = {
    "active": "green",
    "succeeded": "green",
    "live": "green",
    "running": "blue",
    "queued": "cyan",
    "paused": "yellow",
    "expired": "yellow",
    "cancelled": "yellow",
    "skipped": "yellow",
    "failed": "red",
    "lost": "red",
    "fenced": "red",
    "disabled": "red",
}


def table(state: State, columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    """A table of plain lines, without a frame; columns that fold or are cut give way on a narrow terminal."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    width = None if sys.stdout.isatty() else _ENDLESS
    console = Console(color_system="auto" if state.color else None, highlight=False, width=width)
    shown = Table(box=None, pad_edge=False, header_style="dim", padding=(0, _GAP, 0, 0))
    for column, size in zip(columns, _widths(columns, rows, console.width), strict=True):
        overflow: Literal["fold", "ellipsis"] = "ellipsis" if column.cut else "fold"
        side: Literal["left", "right"] = "right" if column.right else "left"
        shown.add_column(column.title, justify=side, overflow=overflow, no_wrap=not column.folds, width=size)
    for row in rows:
        shown.add_row(*(Text(cell, style=STATE_COLORS.get(cell, "")) for cell in row))
    console.print(shown, crop=False, soft_wrap=True)


def _widths(columns: Sequence[Column], rows: Sequence[Sequence[str]], room: int) -> list[int]:
    """The width of each column: what it needs, less for those that may fold or be cut where the room is too small."""
    from rich.cells import cell_len

    needs = [
        max(cell_len(cell) for cell in (column.title, *cells)) for column, *cells in zip(columns, *rows, strict=True)
    ]
    soft = [number for number, column in enumerate(columns) if column.folds or column.cut]
    lacking = sum(needs) + _GAP * (len(columns) - 1) - room
    while lacking > 0 and (widest := max(soft, key=lambda number: needs[number], default=None)) is not None:
        if needs[widest] <= _NARROWEST:
            break
        needs[widest] -= 1
        lacking -= 1
    return needs
