"""A folder with a migrated database and a few jobs, and `rota` in this process."""

from __future__ import annotations

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
def folder(tmp_path: Path, sqlite_template: SqliteTemplate, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: `rota.db` is in it, with the jobs backup and tick, and no schedule."""
    for name in ("ROTA_DATABASE", "ROTA_TENANT", "ROTA_OUTPUT", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.chdir(tmp_path)
    with Rota(sqlite_template.copy_to(tmp_path / "rota.db")) as app:
        app.job(backup)
        app.job(tick)
        app.prepare()
    return tmp_path


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """`rota WORDS` in this process, in that folder."""

    def rota(*words: str) -> Answer:
        code = main(list(words))
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        return Answer(code, printed.out, printed.err)

    return rota


@pytest.fixture
def app(folder: Path) -> Iterator[Rota]:
    """The handles on the same database."""
    with Rota(f"sqlite:///{folder}/rota.db") as rota:
        yield rota
