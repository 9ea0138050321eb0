"""The documentation as a program: YAML blocks load, Python blocks run, `console` blocks answer what the page says.

In a `console` block a line that begins with `$ ` is typed into a shell, the lines below it are its output, in which `…`
stands for anything. A page's blocks run in order in one empty folder. What cannot run here is a `text` block.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rota.sync import yaml

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")
TIME_S = 60


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(page: Path, *kinds: str) -> list[tuple[str, str]]:
    """Kind and text of the page's blocks of these kinds, in order."""
    return [(kind, text) for kind, text in FENCE.findall(page.read_text("utf-8")) if kind in kinds]


def pages(*kinds: str) -> list[Path]:
    return [page for page in PAGES if blocks(page, *kinds)]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    targets = [target for target in LINK.findall(page.read_text("utf-8")) if "://" not in target]
    assert not [target for target in targets if not (page.parent / target).exists()]


@pytest.mark.parametrize("page", pages("yaml"), ids=name)
def test_yaml_loads(page: Path) -> None:
    for _, text in blocks(page, "yaml"):
        document = yaml.read(text.encode())
        assert not document.faults
        assert document.value


@pytest.mark.parametrize("page", pages("console", "python"), ids=name)
def test_commands_and_programs_run(page: Path, tmp_path: Path) -> None:
    for kind, text in blocks(page, "console", "python"):
        if kind == "python":
            answer(tmp_path, [sys.executable, "-c", text])
        for command, expected in commands(text) if kind == "console" else ():
            output = answer(tmp_path, ["sh", "-c", command])
            assert pattern(expected).fullmatch(output.strip()), f"$ {command}\n{output}"


def commands(text: str) -> Iterator[tuple[str, str]]:
    """Each command of a block with the output below it, which is `…` where none is shown."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output.strip() or "…"


def pattern(expected: str) -> re.Pattern[str]:
    """A pattern in which runs of blanks are equal and `…` is anything."""
    words = [r"\s+".join(re.escape(word) for word in piece.split()) for piece in expected.split("…")]
    return re.compile(r"\s*.*?\s*".join(words), re.DOTALL)


def answer(folder: Path, command: list[str]) -> str:
    """Run it as a newcomer would, with the interpreter of these tests first on the path; its standard output."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("ROTA_")}
    path = os.pathsep.join([str(Path(sys.executable).parent), inherited.get("PATH", "")])
    done = subprocess.run(
        command,
        cwd=folder,
        env={**inherited, "PATH": path},
        capture_output=True,
        text=True,
        timeout=TIME_S,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout
