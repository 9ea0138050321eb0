"""Command and shell jobs: one child process, values as words or as environment, output into the log.

A command's words, and the `env` of both, may hold placeholders. A shell text is never filled: values reach it as
environment variables only, so that no value can become code.
"""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from rota.errors import InvalidValue
from rota.model.run import Failed, Succeeded
from rota.targets.fill import Values, check_placeholders, fill_text
from rota.targets.output import Lines, Output
from rota.targets.process import Ended, Pipes, Process

SHELL: Final = "/bin/sh"


@dataclass(frozen=True, slots=True)
class Command:
    """A program and its words, started without a shell. Raises InvalidValue for what cannot be started."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.argv, (list, tuple)) or not self.argv:
            raise InvalidValue(f"command: {self.argv!r} is not a list of words, such as [python, sweep.py]")
        object.__setattr__(self, "argv", tuple(self.argv))
        for index, word in enumerate(self.argv):
            _check_text(word, f"command[{index}]")
            check_placeholders(word, f"command[{index}]")
        if not self.argv[0]:
            raise InvalidValue("command[0]: the program's name is empty")
        _check_surroundings(self.env, self.cwd)


@dataclass(frozen=True, slots=True)
class Shell:
    """A text for `/bin/sh -c`, taken as it stands. Raises InvalidValue for what cannot be started."""

    text: str
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str | None = None

    def __post_init__(self) -> None:
        _check_text(self.text, "shell")
        if not self.text.strip():
            raise InvalidValue("shell: the text is empty")
        _check_surroundings(self.env, self.cwd)


def _check_text(value: object, field_name: str) -> None:
    if not isinstance(value, str):
        raise InvalidValue(f"{field_name}: {value!r} is not text; put it in quotes")
    if "\x00" in value:
        raise InvalidValue(f"{field_name}: the text holds NUL, which no process can be given")


def _check_surroundings(env: Mapping[str, str], cwd: str | None) -> None:
    for name, value in env.items():
        if not isinstance(name, str) or not name or "=" in name or "\x00" in name:
            raise InvalidValue(f"env: {name!r} is not a name of an environment variable")
        _check_text(value, f"env.{name}")
        check_placeholders(value, f"env.{name}")
    if cwd is not None:
        _check_text(cwd, "cwd")


def execute(target: Command | Shell, values: Values, process: Process, output: Output) -> Succeeded | Failed:
    """Run the target to its end and tell how it ended; its output goes to `output` line by line as it comes.

    Exit code 0 is Succeeded without a result. Everything else is Failed, also a program that cannot be started; its
    `type` is `exit`, `signal`, `start` or `value`. Does not raise for anything a target or a value can cause.
    """
    try:
        argv = _argv(target, values)
        own = {name: fill_text(text, values) for name, text in target.env.items()}
        env = {**os.environ, **values.environment(), **own}
        _refuse_nul(argv, env)
    except InvalidValue as error:
        return Failed("value", error.message, names=("value",))
    out, err = Lines(output, "out"), Lines(output, "err")
    try:
        ended = process.run(argv, env=env, cwd=target.cwd, pipes=Pipes({1: out.feed, 2: err.feed}))
    except OSError as error:
        return Failed(
            "start", _start_message(argv[0], target.cwd, error), names=("start", type(error).__name__, "OSError")
        )
    except UnicodeEncodeError:
        return Failed("value", "an argument holds a lone surrogate, which no process can be given", names=("value",))
    out.end()
    err.end()
    return outcome(ended)


def _argv(target: Command | Shell, values: Values) -> list[str]:
    if isinstance(target, Shell):
        return [SHELL, "-c", target.text]
    return [fill_text(word, values) for word in target.argv]


def _refuse_nul(argv: list[str], env: Mapping[str, str]) -> None:
    for index, word in enumerate(argv):
        if "\x00" in word:
            raise InvalidValue(f"command[{index}]: the value holds NUL, which no process can be given")
    for name, value in env.items():
        if "\x00" in value:
            raise InvalidValue(f"env {name}: the value holds NUL, which no process can be given")


def _start_message(program: str, cwd: str | None, error: OSError) -> str:
    if cwd is not None and error.filename == cwd:
        return f"cannot start in the folder {cwd}: {error.strerror}"
    if isinstance(error, FileNotFoundError):
        return f"program not found: {program}"
    if isinstance(error, PermissionError):
        return f"program not executable: {program}"
    if error.errno == errno.E2BIG:
        return f"cannot start {program}: the run's arguments are too large for a command line or an environment"
    return f"cannot start {program}: {error.strerror}"


def outcome(ended: Ended) -> Succeeded | Failed:
    """What the end of a process means: 0 is success; `exit_code` is 128 + n for signal n, as in a shell."""
    if ended.code == 0:
        return Succeeded(exit_code=0)
    if ended.code is not None:
        return Failed("exit", f"exit code {ended.code}", names=("exit",), exit_code=ended.code)
    if ended.signal is None:
        return Failed("start", "stopped before it was started", names=("start",))
    return Failed("signal", f"killed by {signal_name(ended.signal)}", names=("signal",), exit_code=128 + ended.signal)


def signal_name(number: int) -> str:
    """`SIGKILL (9)`, or the bare number where it has no name."""
    try:
        return f"{signal.Signals(number).name} ({number})"
    except ValueError:
        return f"signal {number}"
