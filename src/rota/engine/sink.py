"""Where what running handlers say is collected, until a loop writes it to the store in batches."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from rota.clock import Clock
from rota.store import logs
from rota.store.database import Connection
from rota.targets.output import Stream

KEPT: Final = 32 * 1024 * 1024
"""Characters (and artifacts' bytes) that wait for the database at most; more is lost, and the log says so."""


@dataclass(slots=True)
class Collected:
    """What was said and is not written yet."""

    chunks: list[dict[str, Any]] = field(default_factory=list)
    progress: dict[int, tuple[int, float, float | None, datetime]] = field(default_factory=dict)
    artifacts: dict[tuple[int, str], tuple[bytes, datetime]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.chunks or self.progress or self.artifacts)


class Buffer:
    """A thread-safe sink. Nothing here waits for the database; `take` and `write` are for the worker."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._now = Collected()
        self._seq: dict[tuple[int, int], int] = {}
        self._size = 0
        self._lost: dict[tuple[int, int], int] = {}

    def log(self, run_id: int, token: int, stream: Stream, text: str) -> None:
        """Append one line to the log of a run."""
        at = self._clock.now()
        with self._lock:
            if self._size + len(text) > KEPT:
                self._lost[run_id, token] = self._lost.get((run_id, token), 0) + 1
                return
            self._append((run_id, token), at, stream, text)

    def _append(self, run: tuple[int, int], at: datetime, stream: str, text: str) -> None:
        seq = self._seq[run] = self._seq.get(run, -1) + 1
        self._size += len(text)
        chunk = {"run_id": run[0], "token": run[1], "seq": seq, "at": at, "stream": stream, "text": text}
        self._now.chunks.append(chunk)

    def progress(self, run_id: int, token: int, done: float, total: float | None) -> None:  # noqa: ARG002 - the protocol's
        """Keep the latest progress of a run."""
        with self._lock:
            self._now.progress[run_id] = (run_id, done, total, self._clock.now())

    def save(self, run_id: int, token: int, name: str, data: bytes) -> None:
        """Keep an artifact until it is written; one that finds no room is reported in the run's log."""
        at = self._clock.now()
        with self._lock:
            if self._size + len(data) > KEPT:
                self._append((run_id, token), at, "log", f"WARNING artifact {name} was lost: the database is behind")
                return
            self._size += len(data)
            self._now.artifacts[run_id, name] = (data, at)

    def take(self) -> Collected:
        """All that waits; afterwards nothing does. `put_back` it where it could not be written."""
        with self._lock:
            for run, count in self._lost.items():
                self._append(run, self._clock.now(), "log", f"WARNING {count} lines were lost: the database is behind")
            self._lost.clear()
            taken, self._now = self._now, Collected()
            self._size = 0
            return taken

    def put_back(self, taken: Collected) -> None:
        """Put what could not be written in front of what came since."""
        with self._lock:
            self._now.chunks[:0] = taken.chunks
            self._now.progress = taken.progress | self._now.progress
            self._now.artifacts = taken.artifacts | self._now.artifacts
            self._size += sum(len(c["text"]) for c in taken.chunks) + sum(len(d) for d, _ in taken.artifacts.values())

    def forget(self, run_id: int, token: int) -> None:
        """The run was settled: its line numbers are not needed any more."""
        if not self._seq:
            return
        with self._lock:
            self._seq.pop((run_id, token), None)


def write(conn: Connection, taken: Collected) -> None:
    """Write what was taken; a line that is there already is left as it is."""
    if taken.chunks:
        logs.append(conn, taken.chunks)
    if taken.progress:
        logs.put_progress(conn, list(taken.progress.values()))
    for (run, name), (data, at) in taken.artifacts.items():
        logs.put_artifact(conn, run, name, data, at)
