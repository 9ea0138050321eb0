"""`rota schedule enable, disable, pause, resume, rm, run, skip, unskip, backfill`: what is done to schedules."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from rota.cli import times
from rota.cli.client import arguments, chosen, each, open_app, schema_of, several
from rota.cli.frame import Command, State, pass_state, usage
from rota.cli.output import dump, say
from rota.cli.schedule import next_time, short_key
from rota.cli.waiting import finish

if TYPE_CHECKING:
    from rota.app.records import Schedule
    from rota.app.rota import Rota

_reason = click.option("--reason", metavar="TEXT", help="Stands on record with the change.")
_OFFSETS: Final = {"ignore_unknown_options": True}
"""-05:00 at the end of an instant is an offset, not an option."""
Chosen = tuple[tuple[str, ...], tuple[str, ...], bool]


def _act(state: State, names: Chosen, verb: str, act: Callable[[Rota, Schedule], Any]) -> None:
    """Do `act` to each chosen schedule, then tell what each is now."""
    one_by_name = len(names[0]) == 1
    with open_app(state) as app:
        done = each(chosen(app, names[0], names[1], every=names[2]), lambda schedule: act(app, schedule).to_json())
    if state.machine:
        dump(state, done[0] if one_by_name else done)
        return
    for record in done:
        if state.output == "name":
            say(record["name"])
            continue
        coming = next_time(record, times.shown)
        say(f"{verb} {short_key(record)}: {record['state']}" + (f"; next {coming}" if coming else _until(record)))


def _until(record: dict[str, Any]) -> str:
    return f" until {times.shown(record['paused_until'], record['zone'])}" if record["paused_until"] else ""


@click.command("enable", cls=Command)
@several
@_reason
@pass_state
def enable(state: State, names: Sequence[str], where: Sequence[str], *, every: bool, reason: str | None) -> None:
    """Make disabled schedules active from now on."""
    _act(
        state, (tuple(names), tuple(where), every), "enabled", lambda app, s: app.schedules.enable(s.key, reason=reason)
    )


@click.command("disable", cls=Command)
@several
@_reason
@pass_state
def disable(state: State, names: Sequence[str], where: Sequence[str], *, every: bool, reason: str | None) -> None:
    """Fire nothing any more and cancel queued runs; what runs goes on and is not retried."""
    _act(
        state,
        (tuple(names), tuple(where), every),
        "disabled",
        lambda app, s: app.schedules.disable(s.key, reason=reason),
    )


@click.command("pause", cls=Command)
@several
@click.option("--until", metavar="T", help="Resume by itself at this instant (tomorrow at 9am, 2026-12-24T18:00Z).")
@click.option("--for", "length", metavar="LENGTH", help="Resume by itself after this long (90m, 2h, 3d).")
@_reason
@pass_state
def pause(
    state: State, names: Sequence[str], where: Sequence[str], *, every: bool, until: str | None, **given: str | None
) -> None:
    """Fire nothing until resumed. Queued runs stay and start. Times without an offset are the schedule's."""
    length, reason = given["length"], given["reason"]
    if until and length:
        raise usage("give --until or --for, not both")

    def act(app: Rota, schedule: Schedule) -> Any:
        now = times.now()
        end = times.read_instant(until, schedule.zone, now) if until else _after(now, length)
        return app.schedules.pause(schedule.key, until=end, reason=reason)

    _act(state, (tuple(names), tuple(where), every), "paused", act)


def _after(now: Any, length: str | None) -> Any:
    from rota.model.policy import length as read_length

    return None if length is None else now + read_length(length, "--for")


@click.command("resume", cls=Command)
@several
@_reason
@pass_state
def resume(state: State, names: Sequence[str], where: Sequence[str], *, every: bool, reason: str | None) -> None:
    """End a pause; `on_resume` tells what becomes of the occurrences that fell into it."""
    _act(
        state, (tuple(names), tuple(where), every), "resumed", lambda app, s: app.schedules.resume(s.key, reason=reason)
    )


@click.command("rm", cls=Command)
@several
@_reason
@click.option("--yes", is_flag=True, help="Do not ask.")
@pass_state
def rm(state: State, names: Sequence[str], where: Sequence[str], *, every: bool, reason: str | None, yes: bool) -> None:
    """Remove schedules: nothing fires any more, queued runs are cancelled, history stays."""
    with open_app(state) as app:
        found = chosen(app, names, where, every=every)
        if not names and not yes and sys.stdin.isatty():
            click.confirm(f"Remove {len(found)} schedules?", abort=True, err=True)

        def act(schedule: Schedule) -> dict[str, Any]:
            app.schedules.remove(schedule.key, reason=reason)
            return schedule.to_json()

        removed = each(found, act)
    if state.machine:
        dump(state, removed[0] if len(names) == 1 else removed)
        return
    for record in removed:
        say(record["name"] if state.output == "name" else f"removed {short_key(record)}")


@click.command("run", cls=Command)
@several
@click.option("--arg", "args", multiple=True, metavar="K=V", help="An argument for this run, over the schedule's.")
@click.option("--wait", is_flag=True, help="Wait for the end: exit 0 if it succeeded, 8 if not.")
@click.option("--timeout", metavar="LENGTH", help="With --wait: give up after this long (exit 9).")
@_reason
@pass_state
def run(
    state: State,
    names: Sequence[str],
    where: Sequence[str],
    *,
    every: bool,
    wait: bool,
    timeout: str | None,
    **given: Any,
) -> None:
    """Run schedules now, beside their times. The answer is the run, on stdout its number."""
    with open_app(state) as app:

        def act(schedule: Schedule) -> Any:
            args = arguments(given["args"], schema_of(app, schedule.job)) or None
            return app.schedules.run(schedule.key, args=args, reason=given["reason"])

        made = each(chosen(app, names, where, every=every), act)
        finish(state, app, made, wait=wait, timeout=timeout, one=len(names) == 1)


@click.command("skip", cls=Command, context_settings=_OFFSETS)
@click.argument("name")
@click.argument("words", nargs=-1, required=True, metavar="INSTANT")
@_reason
@pass_state
def skip(state: State, name: str, words: tuple[str, ...], reason: str | None) -> None:
    """Take out the coming occurrence of NAME at INSTANT (as `rota next NAME` shows it, or `next`)."""
    instant = " ".join(words)

    def act(app: Rota, schedule: Schedule) -> Any:
        return app.schedules.skip(schedule.key, _occurrence(app, schedule, instant), reason=reason)

    _act(state, ((name,), (), False), f"skipped {instant} of", act)


@click.command("unskip", cls=Command, context_settings=_OFFSETS)
@click.argument("name")
@click.argument("words", nargs=-1, required=True, metavar="INSTANT")
@_reason
@pass_state
def unskip(state: State, name: str, words: tuple[str, ...], reason: str | None) -> None:
    """Take back the skip of the occurrence of NAME at INSTANT."""
    instant = " ".join(words)

    def act(app: Rota, schedule: Schedule) -> Any:
        at = times.read_instant(instant, schedule.zone, times.now())
        return app.schedules.unskip(schedule.key, at, reason=reason)

    _act(state, ((name,), (), False), f"unskipped {instant} of", act)


def _occurrence(app: Rota, schedule: Schedule, instant: str) -> Any:
    if instant.strip().lower() != "next":
        return times.read_instant(instant, schedule.zone, times.now())
    coming = [one.at for one in app.schedules.upcoming(schedule.key, 50) if not one.skipped]
    if not coming:
        raise usage(f"{schedule.name} has no coming occurrence")
    return coming[0]


@click.command("backfill", cls=Command)
@several
@click.option("--from", "start", required=True, metavar="T", help="The first instant (yesterday's: 24h ago).")
@click.option("--to", "end", metavar="T", help="The last instant (default: now).")
@click.option("--again", is_flag=True, help="Also before what history remembers, where runs may have been.")
@click.option("--dry-run", is_flag=True, help="Show the occurrences and write nothing.")
@pass_state
def backfill(
    state: State, names: Sequence[str], where: Sequence[str], *, every: bool, start: str, end: str | None, **given: bool
) -> None:
    """Make runs for past occurrences that have none. Times without an offset are the schedule's."""
    now = times.now()
    with open_app(state) as app:

        def act(schedule: Schedule) -> dict[str, Any]:
            first = times.read_instant(start, schedule.zone, now)
            last = times.read_instant(end, schedule.zone, now) if end else now
            found = app.schedules.backfill(schedule.key, first, last, **given)
            return {"schedule": schedule.key, "zone": schedule.zone, **found.to_json()}

        done = each(chosen(app, names, where, every=every), act)
    if state.machine:
        dump(state, done[0] if len(names) == 1 else done)
        return
    for answer in done:
        _told_backfill(answer)


def _told_backfill(answer: dict[str, Any]) -> None:
    count = len(answer["occurrences"])
    name = answer["schedule"].rpartition("/")[2]
    had = f"; {answer['existing']} had a run already" if answer["existing"] else ""
    say(f"{name}: {count} {'would run' if answer['dry_run'] else 'queued'}{had}")
    for at in answer["occurrences"]:
        say(f"  {times.shown(at, answer['zone'])}")
