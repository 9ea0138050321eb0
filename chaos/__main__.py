"""`python -m chaos [NAME…] [--smoke] [--seed N] [--schedules N] [--kills N] [--inputs N] [--write-docs]`.

Without names all attacks, one after another; `fuzz` stands for all fuzzing. Databases, ports and processes are the
command's own and end with it. It ends with 1 where a promise was broken; every such case is printed. A seed repeats the
choices (whom, when), not the machine's timing.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import time
from typing import Any, Final

from bench import machine
from chaos import docs
from chaos.attacks import ATTACKS, Attack
from chaos.fuzz.campaigns import CAMPAIGNS, Campaign
from chaos.judge import Verdict
from chaos.plan import SMOKE, Plan

_SHOWN: Final = 30
ALL: Final[dict[str, Attack | Campaign]] = {**ATTACKS, **CAMPAIGNS}
FUZZ: Final = "fuzz"


def arguments(given: list[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser("python -m chaos", description=(__doc__ or "").split("\n\n", 1)[1])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join([*ALL, FUZZ]))
    parser.add_argument("--smoke", action="store_true", help="the short form")
    parser.add_argument("--seed", type=int, help="default: a fresh one, printed")
    parser.add_argument("--schedules", type=int, metavar="N")
    parser.add_argument("--kills", type=int, metavar="N")
    parser.add_argument("--inputs", type=int, metavar="N", help="how many inputs each fuzzing run takes")
    parser.add_argument("--write-docs", action="store_true", help=f"write {docs.PAGE.relative_to(machine.ROOT)}")
    options = parser.parse_args(given)
    options.names = [one for name in options.names or ALL for one in (CAMPAIGNS if name == FUZZ else [name])]
    unknown = [name for name in options.names if name not in ALL]
    if unknown:
        parser.error(f"{unknown[0]}: unknown; allowed are {', '.join([*ALL, FUZZ])}")
    return options


def plan_of(options: argparse.Namespace) -> Plan:
    """The plan that the options ask for."""
    seed = options.seed if options.seed is not None else secrets.randbelow(1_000_000)
    names = ("schedules", "kills", "inputs")
    given = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    wanted: dict[str, Any] = {"seed": seed} | (SMOKE if options.smoke else {}) | given
    return Plan(**wanted)


def carry_out(name: str, plan: Plan, command: str) -> dict[str, Any]:
    """One attack, printed; what the page needs of it."""
    print(f"{name}: {ALL[name].title}; seed {plan.seed}", flush=True)
    verdict = ALL[name](plan)
    show(verdict)
    told = machine.describe()
    return {
        "command": command,
        "seed": plan.seed,
        "commit": told["commit"],
        "date": time.strftime("%Y-%m-%d"),
        "machine": {key: told[key] for key in ("cores", "processor", "memory", "system", "python", "sqlite")},
        "figures": verdict.figures,
        "dispositions": verdict.dispositions,
        "runs": verdict.runs,
        "faults": verdict.faults,
    }


def show(verdict: Verdict) -> None:
    """Print what an attack found."""
    for heading, counts in (("", verdict.figures), ("occurrences ", verdict.dispositions), ("ended ", verdict.runs)):
        for name, value in counts.items():
            print(f"  {heading}{name}: {value:,}")
    for fault in verdict.faults[:_SHOWN]:
        print(f"  BROKEN: {fault}")
    if len(verdict.faults) > _SHOWN:
        print(f"  … and {len(verdict.faults) - _SHOWN} more")
    print(flush=True)


def main(given: list[str]) -> int:
    """Carry out the attacks; 1 where a promise was broken."""
    options = arguments(given)
    plan = plan_of(options)
    found = {}
    for name in options.names:
        words = ["python -m chaos", name, *(["--smoke"] if options.smoke else []), f"--seed {plan.seed}"]
        if plan.schedules != Plan(0).schedules and not options.smoke:
            words.append(f"--schedules {plan.schedules}")
        if plan.inputs is not None:
            words.append(f"--inputs {plan.inputs}")
        found[name] = carry_out(name, plan, " ".join(words))
        if options.write_docs:
            docs.PAGE.write_text(docs.page(docs.merge({name: found[name]})))
    broken = [name for name, result in found.items() if result["faults"]]
    print(f"broken promises: {', '.join(broken) or 'none'}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
