"""The frame of all commands: lazily loaded groups, global options that may stand anywhere, and the state they make."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import click

OUTPUTS: Final = ("table", "json", "yaml", "name")


@dataclass
class State:
    """What the global options and their environment variables say. None: not said."""

    db: str | None = None
    url: str | None = None
    token: str | None = None
    tenant: str | None = None
    stack: str | None = None
    environment: str | None = None
    output: str | None = None
    no_color: bool = False
    quiet: bool = False
    verbose: bool = False

    @property
    def color(self) -> bool:
        """Whether standard output may be coloured."""
        plain = self.no_color or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        return not plain and sys.stdout.isatty()

    @property
    def for_people(self) -> bool:
        """Whether the answer is a table for people: on a terminal, or asked for."""
        return self.output == "table" or (self.output is None and sys.stdout.isatty())

    @property
    def machine(self) -> bool:
        """Whether the answer is to be JSON or YAML."""
        return self.output in ("json", "yaml")


def pass_state(command: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator: the command's first argument is the State."""
    return click.pass_obj(command)


def _remember(name: str) -> Callable[[click.Context, click.Parameter, Any], Any]:
    def remember(context: click.Context, _parameter: click.Parameter, value: Any) -> Any:
        state = context.ensure_object(State)
        if value is not None and value is not False:
            setattr(state, name, value)
        return value

    return remember


_GLOBALS: Final[tuple[tuple[tuple[str, ...], str, dict[str, Any]], ...]] = (
    (
        ("--db",),
        "db",
        {"envvar": "ROTA_DATABASE", "metavar": "URL", "help": "The database (default sqlite:///rota.db)."},
    ),
    (("--url",), "url", {"envvar": "ROTA_URL", "metavar": "HTTP", "help": "A server of rota instead of a database."}),
    (("--token",), "token", {"envvar": "ROTA_TOKEN", "metavar": "T", "help": "The token for --url."}),
    (("--tenant",), "tenant", {"envvar": "ROTA_TENANT", "metavar": "T", "help": "The tenant (default: default)."}),
    (("--stack",), "stack", {"envvar": "ROTA_STACK", "metavar": "S", "help": "The stack (default: default)."}),
    (("--env",), "environment", {"envvar": "ROTA_ENV", "metavar": "E", "help": "The environment (default: default)."}),
    (
        ("-o", "--output"),
        "output",
        {"envvar": "ROTA_OUTPUT", "type": click.Choice(OUTPUTS), "help": "Shape of the answer (default: table)."},
    ),
    (("--no-color",), "no_color", {"is_flag": True, "envvar": "ROTA_NO_COLOR", "help": "No colours (also: NO_COLOR)."}),
    (
        ("-q", "--quiet"),
        "quiet",
        {"is_flag": True, "envvar": "ROTA_QUIET", "help": "Only errors and warnings on stderr."},
    ),
    (("-v", "--verbose"), "verbose", {"is_flag": True, "envvar": "ROTA_VERBOSE", "help": "More on stderr."}),
)


def _option(names: tuple[str, ...], field: str, given: Mapping[str, Any], *, hidden: bool) -> click.Option:
    settings = {**given, "hidden": hidden}
    if hidden:  # the root has asked the environment already; a flag that is absent here must not undo it
        settings.pop("envvar")
    return click.Option([*names, f"_{field}"], expose_value=False, callback=_remember(field), is_eager=True, **settings)


def global_options(*, hidden: bool) -> list[click.Parameter]:
    """The global options: shown at the root, where they ask the environment, and accepted after every command."""
    return [_option(names, field, given, hidden=hidden) for names, field, given in _GLOBALS]


class Command(click.Command):
    """A command that takes the global options too, so that `rota schedule ls -o json` works."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        taken = {name for parameter in self.params for name in parameter.opts}
        self.params += [p for p in global_options(hidden=True) if not taken & set(p.opts)]


class Group(click.Group):
    """A group that knows its commands as `name -> (module:object, one line of help)` and loads the one that is used."""

    command_class = Command

    def __init__(self, *args: Any, lazy: Mapping[str, tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.lazy = dict(lazy)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names in the order of the table."""
        del ctx
        return list(self.lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one command."""
        del ctx
        if cmd_name not in self.lazy:
            return None
        module, name = self.lazy[cmd_name][0].split(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, from the table alone: nothing is loaded for it."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in self.lazy.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first word names; a word that names none is told the nearest."""
        name = args[0]
        if name.startswith("-") or name in self.lazy:
            return super().resolve_command(ctx, args)
        from difflib import get_close_matches

        near = get_close_matches(name, self.lazy, 1, 0.6)
        hint = f"did you mean `{ctx.command_path} {near[0]}`?" if near else f"there are: {', '.join(self.lazy)}"
        raise click.UsageError(f"no command `{ctx.command_path} {name}`; {hint}", ctx)


def group(name: str, lazy: Mapping[str, tuple[str, str]], text: str) -> Group:
    """A group without options of its own but the global ones."""
    return Group(name, lazy=lazy, help=text, params=global_options(hidden=True), no_args_is_help=True)


def usage(message: str) -> click.UsageError:
    """A wrong use of a command (exit 2), with the command's own help named beside it."""
    return click.UsageError(message, click.get_current_context(silent=True))
