"""Every name that users meet stands on its page of the reference, with the default that the code has."""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Iterator
from dataclasses import MISSING, fields
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import rota
from rota import InvalidSchedule, Settings, parse
from rota.api import application as api
from rota.app import records
from rota.app.aio import AsyncRota
from rota.app.places import Events, Jobs, Lanes, Nodes
from rota.app.rota import Rota
from rota.app.runs import Runs
from rota.app.schedules import Schedules
from rota.cli.root import root
from rota.engine.context import Context
from rota.model import policy, reasons, run, schedule
from rota.model.event import CODES, TYPES
from rota.model.policy import Policies, Retry, length, length_text
from rota.model.spec import FIELDS
from rota.server.application import build
from tests.architecture import source
from tests.interface.reference import commands

REFERENCE = source.ROOT / "docs" / "reference"
ROW = re.compile(r"^\| (.+) \|$", re.MULTILINE)
SPAN = re.compile(r"`([^`]+)`")
NEXT = {", ".join(following) or "final" for following in run.TRANSITIONS.values()}


def page(name: str) -> str:
    return (REFERENCE / f"{name}.md").read_text("utf-8")


def rows(name: str) -> Iterator[list[str]]:
    """The cells of every row of every table of a page."""
    for row in ROW.findall(page(name)):
        yield [cell.strip() for cell in re.split(r"(?<!\\)\|", row)]


def first_cells(name: str) -> set[str]:
    """Every name that stands in the first column of a page's tables."""
    return {span for row in rows(name) for span in SPAN.findall(row[0])}


def row_of(name: str, thing: str) -> list[str]:
    found = [row for row in rows(name) if row[0] == f"`{thing}`"]
    assert len(found) == 1, f"{thing} has {len(found)} rows in {name}.md"
    return found[0]


def shown(value: Any) -> str:
    """A default as the reference writes it."""
    if isinstance(value, timedelta):
        return f"`{length_text(value)}`"
    if value is None:
        return "none"
    return f"`{json.dumps(value)}`" if isinstance(value, (bool, int)) else f"`{value}`"


# Settings, policies


@pytest.mark.parametrize("setting", [f.name for f in fields(Settings)])
def test_setting(setting: str) -> None:
    _, variable, default, _ = row_of("settings", setting)
    assert variable == f"`ROTA_{setting.upper()}`"
    value = getattr(Settings(), setting)
    assert default == shown(value)
    assert default == "none" or Settings.of({setting: default.strip("`")}) == Settings(), "the default reads as itself"


def test_no_setting_of_the_past() -> None:
    variables = {row[1] for row in rows("settings") if len(row) == 4 and row[1].startswith("`ROTA_")}
    assert len(variables) == len(fields(Settings))


@pytest.mark.parametrize("name", policy.NAMES)
def test_policy(name: str) -> None:
    default = row_of("policies", name)[1]
    assert default == ("1 attempt" if name == "retry" else shown(getattr(Policies(), name)))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("catchup", policy.CATCHUP), ("overlap", policy.OVERLAP), ("on_lost", policy.ON_LOST),
        ("on_edit", policy.ON_EDIT), ("on_resume", policy.ON_RESUME), ("backoff", policy.BACKOFF),
    ],
)  # fmt: skip
def test_values_of_a_policy(name: str, values: tuple[str, ...]) -> None:
    assert set(values) <= set(SPAN.findall(" ".join(row_of("policies", name)[1:])))


@pytest.mark.parametrize("field", [f for f in fields(Retry) if f.name != "on"], ids=lambda f: f.name)
def test_field_of_retry(field: Any) -> None:
    assert field.default is not MISSING
    value = length(field.default) if field.name in ("base", "max") else field.default
    assert row_of("policies", field.name)[1] == shown(value)


def test_other_fields_of_a_schedule() -> None:
    named = set(SPAN.findall(page("policies"))) | first_cells("grammar")
    assert sorted(set(FIELDS) - named) == []


# States, reasons, events


def section(name: str, heading: str) -> set[str]:
    """The names in the first columns of one section."""
    text = page(name).split(f"\n## {heading}")[1].split("\n## ")[0]
    return {span for row in ROW.findall(text) for span in SPAN.findall(row.split(" | ")[0])}


def test_states() -> None:
    assert set(schedule.STATES) <= section("states", "Schedules")
    assert set(run.STATES) | set(run.CAUSES) <= section("states", "Runs")
    assert {"live", "stopped", "fenced"} == section("states", "Nodes")


def test_dispositions_and_reasons() -> None:
    named = section("states", "Occurrences")
    assert {reasons.FIRED, reasons.COALESCED, reasons.SKIPPED, "pending", "none", "no_occurrence"} <= named
    assert set(reasons.SKIP_REASONS) <= named


def test_what_follows_a_state_of_a_run() -> None:
    for state, following in run.TRANSITIONS.items():
        (row,) = [row for row in rows("states") if row[0] == f"`{state}`" and len(row) == 3 and row[2] in NEXT]
        assert row[2] == (", ".join(following) or "final")


def test_reasons_of_runs() -> None:
    """Every reason that a settlement or a store function gives a run."""
    given = set()
    for module in ("model/settlement.py", "store/intake.py"):
        given |= set(re.findall(r'reason="(\w+)"', source.modules()[module]))
    given |= {"on_lost", "max_lost", "gave_up", "error", "disabled", "removed", "replaced", "late", "recorded"}
    assert sorted(given - section("states", "Runs")) == []


@pytest.mark.parametrize("kind", sorted(TYPES))
def test_event(kind: str) -> None:
    row = row_of("events", kind)
    assert CODES.get(kind, "") in row[1]
    assert not (set(re.findall("[XV][0-9]{6}[A-Z]+", row[1])) - {CODES.get(kind)})


def test_no_event_of_the_past() -> None:
    assert {name for name in first_cells("events") if re.fullmatch(r"[a-z]+\.[a-z_]+", name)} == set(TYPES)


@pytest.mark.parametrize("kind", sorted(CODES))
def test_code_of_an_event(kind: str) -> None:
    assert f"| `{CODES[kind]}` | `{kind}` |" in page("codes")


# Logs


def log_calls() -> Iterator[str]:
    """The messages of all calls of a logger that are names of events."""
    for name in source.modules():
        for node in ast.walk(source.tree(name)):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
                continue
            owner, first = node.func.value, node.args[0]
            if isinstance(owner, ast.Name) and owner.id in ("log", "logger") and isinstance(first, ast.Constant):
                found = re.match(r"([a-z_]+\.[a-z_]+)( %s)*$", str(first.value))
                if found:
                    yield found[1]


def test_log_events() -> None:
    assert {name for name in first_cells("log-events") if "." in name} == set(log_calls())


# Commands, HTTP, Python


def test_commands() -> None:
    text = page("commands")
    for path, _, command in commands(root):
        assert f"# {path}\n" in text
        for parameter in command.params:
            for option in parameter.opts:
                assert not option.startswith("-") or getattr(parameter, "hidden", False) or option in text


def paths(router: Any) -> Iterator[str]:
    """The paths of an application or router; newer versions of FastAPI keep included routers as they are."""
    for route in router.routes:
        below = getattr(route, "original_router", None)
        if below is not None:
            yield from paths(below)
        else:
            yield route.path


def test_paths() -> None:
    application = build(Rota("sqlite:///nowhere.db"), lambda: {"ready": True}, database="nowhere")
    assert {path for path in first_cells("http") if path.startswith("/")} == set(paths(application))


def test_filters_of_lists() -> None:
    for path, known in (("/api/v1/schedules", api.SCHEDULE_FILTERS), ("/api/v1/runs", api.RUN_FILTERS)):
        (row,) = [row for row in rows("http") if row[0] == f"`{path}`" and "GET" not in row[1]]
        assert set(known) <= set(SPAN.findall(row[1]))


def test_exported_names() -> None:
    assert set(rota.__all__) <= first_cells("python")


def methods(cls: type) -> list[str]:
    return [name for name, value in vars(cls).items() if not name.startswith("_") and callable(value)]


@pytest.mark.parametrize("cls", [Schedules, Runs, Jobs, Lanes, Nodes, Events, Rota])
def test_handles(cls: type) -> None:
    text = page("python")
    for name in methods(cls):
        signature = re.search(rf"[`.]{name}\(([^)]*)\)", text)
        assert signature, f"{cls.__name__}.{name} is not documented"
        for parameter in inspect.signature(getattr(cls, name)).parameters.values():
            optional = parameter.kind is parameter.KEYWORD_ONLY
            if optional and "FILTERS" not in signature[1] and "..." not in signature[1]:
                assert re.search(rf"\b{parameter.name}\b", signature[1]), f"{cls.__name__}.{name}: {parameter.name}"


def test_properties_of_an_application() -> None:
    text = page("python")
    for name, value in vars(Rota).items():
        if isinstance(value, property):
            assert f"rota.{name}" in text
    for name in vars(AsyncRota(Rota("sqlite:///nowhere.db"))):
        assert name.startswith("_") or f"`{name}`" in text


def test_records() -> None:
    for kind in vars(records).values():
        if isinstance(kind, type) and issubclass(kind, (records.Record, records.Page)) and kind is not records.Record:
            named = set(SPAN.findall(row_of("python", kind.__name__)[1]))
            wanted = {f.name.removesuffix("_") for f in fields(kind)}
            assert wanted - named <= set(policy.NAMES), kind.__name__


def test_context() -> None:
    guide = (source.ROOT / "docs" / "guides" / "python.md").read_text("utf-8")
    later = {"connection", "session"}  # transactional jobs come with a later version
    public = {name for name in vars(Context) if not name.startswith("_")} | {"deadline"}
    assert {name for name in public - later if f"ctx.{name}" not in guide} == set()


# The grammar


def grammar(heading: str) -> Iterator[str]:
    """The texts in the first column of the tables whose head is `heading`."""
    for table in re.findall(rf"^\| {heading} \|[^\n]*\n\|[-| :]+\n((?:\|[^\n]*\n)+)", page("grammar"), re.MULTILINE):
        for row in table.splitlines():
            yield from SPAN.findall(row.split(" | ")[0])


@pytest.mark.parametrize("text", [*grammar("text"), *grammar("cron text")])
def test_a_text_of_the_grammar_is_read(text: str) -> None:
    assert not parse(text, key="default/default/default/x").never_fires


@pytest.mark.parametrize("text", list(grammar("text, relative")))
def test_a_relative_text_needs_the_present(text: str) -> None:
    now = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
    assert parse(text, now=now).next_after(now)
    with pytest.raises(InvalidSchedule):
        parse(text)


@pytest.mark.parametrize("text", list(grammar("refused text")))
def test_a_refused_text_is_refused(text: str) -> None:
    with pytest.raises(InvalidSchedule):
        parse(text)
