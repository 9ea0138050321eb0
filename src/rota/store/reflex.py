"""The claim that answers a hint: one question on the line that heard it, for the few runs of a quiet moment.

It takes what needs no judgement: runs that may start, from the one lane that has any and has no limits. What else there
is it leaves, says so, and the general claim (`claims.take`) looks at it. PostgreSQL alone.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from rota.clock import Clock
from rota.model.run import Claimed
from rota.store import dialect
from rota.store.claims import TAKEN, Row, Template, claimed, template_of
from rota.store.lone import Question, Statement
from rota.store.tables import build

MOST: Final = 25
"""More are a matter for the general claim, and its plans."""
_TEMPLATES: Final = 1000
_ORDER: Final = operator.attrgetter("priority", "id")
_INSTANTS: Final = ("scheduled_for", "not_before", "covers_from", "covers_to", "created_at", "since")
# Arrays keep every table on index and tid scans, whatever the statistics of a queue say.
_TAKE: Final = (
    "WITH moment AS MATERIALIZED ({moment}),"
    " opened AS MATERIALIZED (SELECT l.name, l.concurrency IS NOT NULL OR l.rate IS NOT NULL AS limited"
    " FROM {{lanes}} l WHERE NOT l.paused AND l.engine IS NULL{among}"
    " AND (SELECT true FROM {{ready}} r WHERE r.lane = l.name LIMIT 1)),"  # one probe a lane, never a join
    " chosen AS MATERIALIZED (SELECT ctid AS place, run_id FROM {{ready}}"
    " WHERE lane = (SELECT min(name) FROM opened HAVING count(*) = 1 AND NOT bool_or(limited))"
    " AND EXISTS (SELECT 1 FROM {{nodes}} n WHERE n.id = %s AND n.state = 'live' AND NOT n.draining)"
    " ORDER BY priority, run_id LIMIT %s FOR UPDATE SKIP LOCKED),"
    " taken AS (UPDATE {{runs}} SET state = 'running', reason = NULL, token = token + 1, attempt = attempt + 1,"
    " node = %s, started_at = m.at, finished_at = NULL FROM moment m"
    " WHERE id = ANY(ARRAY(SELECT run_id FROM chosen)) AND state = 'queued'"
    " AND (token > 0 OR expires_at IS NULL OR expires_at >= m.at)"
    " AND NOT EXISTS (SELECT 1 FROM {{cancels}} k WHERE k.run_id = {{runs}}.id)"
    " RETURNING " + TAKEN.replace("{", "{{").replace("}", "}}") + "),"
    " gone AS (DELETE FROM {{ready}} WHERE ctid = ANY(ARRAY(SELECT c.place FROM chosen c JOIN taken t"
    " ON t.id = c.run_id))),"
    " kept AS (INSERT INTO {{claims}} (run_id, token, node, lane) SELECT id, token, node, lane FROM taken)"
    " SELECT json_build_object('at', m.at, 'others', (SELECT count(*) > 1 OR bool_or(limited) FROM opened),"
    " 'chosen', (SELECT count(*) FROM chosen), 'runs', (SELECT json_agg(json_build_array(row_to_json(t), row_to_json(d)))"
    " FROM taken t JOIN (SELECT id, schedule_id, key, zone, job, args, policies FROM {{definitions}} OFFSET 0) d"
    " ON d.id = t.definition_id)) FROM moment m"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Caught:
    """The runs that were claimed, in the order of (priority, id); `left`: there may be others, for the general claim."""

    runs: list[Claimed]
    left: bool


class Reach:
    """Claims for the lanes (None: all) of one process."""

    def __init__(self, schema: str, lanes: Sequence[str] | None, clock: Clock) -> None:
        self._clock = clock
        self._templates: dict[int, Template] = {}
        self._last: tuple[tuple[str, int], Question] | None = None
        self._lanes = [] if lanes is None else [list(lanes)]
        among = "" if lanes is None else " AND l.name = ANY(%s::text[])"
        moment, _ = dialect.moment(clock, "")
        self._take = Statement.of(build(schema, "").sql(_TAKE.format(moment=moment, among=among)))

    def claim(self, node: str, limit: int) -> Question:
        """The question that takes at most `limit` runs for `node`, as `claims.claim` does."""
        if self._last is not None and self._last[0] == (node, limit):
            return self._last[1]
        asked = self._question(node, limit)
        self._last = None if self._clock.simulated else ((node, limit), asked)
        return asked

    def _question(self, node: str, limit: int) -> Question:
        _, params = dialect.moment(self._clock, f"rota:{node}")
        return self._take.with_([*params, *self._lanes, node, limit, node])

    def caught(self, answer: bytes, limit: int) -> Caught:
        """What it has taken."""
        told = json.loads(answer)
        at = datetime.fromisoformat(told["at"]).astimezone(UTC)
        runs = [claimed(_row(row), self._template(definition), at) for row, definition in told["runs"] or ()]
        left = bool(told["others"]) or len(runs) < told["chosen"] or told["chosen"] == limit
        return Caught(sorted(runs, key=_ORDER), left)

    def _template(self, definition: dict[str, Any]) -> Template:
        found = self._templates.get(definition["id"])
        if found is None:
            if len(self._templates) > _TEMPLATES:
                self._templates.clear()
            found = self._templates[definition["id"]] = template_of(definition)
        return found


def _row(told: dict[str, Any]) -> Row:
    for name in _INSTANTS:
        if told[name] is not None:
            told[name] = datetime.fromisoformat(told[name])
    return Row(**told)
