"""`rota init`: a first rota.yaml with comments, and the embedded database beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from rota.cli.frame import Command, State, pass_state
from rota.cli.output import note, say
from rota.errors import Conflict

FIRST: Final = """\
# rota.yaml: what runs, and when. `rota up` reads it and follows your changes; try one while it runs.

# timezone: Europe/Stockholm        # for the schedules below that name none; without it: UTC

jobs:
  # A command gets its words as they stand here; {{...}} fills one word with a value.
  hello: {command: [echo, "hello from rota, it is {{occurrence:%H:%M:%S}}"]}

  # A shell text is never filled; values reach it as environment variables.
  tidy:
    shell: "find /tmp -maxdepth 1 -name 'rota-*' -mtime +1 -delete"
    timeout: 5m

  # A Python function of yours: MODULE:FUNCTION, found from the folder of this file.
  # report: {python: "myapp.jobs:report"}

  # An HTTP request; each attempt carries the invocation as its idempotency key.
  # ping: {http: {method: POST, url: "https://example.org/hook", json: {at: "{{occurrence}}"}}}

crons:
  # NAME: WHEN. The name is the job's too, unless `job` says otherwise.
  hello: every 10 seconds
  tidy: every day at 03:15

  # With policies: what to do with occurrences that were missed, and while a run is still going on.
  # report: {when: "0 9 * * mon-fri", timezone: Europe/Stockholm, catchup: latest, overlap: skip, retry: 3}

# Ask what a text means:   rota explain every weekday at 9am
# Ask what happened:       rota why hello
"""


@click.command(cls=Command)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), default="rota.yaml")
@pass_state
def init(state: State, file: Path) -> None:
    """Write a first rota.yaml with comments (or FILE), and create the embedded database. An existing file stays."""
    try:
        with file.open("x", encoding="utf-8") as out:
            out.write(FIRST)
    except FileExistsError:
        raise Conflict(
            f"{file} is there already and was left as it is; name another file, or start `rota up`"
        ) from None
    from rota.cli.client import create_embedded

    create_embedded(state)
    say(f"wrote {file}")
    note(state, "start it with `rota up`, then ask `rota why hello`")
