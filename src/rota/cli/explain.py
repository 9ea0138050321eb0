"""`rota explain`: what a text means, when it occurs, what clock changes do to it. Needs no database."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import click

from rota.calendar import civil
from rota.calendar.recurrence import Recurrence
from rota.calendar.rules import Cron, Reboot
from rota.calendar.text import parse, warnings
from rota.cli import times
from rota.cli.frame import Command, State, pass_state
from rota.cli.output import dump, paint, say
from rota.cli.words import explained, joined
from rota.errors import Error, InvalidSchedule

NOTES_AHEAD: Final = timedelta(days=400)
"""How far ahead clock changes are told: far enough for both of the coming year."""
_FLAGS: Final = {"moved": "moved: this wall time does not exist", "second": "second pass of this wall time"}
_CRON_WORD: Final = re.compile(r"[0-9*?/,#LWH+A-Za-z-]+")
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\s*=.*")


@click.command(cls=Command)
@click.argument("when", nargs=-1, required=True)
@click.option("--timezone", metavar="ZONE", help="An IANA zone, such as Europe/Stockholm (default: UTC).")
@click.option("--from", "start", metavar="T", help="Show what comes after this instant (default: now).")
@click.option(
    "-n", "count", type=click.IntRange(0, 10_000), help="How many occurrences (default: 10; of a crontab, 3)."
)
@pass_state
def explain(state: State, when: tuple[str, ...], timezone: str | None, start: str | None, count: int | None) -> None:
    """Say what a schedule text means: in words, canonically, its next occurrences, and what clock changes do to them.

    Unquoted words will do (`rota explain every weekday at 9am`); a text with a * needs quotes. `-` reads a crontab on
    standard input: `crontab -l | rota explain -`.
    """
    now = times.now()
    zone = timezone or "UTC"
    after = times.read_instant(start, zone, now) if start else now
    if when == ("-",):
        _crontab(state, zone, after, 3 if count is None else count)
    else:
        answer = describe(_parse(when, zone, now), after, 10 if count is None else count)
        if state.machine:
            dump(state, answer)
        else:
            _print(state, answer, zone, now)
    if timezone is None and not state.quiet:
        times.name_zone(zone, now)


def _parse(when: Sequence[str], zone: str, now: datetime) -> Recurrence:
    text = joined(when)
    try:
        return parse(text, zone, now=now, key="explain")
    except InvalidSchedule as error:
        raise explained(when, error) from None


def describe(recurrence: Recurrence, after: datetime, count: int) -> dict[str, Any]:
    """The answer of `POST /explain`: words, canonical, next, notes, warnings. `next` is empty if it never occurs."""
    instants = recurrence.upcoming(after, count)
    coming = recurrence.occurrences(after, instants[-1]) if instants else []
    until = max([after + NOTES_AHEAD, *instants[-1:]])
    zone = civil.zone(recurrence.zone_name)
    return {
        "words": recurrence.describe(),
        "canonical": recurrence.canonical,
        "next": [
            {"at": times.stamp(one.at), "local": one.at.astimezone(zone).isoformat(), "flag": one.flag}
            for one in coming
        ],
        "notes": [str(text) for text in recurrence.notes(after, until)],
        "warnings": _warnings(recurrence, after),
    }


def _warnings(recurrence: Recurrence, after: datetime) -> list[str]:
    """The recurrence's own; and what only an asker without a schedule must know: `H`, and a text that is over."""
    found = warnings(recurrence, after)
    if isinstance(recurrence.rule, Cron) and "H" in recurrence.rule.text:
        found.append("H is drawn from the schedule's key; these are the times of a schedule named `explain`")
    return found + _never(recurrence, after)


def _never(recurrence: Recurrence, after: datetime) -> list[str]:
    if isinstance(recurrence.rule, Reboot):
        return ["@reboot has no time of the clock and cannot be scheduled; use a trigger on node.started"]
    if recurrence.next_after(after) is not None:
        return []
    last = recurrence.last_until(after)
    if last is None:
        return ["it never occurs, so a schedule with it is refused"]
    return [f"it does not occur again: the last time was {times.shown(last, recurrence.zone_name)}"]


def _print(state: State, answer: dict[str, Any], zone: str, now: datetime) -> None:
    say(paint(state, answer["words"], bold=True))
    say(f"{paint(state, 'canonical', dim=True)}  {answer['canonical']}")
    if answer["next"]:
        say()
    for one in answer["next"]:
        flag = f"  {paint(state, _FLAGS[one['flag']], fg='yellow')}" if one["flag"] in _FLAGS else ""
        distance = paint(state, times.ago(one["at"], now), dim=True)
        say(f"  {times.shown(one['at'], zone)}  {distance}{flag}")
    for title, color in (("notes", "cyan"), ("warnings", "yellow")):
        if answer[title]:
            say()
        for text in answer[title]:
            say(f"{paint(state, title[:-1], fg=color)}  {text}")


# A crontab on standard input


def _crontab(state: State, zone: str, after: datetime, count: int) -> None:
    """Each line of a crontab: its schedule explained, its command beside it. Bad lines are told, then exit 6."""
    answers = [_line(number, line, zone, after, count) for number, line in enumerate(sys.stdin, 1)]
    found = [answer for answer in answers if answer is not None]
    if state.machine:
        dump(state, found)
    else:
        for answer in found:
            _print_line(state, answer, zone, after)
    bad = [answer for answer in found if "error" in answer]
    if bad:
        raise InvalidSchedule(
            f"{len(bad)} of {len(found)} lines cannot be read: {', '.join(str(a['line']) for a in bad)}"
        )


def _line(number: int, line: str, zone: str, after: datetime, count: int) -> dict[str, Any] | None:
    text = line.strip()
    if not text or text.startswith("#") or _ASSIGNMENT.fullmatch(text):
        return None
    when, command = split(text)
    try:
        answer = describe(parse(when, zone, now=after, key=f"line-{number}"), after, count)
    except Error as error:
        return {"line": number, "when": when, "command": command, "error": error.message}
    return {"line": number, "when": when, "command": command, **answer}


def split(line: str) -> tuple[str, str]:
    """A line of a crontab as schedule and command: five fields or a nickname, then the rest.

    A line whose words form one schedule text as a whole has no command.
    """
    words = line.split(None, 5)
    if words[0].startswith("@") and words[0].lower() != "@every":
        name, _, rest = line.partition(" ")
        return name, rest.strip()
    if len(words) >= 5 and all(_CRON_WORD.fullmatch(word) for word in words[:5]) and words[0][0] in "0123456789*?":
        return " ".join(words[:5]), words[5] if len(words) > 5 else ""
    return line, ""


def _print_line(state: State, answer: dict[str, Any], zone: str, now: datetime) -> None:
    say(f"{paint(state, str(answer['line']).rjust(3), dim=True)}  {answer['when']}  {answer['command']}".rstrip())
    if "error" in answer:
        say(f"     {paint(state, 'error', fg='red')}  {answer['error']}")
        return
    say(f"     {paint(state, answer['words'], bold=True)}")
    for one in answer["next"]:
        say(f"     {times.shown(one['at'], zone)}  {paint(state, times.ago(one['at'], now), dim=True)}")
    for title, color in (("notes", "cyan"), ("warnings", "yellow")):
        for text in answer[title]:
            say(f"     {paint(state, title[:-1], fg=color)}  {text}")
