"""The bench's own arithmetic: ratios, goals, and what makes its short form fail."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from bench import __main__ as command
from bench import docs, machine
from bench.report import Line, Ratio, Report, Section, judge, markdown, number, plain, quantile, ratio, worse

THEN: dict[str, dict[str, Any]] = {
    "run/postgresql/floor": {"value": 0.6, "better": "higher"},
    "latency/postgresql/pgqueuer": {"value": 0.5, "better": "lower"},
}


def report(**values: float) -> Report:
    better = {"run": "higher", "latency": "lower"}
    keys = {"run": "run/postgresql/floor", "latency": "latency/postgresql/pgqueuer", "more": "startup/more_ms"}
    ratios = tuple(
        Ratio(keys[name], value, "higher" if better.get(name) == "higher" else "lower", absolute=name == "more")
        for name, value in values.items()
    )
    section = Section("Running", ("runs/s",), (Line("the floor", (20_000.0,), ratios), Line("rota", (12_000.0,))))
    return Report({"commit": "abc", "cores": "2"}, ["--smoke"], [section])


def test_equal_ratios_pass() -> None:
    assert judge(THEN, report(run=0.6, latency=0.5).ratios()) == []


@pytest.mark.parametrize(("run", "latency"), [(0.21, 0.5), (0.6, 1.49), (6.0, 0.05)])
def test_less_than_three_times_worse_passes(run: float, latency: float) -> None:
    assert judge(THEN, report(run=run, latency=latency).ratios()) == []


@pytest.mark.parametrize(
    ("run", "latency", "key"), [(0.19, 0.5, "run/postgresql/floor"), (0.6, 1.6, "latency/postgresql/pgqueuer")]
)
def test_three_times_worse_fails_and_is_named(run: float, latency: float, key: str) -> None:
    (problem,) = judge(THEN, report(run=run, latency=latency).ratios())
    assert problem.startswith(key)
    assert "times worse" in problem


def test_a_ratio_that_was_not_measured_fails() -> None:
    (problem,) = judge(THEN, report(run=0.6).ratios())
    assert problem.startswith("latency/postgresql/pgqueuer")


def test_a_new_ratio_passes() -> None:
    del_one = {"run/postgresql/floor": THEN["run/postgresql/floor"]}
    assert judge(del_one, report(run=0.6, latency=99.0).ratios()) == []


def test_a_ratio_that_became_nothing_is_infinitely_worse() -> None:
    assert worse(0.5, 0.0, "higher") == float("inf")
    assert worse(0.0, 0.0, "higher") == 1.0


def test_the_smoke_form_fails_by_its_exit_code(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "baseline.json"
    monkeypatch.setattr(command, "BASELINE", file)
    command.write_baseline(report(run=0.6, latency=0.5, more=80.0))
    assert set(json.loads(file.read_text())["ratios"]) == set(THEN), "figures of one machine stay out"
    assert command.smoke(report(run=0.5, latency=0.6)) == 0
    assert command.smoke(report(run=0.1, latency=0.6)) == 1
    assert "run/postgresql/floor" in capsys.readouterr().err
    assert command.smoke(report(run=0.5)) == 0, "a run of some parts is judged by those"


def test_the_committed_baseline_is_one() -> None:
    committed = json.loads(command.BASELINE.read_text())
    assert committed["ratios"]
    for key, one in committed["ratios"].items():
        assert key.split("/")[0] in command.SMOKE
        assert one["value"] > 0
        assert one["better"] in ("higher", "lower")


def test_a_ratio_is_the_median_of_the_rounds_own() -> None:
    rounds = [{"rota": 10.0, "floor": 20.0}, {"rota": 1.0, "floor": 2.5}, {"rota": 9.0, "floor": 10.0}]
    assert ratio("x", rounds, "rota", "floor").value == 0.5


@pytest.mark.parametrize(
    ("value", "better", "met"),
    [(0.7, "higher", True), (0.69, "higher", False), (0.7, "lower", True), (0.71, "lower", False)],
)
def test_goals(value: float, better: Any, met: bool) -> None:
    one = Ratio("x", value, better, 0.7)
    assert one.met is met
    assert ("missed" in one.text()) is not met


def test_missed_goals_are_named() -> None:
    line = Line("rota", (1.0,), (Ratio("a", 1.0, "higher", 2.0), Ratio("b", 1.0)))
    noted = Section("T", ("x",), (line,), "note", (Ratio("c", 9.0, "lower", 1.0),))
    assert Report({}, [], [noted]).missed() == ["a", "c"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [(28_123.0, "28,100"), (1_234_567.0, "1,230,000"), (1000.0, "1,000"), (0.0, "0"), (12.0, "12"), (3.456, "3.46"),
     (0.01234, "0.0123"), (100.0, "100"), (None, "-"), ("text", "text")],
)  # fmt: skip
def test_numbers(value: float | str | None, shown: str) -> None:
    assert number(value) == shown


def test_quantiles() -> None:
    values = [float(i) for i in range(1, 101)]
    assert [quantile(values, share) for share in (0.5, 0.99, 1.0)] == [50.0, 99.0, 100.0]
    assert quantile([7.0], 0.99) == 7.0


def test_tables_hold_every_line() -> None:
    (section,) = report(run=0.6).sections
    assert "| the floor | 20,000 | 0.6 |" in markdown(section)
    assert "rota" in plain(section)


def test_the_page_names_command_commit_and_what_was_missed() -> None:
    found = report(run=0.6)
    page = docs.page(found)
    assert 'make bench ARGS="--smoke --write-docs"' in page
    assert "| Commit | abc |" in page
    assert "is met" in page
    found.sections.append(Section("T", ("x",), (Line("rota", (1.0,), (Ratio("late", 9.0, "lower", 1.0),)),)))
    assert "`late`" in docs.page(found)


def test_the_command_needs_no_peer_until_it_measures() -> None:
    code = "import bench.__main__, sys; print([m for m in sys.modules if m in ('pgqueuer', 'asyncpg', 'huey', 'apscheduler')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=machine.ROOT)
    assert done.stdout.strip() == "[]"
