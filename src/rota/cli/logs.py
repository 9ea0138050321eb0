"""Logs of long-running commands: one line an event on stderr, its name, then its facts."""

from __future__ import annotations

import logging
from typing import Any, Final

from rota.cli.frame import State

_KNOWN: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "color_message"}


class Lines(logging.Formatter):
    """`21:30:12 warning schedule.left schedule_id=7 error="…"`: local time, level unless info, event, facts."""

    def format(self, record: logging.LogRecord) -> str:
        """One line; a traceback beneath it only where debugging is on, else its last line."""
        words = [self.formatTime(record, "%H:%M:%S")]
        if record.levelno != logging.INFO:
            words.append(record.levelname.lower())
        words.append(clean(record.getMessage()))
        words += [f"{name}={_fact(value)}" for name, value in vars(record).items() if name not in _KNOWN]
        if record.exc_info and record.exc_info[1] is not None:
            if logging.getLogger("rota").isEnabledFor(logging.DEBUG):
                return " ".join(words) + "\n" + self.formatException(record.exc_info)
            error = record.exc_info[1]
            words.append(f"{type(error).__name__}: {clean(str(error))}")
        return " ".join(words)


def clean(text: str) -> str:
    """`text` on one line, without control characters: what comes from outside cannot forge a line of the log."""
    return "".join(c if c.isprintable() else " " for c in text)


def _fact(value: Any) -> str:
    text = str(value)
    return text if text.isprintable() and text and " " not in text and '"' not in text else repr(text)


def configure(state: State) -> None:
    """Send rota's log to stderr: warnings with `-q`, everything with `-v`. A user's own handlers stay."""
    level = logging.WARNING if state.quiet else logging.DEBUG if state.verbose else logging.INFO
    handler = logging.StreamHandler()
    handler.setFormatter(Lines())
    logger = logging.getLogger("rota")
    logger.setLevel(level)
    logger.addHandler(handler)
    logger.propagate = False
    for name in ("uvicorn.error", "asyncio"):
        other = logging.getLogger(name)
        other.addHandler(handler)
        other.setLevel(logging.DEBUG if state.verbose else logging.WARNING)
        other.propagate = False
