"""A connection to PostgreSQL on the event loop: it hears what others say, and asks one question at a time.

It is made in a thread and used in the loop's alone. No thread waits for it, so that what it hears is acted on there and
then, and an idle process has one thing less that wakes.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from rota.store.database import ALIVE
from rota.store.dialect import CHANNEL
from rota.store.lone import GOOD, Question, Unanswered, is_direct

if TYPE_CHECKING:
    import psycopg

PING_S: Final = 20.0
ANSWER_S: Final = 10.0
"""A round trip that takes longer than this has no end: a pooler or a firewall swallows it."""
PLANS: Final = "SELECT set_config('enable_seqscan', 'off', false), set_config('jit', 'off', false)"
"""Plans are made once, perhaps before there was anything: all that is asked here is to be found by an index.

What is not is priced so high that the server would compile it, half a second each time.
"""


class Lost(Unanswered):
    """The connection has ended: what was asked may be done or not."""


class Refused(Unanswered):
    """The server has refused the statement: nothing of it was done."""


Answer = bytes | None | Unanswered
"""The text, None where there is no row."""
Answered = Callable[[Answer], None]


class Opened(NamedTuple):
    """A connection of the driver's that listens, and what it raises.

    `direct`: to the server itself, so that it may prepare statements.
    """

    raw: psycopg.Connection
    faults: type[Exception]
    direct: bool


def opened(dsn: str) -> Opened:
    """Connect and listen; blocks. Raises psycopg.Error."""
    import psycopg

    raw = psycopg.connect(dsn, autocommit=True, prepare_threshold=None, **ALIVE)
    try:
        raw.execute(f"LISTEN {CHANNEL}")
        direct = is_direct(raw.pgconn, ANSWER_S)
        if direct:
            raw.execute(PLANS)
        return Opened(raw, psycopg.Error, direct)
    except BaseException:
        raw.close()
        raise


class Line:
    """An open line. `heard` gets what others say, `lost` is called once, when it has ended otherwise than by `close`.

    Everything is called in the loop's thread, and may not raise.
    """

    def __init__(self, made: Opened, heard: Callable[[str], None], lost: Callable[[], None]) -> None:
        self.direct = made.direct
        self._faults = made.faults
        self._raw = made.raw
        self._conn = made.raw.pgconn
        self._heard = heard
        self._lost = lost
        self._loop = asyncio.get_running_loop()
        self._descriptor = made.raw.fileno()
        self._waiting: deque[tuple[Question, Answered]] = deque()
        self._asked: tuple[Question, Answered] | None = None
        self._answer: Answer = None
        self._preparing = False
        self._prepared: set[bytes] = set()
        self._deadline: asyncio.TimerHandle | None = None
        self._conn.nonblocking = 1
        self._loop.add_reader(self._descriptor, self._readable)
        self._ping = self._loop.call_later(PING_S, self._look)

    def ask(self, asked: Question, answered: Answered) -> None:
        """Ask as soon as what was asked before is answered."""
        self._waiting.append((asked, answered))
        if self._asked is None:
            self._guarded(self._next)

    def close(self) -> None:
        """End it; nobody is told, and nothing is called any more."""
        self._ping.cancel()
        if self._deadline is not None:
            self._deadline.cancel()
        self._loop.remove_reader(self._descriptor)
        self._loop.remove_writer(self._descriptor)
        with contextlib.suppress(Exception):
            self._raw.close()

    # Out

    def _next(self) -> None:
        if not self._waiting:
            return
        self._asked = self._waiting.popleft()
        self._answer = None
        self._deadline = self._loop.call_later(ANSWER_S, self._break)
        asked = self._asked[0]
        self._preparing = self.direct and asked.name != b"" and asked.name not in self._prepared
        if self._preparing:
            self._conn.send_prepare(asked.name, asked.sql)
            self._flush()
        else:
            self._put(asked)

    def _put(self, asked: Question) -> None:
        if asked.name in self._prepared:
            self._conn.send_query_prepared(asked.name, asked.params)
        else:
            self._conn.send_query_params(asked.sql, asked.params)
        self._flush()

    def _flush(self) -> None:
        if self._conn.flush():
            self._loop.add_writer(self._descriptor, self._guarded, self._flush)
        else:
            self._loop.remove_writer(self._descriptor)

    def _look(self) -> None:
        self._ping = self._loop.call_later(PING_S, self._look)
        self.ask(Question(b"SELECT 1"), lambda _: None)

    # In

    def _readable(self) -> None:
        self._guarded(self._take)

    def _take(self) -> None:
        self._conn.consume_input()
        while self._asked is not None and not self._conn.is_busy():
            result = self._conn.get_result()
            if result is None:
                self._complete(*self._asked)
            elif result.status not in GOOD:
                self._preparing = False
                self._answer = Refused()
                self._prepared.discard(self._asked[0].name)
            elif result.ntuples:
                self._answer = result.get_value(0, 0)
        self._listen()

    def _complete(self, asked: Question, answered: Answered) -> None:
        """What was asked is answered, or prepared and may be asked now."""
        if self._preparing:
            self._preparing = False
            self._prepared.add(asked.name)
            self._put(asked)
            return
        self._asked = None
        if self._deadline is not None:
            self._deadline.cancel()
        answered(self._answer)
        if self._asked is None:
            self._next()

    def _listen(self) -> None:
        """Each thing said by others, once."""
        mine = self._conn.backend_pid
        said: dict[str, None] = {}
        while (note := self._conn.notifies()) is not None:
            if note.be_pid != mine:
                said[note.extra.decode()] = None
        for text in said:
            self._heard(text)

    def _guarded(self, act: Callable[[], None]) -> None:
        try:
            act()
        except self._faults:
            self._break()

    def _break(self) -> None:
        """It has ended, or is as good as ended."""
        self.close()
        asked = [] if self._asked is None else [self._asked]
        unanswered, self._waiting = [*asked, *self._waiting], deque()
        for _, answered in unanswered:
            answered(Lost())
        self._lost()
