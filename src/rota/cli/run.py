"""`rota run`: runs, their logs, and what can be done with them."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any

import click

from rota.cli import times
from rota.cli.client import each, open_app
from rota.cli.frame import Command, State, pass_state
from rota.cli.frame import group as make_group
from rota.cli.output import Column, Record, dump, paint, say, show_list, show_one
from rota.cli.schedule import filters_of
from rota.cli.waiting import await_all, name, sentence
from rota.model.run import CAUSES, STATES

COMMANDS = {
    "ls": ("rota.cli.run:ls", "List runs, newest first."),
    "info": ("rota.cli.run:info", "Show all about one run, and why it is."),
    "logs": ("rota.cli.run_logs:logs", "Show what a run has written; -f follows it."),
    "cancel": ("rota.cli.run:cancel", "Cancel queued runs, ask running ones to stop."),
    "retry": ("rota.cli.run:retry", "Run again what has ended."),
    "wait": ("rota.cli.run:wait", "Wait for the end of runs."),
}

group = make_group("run", COMMANDS, "Show, follow, cancel, retry and await runs.")
run_id = click.IntRange(1, 2**63 - 1)
_ids = click.argument("ids", nargs=-1, required=True, type=run_id, metavar="ID...")


def took(run: Record, now: datetime) -> str:
    """How long the last attempt ran, or has been running."""
    if not run["started_at"]:
        return ""
    end = times.instant_of(run["finished_at"]) if run["finished_at"] else now
    return length_words(end - times.instant_of(run["started_at"])) if run["state"] != "queued" else ""


def length_words(length: timedelta) -> str:
    """`35 ms`, `1.2 s`, `3 min`."""
    seconds = length.total_seconds()
    return f"{max(seconds, 0) * 1000:.0f} ms" if seconds < 1 else times.about(length)


def columns(now: datetime, *, terminal: bool) -> list[Column]:
    """The columns of `ls`."""
    shape = times.shown if terminal else times.plain
    return [
        Column("RUN", lambda r: str(r["id"]), right=True),
        Column("OF", name),
        Column("STATE", lambda r: r["state"]),
        Column("REASON", lambda r: r["reason"] or ""),
        Column("FOR", lambda r: shape(r["scheduled_for"]) or r["cause"]),
        Column("STARTED", lambda r: times.ago(r["started_at"], now) if terminal else times.plain(r["started_at"])),
        Column("TOOK", lambda r: took(r, now), right=True),
        Column("ATTEMPT", lambda r: str(r["attempt"]), right=True),
    ]


@click.command("ls", cls=Command)
@click.option("--schedule", help="Only those of this schedule.")
@click.option("--job", help="Only those of this job.")
@click.option("--state", "states", multiple=True, type=click.Choice(STATES), help="Only in these states.")
@click.option("--lane", help="Only those of this lane.")
@click.option("--node", help="Only those of this node.")
@click.option("--cause", type=click.Choice(CAUSES), help="Only those of this cause.")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="At most so many.")
@pass_state
def ls(state: State, limit: int, **given: Any) -> None:
    """List runs, newest first."""
    filters = filters_of(given, states="state")
    with open_app(state) as app:
        found = [run.to_json() for run in app.runs.list(limit=limit, **filters)]
    show_list(state, found, columns(times.now(), terminal=state.for_people), name="id", empty="no runs")


@click.command("info", cls=Command)
@click.argument("number", type=run_id, metavar="ID")
@pass_state
def info(state: State, number: int) -> None:
    """Show all about one run, and the sentence of its occurrence."""
    with open_app(state) as app:
        record = app.runs.get(number).to_json()
        why = app.schedules.why_run(number)
    show_one(state, record, _facts(record, why.sentence if why else "", times.now()), name="id")


def _facts(r: Record, why: str, now: datetime) -> list[tuple[str, str]]:
    covers = r["covers"]
    many = (
        f"{covers['count']} occurrences, from {times.shown(covers['from'])} to {times.shown(covers['to'])}"
        if covers
        else ""
    )
    result = "" if r["result"] is None else json.dumps(r["result"], ensure_ascii=False)
    return [
        ("run", str(r["id"])),
        ("schedule", r["schedule"] or ""),
        ("job", r["job"]),
        ("state", r["state"] + _remark(r)),
        ("reason", r["reason"] or ""),
        ("why", why),
        ("for", times.shown(r["scheduled_for"])),
        ("stands for", many if covers and covers["count"] > 1 else ""),
        ("cause", r["cause"]),
        ("arguments", ", ".join(f"{key}={value!r}" for key, value in r["args"].items())),
        ("attempt", str(r["attempt"])),
        ("retry of", str(r["retry_of"] or "")),
        ("lane", r["lane"] + (f", priority {r['priority']}" if r["priority"] else "")),
        ("node", r["node"] or ""),
        ("invocation", r["invocation"]),
        ("created", times.shown(r["created_at"])),
        ("next attempt", times.shown(r["next_attempt_at"])),
        ("progress", _progress(r["progress"])),
        ("not before", times.shown(r["not_before"])),
        ("started", times.shown(r["started_at"])),
        ("finished", times.shown(r["finished_at"])),
        ("took", took(r, now)),
        ("exit code", "" if r["exit_code"] is None else str(r["exit_code"])),
        ("result", result),
        ("error", f"{r['error']['type']}: {r['error']['message']}" if r["error"] else ""),
    ]


def _remark(r: Record) -> str:
    if r["waiting"]:
        return " (waits for its single-flight key)"
    return " (cancelling)" if r["cancelling"] else ""


def _progress(progress: Record | None) -> str:
    if progress is None:
        return ""
    return f"{progress['done']:g}" + (f" of {progress['total']:g}" if progress["total"] is not None else "")


def _done(state: State, records: list[dict[str, Any]], *, one: bool) -> None:
    if state.machine:
        dump(state, records[0] if one else records)
        return
    for record in records:
        text = sentence(record) + (", asked to stop" if record["cancelling"] and record["state"] == "running" else "")
        say(str(record["id"]) if state.output == "name" else paint(state, text))


@click.command("cancel", cls=Command)
@_ids
@click.option("--reason", metavar="TEXT", help="Stands on record.")
@pass_state
def cancel(state: State, ids: tuple[int, ...], reason: str | None) -> None:
    """Cancel queued runs at once; ask running ones to stop (they are `cancelling` until their code has stopped)."""
    with open_app(state) as app:
        done = each(ids, lambda number: app.runs.cancel(number, reason=reason).to_json())
    _done(state, done, one=len(ids) == 1)


@click.command("retry", cls=Command)
@_ids
@click.option("--reason", metavar="TEXT", help="Stands on record.")
@pass_state
def retry(state: State, ids: tuple[int, ...], reason: str | None) -> None:
    """Run again what has ended: a new run with the same arguments. The answer is the new run."""
    with open_app(state) as app:
        done = each(ids, lambda number: app.runs.retry(number, reason=reason).to_json())
    _done(state, done, one=len(ids) == 1)


@click.command("wait", cls=Command)
@_ids
@click.option("--timeout", metavar="LENGTH", help="Give up after this long (exit 9).")
@pass_state
def wait(state: State, ids: tuple[int, ...], timeout: str | None) -> None:
    """Wait for the end of runs: exit 0 if all succeeded, 8 if not."""
    with open_app(state) as app:
        await_all(state, app, ids, timeout, one=len(ids) == 1)
