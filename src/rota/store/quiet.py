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
from rota.store.lone import Question, Statement
from rota.store.nodes import Renewed
from rota.store.tables import build

DUE: Final = "SELECT due_at FROM {cursors} WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1"
"""The due probe of a look."""
_LOOK: Final = (
    "WITH moment AS MATERIALIZED ({moment}) SELECT json_build_object('at', at,"
    " 'due', (" + DUE.replace("{cursors}", "{{cursors}}") + "),"
    " 'admit', (SELECT admit_at FROM {{runs}} WHERE admit_at IS NOT NULL ORDER BY admit_at LIMIT 1),"
    " 'waiting', (SELECT true FROM {{runs}} WHERE waiting ORDER BY flight, id LIMIT 1),"
    " 'cancels', (SELECT true FROM {{cancels}} LIMIT 1)) FROM moment"
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
    """What a look has seen.

    `following`: when the first schedule is due or the first delayed run may start. `pending`: something may be to admit
    whatever the time is.
    """

    now: datetime
    following: datetime | None
    pending: bool


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
        """Whether a scheduler has anything to do; see `seen`."""
        _, params = dialect.moment(self._clock, f"rota:{node}")
        return self._look.with_(params)

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
    times = [_instant(told[name]) for name in ("due", "admit") if told[name] is not None]
    return Seen(_instant(told["at"]), min(times, default=None), bool(told["waiting"] or told["cancels"]))


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
