"""What the tests of executions share: a sink that remembers, a run, one way to execute it."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from rota.clock import SystemClock
from rota.engine.invoke import Execution
from rota.engine.outcome import Limits
from rota.engine.registry import Job
from rota.model.run import Claimed, Outcome
from rota.targets.output import Stream

NOON = datetime(2026, 3, 29, 12, tzinfo=UTC)
LIMITS = Limits(grace=timedelta(seconds=0.3), stop_wait=timedelta(seconds=0.3))

RUN = Claimed(
    id=7,
    token=3,
    attempt=1,
    schedule_id=1,
    definition_id=1,
    key="default/default/default/tidy",
    schedule="tidy",
    timezone="Europe/Stockholm",
    job="tidy",
    args={},
    lane="default",
    priority=0,
    scheduled_for=NOON,
    not_before=None,
    invocation="default/default/default/tidy@2026-03-29T12:00:00Z",
    cause="schedule",
    covers_from=NOON - timedelta(hours=2),
    covers_to=NOON,
    covers_count=3,
    lost=0,
    created_at=NOON,
    started_at=NOON,
    since=None,
    policies={},
)


class MemorySink:
    """A Sink that keeps everything, and can be waited on for a line."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str]] = []
        self.steps: list[tuple[float, float | None]] = []
        self.saved: dict[str, bytes] = {}
        self._news = threading.Condition()

    def log(self, run_id: int, token: int, stream: Stream, text: str) -> None:
        assert (run_id, token) == (RUN.id, RUN.token)
        with self._news:
            self.lines.append((stream, text))
            self._news.notify_all()

    def progress(self, run_id: int, token: int, done: float, total: float | None) -> None:
        self.steps.append((done, total))

    def save(self, run_id: int, token: int, name: str, data: bytes) -> None:
        self.saved[name] = data

    def text(self, stream: str) -> str:
        return "\n".join(text for where, text in self.lines if where == stream)

    def wait_for(self, part: str, timeout: float = 20) -> None:
        with self._news:
            assert self._news.wait_for(lambda: any(part in text for _, text in self.lines), timeout), self.lines


def run_of(job: Job | None = None, **changes: Any) -> Claimed:
    named: dict[str, Any] = {"job": job.name} if job else {}
    return replace(RUN, **named | changes)


def execution(job: Job | None, sink: MemorySink | None = None, *, limits: Limits = LIMITS, **changes: Any) -> Execution:
    return Execution(job, run_of(job, **changes), sink or MemorySink(), clock=SystemClock(), limits=limits)


def outcome_of(job: Job | None, sink: MemorySink | None = None, *, limits: Limits = LIMITS, **changes: Any) -> Outcome:
    """Execute once, on a loop of its own."""
    return asyncio.run(execution(job, sink, limits=limits, **changes).run())
