"""Killing a process with SIGKILL just before or just after its n-th commit.

`python -m tests.support.crashing` is a process that imports everything once and then forks one child for each order on
its standard input, so that a kill costs milliseconds; `Killer` is the side of the test.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
import traceback
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from rota.store.database import Database
from tests.support.hands import HandClock

BEFORE: Final = "before"
AFTER: Final = "after"
ROOT: Final = Path(__file__).parents[2]


class CrashingDatabase(Database):
    """A database whose process dies at its n-th commit of a writing transaction. `commits` counts them."""

    def __init__(self, url: str, clock: HandClock, *, nth: int = 0, side: str = BEFORE) -> None:
        super().__init__(url, clock=clock, node="crashing", synchronous="OFF")
        self.nth, self.side, self.commits = nth, side, 0

    def _commit(self, transaction: Any) -> None:
        if not transaction.connection.get_execution_options().get("rota_write"):
            super()._commit(transaction)
            return
        self.commits += 1
        if self.commits == self.nth and self.side == BEFORE:
            os.kill(os.getpid(), signal.SIGKILL)
        super()._commit(transaction)
        if self.commits == self.nth and self.side == AFTER:
            os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True)
class Order:
    """Carry out `function` (`module:name`, called with database and clock) at `url`, and die at the n-th commit."""

    function: str
    url: str
    now: str
    nth: int
    side: str


def carry_out(order: Order) -> None:
    """The child's work."""
    module, _, name = order.function.partition(":")
    clock = HandClock(datetime.fromisoformat(order.now))
    database = CrashingDatabase(order.url, clock, nth=order.nth, side=order.side)
    getattr(importlib.import_module(module), name)(database, clock)
    database.close()


def in_child(order: Order) -> int:
    """Carry out an order in a child of its own; how it ended, as `os.waitpid` says."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            carry_out(order)
            code = 0
        except BaseException:  # noqa: BLE001 - a child must not go on with its parent's work
            traceback.print_exc()
        sys.stderr.flush()
        os._exit(code)
    return os.waitpid(child, 0)[1]


def main() -> None:
    """Serve orders until the input ends."""
    for module in sys.argv[1:]:
        importlib.import_module(module)
    for line in sys.stdin:
        status = in_child(Order(**json.loads(line)))
        print(os.waitstatus_to_exitcode(status), flush=True)


class Killer:
    """Gives orders. `survives` tells whether the child came to its end."""

    def __init__(self, *modules: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.crashing", *modules],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )

    def survives(self, order: Order) -> bool:
        """Whether the order was carried out; False where the child was killed. Any other end is an error."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(asdict(order)) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline().strip()
        assert answer in ("0", str(-signal.SIGKILL)), f"{order} ended with {answer or 'nothing'}"
        return answer == "0"

    def close(self) -> None:
        """End the process."""
        self._process.communicate(timeout=30)


if __name__ == "__main__":
    main()
