"""docs/reference/file.md: every block is a file that loads, and every field and default of the code stands in it."""

from __future__ import annotations

import re
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from rota.model.policy import NAMES
from rota.model.spec import FIELDS as SCHEDULE_FIELDS
from rota.sync.file import FIELDS, JOB_FIELDS, load
from rota.targets.http import Http

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "file.md"
TEXT = PAGE.read_text("utf-8")
BLOCKS = re.findall(r"^```yaml\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_every_block_loads(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.delitem(sys.modules, "shop", raising=False)
    monkeypatch.delitem(sys.modules, "shop.jobs", raising=False)
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "__init__.py").touch()
    (tmp_path / "shop" / "jobs.py").write_text("def digest(workspace: str) -> None: ...\n")
    block = BLOCKS[number]
    beside = re.match(r"# (\S+\.job\.yaml)\n", block)
    (tmp_path / (beside[1] if beside else "rota.yaml")).write_text(block)
    if beside:
        (tmp_path / "rota.yaml").write_text("crons: {}\n")
    found = load(tmp_path / "rota.yaml")
    assert found.jobs or found.lanes


@pytest.mark.parametrize(
    "name", sorted({*FIELDS, *JOB_FIELDS, *SCHEDULE_FIELDS, *NAMES, *(f.name for f in fields(Http))})
)
def test_every_field_is_documented(name: str) -> None:
    assert f"`{name}`" in TEXT
