"""A process of rota that stays: started in a folder, asked over HTTP, ended by signals, killed at the end."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.interface.cli import command, environment
from tests.support.postgres import until

START_S = 60.0
END_S = 60.0
WITHOUT_SERVER = (
    "import sys; sys.modules['fastapi'] = None\nfrom rota.cli.main import main\nsys.exit(main(sys.argv[1:]))"
)
"""rota as it is where the extra `server` is not installed."""


@dataclass
class Process:
    """One process; what it says on stderr grows in a file."""

    child: subprocess.Popen[bytes]
    log: Path

    def said(self) -> str:
        return self.log.read_text("utf-8")

    def says(self, text: str, seconds: float = START_S) -> None:
        """Wait until it has said something."""
        assert until(lambda: text in self.said() or self.child.poll() is not None, seconds), self.said()
        assert text in self.said(), self.said()

    @property
    def port(self) -> int:
        self.says("pages on ")
        found = re.search(r"pages on http://127\.0\.0\.1:([0-9]+)", self.said())
        assert found, self.said()
        return int(found[1])

    def get(self, path: str, **headers: str) -> tuple[int, bytes, dict[str, str]]:
        """Status, body and headers of a request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        with contextlib.closing(connection):
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read(), {k.lower(): v for k, v in answer.getheaders()}

    def items(self, path: str) -> list[dict[str, Any]]:
        return list(json.loads(self.get(path)[1])["items"])

    def ready(self) -> None:
        """Wait until its loops do their work."""
        assert until(lambda: self.get("/readyz")[0] == 200, START_S), self.said()

    def until_run(self, state: str, **fields: Any) -> dict[str, Any]:
        """Wait for a run of this state and these fields."""

        def found() -> list[dict[str, Any]]:
            runs = self.items("/api/v1/runs")
            return [run for run in runs if run["state"] == state and all(run[k] == v for k, v in fields.items())]

        assert until(lambda: bool(found()), START_S), (self.items("/api/v1/runs"), self.said())
        return found()[0]

    def end(self, number: int = signal.SIGINT) -> int:
        """Send a signal; what it ends with."""
        self.child.send_signal(number)
        return self.child.wait(END_S)


@contextlib.contextmanager
def started(folder: Path, *words: str, without_server: bool = False, **env: str) -> Iterator[Process]:
    """`rota WORDS` in a folder, with fast loops; it may not print a traceback, and is gone afterwards."""
    line = [sys.executable, "-c", WITHOUT_SERVER, *words] if without_server else command(*words)
    log = folder / f"log-{len(list(folder.glob('log-*')))}"
    settings = {"ROTA_PORT": "0", "ROTA_LEASE": "3s", "ROTA_POLL": "1s"} | env
    with (
        log.open("wb") as out,
        subprocess.Popen(line, cwd=folder, env=environment(**settings), stdout=out, stderr=out) as child,
    ):
        process = Process(child, log)
        try:
            yield process
        finally:
            if child.poll() is None:
                child.kill()
    assert "Traceback" not in process.said(), process.said()
