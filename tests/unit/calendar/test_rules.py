"""The rules as values: equality, checks, and an import that stays light."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, time

import pytest

from rota.calendar.rules import Days, Every, Once, Reboot, Union, bits

WALL = datetime(2026, 1, 1)  # noqa: DTZ001


def test_bits() -> None:
    assert bits(0) == ()
    assert bits(0b101001) == (0, 3, 5)
    assert bits(0b11, 1970) == (1970, 1971)


def test_rules_are_values() -> None:
    assert Every(60) == Every(60)
    assert Every(60) != Every(60, starting=True)
    assert len({Days(), Days(), Days((time(1),)), Reboot(), Reboot()}) == 3
    assert Reboot().canonical == "@reboot"


@pytest.mark.parametrize(
    "make",
    [
        Once,
        lambda: Once(WALL, WALL.replace(tzinfo=UTC)),
        lambda: Once(WALL.replace(tzinfo=UTC)),
        lambda: Once(instant=WALL),
        lambda: Every(0),
        lambda: Days(()),
        lambda: Days(unit="fortnight"),
        lambda: Days(step=0),
        lambda: Union(()),
    ],
)
def test_what_makes_no_sense_is_refused(make: type[Once]) -> None:
    with pytest.raises(ValueError):
        make()


def test_the_package_is_imported_lightly() -> None:
    code = "import sys, rota.calendar; print([m for m in sys.modules if m.startswith('rota.calendar.') or m == 'sqlalchemy'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    heavy = "('sqlalchemy', 'difflib', 'pydantic', 'click')"
    code = f"import sys, rota.calendar.text; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_package_has_no_other_names() -> None:
    import rota.calendar

    with pytest.raises(AttributeError, match="no attribute"):
        _ = rota.calendar.nothing
