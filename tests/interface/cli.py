"""`rota` as a process: what it prints, and what it ends with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TIME_S = 120


@dataclass(frozen=True)
class Answer:
    """What one command has printed and ended with."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    def one_line(self) -> str:
        """The only line on stderr, which is how every error ends; never a traceback."""
        lines = self.err.strip().splitlines()
        assert len(lines) == 1, self.err
        assert lines[0].startswith("rota: "), self.err
        return lines[0]


def environment(**more: str) -> dict[str, str]:
    """This process's own environment without what would change rota's answers, or have it compiled at each start."""
    dropped = ("TZ", "NO_COLOR", "PYTHONDONTWRITEBYTECODE")
    kept = {k: v for k, v in os.environ.items() if not k.startswith("ROTA_") and k not in dropped}
    return {**kept, "TZ": "UTC", **more}


def command(*words: str) -> list[str]:
    """The command line of `rota WORDS`, with the interpreter of these tests."""
    return [sys.executable, "-m", "rota", *words]


def rota(*words: str, cwd: Path, given: str | None = None, env: Mapping[str, str] | None = None) -> Answer:
    """Run `rota WORDS` in a folder."""
    done = subprocess.run(
        command(*words),
        cwd=cwd,
        env=environment(**(env or {})),
        input=given,
        stdin=subprocess.DEVNULL if given is None else None,
        capture_output=True,
        text=True,
        timeout=TIME_S,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return Answer(done.returncode, done.stdout, done.stderr)
