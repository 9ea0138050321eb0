"""Declared schedules: make the rows of one origin agree with what a file or a module declares.

One transaction, safe when two do it at once. Rows of another origin, of a user or of the system are never touched. A
field changes only where the declared value differs from the one last applied from this origin, which is kept beside the
row: what somebody changed by hand since stays.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import Connection, or_

from rota.errors import (
    Error,
    InvalidArguments,
    InvalidValue,
    InvalidWhen,
    JobNotFound,
    NaiveDatetime,
    ScheduleExists,
    ScheduleNotFound,
    UnknownZone,
)
from rota.model.by import By
from rota.model.schedule import DISABLED, DONE, PAUSED, REMOVED, Key
from rota.model.spec import DEFAULTS, normalise
from rota.store import definitions, dialect, edits, schedules
from rota.store.specs import spec_of
from rota.store.tables import of

APP: Final = "app"
_FAULTS: Final = (JobNotFound, InvalidWhen, InvalidArguments, UnknownZone, NaiveDatetime, InvalidValue)
"""What can be wrong with one item. Everything else ends the transaction at once."""


@dataclass(frozen=True, slots=True)
class Item:
    """One declared schedule. `spec` has the fields that were written down; `where` tells people where that is."""

    name: str
    spec: Mapping[str, Any]
    where: str = ""


@dataclass(frozen=True, slots=True)
class Origin:
    """Who declares, in which place. `prune`: rows of this origin that are not declared any more are removed."""

    name: str
    tenant: str
    stack: str
    environment: str
    prune: bool = True

    def key(self, name: str) -> Key:
        """The key of a declared schedule."""
        return Key(self.tenant, self.stack, self.environment, name)


@dataclass(slots=True)
class Report:
    """What declaring did, by names. `taken`: name -> who holds it; `drift`: name -> what differs by hand."""

    created: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    taken: dict[str, str] = field(default_factory=dict)
    drift: dict[str, dict[str, Any]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    @property
    def changed(self) -> bool:
        """Whether any row was created, updated or removed."""
        return bool(self.created or self.updated or self.removed)


def declare(
    conn: Connection, items: Sequence[Item], origin: Origin, by: By, jobs: Collection[str] = frozenset()
) -> Report:
    """Make the rows of `origin` agree with `items`. `jobs` are those whose defaults have just changed.

    Raises with every fault of all items, each with its `where`, and nothing is written then: JobNotFound if jobs are all
    that is missing, else the one error there is, else InvalidValue.
    """
    dialect.lock_named(conn, [f"declare:{origin.tenant}/{origin.stack}/{origin.environment}"])
    report, faults = Report(), list[tuple[Item, Error]]()
    rows = {row["name"]: row for row in _rows(conn, origin, [item.name for item in items])}
    same: list[tuple[Item, Mapping[str, Any], dict[str, Any]]] = []
    for item in sorted(items, key=lambda item: item.name):
        try:
            row, wanted = rows.get(item.name), normalise(item.spec)
            if row is not None and _same(row, origin, wanted) and (wanted["job"] not in jobs or row["removed_at"]):
                same.append((item, row, wanted))
            else:
                _one(conn, _Wanted(item, origin, wanted), row, by, report)
        except _FAULTS as error:
            faults.append((item, error))
    _raise(faults)
    _report_same(conn, same, report)
    if origin.prune:
        _prune(conn, rows.values(), {item.name for item in items}, origin, by, report)
    return report


@dataclass(frozen=True, slots=True)
class _Wanted:
    item: Item
    origin: Origin
    spec: dict[str, Any]


def _rows(conn: Connection, origin: Origin, names: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of this place that have one of the names, or this origin; removed ones too."""
    table = of(conn).schedules
    place = (
        table.c.tenant == origin.tenant, table.c.stack == origin.stack, table.c.environment == origin.environment
    )  # fmt: skip
    found: dict[int, dict[str, Any]] = {}
    for start in range(0, max(len(names), 1), 1000):
        named = table.c.name.in_(names[start : start + 1000])
        wanted = or_(named, table.c.origin == origin.name) if start == 0 else named
        found |= {row["id"]: dict(row) for row in conn.execute(table.select().where(*place, wanted)).mappings()}
    return list(found.values())


def _ours(row: Mapping[str, Any], origin: Origin) -> bool:
    return (row["source"], row["origin"]) == (APP, origin.name)


def _same(row: Mapping[str, Any], origin: Origin, wanted: Mapping[str, Any]) -> bool:
    """Whether just this was applied before, so that nothing changes; also if somebody has removed the row since."""
    same: bool = row["applied"] == wanted
    return same and _ours(row, origin)


def _one(conn: Connection, wanted: _Wanted, row: Mapping[str, Any] | None, by: By, report: Report) -> None:
    name = wanted.item.name
    if row is None or row["removed_at"] is not None:
        birth = edits.Birth(APP, wanted.origin.name, wanted.spec, past=True)
        try:
            made = edits.add(conn, wanted.origin.key(name), wanted.spec, by, birth)
        except ScheduleExists:  # somebody added it since the look
            report.taken[name] = "another transaction"
            return
        report.created.append(name)
    elif not _ours(row, wanted.origin):
        report.taken[name] = _holder(row)
        return
    else:
        made = row["id"]
        (report.updated if _update(conn, made, row["applied"] or {}, wanted, by) else report.unchanged).append(name)
    _look(conn, made, wanted, report)


def _holder(row: Mapping[str, Any]) -> str:
    return f"origin {row['origin']}" if row["source"] == APP else f"source {row['source']}"


def _update(conn: Connection, schedule_id: int, applied: Mapping[str, Any], wanted: _Wanted, by: By) -> bool:
    """Change the fields whose declared value is not the one last applied; whether the schedule changed."""
    try:
        locked = schedules.lock(conn, schedule_id)
    except ScheduleNotFound:
        raise dialect.Repeat from None  # somebody removed it since the look
    spec = spec_of(locked.definition, locked.row)
    for name in wanted.spec.keys() | applied.keys():
        if name in wanted.spec and (name not in applied or applied[name] != wanted.spec[name]):
            spec[name] = wanted.spec[name]
        elif name not in wanted.spec:
            spec.pop(name, None)
    enabled = spec.pop("enabled", None)
    changed = edits.change(conn, locked, DEFAULTS | spec, by, past=True)
    before = locked.cursor.state
    if enabled is not None and enabled == (before == DISABLED):
        edits.switch(conn, schedule_id, enabled, by)
        changed = True
    table = of(conn).schedules
    conn.execute(table.update().where(table.c.id == schedule_id).values(applied=wanted.spec))
    return changed


def _look(conn: Connection, schedule_id: int, wanted: _Wanted, report: Report) -> None:
    """Note what a schedule that was just written is like."""
    row, cursors = schedules.row_of(conn, schedule_id), of(conn).cursors
    found = conn.execute(cursors.select().where(cursors.c.schedule_id == schedule_id)).mappings().one()
    if row is None:
        return
    definition = definitions.load(conn, [found["definition_id"]])[found["definition_id"]]
    _drift(report, wanted.item.name, wanted.spec, spec_of(definition, row), found["state"])
    if found["state"] == DONE and wanted.item.name not in report.unchanged:
        report.warnings.append(_told(wanted.item, f'"{definition.when}" is past, so it is done and will not fire'))


def _report_same(
    conn: Connection, same: Sequence[tuple[Item, Mapping[str, Any], dict[str, Any]]], report: Report
) -> None:
    """Note the schedules that were left alone, and what somebody has changed in them by hand."""
    cursors = of(conn).cursors
    states: dict[int, Any] = {}
    ids = [row["id"] for _, row, _ in same]
    for start in range(0, len(ids), 1000):
        chosen = cursors.select().where(cursors.c.schedule_id.in_(ids[start : start + 1000]))
        states |= {found["schedule_id"]: found for found in conn.execute(chosen).mappings()}
    loaded = definitions.load(conn, (found["definition_id"] for found in states.values()))
    for item, row, wanted in same:
        report.unchanged.append(item.name)
        found = states.get(row["id"])
        if found is None:  # retention forgot a removed one meanwhile
            continue
        _drift(report, item.name, wanted, spec_of(loaded[found["definition_id"]], row), found["state"])


def _drift(report: Report, name: str, wanted: Mapping[str, Any], current: Mapping[str, Any], state: str) -> None:
    differs = {
        each: current.get(each) for each, value in wanted.items() if each != "enabled" and current.get(each) != value
    }
    if state in (PAUSED, REMOVED) or (state == DISABLED and wanted.get("enabled", True)):
        differs["state"] = state
    elif state != DISABLED and wanted.get("enabled") is False:
        differs["enabled"] = True
    if differs:
        report.drift[name] = differs


def _prune(
    conn: Connection, rows: Iterable[Mapping[str, Any]], declared: set[str], origin: Origin, by: By, report: Report
) -> None:
    """Remove what this origin does not declare any more. What somebody removed by hand is forgotten, too."""
    table = of(conn).schedules
    for row in sorted(rows, key=lambda row: str(row["name"])):
        if row["name"] in declared or not _ours(row, origin):
            continue
        if row["removed_at"] is None:
            schedules.remove(conn, row["id"], by)
            report.removed.append(row["name"])
        if row["applied"] is not None:
            conn.execute(table.update().where(table.c.id == row["id"]).values(applied=None))


def _raise(faults: Sequence[tuple[Item, Error]]) -> None:
    """Raise all faults as one error: of their kind if they are of one, else InvalidValue."""
    if not faults:
        return
    details = [detail for item, error in faults for detail in _details(item, error)]
    kinds = {type(error) for _, error in faults}
    kind = kinds.pop() if len(kinds) == 1 else InvalidValue
    raise kind("\n".join(_told(item, error.message) for item, error in faults), errors=details)


def _details(item: Item, error: Error) -> list[dict[str, Any]]:
    found = error.errors or [{"pointer": "", "detail": error.message}]
    return [{"pointer": f"/crons/{item.name}{e['pointer']}", "detail": _told(item, e["detail"])} for e in found]


def _told(item: Item, message: str) -> str:
    return f"{item.where}: {item.name}: {message}" if item.where else f"{item.name}: {message}"
