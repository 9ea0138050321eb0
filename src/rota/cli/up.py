"""`rota up`, `scheduler`, `worker`, `web`: processes that stay."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from rota.cli.frame import Command, State, pass_state

_what = click.argument("what", nargs=-1, metavar="[FILE or MODULE:OBJ]...")


def _pages(command: Callable[..., Any]) -> Callable[..., Any]:
    command = click.option(
        "--port", type=click.IntRange(0, 65535), default=8470, envvar="ROTA_PORT", show_default=True,
        help="Port of the pages; 0 takes a free one.",
    )(command)  # fmt: skip
    return click.option(
        "--host", default="127.0.0.1", envvar="ROTA_HOST", show_default=True,
        help="Address of the pages; without tokens only loopback is served.",
    )(command)  # fmt: skip


def _work(command: Callable[..., Any]) -> Callable[..., Any]:
    command = click.option(
        "--slots", type=click.IntRange(1, 100_000), help="Runs at a time in this process (default: the settings')."
    )(command)
    return click.option("--lanes", metavar="A,B", help="Only runs of these lanes (default: all).")(command)


@click.command(cls=Command)
@_what
@_pages
@_work
@click.option("--no-web", is_flag=True, help="No pages.")
@pass_state
def up(state: State, what: tuple[str, ...], *, no_web: bool, **given: Any) -> None:
    """Scheduler, worker and pages in one process; an embedded database is created and migrated.

    FILE is a rota.yaml, MODULE:OBJ a Rota application in this folder. Without either ./rota.yaml is taken, and without
    that a built-in example. A change of the file applies within 2 s. Ctrl-C or SIGTERM ends with 0 once running work
    has ended (at most `drain`, 30 s); a second one ends at once.
    """
    _serve(state, what, ("scheduler", "worker"), web=not no_web, create=True, **given)


@click.command(cls=Command)
@_what
@pass_state
def scheduler(state: State, what: tuple[str, ...]) -> None:
    """One role: plan and fire schedules. Any number may run on one database."""
    _serve(state, what, ("scheduler",))


@click.command(cls=Command)
@_what
@_work
@pass_state
def worker(state: State, what: tuple[str, ...], **given: Any) -> None:
    """One role: carry out runs of the jobs that FILE and MODULE:OBJ declare. Any number may run on one database."""
    _serve(state, what, ("worker",), **given)


@click.command(cls=Command)
@_what
@_pages
@pass_state
def web(state: State, what: tuple[str, ...], **given: Any) -> None:
    """One role: pages and HTTP API."""
    _serve(state, what, (), web=True, **given)


def _serve(state: State, what: tuple[str, ...], roles: tuple[str, ...], **given: Any) -> None:
    from rota.cli.hosting import Hosting, serve

    lanes = tuple(name.strip() for name in (given.pop("lanes", None) or "").split(",") if name.strip())
    click.get_current_context().exit(serve(state, what, Hosting(roles=roles, lanes=lanes or None, **given)))
