"""What comes from outside, made storable: text without NUL and lone surrogates, JSON of a bounded size.

Pure, and it never raises for what a handler returned: a value that is not JSON is a fact about a run, not an error of
the database (design document 4, "One bad row").
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any, Final

from rota.errors import InvalidValue

RESULT_LIMIT: Final = 64 * 1024
"""Characters of JSON that a result may have."""

_BAD: Final = re.compile("[\x00\ud800-\udfff]")
_BAD_JSON: Final = re.compile(r"\\u0000|[\ud800-\udfff]")
_SCALAR: Final = 16
_DEPTH: Final = 100
_HEAD: Final = 1024


@dataclass(frozen=True, slots=True)
class Stored:
    """JSON text that every database takes, and what had to be changed for it (None: nothing)."""

    text: str
    note: str | None = None


def findable(field: str, text: object) -> str:
    """`text`, which somebody looks for; raises InvalidValue where it is no text, or holds what no stored text has."""
    if not isinstance(text, str):
        raise InvalidValue(f"{field}: {text!r} is no text")
    if _BAD.search(text):
        raise InvalidValue(f"{field}: {text!r} holds NUL or half a character, which no stored text has")
    return text


def clean_text(text: str, limit: int | None = None) -> str:
    """`text` with U+FFFD for NUL and lone surrogates, surrogate pairs joined; the middle cut out above `limit`.

    The result has at most `limit` characters; a cut is shown as "… N characters cut …". Head and tail are kept, because
    a trace tells the start in the one and the error in the other.
    """
    if limit is not None and len(text) > limit:
        mark = f"\n… {len(text) - limit} characters cut …\n"
        room = max(limit - len(mark), 0)
        text = (text[: room - room // 2] + mark + text[len(text) - room // 2 :])[:limit]
    if not _BAD.search(text):
        return text
    paired = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return paired.replace("\x00", "\ufffd")


def clean(value: Any) -> Any:
    """A JSON value (or text, or None) that every database takes: NUL, lone surrogates and non-finite numbers replaced."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, (list, tuple)):
        return [clean(item) for item in value]
    if isinstance(value, dict):
        return {clean_text(str(key)): clean(item) for key, item in value.items()}
    return value


def is_clean(text: str) -> bool:
    """Whether `text` has neither NUL nor a lone surrogate, so that it can be stored as it is."""
    return not _BAD.search(text)


def storable(value: object, limit: int = RESULT_LIMIT) -> Stored:
    """`value` as JSON text of about `limit` characters at most.

    - JSON values stay what they are (tuples become arrays, keys become text, as in Python's `json`).
    - NUL and lone surrogates in them are replaced by U+FFFD.
    - What is not JSON (an object, a set, bytes, NaN, a cycle) becomes `{"$repr": TEXT, "type": NAME}`.
    - What is too large becomes `{"$truncated": true, "type": NAME, "size": LENGTH, "head": TEXT}`, where LENGTH is the
      value's own: characters of a text, items of a container.

    Costs time and memory of the order of `limit`, not of the value; never raises.
    """
    kind = type(value).__name__
    try:
        return _as_json(value, kind, limit)
    except Exception:  # noqa: BLE001 - the value's own methods may raise anything; that it is not JSON is the answer
        head = repr(bytes(value[:_HEAD])) if isinstance(value, (bytes, bytearray)) else safe_repr(value)
        shown = {"$repr": clean_text(head, _HEAD), "type": kind}
        return Stored(_dump(shown), f"the result, of type {kind}, is not JSON; its repr was stored")


def _as_json(value: object, kind: str, limit: int) -> Stored:
    if _weight(value, limit) > limit:
        return _truncated(value, kind, _head(value))
    text = json.dumps(value, allow_nan=False, ensure_ascii=False)
    if _BAD_JSON.search(text):
        cleaned = json.dumps(_cleaned(value), allow_nan=False, ensure_ascii=False)
        return Stored(cleaned, None if cleaned == text else "NUL or lone surrogates in the result were replaced")
    return _truncated(value, kind, text[:_HEAD]) if len(text) > 2 * limit else Stored(text)


def safe_repr(value: object) -> str:
    """`repr(value)`, or words where the object's own `__repr__` fails."""
    try:
        return repr(value)
    except BaseException as error:  # noqa: BLE001 - the object's own code; whatever it raises is not our run's outcome
        return f"<{type(value).__name__}, whose repr raised {type(error).__name__}>"


def _truncated(value: object, kind: str, head: str) -> Stored:
    size = len(value) if isinstance(value, (str, list, tuple, dict)) else None
    shown = {"$truncated": True, "type": kind, "size": size, "head": clean_text(head)}
    return Stored(_dump(shown), f"the result is too large to be stored ({kind}); its head was stored")


def _dump(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def _weight(value: object, limit: int) -> int:
    """A lower bound of the length of the value's JSON, counted no further than just above `limit`."""
    total = 0
    stack: list[Any] = [value]
    while stack and total <= limit:
        item = stack.pop()
        if isinstance(item, str):
            total += len(item) + 2
        elif isinstance(item, dict):
            total += 2 + 4 * len(item)
            if total <= limit:
                stack.extend(item)
                stack.extend(item.values())
        elif isinstance(item, (list, tuple)):
            total += 2 + 2 * len(item)
            if total <= limit:
                stack.extend(item)
        else:
            total += item.bit_length() // 4 if isinstance(item, int) else 1
    return total


def _head(value: object) -> str:
    """The start of the JSON of a large value, from a copy that is pruned to a few items of a few characters."""
    if isinstance(value, str):
        return value[:_HEAD]
    try:
        return json.dumps(_pruned(value, 4), ensure_ascii=False, default=safe_repr)[:_HEAD]
    except (TypeError, ValueError, RecursionError):
        return safe_repr(type(value))


def _pruned(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return value[:_HEAD]
    if isinstance(value, int) and value.bit_length() > 1024:
        return "a whole number of more than 300 digits"
    if isinstance(value, (list, tuple)):
        return [_pruned(item, depth - 1) for item in value[:_SCALAR]] if depth else "…"
    if isinstance(value, dict):
        pairs = zip(range(_SCALAR), value.items(), strict=False)
        return {str(key)[:_HEAD]: _pruned(item, depth - 1) for _, (key, item) in pairs} if depth else "…"
    return value


def _cleaned(value: Any, depth: int = _DEPTH) -> Any:
    if depth == 0:
        raise ValueError("too deep")
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, (list, tuple)):
        return [_cleaned(item, depth - 1) for item in value]
    if isinstance(value, dict):
        return {clean_text(k) if isinstance(k, str) else k: _cleaned(v, depth - 1) for k, v in value.items()}
    return value
