"""Names -> handlers, and the arguments they take."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, date, datetime
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any

import pydantic
import pytest

from rota.engine.context import Context, GiveUp, TryAgain
from rota.engine.registry import Registry, check_args, python_job, target_job
from rota.errors import Conflict, InvalidArguments, InvalidValue
from rota.targets.http import Http
from rota.targets.shell import Command, Shell
from tests.unit.engine import invoke_handlers as h

if TYPE_CHECKING:
    from decimal import Decimal


class Colour(Enum):
    RED = "red"


class Model(pydantic.BaseModel):
    n: int


class Shape(pydantic.BaseModel):
    size: Annotated[int, pydantic.Field(gt=0)]


@dataclasses.dataclass
class Plain:
    at: datetime


def archive(ctx: Context, workspace: str, keep_days: int = 30) -> int:
    return keep_days


def rich(colour: Colour, model: Model, plain: Plain, shape: Shape, ratio: float = 1) -> None: ...
def by_name(ctx, a, b=2): ...  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
def by_text(c: "Context", a: int) -> None: ...  # noqa: UP037
def optional(a: int, context: Context | None = None) -> None: ...
def open_ended(a: int, **rest: Any) -> None: ...
def positional(ctx: Context, a: int, /, b: int = 1) -> None: ...
def variadic(*args: int) -> None: ...
def hidden(a: "Decimal") -> None: ...  # noqa: UP037
def strange(a: Registry) -> None: ...
def generator() -> Iterator[int]:
    yield 1


async def async_generator() -> AsyncIterator[int]:
    yield 1


class Holder:
    def method(self) -> None: ...

    @staticmethod
    def static(a: int) -> int:
        return a


def bad(job: Any, args: Any) -> dict[str, str]:
    with pytest.raises(InvalidArguments) as caught:
        check_args(job, args)
    return {e["pointer"]: e["detail"] for e in caught.value.errors}


def test_add_and_get() -> None:
    registry = Registry()
    job = registry.add(python_job(archive, version=2, lane="reports", timeout="5m", retry=3))
    assert (job.name, job.kind, job.version, job.lane, job.policies) == (
        "archive",
        "python",
        2,
        "reports",
        {"timeout": "5m", "retry": 3},
    )
    assert registry.get("archive") is job
    assert registry.get("nope") is None
    registry.add(python_job(archive))
    registry.add(target_job("sweep", Command(("true",))))
    registry.add(target_job("ping", Http("https://example.org")))
    assert (registry.names, len(registry), "sweep" in registry) == (("archive", "sweep", "ping"), 3, True)
    assert [job.kind for job in registry] == ["python", "command", "http"]


def test_two_of_one_name_are_refused() -> None:
    registry = Registry()
    registry.add(python_job(archive))
    with pytest.raises(Conflict, match=r"job archive: the name is taken by .*test_registry\.archive"):
        registry.add(python_job(by_name, name="archive"))
    with pytest.raises(Conflict):
        registry.add(target_job("archive", Shell("true")))
    registry.add(target_job("s", Shell("true")))
    registry.add(target_job("s", Shell("true")))
    with pytest.raises(Conflict):
        registry.add(target_job("s", Shell("false")))


def test_a_file_read_again_replaces_its_targets() -> None:
    registry = Registry()
    registry.add(python_job(archive))
    registry.add(target_job("old", Shell("true")))
    registry.replace_targets([target_job("new", Shell("true"))])
    assert registry.names == ("archive", "new")
    with pytest.raises(Conflict):
        registry.replace_targets([target_job("archive", Shell("true"))])
    assert registry.names == ("archive", "new")


def local() -> Any:
    def inner() -> int:
        return 1

    return inner


@pytest.mark.parametrize(
    ("handler", "message"),
    [
        (lambda: 1, "lambda"),
        (Holder().method, "bound method"),
        (Holder.method, "a method needs an object"),
        (functools.partial(archive, keep_days=1), "not a function"),
        (Holder, "not a function"),
        (len, "not a function"),
        (local(), "inside a function"),
        (generator, "yields"),
        (async_generator, "yields"),
        (variadic, r"\*args cannot be filled"),
        (hidden, "cannot be resolved"),
        (strange, "a type that JSON cannot fill"),
    ],
)
def test_what_is_refused(handler: Any, message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        python_job(handler)


def test_local_functions_where_they_are_allowed() -> None:
    assert python_job(local(), allow_local=True).name == "inner"
    with pytest.raises(InvalidValue, match="inside a function"):
        python_job(local(), allow_local=True, isolated=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"transactional": True, "isolated": True}, "cannot be combined"),
        ({"transactional": True}, "not available in this version"),
        ({"name": "a/b"}, "is not a name"),
        ({"name": "a@b"}, "is not a name"),
        ({"name": ""}, "is not a name"),
        ({"name": "x" * 201}, "is not a name"),
        ({"name": "a\nb"}, "is not a name"),
        ({"timout": 3}, "timout: unknown option"),
        ({"timeout": "soon"}, "timeout"),
        ({"overlap": "never"}, "overlap"),
        ({"version": "two"}, "version"),
        ({"lane": 3}, "lane"),
        ({"priority": True}, "priority"),
    ],
)
def test_bad_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        python_job(archive, **options)


@pytest.mark.parametrize("handler", [archive, by_name, by_text, optional, positional])
def test_the_context_is_found(handler: Any) -> None:
    parameters = python_job(handler).parameters
    assert parameters is not None
    assert parameters.context in ("ctx", "c", "context")
    assert parameters.context not in parameters.by_name


def test_arguments_are_checked_all_at_once() -> None:
    job = python_job(archive)
    assert check_args(job, {"workspace": "acme"}) == {"workspace": "acme"}
    assert bad(job, {"keep_days": "thirty", "nope": 1, "a/b~": 2}) == {
        "/args/workspace": "missing, and it has no default",
        "/args/keep_days": "Input should be a valid integer",
        "/args/nope": "unknown; parameters are: workspace, keep_days",
        "/args/a~1b~0": "unknown; parameters are: workspace, keep_days",
    }
    not_objects: list[Any] = [[], "x", 3]
    for not_an_object in not_objects:
        with pytest.raises(InvalidArguments, match="not an object"):
            check_args(job, not_an_object)
    assert check_args(python_job(h.answers), None) == {}


def test_types_are_strict_json() -> None:
    job = python_job(archive)
    assert "/args/keep_days" in bad(job, {"workspace": "a", "keep_days": "30"})
    assert "/args/keep_days" in bad(job, {"workspace": "a", "keep_days": 1.5})
    assert "/args/keep_days" in bad(job, {"workspace": "a", "keep_days": True})
    assert "/args/workspace" in bad(job, {"workspace": 3})
    assert check_args(python_job(rich), {
        "colour": "red", "model": {"n": 1}, "plain": {"at": "2026-03-29T12:00:00Z"}, "shape": {"size": 2}, "ratio": 3,
    })["plain"] == {"at": "2026-03-29T12:00:00Z"}  # fmt: skip
    assert set(bad(python_job(rich), {
        "colour": "blue", "model": {"n": "1"}, "plain": {}, "shape": {"size": 0}, "ratio": "1",
    })) == {"/args/colour", "/args/model/n", "/args/plain/at", "/args/shape/size", "/args/ratio"}  # fmt: skip


def test_python_values_become_json() -> None:
    at = datetime(2026, 3, 29, 12, tzinfo=UTC)
    stored = check_args(
        python_job(rich), {"colour": Colour.RED, "model": Model(n=1), "plain": Plain(at), "shape": Shape(size=1)}
    )
    assert stored == {"colour": "red", "model": {"n": 1}, "plain": {"at": "2026-03-29T12:00:00Z"}, "shape": {"size": 1}}
    assert check_args(python_job(h.typed_async), {"day": date(2026, 3, 29)}) == {"day": "2026-03-29"}


def test_what_no_database_stores_is_refused() -> None:
    job = python_job(open_ended)
    found = bad(job, {"a": 1, "nul": "a\0", "surrogate": "\ud800", "nan": float("nan"), "object": object(), "b\0": 1})
    assert set(found) == {"/args/nul", "/args/surrogate", "/args/nan", "/args/object", "/args/'b\\x00'"}
    assert bad(job, {"a": 1, "big": "x" * 1_100_000}) == {"/args": "more than 1048576 characters of JSON"}
    assert check_args(job, {"a": 1, "fine": "\\u0000"}) == {"a": 1, "fine": "\\u0000"}


def test_targets_take_any_object() -> None:
    job = target_job("s", Shell("true"))
    assert check_args(job, {"x-y": [1, {"z": None}]}) == {"x-y": [1, {"z": None}]}
    assert check_args(job, None) == {}


def test_schema() -> None:
    parameters = python_job(archive).parameters
    assert parameters is not None
    assert parameters.schema() == {
        "type": "object",
        "properties": {"workspace": {"type": "string"}, "keep_days": {"type": "integer", "default": 30}},
        "required": ["workspace"],
        "additionalProperties": False,
    }


def test_texts_of_a_command_line() -> None:
    parameters = python_job(archive).parameters
    assert parameters is not None
    assert parameters.read_texts([("workspace", "30"), ("keep_days", "30"), ("other", "[1]"), ("word", "plain")]) == {
        "workspace": "30",
        "keep_days": 30,
        "other": [1],
        "word": "plain",
    }


def test_bind_positional_only() -> None:
    parameters = python_job(positional).parameters
    assert parameters is not None
    context: Any = object()
    assert parameters.bind({"a": 1}, context, "j") == ([context, 1], {})
    assert parameters.bind({"a": 1, "b": 2}, context, "j") == ([context, 1], {"b": 2})


def test_signals_of_handlers() -> None:
    assert TryAgain("10m").delay is not None
    assert TryAgain().delay is None
    with pytest.raises(InvalidValue):
        TryAgain("soon")
    assert str(GiveUp("no such customer")) == "no such customer"
