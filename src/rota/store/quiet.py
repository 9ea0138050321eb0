"""What a process with nothing to do asks in one round trip each time: whether there is anything, and whether it is still live.

Questions for a `Line` or for `lone.ask`. PostgreSQL alone; elsewhere, and wherever there is no answer, the turns
themselves find out.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple

from rota.clock import Clock
from rota.store import dialect
from rota.store.firings import DUE
from rota.store.hints import READY
from rota.store.lone import Question, Statement
from rota.store.nodes import Renewed
from rota.store.tables import build

_RIPE: Final = 100
"""More are a matter for admit itself."""
# Admit's common case goes in with the look, by admit's own protocol: it locks the run, judged on its newest version, and
# opens it in the same statement. One that a crash undoes is to admit again, so nobody waits for the disk.
_LOOK: Final = (
    "WITH moment AS MATERIALIZED ({moment}, set_config('synchronous_commit', 'off', true)),"
    " ripe AS MATERIALIZED (SELECT id, lane, priority FROM {{runs}} WHERE admit_at <= (SELECT at FROM moment)"
    f" AND state = 'queued' AND NOT waiting ORDER BY admit_at LIMIT {_RIPE} FOR NO KEY UPDATE SKIP LOCKED),"
    " admitted AS (UPDATE {{runs}} SET admit_at = NULL WHERE id = ANY(ARRAY(SELECT id FROM ripe))),"
    " opened AS (INSERT INTO {{ready}} (lane, priority, run_id) SELECT lane, priority, id FROM ripe ON CONFLICT DO NOTHING)"
    " SELECT json_build_object('at', at, 'admitted', (SELECT count(*) FROM ripe),"
    " 'due', (" + DUE.replace("{cursors}", "{{cursors}}") + "),"
    " 'admit', (SELECT admit_at FROM {{runs}} WHERE admit_at > at ORDER BY admit_at LIMIT 1),"
    " 'left', (SELECT count(*) FROM (SELECT 1 FROM {{runs}} WHERE admit_at <= (SELECT at FROM moment) ORDER BY admit_at"
    f" LIMIT {_RIPE + 1}) r) > (SELECT count(*) FROM ripe),"
    " 'waiting', (SELECT true FROM {{runs}} WHERE waiting ORDER BY flight, id LIMIT 1),"
    " 'cancels', (SELECT true FROM {{cancels}} LIMIT 1)),"
    " (SELECT pg_notify(%s, %s) FROM ripe LIMIT 1) FROM moment"
)
_BEAT: Final = (
    "WITH moment AS MATERIALIZED ({moment}), beat AS (UPDATE {{nodes}} SET beats = beats + 1, seen_at = m.at"
    " FROM moment m WHERE id = %s AND state = 'live' RETURNING draining)"
    " SELECT json_build_object('draining', draining,"
    " 'beats', (SELECT json_object_agg(id, beats) FROM {{nodes}} WHERE state = 'live')) FROM beat"
)
_WORK: Final = (
    "SELECT 1 WHERE EXISTS (SELECT 1 FROM {{ready}}{among}) OR EXISTS (SELECT 1 FROM {{claims}} WHERE node = %s)"
)
# A row of `ready` may be stale, and a request to end may be forgotten, wherever there is one at all.
_AMISS: Final = (
    "SELECT json_agg(name) FROM (VALUES"
    " ('sessions', EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    " AND application_name = ANY(ARRAY(SELECT 'rota:' || id FROM {nodes} WHERE state <> 'live'"
    " ORDER BY started_at DESC LIMIT 1000)))),"
    " ('runs', EXISTS (SELECT 1 FROM {claims} c WHERE NOT EXISTS (SELECT 1 FROM {nodes} n WHERE n.id = c.node"
    " AND n.state = 'live'))),"
    " ('schedules', EXISTS (SELECT 1 FROM {cursors} WHERE due_at IS NULL AND state = 'active')),"
    " ('ready', EXISTS (SELECT 1 FROM {ready})),"
    " ('cancels', EXISTS (SELECT 1 FROM {cancels})),"
    " ('clock_pass', EXISTS (SELECT 1 FROM {meta} WHERE key = 'clock_pass')),"
    " ('zone_pass', EXISTS (SELECT 1 FROM {meta} WHERE key = 'zone_pass'))) AS a (name, holds) WHERE holds"
)
STEPS: Final = frozenset({"sessions", "runs", "schedules", "ready", "cancels", "clock_pass", "zone_pass"})
"""The steps of a sweep that one question can tell to be needless."""
_UNNUMBERED: Final = "SELECT 1 FROM {event_inbox} LIMIT 1"


class Seen(NamedTuple):
    """What a look has seen, and done: how many delayed runs it has admitted, their time having come.

    `due`: when the first schedule is due, `admit`: when the next delayed run may start. `pending`: something else may
    be to admit, whatever the time is.
    """

    now: datetime
    admitted: int
    due: datetime | None
    admit: datetime | None
    pending: bool

    @property
    def fires_next(self) -> bool:
        """Whether a firing is what comes next."""
        return self.due is not None and (self.admit is None or self.due <= self.admit)

    @property
    def left_s(self) -> float | None:
        """Seconds until something comes; None where nothing does."""
        following = min((at for at in (self.due, self.admit) if at is not None), default=None)
        return None if following is None else (following - self.now).total_seconds()


class Quiet:
    """The questions of one process, which works on these lanes (None: all)."""

    def __init__(self, schema: str, clock: Clock, lanes: Sequence[str] | None = None) -> None:
        moment, _ = dialect.moment(clock, "")
        sql = build(schema, "").sql
        self._clock = clock
        self._look = Statement.of(sql(_LOOK.format(moment=moment)))
        self._lanes = [] if lanes is None else [list(lanes)]
        among = "" if lanes is None else " WHERE lane = ANY(%s::text[])"
        self._work = Statement.of(sql(_WORK.format(among=among)))
        self._beat = Statement.of(sql(_BEAT.format(moment=moment)))
        self.amiss: Final = Statement.of(sql(_AMISS)).with_(())
        """The steps of a sweep that may have something to do; see `steps`."""
        self.unnumbered: Final = Statement.of(sql(_UNNUMBERED)).with_(())
        """Answered where events wait for their order; else there is no row."""

    def look(self, node: str) -> Question:
        """Admit the runs whose time has come, tell others of it, and look what there is to do; see `seen`."""
        _, params = dialect.moment(self._clock, f"rota:{node}")
        return self._look.with_([*params, dialect.CHANNEL, READY])

    def work(self, node: str) -> Question:
        """Answered where a run may be ready, or runs under the node; else there is no row."""
        return self._work.with_([*self._lanes, node])

    def beat(self, node: str) -> Question:
        """One beat of the node, and all beats (`nodes.renew`, `nodes.beats`); see `renewed`."""
        _, params = dialect.moment(self._clock, f"rota:{node}")
        return self._beat.with_([*params, node])


def seen(answer: bytes) -> Seen:
    """The answer to a look."""
    told = json.loads(answer)
    due, admit = (None if told[name] is None else _instant(told[name]) for name in ("due", "admit"))
    return Seen(
        _instant(told["at"]), told["admitted"], due, admit, bool(told["waiting"] or told["cancels"] or told["left"])
    )


def renewed(answer: bytes | None) -> tuple[Renewed, dict[str, int]]:
    """The answer to a beat: what the node is told, and the beats of all live nodes."""
    if answer is None:
        return Renewed(live=False), {}
    told = json.loads(answer)
    return Renewed(True, told["draining"]), told["beats"] or {}


def steps(answer: bytes | None) -> frozenset[str]:
    """The answer to what is amiss: the names, among `STEPS`."""
    return frozenset(json.loads(answer or b"[]"))


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)
