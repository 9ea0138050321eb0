"""The claim that answers a hint: one statement on the connection that heard it, for the few runs of a quiet moment.

It takes what needs no judgement: runs that may start, from the one lane that has any and has no limits. What else there
is it leaves, says so, and the general claim (`claims.take`) looks at it. PostgreSQL alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from rota.clock import Clock
from rota.model.run import Claimed
from rota.store import dialect, lone
from rota.store.claims import Row, claimed, template_of
from rota.store.tables import build

MOST: Final = 10
"""More are a matter for the general claim, and its plans."""
_DEFINITION: Final = ("schedule_id", "key", "zone", "job", "args", "policies")
# Arrays keep every table on index and tid scans, whatever the statistics of a queue say.
_TAKE: Final = (
    "WITH moment AS MATERIALIZED ({moment}),"
    " opened AS MATERIALIZED (SELECT l.name, l.concurrency IS NOT NULL OR l.rate IS NOT NULL AS limited"
    " FROM {{lanes}} l WHERE NOT l.paused AND l.engine IS NULL{among}"
    " AND EXISTS (SELECT 1 FROM {{ready}} r WHERE r.lane = l.name)),"
    " chosen AS MATERIALIZED (SELECT ctid AS place, run_id FROM {{ready}}"
    " WHERE lane = (SELECT min(name) FROM opened HAVING count(*) = 1 AND NOT bool_or(limited))"
    " AND EXISTS (SELECT 1 FROM {{nodes}} n WHERE n.id = %s AND n.state = 'live' AND NOT n.draining)"
    " ORDER BY priority, run_id LIMIT %s FOR UPDATE SKIP LOCKED),"
    " taken AS (UPDATE {{runs}} SET state = 'running', reason = NULL, token = token + 1, attempt = attempt + 1,"
    " node = %s, started_at = m.at, finished_at = NULL FROM moment m"
    " WHERE id = ANY(ARRAY(SELECT run_id FROM chosen)) AND state = 'queued'"
    " AND (token > 0 OR expires_at IS NULL OR expires_at >= m.at)"
    " AND NOT EXISTS (SELECT 1 FROM {{cancels}} k WHERE k.run_id = {{runs}}.id)"
    " RETURNING id, state, token, attempt, node, schedule_id, definition_id, lane, priority, scheduled_for,"
    " not_before, invocation, cause, covers_from, covers_to, covers_count, lost, created_at, args,"
    " (SELECT h.last_success_for FROM {{health}} h WHERE h.schedule_id = {{runs}}.schedule_id) AS since),"
    " gone AS (DELETE FROM {{ready}} WHERE ctid = ANY(ARRAY(SELECT c.place FROM chosen c JOIN taken t"
    " ON t.id = c.run_id))),"
    " kept AS (INSERT INTO {{claims}} (run_id, token, node, lane) SELECT id, token, node, lane FROM taken)"
    " SELECT m.at, (SELECT count(*) > 1 OR bool_or(limited) FROM opened), (SELECT count(*) FROM chosen), t.*, "
    + ", ".join(f"d.{name}" for name in _DEFINITION)
    + " FROM moment m LEFT JOIN (taken t JOIN {{definitions}} d ON d.id = t.definition_id) ON true"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Caught:
    """The runs that were claimed, in the order of (priority, id); `left`: there may be others, for the general claim."""

    runs: list[Claimed]
    left: bool


class Reach:
    """Claims for the lanes (None: all) of one process, on a connection of the driver's that is not in a transaction."""

    def __init__(self, schema: str, lanes: Sequence[str] | None, clock: Clock) -> None:
        self._schema = schema
        self._lanes = lanes
        self._clock = clock

    def claim(self, raw: Any, node: str, limit: int) -> Caught:
        """Take at most `limit` runs for `node`, as `claims.claim` does; none where the server refuses.

        Raises what the driver raises where the answer is lost: the runs may be claimed or not.
        """
        import psycopg

        at, params = dialect.moment(self._clock, f"rota:{node}")
        among = ""
        if self._lanes is not None:
            among, params = " AND l.name = ANY(%s::text[])", [*params, list(self._lanes)]
        sql = build(self._schema, "").sql(_TAKE.format(moment=at, among=among))
        try:
            rows = lone.run(raw, sql, [*params, node, limit, node])
        except psycopg.Error:
            if raw.closed:
                raise
            return Caught([], left=True)
        now, complicated, chosen = rows[0][:3]
        runs = [_run(row[3:], now) for row in rows if row[3] is not None]
        left = bool(complicated) or len(runs) < chosen or chosen == limit
        return Caught(sorted(runs, key=lambda run: (run.priority, run.id)), left)


def _run(row: Sequence[Any], now: Any) -> Claimed:
    width = len(Row._fields)
    template = template_of(dict(zip(_DEFINITION, row[width:], strict=True)))
    at: datetime | None = dialect.read_at(now)
    return claimed(Row(*row[:width]), template, at or now)
