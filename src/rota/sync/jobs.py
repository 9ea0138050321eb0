"""The `jobs` of a file: each a command, a shell text, a request or a Python function, with its options."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path as FilePath
from types import ModuleType
from typing import Any, Final

from rota.engine.registry import HANDLER_ATTRIBUTE, Job, python_job, target_job
from rota.errors import InvalidValue
from rota.model.policy import NAMES, parse_policies
from rota.model.schedule import check_name
from rota.sync.reading import Reader, nearest
from rota.sync.yaml import Path
from rota.targets.http import Http
from rota.targets.shell import Command, Shell

KINDS: Final = ("shell", "command", "http", "python")
_OF_PROCESS: Final = ("env", "cwd")
_OF_PYTHON: Final = ("isolated",)
_OF_ALL: Final = ("lane", "priority", "version", *NAMES)
FIELDS: Final = (*KINDS, *_OF_PROCESS, *_OF_PYTHON, *_OF_ALL)
LATER: Final = {"transactional": "transactional jobs come with a later version"}


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What jobs of a file start from: `folder` is the file's own, absolute."""

    folder: FilePath


def read_job(reader: Reader, path: Path, name: str, around: Surroundings) -> Job | None:
    """The job at `path`; None and faults if there is none to be made of it."""
    if reader.name(path, name) is None:
        return None
    value = _value_at(reader, path)
    example = 'a job, such as {shell: "python report.py", timeout: 10m}'
    given = reader.known(path, reader.mapping(path, value, what=example), FIELDS, LATER)
    kinds = [kind for kind in KINDS if kind in given]
    if len(kinds) != 1:
        if isinstance(value, dict) or value is None:
            problem = f"has {' and '.join(kinds)}; it does one thing" if kinds else f"needs one of {', '.join(KINDS)}"
            reader.fault(path, f"{problem}; write {example}" if not kinds else problem, key=True)
        return None
    kind = kinds[0]
    _foreign(reader, path, given, kind)
    options = _options(reader, path, given)
    make = {"shell": _shell, "command": _command, "http": _http, "python": _python}[kind]
    return make(reader, path, given, _Named(name, options, around))


@dataclass(frozen=True, slots=True)
class _Named:
    name: str
    options: dict[str, Any]
    around: Surroundings


def _value_at(reader: Reader, path: Path) -> Any:
    value = reader.value
    for step in path:
        value = value[step]
    return value


def _foreign(reader: Reader, path: Path, given: dict[str, Any], kind: str) -> None:
    """Faults for options that mean nothing for this kind of job."""
    wrong = {"python": _OF_PROCESS, "http": (*_OF_PROCESS, *_OF_PYTHON)}.get(kind, _OF_PYTHON)
    for name in wrong:
        if name in given:
            reader.fault((*path, name), f"means nothing for a {kind} job", key=True)


def _options(reader: Reader, path: Path, given: dict[str, Any]) -> dict[str, Any]:
    """Lane, priority, version and policies that are good; faults for the others."""
    options: dict[str, Any] = {}
    for name in _OF_ALL:
        if name in given and reader.attempt((*path, name), _check_option(name, given[name])) is not None:
            options[name] = given[name]
    return options


def _check_option(name: str, value: Any) -> Callable[[], bool]:
    def check() -> bool:
        if name in NAMES:
            parse_policies({name: value})
        elif name == "lane":
            check_name("lane", value)
        elif type(value) is not int or not -(2**31) <= value < 2**31:
            raise InvalidValue(f"{name}: {value!r} is not a whole number")
        return True

    return check


def _shell(reader: Reader, path: Path, given: dict[str, Any], named: _Named) -> Job | None:
    text, (env, cwd) = given["shell"], _surroundings(reader, path, given, named)
    spec = reader.attempt((*path, "shell"), lambda: Shell(text, env, cwd))
    return None if spec is None else _target(reader, path, spec, named)


def _command(reader: Reader, path: Path, given: dict[str, Any], named: _Named) -> Job | None:
    words, (env, cwd) = given["command"], _surroundings(reader, path, given, named)
    where = (*path, "command")
    before = len(reader.faults)
    if isinstance(words, list):
        for index, word in enumerate(words):
            reader.attempt((*where, index), _word(word))
    if len(reader.faults) > before:
        return None
    spec = reader.attempt(where, lambda: Command(words, env, cwd))
    return None if spec is None else _target(reader, path, spec, named)


def _word(word: Any) -> Callable[[], Command]:
    """One word of a command by itself, so that each bad one is a fault."""

    def check() -> Command:
        try:
            return Command(("program", word))
        except InvalidValue as error:
            raise InvalidValue(error.message.removeprefix("command[1]: ")) from None

    return check


def _http(reader: Reader, path: Path, given: dict[str, Any], named: _Named) -> Job | None:
    where = (*path, "http")
    known = tuple(f.name for f in fields(Http))
    found = reader.known(
        where, reader.mapping(where, given["http"], what='a request, such as {url: "https://…"}'), known
    )
    if "timeout" in named.options:
        found.setdefault("timeout", named.options["timeout"])
    before = len(reader.faults)
    for field_name, value in found.items():
        alone = {"url": "https://example.org/", field_name: value}
        reader.attempt((*where, field_name), _bare(lambda alone=alone: Http(**alone)))  # type: ignore[misc]
    if len(reader.faults) > before:
        return None
    spec = reader.attempt(where, _bare(lambda: Http.of(found)))
    return None if spec is None else _target(reader, path, spec, named)


def _bare(make: Callable[[], Http]) -> Callable[[], Http]:
    """`make`, its errors named from the request on: `http.url: …` stands at the key `http` already."""

    def check() -> Http:
        try:
            return make()
        except InvalidValue as error:
            raise InvalidValue(error.message.removeprefix("http.")) from None

    return check


def _surroundings(reader: Reader, path: Path, given: dict[str, Any], named: _Named) -> tuple[dict[str, str], str]:
    """Environment and folder of a process. A relative `cwd` begins at the file's folder, which is also the default."""
    env = reader.mapping((*path, "env"), given.get("env"), what="a mapping of names to texts")
    good = {n: v for n, v in env.items() if reader.attempt((*path, "env"), _variable(n, v)) is not None}
    cwd = given.get("cwd")
    if cwd is not None and reader.attempt((*path, "cwd"), lambda: Shell("true", {}, cwd)) is None:
        cwd = None
    return good, str(named.around.folder / (cwd or "."))


def _variable(name: str, value: Any) -> Callable[[], Shell]:
    return lambda: Shell("true", {name: value})


def _target(reader: Reader, path: Path, spec: Command | Shell | Http, named: _Named) -> Job | None:
    return reader.attempt(path, lambda: target_job(named.name, spec, **named.options))


def _python(reader: Reader, path: Path, given: dict[str, Any], named: _Named) -> Job | None:
    where = (*path, "python")
    isolated = given.get("isolated", False)
    if not isinstance(isolated, bool):
        reader.fault((*path, "isolated"), f"{isolated!r} is not true or false")
        return None
    dotted = reader.text(where, given["python"])
    if dotted is None:
        return None
    handler = reader.attempt(where, lambda: import_handler(dotted, named.around.folder))
    if handler is None:
        return None
    return reader.attempt(where, lambda: python_job(handler, name=named.name, isolated=isolated, **named.options))


def import_handler(dotted: str, folder: FilePath) -> Any:
    """The function that `package.module:name` names, looked for from `folder` and the working directory on.

    Both are put at the front of the import path and stay there. Raises InvalidValue saying which part is not there, or
    how importing it failed.
    """
    module_name, colon, name = dotted.partition(":")
    parts = module_name.split(".")
    if not colon or not all(p.isidentifier() for p in (*parts, *name.split("."))):
        raise InvalidValue(f'{dotted!r} is not of the form "package.module:function"')
    _search_from(folder)
    found: Any = _import(module_name, folder)
    for step in name.split("."):
        if not hasattr(found, step):
            raise InvalidValue(_not_in(found, step, module_name))
        found = getattr(found, step)
    return getattr(found, HANDLER_ATTRIBUTE, found)


def _search_from(folder: FilePath) -> None:
    for path in (str(FilePath.cwd()), str(folder)):
        if path not in sys.path:
            sys.path.insert(0, path)


def _import(name: str, folder: FilePath) -> ModuleType:
    try:
        importlib.invalidate_caches()
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (name == error.name or name.startswith(error.name + ".")):
            raise InvalidValue(f"importing {name} failed: {error}; is it installed?") from None
        where = " and ".join(dict.fromkeys((str(folder), str(FilePath.cwd()))))
        raise InvalidValue(f"there is no module {error.name} in {where}, nor is one installed") from None
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the user's code may raise anything
        raise InvalidValue(f"importing {name} failed: {type(error).__name__}: {error}{_line(error)}") from None


def _line(error: BaseException) -> str:
    """Where in the imported code it was raised, for people: ` (shop/jobs.py, line 3)`."""
    *_, (frame, line) = _frames(error)
    name = frame.f_code.co_filename
    if isinstance(error, SyntaxError) or name.startswith("<"):
        return ""
    return f" ({os.path.relpath(name)}, line {line})"


def _frames(error: BaseException) -> Iterator[tuple[Any, int]]:
    trace = error.__traceback__
    while trace is not None:
        yield trace.tb_frame, trace.tb_lineno
        trace = trace.tb_next


def _not_in(found: Any, step: str, module_name: str) -> str:
    known = [n for n in dir(found) if not n.startswith("_")]
    text = f"{module_name} has no {step}{nearest(step, known) if len(known) <= 12 else ''}"
    if module_name == "rota":
        text += ". A file of your own called rota.py is hidden by rota itself: give it another name"
    return text
