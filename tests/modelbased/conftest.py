"""Fresh databases for state machines: one for each example."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import hypothesis
import pytest
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from tests.support import stores

Worlds = Callable[[], AbstractContextManager[str]]
Prove = Callable[..., None]
_PHASES = [phase for phase in hypothesis.Phase if phase is not hypothesis.Phase.explain]  # explaining costs minutes


@pytest.fixture
def sqlite_worlds(sqlite_template: stores.SqliteTemplate, tmp_path: Path) -> Worlds:
    numbers = itertools.count()

    @contextmanager
    def fresh() -> Iterator[str]:
        path = tmp_path / f"{next(numbers)}.db"
        yield sqlite_template.copy_to(path)
        for left in tmp_path.glob(f"{path.name}*"):
            left.unlink()

    return fresh


@pytest.fixture
def postgresql_worlds(shared_server: stores.SharedServer) -> Worlds:
    return lambda: shared_server.database(shared_server.template())


@pytest.fixture
def prove() -> Prove:
    """Run a machine: a share of the profile's examples, so that `long` is long and the usual one takes seconds."""

    def run(machine: type[RuleBasedStateMachine], *, share: float, steps: int = 30) -> None:
        most = max(5, int(hypothesis.settings.default.max_examples * share))  # type: ignore[union-attr]
        settings = hypothesis.settings(max_examples=most, stateful_step_count=steps, phases=_PHASES)
        run_state_machine_as_test(machine, settings=settings)

    return run
