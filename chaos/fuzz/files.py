"""`rota.yaml`: files that are nearly right, and bytes that are anything."""

from __future__ import annotations

import copy
import json
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import yaml

from chaos.fleet import ROOT
from chaos.fuzz.found import Found
from chaos.fuzz.texts import ODD, Texts, corpus
from rota.errors import InvalidFile
from rota.sync.file import File, load

_FULL: Final = """\
tenant: acme
stack: shop
environment: prod
timezone: Europe/Stockholm
settings: {lease: 5s, poll: 1s, slots: 4}
jobs:
  report: {shell: "python report.py --day $DAY", env: {DAY: "{{occurrence:%Y-%m-%d}}"}, timeout: 10m}
  sweep:  {command: [python, sweep.py, "--since", "{{since}}"], cwd: sub, lane: background, priority: 5}
  ping:   {http: {method: POST, url: "https://example.org/hook", json: {at: "{{occurrence}}"}}, timeout: 5s}
  digest: {python: "shop_jobs_of_the_fuzz:digest", isolated: true, retry: {attempts: 3, base: 2s}}
crons:
  report: every day at 03:15
  ping:   {when: "*/5 * * * *", overlap: allow}
  digest-acme: {job: digest, when: "0 9 * * mon-fri", args: {workspace: acme}, catchup: none, labels: {consumer: harvester}}
  tokyo: {job: sweep, when: [at 02:30, "0 12 * * sun"], timezone: Asia/Tokyo, valid_from: "2026-01-01T00:00:00+09:00"}
  inherits: {job: sweep, when: "@daily", timezone: null, enabled: false}
lanes: {background: {concurrency: 8, rate: 30/m}, spare: }
"""
_MODULE: Final = "def digest(workspace: str, keep: int = 1) -> None: ...\n"
_SCALARS: Final[tuple[Any, ...]] = (
    None, True, False, 0, -1, 1.5, 10**30, float("inf"), float("nan"), "", " ", "null", "yes", "1e3", "0x10", "12:30:45", "5s",
    "2026-01-01", "{{", "{{occurrence}}", "{{nothing}}", "$HOME", "a/b", "x" * 300, "report", "UTC", [], {}, [[]], {"a": None},
)  # fmt: skip
_PIECES: Final = (
    *("&a ", "*a", "<<: *a", "!!python/object/apply:os.system [id]", "!!binary aGk=", "!tag ", "---\n", "...\n", "%YAML 1.3\n"),
    *("? ", ": ", "- ", "{", "}", "[", "]", "|\n  ", ">-\n  ", "#", '"', "'", "\t", "\n", "\n\n", "  ", "\r\n", "@", "`"),
    *ODD,
)  # fmt: skip


def fuzz(draw: random.Random, count: int, found: Found) -> None:
    """So many files: each is read, or refused with a place for each of its faults."""
    path = sys.path.copy()
    with tempfile.TemporaryDirectory(prefix="rota-fuzz-") as name:
        folder = Path(name)
        (folder / "shop_jobs_of_the_fuzz.py").write_text(_MODULE)
        makers = Files(draw)
        try:
            for _ in range(count):
                data = makers.one()
                (folder / "rota.yaml").write_bytes(data)
                found.carry_out(data, lambda d=data: _read(folder / "rota.yaml", d, found))  # type: ignore[misc]
                sys.path[:] = path
        finally:
            sys.path[:] = path
            sys.modules.pop("shop_jobs_of_the_fuzz", None)


def _read(path: Path, data: bytes, found: Found) -> str:
    try:
        read = load(path)
    except InvalidFile as error:
        for fault in error.errors:
            if (
                not {"pointer", "detail", "file", "line", "column"} <= set(fault)
                or fault["line"] < 1
                or fault["column"] < 1
            ):
                found.fault("a fault without a place", data, repr(fault))
        if not error.errors:
            found.fault("a refusal without a fault", data)
        raise
    return "read" if isinstance(read, File) else "nothing"


class Files:
    """Draws files; equal seeds draw equal ones."""

    def __init__(self, draw: random.Random) -> None:
        self._draw = draw
        self._texts = Texts(draw, corpus())
        self._seeds = [_FULL, *(path.read_text("utf-8") for path in sorted((ROOT / "examples").glob("*/rota.yaml")))]
        self._trees = [yaml.safe_load(text) for text in self._seeds]
        self._ways: tuple[Callable[[], bytes], ...] = (
            self._text,
            self._text,
            self._tree,
            self._tree,
            self._tree,
            self._bytes,
        )

    def one(self) -> bytes:
        """The bytes of a file."""
        return self._draw.choice(self._ways)()

    def _text(self) -> bytes:
        """A file with changes of its text."""
        text = self._draw.choice(self._seeds)
        for _ in range(self._draw.choice((1, 1, 2, 5))):
            place = self._draw.randint(0, len(text))
            end = min(len(text), place + self._draw.choice((0, 0, 1, 3, 40)))
            piece = self._draw.choice(_PIECES) if self._draw.random() < 0.7 else text[place:end] * 2
            text = text[:place] + piece * self._draw.choice((1, 1, 1, 3, 200)) + text[end:]
        return text.encode("utf-8", "surrogatepass")

    def _tree(self) -> bytes:
        """A file with changes of its values, written anew: block style, flow style, or JSON."""
        tree = json.loads(json.dumps(self._draw.choice(self._trees), default=str))
        for _ in range(self._draw.choice((0, 1, 1, 2, 4))):
            self._change(tree)
        if self._draw.random() < 0.2:
            return json.dumps(tree, default=str).encode()
        written: bytes = yaml.safe_dump(
            tree, encoding="utf-8", allow_unicode=True, default_flow_style=self._draw.random() < 0.5, sort_keys=False
        )
        return written

    def _change(self, node: Any) -> None:
        """Go down by chance, and put something else there."""
        while isinstance(node, (dict, list)) and node:
            keys = list(node) if isinstance(node, dict) else list(range(len(node)))
            key = self._draw.choice(keys)
            below = node[key]
            if not (isinstance(below, (dict, list)) and below and self._draw.random() < 0.8):
                self._put(node, key)
                return
            node = below

    def _put(self, node: Any, key: Any) -> None:
        kind = self._draw.random()
        value = self._texts.one() if kind < 0.25 else copy.deepcopy(self._draw.choice(_SCALARS))
        if kind < 0.7:
            node[key] = value
        elif kind < 0.85 and isinstance(node, dict):
            name = self._draw.choice(
                (self._texts.change(str(key)), "when", "job", "args", "retry", "labels", 1, True, None)
            )
            node[name] = node.pop(key) if self._draw.random() < 0.5 else value
        elif kind < 0.95:
            del node[key]
        else:
            node[key] = [node[key], {"x": node[key]}] if self._draw.random() < 0.5 else {"x": [node[key]] * 3}

    def _bytes(self) -> bytes:
        """Anything."""
        if self._draw.random() < 0.5:
            return self._draw.randbytes(self._draw.choice((0, 1, 10, 300)))
        return "".join(self._draw.choice(_PIECES) for _ in range(self._draw.choice((1, 5, 50, 500)))).encode(
            "utf-8", "ignore"
        )
