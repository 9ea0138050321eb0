"""The documentation as a program: YAML blocks load, Python blocks run, `console` blocks answer what the page says.

A page's blocks run in order in one empty folder.

- A `yaml` block is a rota.yaml, and loads as one. If its first line is `# NAME.yaml` it is saved under that name.
- A `python` block is run. If its first line is `# NAME.py` it is saved, and imported instead: `__main__` is left out.
- In a `console` block a line that begins with `$ ` is typed into a shell at a terminal, the lines below it are its standard
  output, in which `…` stands for anything. In a `console up` block `rota up` runs beside it, with the page's rota.yaml.
- What cannot run here is a `text` block.
"""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

from rota.sync.file import load
from tests.support.postgres import until

ROOT = Path(__file__).parents[2]
OTHERS = {"file.md"}  # tests/interface/test_file_reference.py loads its blocks
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")
NAMED = re.compile(r"# (\w+\.(?:py|yaml))\n")
TIME_S = 60
READY = "scheduler, worker"

Block = tuple[str, str, str]
"""Kind, what stands behind it, text."""


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(page: Path, *kinds: str) -> list[Block]:
    """The page's blocks of these kinds, in order."""
    return [(kind, more.strip(), text) for kind, more, text in FENCE.findall(page.read_text("utf-8")) if kind in kinds]


def pages(*kinds: str) -> list[Path]:
    return [page for page in PAGES if blocks(page, *kinds)]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    targets = [target for target in LINK.findall(page.read_text("utf-8")) if "://" not in target]
    assert not [target for target in targets if not (page.parent / target).exists()]


@pytest.mark.parametrize("page", [page for page in pages("yaml") if page.name not in OTHERS], ids=name)
def test_yaml_loads(page: Path, tmp_path: Path) -> None:
    for number, (_, _, text) in enumerate(blocks(page, "yaml")):
        file = tmp_path / f"{number}.yaml"
        file.write_text(text, "utf-8")
        found = load(file)
        assert found.jobs or found.lanes or found.settings


@pytest.mark.parametrize("page", pages("console", "python"), ids=name)
def test_commands_and_programs_run(page: Path, tmp_path: Path) -> None:
    for kind, more, text in blocks(page, "console", "python", "yaml"):
        named = NAMED.match(text)
        if named:
            (tmp_path / named[1]).write_text(text, "utf-8")
        if kind == "python":
            program = f"import {named[1].removesuffix('.py')}" if named else text
            done = subprocess.run(
                [sys.executable, "-c", program], cwd=tmp_path, env=environment(), capture_output=True, text=True,
                timeout=TIME_S, check=False,
            )  # fmt: skip
            assert done.returncode == 0, f"{text}\n{done.stdout}{done.stderr}"
        elif kind == "console":
            with rota_up(tmp_path) if more == "up" else nullcontext():
                check(text, tmp_path)


def check(text: str, folder: Path) -> None:
    """Type each command of a block and compare its output with the page's."""
    for command, expected in commands(text):
        output = answer(folder, command)
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


def environment() -> dict[str, str]:
    """A newcomer's, with the interpreter of these tests first on the path, at a wide terminal without colours."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("ROTA_")}
    path = os.pathsep.join([str(Path(sys.executable).parent), inherited.get("PATH", "")])
    return {**inherited, "PATH": path, "COLUMNS": "160", "NO_COLOR": "1", "TZ": "UTC"}


def answer(folder: Path, command: str) -> str:
    """Type it at a terminal; its standard output."""
    ours, theirs = pty.openpty()
    with (folder / "stderr").open("wb") as errors:
        child = subprocess.Popen(
            ["sh", "-c", command],
            cwd=folder,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=errors,
            start_new_session=True,
        )
    os.close(theirs)
    late = threading.Timer(TIME_S, os.killpg, (child.pid, signal.SIGKILL))  # the shell's children hold the terminal too
    late.start()
    try:
        output = b"".join(read(ours)).decode().replace("\r\n", "\n")
        code = child.wait()
    finally:
        late.cancel()
        late.join()
    assert code == 0, f"$ {command}\n{output}{(folder / 'stderr').read_text()}"
    return output


def read(terminal: int) -> Iterator[bytes]:
    """All that is written to a terminal until nobody holds its other end."""
    try:
        while data := os.read(terminal, 65536):
            yield data
    except OSError:  # Linux's word for the end
        return
    finally:
        os.close(terminal)


@contextmanager
def rota_up(folder: Path) -> Iterator[None]:
    """`rota up` in the folder while the block runs; it ends with 0."""
    log = folder / "up.log"
    with log.open("wb") as output:
        up = subprocess.Popen(
            ["rota", "up", "--no-web"],
            cwd=folder,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
    try:
        assert until(lambda: READY in log.read_text() or up.poll() is not None, TIME_S)
        assert up.poll() is None, log.read_text()
        yield
        up.send_signal(signal.SIGINT)
        assert up.wait(TIME_S) == 0, log.read_text()
    finally:
        if up.poll() is None:
            up.kill()
            up.wait()
