"""Figures, ratios, and the tables and comparisons made of them. Pure: nothing here measures or reads a clock."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

Better = Literal["higher", "lower"]
WORSE: Final = 3.0
"""How many times worse than the committed one a ratio may be before the smoke form fails."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """One comparison: the median over the rounds of (rota's figure / the other's), and what document 7 asks of it."""

    key: str
    value: float
    better: Better = "higher"
    goal: float | None = None
    absolute: bool = False
    """Whether the value is a figure of this machine, not a ratio: it may miss its goal, it never fails the smoke form."""

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None where there is none."""
        if self.goal is None:
            return None
        return self.value >= self.goal if self.better == "higher" else self.value <= self.goal

    def text(self) -> str:
        """`0.83 (goal at least 0.7)`, with a mark where the goal is missed."""
        shown = number(self.value)
        if self.goal is None:
            return shown
        asked = f"goal at {'least' if self.better == 'higher' else 'most'} {self.goal:g}"
        return f"{shown} ({asked})" if self.met else f"{shown} (**missed**, {asked})"


@dataclass(frozen=True, slots=True)
class Line:
    """One contender: its figures in the order of the section's columns, and how rota stands to it."""

    name: str
    figures: tuple[float | str | None, ...]
    ratios: tuple[Ratio, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """One table: what was done, in one run, side by side."""

    title: str
    columns: tuple[str, ...]
    lines: tuple[Line, ...]
    note: str = ""
    ratios: tuple[Ratio, ...] = ()
    """Those that stand in the note, not in the table."""


@dataclass(slots=True)
class Report:
    """Everything that one run of the bench found; `arguments` are those that say what it measured."""

    machine: dict[str, str]
    arguments: list[str]
    sections: list[Section] = field(default_factory=list)

    def ratios(self) -> dict[str, Ratio]:
        """Every ratio by its key."""
        shown = [ratio for s in self.sections for line in s.lines for ratio in line.ratios]
        return {ratio.key: ratio for ratio in shown + [ratio for s in self.sections for ratio in s.ratios]}

    def missed(self) -> list[str]:
        """The keys of the goals that were missed."""
        return [key for key, ratio in self.ratios().items() if ratio.met is False]

    def to_json(self) -> dict[str, Any]:
        """The report as JSON."""
        return {
            "arguments": self.arguments,
            "machine": self.machine,
            "ratios": {
                k: {"value": round(r.value, 4), "better": r.better, "goal": r.goal} for k, r in self.ratios().items()
            },
            "sections": [
                {
                    "title": s.title,
                    "columns": s.columns,
                    "lines": [{"name": line.name, "figures": line.figures} for line in s.lines],
                }
                for s in self.sections
            ],
        }


def number(value: float | str | None) -> str:
    """A figure for people: three digits that count, thousands with commas; a dash where there is none."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    if abs(value) >= 1000:
        digits = max(0, len(str(int(abs(value)))) - 3)
        return f"{round(value, -digits):,.0f}"
    if value == 0:
        return "0"
    text = f"{value:#.3g}"
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text.rstrip(".")


def middle(rounds: Sequence[Mapping[str, float]], name: str) -> float:
    """The median of one figure over the rounds that have it."""
    return statistics.median(each[name] for each in rounds if name in each)


def ratio(
    key: str,
    rounds: Sequence[Mapping[str, float]],
    ours: str,
    theirs: str,
    *,
    better: Better = "higher",
    goal: float | None = None,
) -> Ratio:
    """The median of the rounds' own ratios: what slowed one whole round down slowed both of its sides down."""
    pairs = [(each[ours], each[theirs]) for each in rounds if ours in each and theirs in each]
    return Ratio(key, statistics.median(a / b for a, b in pairs), better, goal)


def quantile(values: Sequence[float], share: float) -> float:
    """The value that `share` of the values do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, -(-int(share * 1000) * len(ordered) // 1000) - 1))]


def markdown(section: Section) -> str:
    """The section as a heading and a table."""
    with_ratios = any(line.ratios for line in section.lines)
    heads = ["", *section.columns, *(["rota to it"] if with_ratios else [])]
    rows = [heads, ["---", *["---:"] * (len(heads) - 1)]]
    for line in section.lines:
        cells = [line.name, *[number(figure) for figure in line.figures]]
        rows.append(cells + (["; ".join(r.text() for r in line.ratios)] if with_ratios else []))
    table = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    note = f"\n\n{section.note}" if section.note else ""
    return f"### {section.title}\n\n{table}{note}\n"


def plain(section: Section) -> str:
    """The section for a terminal."""
    rows = [["", *section.columns, "rota to it"]]
    for line in section.lines:
        told = "; ".join(r.text().replace("**", "") for r in line.ratios)
        rows.append([line.name, *[number(figure) for figure in line.figures], told])
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    shown = []
    for row in rows:
        middle_cells = [cell.rjust(width) for cell, width in zip(row[1:-1], widths[1:-1], strict=True)]
        shown.append("  ".join([row[0].ljust(widths[0]), *middle_cells, row[-1]]).rstrip())
    note = f"\n  {section.note}" if section.note else ""
    return f"{section.title}\n" + "\n".join("  " + line for line in shown) + note + "\n"


def worse(then: float, now: float, better: Better) -> float:
    """How many times worse `now` is than `then`; below 1 where it is better."""
    if then <= 0 or now <= 0:
        return float("inf") if now != then else 1.0
    return then / now if better == "higher" else now / then


def judge(baseline: Mapping[str, Mapping[str, Any]], now: Mapping[str, Ratio]) -> list[str]:
    """What is wrong with these ratios beside the committed ones, a line each; nothing if all is well.

    A ratio that is `WORSE` times worse is wrong, and so is one that the baseline names and this run did not measure. One
    that is new is not: the next baseline will hold it.
    """
    problems = []
    for key, committed in sorted(baseline.items()):
        found = now.get(key)
        if found is None:
            problems.append(f"{key}: the baseline holds {number(committed['value'])}, this run did not measure it")
            continue
        times = worse(committed["value"], found.value, committed["better"])
        if times > WORSE:
            told = f"{number(found.value)} now, {number(committed['value'])} committed"
            problems.append(f"{key}: {told}: {number(times)} times worse")
    return problems
