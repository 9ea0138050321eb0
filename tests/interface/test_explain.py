"""`rota explain`: words, canonical form, occurrences, notes and warnings, from words, quotes or a crontab."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.interface.cli import command, environment, rota

FROM = ("--from", "2026-03-27T00:00:00Z")


def test_unquoted_words(tmp_path: Path) -> None:
    answer = rota("explain", "every", "weekday", "at", "9am", *FROM, "-n", "2", cwd=tmp_path)
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert lines[0] == "At 09:00 from Monday to Friday, UTC"
    assert lines[1].split() == ["canonical", "every", "week", "on", "mon,tue,wed,thu,fri", "at", "09:00"]
    assert "Fri 2026-03-27 09:00:00 +00:00" in answer.out
    assert "Mon 2026-03-30 09:00:00 +00:00" in answer.out


def test_json_has_the_shape_of_the_api(tmp_path: Path) -> None:
    zone = ("--timezone", "Europe/Stockholm")
    answer = rota("explain", "30 2 * * *", *zone, *FROM, "-n", "3", "-o", "json", cwd=tmp_path)
    assert answer.json == {
        "words": "At 02:30 every day, Europe/Stockholm time",
        "canonical": "30 2 * * *",
        "next": [
            {"at": "2026-03-27T01:30:00Z", "local": "2026-03-27T02:30:00+01:00", "flag": "normal"},
            {"at": "2026-03-28T01:30:00Z", "local": "2026-03-28T02:30:00+01:00", "flag": "normal"},
            {"at": "2026-03-29T01:00:00Z", "local": "2026-03-29T03:00:00+02:00", "flag": "moved"},
        ],
        "notes": answer.json["notes"],
        "warnings": answer.json["warnings"],
    }
    assert any("2026-03-29" in note for note in answer.json["notes"])
    assert any("2026-10-25" in note for note in answer.json["notes"])


def test_clock_changes_are_marked(tmp_path: Path) -> None:
    answer = rota("explain", "30 2 * * *", "--timezone", "Europe/Stockholm", *FROM, "-n", "3", cwd=tmp_path)
    assert "Sun 2026-03-29 03:00:00 +02:00" in answer.out
    assert "moved: this wall time does not exist" in answer.out


def test_yaml(tmp_path: Path) -> None:
    answer = rota("explain", "@daily", *FROM, "-n", "1", "-o", "yaml", cwd=tmp_path)
    assert "canonical: 0 0 * * *" in answer.out


def test_bad_text_is_6_and_shows_the_place(tmp_path: Path) -> None:
    answer = rota("explain", "every weekdy at 9am", cwd=tmp_path)
    assert answer.code == 6
    first, text, mark = answer.err.splitlines()
    assert first.startswith("rota: column 7: ")
    assert "every weekday at 9am" in first
    assert text == "  every weekdy at 9am"
    assert mark.index("^") == text.index("weekdy")


@pytest.mark.parametrize("text", ["0 0 31 2 *", "0 0 0 1 1 ? 2001"])
def test_a_text_that_never_fires_is_0_with_a_warning(tmp_path: Path, text: str) -> None:
    answer = rota("explain", text, cwd=tmp_path)
    assert answer.code == 0
    assert "warning" in answer.out


def test_unknown_zone_is_6(tmp_path: Path) -> None:
    answer = rota("explain", "@daily", "--timezone", "Europe/Stokholm", cwd=tmp_path)
    assert answer.code == 6
    assert "Stokholm" in answer.one_line()


def test_the_shell_has_expanded_a_star(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).touch()
    done = subprocess.run(
        ["sh", "-c", f"{' '.join(command('explain'))} 0 2 * * *"], cwd=tmp_path, env=environment(),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 6
    assert "quote it" in done.stderr


def test_one_file_whose_name_is_a_number(tmp_path: Path) -> None:
    """The expanded text would parse, and mean something else."""
    (tmp_path / "5").touch()
    answer = rota("explain", "0", "2", "5", "5", "5", cwd=tmp_path)
    assert answer.code == 6
    assert "quote it" in answer.one_line()


def test_a_crontab_on_standard_input(tmp_path: Path) -> None:
    crontab = "# comment\nMAILTO=me@example.org\n0 2 * * * /usr/bin/backup --all\n@daily rotate\n\n"
    answer = rota("explain", "-", *FROM, "-o", "json", cwd=tmp_path, given=crontab)
    assert answer.code == 0
    assert [(one["line"], one["when"], one["command"]) for one in answer.json] == [
        (3, "0 2 * * *", "/usr/bin/backup --all"),
        (4, "@daily", "rotate"),
    ]
    shown = rota("explain", "-", *FROM, cwd=tmp_path, given=crontab)
    assert "At 02:00 every day, UTC" in shown.out


def test_a_bad_line_of_a_crontab_is_told_and_the_rest_explained(tmp_path: Path) -> None:
    answer = rota("explain", "-", *FROM, cwd=tmp_path, given="61 2 * * * a\n0 2 * * * b\n")
    assert answer.code == 6
    assert "At 02:00 every day" in answer.out
    assert "1 of 2 lines" in answer.one_line()


def test_the_zone_in_force_is_named_and_the_machines_once(tmp_path: Path) -> None:
    answer = rota("explain", "every day at 9am", cwd=tmp_path, env={"TZ": "Asia/Tokyo"})
    assert ", UTC" in answer.out
    assert answer.one_line() == "rota: no zone was given: times are in UTC; this machine's is Asia/Tokyo"
    same = rota("explain", "every day at 9am", cwd=tmp_path, env={"TZ": "UTC"})
    assert same.err == ""
    given = rota("explain", "every day at 9am", "--timezone", "UTC", cwd=tmp_path, env={"TZ": "Asia/Tokyo"})
    assert given.err == ""


def test_needs_no_database_and_makes_none(tmp_path: Path) -> None:
    rota("explain", "@daily", cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_loads_neither_database_nor_rich(tmp_path: Path) -> None:
    code = (
        "import sys; from rota.cli.main import main; main(['explain', '@daily'])\n"
        "bad = {'sqlalchemy', 'rich', 'pydantic', 'asyncio', 'yaml', 'fastapi'} & set(sys.modules)\n"
        "sys.exit(f'loaded: {bad}' if bad else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment(), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr


def cpu(line: list[str], folder: Path) -> float:
    """The least processor time of a few runs of a command, in seconds."""
    used = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(line, cwd=folder, env=environment(), capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(used)


@pytest.mark.parametrize("words", [("explain", "0 9 * * 1"), ("--help",)])
def test_starts_within_the_interpreter_plus_a_little(tmp_path: Path, words: tuple[str, ...]) -> None:
    """The goal is the bare interpreter + 100 ms; as a ratio, in which the machine falls out: 4 x the load of click."""
    bare = cpu([sys.executable, "-c", "pass"], tmp_path)
    click = cpu([sys.executable, "-c", "import click"], tmp_path)
    assert cpu(command(*words), tmp_path) - bare < 4 * (click - bare)
