"""The page docs/operations/reliability.md: written by the attacks, from figures that they found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from chaos.attacks import ATTACKS
from chaos.fleet import ROOT
from chaos.fuzz.campaigns import CAMPAIGNS

PAGE: Final = ROOT / "docs" / "operations" / "reliability.md"
FIGURES: Final = Path(__file__).with_name("figures.json")

_HEAD: Final = """# Reliability

This page is written by `make chaos` (`python -m chaos --write-docs`). Do not edit it. `make chaos ARGS="kill --smoke"` is a
short form; `ARGS="kill --seed 7"` repeats the choices of a run.

Real processes (`rota scheduler`, `rota worker`, `rota up`) of one application on a private database that syncs what it
commits; one-second schedules, half of them `* * * * * *`, half `every 1s`, whose handlers are async and sync, 80 % empty,
20 % asleep for 50 to 300 ms; lease 2 s, poll 1 s. Each handler writes (run, token, process) to a file of its own when it
starts and when it ends. After the attack nothing is attacked for at most 60 s, in which every watermark must become
current and every run final; then the laws are judged on the tables, occurrence by occurrence as the calendar names them,
and the handlers' record is compared with them:

- **lost**: occurrences between creation and watermark without exactly one disposition;
- **doubled**: occurrences with two runs; **started twice under one token**: by the handlers' record;
- a run that was started again has a loss on record for each start before the last, and each of those processes was fenced;
- each run has one event of its firing and one of its end; each `succeeded` is confirmed by the handler that ended it.

The choice of whom to kill does not ask whether it has begun: on a machine that is busy with other things a process takes
seconds to start, many kills meet one that is still starting, and there is little time in which anything fires. Each table
says how many.

Fuzzing draws inputs by a seed and carries them out in one process; times are the processor's.

"""


def merge(found: dict[str, Any]) -> dict[str, Any]:
    """These runs in place of earlier ones of the same names; what is written to chaos/figures.json."""
    kept: dict[str, Any] = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    merged = kept | found
    ordered = {name: merged[name] for name in (*ATTACKS, *CAMPAIGNS) if name in merged}
    FIGURES.write_text(json.dumps(ordered, indent=2) + "\n")
    return ordered


def page(results: dict[str, Any]) -> str:
    """The whole page."""
    attacks = {name: result for name, result in results.items() if name in ATTACKS}
    fuzzed = {name: result for name, result in results.items() if name in CAMPAIGNS}
    table = [
        "| Attack | occurrences | lost | doubled | runs | not final | broken promises |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
        *(_row(name, result) for name, result in attacks.items()),
    ]
    inputs = [
        "| Fuzzed | inputs | exceptions that are not rota's | broken promises |",
        "| --- | ---: | ---: | ---: |",
        *(_inputs(name, result) for name, result in fuzzed.items()),
    ]
    sections = [_section(name, result) for name, result in attacks.items()]
    told = [_fuzzed(name, result) for name, result in fuzzed.items()]
    head = "\n".join(table) + ("\n\n" + "\n".join(inputs) if fuzzed else "")
    return f"{_HEAD}{head}\n\n" + "\n".join(sections + told)


def _inputs(name: str, result: dict[str, Any]) -> str:
    figures = result["figures"]
    cells = (figures["inputs"], figures["exceptions that are not rota's"], len(result["faults"]))
    return f"| {CAMPAIGNS[name].title} | {' | '.join(f'{cell:,}' for cell in cells)} |"


def _fuzzed(name: str, result: dict[str, Any]) -> str:
    campaign = CAMPAIGNS[name]
    ended = [f"| {outcome} | {count:,} |" for outcome, count in result["runs"].items()]
    return "\n".join(
        [f"## Fuzzing {campaign.title}\n", f"{campaign.story}\n", _made(result), *_figures(result), "",
         "| ended | inputs |", "| --- | ---: |", *ended, ""]
    ) + _broken(result)  # fmt: skip


def _row(name: str, result: dict[str, Any]) -> str:
    figures = result["figures"]
    cells = [f"{figures[key]:,}" for key in ("occurrences", "lost", "doubled", "runs", "not final")]
    return f"| {ATTACKS[name].title} | {' | '.join(cells)} | {len(result['faults'])} |"


def _section(name: str, result: dict[str, Any]) -> str:
    attack = ATTACKS[name]
    counted = [f"| {kind} | {count:,} |" for kind, count in result["dispositions"].items()]
    runs = ", ".join(f"{count:,} {state}" for state, count in result["runs"].items())
    return "\n".join(
        [f"## {attack.title}\n", f"{attack.story}\n", _made(result), *_figures(result), "",
         "| disposition | occurrences |", "| --- | ---: |", *counted, "", f"Runs: {runs}.\n"]
    ) + _broken(result)  # fmt: skip


def _made(result: dict[str, Any]) -> str:
    machine = ", ".join(f"{key} {value}" for key, value in result["machine"].items())
    return f"`{result['command']}`, seed {result['seed']}, commit `{result['commit']}`, {result['date']}; {machine}.\n"


def _figures(result: dict[str, Any]) -> list[str]:
    return [
        "| figure | |",
        "| --- | ---: |",
        *(f"| {key} | {_shown(value)} |" for key, value in result["figures"].items()),
    ]


def _broken(result: dict[str, Any]) -> str:
    faults = "".join(f"- {fault}\n" for fault in result["faults"][:20])
    return f"\nBroken:\n\n{faults}" if faults else ""


def _shown(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
