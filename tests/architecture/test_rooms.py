"""What each room may do. Imports between rooms are import-linter's (pyproject.toml); here is what it cannot see."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture import source

DATABASES = {"sqlalchemy", "alembic", "psycopg", "psycopg_pool", "sqlite3"}
SPEAK_SQL = ("store/", "app", "contrib/", "clock.py")
CLOCKS_OF_SQL = re.compile(
    r"\bCURRENT_(TIMESTAMP|TIME|DATE)\b|\bLOCALTIME(STAMP)?\b|\b(now|clock_timestamp|transaction_timestamp|"
    r"statement_timestamp|timeofday|getdate|julianday|unixepoch|strftime)\s*\(|'now'|\bdatetime\('",
    re.IGNORECASE,
)
MACHINE = re.compile(
    r"/work/|/root/|/home/\w|/Users/|\bpypi\.(org|python)|files\.pythonhosted|registry\.npmjs|deb\.debian\.org|"
    r"proxy\.golang|index-url|extra-index",
)
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|NotImplementedError")
TEXT = {".py", ".md", ".toml", ".txt", ".yaml", ".yml", ".sh", ".html", ".css", ".js", ".cfg", ".ini", ""}


def imports(name: str) -> set[str]:
    """The top-level packages that a module imports while it runs (not those for the type checker alone)."""
    found: set[str] = set()
    typing_only = {
        id(inner)
        for node in ast.walk(source.tree(name))
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    for node in ast.walk(source.tree(name)):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    return found


def taken_from(package: str, name: str) -> set[str]:
    """What a module takes from a package: the names of `from package… import names`, or `import package` itself."""
    found: set[str] = set()
    for node in ast.walk(source.tree(name)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.partition(".")[0] == package}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == package:
            found |= {alias.name for alias in node.names}
    return found


@pytest.mark.parametrize("name", source.modules())
def test_only_the_store_speaks_sql(name: str) -> None:
    """`app` and `contrib` join callers' own connections, `clock` asks the database what time it is.

    The engine hands a connection from turn to store and hears that the database refused; it never names a statement.
    """
    if name.startswith("engine/"):
        assert not imports(name) & (DATABASES - {"sqlalchemy"})
        assert taken_from("sqlalchemy", name) <= {"Connection", "DBAPIError"}
    elif not name.startswith(SPEAK_SQL):
        assert not imports(name) & DATABASES


@pytest.mark.parametrize("name", [name for name in source.modules() if name.startswith("store/")])
def test_the_store_asks_no_clock(name: str) -> None:
    """`now` is a parameter, in column defaults too: else simulated time and real time mix in one table."""
    code = source.without_docstrings(name)
    if name == "store/dialect.py":  # what `clock.now(connection)` is on PostgreSQL
        code = code.replace("clock_timestamp()", "").replace("clock.now()", "")
    found = CLOCKS_OF_SQL.search(code)
    assert not found, f"{name}: {found and found.group()}"


@pytest.mark.parametrize("name", [name for name in source.modules() if name.endswith("__init__.py")])
def test_an_init_loads_nothing(name: str) -> None:
    """A package's names are loaded on first use (PEP 562): no import by the way, and `rota explain` stays quick."""
    assert ast.get_docstring(source.tree(name)), f"{name} has no docstring"
    eager = [node for node in source.tree(name).body if isinstance(node, ast.Import | ast.ImportFrom)]
    assert not [ast.unparse(node) for node in eager if "rota" in ast.unparse(node)]


def tracked() -> list[Path]:
    """The files of the repository."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=source.ROOT, capture_output=True, check=True)
    names = done.stdout.decode().split("\0")
    return [source.ROOT / name for name in names if name and (source.ROOT / name).is_file()]


def test_no_machine_in_the_repository() -> None:
    """No path of one machine, no registry's host."""
    here = Path(__file__)
    wrong = [
        f"{path.relative_to(source.ROOT)}: {found.group()}"
        for path in tracked()
        if path.suffix in TEXT and path != here and (found := MACHINE.search(path.read_text("utf-8", "replace")))
    ]
    assert not wrong


def test_nothing_is_unfinished() -> None:
    wrong = [
        f"{name}: {found.group()}" for name, text in source.modules().items() if (found := UNFINISHED.search(text))
    ]
    assert not wrong


def loaded_by(statement: str) -> set[str]:
    """The modules that are loaded after a statement in a new interpreter."""
    code = f"{statement}\nimport sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=source.ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_import_rota_is_lazy() -> None:
    loaded = loaded_by("import rota")
    assert not loaded & {*DATABASES, "pydantic", "fastapi", "click", "rich", "asyncio", "yaml", "httpx2"}


def test_parse_loads_no_library() -> None:
    loaded = loaded_by("import rota; rota.parse('every day at 03:15', 'Europe/Stockholm').upcoming")
    assert not loaded & {*DATABASES, "pydantic", "fastapi", "click", "rich", "asyncio", "yaml", "httpx2"}
