"""`rota completion`: the script that teaches a shell rota's commands."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import click

from rota.cli.frame import Command
from rota.cli.output import say

SHELLS: Final = ("bash", "zsh", "fish")


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(SHELLS), required=False)
def completion(shell: str | None) -> None:
    """Print the completion script of SHELL (default: the one in $SHELL).

    For bash: `rota completion bash > ~/.local/share/bash-completion/completions/rota`.
    """
    from click.shell_completion import get_completion_class

    from rota.cli.root import root

    name = shell or Path(os.environ.get("SHELL", "")).name
    kind = get_completion_class(name if name in SHELLS else "bash")
    if kind is None:
        raise click.UsageError(f"no completion for {name}; there are: {', '.join(SHELLS)}")
    say(kind(root, {}, "rota", "_ROTA_COMPLETE").source())
