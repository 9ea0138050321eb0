"""What is wrong with a cron text, said so that the reader can repair it. Only loaded when something is."""

from __future__ import annotations

import re

from rota.calendar.cron import MAX_LENGTH, NICKNAMES, SPECS_BY_COUNT, read_cron
from rota.calendar.cron_fields import DAY, HOUR, MINUTE, SECOND, WEEKDAY, YEAR, FieldError, Spec, is_number
from rota.errors import InvalidSchedule

_SHAPE = "five fields (minute hour day month weekday), six (second first) or seven (year last), or a nickname"
_OTHER_NICKNAMES = {
    "@quarterly": "0 0 1 */3 *",
    "@minutely": "* * * * *",
    "@every_minute": "* * * * *",
    "@secondly": "* * * * * *",
    "@weekdays": "0 0 * * 1-5",
    "@weekday": "0 0 * * 1-5",
    "@weekends": "0 0 * * 0,6",
    "@biweekly": "every 2 weeks on mon at 00:00",
    "@fortnightly": "every 2 weeks on mon at 00:00",
    "@noon": "0 12 * * *",
}


def explained(text: str, fault: FieldError) -> InvalidSchedule:
    """The error for a fault that was found in `text`."""
    if fault.index < 0:
        return _bad_shape(text)
    specs = SPECS_BY_COUNT[len(text.split())]
    return _bad_field(text, fault.index, specs[fault.index], fault)


def _bad_shape(text: str) -> InvalidSchedule:
    """The error for a text that is not five to seven fields apart from each other by blanks or tabs."""
    body = text.strip(" \t\r\n")
    column = len(text) - len(text.lstrip(" \t\r\n")) + 1
    if not body:
        return _error("an empty text is no schedule", text, 1, found="", allowed=_SHAPE)
    if len(body) > MAX_LENGTH:
        return _error(f"a schedule has at most {MAX_LENGTH} characters", text, MAX_LENGTH + 1, found="", allowed=_SHAPE)
    for index, character in enumerate(body):
        if not character.isprintable() and character != "\t":
            message = f"the character {character!a} does not separate fields: blanks and tabs do"
            repair = _valid(" ".join(body.split()))
            return _error(message, text, column + index, found=character, allowed="blanks or tabs", suggestion=repair)
    fields = body.split()
    for word in fields:
        if word.startswith("@"):
            return _bad_nickname(text, word, column + body.index(word), NICKNAMES)
    message = f"{len(fields)} field{'s' * (len(fields) != 1)} cannot be read as cron"
    repair = _valid(f"{body} *") if len(fields) == 4 else None
    return _error(message, text, column, found=body, allowed=_SHAPE, suggestion=repair)


def _bad_nickname(text: str, word: str, column: int, known: dict[str, str]) -> InvalidSchedule:
    allowed = " ".join(known)
    if word.lower() in known:
        return _error(
            f"the nickname {word} stands alone, without fields",
            text,
            column,
            found=word,
            allowed=allowed,
            suggestion=word.lower(),
        )
    if word.lower() == "@reboot":
        message = "@reboot is an event, no cron text: use a trigger on node.started"
        return _error(message, text, column, found=word, allowed=allowed)
    from difflib import get_close_matches

    close = get_close_matches(word.lower()[:40], known, n=1, cutoff=0.7)
    suggestion = _OTHER_NICKNAMES.get(word.lower()) or (close[0] if close else None)
    return _error(f"there is no nickname {word[:40]}", text, column, found=word, allowed=allowed, suggestion=suggestion)


def _bad_field(text: str, at: int, spec: Spec, fault: FieldError) -> InvalidSchedule:
    """The error for the fault in the field number `at`, with the whole text repaired where that is known to parse."""
    spans = [(match.start(), match.end()) for match in re.finditer(r"[^ \t\r\n]+", text)]
    start, end = spans[at]
    suggestion = None
    if fault.repair:
        suggestion = _valid(text[:start] + fault.repair + text[end:])
    elif fault.step:
        suggestion = _interval(text.split(), at, spec, fault.step)
    message = fault.problem if spec.name in fault.problem else f"{spec.name}: {fault.problem}"
    if spec is WEEKDAY and len(spans) == 6 and fault.found.isdigit() and len(fault.found) == 4:
        message += "; six fields begin with seconds, and a year is the seventh"
        suggestion = _valid(f"0 {text.strip()}")
    if fault.step and spec is not YEAR:
        message += f"; a longer period is an interval{f': {suggestion}' if suggestion else ', like: every 90 minutes'}"
    elif suggestion:
        message += f"; write {suggestion}"
    column = start + fault.offset + 1
    return _error(message, text, column, found=fault.found, allowed=fault.allowed, suggestion=suggestion)


def _interval(fields: list[str], at: int, spec: Spec, step: int) -> str | None:
    """The interval that a too large step means, where the other fields leave no doubt."""
    units = {SECOND: "seconds", MINUTE: "minutes", HOUR: "hours", DAY: "days"}
    unit = units.get(spec) if fields[at].startswith(("*/", "0/")) and is_number(fields[at].partition("/")[2]) else None
    if unit is None or any(field not in {"*", "?"} for field in fields[at + 1 :]):
        return None
    if spec is not DAY:
        return f"every {step} {unit}" if all(field == "0" for field in fields[:at]) else None
    if at < 2 or not all(field.isdigit() for field in fields[:at]):
        return None
    return f"every {step} days at {int(fields[at - 1]):02}:{int(fields[at - 2]):02}"


def _valid(text: str) -> str | None:
    """The text if it can be read, so that no suggestion leads to a second error."""
    try:
        read_cron(text, key="suggestion")
    except FieldError:
        return None
    return text


def _error(
    message: str, text: str, column: int, *, found: str, allowed: str, suggestion: str | None = None
) -> InvalidSchedule:
    whole = f"column {column}: {message} (allowed: {allowed})"
    return InvalidSchedule(whole, text=text, column=column, found=found[:60], allowed=allowed, suggestion=suggestion)
