"""`rota why` in words: facts about one occurrence -> one English sentence and what to change. Pure.

The sentence begins with the occurrence on the clock of the schedule's zone, then says what became of it, the cause and
the rule in force, as in: 2026-11-30 12:00:00 +00:00 fired at 12:02:31 by node f04aeb67, 151 s late: no scheduler was
alive from 11:59:50 to 12:02:30; 2 earlier occurrences were folded into this one (catchup: latest).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from rota.calendar.civil import zone as zone_of
from rota.model import reasons
from rota.model.instants import local, rfc3339

_LATE: Final = 1.0
"""Seconds after its time from which a fire is called late."""
_LONG: Final = 600
_CAUSES: Final[Mapping[str, str]] = {"backfill": "was backfilled", "recorded": "was recorded as run elsewhere"}


@dataclass(frozen=True, slots=True)
class Outage:
    """A time without a live scheduler. `since` None: none had been alive before."""

    since: datetime | None
    until: datetime


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known about one occurrence of the schedule `name`, in `zone`, under the `policies` in force for it."""

    name: str
    at: datetime
    zone: str
    policies: Mapping[str, Any] = field(default_factory=dict)
    run: Mapping[str, Any] | None = None
    outage: Outage | None = None
    paused: bool = False
    what: str | None = None
    reason: str | None = None
    node: str | None = None
    decided_at: datetime | None = None
    by: str | None = None
    into: str | None = None
    holder: str | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """The answer: the sentence, and what to change where there is something."""

    sentence: str
    advice: str | None = None


def clock(at: datetime, beside: datetime, zone: str) -> str:
    """The time of `at` in the zone; with its date where that is not the date of `beside`."""
    here = at.astimezone(zone_of(zone))
    return (
        f"{here:%H:%M:%S}"
        if here.date() == beside.astimezone(zone_of(zone)).date()
        else local(at.replace(microsecond=0), zone)
    )


def span(seconds: float) -> str:
    """A length for people: `151 s`, `0.31 s`, `2 h 5 min`, `3 days 4 h`."""
    if seconds < 10:
        return f"{seconds:.2f}".rstrip("0").rstrip(".") + " s"
    if seconds < _LONG:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    days, hours = divmod(hours, 24)
    return f"{days} days {hours} h" if hours else f"{days} days"


def fired(f: Facts) -> Told:
    """The sentence of an occurrence that has a run, and of what became of the run."""
    run = f.run or {}
    late = (run["created_at"] - f.at).total_seconds()
    when = clock(run["created_at"], f.at, f.zone)
    by = f" by {_who(f.node)}" if f.node else ""
    text = f"{local(f.at, f.zone)} {_CAUSES.get(run['cause'], 'fired')} at {when}{by}"
    advice = None
    if run["cause"] not in _CAUSES:
        cause, advice = _lateness(f, late)
        text += f", {span(late)} late{cause}" if late >= _LATE else ", on time"
        text += _folded(f, run, told=late >= _LATE)
    after, more = _run(f, run)
    return Told(f"{text}. {after}", more or advice)


def _lateness(f: Facts, late: float) -> tuple[str, str | None]:
    if late < _LATE:
        return "", None
    if f.outage is not None:
        return (
            f": {_outage(f, f.outage)}",
            "a second process with the role scheduler would have fired it on time (rota scheduler)",
        )
    if f.paused:
        return ": the schedule was paused (on_resume: catchup)", "to skip what falls into a pause use on_resume: skip"
    if late >= 5:
        return ": a scheduler was alive, but busy or held up", None
    return "", None


def _outage(f: Facts, outage: Outage) -> str:
    since = f"from {clock(outage.since, f.at, f.zone)} to" if outage.since is not None else "until"
    return f"no scheduler was alive {since} {clock(outage.until, f.at, f.zone)}"


def _folded(f: Facts, run: Mapping[str, Any], *, told: bool) -> str:
    """How many were folded into it, and why, unless that was `told` already."""
    count = (run.get("covers_count") or 1) - 1
    if count < 1:
        return ""
    which = "later" if f.policies.get("catchup") == "earliest" else "earlier"
    plural = "occurrence was" if count == 1 else "occurrences were"
    cause = f": {_outage(f, f.outage)}" if f.outage is not None and not told else ""
    return f"; {count} {which} {plural} folded into this one (catchup: {f.policies.get('catchup', 'latest')}){cause}"


def _run(f: Facts, run: Mapping[str, Any]) -> tuple[str, str | None]:
    """What became of the run, and what to do about it."""
    name = f"Run {run['id']}"
    match run["state"]:
        case "succeeded":
            return f"{name} succeeded{_took(run)}.", None
        case "running":
            return (
                f"{name} is running on node {_short(run['node'])} since {clock(run['started_at'], f.at, f.zone)}.",
                None,
            )
        case "queued":
            return _queued(f, run)
        case "expired":
            text = f"{name} expired: no worker started it within its grace (grace: {f.policies.get('grace') or '60s'})."
            return text, "start more workers for its lane, or raise grace"
        case "cancelled":
            return f"{name} was cancelled{_because(run)}.", None
        case "lost":
            text = f"{name} was lost: its node died or was cut off (on_lost: {f.policies.get('on_lost')})."
            return text, f"to run it again: rota run retry {run['id']}"
        case _:
            return (
                f"{name} {run['state']}{_error(run)}.",
                f"see rota run logs {run['id']}; to run it again: rota run retry {run['id']}",
            )


def _queued(f: Facts, run: Mapping[str, Any]) -> tuple[str, str | None]:
    name = f"Run {run['id']}"
    if run["waiting"]:
        return (
            f"{name} waits: {f.holder or 'another run'} holds its single-flight key (overlap: {f.policies.get('overlap')}).",
            None,
        )
    if run["admit_at"] is not None:
        return f"{name} waits until {clock(run['admit_at'], f.at, f.zone)}{_because(run)}.", None
    return (
        f"{name} is queued: no worker has taken it from lane {run['lane']} yet.",
        "start a worker that serves this lane",
    )


def _took(run: Mapping[str, Any]) -> str:
    if run["started_at"] is None or run["finished_at"] is None:
        return ""
    took = max((run["finished_at"] - run["started_at"]).total_seconds(), 0.0)
    where = f" on node {_short(run['node'])}" if run["node"] else ""
    tries = f", at attempt {run['attempt']}" if run["attempt"] > 1 else ""
    return f" in {span(took)}{where}{tries}"


def _short(node: str | None) -> str:
    return (node or "?")[:8]


def _because(run: Mapping[str, Any]) -> str:
    words = {
        "disabled": ": the schedule was disabled",
        "removed": ": the schedule was removed",
        "replaced": ": a newer occurrence replaced it (overlap: replace)",
        "retry": " for its next attempt",
        "handed_back": ": its node gave it back",
        "unknown_job": ": no live worker knows its job",
        "cancelled": " on request",
    }
    return words.get(run["reason"] or "", f" ({run['reason']})" if run["reason"] else "")


def _error(run: Mapping[str, Any]) -> str:
    error = run["error"]
    tries = f" at attempt {run['attempt']}" if run["attempt"] > 1 else ""
    if not error:
        return tries
    message = " ".join(str(error.get("message", "")).split())
    shown = message if len(message) <= 200 else message[:200] + "…"
    return f"{tries}: {error.get('type')}: {shown}".rstrip(": .")


def decided(f: Facts) -> Told:
    """The sentence of an occurrence that was skipped, or folded into another."""
    reason = f.reason or reasons.COALESCED
    happened, advice = reasons.WORDS[reason]
    values = {
        name: _policy(f, name)
        for name in ("overlap", "grace", "catchup_window", "catchup_max", "on_resume", "on_edit", "catchup")
    }
    by = f" by {f.by}" if f.by else ""
    values |= {
        "holder": f.holder or "another run",
        "into": f.into or "the run of another one",
        "missed": _missed(f),
        "outage": f": {_outage(f, f.outage)}" if f.outage is not None else "",
        "by": by,
        "operator": f.by or "somebody took it out",
        "name": f.name,
        "instant": rfc3339(f.at),
    }
    text = f"{local(f.at, f.zone)} {happened.format(**values)}"
    if f.decided_at is not None:
        text += f"; decided at {clock(f.decided_at, f.at, f.zone)}" + (f" by {_who(f.node)}" if f.node else "")
    return Told(f"{text}.", advice.format(**values))


def _missed(f: Facts) -> str:
    """Why more than one occurrence was due at once."""
    if f.outage is not None:
        return _outage(f, f.outage)
    return "the schedule was paused" if f.paused else "several were due at once"


def _who(node: str | None) -> str:
    text = node or ""
    hexadecimal = len(text) == 32 and all(c in "0123456789abcdef" for c in text)
    return f"node {text[:8]}" if hexadecimal else text


def _policy(f: Facts, name: str) -> Any:
    value = f.policies.get(name)
    if name == "grace" and value is None and f.policies.get("catchup") == "none":
        return "60s, from catchup: none"
    return "none" if value is None else value


def pending(f: Facts, now: datetime, *, alive: bool, skipped_by: str | None, paused_until: datetime | None) -> Told:
    """The sentence of an occurrence that is due or still to come; `f.paused`: during a pause."""
    where = local(f.at, f.zone)
    if skipped_by is not None:
        return Told(
            f"{where} will be skipped because {skipped_by}.",
            f"to take that back: rota schedule unskip {f.name} {rfc3339(f.at)}",
        )
    if f.paused:
        return _in_pause(f, now, paused_until)
    if f.at > now:
        return Told(f"{where} will fire in {span((f.at - now).total_seconds())}: it is still to come.")
    late = span((now - f.at).total_seconds())
    if alive:
        return Told(f"{where} is due since {late} and not decided yet: a scheduler is about to (poll).")
    return Told(
        f"{where} is due since {late} and not decided yet: no scheduler is alive (catchup: {f.policies.get('catchup')}).",
        "start one: rota up, or rota scheduler",
    )


def _in_pause(f: Facts, now: datetime, until: datetime | None) -> Told:
    rule = f.policies.get("on_resume")
    where = local(f.at, f.zone)
    if until is not None and f.at > until:
        return Told(
            f"{where} will fire in {span((f.at - now).total_seconds())}: the pause ends before it, at {local(until, f.zone)}."
        )
    ends = f"until {local(until, f.zone)}" if until is not None else "with no end set"
    if until is None and f.at > now:
        return Told(
            f"{where} will not fire while the schedule is paused, {ends} (on_resume: {rule}).",
            f"rota schedule resume {f.name}",
        )
    fate = "will be skipped" if rule == "skip" else "will be caught up with"
    return Told(
        f"{where} {fate} when the pause ends, because the schedule is paused {ends} (on_resume: {rule}).",
        f"rota schedule resume {f.name}; on_resume: {'catchup would fire it' if rule == 'skip' else 'skip would drop it'}",
    )


def nothing(f: Facts, why: str, advice: str | None = None) -> Told:
    """The sentence of an occurrence without a disposition; `why` completes it."""
    return Told(f"{local(f.at, f.zone)} {why}.", advice)
