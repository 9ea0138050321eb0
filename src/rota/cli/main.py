"""The entry point `rota`: runs a command, and turns whatever it raises into one clear line and an exit code."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from typing import Final

import click

from rota.cli.root import root
from rota.errors import Error, InvalidFile, InvalidSchedule

INTERRUPTED: Final = 130
_COMPLETE: Final = "_ROTA_COMPLETE"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that `arguments` (default: the process's own) name; the exit code of design document 5.

    Nothing that goes wrong ends in a traceback, unless `ROTA_TRACE` is set. A reader that closed the pipe got what it
    wanted: that ends quietly with 0.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(
            errors="backslashreplace"
        )  # a file's name need not be text, nor the terminal know it all
    try:
        code = _run(sys.argv[1:] if arguments is None else list(arguments))
    except BrokenPipeError:
        code = 0
    except BaseException as error:  # noqa: BLE001 - the last stop: every fault becomes one line
        code = _report(error)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _silence()
    return code


def _run(arguments: list[str]) -> int:
    """What `click` does for a program of its own, but for its handling of errors, pipes and interrupts."""
    if _COMPLETE in os.environ:
        from click.shell_completion import shell_complete

        return shell_complete(root, {}, "rota", _COMPLETE, os.environ[_COMPLETE])
    with root.make_context("rota", arguments) as context:
        root.invoke(context)
    return 0


def _silence() -> None:
    """Let the interpreter's own flush at exit go nowhere."""
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, sys.stdout.fileno())
    os.close(sink)


def _report(error: BaseException) -> int:
    if os.environ.get("ROTA_TRACE"):
        import traceback

        traceback.print_exception(error)
    match error:
        case SystemExit():
            return error.code if isinstance(error.code, int) else 1
        case KeyboardInterrupt() | click.Abort():
            return INTERRUPTED
        case click.exceptions.Exit():
            return error.exit_code
        case click.exceptions.NoArgsIsHelpError():
            error.show()
            return error.exit_code
        case click.ClickException():
            _say(_usage(error))
            return error.exit_code
        case Error():
            _say(*_lines(error))
            return error.exit_code
        case _:
            _say(_unexpected(error))
            return 1


def _say(*lines: str) -> None:
    first, *rest = lines
    click.echo("\n".join([f"rota: {first}", *(f"  {line}" for line in rest)]), err=True)


def _usage(error: click.ClickException) -> str:
    text = error.format_message().replace("\n", " ")
    context = getattr(error, "ctx", None)
    return f"{text} (see `{context.command_path} --help`)" if context is not None else text


def _lines(error: Error) -> list[str]:
    """The message; beneath it every single fault that the message does not hold, or where in a text the fault is."""
    if isinstance(error, InvalidFile):
        faults = error.message.split("\n")
        return faults if len(faults) == 1 else [f"{len(faults)} faults", *faults]
    message = " ".join(error.message.split("\n"))
    if isinstance(error, InvalidSchedule) and error.text and error.text.isprintable():
        return [message, error.text, " " * (error.column - 1) + "^"]
    details = [str(fault.get("detail", fault)) for fault in error.errors]
    return [message, *(detail for detail in details if detail not in message)]


def _unexpected(error: BaseException) -> str:
    """A fault of the machine (OSError) or of rota itself, in one line."""
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror or error}"
    first = (str(error).strip().splitlines() or [""])[0]
    return f"internal error: {type(error).__name__}: {first} (ROTA_TRACE=1 shows where; please report it)"
