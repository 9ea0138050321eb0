"""The fuzzing runs: what is fuzzed, with how many inputs."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from chaos.fuzz import commands, files, parsing, requests
from chaos.fuzz.found import Found
from chaos.judge import Verdict
from chaos.plan import Plan


@dataclass(frozen=True)
class Campaign:
    """`count` inputs in the long form, `few` in the short one. `body` draws them and tells what it finds."""

    title: str
    story: str
    count: int
    few: int
    body: Callable[[random.Random, int, Found], None]

    def __call__(self, plan: Plan) -> Verdict:
        """Carry it out; figures, and whatever broke a promise."""
        found, begin = Found(), time.monotonic()
        self.body(random.Random(plan.seed), plan.inputs or (self.few if plan.short else self.count), found)
        return found.verdict(time.monotonic() - begin)


CAMPAIGNS: Final[dict[str, Campaign]] = {
    "fuzz-parse": Campaign(
        "`rota.parse`",
        "Known texts with changes, cron fields and sentences of the grammar by chance, words in any order, long repetitions,"
        " anything; in eleven zones. What parses is asked everything (next, last, count, describe, warnings, notes, …) and its"
        " canonical text must mean the same; a refusal's column must lie in the text and its suggestion must parse. No parse"
        " and no question may take more than 100 ms of the processor.",
        2_000_000,
        10_000,
        parsing.fuzz,
    ),
    "fuzz-yaml": Campaign(
        "`rota.yaml`",
        "Valid files with changes of their text, or of their values and written anew, and bytes that are anything; each is"
        " read, or refused with a place for each fault.",
        50_000,
        1_000,
        files.fuzz,
    ),
    "fuzz-http": Campaign(
        "the HTTP API and the page",
        "Requests straight at the ASGI application: paths, methods, parameters, cursors, headers and raw bytes; half of them"
        " on SQLite, half on PostgreSQL. Never a 500; every refusal of the API is a problem document.",
        40_000,
        2_000,
        requests.fuzz,
    ),
    "fuzz-cli": Campaign(
        "the command line",
        "Every command but those that stay, in one folder with a database: options and arguments by chance. An exit code of"
        " the reference, never a traceback, never an internal error.",
        10_000,
        300,
        commands.fuzz,
    ),
}
