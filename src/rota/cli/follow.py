"""Files that a running process follows: applied at start, and again when they change; a bad change keeps the old state."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rota.errors import Error

if TYPE_CHECKING:
    from rota.app.rota import Rota
    from rota.sync.file import File

log = logging.getLogger("rota.file")

LOOK_S: Final = 0.5
"""How often files are looked at: a change applies well within 2 s."""


class Followed:
    """The files of one process and what of them is in force."""

    def __init__(self, app: Rota, files: Sequence[File], *, changing: bool) -> None:
        self._app = app
        self._files = list(files)
        self._seen = [_look(file) for file in files]
        self._changing = changing

    def apply(self) -> None:
        """Put the files in force: their jobs into this process, their rows into the database. Raises their errors."""
        _register(self._app, self._files)
        for file in self._files:
            _apply(self._app, file, str(file.path) if self._changing else "the built-in example")

    async def follow(self, ended: asyncio.Event) -> None:
        """Look at the files until `ended`; what changed is applied, or told and left as it was."""
        while self._files and self._changing and not ended.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(ended.wait(), LOOK_S)
            if not ended.is_set():
                await asyncio.to_thread(self.look)

    def look(self) -> None:
        """One look. Errors are logged, never raised: the state before stays in force."""
        for number, file in enumerate(self._files):
            found = _look(file)
            if found != self._seen[number]:
                self._seen[number] = found
                self._changed(number, file)

    def _changed(self, number: int, file: File) -> None:
        from rota.sync.file import load

        try:
            fresh = load(file.path)
            if fresh == file:
                return
            files = [*self._files[:number], fresh, *self._files[number + 1 :]]
            _apply(self._app, fresh, str(fresh.path))
            _register(self._app, files)
        except Error as error:
            for line in [*error.message.split("\n"), f"{file.path} was not applied; what was in force stays"]:
                log.error("%s", line)  # noqa: TRY400 - the user's fault, told; no traceback of ours
        else:
            self._files = files
            if fresh.settings != file.settings:
                log.warning("%s: settings take effect at the next start", file.path)


def _look(file: File) -> tuple[Any, ...]:
    """What tells a changed file from the one before: times and sizes of it and of the job files beside it."""
    folder = file.path.resolve().parent
    with contextlib.suppress(OSError):
        return tuple(sorted(_stamp(path) for path in (file.path, *folder.glob("*.job.yaml"))))
    return ()


def _stamp(path: Path) -> tuple[Any, ...]:
    found = path.stat()
    return str(path), found.st_mtime_ns, found.st_size, found.st_ino


def _register(app: Rota, files: Sequence[File]) -> None:
    """Let this process know the jobs of all files, and forget commands, shell texts and requests that are gone."""
    jobs = [job for file in files for job in file.jobs]
    app.registry.replace_targets([job for job in jobs if job.handler is None])
    for job in jobs:
        if job.handler is not None:
            app.registry.add(job)


def _apply(app: Rota, file: File, shown: str) -> None:
    from rota.sync.apply import apply

    report = app.core.change(("s",), apply, file)
    counts = {"created": len(report.created), "updated": len(report.updated), "removed": len(report.removed)}
    changes = ", ".join(f"{count} {what}" for what, count in counts.items() if count) or "nothing changed"
    log.info("%s: %d schedules, %d jobs; %s", shown, len(file.schedules), len(file.jobs), changes)
    for name, holder in report.taken.items():
        log.warning("%s: schedule %s is left alone: it belongs to %s", shown, name, holder)
    for name, fields in report.drift.items():
        log.info("%s: schedule %s was changed by hand and stays so: %s", shown, name, ", ".join(fields))
    for text in report.warnings:
        log.warning("%s: %s", shown, text)
