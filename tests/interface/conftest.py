"""A folder with a migrated database and a few jobs, and `rota` in this process."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rota import Rota
from rota.cli.main import main
from tests.interface.cli import Answer
from tests.support.stores import SqliteTemplate

Run = Callable[..., Answer]


def backup(target: str, *, keep_days: int = 7) -> None:
    """A job with typed arguments."""


def tick() -> None:
    """A job without arguments."""


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with nothing in it and in the environment that rota looks at."""
    for name in [name for name in os.environ if name.startswith("ROTA_") or name == "NO_COLOR"]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def folder(empty: Path, sqlite_template: SqliteTemplate) -> Path:
    """The current folder: `rota.db` is in it, with the jobs backup and tick, and no schedule."""
    with Rota(sqlite_template.copy_to(empty / "rota.db")) as app:
        app.job(backup)
        app.job(tick)
        app.prepare()
    return empty


def _inside(capsys: pytest.CaptureFixture[str]) -> Run:
    def rota(*words: str) -> Answer:
        code = main(list(words))
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        return Answer(code, printed.out, printed.err)

    return rota


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """`rota WORDS` in this process, in the folder with a database."""
    return _inside(capsys)


@pytest.fixture
def run_empty(empty: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """`rota WORDS` in this process, in the empty folder."""
    return _inside(capsys)


@pytest.fixture
def app(folder: Path) -> Iterator[Rota]:
    """The handles on the same database."""
    with Rota(f"sqlite:///{folder}/rota.db") as rota:
        yield rota
