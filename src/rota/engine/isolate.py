"""`isolated=True`: a handler in a fresh interpreter that can be killed with all it started.

The child finds the function by module and name of the *registered* handler, never by anything a request says. Arguments
and results are JSON. What the handler says comes back as one JSON line per message over a pipe of its own:
`{"log": [stream, text]}`, `{"progress": [done, total]}`, `{"save": [name, base64]}`, `{"wake_at": instant}`, and last
`{"end": {…}}`. What it prints goes to the run's log.

The run ends with its handler: threads it left behind and atexit functions do not run on. When rota itself is killed,
the child sees its end of a pipe close and kills its own group.
"""

from __future__ import annotations

import base64
import importlib
import importlib.util
import inspect
import json
import os
import runpy
import signal
import sys
import tempfile
import threading
import types
from collections.abc import Callable
from dataclasses import asdict, fields
from datetime import datetime, timedelta
from typing import Any, Final

from rota.clock import SystemClock
from rota.engine.arguments import parameters_of
from rota.engine.context import Context, Holder, Sink, output_for
from rota.engine.outcome import Limits, failure, succeeded
from rota.engine.registry import HANDLER_ATTRIBUTE
from rota.errors import Error
from rota.model.run import Claimed, Failed, Succeeded
from rota.targets.output import Lines, Output, Stream
from rota.targets.process import Ended, Pipes, Process
from rota.targets.shell import outcome as exit_outcome

_BOOT: Final = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from rota.engine.isolate import main; main()"
_MESSAGE_LIMIT: Final = 32 * 1024 * 1024
_MAIN: Final = "__mp_main__"
_INSTANTS: Final = ("scheduled_for", "not_before", "covers_from", "covers_to", "created_at", "started_at", "since")


# --- the parent's side ---


class Isolated:
    """One handler in one child. `run` blocks until it has ended; `process.stop` may be called from any thread."""

    def __init__(self, handler: Callable[..., Any], run: Claimed, sink: Sink, output: Output, limits: Limits) -> None:
        self.process = Process(limits.grace)
        self.wake_at: datetime | None = None
        self._handler = handler
        self._run = run
        self._sink = sink
        self._output = output
        self._limits = limits
        self._rest = b""
        self._end: dict[str, Any] | None = None

    @property
    def stopped(self) -> bool:
        """Whether the handler ended because it was asked to: by its own word, else by what was sent to it."""
        return bool(self._end["stopped"]) if self._end else self.process.signalled

    def run(self, deadline: datetime | None) -> Succeeded | Failed:
        """Start the child, take what it says, tell how it ended."""
        out, err = Lines(self._output, "out"), Lines(self._output, "err")
        with tempfile.TemporaryFile() as request:
            request.write(json.dumps(_request(self._handler, self._run, deadline, self._limits)).encode())
            request.seek(0)
            alive_read, alive_write = os.pipe()
            answer_read, answer_write = os.pipe()
            given = (request.fileno(), alive_read, answer_write)
            pipes = Pipes(
                {1: out.feed, 2: err.feed, answer_read: self._feed}, keep=given, close=(alive_read, answer_write)
            )
            argv = [sys.executable, "-c", _BOOT, json.dumps(sys.path), *map(str, given), f"rota: {self._run.job}"]
            try:
                ended = self.process.run(argv, pipes=pipes)
            finally:
                os.close(alive_write)
        out.end()
        err.end()
        return self._judged(ended)

    def _judged(self, ended: Ended) -> Succeeded | Failed:
        if self._end is not None:
            return _outcome_of(self._end)
        plain = exit_outcome(ended)
        how = "exit code 0" if isinstance(plain, Succeeded) else plain.message
        kind = "exit" if isinstance(plain, Succeeded) else plain.type
        return Failed(
            kind, f"the child process ended before the handler did: {how}", names=(kind,), exit_code=plain.exit_code
        )

    def _feed(self, data: bytes) -> None:
        lines = (self._rest + data).split(b"\n")
        self._rest = lines.pop()
        if len(self._rest) > _MESSAGE_LIMIT:
            raise Error(f"the child process sent a message of more than {_MESSAGE_LIMIT} bytes")
        for line in lines:
            self._take(json.loads(line))

    def _take(self, message: dict[str, Any]) -> None:
        match message:
            case {"log": [("out" | "err" | "log") as stream, str(text)]}:
                self._output.line(stream, text)
            case {"progress": [done, total]}:
                self._sink.progress(self._run.id, self._run.token, done, total)
            case {"save": [str(name), str(data)]}:
                self._sink.save(self._run.id, self._run.token, name, base64.b64decode(data))
            case {"end": end}:
                self._end = end
                self.wake_at = _instant(end["wake_at"])


def _request(handler: Callable[..., Any], run: Claimed, deadline: datetime | None, limits: Limits) -> dict[str, Any]:
    module = sys.modules.get(handler.__module__)
    spec = getattr(module, "__spec__", None)
    return {
        "module": handler.__module__,
        "name": handler.__qualname__,
        "file": getattr(module, "__file__", None),
        "spec": spec.name if handler.__module__ == "__main__" and spec is not None else None,
        "run": {k: v.isoformat() if isinstance(v, datetime) else v for k, v in asdict(run).items()},
        "deadline": deadline.isoformat() if deadline else None,
        "limits": {k: v.total_seconds() if isinstance(v, timedelta) else v for k, v in asdict(limits).items()},
    }


def _instant(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _outcome_of(end: dict[str, Any]) -> Succeeded | Failed:
    if end["ok"]:
        return Succeeded(end["result"], note=end["note"])
    after = end["try_after"]
    return Failed(
        end["type"],
        end["message"],
        names=tuple(end["names"]),
        trace=end["trace"],
        give_up=end["give_up"],
        again=end["again"],
        try_after=None if after is None else timedelta(seconds=after),
    )


# --- the child's side ---


class _Answer:
    """The pipe to the parent, as a Sink. A message is one write under a lock, so threads do not mix."""

    def __init__(self, fd: int) -> None:
        self._file = os.fdopen(fd, "wb", buffering=0)
        self._lock = threading.Lock()

    def send(self, message: dict[str, Any]) -> None:
        data = json.dumps(message).encode() + b"\n"
        with self._lock:
            view = memoryview(data)
            while view:
                view = view[self._file.write(view) :]

    def log(self, run_id: int, token: int, stream: Stream, text: str) -> None:  # noqa: ARG002 - the parent knows the run
        self.send({"log": [stream, text]})

    def progress(self, run_id: int, token: int, done: float, total: float | None) -> None:  # noqa: ARG002 - the same
        self.send({"progress": [done, total]})

    def save(self, run_id: int, token: int, name: str, data: bytes) -> None:  # noqa: ARG002 - the same
        self.send({"save": [name, base64.b64encode(data).decode()]})


class _StopRequestedError(SystemExit):
    """Raised in a synchronous handler by SIGTERM: its `finally` blocks run, `except Exception` does not hold it."""


class _Stop:
    """SIGTERM: a synchronous handler gets an exception, an async one is cancelled; once, and not after its end."""

    def __init__(self) -> None:
        self.holder: Holder | None = None
        self.cancel: Callable[[], object] | None = None
        self.asked = False
        signal.signal(signal.SIGTERM, self._on_signal)

    def _on_signal(self, _number: int, _frame: types.FrameType | None) -> None:
        self.asked = True
        if self.holder is not None:
            self.holder.request_stop()
        if self.cancel is None:
            raise _StopRequestedError(128 + signal.SIGTERM)
        self.cancel()


def main() -> None:
    """The child: argv has sys.path and the descriptors of request, life line and answer. Does not return."""
    request_fd, alive_fd, answer_fd = (int(text) for text in sys.argv[2:5])
    with os.fdopen(request_fd, "rb") as file:
        request = json.load(file)
    for fd in (alive_fd, answer_fd):
        os.set_inheritable(fd, False)
    threading.Thread(target=_die_with_parent, args=(alive_fd,), daemon=True).start()
    for stream in (sys.stdout, sys.stderr):
        reconfigure: Any = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="replace", line_buffering=True)
    pid, answer, stop = os.getpid(), _Answer(answer_fd), _Stop()
    end = _perform(request, answer, stop)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if os.getpid() == pid:
        answer.send({"end": end | {"stopped": stop.asked}})
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _die_with_parent(fd: int) -> None:
    while os.read(fd, 1):
        pass  # nothing is ever written: the read ends when the parent does
    os.killpg(os.getpgrp(), signal.SIGKILL)


def _perform(request: dict[str, Any], answer: _Answer, stop: _Stop) -> dict[str, Any]:
    spans = ("grace", "stop_wait")
    bounds: dict[str, Any] = {k: timedelta(seconds=v) if k in spans else v for k, v in request["limits"].items()}
    limits = Limits(**bounds)
    given = request["run"] | {name: _instant(request["run"][name]) for name in _INSTANTS}
    run = Claimed(**{f.name: given[f.name] for f in fields(Claimed)})
    output = output_for(run, answer, limits.output_bytes)
    context = Context(run, answer, output, clock=SystemClock(), deadline=_instant(request["deadline"]))
    stop.holder = Holder(context)
    try:
        raw: Succeeded | Failed = succeeded(_call(_find(request), run, context, stop), output, limits)
    except BaseException as error:  # noqa: BLE001 - an outcome, whatever it is
        raw = failure(error, limits)
    wake_at = stop.holder.wake_at
    return _end(raw) | {"wake_at": wake_at.isoformat() if wake_at else None}


def _end(raw: Succeeded | Failed) -> dict[str, Any]:
    if isinstance(raw, Succeeded):
        return {"ok": True, "result": raw.result, "note": raw.note}
    return {
        "ok": False,
        "type": raw.type,
        "message": raw.message,
        "names": raw.names,
        "trace": raw.trace,
        "give_up": raw.give_up,
        "again": raw.again,
        "try_after": None if raw.try_after is None else raw.try_after.total_seconds(),
    }


def _call(handler: Callable[..., Any], run: Claimed, context: Context, stop: _Stop) -> Any:
    positional, named = parameters_of(handler).bind(run.args, context, run.job)
    if not inspect.iscoroutinefunction(inspect.unwrap(handler)):
        return handler(*positional, **named)
    import asyncio

    async def cancellable() -> Any:
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        if task is not None:
            stop.cancel = lambda: loop.call_soon_threadsafe(task.cancel)
        return await handler(*positional, **named)

    return asyncio.run(cancellable())


def _find(request: dict[str, Any]) -> Callable[..., Any]:
    """The registered function, in a fresh import of its module. Raises ImportError or AttributeError."""
    found: Any = _module(request)
    for piece in request["name"].split("."):
        found = getattr(found, piece)
    if not inspect.isfunction(found):
        # An object that stands for the function: rota's own decorator keeps the function there.
        found = getattr(found, HANDLER_ATTRIBUTE, None) or getattr(found, "__wrapped__", found)
    return found  # type: ignore[no-any-return]


def _module(request: dict[str, Any]) -> types.ModuleType:
    name, file = request["module"], request["file"]
    if name == "__main__":
        return _main_module(request["spec"], file)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        # A file that was loaded by its path has a name that cannot be imported.
        if file is None or error.name is None or not (name == error.name or name.startswith(f"{error.name}.")):
            raise
        spec = importlib.util.spec_from_file_location(name, file)
        if spec is None or spec.loader is None:
            raise
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


def _main_module(spec: str | None, file: str | None) -> types.ModuleType:
    """The parent's main script or module, run under another name: its `if __name__ == "__main__"` stays quiet."""
    if spec is None and file is None:
        raise ImportError("the handler was defined at an interactive prompt, where no other process can find it")
    module = types.ModuleType(_MAIN)
    sys.modules["__main__"] = sys.modules[_MAIN] = module
    module.__dict__.update(
        runpy.run_module(spec, run_name=_MAIN) if spec else runpy.run_path(str(file), run_name=_MAIN)
    )
    return module
