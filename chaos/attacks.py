"""The attacks. Each begins a fleet on a database of its own, attacks it, lets it come to rest, and judges."""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any, Final

from chaos import away, cutting, holding, late, refusals, stopping
from chaos.fleet import Fleet
from chaos.grounds import Ground, postgresql, small_postgresql, small_sqlite, sqlite, swallowing
from chaos.judge import Verdict, judge
from chaos.plan import Plan
from chaos.watch import Watch, live
from rota.store.database import Database

FIVE: Final = ("scheduler", "scheduler", "scheduler", "worker", "worker")
TWO: Final = ("up", "up")
THREE: Final = ("up", "up", "up")
ALL: Final[Mapping[str, Any]] = {"catchup": "all", "overlap": "allow"}

Body = Callable[[Ground, Watch, Plan], dict[str, Any]]


@dataclass(frozen=True)
class Attack:
    """What is attacked and how. `body` does it and answers figures of its own; `Watch.faults` takes what it finds."""

    title: str
    story: str
    ground: Callable[[], AbstractContextManager[Ground]]
    roles: tuple[str, ...]
    body: Body
    policies: Mapping[str, Any]
    url: Callable[[Ground], AbstractContextManager[str]] = lambda ground: contextlib.nullcontext(
        ground.way or ground.url
    )
    web: bool = False

    def __call__(self, plan: Plan) -> Verdict:
        """Carry it out; figures, and whatever broke a promise."""
        with self.ground() as ground, self.url(ground) as url:
            database = Database(ground.url, pool_size=2)
            fleet = Fleet(url, ground.folder, self.roles, plan.schedules, self.policies, self.web)
            try:
                return self._attack(ground, Watch(database, fleet), plan)
            finally:
                database.close()

    def _attack(self, ground: Ground, watch: Watch, plan: Plan) -> Verdict:
        begin = time.monotonic()
        with watch.fleet:
            watch.begun()
            own = self.body(ground, watch, plan)
            attacked = time.monotonic() - begin
            rest = watch.calm(plan.quiet_s)
        verdict = judge(watch.database, watch.fleet.record)
        lag = {"most a watermark lagged s": round(max(watch.lags), 1)} if watch.lags else {}
        verdict.figures = own | lag | rest | verdict.figures | {"attacked for s": round(attacked)}
        loud = watch.fleet.loud()
        verdict.faults = watch.faults + verdict.faults + [f"logged: {line}" for line in loud]
        return verdict


def killing(_ground: Ground, watch: Watch, plan: Plan) -> dict[str, Any]:
    """SIGKILL a random member every `every_s`, each replaced at once."""
    draw, begin = random.Random(plan.seed), time.monotonic()
    behind, hit = 0.0, 0
    for number in range(plan.kills):
        behind = max(behind, plan.wait_until(begin + (number + 1) * plan.every_s))
        watch.faults += watch.fleet.fallen()
        member = draw.choice(watch.fleet.members)
        hit += member.pid in watch.read(live).values()
        watch.fleet.kill(member)
        watch.sample()
    return {
        "kills": plan.kills,
        "of processes that were still starting": plan.kills - hit,
        "a kill came late by at most s": round(behind, 1),
    }


_KILL: Final = Attack(
    "SIGKILL, PostgreSQL, default policies",
    "Three `rota scheduler` and two `rota worker`; a random one is killed every second and started again at once.",
    postgresql,
    FIVE,
    killing,
    {},
)
_SQLITE: Final = replace(
    _KILL,
    title="SIGKILL, SQLite, default policies",
    story="Two `rota up --no-web` on one file; a random one is killed every second and started again at once.",
    ground=sqlite,
    roles=TWO,
)


_READ_ONLY: Final = replace(
    _KILL,
    title="The database read-only, PostgreSQL",
    story="Every transaction is made read-only for a while, in open sessions too; three `rota up` stay.",
    roles=THREE,
    body=refusals.refused,
    web=True,
)

ATTACKS: Final[dict[str, Attack]] = {
    "kill": _KILL,
    "kill-all": replace(_KILL, title="SIGKILL, PostgreSQL, `catchup: all, overlap: allow`", policies=ALL),
    "sqlite": _SQLITE,
    "sqlite-all": replace(_SQLITE, title="SIGKILL, SQLite, `catchup: all, overlap: allow`", policies=ALL),
    "stop": replace(
        _KILL,
        title="SIGSTOP for three leases, PostgreSQL",
        story="A random process of five is stopped, mostly inside a transaction, for 6 s, then continued.",
        body=stopping.stopping,
    ),
    "restart": replace(
        _KILL,
        title="The database away, PostgreSQL",
        story="The server is stopped, and once killed (SIGQUIT), and started again after a while; five processes stay.",
        body=away.away,
    ),
    "read-only": _READ_ONLY,
    "full": replace(
        _READ_ONLY,
        title="The disk full, PostgreSQL",
        story="The tablespace of the database is on a small disk, which is filled to its last byte for a while.",
        ground=small_postgresql,
    ),
    "full-sqlite": replace(
        _READ_ONLY,
        title="The disk full, SQLite",
        story="The file is on a small disk, which is filled to its last byte for a while; two `rota up` stay.",
        ground=small_sqlite,
        roles=TWO,
    ),
    "cut": replace(
        _KILL,
        title="Connections cut without a word, PostgreSQL",
        story="All connections of all processes at once lead nowhere: nothing is refused, nothing answered.",
        ground=swallowing,
        body=cutting.cutting,
    ),
    "stop-sqlite": replace(
        _READ_ONLY,
        title="SIGSTOP inside a transaction, SQLite",
        story="One of three `rota up` on one file is stopped while it writes, until the others name it; then it is continued,"
        " every second time killed.",
        ground=sqlite,
        body=holding.holding,
    ),
    "notify": replace(
        _KILL,
        title="NOTIFY lost, PostgreSQL through pgbouncer",
        story="pgbouncer in transaction mode takes LISTEN and delivers nothing: only the poll interval of 1 s is left.",
        body=late.late,
        url=late.pooled,
    ),
}
