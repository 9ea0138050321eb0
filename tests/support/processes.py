"""Real processes of rota on one database: `python -m rota …` with the jobs below, to be stopped, frozen and killed."""

from __future__ import annotations

import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import httpx

from rota.app.records import Run
from rota.app.rota import Rota
from tests.interface.cli import command, environment
from tests.support.postgres import until

TIME_S = 40.0
"""How long a condition may take on a machine that does much else."""

APP = '''
"""Jobs that wait for a file, each start and end in the journal beside it."""
import os, signal, threading
from pathlib import Path
from rota import Context, Rota

rota = Rota()
HERE = Path(__file__).parent

def told(ctx: Context, what: str) -> None:
    with (HERE / "journal").open("a") as file:
        file.write(f"{what} {ctx.run_id} {ctx.token} {os.getpid()}\\n")

def wait(ctx: Context, seconds: float) -> str:
    told(ctx, "start")
    pause = threading.Event()
    for _ in range(int(seconds * 50)):
        if (HERE / "go").exists():
            break
        pause.wait(0.02)
    told(ctx, "end")
    return f"token {ctx.token}"

@rota.job
def slow(ctx: Context, seconds: float = 60.0) -> str:
    return wait(ctx, seconds)

@rota.job(on_lost="fail")
def once(ctx: Context, seconds: float = 60.0) -> str:
    return wait(ctx, seconds)

@rota.job
async def blocks(ctx: Context, seconds: float) -> str:
    return wait(ctx, seconds)

@rota.job
def spins(ctx: Context, seconds: float) -> None:
    import time
    told(ctx, "start")
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass

@rota.job
def yields(ctx: Context) -> None:
    told(ctx, "start")
    pause = threading.Event()
    while not ctx.cancelled:
        pause.wait(0.02)

def die(ctx: Context) -> str:
    told(ctx, "start")
    if ctx.token == 1:
        while len((HERE / "journal").read_text().splitlines()) < 2:
            pass
        os.kill(os.getpid(), signal.SIGKILL)
    return f"token {ctx.token}"

@rota.job
def eats(ctx: Context) -> str:
    return die(ctx)

@rota.job(on_lost="fail")
def eats_once(ctx: Context) -> str:
    return die(ctx)

@rota.job
def tick() -> None:
    pass
'''


@dataclass
class Process:
    """One process, and what it has said."""

    popen: subprocess.Popen[bytes]
    output: Path
    port: int

    @property
    def pid(self) -> int:
        return self.popen.pid

    def signal(self, number: int) -> None:
        self.popen.send_signal(number)

    def ends(self) -> int:
        """Its exit code, once it has ended."""
        return self.popen.wait(TIME_S)

    @property
    def said(self) -> str:
        return self.output.read_text(errors="replace")

    def status(self, path: str) -> int:
        """What its pages answer; 0 while they do not."""
        try:
            return httpx.get(f"http://127.0.0.1:{self.port}{path}", timeout=5).status_code
        except httpx.HTTPError:
            return 0


class Fleet:
    """A folder with an application, and its processes on one database; `app` are the test's own handles on it."""

    def __init__(self, url: str, folder: Path, **settings: str) -> None:
        self.folder = folder
        self.app = Rota(url)
        quick = {"LEASE": "1s", "POLL": "0.2s", "SWEEP": "0.3s", "DRAIN": "20s", "KILL_GRACE": "0.3s"} | settings
        self.env = {"ROTA_DATABASE": url} | {f"ROTA_{name}": value for name, value in quick.items()}
        self._started = 0
        (folder / "app.py").write_text(APP)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.app.close()

    @contextmanager
    def up(self, *words: str, **env: str) -> Iterator[Process]:
        """`rota up app:rota` that has begun to serve; killed at the end where it is still there."""
        with self.start("up", "app:rota", *(words or ("--no-web",)), **env) as process:
            assert until(lambda: self.node_of(process.pid) is not None or process.popen.poll() is not None, TIME_S)
            assert process.popen.poll() is None, process.said
            yield process

    @contextmanager
    def start(self, *words: str, **env: str) -> Iterator[Process]:
        """`rota WORDS`, killed at the end where it is still there."""
        self._started += 1
        output = self.folder / f"output{self._started}"
        port = free_port()
        given = environment(**(self.env | {"ROTA_PORT": str(port)} | env))
        with (
            output.open("wb") as file,
            subprocess.Popen(command(*words), cwd=self.folder, env=given, stdout=file, stderr=file) as popen,
        ):
            try:
                yield Process(popen, output, port)
            finally:
                if popen.poll() is None:
                    popen.send_signal(signal.SIGCONT)
                    popen.kill()

    def node_of(self, pid: int) -> Any:
        """The latest node of a process, or None."""
        return next((node for node in self.app.nodes.list() if node.pid == pid), None)

    def go(self) -> None:
        """Let the waiting jobs end."""
        (self.folder / "go").touch()

    def journal(self, what: str = "start") -> list[tuple[int, int, int]]:
        """(run, token, process) of each start or end."""
        path = self.folder / "journal"
        lines = [line.split() for line in path.read_text().splitlines()] if path.exists() else []
        return [(int(run), int(token), int(pid)) for kind, run, token, pid in lines if kind == what]

    def run(self, run: Run) -> Run:
        return self.app.runs.get(run.id)

    def started(self, *runs: Run) -> None:
        """Wait until these have begun."""
        self.wait(lambda: {run.id for run in runs} <= {started for started, _, _ in self.journal()})

    def ended(self, run: Run) -> Run:
        """The run once it is final."""
        return self.app.runs.wait(run.id, TIME_S)

    def wait(self, condition: Callable[[], bool], seconds: float = TIME_S) -> None:
        """Wait for a condition of other processes."""
        assert until(condition, seconds), self.said()

    def said(self) -> str:
        outputs = sorted(self.folder.glob("output*"))
        return "\n".join(f"{path.name}: {path.read_text(errors='replace')[-3000:]}" for path in outputs)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
