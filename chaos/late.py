"""Hints lost: how late runs start when nothing but the poll interval is left."""

from __future__ import annotations

import statistics
from contextlib import AbstractContextManager
from typing import Any

from chaos.grounds import Ground
from chaos.grounds import pooled as through
from chaos.plan import Plan
from chaos.watch import GRACE_S, Watch
from rota.store import dialect
from rota.store.database import Connection


def pooled(ground: Ground) -> AbstractContextManager[str]:
    """The way through pgbouncer."""
    return through(ground)


def late(_ground: Ground, watch: Watch, plan: Plan) -> dict[str, Any]:
    """Let it run for `watch_s`; how long after its instant each run started."""
    plan.pause(3.0)  # a catch-up from the start of the processes is not what is measured
    since = watch.sample().now
    for _ in range(round(plan.watch_s)):
        plan.pause(1.0)
        watch.sample()
    found = sorted(watch.read(_lateness, since))
    if len(found) < plan.schedules * plan.watch_s / 2:
        watch.faults.append(f"only {len(found)} runs started in {plan.watch_s:g} s")
    if not found:
        return {"watched for s": plan.watch_s, "started": 0}
    most = watch.fleet.poll_s + GRACE_S
    if found[-1] > most:
        watch.faults.append(f"a run started {found[-1]:.2f} s after its instant")
    return {
        "watched for s": plan.watch_s,
        "started": len(found),
        "late p50 ms": round(1000 * statistics.median(found)),
        "late p99 ms": round(1000 * found[int(len(found) * 0.99)]),
        "late at most ms": round(1000 * found[-1]),
    }


def _lateness(conn: Connection, since: Any) -> list[float]:
    rows = dialect.query(
        conn,
        "SELECT started_at, scheduled_for FROM {runs} WHERE scheduled_for > %s AND started_at IS NOT NULL AND token = 1",
        [dialect.at(conn, since)],
    )
    return [(dialect.read_at(r["started_at"]) - dialect.read_at(r["scheduled_for"])).total_seconds() for r in rows]
