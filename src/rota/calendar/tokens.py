"""A schedule text as chunks with their columns, and the one shape of error that says where reading stopped."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from rota.errors import InvalidSchedule

LONGEST_TEXT: Final = 1000
_CHUNK: Final = re.compile(r"[^ \t,]+|,")
_SHOWN: Final = 40


@dataclass(frozen=True, slots=True)
class Chunk:
    """A run of characters without blanks or commas, or one comma; `column` counts from 1 in the whole text."""

    word: str
    raw: str
    column: int


def quoted(raw: str) -> str:
    """`raw` in double quotes, cut to a readable length, with everything unprintable or not ASCII escaped."""
    cut = raw if len(raw) <= _SHOWN else raw[: _SHOWN - 3] + "..."
    return '"' + ascii(cut)[1:-1].replace("\\'", "'") + '"'


def invalid(
    text: str, column: int, found: str, allowed: str, *, problem: str = "", suggestion: str | None = None
) -> InvalidSchedule:
    """The error of a text that stops making sense at `column` (from 1), where `found` stands (empty: the end)."""
    problem = problem or (f"{quoted(found)} cannot be read here" if found else "the text ends here")
    error = InvalidSchedule(
        f"column {column}: {problem} (allowed: {allowed})", text=text, column=column, found=found, allowed=allowed
    )
    return error if suggestion is None else suggesting(error, suggestion)


def suggesting(error: InvalidSchedule, suggestion: str) -> InvalidSchedule:
    """The same error with a spelling that parses, in its message too."""
    return InvalidSchedule(
        f"{error.message}; write {suggestion}",
        text=error.text,
        column=error.column,
        found=error.found,
        allowed=error.allowed,
        suggestion=suggestion,
    )


def check_characters(text: str, start: int = 0, end: int | None = None) -> None:
    """Raise InvalidSchedule at the first character of text[start:end] that no schedule text can hold."""
    for index in range(start, len(text) if end is None else end):
        if not (" " <= text[index] <= "~" or text[index] == "\t"):
            raise invalid(text, index + 1, text[index], "ASCII letters, digits, signs, blanks and tabs")


def check_length(text: str) -> None:
    """Raise InvalidSchedule for a text that is too long to be one."""
    if len(text) > LONGEST_TEXT:
        problem = f"a text of {len(text):,} characters is too long"
        raise invalid(
            text, LONGEST_TEXT + 1, text[LONGEST_TEXT:][:_SHOWN], f"{LONGEST_TEXT:,} characters", problem=problem
        )


class Cursor:
    """Reads the chunks of one rule from left to right; errors quote `whole`, in which the rule starts at `offset`."""

    __slots__ = ("chunks", "end", "offset", "piece", "place", "whole")

    def __init__(self, piece: str, whole: str, offset: int = 0) -> None:
        self.piece = piece
        self.whole = whole
        self.offset = offset
        self.chunks = [
            Chunk(match[0].lower(), match[0], offset + match.start() + 1) for match in _CHUNK.finditer(piece)
        ]
        self.end = offset + len(piece.rstrip()) + 1
        self.place = 0

    def word(self, ahead: int = 0) -> str:
        """The chunk `ahead` of the place in lower case; the empty string past the end."""
        place = self.place + ahead
        return self.chunks[place].word if place < len(self.chunks) else ""

    def take(self) -> str:
        """The chunk at the place, which moves on."""
        word = self.word()
        self.place += 1
        return word

    def accept(self, *words: str) -> bool:
        """True, and the place moves on, when the next chunk is one of `words`."""
        if self.word() in words and self.place < len(self.chunks):
            self.place += 1
            return True
        return False

    def done(self) -> bool:
        """True when nothing is left."""
        return self.place >= len(self.chunks)

    def error(self, allowed: str, *, inside: int = 0) -> InvalidSchedule:
        """The error at the place (`inside` characters into its chunk): what stands there, and what may."""
        if self.done():
            return invalid(self.whole, self.end, "", allowed)
        chunk = self.chunks[self.place]
        return invalid(self.whole, chunk.column + inside, chunk.raw[inside:], allowed)

    def rest(self, ahead: int = 0) -> str:
        """The text as written from the chunk `ahead` of the place on."""
        return self.piece[self.chunks[self.place + ahead].column - 1 - self.offset :].rstrip()

    def refusal(self, allowed: str, spelling: str) -> InvalidSchedule:
        """As `error`, with a right `spelling` of this piece, which the error gives for the whole text."""
        chunk = self.chunks[min(self.place, len(self.chunks) - 1)]
        suggestion = self.whole[: self.offset] + spelling + self.whole[self.offset + len(self.piece) :]
        return invalid(self.whole, chunk.column, chunk.raw, allowed, suggestion=suggestion)
