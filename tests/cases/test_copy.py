"""The cases here are a copy of the shared ones, where those are beside this repository."""

from __future__ import annotations

from pathlib import Path

import pytest

DATA = Path(__file__).with_name("data")
SHARED = Path(__file__).parents[3] / "shared" / "cases"


@pytest.mark.parametrize("name", sorted(path.name for path in DATA.glob("*")))
def test_the_copy_is_current(name: str) -> None:
    if not SHARED.is_dir():
        pytest.skip("no ../shared/cases here")
    assert (DATA / name).read_bytes() == (SHARED / name).read_bytes(), "old copy: run `make cases`"
