"""A run's output on its way to the log: bytes in, lines out, bounded per line and per run."""

from __future__ import annotations

import codecs
import threading
from collections.abc import Callable
from typing import Final, Literal

from rota.model.storable import clean_text

Stream = Literal["out", "err", "log"]
Emit = Callable[[Stream, str], None]

LINE_LIMIT: Final = 8 * 1024
"""Characters of one line that are kept."""
OUTPUT_LIMIT: Final = 1024 * 1024
"""Bytes of output of one run that are kept."""


class Output:
    """Where all streams of one run meet. Thread-safe; `emit` gets clean single lines, one call each.

    After `limit` bytes (UTF-8, line ends counted) one line says so, and nothing more is emitted.
    """

    def __init__(self, emit: Emit, limit: int = OUTPUT_LIMIT) -> None:
        self._emit = emit
        self._left = self._limit = limit
        self._lock = threading.Lock()

    @property
    def cut(self) -> bool:
        """Whether the bound was reached."""
        return self._left < 0

    def line(self, stream: Stream, text: str) -> None:
        """Emit one line, cut at LINE_LIMIT."""
        shown = clean_text(text[:LINE_LIMIT]) + (" … line cut" if len(text) > LINE_LIMIT else "")
        size = len(shown.encode()) + 1
        with self._lock:
            if self._left < 0:
                return
            self._left -= size
            if self._left < 0:
                shown = f"… output cut: more than {self._limit} bytes"
            self._emit(stream, shown)

    def text(self, stream: Stream, text: str) -> None:
        """Emit a text of several lines."""
        for line in text.splitlines() or [""]:
            self.line(stream, line)


class Lines:
    r"""One stream of bytes, cut into lines for an Output.

    Characters that are split between two reads are joined; what is not UTF-8 becomes U+FFFD; memory is bounded by one
    line however long the real one is. `\r\n` ends a line like `\n`.
    """

    def __init__(self, output: Output, stream: Stream) -> None:
        self._output = output
        self._stream: Stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""

    def feed(self, data: bytes) -> None:
        """Take what was read; whole lines go out at once."""
        self._take(self._decoder.decode(data))

    def end(self) -> None:
        """The stream has ended: a last line without a line end goes out too."""
        self._take(self._decoder.decode(b"", final=True))
        if self._rest:
            self._output.line(self._stream, self._rest)
            self._rest = ""

    def _take(self, text: str) -> None:
        if self._output.cut:
            return
        pieces = text.split("\n")
        pieces[0] = self._rest + pieces[0]
        # One more character than the limit, so that the line is known to be cut when it ends.
        self._rest = pieces.pop()[: LINE_LIMIT + 1]
        for piece in pieces:
            self._output.line(self._stream, piece.removesuffix("\r"))
