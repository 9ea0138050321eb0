"""What a process is to run: FILE and MODULE:OBJ arguments, read with every fault told as the user's own."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rota.errors import Error, InvalidValue

if TYPE_CHECKING:
    from rota.app.rota import Rota
    from rota.sync.file import File

DEFAULT_FILE: Final = "rota.yaml"
_SUFFIXES: Final = (".yaml", ".yml")


@dataclass(frozen=True)
class Sources:
    """The files and applications of one process. `builtin` tells that neither was there: it runs the example."""

    files: tuple[File, ...]
    apps: tuple[Rota, ...]
    builtin: bool = False


def read(what: Sequence[str], *, example: bool) -> Sources:
    """The sources that arguments name; without any ./rota.yaml, else (with `example`) the built-in example.

    Raises InvalidFile or InvalidValue. The current folder is on the module path afterwards.
    """
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    given = list(what) or ([DEFAULT_FILE] if Path(DEFAULT_FILE).is_file() else [])
    files = tuple(_file(one) for one in given if is_file(one))
    apps = tuple(application(one) for one in given if not is_file(one))
    if given or not example:
        return Sources(files, apps)
    from rota.sync.file import builtin

    return Sources((builtin(),), (), builtin=True)


def is_file(text: str) -> bool:
    """Whether an argument is a FILE, not a MODULE:OBJ."""
    return text.endswith(_SUFFIXES) or os.sep in text or (":" not in text and Path(text).is_file())


def _file(text: str) -> File:
    if text.endswith(".py"):
        module = Path(text).stem
        raise InvalidValue(f"{text}: give a Python application as MODULE:OBJ, for example {module}:rota")
    from rota.sync.file import load

    return load(text)


def application(text: str) -> Rota:
    """The `Rota` that MODULE:OBJ names; the user's module is imported. Raises InvalidValue."""
    from rota.app.rota import Rota

    module_name, _, name = text.partition(":")
    module = _imported(module_name, text)
    found: Any = module
    for part in (name or "rota").split("."):
        found = getattr(found, part, None)
    if isinstance(found, Rota):
        return found
    others = sorted(key for key, value in vars(module).items() if isinstance(value, Rota))
    hint = f"; there is {module_name}:{others[0]}" if others else shadow()
    what = "is not there" if found is None else f"is a {type(found).__name__}, not a Rota application"
    raise InvalidValue(f"{module_name}:{name or 'rota'} {what}{hint}")


def _imported(name: str, text: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise InvalidValue(f"{text}: there is neither a file nor a module of this name in {Path.cwd()}") from None
        raise InvalidValue(f"{name} cannot be imported: {error}{_place(error)}{shadow()}") from error
    except Error:
        raise
    except (Exception, SystemExit) as error:  # the user's module may raise anything while it loads
        kind = type(error).__name__
        raise InvalidValue(f"{name} cannot be imported: {kind}: {error}{_place(error)}{shadow()}") from error


def _place(error: BaseException) -> str:
    """Where in the user's own files the error arose, if there."""
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(str(Path.cwd()))]
    return f" ({own[-1].filename}:{own[-1].lineno})" if own else ""


def shadow() -> str:
    """A hint where a rota.py of the user's own has the name of this package; else nothing."""
    for name in ("rota.py", "rota/__init__.py"):
        path = Path(name)
        if path.is_file() and Path(__file__).parents[1].resolve() != path.resolve().parent:
            shown = name.removesuffix("/__init__.py")
            return f"; {shown} in this folder has the name of the package rota and hides one or the other: rename it"
    return ""
