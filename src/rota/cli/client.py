"""The application that a command works with, and how names, labels and arguments of a command line become its values."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from rota.cli.frame import State, usage
from rota.errors import Error, InvalidValue, JobNotFound

if TYPE_CHECKING:
    from rota.app.records import Schedule
    from rota.app.rota import Rota


def local_only(state: State) -> None:
    """Refuse `--url`: in this version commands work on the database."""
    if state.url:
        raise usage("--url: access over HTTP comes with a later version; use --db with the database's URL")


def open_app(state: State) -> Rota:
    """The user's handles on the database that the options name; it must exist and be migrated (else exit 7)."""
    local_only(state)
    from rota.app.client import connect

    return connect(state.db, **place(state))


def create_embedded(state: State) -> None:
    """Create and migrate the embedded database, if the options name one."""
    local_only(state)
    from rota.app.client import create

    create(state.db)


def place(state: State) -> dict[str, Any]:
    """Tenant, stack and environment as the options say; what they do not say is left out."""
    given = {"tenant": state.tenant, "stack": state.stack, "environment": state.environment}
    return {name: value for name, value in given.items() if value is not None}


# Which schedules


def several(command: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator: NAME…, -l/--label and --all, as `names`, `where` and `every`."""
    return _several(command, "-l", "--label")


def several_short(command: Callable[..., Any]) -> Callable[..., Any]:
    """The same where --label sets a label, so that only -l chooses by one."""
    return _several(command, "-l")


def _several(command: Callable[..., Any], *label: str) -> Callable[..., Any]:
    command = click.option("--all", "every", is_flag=True, help="Every schedule of this place.")(command)
    command = click.option(*label, "where", multiple=True, metavar="K=V", help="Every schedule with this label.")(
        command
    )
    return click.argument("names", nargs=-1, metavar="[NAME]...")(command)


def chosen(app: Rota, names: Sequence[str], where: Sequence[str], *, every: bool) -> list[Schedule]:
    """The schedules that a command names, each once; exactly one way of naming them may be used."""
    if (bool(names) + bool(where) + every) != 1:
        raise usage("name one or more schedules, or use -l LABEL=VALUE, or --all")
    if names:
        return [app.schedules.get(name) for name in dict.fromkeys(names)]
    found = list(app.schedules.list(label=list(where)) if where else app.schedules.list())
    if not found:
        raise InvalidValue(f"no schedule has the label {', '.join(where)}" if where else "there are no schedules here")
    return found


def each(things: Iterable[Any], act: Callable[[Any], Any]) -> list[Any]:
    """`act` on every thing, also after one failed; the errors are told at the end, with the first one's code."""
    done: list[Any] = []
    failed: list[Error] = []
    for thing in things:
        try:
            done.append(act(thing))
        except Error as error:
            failed.append(error)
    for further in failed[1:]:
        click.echo(f"rota: {further.message}", err=True)
    if failed:
        raise failed[0]
    return done


# Arguments


def pairs(given: Iterable[str], what: str) -> dict[str, str]:
    """`k=v` texts as a mapping; a text without `=` is refused."""
    found = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise usage(f"{what}: {text!r} is not of the form NAME=VALUE")
        found[name] = value
    return found


def arguments(given: Iterable[str], schema: Mapping[str, Any] | None) -> dict[str, Any]:
    """`k=v` texts as a job's arguments: JSON where the value is JSON and the parameter is no text, else the text."""
    properties = (schema or {}).get("properties", {})
    return {name: _value(text, properties.get(name, {})) for name, text in pairs(given, "--arg").items()}


def _value(text: str, parameter: Mapping[str, Any]) -> Any:
    if parameter.get("type") == "string":
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def schema_of(app: Rota, job: str) -> Mapping[str, Any] | None:
    """The JSON Schema of a job's arguments; None for a job that takes any, or is not known here."""
    try:
        return app.jobs.get(job).parameters
    except JobNotFound:
        return None
