"""The processes that are attacked, each known by its own id."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

ROOT: Final = Path(__file__).resolve().parent.parent
APPLICATION: Final = "chaos.application:rota"
_DRAIN_S: Final = 60.0
_LOUD: Final = (" error ", " critical ", "Traceback (most recent call last)")
_EXPECTED: Final = (" node.fenced ",)
"""What a process says that was stopped, or that a busy machine let stand for a lease."""


def until(condition: Callable[[], bool], seconds: float, pause_s: float = 0.05) -> float | None:
    """Look at a condition until it holds; how long that took, or None when the time was up."""
    begin, waiting = time.monotonic(), threading.Event()
    while not condition():
        if time.monotonic() - begin > seconds:
            return None
        waiting.wait(pause_s)
    return time.monotonic() - begin


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


@dataclass
class Member:
    """One place in the fleet and the process that fills it now."""

    role: str
    number: int
    process: subprocess.Popen[bytes]
    started_at: float
    port: int | None = None

    @property
    def pid(self) -> int:
        """The process's id."""
        return self.process.pid

    @property
    def name(self) -> str:
        """`scheduler 2`."""
        return f"{self.role} {self.number}"

    def ready(self) -> tuple[int, list[str]]:
        """What its `/readyz` answers: the status and the reasons; 0 where it does not answer within a second."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=1.0) as answer:
                return answer.status, json.load(answer)["reasons"]
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)["reasons"]
        except OSError:
            return 0, []


@dataclass
class Fleet:
    """Real processes of one application on one database. Use as a context: none outlives it."""

    url: str
    folder: Path
    roles: tuple[str, ...]
    schedules: int
    policies: Mapping[str, Any] = field(default_factory=dict)
    web: bool = False
    lease_s: float = 2.0
    poll_s: float = 1.0
    members: list[Member] = field(default_factory=list)

    def __enter__(self) -> Self:
        for number, role in enumerate(self.roles):
            port = free_port() if self.web else None
            self.members.append(Member(role, number, self._spawn(role, number, port), time.monotonic(), port))
        return self

    def __exit__(self, *_: object) -> None:
        for member in self.members:
            self._end(member)

    @property
    def record(self) -> Path:
        """What the handlers wrote down."""
        return self.folder / "record"

    def _environment(self) -> dict[str, str]:
        plain = {name: value for name, value in os.environ.items() if not name.startswith("ROTA_")}
        return plain | {
            "ROTA_DATABASE": self.url,
            "ROTA_LEASE": f"{self.lease_s:g}s",
            "ROTA_POLL": f"{self.poll_s:g}s",
            "CHAOS_SCHEDULES": str(self.schedules),
            "CHAOS_POLICIES": json.dumps(dict(self.policies)),
            "CHAOS_RECORD": str(self.record),
            "CHAOS_PARENT": str(os.getpid()),
        }

    def _spawn(self, role: str, number: int, port: int | None) -> subprocess.Popen[bytes]:
        words = [role, APPLICATION, *(["--no-web"] if role == "up" and port is None else [])]
        with (self.folder / f"{role}-{number}.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "rota", *words],
                cwd=ROOT,
                env=self._environment() | ({} if port is None else {"ROTA_PORT": str(port)}),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def kill(self, member: Member) -> None:
        """SIGKILL, and at once another process in its place."""
        member.process.kill()
        member.process.wait()
        member.process = self._spawn(member.role, member.number, member.port)
        member.started_at = time.monotonic()

    def fallen(self) -> list[str]:
        """Members that have ended by themselves."""
        return [f"{m.name} ended with {m.process.returncode}" for m in self.members if m.process.poll() is not None]

    def stop(self) -> list[str]:
        """SIGTERM to all; whoever did not end with 0 in time."""
        for member in self.members:
            member.process.send_signal(signal.SIGTERM)
        faults = []
        for member in self.members:
            try:
                code = member.process.wait(_DRAIN_S)
            except subprocess.TimeoutExpired:
                faults.append(f"{member.name} did not end within {_DRAIN_S:g} s of SIGTERM")
                continue
            if code != 0:
                faults.append(f"{member.name} ended with {code} after SIGTERM")
        return faults

    def _end(self, member: Member) -> None:
        if member.process.poll() is None:
            member.process.send_signal(signal.SIGCONT)
            member.process.kill()
        member.process.wait()

    def loud(self) -> list[str]:
        """Lines of the processes' logs that tell of an error, the first of each kind."""
        found: dict[str, str] = {}
        for path in sorted(self.folder.glob("*.log")):
            for line in path.read_text(errors="replace").splitlines():
                if any(word in f"{line} " for word in _LOUD) and not any(word in line for word in _EXPECTED):
                    kind = " ".join(word for word in line.split()[1:] if not any(c.isdigit() for c in word))
                    found.setdefault(kind[:120], f"{path.name}: {line[:500]}")
        return list(found.values())
