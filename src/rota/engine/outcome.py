"""What a handler did, as a value: a return or an exception becomes Succeeded or Failed. Never raises."""

from __future__ import annotations

import inspect
import traceback
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from rota.engine.context import GiveUp, TryAgain
from rota.model.run import Failed, Succeeded
from rota.model.storable import RESULT_LIMIT, clean_text, storable
from rota.targets.output import OUTPUT_LIMIT, Output
from rota.targets.process import GRACE


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of one execution.

    `grace` lies between SIGTERM and SIGKILL, `stop_wait` between the deadline and giving up on code that does not stop.
    `allow_private` permits HTTP jobs private addresses even where the job itself does not.
    """

    grace: timedelta = GRACE
    allow_private: bool = False
    stop_wait: timedelta = timedelta(seconds=30)
    output_bytes: int = OUTPUT_LIMIT
    result_chars: int = RESULT_LIMIT
    message_chars: int = 8 * 1024
    trace_chars: int = 16 * 1024


_OWN_FILES: Final = ("rota/engine/bodies.py", "rota/engine/loops.py", "rota/engine/isolate.py", "rota/engine/invoke.py")


def succeeded(value: object, output: Output, limits: Limits) -> Succeeded:
    """The outcome of code that returned `value`. Where it cannot be stored as it is, the run's log says so, too.

    Raises TypeError for a coroutine that nobody awaited: the work has not been done.
    """
    if value is None:
        return Succeeded()
    if inspect.iscoroutine(value):
        value.close()
        raise TypeError(
            f"the handler returned the coroutine {value.__qualname__} without awaiting it; make it async def"
        )
    stored = storable(value, limits.result_chars)
    if stored.note:
        output.line("log", f"WARNING {stored.note}")
    return Succeeded(stored.text, note=stored.note)


def failure(error: BaseException, limits: Limits) -> Failed:
    """The outcome of code that raised `error`, whatever that is."""
    names = tuple(dict.fromkeys(name for kind in type(error).__mro__ for name in _names(kind) if kind is not object))
    message = _message(error)
    return Failed(
        _names(type(error))[-1],
        clean_text(message, limits.message_chars),
        names=names,
        trace=clean_text(_trace(error), limits.trace_chars),
        give_up=isinstance(error, GiveUp),
        again=isinstance(error, TryAgain),
        try_after=error.delay if isinstance(error, TryAgain) else None,
    )


def _names(kind: type) -> tuple[str, ...]:
    """The bare name, and the dotted one where it is not a builtin (as `retry.on` writes them)."""
    if kind.__module__ == "builtins":
        return (kind.__name__,)
    return kind.__name__, f"{kind.__module__}.{kind.__qualname__}"


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except BaseException as other:  # noqa: BLE001 - the exception's own code; its failing is part of the answer
        return f"(its message cannot be read: {type(other).__name__})"


def _trace(error: BaseException) -> str:
    """The traceback from the handler's own first frame on."""
    frame = error.__traceback__
    while frame is not None and frame.tb_frame.f_code.co_filename.replace("\\", "/").endswith(_OWN_FILES):
        frame = frame.tb_next
    try:
        return "".join(traceback.TracebackException(type(error), error, frame, limit=-50).format())
    except BaseException as other:  # noqa: BLE001 - formatting calls the exception's own code
        return f"(its trace cannot be formatted: {type(other).__name__})"
