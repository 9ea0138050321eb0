"""Looking at the database while an attack goes on, and bringing it to rest afterwards."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from chaos.fleet import Fleet, until
from rota import DatabaseUnavailable, Rota
from rota.store import dialect
from rota.store.database import Connection, Database

PERIOD_S: Final = 1.0
"""Every schedule is due once per second."""
GRACE_S: Final = 1.0
"""What a busy machine may add to a promise of seconds while nothing is attacked."""


@dataclass(frozen=True)
class Look:
    """`lag_s`: how far the watermark that is furthest behind lags; `left`: runs that are not final."""

    now: datetime
    schedules: int
    oldest: datetime | None
    left: int

    @property
    def lag_s(self) -> float:
        """0 where there is no schedule yet."""
        return 0.0 if self.oldest is None else (self.now - self.oldest).total_seconds()


def look(conn: Connection) -> Look:
    """One look."""
    row = dialect.query(conn, "SELECT count(*) AS n, min(watermark) AS oldest FROM {cursors}")[0]
    left = dialect.query(conn, "SELECT count(*) AS n FROM {runs} WHERE state IN ('queued', 'running')")[0]["n"]
    return Look(dialect.instant(conn), row["n"], dialect.read_at(row["oldest"]), left)


def live(conn: Connection) -> dict[str, int]:
    """The live nodes: id -> pid."""
    return {r["id"]: r["pid"] for r in dialect.query(conn, "SELECT id, pid FROM {nodes} WHERE state = 'live'")}


def node_states(conn: Connection) -> Counter[str]:
    """How many nodes there are in each state."""
    rows = dialect.query(conn, "SELECT state, count(*) AS n FROM {nodes} GROUP BY state")
    return Counter({row["state"]: row["n"] for row in rows})


@dataclass
class Watch:
    """One attack's view: what it saw, what went wrong."""

    database: Database
    fleet: Fleet
    lags: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def read(self, op: Callable[..., Any], *args: Any) -> Any:
        """A reading transaction; again where its connection turns out to be of before an outage."""
        try:
            return self.database.read(op, *args)
        except DatabaseUnavailable:
            return self.database.read(op, *args)

    def sample(self) -> Look:
        """Look, and remember the lag."""
        seen: Look = self.read(look)
        self.lags.append(seen.lag_s)
        return seen

    def begun(self, seconds: float = 60.0) -> None:
        """Wait until every member lives and every schedule has fired."""

        def there() -> bool:
            seen: Look = self.read(look)
            pids = set(self.read(live).values())
            current = seen.schedules == self.fleet.schedules and seen.lag_s < 2 * PERIOD_S + GRACE_S
            return current and all(member.pid in pids for member in self.fleet.members)

        if until(there, seconds) is None:
            raise RuntimeError(f"the fleet did not begin: {self.fleet.fallen()} {self.fleet.loud()}")

    def calm(self, quiet_s: float) -> dict[str, float]:
        """Without attacks: wait until all is current, pause, wait until all is final, stop; what that took."""
        begin = time.monotonic()
        after = self.read(look).now

        def passed() -> bool:
            seen: Look = self.read(look)
            return seen.oldest is not None and seen.oldest > after

        caught_up = until(passed, quiet_s)
        if caught_up is None:
            self.faults.append(f"not every watermark passed the last attack within {quiet_s:g} s")
        most = PERIOD_S + self.fleet.poll_s + GRACE_S
        if until(lambda: bool(self.read(look).lag_s <= most), quiet_s) is None:
            self.faults.append(f"a watermark lags by {self.read(look).lag_s:.1f} s although nothing is attacked")
        self.faults += self.fleet.fallen()
        self._pause()
        rest = max(quiet_s - (time.monotonic() - begin), 1.0)
        if until(lambda: self.read(look).left == 0, rest) is None:
            self.faults.append(f"{self.read(look).left} runs are not final {quiet_s:g} s after the last attack")
        took = time.monotonic() - begin
        # a process that the last kill ended is fenced a lease later; where it is not, the judge says so
        until(lambda: set(self.read(live).values()) <= {member.pid for member in self.fleet.members}, quiet_s)
        self.faults += self.fleet.stop()
        return {"current after s": round(caught_up or quiet_s, 1), "all final after s": round(took, 1)}

    def _pause(self) -> None:
        with Rota(self.database.url.render_as_string(hide_password=False)) as app:
            for schedule in list(app.schedules.list()):
                app.schedules.pause(schedule.name, reason="the attack is over")
