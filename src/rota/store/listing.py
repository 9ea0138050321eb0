"""Schedules as people read them: one record with all that document 5 names, and lists by filter, order and cursor."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, Text, exists, func, literal, or_, select

from rota.errors import Error, InvalidValue
from rota.model.schedule import DISABLED, PAUSED, REMOVED, STATES, Definition
from rota.model.storable import findable
from rota.model.timing import coming, plan_of, rule_of
from rota.store import dialect, jobs
from rota.store.definitions import from_row
from rota.store.schedules import Ref, locate
from rota.store.tables import from_micros, of, to_micros

ANY: Final = "*"
SORTS: Final = ("name", "next_at", "created_at", "updated_at")
_LARGEST: Final = from_micros(253_370_764_800_000_000)  # the year 9999: after every instant


@dataclass(frozen=True, slots=True)
class Filter:
    """Which schedules. `label` has `key=value` or `key`; tenant, stack and environment `*` mean any."""

    q: str | None = None
    state: tuple[str, ...] = ()
    job: str | None = None
    lane: str | None = None
    source: str | None = None
    origin: str | None = None
    owner: str | None = None
    label: tuple[str, ...] = ()
    tenant: str = ANY
    stack: str = ANY
    environment: str = ANY

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Filter:
        """From names and values; one text stands for a tuple of it, None for not given. Raises InvalidValue."""
        known = {f.name for f in fields(cls)}
        unknown = sorted(set(given) - known)
        if unknown:
            raise InvalidValue(f"{unknown[0]}: unknown filter; allowed are {', '.join(sorted(known))}")
        values: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        for name in ("state", "label"):
            if name in values:
                values[name] = (values[name],) if isinstance(values[name], str) else tuple(values[name])
        wrong = [state for state in values.get("state", ()) if state not in STATES]
        if wrong:
            raise InvalidValue(f"state: {wrong[0]!r} is not one of {', '.join(STATES)}")
        for name, value in values.items():
            for text in (value,) if isinstance(value, str) else value:
                findable(name, text)
        return cls(**values)


def one(conn: Connection, ref: Ref) -> dict[str, Any]:
    """One schedule's record. Raises ScheduleNotFound."""
    found = locate(conn, ref)
    schedules = of(conn).schedules
    return _records(conn, _rows(conn, wide(conn).where(schedules.c.id == found)))[0]


def page(
    conn: Connection, wanted: Filter, *, sort: str = "name", cursor: str | None = None, limit: int = 50
) -> tuple[list[dict[str, Any]], str | None]:
    """At most `limit` records and the cursor of the next page, or None. Schedules that are removed are not listed.

    Keyset: a page costs the same however deep it lies; what is added meanwhile may be seen or not, nothing is doubled.
    """
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= 1000:
        raise InvalidValue(f"limit: {limit!r} is not a whole number from 1 to 1000")
    name, downward = sort.removeprefix("-"), sort.startswith("-")
    if name not in SORTS:
        raise InvalidValue(f"sort: {sort!r} is not one of {', '.join(SORTS)}, or one of them after a -")
    column = _order(conn, name)
    identity = of(conn).schedules.c.id
    statement = filtered(conn, wide(conn), wanted)
    if cursor is not None:
        statement = statement.where(_beyond(column, identity, _read_cursor(cursor, name), downward))
    order = (column.desc(), identity.desc()) if downward else (column, identity)
    rows = _rows(conn, statement.order_by(*order).limit(limit + 1))
    shown = rows[:limit]
    following = _write_cursor(name, shown[-1]) if len(rows) > limit else None
    return _records(conn, shown), following


def wide(conn: Connection) -> Select[Any]:
    """The join of row, cursor, definition in force and health, each column once; those of the row as `s_NAME`."""
    t = of(conn)
    newest = (
        select(t.runs.c.id)
        .where(t.runs.c.schedule_id == t.schedules.c.id)
        .order_by(t.runs.c.id.desc())
        .limit(1)
        .correlate(t.schedules)
        .scalar_subquery()
        .label("last_run_id")
    )
    seen = select(t.jobs.c.seen_at).where(t.jobs.c.name == t.definitions.c.job).correlate(t.definitions)
    cursor = (t.cursors.c[name] for name in ("state", "watermark", "next_at", "paused_until", "disabled_reason"))
    health = (t.health.c[name] for name in ("consecutive_failures", "last_success_at"))
    return (
        select(
            *(c.label(f"s_{c.name}") for c in t.schedules.c),
            *t.definitions.c,
            *cursor,
            *health,
            newest,
            seen.scalar_subquery().label("job_seen_at"),
        )
        .join_from(t.schedules, t.cursors, t.cursors.c.schedule_id == t.schedules.c.id)
        .join(t.definitions, t.definitions.c.id == t.cursors.c.definition_id)
        .outerjoin(t.health, t.health.c.schedule_id == t.schedules.c.id)
    )


def filtered(conn: Connection, statement: Select[Any], wanted: Filter) -> Select[Any]:
    """The statement (a join like `wide`) with the filter's conditions; removed schedules left out."""
    t = of(conn)
    conditions: list[ColumnElement[bool]] = [t.cursors.c.state != REMOVED]
    place = [name for name in ("tenant", "stack", "environment") if getattr(wanted, name) != ANY]
    conditions += [t.schedules.c[name] == getattr(wanted, name) for name in place]
    conditions += [
        t.schedules.c[n] == getattr(wanted, n) for n in ("source", "origin", "owner") if getattr(wanted, n) is not None
    ]
    conditions += [t.definitions.c[n] == getattr(wanted, n) for n in ("job", "lane") if getattr(wanted, n) is not None]
    if wanted.state:
        conditions.append(t.cursors.c.state.in_(wanted.state))
    if wanted.q:
        part = wanted.q.lower()
        texts = (t.schedules.c.name, t.definitions.c.job, func.coalesce(t.schedules.c.note, ""))
        conditions.append(or_(*(func.lower(text).contains(part, autoescape=True) for text in texts)))
    conditions += [_labelled(conn, label) for label in wanted.label]
    return statement.where(*conditions)


def _labelled(conn: Connection, label: str) -> ColumnElement[bool]:
    key, equals, value = label.partition("=")
    schedules = of(conn).schedules
    if dialect.is_postgresql(conn):
        found = schedules.c.labels.op("->>", return_type=Text())(literal(key, Text()))
        return found == value if equals else found.is_not(None)
    # SQLite's own `->>` reads a key like `$.a`, `[0]` or an empty one as a path.
    each = func.json_each(schedules.c.labels).table_valued("key", "atom")
    same = [each.c.key == key, *([each.c.atom == value] if equals else [])]
    return exists(select(1).select_from(each).where(*same).correlate(schedules))


def _order(conn: Connection, name: str) -> ColumnElement[Any]:
    t = of(conn)
    if name == "next_at":
        return func.coalesce(t.cursors.c.next_at, _LARGEST, type_=t.cursors.c.next_at.type)
    return t.schedules.c[name]


def _beyond(
    column: ColumnElement[Any], identity: ColumnElement[Any], mark: tuple[Any, int], downward: bool
) -> ColumnElement[bool]:
    value, last = mark
    further = column < value if downward else column > value
    same = identity < last if downward else identity > last
    return or_(further, (column == value) & same)


def _write_cursor(name: str, row: Mapping[str, Any]) -> str:
    value = row["next_at"] if name == "next_at" else row[f"s_{name}"]
    if name != "name":
        value = to_micros(value if value is not None else _LARGEST)
    return base64.urlsafe_b64encode(json.dumps([name, value, row["s_id"]]).encode()).decode()


def _read_cursor(cursor: str, name: str) -> tuple[Any, int]:
    try:
        sort, value, last = json.loads(base64.urlsafe_b64decode(cursor.encode()))
        if sort == name and isinstance(last, int):
            return (value if name == "name" else from_micros(int(value))), last
    except (ValueError, TypeError, OverflowError):
        pass  # a text that is no cursor at all is told the same as the cursor of another list
    raise InvalidValue(f"cursor: {cursor!r:.80} is not the next_cursor of this list")


def _rows(conn: Connection, statement: Select[Any]) -> list[dict[str, Any]]:
    return [dict(row) for row in conn.execute(statement).mappings()]


def _records(conn: Connection, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    runs = _last_runs(conn, [row["last_run_id"] for row in rows if row["last_run_id"] is not None])
    horizon = jobs.horizon(conn)
    return [record(row, runs.get(row["last_run_id"]), horizon) for row in rows]


def _last_runs(conn: Connection, ids: Sequence[int]) -> dict[int, dict[str, Any]]:
    runs = of(conn).runs
    names = ("id", "state", "scheduled_for", "started_at", "finished_at")
    found = conn.execute(select(*(runs.c[name] for name in names)).where(runs.c.id.in_(ids))).mappings()
    return {row["id"]: dict(row) for row in found}


def record(row: Mapping[str, Any], last_run: Mapping[str, Any] | None, horizon: datetime) -> dict[str, Any]:
    """A row of `wide` as document 5's JSON, instants as datetimes. `horizon`: see `jobs.horizon`."""
    d = from_row(row)
    own = (
        "id",
        "tenant",
        "stack",
        "environment",
        "name",
        "owner",
        "labels",
        "note",
        "source",
        "origin",
        "created_at",
        "updated_at",
    )
    return {
        **{name: row[f"s_{name}"] for name in own},
        **d.policies.to_json(),
        "key": d.key,
        "job": d.job,
        "job_known": row["job_seen_at"] is not None and row["job_seen_at"] >= horizon,
        "args": d.args,
        "when": d.when,
        "canonical": d.canonical,
        "words": _words(d),
        "timezone": d.timezone,
        "zone": d.zone,
        "lane": d.lane,
        "priority": d.priority,
        "anchor": d.anchor,
        "dst_gap": d.dst_gap,
        "dst_overlap": d.dst_overlap,
        "valid_from": d.valid_from,
        "valid_until": d.valid_until,
        "max_occurrences": d.max_occurrences,
        "enabled": row["state"] != DISABLED,
        "state": row["state"],
        "paused_until": row["paused_until"],
        "disabled_reason": row["disabled_reason"],
        "watermark": row["watermark"],
        "next_at": _next(row, d),
        "last_run": last_run,
        "last_success_at": row["last_success_at"],
        "consecutive_failures": row["consecutive_failures"] or 0,
        "revision": d.revision,
    }


def _words(d: Definition) -> str:
    """The rule in words; its canonical text where this process cannot compute it (a zone that its data does not have)."""
    try:
        return rule_of(plan_of(d)).describe()
    except Error:
        return d.canonical


def _next(row: Mapping[str, Any], d: Definition) -> Any:
    """The next occurrence that will fire. During a pause that is one after its end, or none where it has no end."""
    if row["state"] != PAUSED:
        return row["next_at"]
    try:
        following = coming(plan_of(d), row["paused_until"], 1) if row["paused_until"] is not None else []
    except Error:
        return None
    return following[0] if following else None
