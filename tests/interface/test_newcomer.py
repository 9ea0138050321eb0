"""The newcomer's path: a clone, a bare environment; `make run`, Ctrl-C, `make run`, `kill -9`, again, `rota why`."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.support.postgres import until

ROOT = Path(__file__).parents[2]
SCHEDULE = "heartbeat"
INSTALL_S = 300.0
START_S = 5.0
# What a machine needs to reach its package registry; all else is left behind.
CARRIED = ("PIP_", "SSL_", "REQUESTS_", "HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "PYENV_")


class Newcomer:
    """Somebody who has just cloned rota."""

    def __init__(self, folder: Path) -> None:
        self.clone = folder / "rota"
        subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{ROOT}", str(self.clone)], check=True)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        carried = {key: value for key, value in os.environ.items() if key.startswith(CARRIED)}
        self.env = {**carried, "PATH": os.environ["PATH"], "HOME": str(folder), "ROTA_PORT": str(self.port)}

    @contextmanager
    def make_run(self, **more: str) -> Iterator[subprocess.Popen[bytes]]:
        """`make run`, killed at the end if it is still there."""
        with (
            (self.clone / "output").open("ab") as output,
            subprocess.Popen(
                ["make", "run"], cwd=self.clone, env={**self.env, **more}, stdout=output, stderr=output
            ) as make,
        ):
            try:
                yield make
            finally:
                if make.poll() is None:
                    os.kill(child(make.pid) or make.pid, signal.SIGKILL)

    def get(self, path: str) -> bytes | None:
        """What the server answers, None while it does not, or not with 200."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            body = answer.read()
        except (OSError, http.client.HTTPException):
            return None
        else:
            return body if answer.status == 200 else None
        finally:
            connection.close()

    def items(self, path: str) -> list[dict[str, Any]]:
        answer = self.get(path)
        return list(json.loads(answer)["items"]) if answer else []

    def succeeded(self) -> list[int]:
        """The ids of the example's runs that have succeeded."""
        runs = self.items("/api/v1/runs")
        return [run["id"] for run in runs if run["state"] == "succeeded" and str(run["schedule"]).endswith(SCHEDULE)]

    def next_at(self) -> datetime:
        """When the example's schedule fires next."""
        (found,) = [item for item in self.items("/api/v1/schedules") if item["name"] == SCHEDULE]
        return datetime.fromisoformat(found["next_at"])

    def why(self) -> str:
        """What `rota why` says about the example's schedule."""
        command = [str(self.clone / ".venv" / "bin" / "rota"), "why", SCHEDULE]
        return subprocess.run(command, cwd=self.clone, env=self.env, capture_output=True, text=True, check=True).stdout

    def said(self) -> str:
        return (self.clone / "output").read_text(errors="replace")[-3000:]


def child(pid: int) -> int | None:
    """The process that make has become a parent of: rota itself, since the recipe is `exec`."""
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    pids = listed.read_text().split() if listed.exists() else []
    return int(pids[0]) if pids else None


def stop(make: subprocess.Popen[bytes]) -> int:
    """Ctrl-C for rota; what `make` ends with."""
    rota = child(make.pid)
    assert rota
    os.kill(rota, signal.SIGINT)
    return make.wait(60)


@pytest.mark.full
def test_the_newcomers_path(tmp_path: Path) -> None:
    newcomer = Newcomer(tmp_path)
    with newcomer.make_run() as make:
        assert until(lambda: bool(newcomer.succeeded()) or make.poll() is not None, INSTALL_S), newcomer.said()
        assert newcomer.succeeded(), newcomer.said()
        assert stop(make) == 0, newcomer.said()
    # A second start installs nothing: it could not.
    with newcomer.make_run(PIP_NO_INDEX="1", PIP_INDEX_URL="", PIP_FIND_LINKS="") as make:
        began = time.monotonic()
        assert until(lambda: newcomer.get("/healthz") is not None, 3 * START_S), newcomer.said()
        assert time.monotonic() - began < START_S
        latest, due = max(newcomer.succeeded(), default=0), newcomer.next_at()
        rota = child(make.pid)
        assert rota
        os.kill(rota, signal.SIGKILL)
        assert make.wait(10) != 0
    # While nobody is there, the next occurrence passes, and several more.
    assert until(lambda: (datetime.now(UTC) - due).total_seconds() > 30, 120)  # noqa: TID251 - real processes, real time
    with newcomer.make_run() as make:
        assert until(lambda: max(newcomer.succeeded(), default=0) > latest, 60), newcomer.said()
        story = newcomer.why()
        assert stop(make) == 0, newcomer.said()
    assert "no scheduler was alive" in story
    shutil.rmtree(newcomer.clone)
