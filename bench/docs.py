"""The page docs/operations/speed.md: written by the bench, so that its tables are what the bench found."""

from __future__ import annotations

from typing import Final

from bench.machine import ROOT
from bench.report import Report, markdown

PAGE: Final = ROOT / "docs" / "operations" / "speed.md"

_HEAD: Final = """# Speed

This page is written by the bench and not to be edited: `make bench ARGS="{arguments}"`.
`make bench` measures again, `ARGS=--long` does the long form (100,000 schedules due at once, 1,000,000 that are not),
`make bench-smoke` a short one, which fails where a ratio is three times worse than the one in bench/baseline.json.

Read the ratios, not the figures: both sides of a ratio were measured in turns, in the same run, on the same machine,
each in a fresh process and on a fresh copy of the same prepared database. A ratio is the median of the rounds' own
ratios, a figure the median of the rounds. **The floor** is what the database itself can do: the rows that rota writes,
written by one set-based statement a batch (PostgreSQL; nothing travels) or one executemany a table (SQLite; the values
lie ready), durable, without a rule being computed or an answer being read.

"""

_FACTS: Final = {
    "commit": "Commit",
    "processor": "Processor",
    "cores": "Cores",
    "memory": "Memory",
    "system": "System",
    "load": "Load average at the start",
    "python": "Python",
    "postgresql": "PostgreSQL",
    "sqlite": "SQLite",
    "peers": "Peers",
    "took": "The run took",
}


def page(report: Report) -> str:
    """The whole page."""
    arguments = " ".join([*report.arguments, "--write-docs"])
    facts = [f"| {shown} | {report.machine[name]} |" for name, shown in _FACTS.items() if name in report.machine]
    table = "\n".join(["| Measured on | |", "| --- | --- |", *facts])
    missed = report.missed()
    verdict = (
        "Every goal of design document 7 that this run measured is met."
        if not missed
        else "Goals that this run missed: " + ", ".join(f"`{key}`" for key in missed) + "."
    )
    sections = "\n".join(markdown(section) for section in report.sections)
    return f"{_HEAD.format(arguments=arguments)}{table}\n\n{verdict}\n\n{sections}"
