"""Programs that no wheel brings."""

from __future__ import annotations

import os
import shutil

import pytest


def need(program: str, package: str) -> str:
    """The path of a program. Without it the test is skipped, naming the package; with CI set it fails."""
    path = shutil.which(program)
    if path:
        return path
    message = f"{program} is not installed (Debian: apt install {package})"
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)
