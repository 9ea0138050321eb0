"""Checks arguments against the JSON Schema that a job's registry row keeps: the part of it that types produce.

This is the check of processes that have not loaded the job's code. Keywords that are not known here allow everything:
the worker, which has the types, checks again before it calls.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from rota.errors import InvalidArguments

Schema = Mapping[str, Any]
Fault = dict[str, Any]

_DEPTH: Final = 50
_TYPES: Final[dict[str, Callable[[Any], bool]]] = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
}
_BOUNDS: Final[dict[str, tuple[str, Callable[[Any, Any], bool]]]] = {
    "minimum": ("less than", lambda v, b: v < b),
    "maximum": ("more than", lambda v, b: v > b),
    "exclusiveMinimum": ("not more than", lambda v, b: v <= b),
    "exclusiveMaximum": ("not less than", lambda v, b: v >= b),
}
_SIZES: Final[dict[str, tuple[type, str, Callable[[int, int], bool]]]] = {
    "minLength": (str, "shorter than", lambda n, b: n < b),
    "maxLength": (str, "longer than", lambda n, b: n > b),
    "minItems": (list, "shorter than", lambda n, b: n < b),
    "maxItems": (list, "longer than", lambda n, b: n > b),
}


def check_arguments(job: str, args: Mapping[str, Any], schema: Schema | None) -> None:
    """Raise InvalidArguments with every fault of `args`; a schema of None allows any object."""
    if schema is None:
        return
    faults = _faults(dict(args), schema, schema, "/args", 0)
    if faults:
        listed = "; ".join(f"{fault['pointer']}: {fault['detail']}" for fault in faults)
        raise InvalidArguments(f"job {job}: {listed}", errors=faults)


def _faults(value: Any, schema: Any, root: Schema, where: str, depth: int) -> list[Fault]:
    if not isinstance(schema, Mapping) or depth > _DEPTH:
        return [] if schema is not False else [_fault(where, "unknown")]
    schema = _resolved(schema, root)
    wrong = _wrong_type(value, schema)
    if wrong:
        return [_fault(where, wrong)]
    found = _value_faults(value, schema, where)
    found += _any_of(value, schema, root, where, depth)
    if isinstance(value, dict):
        found += _object_faults(value, schema, root, where, depth)
    elif isinstance(value, list):
        prefix = schema.get("prefixItems", [])
        for number, item in enumerate(value):
            inner = prefix[number] if number < len(prefix) else schema.get("items", True)
            found += _faults(item, inner, root, f"{where}/{number}", depth + 1)
    return found


def _resolved(schema: Schema, root: Schema) -> Schema:
    """The schema that a `$ref` within the same document names (`#/…`), or the schema itself.

    A parameter's own schema brings its `$defs` along, so the document is the parameter's where the root has no such path.
    """
    name = schema.get("$ref")
    if not isinstance(name, str) or not name.startswith("#/"):
        return schema
    for document in (root, *(p for p in root.get("properties", {}).values() if isinstance(p, Mapping))):
        found: Any = document
        for part in name[2:].split("/"):
            found = found.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(found, Mapping) else None
        if isinstance(found, Mapping):
            return found
    return {}


def _wrong_type(value: Any, schema: Schema) -> str | None:
    kinds = schema.get("type")
    if kinds is None:
        return None
    allowed = [kinds] if isinstance(kinds, str) else list(kinds)
    if any(_TYPES.get(kind, lambda _: True)(value) for kind in allowed):
        return None
    return f"{value!r:.80} is not of type {' or '.join(allowed)}"


def _value_faults(value: Any, schema: Schema, where: str) -> list[Fault]:
    found = []
    if "enum" in schema and value not in schema["enum"]:
        found.append(_fault(where, f"{value!r:.80} is not one of {', '.join(map(repr, schema['enum']))}"))
    if "const" in schema and value != schema["const"]:
        found.append(_fault(where, f"{value!r:.80} is not {schema['const']!r}"))
    if _TYPES["number"](value):
        for word, (text, wrong) in _BOUNDS.items():
            if word in schema and wrong(value, schema[word]):
                found.append(_fault(where, f"{value!r} is {text} {schema[word]!r}"))
    for word, (kind, text, too) in _SIZES.items():
        if word in schema and isinstance(value, kind) and too(len(value), schema[word]):  # type: ignore[arg-type]
            found.append(_fault(where, f"{text} {schema[word]}"))
    if "pattern" in schema and isinstance(value, str) and not re.search(schema["pattern"], value[:10_000]):
        found.append(_fault(where, f"{value!r:.80} does not match {schema['pattern']}"))
    return found


def _any_of(value: Any, schema: Schema, root: Schema, where: str, depth: int) -> list[Fault]:
    found: list[Fault] = []
    for word in ("anyOf", "oneOf"):
        options = schema.get(word)
        if options and all(_faults(value, option, root, where, depth + 1) for option in options):
            found.append(_fault(where, f"{value!r:.80} fits none of the types that are allowed"))
    for part in schema.get("allOf", ()):
        found += _faults(value, part, root, where, depth + 1)
    return found


def _object_faults(value: dict[str, Any], schema: Schema, root: Schema, where: str, depth: int) -> list[Fault]:
    known = schema.get("properties", {})
    rest = schema.get("additionalProperties", True)
    found = [_fault(f"{where}/{_escaped(n)}", "missing") for n in schema.get("required", ()) if n not in value]
    for name, item in value.items():
        place = f"{where}/{_escaped(name)}"
        if name in known:
            found += _faults(item, known[name], root, place, depth + 1)
        elif rest is False:
            found.append(_fault(place, f"unknown; parameters are: {', '.join(known) or 'none'}"))
        else:
            found += _faults(item, rest, root, place, depth + 1)
    return found


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _fault(pointer: str, detail: str) -> Fault:
    return {"pointer": pointer, "detail": detail}
