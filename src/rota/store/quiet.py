"""What a process with nothing to do asks in one round trip each time: whether there is anything, and whether it is still live.

Questions for a `Line` or for `lone.ask`. PostgreSQL alone; elsewhere, and wherever there is no answer, the turns
themselves find out.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Final, NamedTuple

from rota.clock import Clock
from rota.store import dialect
from rota.store.lone import Question, Statement
from rota.store.nodes import Renewed
from rota.store.tables import build

_LOOK: Final = (
    "WITH moment AS MATERIALIZED ({moment}) SELECT json_build_object('at', at,"
    " 'due', (SELECT due_at FROM {{cursors}} WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1),"
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
    """The questions of one process."""

    def __init__(self, schema: str, clock: Clock) -> None:
        moment, _ = dialect.moment(clock, "")
        sql = build(schema, "").sql
        self._clock = clock
        self._look = Statement.of(sql(_LOOK.format(moment=moment)))
        self._beat = Statement.of(sql(_BEAT.format(moment=moment)))
        self.unnumbered: Final = Statement.of(sql(_UNNUMBERED)).with_(())
        """Answered where events wait for their order; else there is no row."""

    def look(self, node: str) -> Question:
        """Whether a scheduler has anything to do; see `seen`."""
        _, params = dialect.moment(self._clock, f"rota:{node}")
        return self._look.with_(params)

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


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)
