"""`rota schedule`: the table of its commands, and those that only look."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import click

from rota.cli import times
from rota.cli.client import open_app
from rota.cli.frame import Command, State, pass_state
from rota.cli.frame import group as make_group
from rota.cli.output import Column, Record, show_list, show_one

COMMANDS = {
    "add": ("rota.cli.schedule_edit:add", "Create a schedule."),
    "ls": ("rota.cli.schedule:ls", "List schedules."),
    "info": ("rota.cli.schedule:info", "Show all about one schedule."),
    "set": ("rota.cli.schedule_edit:set_", "Change fields of schedules; watermark and history stay."),
    "enable": ("rota.cli.schedule_acts:enable", "Make disabled schedules active."),
    "disable": ("rota.cli.schedule_acts:disable", "Fire nothing and cancel what is queued."),
    "pause": ("rota.cli.schedule_acts:pause", "Fire nothing until resumed, or until an instant."),
    "resume": ("rota.cli.schedule_acts:resume", "End a pause."),
    "rm": ("rota.cli.schedule_acts:rm", "Remove schedules; their history stays."),
    "run": ("rota.cli.schedule_acts:run", "Run now, beside the schedule."),
    "skip": ("rota.cli.schedule_acts:skip", "Take out one coming occurrence."),
    "unskip": ("rota.cli.schedule_acts:unskip", "Take back a skip."),
    "backfill": ("rota.cli.schedule_acts:backfill", "Run past occurrences that have no run."),
}

group = make_group("schedule", COMMANDS, "Add, show, change, pause and run schedules.")


def short_key(record: Record) -> str:
    """The name alone where tenant, stack and environment are the defaults, else the whole key."""
    hidden = all(record[part] == "default" for part in ("tenant", "stack", "environment"))
    return str(record["name"] if hidden else record["key"])


def filters_of(given: Mapping[str, Any], **renamed: str) -> dict[str, Any]:
    """The options that were given as a list's filters; several values as a list, `renamed` options by their field."""
    found = {renamed.get(name, name): value for name, value in given.items() if value}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}


def last(record: Record) -> str:
    """The state of the last run, if there is one."""
    return str(record["last_run"]["state"]) if record["last_run"] else ""


def next_time(record: Record, shape: Any = times.plain) -> str:
    """When it is next due, in its own zone; nothing unless it is active."""
    return shape(record["next_at"], record["zone"]) if record["state"] == "active" else ""


def columns(now: datetime, *, terminal: bool) -> list[Column]:
    """The columns of `ls`: for people with distances, for programs with plain instants."""
    shape = times.shown if terminal else times.plain
    return [
        Column("SCHEDULE", short_key, folds=True),
        Column("WHEN", lambda s: s["when"], folds=True),
        Column("ZONE", lambda s: s["zone"]),
        Column("STATE", lambda s: s["state"]),
        Column("NEXT", lambda s: next_time(s, shape)),
        *([Column("", lambda s: times.ago(s["next_at"], now) if next_time(s) else "")] if terminal else []),
        Column("LAST", last),
        Column("JOB", lambda s: s["job"], folds=True),
    ]


@click.command("ls", cls=Command)
@click.option("-l", "--label", "labels", multiple=True, metavar="K=V", help="Only those with this label.")
@click.option(
    "--state", "states", multiple=True, type=click.Choice(["active", "paused", "disabled", "done"]), help="Only these."
)
@click.option("--job", help="Only those of this job.")
@click.option("--lane", help="Only those of this lane.")
@click.option("--source", type=click.Choice(["app", "user", "system"]), help="Only those of this source.")
@click.option("--search", "q", metavar="TEXT", help="Only those with this text in name, job or note.")
@click.option(
    "--sort", default="name", show_default=True, help="name, next_at, created_at, updated_at; -FIELD: descending."
)
@click.option("--limit", type=click.IntRange(1), help="At most so many.")
@click.option("--everywhere", is_flag=True, help="Of every tenant, stack and environment.")
@pass_state
def ls(state: State, sort: str, limit: int | None, *, everywhere: bool, **given: Any) -> None:
    """List schedules, of this place unless --everywhere."""
    filters = filters_of(given, labels="label", states="state")
    if everywhere:
        filters |= dict.fromkeys(("tenant", "stack", "environment"), "*")
    with open_app(state) as app:
        found = [schedule.to_json() for schedule in app.schedules.list(limit=limit, sort=sort, **filters)]
    shown = columns(times.now(), terminal=state.for_people)
    show_list(state, found, shown, name="name" if not everywhere else "key", empty="no schedules here")


@click.command("info", cls=Command)
@click.argument("name")
@pass_state
def info(state: State, name: str) -> None:
    """Show all about one schedule: its text in words, its state, its policies, its health."""
    with open_app(state) as app:
        record = app.schedules.get(name).to_json()
    show_one(state, record, _facts(record, times.now()), name="name")


def _facts(s: Record, now: datetime) -> list[tuple[str, str]]:
    zone = s["zone"]
    state = s["state"] + (f" until {times.shown(s['paused_until'], zone)}" if s["paused_until"] else "")
    state += f": {s['disabled_reason']}" if s["disabled_reason"] else ""
    coming = next_time(s, times.shown)
    return [
        ("schedule", short_key(s)),
        ("when", s["when"]),
        ("words", s["words"]),
        ("canonical", s["canonical"] if s["canonical"] != s["when"] else ""),
        ("zone", zone + ("" if s["timezone"] else " (none was given)")),
        ("state", state),
        ("next", f"{coming}  {times.ago(s['next_at'], now)}" if coming else ""),
        ("last run", _last_run(s, now)),
        ("last success", times.shown(s["last_success_at"], zone)),
        ("failures", str(s["consecutive_failures"]) + " in a row" if s["consecutive_failures"] else ""),
        ("job", s["job"] + ("" if s["job_known"] else "  (no live worker knows it)")),
        ("arguments", ", ".join(f"{name}={value!r}" for name, value in s["args"].items())),
        ("lane", s["lane"] + (f", priority {s['priority']}" if s["priority"] else "")),
        ("labels", ", ".join(f"{name}={value}" for name, value in s["labels"].items())),
        ("owner", s["owner"] or ""),
        ("note", s["note"] or ""),
        ("source", s["source"] + (f", from {s['origin']}" if s["origin"] else "")),
        ("limits", _limits(s)),
        ("policies", _policies(s)),
        ("watermark", times.shown(s["watermark"], zone)),
        ("revision", str(s["revision"])),
        ("created", times.shown(s["created_at"], zone)),
        ("updated", times.shown(s["updated_at"], zone)),
    ]


def _last_run(s: Record, now: datetime) -> str:
    run = s["last_run"]
    if not run:
        return "none yet"
    at = run["finished_at"] or run["started_at"]
    return f"{run['id']} {run['state']}" + (f", {times.ago(at, now)}" if at else "")


def _limits(s: Record) -> str:
    given = [("from", s["valid_from"]), ("until", s["valid_until"])]
    texts = [f"{word} {times.shown(at, s['zone'])}" for word, at in given if at]
    if s["max_occurrences"]:
        texts.append(f"at most {s['max_occurrences']} occurrences")
    return ", ".join(texts)


def _policies(s: Record) -> str:
    from rota.model.policy import NAMES, Policies

    defaults = Policies().to_json()
    lines = [f"catchup: {s['catchup']}", f"overlap: {s['overlap']}"]
    for name in NAMES:
        if name not in ("catchup", "overlap") and s[name] != defaults[name]:
            value = s[name]
            text = ", ".join(f"{k} {v}" for k, v in value.items() if v) if isinstance(value, dict) else value
            lines.append(f"{name}: {text}")
    return "; ".join(lines)
