"""`rota schedule add` and `rota schedule set`: the fields of a schedule as options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import click

from rota.calendar.text import parse
from rota.cli import times
from rota.cli.client import arguments, chosen, each, open_app, pairs, schema_of, several_short
from rota.cli.frame import Command, State, pass_state, usage
from rota.cli.output import dump, note, say
from rota.cli.schedule import next_time, short_key
from rota.cli.words import explained, joined
from rota.errors import InvalidSchedule
from rota.model.policy import BACKOFF, CATCHUP, ON_EDIT, ON_LOST, ON_RESUME, OVERLAP

NONE: Final = "none"
_NULLABLE: Final = (
    *("timezone", "owner", "note", "catchup_window", "grace", "single_flight", "timeout", "disable_after"),
    *("probe_after", "jitter", "valid_from", "valid_until", "max_occurrences", "anchor"),
)
_INSTANTS: Final = ("valid_from", "valid_until", "anchor")
_NUMBERS: Final = ("max_occurrences", "disable_after", "catchup_max", "queue_max", "max_lost", "priority")

_OPTIONS: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("--timezone", {"metavar": "ZONE", "help": "IANA zone (without it: the owner's, the tenant's, UTC)."}),
    ("--lane", {"help": "The lane its runs wait in (default: the job's)."}),
    ("--priority", {"metavar": "N", "help": "Smaller goes first (default: the job's)."}),
    ("--owner", {"help": "Whose it is."}),
    ("--note", {"help": "A line for people."}),
    ("--catchup", {"type": click.Choice(CATCHUP), "help": "What fires of what was missed (default: latest)."}),
    ("--catchup-window", {"metavar": "LENGTH", "help": "How old a missed occurrence may be."}),
    ("--catchup-max", {"metavar": "N", "help": "How many a catch-up fires (default: 100)."}),
    ("--grace", {"metavar": "LENGTH", "help": "Do not start later than this after its time."}),
    ("--overlap", {"type": click.Choice(OVERLAP), "help": "While its key is held (default: skip)."}),
    ("--single-flight", {"metavar": "KEY", "help": "A key to share with other schedules."}),
    ("--queue-max", {"metavar": "N", "help": "How many may wait under queue_all."}),
    ("--timeout", {"metavar": "LENGTH", "help": "How long an attempt may take."}),
    ("--on-lost", {"type": click.Choice(ON_LOST), "help": "When its worker dies (default: retry)."}),
    ("--max-lost", {"metavar": "N", "help": "How often it may be lost (default: 3)."}),
    ("--disable-after", {"metavar": "N", "help": "Disable after so many failures in a row."}),
    ("--probe-after", {"metavar": "LENGTH", "help": "Then try once, and enable if it succeeds."}),
    ("--jitter", {"metavar": "LENGTH", "help": "Spread starts over this length."}),
    ("--on-edit", {"type": click.Choice(ON_EDIT), "help": "What is due at an edit of the timing (default: skip)."}),
    ("--on-resume", {"type": click.Choice(ON_RESUME), "help": "What fell into a pause (default: skip)."}),
    ("--dst-gap", {"type": click.Choice(["auto", "skip", "run"]), "help": "Wall times that do not exist."}),
    ("--dst-overlap", {"type": click.Choice(["auto", "first", "both"]), "help": "Wall times that exist twice."}),
    ("--valid-from", {"metavar": "T", "help": "No occurrence before."}),
    ("--valid-until", {"metavar": "T", "help": "No occurrence after."}),
    ("--max-occurrences", {"metavar": "N", "help": "How many there are at all."}),
    ("--anchor", {"metavar": "T", "help": "Where `every N …` is counted from."}),
    ("--retry", {"metavar": "N", "type": click.IntRange(1, 1000), "help": "Attempts in all."}),
    ("--retry-backoff", {"type": click.Choice(BACKOFF), "help": "How the wait between them grows."}),
    ("--retry-base", {"metavar": "LENGTH", "help": "The first wait."}),
    ("--retry-max", {"metavar": "LENGTH", "help": "The longest wait."}),
)


def _fields(command: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator: every field of a schedule but name, when and job."""
    for name, settings in reversed(_OPTIONS):
        command = click.option(name, **settings)(command)
    command = click.option("--label", "labels", multiple=True, metavar="K=V", help="A label; several times.")(command)
    return click.option("--arg", "args", multiple=True, metavar="K=V", help="An argument of the job; several times.")(
        command
    )


def fields_of(given: dict[str, Any], zone: str | None) -> dict[str, Any]:
    """The fields that options set, as the handles take them. `none` empties a field that may be empty."""
    retry = {n.removeprefix("retry_"): v for n, v in given.items() if n.startswith("retry_") and v is not None}
    attempts = given.get("retry")
    fields = {name: value for name, value in given.items() if value is not None and not name.startswith("retry")}
    for name, value in fields.items():
        if value == NONE and name in _NULLABLE:
            fields[name] = None
        elif name in _NUMBERS:
            fields[name] = _number(name, value)
        elif name in _INSTANTS:
            fields[name] = times.read_instant(value, zone, times.now())
    if retry or attempts is not None:
        fields["retry"] = retry | ({} if attempts is None else {"attempts": attempts})
    return fields


def _number(name: str, text: str) -> int:
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 9):
        raise usage(f"--{name.replace('_', '-')}: {text!r} is not a whole number")
    return int(text)


@click.command("add", cls=Command)
@click.argument("name")
@click.argument("words", nargs=-1, metavar="[WHEN]...")
@click.option("--when", help="The schedule text, instead of words.")
@click.option("--job", help="The job to run (default: the one of the schedule's name).")
@click.option("--disabled", is_flag=True, help="Create it disabled.")
@_fields
@pass_state
def add(state: State, name: str, words: tuple[str, ...], when: str | None, *, disabled: bool, **given: Any) -> None:
    """Create the schedule NAME. WHEN may be unquoted words; a text with a * needs quotes.

    rota schedule add tidy every day at 03:15 --job tidy --timezone Europe/Stockholm
    """
    text = _when(words, when)
    if text is None:
        raise usage("when? Give it after the name, or with --when")
    labels, args, job = given.pop("labels"), given.pop("args"), given.pop("job") or name.rpartition("/")[2]
    zone = given["timezone"]
    fields = fields_of(given, zone or "UTC")
    fields |= {"labels": pairs(labels, "--label")} if labels else {}
    fields |= {"enabled": False} if disabled else {}
    with open_app(state) as app:
        if args:
            fields["args"] = arguments(args, schema_of(app, job))
        record = app.schedules.add(name, job=job, when=text, **fields).to_json()
    _told(state, [record], "added")
    if zone is None and not state.quiet:
        times.name_zone(record["zone"], times.now())


@click.command("set", cls=Command)
@several_short
@click.option("--when", help="Another schedule text.")
@click.option("--job", help="Another job.")
@click.option("--revision", type=click.IntRange(1), help="Only if it is still at this revision (else exit 5).")
@click.option("--reason", metavar="TEXT", help="Stands on record with the change.")
@click.option("--unlabel", multiple=True, metavar="K", help="Take a label away.")
@_fields
@pass_state
def set_(
    state: State, names: tuple[str, ...], where: tuple[str, ...], *, every: bool, unlabel: tuple[str, ...], **given: Any
) -> None:
    """Change fields of schedules and keep their watermark and history. `none` empties a field.

    -l chooses by label, --label sets one. --arg changes single arguments and leaves the others.
    """
    labels, args = pairs(given.pop("labels"), "--label"), given.pop("args")
    control = {name: given.pop(name) for name in ("revision", "reason")}
    with open_app(state) as app:

        def change(schedule: Any) -> dict[str, Any]:
            fields = fields_of(given, schedule.zone)
            if labels or unlabel:
                kept = {name: value for name, value in schedule.labels.items() if name not in unlabel}
                fields["labels"] = kept | labels
            if args:
                fields["args"] = schedule.args | arguments(args, schema_of(app, fields.get("job", schedule.job)))
            if not fields:
                raise usage("what is to change? Name at least one field")
            record: dict[str, Any] = app.schedules.update(schedule.key, **control, **fields).to_json()
            return record

        changed = each(chosen(app, names, where, every=every), change)
    _told(state, changed, "set")


def _when(words: tuple[str, ...], when: str | None) -> str | None:
    if words and when is not None:
        raise usage("give the schedule text once: as words, or with --when")
    if not words:
        return when
    text = joined(words)
    try:
        parse(text, now=times.now(), key="add")
    except InvalidSchedule as error:
        hint = explained(words, error)
        if hint is not error:  # any other fault is told by the handle, with the code of a refused schedule
            raise hint from None
    return text


def _told(state: State, records: list[dict[str, Any]], verb: str) -> None:
    """Answer with what was made or changed, its words and its next time."""
    if state.machine:
        dump(state, records[0] if len(records) == 1 else records)
        return
    for record in records:
        if state.output == "name":
            say(record["name"])
            continue
        coming = next_time(record, times.shown)
        say(
            f"{verb} {short_key(record)}: {record['words']}"
            + (f"; next {coming}" if coming else f"; {record['state']}")
        )
        if not record["job_known"]:
            note(state, f"no live worker knows the job {record['job']}: its runs wait for one that does, for an hour")
