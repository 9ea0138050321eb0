"""A handler's parameters: read from its signature once, checked before a run is written, restored typed at the call.

Stored arguments are JSON. Each is read by pydantic in its strict JSON mode: a text is no number and 1.5 no whole one,
but an ISO date is a date, an array a tuple or set, an object a dataclass or model, as the parameter's annotation says.
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, get_type_hints

import pydantic
import pydantic_core

from rota.engine.context import Context
from rota.errors import InvalidArguments, InvalidValue
from rota.model.storable import is_clean, safe_repr

if sys.version_info >= (3, 14):
    import annotationlib

SIZE_LIMIT: Final = 1024 * 1024
"""Characters of JSON that all arguments of a run may have."""

_VARIADIC: Final = inspect.Parameter.VAR_KEYWORD
Fault = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: `adapter` reads and checks it (None: any JSON value)."""

    name: str
    required: bool
    positional: bool
    adapter: pydantic.TypeAdapter[Any] | None
    default: Any = None

    @property
    def schema(self) -> dict[str, Any]:
        """Its JSON Schema, as far as it has one."""
        found: dict[str, Any] = {}
        if self.adapter is not None:
            try:
                found = self.adapter.json_schema()
            except pydantic.PydanticUserError:
                found = {}
        if not self.required and self.default is not None:
            try:
                found = found | {"default": json.loads(json.dumps(self.default, allow_nan=False))}
            except (TypeError, ValueError):
                return found
        return found


@dataclass(frozen=True, slots=True)
class Parameters:
    """All parameters of a handler but its context.

    `context` is the name of the context parameter, or None; `rest` tells that `**kwargs` takes what has no parameter.
    """

    by_name: Mapping[str, Parameter] = field(default_factory=dict)
    context: str | None = None
    context_positional: bool = False
    rest: bool = False

    def schema(self) -> dict[str, Any]:
        """A JSON Schema of the arguments' object."""
        return {
            "type": "object",
            "properties": {p.name: p.schema for p in self.by_name.values()},
            "required": [p.name for p in self.by_name.values() if p.required],
            "additionalProperties": self.rest,
        }

    def check(self, args: object, job: str) -> dict[str, Any]:
        """`args` as the JSON object to store; values such as dates and dataclasses become their JSON.

        Raises InvalidArguments with every fault at once: no object, missing, unknown, wrongly typed, not JSON,
        unstorable (NUL, lone surrogates), too large.
        """
        if not isinstance(args, Mapping):
            raise InvalidArguments(
                f"job {job}: arguments are {safe_repr(args)[:80]}, not an object of names and values"
            )
        stored: dict[str, Any] = {}
        faults: list[Fault] = []
        for name, value in args.items():
            stored[str(name)] = self._take(name, value, faults)
        faults += [
            _fault(p.name, "missing, and it has no default")
            for p in self.by_name.values()
            if p.required and p.name not in args
        ]
        if not faults and len(json.dumps(stored, ensure_ascii=False)) > SIZE_LIMIT:
            faults.append({"pointer": "/args", "detail": f"more than {SIZE_LIMIT} characters of JSON"})
        _raise_faults(job, faults)
        return stored

    def _take(self, name: object, value: object, faults: list[Fault]) -> Any:
        """The JSON of one argument; what is wrong with it goes to `faults`."""
        if not isinstance(name, str) or not is_clean(name):
            faults.append(_fault(safe_repr(name), "not a name"))
            return None
        if name not in self.by_name and not self.rest:
            known = ", ".join(self.by_name) or "none"
            faults.append(_fault(name, f"unknown; parameters are: {known}"))
            return None
        parameter = self.by_name.get(name)
        try:
            text = _json_of(value)
            if parameter is not None:
                _read(parameter, text)
        except InvalidArguments as error:
            faults.extend(
                {"pointer": f"/args/{_escape(name)}{e['pointer']}", "detail": e["detail"]} for e in error.errors
            )
            return None
        return json.loads(text)

    def bind(self, args: Mapping[str, Any], context: Context | None, job: str) -> tuple[list[Any], dict[str, Any]]:
        """What to call the handler with, each value restored to its parameter's type.

        Raises InvalidArguments where stored arguments no longer fit: the handler may be newer than the run.
        """
        if not args and not self.by_name and self.context is None:
            return [], {}
        faults: list[Fault] = []
        positional: list[Any] = []
        named: dict[str, Any] = {}
        if self.context is not None and self.context_positional:
            positional.append(context)
        for name, parameter in self.by_name.items():
            if name not in args and parameter.required:
                faults.append(_fault(name, "missing, and it has no default"))
            value = parameter.default if name not in args else _restored(parameter, args[name], faults)
            if parameter.positional:
                positional.append(value)
            elif name in args:
                named[name] = value
        for name in args:
            if name not in self.by_name:
                if self.rest:
                    named[name] = args[name]
                else:
                    faults.append(_fault(name, "unknown"))
        _raise_faults(job, faults)
        if self.context is not None and not self.context_positional:
            named[self.context] = context
        return positional, named

    def read_texts(self, pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
        """Arguments from texts of a command line: a text where the parameter takes one, else JSON, else the text."""
        return {name: self._read_text(name, text) for name, text in pairs}

    def _read_text(self, name: str, text: str) -> Any:
        parameter = self.by_name.get(name)
        if parameter is not None and parameter.adapter is not None:
            try:
                _read(parameter, _json_of(text))
            except InvalidArguments:
                pass  # not a text for it: it may be the JSON of something else
            else:
                return text
        try:
            return json.loads(text)
        except ValueError:
            return text


def _fault(name: str, detail: str) -> Fault:
    return {"pointer": f"/args/{_escape(name)}", "detail": detail}


def _escape(name: str) -> str:
    """A piece of a JSON pointer (RFC 6901)."""
    return name.replace("~", "~0").replace("/", "~1")


def _raise_faults(job: str, faults: list[Fault]) -> None:
    if faults:
        shown = "; ".join(f"{f['pointer'].removeprefix('/args/')}: {f['detail']}" for f in faults)
        raise InvalidArguments(f"job {job}: {shown}", errors=faults)


def _json_of(value: object) -> str:
    """The JSON text of one argument; InvalidArguments with pointers relative to it."""
    try:
        text = json.dumps(pydantic_core.to_jsonable_python(value), allow_nan=False, ensure_ascii=False)
    except (ValueError, TypeError, RecursionError, UnicodeError):
        raise _not_storable(f"not JSON: {safe_repr(value)[:80]}") from None
    if not is_clean(text) or "\\u0000" in text.replace("\\\\", ""):
        raise _not_storable("holds NUL or a lone surrogate, which no database stores")
    return text


def _not_storable(detail: str) -> InvalidArguments:
    return InvalidArguments(detail, errors=[{"pointer": "", "detail": detail}])


def _read(parameter: Parameter, text: str) -> Any:
    """One argument, typed, from its JSON; InvalidArguments with pointers relative to it."""
    if parameter.adapter is None:
        return json.loads(text)
    try:
        return parameter.adapter.validate_json(text, strict=True)
    except pydantic.ValidationError as error:
        faults = [
            {"pointer": "".join(f"/{_escape(str(piece))}" for piece in e["loc"]), "detail": e["msg"]}
            for e in error.errors(include_url=False, include_context=False, include_input=False)
        ]
        raise InvalidArguments(str(faults[0]["detail"]), errors=faults) from None


def _restored(parameter: Parameter, value: Any, faults: list[Fault]) -> Any:
    if parameter.adapter is None:
        return value
    try:
        return _read(parameter, json.dumps(value, ensure_ascii=False))
    except InvalidArguments as error:
        name = _escape(parameter.name)
        faults.extend({"pointer": f"/args/{name}{e['pointer']}", "detail": e["detail"]} for e in error.errors)
        return None


def parameters_of(handler: Callable[..., Any]) -> Parameters:
    """Read a handler's signature. Raises InvalidValue for one whose arguments cannot come from a JSON object."""
    name = getattr(handler, "__qualname__", safe_repr(handler))
    found: dict[str, Parameter] = {}
    context: str | None = None
    context_positional = rest = False
    hints = _hints(handler)
    for parameter in _signature(handler).parameters.values():
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            raise InvalidValue(f"handler {name}: *{parameter.name} cannot be filled; arguments have names")
        if parameter.kind is _VARIADIC:
            rest = True
        elif context is None and _is_context(parameter, hints):
            context, context_positional = parameter.name, parameter.kind is inspect.Parameter.POSITIONAL_ONLY
            if context_positional and found:
                raise InvalidValue(f"handler {name}: a positional-only context has to be the first parameter")
        else:
            found[parameter.name] = _parameter(parameter, hints, name)
    return Parameters(found, context, context_positional, rest)


def _parameter(parameter: inspect.Parameter, hints: Mapping[str, Any], handler: str) -> Parameter:
    annotation = hints.get(parameter.name, Any)
    if isinstance(annotation, str):
        raise InvalidValue(
            f"handler {handler}: the annotation {annotation!r} of {parameter.name} cannot be resolved when it is "
            "registered; import that name at the top of its module, not under TYPE_CHECKING"
        )
    try:
        adapter = None if annotation is Any else pydantic.TypeAdapter(annotation)
    except (pydantic.PydanticUserError, pydantic_core.PydanticCustomError) as error:
        reason = str(error).split("\n", 1)[0]
        raise InvalidValue(f"handler {handler}: {parameter.name} has a type that JSON cannot fill: {reason}") from None
    required = parameter.default is inspect.Parameter.empty
    positional = parameter.kind is inspect.Parameter.POSITIONAL_ONLY
    return Parameter(parameter.name, required, positional, adapter, None if required else parameter.default)


def _is_context(parameter: inspect.Parameter, hints: Mapping[str, Any]) -> bool:
    """By its annotation (also as text, also `Context | None`), or, where it has none, by the name ctx."""
    hint = hints.get(parameter.name)
    if hint is None:
        return parameter.name == "ctx"
    if isinstance(hint, str):
        return hint.split("|", 1)[0].strip().rsplit(".", 1)[-1] == "Context"
    options = (hint, *getattr(hint, "__args__", ()))
    return any(isinstance(option, type) and issubclass(option, Context) for option in options)


def _hints(handler: Callable[..., Any]) -> dict[str, Any]:
    """Each parameter's annotation, resolved; one that cannot be resolved stays the text that it is."""
    plain = inspect.unwrap(handler)
    try:
        return get_type_hints(plain, localns=_enclosed(plain), include_extras=True)
    except (NameError, AttributeError, TypeError):
        return _hints_one_by_one(plain)


def _signature(handler: Callable[..., Any]) -> inspect.Signature:
    """The signature, without evaluating annotations: from 3.14 on that fails where a name is known to type checkers only."""
    if sys.version_info >= (3, 14):
        return inspect.signature(handler, annotation_format=annotationlib.Format.STRING)
    return inspect.signature(handler)


def _annotations(plain: Callable[..., Any]) -> dict[str, Any]:
    if sys.version_info >= (3, 14):
        return annotationlib.get_annotations(plain, format=annotationlib.Format.STRING)
    return getattr(plain, "__annotations__", {})


def _hints_one_by_one(plain: Callable[..., Any]) -> dict[str, Any]:
    hints: dict[str, Any] = {}
    for name, annotation in _annotations(plain).items():
        holder = type("Holder", (), {"__annotations__": {name: annotation}})
        try:
            known = getattr(plain, "__globals__", {})
            hints.update(get_type_hints(holder, globalns=known, localns=_enclosed(plain), include_extras=True))
        except (NameError, AttributeError, TypeError):
            hints[name] = annotation if isinstance(annotation, str) else Any
    return hints


def _enclosed(plain: Callable[..., Any]) -> dict[str, Any]:
    """The names that a nested function closes over: annotations may use them."""
    code, cells = getattr(plain, "__code__", None), getattr(plain, "__closure__", None)
    values: dict[str, Any] = {}
    for name, cell in zip(code.co_freevars if code else (), cells or (), strict=False):
        try:
            values[name] = cell.cell_contents
        except ValueError:  # not bound yet
            continue
    return values
