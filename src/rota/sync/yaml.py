"""YAML text to JSON values with the place of each: YAML 1.2 core typing, everything bounded, every fault collected.

PyYAML's C parser (or its Python twin) delivers events; typing and composing are our own. PyYAML's composer is not used
because it recurses, keeps the last of duplicate keys, and types by YAML 1.1, where 12:30 is 750 and `NO` is false.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import yaml

from rota.model.storable import is_clean

MAX_BYTES: Final = 1024 * 1024
"""Size of a file."""
MAX_NODES: Final = 200_000
"""Values of a file, those that aliases repeat counted each time."""
MAX_DEPTH: Final = 50
"""Levels of nesting, aliases followed."""

Path = tuple[str | int, ...]

_CORE: Final = "tag:yaml.org,2002:"
_UNPRINTABLE: Final = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NULL: Final = frozenset(("", "~", "null", "Null", "NULL"))
_BOOL: Final = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_DECIMAL: Final = re.compile(r"[-+]?[0-9]+", re.ASCII)
_OCTAL: Final = re.compile(r"0o[0-7]+")
_HEX: Final = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", re.ASCII)
_NOT_FINITE: Final = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_KINDS: Final = {"null": (type(None),), "bool": (bool,), "int": (int,), "float": (float, int)}
_LONGEST_NUMBER: Final = 300
_LOADER: Final[Any] = getattr(yaml, "CLoader", yaml.Loader)


class Place(NamedTuple):
    """Where something stands; both count from 1."""

    line: int
    column: int


START: Final = Place(1, 1)


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong: at which path of the document, what, where."""

    path: Path
    detail: str
    place: Place = START


@dataclass(frozen=True, slots=True)
class Document:
    """A file as JSON values. `values` and `keys` have the place of every value and of every mapping's key."""

    value: Any
    values: Mapping[Path, Place] = field(default_factory=dict)
    keys: Mapping[Path, Place] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()

    def place(self, path: Path, *, key: bool = False) -> Place:
        """The place of the value (or of its key) at `path`; of the nearest thing around it where there is none."""
        if key and path in self.keys:
            return self.keys[path]
        while path and path not in self.values:
            path = path[:-1]
        return self.values.get(path, START)


class _Stop(Exception):  # noqa: N818 - it ends the reading, and is never seen outside
    """Reading cannot go on."""

    def __init__(self, detail: str, place: Place) -> None:
        self.fault = Fault((), detail, place)


@dataclass(slots=True)
class _Node:
    """A value, a list of nodes, or (with `keys`) a mapping. `size` and `depth` count what aliases stand for."""

    place: Place
    value: Any = None
    items: list[_Node] | None = None
    keys: list[tuple[str, Place]] | None = None
    size: int = 1
    depth: int = 1
    anchor: str | None = None
    open_key: tuple[str, Place] | None = None


def read(data: bytes) -> Document:
    """The document in `data`. Never raises: what is wrong is in `faults`, and `value` is what could be read of it."""
    if len(data) > MAX_BYTES:
        return _failed(f"the file has {len(data):,} bytes; at most {MAX_BYTES:,} are read", START)
    try:
        text = data.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError as error:
        return _failed(
            f"byte 0x{data[error.start]:02x} is not UTF-8 text; save the file as UTF-8", _place_at(data, error)
        )
    bad = _UNPRINTABLE.search(text)
    if bad:
        before = text[: bad.start()]
        place = Place(before.count("\n") + 1, len(before) - before.rfind("\n"))
        return _failed(f"the character U+{ord(bad[0]):04X} may not stand in a YAML file", place)
    composer = _Composer()
    try:
        root = composer.compose(text)
    except _Stop as stop:
        return Document(None, faults=(*composer.faults, stop.fault))
    return _document(root, composer.faults)


def _failed(detail: str, place: Place) -> Document:
    return Document(None, faults=(Fault((), detail, place),))


def _place_at(data: bytes, error: UnicodeDecodeError) -> Place:
    before = data[: error.start]
    line_start = before.rfind(b"\n") + 1
    return Place(before.count(b"\n") + 1, len(before[line_start:].decode("utf-8", "replace")) + 1)


def _place(mark: Any) -> Place:
    return Place(mark.line + 1, mark.column + 1)


def _events(text: str) -> Iterator[Any]:
    """PyYAML's events. Raises _Stop where the text is not YAML."""
    last = START
    try:
        loader = _LOADER(text)
        try:
            while loader.check_event():
                event = loader.get_event()
                last = _place(event.start_mark)
                yield event
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        raise _marked(error, last) from None
    except (yaml.YAMLError, ValueError, OverflowError) as error:  # the Python parser's own, for bad \U escapes
        raise _Stop(f"not YAML: {error}", last) from None


def _marked(error: yaml.MarkedYAMLError, last: Place) -> _Stop:
    what = ": ".join(part for part in (error.context, error.problem) if part)
    mark, begin = error.problem_mark or error.context_mark, error.context_mark
    if begin is not None and "alias" in what:  # the parser points behind the `*`
        mark = begin
    elif begin is not None and mark is not None and begin.line != mark.line:
        what += f" (it begins in line {begin.line + 1})"
    return _Stop(f"not YAML: {what}{_hint(what)}", _place(mark) if mark else last)


def _hint(problem: str) -> str:
    if "found character that cannot start any token" in problem:
        return " (a text that begins with *, &, @, %, ` or a tab belongs in quotes)"
    if "mapping values are not allowed" in problem:
        return ' (a text that holds ": " belongs in quotes)'
    if "did not find expected alphabetic or numeric character" in problem:
        return " (a text that begins with * or &, such as a cron expression, belongs in quotes)"
    return ""


class _Composer:
    """Builds one node from events; `stack` has the collections that are open."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.stack: list[_Node] = []
        self.anchors: dict[str, _Node | None] = {}
        self.root: _Node | None = None

    def compose(self, text: str) -> _Node:
        """The one document of `text`. Raises _Stop for what ends the reading."""
        documents = 0
        for event in _events(text):
            place = _place(event.start_mark)
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise _Stop("a second document begins here; a file holds one", place)
            elif isinstance(event, yaml.ScalarEvent):
                self.scalar(event, place)
            elif isinstance(event, yaml.AliasEvent):
                self.alias(str(event.anchor), place)
            elif isinstance(event, yaml.CollectionStartEvent):
                self.open(event, place)
            elif isinstance(event, yaml.CollectionEndEvent):
                self.close()
        return self.root or _Node(START)

    def fault(self, detail: str, place: Place) -> None:
        """Note what does not end the reading."""
        self.faults.append(Fault((), detail, place))

    def scalar(self, event: yaml.ScalarEvent, place: Place) -> None:
        """A text, number, boolean or null; as a key it stays what was written."""
        if not is_clean(event.value):
            self.fault("the text holds NUL or half a surrogate pair, which cannot be stored", place)
        node = _Node(place)
        if self.stack and self.stack[-1].keys is not None and self.stack[-1].open_key is None:
            node.value = event.value
        else:
            node.value = self.typed(event, place)
        if event.anchor:
            self.anchors[event.anchor] = node
        self.add(node)

    def typed(self, event: yaml.ScalarEvent, place: Place) -> Any:
        """The value by YAML 1.2's core schema."""
        text: str = event.value
        try:
            if event.tag in (None, "!"):
                return plain(text) if event.implicit[0] and event.tag is None else text
            return _tagged(str(event.tag), text)
        except ValueError as error:
            self.fault(str(error), place)
            return None

    def alias(self, anchor: str, place: Place) -> None:
        """The anchor's node again."""
        if anchor not in self.anchors:
            raise _Stop(f"*{anchor} stands for nothing: there is no &{anchor} before it (a text goes in quotes)", place)
        node = self.anchors[anchor]
        if node is None:
            raise _Stop(f"*{anchor} stands inside of what it stands for", place)
        self.add(node)

    def open(self, event: Any, place: Place) -> None:
        """A list or mapping begins."""
        mapping = isinstance(event, yaml.MappingStartEvent)
        if len(self.stack) >= MAX_DEPTH:
            raise _Stop(f"nested deeper than {MAX_DEPTH} levels", place)
        if event.tag not in (None, _CORE + ("map" if mapping else "seq")):
            self.fault(f"the tag {_shown(event.tag)} is not known; a file holds plain values", place)
        if event.anchor:
            self.anchors[event.anchor] = None
        self.stack.append(_Node(place, items=[], keys=[] if mapping else None, anchor=event.anchor))

    def close(self) -> None:
        """The innermost list or mapping ends."""
        node = self.stack.pop()
        if node.anchor:
            self.anchors[node.anchor] = node
        self.add(node)

    def add(self, node: _Node) -> None:
        """Put a finished node where it belongs."""
        if not self.stack:
            self.root = node
            return
        parent = self.stack[-1]
        if parent.keys is not None and parent.open_key is None:
            parent.open_key = (self.key(node), node.place)
            return
        parent.size += node.size
        parent.depth = max(parent.depth, node.depth + 1)
        if parent.size > MAX_NODES or len(self.stack) + node.depth > MAX_DEPTH + 1:
            raise _Stop(f"more than {MAX_NODES:,} values or {MAX_DEPTH} levels, aliases followed", node.place)
        if parent.open_key is not None and parent.keys is not None:
            parent.keys.append(parent.open_key)
            parent.open_key = None
        if parent.items is not None:
            parent.items.append(node)

    def key(self, node: _Node) -> str:
        """A key as text."""
        if node.items is not None:
            self.fault("a key is a text, not a list or mapping (a text with braces goes in quotes)", node.place)
            return ""
        return str(node.value)


def plain(text: str) -> Any:
    """What an unquoted scalar means in YAML 1.2's core schema. Raises ValueError for numbers that JSON cannot hold."""
    if text in _NULL:
        return None
    if text in _BOOL:
        return _BOOL[text]
    if _NOT_FINITE.fullmatch(text):
        raise ValueError(f"{text} is not a number that JSON can hold; a text goes in quotes")
    if not _FLOAT.fullmatch(text) and not _OCTAL.fullmatch(text) and not _HEX.fullmatch(text):
        return text
    if len(text) > _LONGEST_NUMBER:
        raise ValueError(f"a number of {len(text)} digits; a text goes in quotes")
    return _number(text)


def _number(text: str) -> int | float:
    if _DECIMAL.fullmatch(text):
        return int(text)
    if text.startswith(("0o", "0x")):
        return int(text, 8 if text[1] == "o" else 16)
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"{text} is too large a number; a text goes in quotes")
    return value


def _tagged(tag: str, text: str) -> Any:
    kind = tag.removeprefix(_CORE)
    if tag == _CORE + "str":
        return text
    if tag != _CORE + kind or kind not in _KINDS:
        raise ValueError(f"the tag {_shown(tag)} is not known; a file holds plain values")
    value = plain(text)
    if type(value) not in _KINDS[kind]:
        raise ValueError(f"{text!r} is not of the type !!{kind}")
    return value


def _shown(tag: str) -> str:
    return "!!" + tag.removeprefix(_CORE) if tag.startswith(_CORE) else tag


def _document(root: _Node, faults: list[Fault]) -> Document:
    values: dict[Path, Place] = {}
    keys: dict[Path, Place] = {}
    found = list(faults)

    def build(node: _Node, path: Path) -> Any:
        values[path] = node.place
        if node.items is None:
            return node.value
        if node.keys is None:
            return [build(item, (*path, index)) for index, item in enumerate(node.items)]
        made: dict[str, Any] = {}
        for (key, place), item in zip(node.keys, node.items, strict=True):
            inner = (*path, key)
            if key in made:
                first = keys[inner]
                detail = f"the key {key!r} stands here twice; the first is in line {first.line}"
                found.append(Fault(inner, detail, place))
                continue
            keys[inner] = place
            made[key] = build(item, inner)
        return made

    value = build(root, ())
    return Document(value, values, keys, tuple(dict.fromkeys(found)))
