"""`python -m bench [NAME…] [--smoke | --long] [--json FILE] [--write-docs] [--write-baseline]`.

The names are those of PARTS; without any, all. The databases are the bench's own: a durable PostgreSQL that it starts
and ends, and SQLite files. Every comparison is side by side in one run: interleaved rounds, medians, ratios.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from bench import docs, fire, idle, latency, lateness, machine, run, servers, sizes, start, startup
from bench.report import Report, Section, judge, plain
from bench.timing import section as timing

SMOKE: Final = ("fire", "run", "latency", "idle", "startup", "calendar")
"""What the short form does: the parts that yield ratios without asking every peer."""
BASELINE: Final = Path(__file__).with_name("baseline.json")


def _both(part: Callable[[servers.Store, sizes.Sizes], Section]) -> Callable[[Bench], Iterator[Section]]:
    return lambda bench: (part(store, bench.sizes) for store in bench.stores())


class Bench:
    """What the parts share: how much to do, and the databases, started when first asked for."""

    def __init__(self, chosen: sizes.Sizes, stack: contextlib.ExitStack, report: Report) -> None:
        self.sizes = chosen
        self.report = report
        self._stack = stack
        self._stores: tuple[servers.Store, ...] = ()

    def stores(self) -> tuple[servers.Store, ...]:
        """PostgreSQL and SQLite."""
        if not self._stores:
            server = self._stack.enter_context(servers.postgresql())
            self.report.machine["postgresql"] = server.version()
            self._stores = (server, self._stack.enter_context(servers.sqlite()))
        return self._stores


PARTS: Final[dict[str, Callable[[Bench], Iterator[Section]]]] = {
    "fire": lambda bench: (found for store in bench.stores() for found in fire.sections(store, bench.sizes)),
    "start": _both(start.section),
    "run": _both(run.section),
    "latency": lambda bench: (
        latency.section(store, bench.sizes)
        for store in bench.stores()
        if bench.sizes.peers or store.kind == "PostgreSQL"
    ),
    "lateness": _both(lateness.section),
    "idle": lambda bench: iter([idle.section(bench.stores()[0], bench.sizes)]),
    "startup": lambda bench: iter([startup.section(bench.sizes)]),
    "calendar": lambda bench: iter([timing(bench.sizes)]),
}


def measure(names: list[str], chosen: sizes.Sizes, told: list[str]) -> Report:
    """Run the named parts, printing each table when it is there."""
    report = Report(machine.describe(), told)
    begin = time.monotonic()
    with contextlib.ExitStack() as stack:
        bench = Bench(chosen, stack, report)
        for name in names:
            for section in PARTS[name](bench):
                report.sections.append(section)
                print(f"{plain(section)}  [{time.monotonic() - begin:.0f} s]\n", flush=True)
    report.machine["took"] = f"{time.monotonic() - begin:.0f} s"
    return report


def smoke(report: Report) -> int:
    """1 where a ratio is three times worse than the committed one."""
    committed = json.loads(BASELINE.read_text())["ratios"]
    wanted = {key: value for key, value in committed.items() if key.split("/")[0] in _measured(report)}
    problems = judge(wanted, report.ratios())
    for problem in problems:
        print(f"worse: {problem}", file=sys.stderr)
    if not problems:
        print(f"{len(wanted)} ratios are within three times of {BASELINE.name}")
    return 1 if problems else 0


def _measured(report: Report) -> set[str]:
    """The parts of this run: a baseline names all, a run may be of some."""
    return {key.split("/")[0] for key in report.ratios()}


def write_baseline(report: Report) -> None:
    """Commit this run's ratios; figures of this machine alone stay out."""
    found = {
        key: {"value": round(ratio.value, 4), "better": ratio.better}
        for key, ratio in sorted(report.ratios().items())
        if not ratio.absolute
    }
    told = {"arguments": report.arguments, "machine": report.machine, "ratios": found}
    BASELINE.write_text(json.dumps(told, indent=2) + "\n")


def arguments(given: list[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser("python -m bench", description=(__doc__ or "").split("\n\n", 1)[1])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PARTS))
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--smoke", action="store_true", help="a short form; fails where a ratio is 3 times worse")
    form.add_argument("--long", action="store_true", help="100,000 schedules due at once, 1,000,000 idle")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was found")
    parser.add_argument("--write-docs", action="store_true", help=f"write {docs.PAGE.relative_to(machine.ROOT)}")
    parser.add_argument("--write-baseline", action="store_true", help="with --smoke: write bench/baseline.json")
    options = parser.parse_args(given)
    unknown = [name for name in options.names if name not in PARTS]
    if unknown:
        parser.error(f"{unknown[0]}: unknown; allowed are {', '.join(PARTS)}")
    return options


def main(given: list[str]) -> int:
    """Run the bench; 1 where its smoke form failed."""
    options = arguments(given)
    chosen = sizes.SMOKE if options.smoke else sizes.LONG if options.long else sizes.FULL
    form = ["--smoke"] if options.smoke else ["--long"] if options.long else []
    names = options.names or list(SMOKE if options.smoke else PARTS)
    report = measure(names, chosen, [*options.names, *form])
    if options.json:
        options.json.write_text(json.dumps(report.to_json(), indent=2) + "\n")
    if options.write_docs:
        docs.PAGE.write_text(docs.page(report))
    print(f"missed goals: {', '.join(report.missed()) or 'none'}")
    if options.smoke and options.write_baseline:
        write_baseline(report)
        return 0
    return smoke(report) if options.smoke else 0


def _ended(number: int, _frame: object) -> None:
    """SIGTERM is an orderly end: the server and the files go."""
    sys.exit(128 + number)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _ended)
    sys.exit(main(sys.argv[1:]))
