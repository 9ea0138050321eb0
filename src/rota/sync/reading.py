"""Reading a declared file: typed looks at its values, every fault collected with its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, Final, TypeVar

from rota.errors import Error, InvalidFile, InvalidValue
from rota.model.schedule import check_name
from rota.sync.yaml import START, Document, Path, Place, read

T = TypeVar("T")

_FIELD: Final = re.compile(r"((?:[^\s:.\[\]]+|\[[0-9]+\])(?:\.[^\s:.\[\]]+|\[[0-9]+\])*): ")
_STEP: Final = re.compile(r"[^.\[\]]+|\[[0-9]+\]")


class Reader:
    """One file that is being read. `shown` is its name in messages; `faults` grows until `finish` raises them."""

    def __init__(self, shown: str, data: bytes) -> None:
        self.shown = shown
        self.document: Document = read(data)
        self.faults: list[tuple[Place, dict[str, Any]]] = []
        for fault in self.document.faults:
            self.add(fault.path, fault.detail, fault.place)

    @property
    def value(self) -> Any:
        """The whole document."""
        return self.document.value

    def add(self, path: Path, detail: str, place: Place) -> None:
        """Note a fault at a place."""
        pointer = "".join(f"/{pointer_step(step)}" for step in path)
        where = {"file": self.shown, "line": place.line, "column": place.column}
        self.faults.append((place, {"pointer": pointer, "detail": detail, **where}))

    def fault(self, path: Path, problem: str, *, key: bool = False) -> None:
        """Note that the value (or the key) at `path` is wrong."""
        label = dotted(path)
        self.add(path, f"{label}: {problem}" if label else problem, self.document.place(path, key=key))

    def where(self, path: Path, *, key: bool = False) -> str:
        """`file:line:column` of what is at `path`."""
        place = self.document.place(path, key=key)
        return f"{self.shown}:{place.line}:{place.column}"

    def attempt(self, path: Path, make: Callable[[], T]) -> T | None:
        """What `make` makes, or None and faults where it raises one of rota's errors.

        A message that begins with the name of a part (`env.DAY: …`, `command[1]: …`) is placed at that part, if the
        document has it at `path` or beside it.
        """
        try:
            return make()
        except Error as error:
            for message in [str(e["detail"]) for e in error.errors] or [error.message]:
                self._placed(path, message)
            return None

    def _placed(self, path: Path, message: str) -> None:
        found = _FIELD.match(message)
        if found:
            steps = tuple(int(s[1:-1]) if s.startswith("[") else s for s in _STEP.findall(found[1]))
            for base in (path[:-1], path):
                if (*base, steps[0]) in self.document.values:
                    self.fault((*base, *steps), message[found.end() :])
                    return
        self.fault(path, message)

    def mapping(self, path: Path, value: Any, *, what: str = "a mapping of names") -> dict[str, Any]:
        """`value` if it is a mapping; else a fault and an empty one. Nothing (null) is an empty one."""
        if isinstance(value, dict):
            return value
        if value is not None:
            self.fault(path, f"{shown(value)} is not {what}")
        return {}

    def text(self, path: Path, value: Any) -> str | None:
        """`value` if it is text; else a fault and None."""
        if isinstance(value, str):
            return value
        self.fault(path, f"{shown(value)} is not text{'; put it in quotes' if value is not None else ''}")
        return None

    def name(self, path: Path, value: Any) -> str | None:
        """`value`, the key at `path`, if it is a good name; else a fault and None."""
        try:
            return check_name("name", value)
        except InvalidValue as error:
            self.fault(path, error.message.removeprefix("name: "), key=True)
            return None

    def known(
        self, path: Path, given: Mapping[str, Any], known: Collection[str], later: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """The fields of `given` that are known; a fault, with the nearest spelling, for every other one.

        `later` has fields of a later version, with what they are called in a sentence.
        """
        good = {name: value for name, value in given.items() if name in known}
        for name in given:
            if name in good:
                continue
            if later and name in later:
                self.fault((*path, name), later[name], key=True)
            elif name == "<<":
                self.fault((*path, name), "merge keys are not YAML 1.2; write the fields out", key=True)
            else:
                self.fault((*path, name), f"unknown{nearest(name, known)}", key=True)
        return good

    def finish(self, *others: Reader) -> None:
        """Raise InvalidFile with every fault of this file and of the others, in the order of their places."""
        found = [fault for reader in (self, *others) for fault in sorted(reader.faults, key=lambda f: f[0])]
        if found:
            raise invalid_file(error for _, error in found)


def invalid_file(errors: Iterable[dict[str, Any]]) -> InvalidFile:
    """The error for these faults; its message has one line for each."""
    unique = list({(e["file"], e["line"], e["column"], e["detail"]): e for e in errors}.values())
    lines = [f"{e['file']}:{e['line']}:{e['column']}: {e['detail']}" for e in unique]
    return InvalidFile("\n".join(lines), errors=unique)


def unreadable(file: str, reason: str) -> InvalidFile:
    """The error for a file that cannot be read at all."""
    detail = f"cannot be read: {reason}"
    error = {"pointer": "", "detail": detail, "file": file, "line": START.line, "column": START.column}
    return InvalidFile(f"{file}: {detail}", errors=[error])


def pointer_step(step: str | int) -> str:
    """One step of a JSON pointer (RFC 6901)."""
    return str(step).replace("~", "~0").replace("/", "~1")


def unescaped(step: str) -> str | int:
    """What `pointer_step` made a step of; figures alone are an index."""
    return int(step) if step.isascii() and step.isdigit() else step.replace("~1", "/").replace("~0", "~")


def dotted(path: Path) -> str:
    """`crons.report.args`, `jobs.sweep.command[1]`: a path for people."""
    return "".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in path).removeprefix(".")


def nearest(name: str, known: Collection[str]) -> str:
    """`; did you mean timezone?`, or what is allowed."""
    close = get_close_matches(name.lower(), known, n=1, cutoff=0.6)
    return f"; did you mean {close[0]}?" if close else f"; allowed are {', '.join(known)}"


def shown(value: Any) -> str:
    """A value for a message, as YAML writes it."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else text[:57] + "…"
