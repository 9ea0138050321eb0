"""The wheel holds what the source tree has: templates, static files, migrations, the type marker."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.architecture import source

DATA = ("web/templates", "web/static", "store/migrations", "examples")


@pytest.mark.full
def test_wheel(tmp_path: Path) -> None:
    names = wheel(tmp_path)
    expected = {f"rota/{name}" for name in source.modules()} | {"rota/py.typed"}
    for folder in DATA:
        files = (path for path in (source.PACKAGE / folder).rglob("*") if path.is_file())
        expected |= {str(Path("rota") / path.relative_to(source.PACKAGE)) for path in files if path.suffix != ".pyc"}
    assert expected - names == set()
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not [name for name in names if name.startswith(("tests/", "bench/"))]


def wheel(folder: Path) -> set[str]:
    """Build a wheel from a copy of the files of the repository; the names in it."""
    copy = folder / "copy"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=source.ROOT, capture_output=True, check=True)
    for name in filter(None, listed.stdout.decode().split("\0")):
        if name.startswith(("src/", "pyproject.toml", "README.md", "LICENSE")) and (source.ROOT / name).exists():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_bytes((source.ROOT / name).read_bytes())
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(folder), str(copy)]
    subprocess.run(command, check=True, capture_output=True)
    (built,) = folder.glob("rota-*.whl")
    return set(zipfile.ZipFile(built).namelist())
