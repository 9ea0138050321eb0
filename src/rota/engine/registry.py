"""Names -> handlers. What is registered here is all that a process can run; a request never names code.

A handler is a plain function. Two of one name are refused; the same function again is the same registration.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from rota.engine.arguments import Parameters, parameters_of
from rota.errors import Conflict, InvalidValue
from rota.model.policy import NAMES, parse_policies
from rota.targets.http import Http
from rota.targets.shell import Command, Shell

Kind = Literal["python", "command", "shell", "http"]
Spec = Command | Shell | Http

HANDLER_ATTRIBUTE: Final = "__rota_handler__"
"""Where an object that stands for a decorated function keeps the function to call (read by isolated children)."""

_KINDS: Final[dict[type, Kind]] = {Command: "command", Shell: "shell", Http: "http"}


@dataclass(frozen=True, slots=True)
class Job:
    """A named unit of work. Made by `python_job` or `target_job`, which check it.

    `policies` has only what was given explicitly; a schedule's own go before them. `parameters` is None where any JSON
    object will do (commands, shell, HTTP).
    """

    name: str
    kind: Kind
    handler: Callable[..., Any] | None = None
    spec: Spec | None = None
    version: int = 1
    lane: str = "default"
    priority: int = 0
    policies: Mapping[str, Any] = field(default_factory=dict)
    transactional: bool = False
    isolated: bool = False
    parameters: Parameters | None = None
    is_async: bool = False


def check_name(name: object, what: str = "job") -> str:
    """`name`, if it is 1-200 printable characters without `/` and `@`; else InvalidValue."""
    good = isinstance(name, str) and 1 <= len(name) <= 200 and name.isprintable() and not re.search("[/@]", name)
    if not good or not isinstance(name, str):
        raise InvalidValue(f"{what}: {name!r} is not a name: 1-200 printable characters without / and @")
    return name


def python_job(
    handler: Callable[..., Any],
    *,
    name: str | None = None,
    transactional: bool = False,
    isolated: bool = False,
    allow_local: bool = False,
    **options: Any,
) -> Job:
    """A job of a function; `options` are version, lane, priority and policies by their names.

    Raises InvalidValue for what another process could not find by its name (a lambda, a method of an object, a partial;
    a function made inside another one unless `allow_local`, and never if isolated), for a signature that JSON cannot
    fill, and for bad options.
    """
    shown = _check_handler(handler)
    if "<locals>" in shown and (isolated or not allow_local):
        raise InvalidValue(
            f"handler {shown}: it is made inside a function, so no other process can find it; define it at the "
            "top level of a module"
        )
    if transactional and isolated:
        raise InvalidValue(
            f"handler {shown}: a transactional job runs in this process; isolated=True cannot be combined"
        )
    if transactional:
        raise InvalidValue(f"handler {shown}: transactional jobs are not available in this version")
    plain = inspect.unwrap(handler)
    return Job(
        check_name(name if name is not None else handler.__name__),
        "python",
        handler,
        transactional=transactional,
        isolated=isolated,
        parameters=parameters_of(handler),
        is_async=inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(plain),
        **_options(options),
    )


def target_job(name: str, spec: Spec, **options: Any) -> Job:
    """A job of a command, a shell text or a request; `options` as in `python_job`."""
    kind = _KINDS.get(type(spec))
    if kind is None:
        raise InvalidValue(f"job {name}: {type(spec).__name__} is no target; allowed are Command, Shell, Http")
    return Job(check_name(name), kind, None, spec, **_options(options))


def _options(options: dict[str, Any]) -> dict[str, Any]:
    policies = {k: v for k, v in options.items() if k in NAMES}
    rest = {k: v for k, v in options.items() if k not in NAMES}
    unknown = sorted(set(rest) - {"version", "lane", "priority"})
    if unknown:
        raise InvalidValue(
            f"{unknown[0]}: unknown option of a job; allowed are version, lane, priority, {', '.join(NAMES)}"
        )
    for name in ("version", "priority"):
        value = rest.get(name, 1)
        if isinstance(value, bool) or not isinstance(value, int) or not -(2**31) <= value < 2**31:
            raise InvalidValue(f"{name}: {value!r} is not a whole number")
    check_name(rest.get("lane", "default"), "lane")
    parse_policies(policies)
    return rest | {"policies": policies}


def _check_handler(handler: object) -> str:
    """The handler's qualified name; InvalidValue unless it is a plain function that can be called by a worker."""
    if inspect.ismethod(handler):
        raise InvalidValue(
            f"handler {handler.__qualname__}: a bound method holds an object that no other process has; use a function"
        )
    if not inspect.isfunction(handler):
        raise InvalidValue(f"handler {handler!r}: not a function; a job needs a plain function defined with def")
    shown = handler.__qualname__
    if "<lambda>" in shown or handler.__name__ == "<lambda>":
        raise InvalidValue("handler <lambda>: a lambda has no name that another process could find; use def")
    if inspect.isgeneratorfunction(handler) or inspect.isasyncgenfunction(handler):
        raise InvalidValue(f"handler {shown}: it yields, so calling it would run nothing; return instead")
    if "." in shown and inspect.unwrap(handler).__code__.co_varnames[:1] in (("self",), ("cls",)):
        raise InvalidValue(f"handler {shown}: a method needs an object that no other process has; use a function")
    return shown


class Registry:
    """The jobs of one process, by name, in the order they were added."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}

    def add(self, job: Job) -> Job:
        """Add a job; the job itself is returned. Raises Conflict where another one has its name.

        The same function again (also after its module was loaded anew) replaces the earlier registration.
        """
        known = self._jobs.get(job.name)
        if known is not None and not _same(known, job):
            raise Conflict(
                f"job {job.name}: the name is taken by {_origin(known)}; {_origin(job)} needs another (name=…)"
            )
        self._jobs[job.name] = job
        return job

    def get(self, name: str) -> Job | None:
        """The job of that name, or None."""
        return self._jobs.get(name)

    @property
    def names(self) -> tuple[str, ...]:
        """All names."""
        return tuple(self._jobs)

    def replace_targets(self, jobs: Iterator[Job] | list[Job]) -> None:
        """Make `jobs` the only ones that are no functions: a file was read again. Raises Conflict, changing nothing."""
        fresh = {job.name: job for job in jobs}
        kept = {name: job for name, job in self._jobs.items() if job.kind == "python"}
        both = sorted(kept.keys() & fresh.keys())
        if both:
            raise Conflict(f"job {both[0]}: the name is taken by {_origin(kept[both[0]])}")
        self._jobs = kept | fresh

    def __iter__(self) -> Iterator[Job]:
        return iter(tuple(self._jobs.values()))

    def __contains__(self, name: object) -> bool:
        return name in self._jobs

    def __len__(self) -> int:
        return len(self._jobs)


def _same(one: Job, other: Job) -> bool:
    if one.handler is None or other.handler is None:
        return one.kind == other.kind and one.spec == other.spec
    return one.handler is other.handler or _place(one.handler) == _place(other.handler)


def _place(handler: Callable[..., Any]) -> tuple[str, str, str, int]:
    code = inspect.unwrap(handler).__code__
    return handler.__module__, handler.__qualname__, code.co_filename, code.co_firstlineno


def _origin(job: Job) -> str:
    if job.handler is None:
        return f"a {job.kind} job"
    return f"{job.handler.__module__}.{job.handler.__qualname__}"


def check_args(job: Job, args: object) -> dict[str, Any]:
    """`args` as the JSON object to store with a run of `job`; raises InvalidArguments with every fault at once."""
    return (job.parameters or Parameters(rest=True)).check({} if args is None else args, job.name)
