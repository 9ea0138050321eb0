"""What a fuzzing run has found: how inputs ended, what took longest, what broke a promise."""

from __future__ import annotations

import heapq
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from chaos.judge import Verdict
from rota.errors import Error

T = TypeVar("T")

SLOW_S: Final = 0.1
"""No expression takes longer."""
_SHOWN: Final = 300
_KEPT: Final = 5


@dataclass
class Found:
    """The inputs so far. Times are the processor's, so that a busy machine changes nothing."""

    outcomes: Counter[str] = field(default_factory=Counter)
    slowest: list[tuple[float, int, str]] = field(default_factory=list)
    faults: dict[str, str] = field(default_factory=dict)
    count: int = 0
    longest: float = 0.0

    def carry_out(self, shown: Any, act: Callable[[], str]) -> None:
        """One input; how it ended is what `act` answers, or the class of rota's error that it raises."""
        self.count += 1
        begin = time.process_time()
        try:
            outcome = act()
        except Error as error:
            outcome = type(error).__name__
        except Exception as error:  # noqa: BLE001 - this is what is looked for
            outcome = "an exception"
            self.fault(f"{type(error).__name__} at {_where(error)}", shown, str(error))
        self.outcomes[outcome] += 1
        self._timed(time.process_time() - begin, shown)

    def _timed(self, took: float, shown: Any) -> None:
        if len(self.slowest) < _KEPT:
            heapq.heappush(self.slowest, (took, self.count, repr(shown)[:_SHOWN]))
        elif took > self.slowest[0][0]:
            heapq.heapreplace(self.slowest, (took, self.count, repr(shown)[:_SHOWN]))

    def fault(self, kind: str, shown: Any, detail: str = "") -> None:
        """A promise that was broken; one of each kind is kept."""
        self.faults.setdefault(kind, f"{kind}: {detail[:200]}; input {shown!r}"[:1000])

    def quick(self, what: str, shown: Any, call: Callable[[], T]) -> T:
        """What `call` answers; a fault where it takes too long, the best of three, so that nothing else counts."""
        begin = time.process_time()
        answer = call()
        took = time.process_time() - begin
        for _ in range(2):
            if took <= SLOW_S:
                break
            begin = time.process_time()
            call()
            took = min(took, time.process_time() - begin)
        self.longest = max(self.longest, took)
        if took > SLOW_S:
            self.fault(f"{what}: slower than {SLOW_S:g} s", shown, f"{took:.3f} s")
        return answer

    def verdict(self, seconds: float) -> Verdict:
        """The figures of the run."""
        slowest = max(self.slowest, default=(0.0, 0, ""))
        figures: dict[str, int | float] = {
            "inputs": self.count,
            "exceptions that are not rota's": sum(count for name, count in self.outcomes.items() if " " in name),
        }
        if self.longest:
            figures["longest parse or question ms"] = round(1000 * self.longest, 1)
        figures |= {"longest input in all ms": round(1000 * slowest[0], 1), "took s": round(seconds)}
        return Verdict(figures, {}, dict(self.outcomes.most_common()), list(self.faults.values()))


def _where(error: Exception) -> str:
    """The innermost place in rota itself, or the innermost at all."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/rota/" in frame.filename and "chaos" not in frame.filename]
    frame = (ours or frames)[-1]
    return f"{frame.filename.rsplit('/rota/', 1)[-1]}:{frame.lineno}"
