"""How much work a call is, counted: unlike a time, the same on a busy machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def lines(call: Callable[[], object]) -> int:
    """The lines of Python that `call` runs. A millisecond of a quiet machine is some 20,000."""
    count = 0

    def trace(_frame: FrameType, what: str, _value: object) -> Any:
        nonlocal count
        count += what == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return count
