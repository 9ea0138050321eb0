"""next_after beside croniter and cronsim: 21 expressions, in UTC and America/New_York, all in one run.

    python bench/calendar.py [--json FILE] [--quick]

Warm: the next occurrence after the last, again and again, with the expression parsed once. Cold: parse and find the
first. Each figure is the best of several rounds, in microseconds; the ratios are what matters, and what is committed.
Texts that never match are timed for rota alone, since other libraries give up or walk for seconds.
"""

from __future__ import annotations

import sys

if sys.path and sys.path[0].endswith("bench"):
    del sys.path[0]  # this file's own folder: others would find it in place of the standard library's `calendar`

import argparse
import json
import math
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from zoneinfo import ZoneInfo

from croniter import croniter
from cronsim import CronSim

from rota.calendar.text import parse

EXPRESSIONS = [
    "* * * * *",
    "*/5 * * * *",
    "*/7 * * * *",
    "0 * * * *",
    "30 * * * *",
    "0 0 * * *",
    "30 2 * * *",
    "0 9 * * 1-5",
    "*/15 9-17 * * 1-5",
    "0 */2 * * *",
    "0,30 8,12,16 * * *",
    "0 0 1 * *",
    "0 0 15 * *",
    "0 0 31 * *",
    "0 0 L * *",
    "0 12 * * 5#2",
    "0 0 1 1 *",
    "0 0 29 2 *",
    "59 23 31 12 *",
    "0 0 13 * 5",
    "15 3 * 6-8 0",
]
NEVER = [
    "0 0 30 2 *",
    "0 0 31 4,6,9,11 *",
    "0 0 1 * +2#2",
    "0 0 31W 2 *",
    "0 0 0 29 2 * 2023",
    "0 0 0 30 2 * 1970-2199/3",
]
ZONES = ["UTC", "America/New_York"]
START = datetime(2026, 1, 1, 0, 0, 30, tzinfo=UTC)
GOALS = {"warm/croniter": 10.0, "warm/cronsim": 3.0, "cold/croniter": 4.0}


def best(call: Callable[[], object], rounds: int, times: int) -> float:
    """Microseconds per call: the best of `rounds` rounds of `times` calls."""
    shortest = math.inf
    for _ in range(rounds):
        begin = perf_counter()
        for _ in range(times):
            call()
        shortest = min(shortest, perf_counter() - begin)
    return shortest / times * 1e6


def warm(expression: str, zone: str, rounds: int, times: int) -> dict[str, float]:
    """Microseconds for one more occurrence."""
    local = START.astimezone(ZoneInfo(zone))
    recurrence = parse(expression, zone)
    figures: dict[str, float] = {}

    def walk_rota() -> None:
        at = START
        for _ in range(times):
            found = recurrence.next_after(at)
            if found is None:
                return
            at = found

    figures["rota"] = best(walk_rota, rounds, 1) / times
    other = croniter(expression, local)
    figures["croniter"] = best(lambda: other.get_next(datetime), rounds, times)
    shortest = math.inf
    for _ in range(rounds):
        third = CronSim(expression, local)
        begin = perf_counter()
        for _ in range(times):
            next(third)
        shortest = min(shortest, perf_counter() - begin)
    figures["cronsim"] = shortest / times * 1e6
    return figures


def cold(expression: str, zone: str, rounds: int, times: int) -> dict[str, float]:
    """Microseconds for parsing and the first occurrence."""
    local = START.astimezone(ZoneInfo(zone))
    return {
        "rota": best(lambda: parse(expression, zone).next_after(START), rounds, times),
        "croniter": best(lambda: croniter(expression, local).get_next(datetime), rounds, times),
        "cronsim": best(lambda: next(CronSim(expression, local)), rounds, times),
    }


def mean(values: list[float]) -> float:
    """The geometric mean."""
    return math.exp(sum(map(math.log, values)) / len(values))


def main() -> int:
    """Print the table; end with 1 where a goal is missed."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--json", type=Path)
    arguments.add_argument("--quick", action="store_true")
    options = arguments.parse_args()
    rounds, times = (3, 20) if options.quick else (7, 40)
    ratios: dict[str, list[float]] = {}
    slowest = 0.0
    heads = [f"{head:>9}" for head in ("us", "/croniter", "/cronsim")]
    print(f"{'':<38} {'warm':>8}{'':>21}{'cold':>8}")
    print(f"{'expression':<20} {'zone':<17}{' '.join(heads + heads)}")
    for expression in EXPRESSIONS:
        for zone in ZONES:
            rows = {"warm": warm(expression, zone, rounds, times), "cold": cold(expression, zone, rounds, times)}
            cells: list[str] = []
            for name, figures in rows.items():
                slowest = max(slowest, figures["rota"])
                cells.append(f"{figures['rota']:>9.2f}")
                for peer in ("croniter", "cronsim"):
                    ratios.setdefault(f"{name}/{peer}", []).append(figures[peer] / figures["rota"])
                    cells.append(f"{figures[peer] / figures['rota']:>9.1f}")
            print(f"{expression:<20} {zone:<17}{' '.join(cells)}")
    never = {text: best(lambda text=text: parse(text, "America/New_York").next_after(START), 3, 3) for text in NEVER}  # type: ignore[misc]
    means = {name: round(mean(values), 2) for name, values in ratios.items()}
    print("\ngeometric means of the ratios (how many times faster rota is):")
    for name, value in means.items():
        print(f"  {name:<15} {value:>7.1f}" + (f"   goal {GOALS[name]:g}" if name in GOALS else ""))
    print(f"slowest next_after: {slowest:.0f} us (goal 1,000); never-matching, parse and proof:")
    for text, figure in never.items():
        print(f"  {text:<28} {figure / 1000:>7.3f} ms (goal 15)")
    missed = [name for name, goal in GOALS.items() if means[name] < goal]
    missed += ["slowest"] * (slowest > 1000) + ["never"] * (max(never.values()) > 15000)
    if options.json:
        report = {"ratios": means, "slowest_us": round(slowest, 1), "never_ms": round(max(never.values()) / 1000, 3)}
        options.json.write_text(json.dumps(report, indent=2) + "\n")
    print("missed: " + ", ".join(missed) if missed else "all goals met")
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())
