"""`rota why`: what became of each occurrence, in sentences."""

from __future__ import annotations

import click

from rota.cli import times
from rota.cli.client import open_app
from rota.cli.frame import Command, State, pass_state
from rota.cli.output import Record, dump, note, paint, say

_COLORS = {"fired": "green", "coalesced": "cyan", "skipped": "yellow", "pending": "blue", "none": "yellow"}


@click.command("why", cls=Command, context_settings={"ignore_unknown_options": True})  # -05:00 is an offset
@click.argument("schedule")
@click.argument("instant", required=False, nargs=-1)
@click.option("-n", "count", type=click.IntRange(1, 1000), default=10, show_default=True, help="How many occurrences.")
@pass_state
def why(state: State, schedule: str, instant: tuple[str, ...], count: int) -> None:
    """Why each of the last occurrences of SCHEDULE did or did not run, newest first, or the one at INSTANT.

    INSTANT is RFC 3339, a time on the schedule's wall, or words (yesterday's: `24h ago`). One that is no occurrence
    gets its neighbours.
    """
    now = times.now()
    with open_app(state) as app:
        found = app.schedules.get(schedule)
        at = times.read_instant(" ".join(instant), found.zone, now) if instant else None
        answers = [one.to_json() for one in app.schedules.why(schedule, at, count)]
    if state.machine:
        dump(state, answers)
        return
    if not answers:
        coming = f"; the first is {times.shown(found.next_at, found.zone)}" if found.next_at else ""
        note(state, f"{schedule} has had no occurrence yet{coming}")
    advised = ""
    for answer in answers:
        if state.for_people:
            _tell(state, answer, advised)
            advised = answer["advice"] or ""
        else:
            say(answer["local"] if state.output == "name" else line(answer))


def line(answer: Record) -> str:
    """The sentence, and what to change where there is something, on one line."""
    sentence = str(answer["sentence"])
    return f"{sentence} Hint: {answer['advice']}." if answer["advice"] else sentence


def _tell(state: State, answer: Record, advised: str) -> None:
    """The sentence in the colour of its disposition; what to change beneath it, unless that was just said."""
    rest = answer["sentence"].removeprefix(answer["local"])
    start = answer["local"] if len(rest) < len(answer["sentence"]) else ""
    say(paint(state, start, fg=_COLORS.get(answer["disposition"]), bold=True) + rest)
    if answer["advice"] and answer["advice"] != advised:
        say(f"  {paint(state, answer['advice'], dim=True)}")
