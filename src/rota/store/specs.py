"""From a spec (what somebody asks) to a definition: the job's defaults beneath, the zone resolved, everything checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection

from rota.calendar import civil
from rota.calendar.text import why_never
from rota.errors import InvalidValue, InvalidWhen, UnknownZone
from rota.model.arguments import check_arguments
from rota.model.firing import TICK
from rota.model.instants import read_instant, rfc3339
from rota.model.policy import NAMES as POLICIES
from rota.model.schedule import Definition, Key
from rota.model.spec import DEFAULTS, Faults, policies_of
from rota.model.timing import ends_at, read_when
from rota.store import dialect, jobs, zones
from rota.store.definitions import from_row
from rota.store.tables import of

_GIVEN: Final = (*POLICIES, "lane", "priority")
_CONTENT: Final = (
    "key", "when_text", "canonical", "timezone", "zone", "job", "args", "lane", "priority", "policies", "given", "anchor",
    "dst_gap", "dst_overlap", "valid_from", "valid_until", "max_occurrences", "ends_at",
)  # fmt: skip
_TIMING: Final = (
    "canonical", "zone", "anchor", "dst_gap", "dst_overlap", "valid_from", "valid_until", "max_occurrences",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Built:
    """A checked spec: the content of its definition, and the columns of `schedules` it sets."""

    content: dict[str, Any]
    owner: str | None
    labels: dict[str, str]
    note: str | None

    def same_timing(self, other: Definition) -> bool:
        """Whether it names the same occurrences as `other`."""
        before = content_of(other)
        return all(before[name] == self.content[name] for name in _TIMING)

    def equals(self, other: Definition) -> bool:
        """Whether its definition would say the same as `other`."""
        return content_of(other) == self.content

    def insert(self, conn: Connection, schedule_id: int, revision: int, now: datetime) -> Definition:
        """Write it as this revision of the schedule."""
        table = of(conn).definitions
        (drawn,) = dialect.draw_ids(conn, table, 1)
        row = self.content | {"id": drawn, "schedule_id": schedule_id, "revision": revision, "created_at": now}
        dialect.insert_many(conn, table, [row])
        return from_row(row)


def content_of(d: Definition) -> dict[str, Any]:
    """The columns of a definition that say something, as `Built.content` has them."""
    return {
        "key": d.key,
        "when_text": d.when,
        "canonical": d.canonical,
        "timezone": d.timezone,
        "zone": d.zone,
        "job": d.job,
        "args": d.args,
        "lane": d.lane,
        "priority": d.priority,
        "policies": d.policies.to_json(),
        "given": d.given,
        "anchor": None if d.anchor is None else rfc3339(d.anchor),
        "dst_gap": d.dst_gap,
        "dst_overlap": d.dst_overlap,
        "valid_from": d.valid_from,
        "valid_until": d.valid_until,
        "max_occurrences": d.max_occurrences,
        "ends_at": d.ends_at,
    }


def spec_of(d: Definition, row: Mapping[str, Any]) -> dict[str, Any]:
    """The normal spec that a definition and its row of `schedules` say."""

    def text(at: datetime | None) -> str | None:
        return None if at is None else rfc3339(at)

    return {
        "job": d.job,
        "when": d.when,
        "timezone": d.timezone,
        "args": d.args,
        "owner": row["owner"],
        "labels": row["labels"],
        "note": row["note"],
        "anchor": text(d.anchor),
        "valid_from": text(d.valid_from),
        "valid_until": text(d.valid_until),
        "max_occurrences": d.max_occurrences,
        "dst_gap": d.dst_gap,
        "dst_overlap": d.dst_overlap,
        **d.given,
    }


@dataclass(frozen=True, slots=True)
class Asked:
    """A normal spec together with what it is read against.

    `created` is when max_occurrences begins to count; `before` the definition in force, None for a new schedule.
    `past`: a rule without an occurrence after `now` is accepted (a file's; the schedule is then done at once).
    """

    key: Key
    spec: Mapping[str, Any]
    now: datetime
    created: datetime
    before: Definition | None = None
    past: bool = False


def build(conn: Connection, asked: Asked) -> Built:
    """Check a spec whole. Raises with every fault: JobNotFound, InvalidWhen, UnknownZone, InvalidArguments, InvalidValue."""
    spec = {**DEFAULTS, **asked.spec}
    faults = Faults()
    for field in ("job", "when"):
        with faults.at(field):
            if field not in spec:
                raise InvalidValue(f"{field}: missing")
    job: Mapping[str, Any] = {"lane": "default", "priority": 0, "defaults": {}, "parameters": None}
    with faults.at("job"):
        job = jobs.get(conn, spec["job"]) if "job" in spec else job
    with faults.at("args"):
        check_arguments(spec.get("job", ""), spec["args"], job["parameters"])
    zone, content = "UTC", dict[str, Any]()
    with faults.at("timezone"):
        zone = _zone(conn, asked, spec)
    with faults.at("when"):
        content = _timing(asked, spec, zone) if "when" in spec else content
    faults.check()
    return Built(content | _work(asked, spec, job), spec["owner"], spec["labels"], spec["note"])


def _work(asked: Asked, spec: Mapping[str, Any], job: Mapping[str, Any]) -> dict[str, Any]:
    given = {name: spec[name] for name in _GIVEN if name in spec and not (name in DEFAULTS and spec[name] is None)}
    return {
        "key": str(asked.key),
        "job": spec["job"],
        "args": spec["args"],
        "lane": spec["lane"] if spec["lane"] is not None else job["lane"],
        "priority": spec["priority"] if spec["priority"] is not None else job["priority"],
        "policies": policies_of(spec, job["defaults"]).to_json(),
        "given": given,
    }


def _zone(conn: Connection, asked: Asked, spec: Mapping[str, Any]) -> str:
    zone = zones.in_force(conn, asked.key.tenant, spec["owner"], spec["timezone"])
    try:
        civil.zone(zone)
    except UnknownZone as error:
        raise UnknownZone(f"timezone: {error.message}") from None
    return zone


def _timing(asked: Asked, spec: Mapping[str, Any], zone: str) -> dict[str, Any]:
    anchor, start, end = (_at(spec, name) for name in ("anchor", "valid_from", "valid_until"))
    if start is not None and end is not None and end < start:
        raise InvalidValue(f"valid_until: {spec['valid_until']} is before valid_from {spec['valid_from']}")
    gap, overlap, most = spec["dst_gap"], spec["dst_overlap"], spec["max_occurrences"]
    rule = read_when(
        spec["when"], zone, now=asked.now, key=str(asked.key), anchor=anchor, dst_gap=gap, dst_overlap=overlap
    )
    content = {
        "when_text": rule.text,
        "canonical": rule.canonical,
        "timezone": spec["timezone"],
        "zone": zone,
        "anchor": None if anchor is None else rfc3339(anchor),
        "dst_gap": gap,
        "dst_overlap": overlap,
        "valid_from": start,
        "valid_until": end,
        "max_occurrences": most,
    }
    before = asked.before
    if before is not None and all(content_of(before)[name] == content[name] for name in _TIMING):
        return content | {"ends_at": before.ends_at}
    ends = ends_at(rule, start, end, most, asked.created)
    if not asked.past:
        _check_future(rule, asked, start, ends)
    return content | {"ends_at": ends}


def _check_future(rule: Any, asked: Asked, start: datetime | None, ends: datetime | None) -> None:
    after = asked.now if start is None else max(asked.now, start - TICK)
    never = why_never(rule, asked.now)
    following = rule.next_after(after)
    if never is None and ends is not None and (following is None or following > ends):
        never = f"it has no occurrence between {rfc3339(after)} and {rfc3339(ends)}, the end of its validity"
    if never is not None:
        raise InvalidWhen(f'when: "{rule.text}" would not fire: {never}', text=rule.text)


def _at(spec: Mapping[str, Any], name: str) -> datetime | None:
    return None if spec[name] is None else read_instant(name, spec[name])
