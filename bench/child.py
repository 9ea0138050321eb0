"""A measurement in a process of its own: `python -m bench.child MODULE FUNCTION`, a JSON object in, a JSON object out.

The task is the first line of standard input. A function that serves until it is told to stop calls `ready`, and waits
for `stopped`: the end of standard input.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import logging
import resource
import subprocess
import sys
import threading
from typing import IO, Any, Self

from bench.machine import ROOT


class Child:
    """A contender that serves. Use as a context manager: the process is gone at the end."""

    def __init__(self, module: str, function: str, **task: Any) -> None:
        command = [sys.executable, "-m", "bench.child", f"bench.contenders.{module}", function]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True)
        self._write(json.dumps(task) + "\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def _write(self, text: str) -> None:
        stream = self._stream(self._process.stdin)
        stream.write(text)
        stream.flush()

    def _stream(self, stream: IO[str] | None) -> IO[str]:
        if stream is None:
            raise RuntimeError("the child has no pipe")
        return stream

    def answer(self) -> dict[str, Any]:
        """The next object it prints. Raises RuntimeError where it ended without one; its own error is on stderr."""
        for line in self._stream(self._process.stdout):
            if line.startswith("{"):
                found: dict[str, Any] = json.loads(line)
                return found
        raise RuntimeError(f"{self._process.args!r} ended with {self._process.wait()} and without an answer")

    def finish(self) -> dict[str, Any]:
        """Tell it to stop; its result."""
        self._stream(self._process.stdin).close()
        return self.answer()


def ask(module: str, function: str, **task: Any) -> dict[str, Any]:
    """Run one measurement to its end; its result."""
    with Child(module, function, **task) as child:
        return child.answer()


def tell(found: dict[str, Any]) -> None:
    """Print one object to the parent."""
    print(json.dumps(found), flush=True)


def ready(**facts: Any) -> None:
    """Tell the parent that the contender serves now."""
    tell(facts)


async def stopped() -> None:
    """Return once the parent has told this process to stop."""
    over, loop = asyncio.Event(), asyncio.get_running_loop()

    def read() -> None:
        sys.stdin.read()
        loop.call_soon_threadsafe(over.set)

    threading.Thread(target=read, daemon=True).start()
    await over.wait()


def spent() -> float:
    """Seconds of processor time that this process has used."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> int:
    """Run the function that the command names."""
    module, function = sys.argv[1:]
    logging.basicConfig(level=logging.ERROR)
    task = json.loads(sys.stdin.readline())
    call = getattr(importlib.import_module(module), function)
    found = asyncio.run(call(**task)) if inspect.iscoroutinefunction(call) else call(**task)
    tell(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
