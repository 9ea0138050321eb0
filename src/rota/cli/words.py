"""Words of the command line that form one text: `rota explain every weekday at 9am`, and what a shell does to a `*`."""

from __future__ import annotations

import os
from collections.abc import Sequence

from rota.errors import InvalidSchedule


def joined(words: Sequence[str]) -> str:
    """The text that the words form. Raises InvalidSchedule where the shell has put file names in place of a `*`."""
    text = " ".join(words)
    if len(words) > 1 and _whole_folder(words):
        raise expanded(words)
    return text


def expanded(words: Sequence[str]) -> InvalidSchedule:
    """The error for words among which stand the names of files."""
    names = _files()
    first = next((word for word in words if word in names), "")
    text = " ".join(words)
    return InvalidSchedule(
        f"the shell has replaced a * by the names of the files here ({first}, …): quote it, "
        f"for example rota explain '0 2 * * *'",
        text="",
        column=text.find(first) + 1,
        found=first,
        allowed="a quoted text",
    )


def explained(words: Sequence[str], error: InvalidSchedule) -> InvalidSchedule:
    """`error`, or the hint about quotes where some of several words are names of files in this folder."""
    return expanded(words) if len(words) > 1 and set(words) & set(_files()) else error


def _files() -> list[str]:
    """What a shell puts in place of `*`: the names that do not start with a dot."""
    return [name for name in os.listdir() if not name.startswith(".")]  # noqa: PTH208 - pathlib takes 4 ms to load


def _whole_folder(words: Sequence[str]) -> bool:
    """Whether all names of the folder stand side by side among the words, as only a shell writes them."""
    names = _files()
    size = len(names)
    if not 0 < size <= len(words):
        return False
    return any(sorted(words[i : i + size]) == sorted(names) for i in range(len(words) - size + 1))
