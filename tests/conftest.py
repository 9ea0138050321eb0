"""Fixtures of the whole suite: databases, the leak check, Hypothesis profiles.

`pg_url` and `sqlite_url` are migrated databases of the test's own, `store_url` is each of them in turn, `pg_empty_url`
has no tables yet. `tests.support.postgres.private_server` is for tests that stop the server itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import hypothesis
import pytest

from tests.support import leaks, postgres, stores

SHARED_HOME = pytest.StashKey[Path]()
SESSION_LOCK = pytest.StashKey[IO[str]]()

SLOW_IS_FINE = [hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.data_too_large]
hypothesis.settings.register_profile("dev", deadline=None, max_examples=100, suppress_health_check=SLOW_IS_FINE)
hypothesis.settings.register_profile("ci", parent=hypothesis.settings.get_profile("dev"), print_blob=True)
hypothesis.settings.register_profile("long", parent=hypothesis.settings.get_profile("ci"), max_examples=5_000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev"))


def pytest_configure(config: pytest.Config) -> None:
    """The controller makes the folder of the session's server; workers are told where it is."""
    leaks.watch_loops()
    workerinput: dict[str, Any] | None = getattr(config, "workerinput", None)
    if workerinput is not None:
        config.stash[SHARED_HOME] = Path(workerinput["rota_home"])
        return
    server, lock = postgres.new_home()
    config.stash[SHARED_HOME] = server.home
    config.stash[SESSION_LOCK] = lock


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """xdist: before a worker starts."""
    node.workerinput["rota_home"] = str(node.config.stash[SHARED_HOME])


def pytest_unconfigure(config: pytest.Config) -> None:
    """The controller, after its workers, stops the server if there is one."""
    if SESSION_LOCK in config.stash:
        postgres.Server(config.stash[SHARED_HOME]).remove()
        config.stash[SESSION_LOCK].close()


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """A test that leaves a thread, a child process, an event loop or a task fails."""
    before = leaks.Leaks()
    yield
    left = before.found()
    if left:
        pytest.fail("the test left behind:\n  " + "\n  ".join(left), pytrace=False)


@pytest.fixture(scope="session")
def shared_server(pytestconfig: pytest.Config) -> stores.SharedServer:
    return stores.SharedServer(pytestconfig.stash[SHARED_HOME])


@pytest.fixture
def pg_server(shared_server: stores.SharedServer) -> postgres.Server:
    """The session's server, running. A test may not stop it."""
    return shared_server.ready()


@pytest.fixture
def pg_empty_url(shared_server: stores.SharedServer) -> Iterator[str]:
    with shared_server.database(None) as url:
        yield url


@pytest.fixture
def pg_url(shared_server: stores.SharedServer) -> Iterator[str]:
    with shared_server.database(shared_server.template()) as url:
        yield url


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> stores.SqliteTemplate:
    return stores.SqliteTemplate(tmp_path_factory.mktemp("sqlite"))


@pytest.fixture
def sqlite_url(sqlite_template: stores.SqliteTemplate, tmp_path: Path) -> str:
    return sqlite_template.copy_to(tmp_path / "rota.db")


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest) -> str:
    """A migrated database of each kind in turn; a test that uses it may not ask which."""
    url: str = request.getfixturevalue("sqlite_url" if request.param == "sqlite" else "pg_url")
    return url
