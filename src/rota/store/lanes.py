"""Lanes: named queues with limits of their own, which hold for the whole deployment."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Connection

from rota.errors import InvalidValue, LaneNotFound
from rota.model.event import event
from rota.model.schedule import check_name
from rota.store import dialect, events
from rota.store.tables import of

_RATE: Final = re.compile(r"([1-9][0-9]{0,8})/([1-9][0-9]{0,4})?(s|m|h|d)", re.ASCII)
_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_COLUMNS: Final = "name, concurrency, rate, rate_tokens, rate_at, paused, engine, url"


@dataclass(frozen=True, slots=True)
class Lane:
    """A lane as it stands. `tokens` were in its bucket at `counted_at`."""

    name: str
    concurrency: int | None = None
    rate: str | None = None
    tokens: float | None = None
    counted_at: datetime | None = None
    paused: bool = False
    engine: str | None = None
    url: str | None = None

    @property
    def limited(self) -> bool:
        """Whether it is claimed under its row's lock."""
        return self.concurrency is not None or self.rate is not None

    def bucket(self, now: datetime) -> float:
        """The tokens in its bucket: it holds at most one period's worth and fills evenly. A clock step adds none."""
        if self.rate is None:
            return 0.0
        most, period = parse_rate(self.rate)
        if self.tokens is None or self.counted_at is None:
            return float(most)
        passed = max(now - self.counted_at, timedelta(0)) / period
        return min(float(most), self.tokens + passed * most)


def parse_rate(text: object) -> tuple[int, timedelta]:
    """(how many starts, in how long) of a text such as "30/m", "5/s", "100/15m"; raises InvalidValue."""
    found = _RATE.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        raise InvalidValue(f'rate: {text!r} is not a rate; allowed are texts like "30/m", "5/s", "100/15m"')
    return int(found[1]), timedelta(seconds=int(found[2] or 1) * _UNITS[found[3]])


def ensure_lane(conn: Connection, name: str, now: datetime) -> None:
    """Create the lane, without limits, where it does not exist. Raises InvalidValue for a name that cannot be one."""
    row = {"name": check_name("lane", name), "paused": False, "updated_at": now}
    dialect.insert_many(conn, of(conn).lanes, [row], ignore=True)


def ensure_lanes(conn: Connection, names: Iterable[str], now: datetime) -> None:
    """`ensure_lane` for several, in the order of their names."""
    for name in sorted(set(names)):
        ensure_lane(conn, name, now)


def _lane(row: dict[str, Any]) -> Lane:
    return Lane(
        name=row["name"],
        concurrency=row["concurrency"],
        rate=row["rate"],
        tokens=row["rate_tokens"],
        counted_at=dialect.read_at(row["rate_at"]),
        paused=bool(row["paused"]),
        engine=row["engine"],
        url=row["url"],
    )


def open_ones(conn: Connection, names: Sequence[str] | None, turn: int) -> list[Lane]:
    """The lanes among `names` (None: all) with rows in `ready`, neither paused nor foreign, rotated by `turn`.

    Limited lanes stay in the order of their names: their rows are locked, by every node in the same order.

    Afterwards this transaction reads `ready` in its index's order.
    """
    among, params = ("", []) if names is None else dialect.in_list(conn, names, "text")
    only = f" AND l.name {among}" if names is not None else ""
    rows = dialect.query(
        conn,
        f"SELECT {_COLUMNS}, {dialect.in_index_order(conn)} AS ordered"
        f" FROM {{lanes}} l WHERE NOT l.paused AND l.engine IS NULL{only}"
        " AND EXISTS (SELECT 1 FROM {ready} r WHERE r.lane = l.name) ORDER BY name",
        params,
    )
    found = [_lane(row) for row in rows]
    limited = [lane for lane in found if lane.limited]
    free = [lane for lane in found if not lane.limited]
    first = (turn // 2 if limited else turn) % len(free) if free else 0
    rotated = free[first:] + free[:first]
    return rotated + limited if turn % 2 == 0 else limited + rotated


def room(conn: Connection, lane: Lane, limit: int, now: datetime) -> int:
    """How many runs may be claimed from the lane now, at most `limit`.

    A limited lane's row is locked until the transaction ends, so that two nodes cannot both use the last place.
    """
    if limit <= 0 or not lane.limited:
        return max(limit, 0)
    current = _locked(conn, lane.name)
    if current is None or current.paused or current.engine is not None:
        return 0
    if current.concurrency is not None:
        running = dialect.query(conn, "SELECT count(*) AS n FROM {claims} WHERE lane = %s", [lane.name])[0]["n"]
        limit = min(limit, current.concurrency - running)
    if current.rate is not None:
        limit = min(limit, int(current.bucket(now)))
    return max(limit, 0)


def spend(conn: Connection, lane: Lane, count: int, now: datetime) -> None:
    """Take `count` starts out of the lane's bucket. Its row is locked already, by `room`."""
    if lane.rate is None or count <= 0:
        return
    current = _locked(conn, lane.name)
    if current is None or current.rate is None:
        return
    row = {"name": lane.name, "rate_tokens": current.bucket(now) - count, "rate_at": now}
    dialect.update_many(conn, of(conn).lanes, [row], key="name")


def _locked(conn: Connection, name: str) -> Lane | None:
    rows = dialect.query(conn, f"SELECT {_COLUMNS} FROM {{lanes}} WHERE name = %s" + dialect.for_update(conn), [name])
    return _lane(rows[0]) if rows else None


def next_token(conn: Connection, names: Sequence[str] | None, now: datetime) -> timedelta | None:
    """How long until a lane that has work and waits for its rate may start a run; None where there is none."""
    waits = []
    for lane in open_ones(conn, names, 0):
        if lane.rate is not None and lane.bucket(now) < 1:
            most, period = parse_rate(lane.rate)
            waits.append((1 - lane.bucket(now)) * period / most)
    return min(waits, default=None)


def listing(conn: Connection) -> list[dict[str, Any]]:
    """Every lane with its limits, how many of its runs may start (`queued`) and how many run (`running`)."""
    rows = dialect.query(
        conn,
        f"SELECT {_COLUMNS}, updated_at, (SELECT count(*) FROM {{ready}} r WHERE r.lane = l.name) AS queued,"
        " (SELECT count(*) FROM {claims} c WHERE c.lane = l.name) AS running FROM {lanes} l ORDER BY name",
    )
    return [_record(row) for row in rows]


def get(conn: Connection, name: str) -> dict[str, Any]:
    """One lane's record as in `listing`; raises LaneNotFound."""
    found = [row for row in listing(conn) if row["name"] == name]
    if not found:
        raise LaneNotFound(f"no lane {name}")
    return found[0]


def _record(row: dict[str, Any]) -> dict[str, Any]:
    kept = {name: row[name] for name in ("name", "concurrency", "rate", "engine", "url", "queued", "running")}
    return kept | {"paused": bool(row["paused"]), "updated_at": dialect.read_at(row["updated_at"])}


def put(conn: Connection, lane: Lane, now: datetime, by: Any) -> bool:
    """Make the lane's limits, engine and pause equal to `lane`, creating it where it is new; whether anything changed.

    `by` has actor, channel and reason. An equal one changes nothing and writes nothing. Raises InvalidValue.
    """
    _check(lane)
    ensure_lane(conn, lane.name, now)
    before = _locked(conn, lane.name) or Lane(lane.name)
    after = replace(lane, tokens=before.tokens, counted_at=before.counted_at)
    if after == before:
        return False
    row = (
        _shown(after)
        | {"updated_at": now}
        | ({} if lane.rate == before.rate else {"rate_tokens": None, "rate_at": None})
    )
    dialect.update_many(conn, of(conn).lanes, [row], key="name")
    was, became = _shown(before), _shown(after)
    events.change(conn, now, f"lane:{lane.name}", "set", by, before=was, after=became)
    events.write(conn, [event("lane.updated", now, lane.name, before=was, after=became)])
    return True


def _shown(lane: Lane) -> dict[str, Any]:
    names = ("name", "concurrency", "rate", "paused", "engine", "url")
    return {name: getattr(lane, name) for name in names}


def _check(lane: Lane) -> None:
    check_name("lane", lane.name)
    count = lane.concurrency
    if count is not None and (not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= 1_000_000):
        raise InvalidValue(f"lane {lane.name}: concurrency: {count!r} is not a whole number from 1 to 1000000")
    if lane.rate is not None:
        parse_rate(lane.rate)
    if lane.engine is not None and lane.limited:
        raise InvalidValue(
            f"lane {lane.name}: concurrency and rate belong to the workers of engine {lane.engine}; remove them here"
        )


def current(conn: Connection, name: str) -> Lane:
    """The lane, locked: what an edit starts from. Raises LaneNotFound."""
    found = _locked(conn, name)
    if found is None:
        raise LaneNotFound(f"no lane {name}")
    return found


def pause(conn: Connection, name: str, now: datetime, by: Any, *, paused: bool) -> bool:
    """Stop (or allow again) claims from the lane; what runs goes on. Whether anything changed."""
    return put(conn, replace(current(conn, name), paused=paused), now, by)
