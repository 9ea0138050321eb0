"""How long the commands take that people type most, beside an interpreter that does nothing."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from bench.report import Line, Ratio, Section, middle, ratio
from bench.sizes import Sizes

GOAL_MS = 100.0


def commands() -> dict[str, list[str]]:
    """Each command by its name; `bare` is the interpreter alone."""
    rota = str(Path(sys.executable).with_name("rota"))
    return {
        "bare": [sys.executable, "-c", "pass"],
        "explain": [rota, "explain", "0 9 * * 1-5", "--timezone", "Europe/Berlin"],
        "help": [rota, "--help"],
    }


def section(sizes: Sizes) -> Section:
    """The table."""
    todo = commands()
    rounds = [{name: _run(command) for name, command in todo.items()} for _ in range(sizes.commands)]
    lines = [Line("the interpreter alone", (middle(rounds, "bare"),))]
    for name, shown in (("explain", "rota explain '0 9 * * 1-5' --timezone Europe/Berlin"), ("help", "rota --help")):
        more = sorted(each[name] - each["bare"] for each in rounds)[len(rounds) // 2]
        times = ratio(f"startup/{name}", rounds, name, "bare", better="lower")
        marks = (times, Ratio(f"startup/{name}_more_ms", more, "lower", GOAL_MS, absolute=True))
        lines.append(Line(shown, (middle(rounds, name),), marks))
    return Section(
        "Starting a command", ("ms",), tuple(lines), "Times the bare interpreter; then milliseconds more than it."
    )


def _run(command: list[str]) -> float:
    begin = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return (time.perf_counter() - begin) * 1000
