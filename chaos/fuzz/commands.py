"""The command line, in this process: every command but those that stay."""

from __future__ import annotations

import contextlib
import io
import os
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from chaos.fuzz.found import Found
from chaos.fuzz.texts import GRAMMAR, ODD, Texts, corpus
from rota import Rota
from rota.cli.frame import Group
from rota.cli.main import main
from rota.cli.root import root
from rota.store.migrate import upgrade

_STAY: Final = frozenset({"up", "scheduler", "worker", "web"})
_ENDLESS: Final = frozenset({"--follow", "-f", "--watch"})
_CODES: Final = frozenset({*range(10), 130})
_WORDS: Final = (
    *("a", "b", "acme/shop/prod/y", "tick", "backup", "nothing", "*", "", " ", "-", "--", "-1", "0", "1", "2", "9" * 19),
    *("9" * 400, "now", "today", "tomorrow", "in", "2", "hours", "2026-01-01T10:00:00Z", "2026-01-01", "10:00", "25:00"),
    *("5m", "0s", "-5m", "1e9d", "active", "failed", "name", "json", "table", "UTC", "Mars/Base", "team=ops", "=", "a=b=c"),
    *("target=x", "keep_days=x", "x:=1", "latest", "skip", "retry", "30/m", "1/0", "sqlite", "rota.yaml", "no/such/file"),
    *("9999-12-31T23:59:59Z", "0001-01-01T00:00:00+14:00", "9998-12-31T23:59:59-12:00", "0002-01-01T00:00:00Z", "1970-01-01"),
    *("2199-12-31T23:59:59Z", "1000000 days ago", "99999 years ago", "in 1000000 days", "10000000d", "999999999w"),
    *(".", "sub", "bash", "-o", "--help", "--version"),
    *("a" * 300, "\udcff", "a\udcffb"),
    *(word for word in ODD if word not in ("\x00", "\ud800")),
)  # fmt: skip
_DATABASES: Final = (
    *("sqlite:///rota.db", "sqlite:///other.db", "sqlite:///sub/x.db", "sqlite:///", "sqlite://", "sqlite:///:memory:", ""),
    "x",
    *("mysql://x/y", "postgresql://127.0.0.1:1/x", "postgresql://[::1", "sqlite:///text", "sqlite:///rota.db?mode=ro", "://"),
)  # fmt: skip


def backup(target: str, *, keep_days: int = 7) -> None:
    """A job with typed arguments."""


def tick() -> None:
    """A job without arguments."""


def fuzz(draw: random.Random, count: int, found: Found) -> None:
    """So many command lines, one after the other in one folder with a database."""
    lines = Lines(draw)
    with folder():
        for _ in range(count):
            words = lines.one()
            found.carry_out(words, lambda w=words: ended(w, found))  # type: ignore[misc]


@contextlib.contextmanager
def folder() -> Iterator[None]:
    """A folder of its own, with a database and files; nothing in the environment that rota looks at."""
    before, environment = Path.cwd(), dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="rota-fuzz-") as name:
        for key in [key for key in os.environ if key.startswith("ROTA_")]:
            del os.environ[key]
        os.chdir(name)
        try:
            url = f"sqlite:///{name}/rota.db"
            upgrade(url)
            with Rota(url) as app:
                app.job(backup)
                app.job(tick)
                app.prepare()
                app.schedules.add("a", job="tick", when="every minute", labels={"team": "ops"})
                app.schedules.add("acme/shop/prod/y", job="backup", when="@daily", args={"target": "x"})
                app.enqueue("tick")
            Path("text").write_text("this is no database")
            Path("sub").mkdir()
            yield
        finally:
            os.chdir(before)
            os.environ.clear()
            os.environ.update(environment)


class Lines:
    """Draws command lines; equal seeds draw equal ones."""

    def __init__(self, draw: random.Random) -> None:
        self._draw = draw
        self._texts = Texts(draw, corpus())
        self._commands = [found for found in _commands(root, ()) if found[0][0] not in _STAY]

    def one(self) -> list[str]:
        """The words after `rota`."""
        path, command = self._draw.choice(self._commands)
        words = list(path)
        options = [p for p in command.params if isinstance(p, click.Option) and not _ENDLESS & set(p.opts)]
        for option in self._draw.sample(options, min(len(options), self._draw.choice((0, 0, 1, 2, 4)))):
            words += [self._draw.choice(option.opts), *([] if option.is_flag else [self._value(option)])]
        for argument in (p for p in command.params if isinstance(p, click.Argument)):
            few = 1 if argument.nargs == 1 else self._draw.choice((0, 1, 1, 2, 4))
            words += [self._given(argument) for _ in range(few)]
        if self._draw.random() < 0.05:
            words.insert(self._draw.randint(1, len(words)), self._word())
        if self._draw.random() < 0.02:
            self._draw.shuffle(words)
        # what waits does so for a moment: the last one of several counts
        waits = any("--timeout" in option.opts for option in options) and words[: len(path)] == list(path)
        shown = [word for word in words if word not in _STAY and word not in _ENDLESS]
        return [*shown, "--timeout", "0.01s"] if waits and path[-1] in ("run", "wait") else shown

    def _given(self, argument: click.Argument) -> str:
        """Mostly what is there."""
        if self._draw.random() < 0.5:
            return self._word()
        number = isinstance(argument.type, click.types.IntParamType)
        return self._draw.choice(("1", "2") if number else ("a", "acme/shop/prod/y", "tick", "default", "every minute"))

    def _value(self, option: click.Option) -> str:
        if "--db" in option.opts:
            return self._draw.choice(_DATABASES)
        if "--url" in option.opts:
            return self._draw.choice(("http://127.0.0.1:1", "", "x"))
        if isinstance(option.type, click.Choice) and self._draw.random() < 0.97:
            return str(self._draw.choice(list(option.type.choices)))
        if isinstance(option.type, click.types.IntParamType) and self._draw.random() < 0.9:
            return str(self._draw.choice((0, 1, 2, 10, 1000)))
        if "--when" in option.opts or self._draw.random() < 0.1:
            return self._texts.one().replace("\x00", "")
        return self._word()

    def _word(self) -> str:
        return self._draw.choice(_WORDS if self._draw.random() < 0.7 else GRAMMAR)


def _commands(group: Group, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.lazy:
        command = group.get_command(context, name)
        if isinstance(command, Group):
            yield from _commands(command, (*path, name))
        elif command is not None:
            yield (*path, name), command


def ended(words: list[str], found: Found) -> str:
    """The exit code of one command line; what it says is looked at."""
    code, said = _run(words)
    first = said.strip().splitlines()[:1]
    if code not in _CODES:
        found.fault(f"exit code {code}", words, said)
    if "Traceback" in said or "internal error" in said:
        found.fault(f"not rota's own: {first}"[:120], words, said)
    if code not in (0, 130) and not said.strip():
        found.fault(f"exit code {code} without a word", words)
    return f"exit{code}"


def _run(words: list[str]) -> tuple[int, str]:
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="strict", write_through=True)
    err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace", write_through=True)
    given, sys.stdin = sys.stdin, io.StringIO("")
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(words)
    finally:
        sys.stdin = given
    return code, _text(err) + (_text(out) if code else "")


def _text(stream: Any) -> str:
    data: bytes = stream.buffer.getvalue()
    return data.decode("utf-8", "replace")
