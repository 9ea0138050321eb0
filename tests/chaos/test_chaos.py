"""The short forms of `make chaos`: real processes, real signals, a private database each.

A fixed seed and a fresh one, both printed; `python -m chaos NAME --smoke --seed N` repeats the choices of a failure.
"""

from __future__ import annotations

import secrets
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from chaos.attacks import ATTACKS
from chaos.grounds import BOUNCER, may_mount
from tests.support.programs import need

ROOT: Final = Path(__file__).parents[2]
FIXED: Final = 8470
LIMIT_S: Final = 240
"""An attack takes some 45 s; a machine that others use too takes longer."""

pytestmark = pytest.mark.full


def attack(name: str, seed: int) -> None:
    command = [sys.executable, "-m", "chaos", name, "--smoke", "--seed", str(seed)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    print(done.stdout)
    assert done.returncode == 0, f"seed {seed}\n{done.stdout}\n{done.stderr}"


APART: Final = ("notify", "kill-all", "sqlite-all", "full", "full-sqlite")


@pytest.mark.parametrize("name", [name for name in ATTACKS if name not in APART])
def test_fixed_seed(name: str) -> None:
    attack(name, FIXED)


@pytest.mark.parametrize("name", ["full", "full-sqlite"])
def test_a_full_disk(name: str) -> None:
    if not may_mount():
        pytest.skip("a small disk is mounted for this, which only root may")
    attack(name, FIXED)


@pytest.mark.parametrize("name", ["kill-all", "sqlite-all"])
def test_fresh_seed(name: str) -> None:
    attack(name, secrets.randbelow(1_000_000))


def test_notify() -> None:
    if not any(Path(path).exists() for path in BOUNCER):
        need("pgbouncer", "pgbouncer")
    attack("notify", FIXED)
