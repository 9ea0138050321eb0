"""docs/reference/commands.md from the commands themselves: `python -m tests.interface.reference` writes it anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from rota.cli.frame import Group
from rota.cli.root import root

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "commands.md"

HEAD = """\
# Commands

Made from the commands themselves by `python -m tests.interface.reference`; a test fails while this page is not current.

```text
rota [GLOBAL OPTIONS] COMMAND [OPTIONS]
```

Global options may stand before or after the command; each has an environment variable.

{options}

Where no FILE or MODULE:OBJ is given, `./rota.yaml` is read. Commands other than `up`, `init` and `db upgrade` need a
database that exists (exit 7). Times without an offset are on the wall of the schedule's zone. Answers go to standard
output: a table on a terminal, lines of tab-separated fields without a header in a pipe, one JSON object or an array with
`-o json`. Remarks, logs and progress go to standard error.

| exit code | means |
|---|---|
| 0 | done; `up` and the roles: ended after a drain |
| 1 | failed: a port in use, a folder that cannot be written, an internal error |
| 2 | the command line is wrong |
| 3 | not found: no such schedule, job, run, lane, node |
| 4 | not allowed |
| 5 | conflict: the key exists, the revision moved, the state does not permit it |
| 6 | invalid: a text, a zone, arguments, a file |
| 7 | the database is absent, out of reach or not migrated |
| 8 | the run that was waited for did not succeed |
| 9 | a wait timed out |
| 130, 143 | interrupted; `up` and the roles: by a second signal |
"""


def commands(group: Group, path: str = "rota") -> Iterator[tuple[str, str, click.Command]]:
    """Every command with its path and its line in the table of its group, in the order of the help."""
    context = click.Context(group)
    for name, (_, line) in group.lazy.items():
        command = group.get_command(context, name)
        assert command is not None
        yield f"{path} {name}", line, command
        if isinstance(command, Group):
            yield from commands(command, f"{path} {name}")


def option_rows(command: click.Command) -> list[str]:
    rows = []
    context = click.Context(command)
    for parameter in command.params:
        if isinstance(parameter, click.Option) and not parameter.hidden:
            record = parameter.get_help_record(context)
            assert record is not None, parameter
            names, text = record
            variable = f"`{parameter.envvar}`" if isinstance(parameter.envvar, str) else ""
            rows.append(f"| `{names.replace('|', chr(92) + '|')}` | {text.replace('|', chr(92) + '|')} | {variable} |")
    return rows


def table(command: click.Command) -> str:
    rows = option_rows(command)
    return "\n".join(["| option | does | variable |", "|---|---|---|", *rows]) if rows else ""


def section(path: str, line: str, command: click.Command) -> str:
    if isinstance(command, Group):
        return f"## {path}\n\n{line}"
    context = click.Context(command, info_name=path)
    words = " ".join(piece for piece in command.collect_usage_pieces(context) if piece != "[OPTIONS]")
    text = "\n\n".join(" ".join(paragraph.split()) for paragraph in (command.help or "").split("\n\n"))
    level = "##" if path.count(" ") == 1 else "###"
    parts = [f"{level} {path}", f"```text\n{path} {words}".rstrip() + "\n```", text, table(command)]
    return "\n\n".join(part for part in parts if part)


def page() -> str:
    sections = [section(*found) for found in commands(root)]
    return "\n\n".join([HEAD.format(options=table(root)).rstrip(), *sections]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
