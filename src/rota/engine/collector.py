"""Python's cycle collector, told what a process of rota is like."""

from __future__ import annotations

import gc
from typing import Final

_DEFAULTS: Final = (700, 2000)
"""The first threshold that nobody has changed, by the version of Python."""
_THRESHOLD: Final = 20_000

_done: set[int] = set()


def calm() -> None:
    """Once per process, as its loops start: let the collector run less often, and leave alone what is there already.

    A batch of a thousand runs is tens of thousands of objects that live for some milliseconds and are in no cycle: the
    collector's default is to look at all of them again and again, which was a third of all processor time. What was
    imported lives for ever. An application that has set a threshold of its own, or switched the collector off, keeps it.
    """
    if _done or not gc.isenabled() or gc.get_threshold()[0] not in _DEFAULTS:
        return
    _done.add(_THRESHOLD)
    gc.freeze()  # without a collection first: it takes longer than all else that a start does, for little garbage
    gc.set_threshold(_THRESHOLD, *gc.get_threshold()[1:])
