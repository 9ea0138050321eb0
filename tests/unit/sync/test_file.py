"""rota.yaml to a value: what it may say, every fault with its place, and no other exception for any text."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rota.cli.init
from rota.engine.registry import Registry
from rota.errors import InvalidFile
from rota.model.spec import FIELDS as CRON_FIELDS
from rota.sync.file import FIELDS, JOB_FIELDS, File, builtin, load
from rota.targets.http import Http
from rota.targets.shell import Command, Shell

FULL = """\
tenant: acme
stack: shop
environment: prod
timezone: Europe/Stockholm
settings: {lease: 5s, poll: 1s, slots: 4}
jobs:
  report: {shell: "python report.py --day $DAY", env: {DAY: "{{occurrence:%Y-%m-%d}}"}, timeout: 10m}
  sweep:  {command: [python, sweep.py, "--since", "{{since}}"], cwd: sub, lane: background, priority: 5}
  ping:   {http: {method: POST, url: "https://example.org/hook", json: {at: "{{occurrence}}"}}, timeout: 5s}
  digest: {python: "shop_jobs:digest", isolated: true, retry: {attempts: 3, base: 2s}}
crons:
  report: every day at 03:15
  ping:   {when: "*/5 * * * *", overlap: allow}
  digest-acme: {job: digest, when: "0 9 * * mon-fri", args: {workspace: acme}, catchup: none, labels: {consumer: harvester}}
  tokyo: {job: sweep, when: [at 02:30, "0 12 * * sun"], timezone: Asia/Tokyo, valid_from: "2026-01-01T00:00:00+09:00"}
  inherits: {job: sweep, when: "@daily", timezone: null, enabled: false}
lanes: {background: {concurrency: 8, rate: 30/m}, spare: }
"""
MODULE = "def digest(workspace: str, keep: int = 1) -> None: ...\n"


@pytest.fixture(autouse=True)
def own_import_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading a file with `python:` jobs puts its folder on the import path."""
    monkeypatch.setattr(sys, "path", sys.path.copy())


def write(folder: Path, text: str, name: str = "rota.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def faults(path: Path) -> list[dict[str, Any]]:
    with pytest.raises(InvalidFile) as caught:
        load(path)
    return caught.value.errors


def test_everything_that_a_file_may_say(tmp_path: Path) -> None:
    write(tmp_path, MODULE, "shop_jobs.py")
    found = load(write(tmp_path, FULL))
    assert (found.origin, found.tenant, found.stack, found.environment) == ("rota.yaml", "acme", "shop", "prod")
    assert found.settings == {"lease": "5s", "poll": "1s", "slots": 4}
    jobs = {job.name: job for job in found.jobs}
    folder = str(tmp_path)
    assert jobs["report"].spec == Shell("python report.py --day $DAY", {"DAY": "{{occurrence:%Y-%m-%d}}"}, folder)
    assert jobs["sweep"].spec == Command(("python", "sweep.py", "--since", "{{since}}"), {}, f"{folder}/sub")
    assert (jobs["sweep"].lane, jobs["sweep"].priority) == ("background", 5)
    assert isinstance(jobs["ping"].spec, Http)
    assert jobs["ping"].spec.timeout.total_seconds() == 5
    assert jobs["digest"].isolated
    assert jobs["digest"].policies == {"retry": {"attempts": 3, "base": "2s"}}
    assert [(lane.name, lane.concurrency, lane.rate) for lane in found.lanes] == [
        ("background", 8, "30/m"),
        ("spare", None, None),
    ]


def test_schedules_in_normal_form(tmp_path: Path) -> None:
    write(tmp_path, MODULE, "shop_jobs.py")
    found = {declared.name: declared for declared in load(write(tmp_path, FULL)).schedules}
    stockholm = {"timezone": "Europe/Stockholm"}
    assert found["report"].fields == {"job": "report", "when": "every day at 03:15", **stockholm}
    assert found["digest-acme"].fields["args"] == {"workspace": "acme"}
    assert found["tokyo"].fields["when"] == "at 02:30; 0 12 * * sun"
    assert found["tokyo"].fields["valid_from"] == "2025-12-31T15:00:00Z"
    assert "timezone" not in found["inherits"].fields
    assert found["inherits"].fields["enabled"] is False
    assert found["report"].where == f"{tmp_path}/rota.yaml:12:3"


def test_schedules_is_another_name_for_crons(tmp_path: Path) -> None:
    text = "jobs: {a: {shell: x}}\nschedules: {a: hourly}\n"
    assert [s.name for s in load(write(tmp_path, text)).schedules] == ["a"]
    (fault,) = faults(write(tmp_path, text + "crons: {a: hourly}\n"))
    assert "keep one" in fault["detail"]


def test_jobs_are_ready_for_a_registry(tmp_path: Path) -> None:
    write(tmp_path, MODULE, "shop_jobs.py")
    registry = Registry()
    for job in load(write(tmp_path, FULL)).jobs:
        registry.add(job)
    assert registry.names == ("report", "sweep", "ping", "digest")


def test_job_files_beside_it(tmp_path: Path) -> None:
    write(tmp_path, "shell: ./backup.sh\ntimeout: 5m\n", "backup.job.yaml")
    write(tmp_path, "name: other\ncommand: [true-ish]\n", "b.job.yaml")
    found = load(write(tmp_path, "crons: {backup: hourly}\n"))
    assert [(job.name, job.kind) for job in found.jobs] == [("other", "command"), ("backup", "shell")]
    write(tmp_path, "shel: x\n", "c.job.yaml")
    write(tmp_path, "name: backup\nshell: x\n", "d.job.yaml")
    write(tmp_path, "crons: {a: hourly}\n", "e.job.yaml")
    write(tmp_path, "name: a/b\nshell: x\n", "f.job.yaml")
    write(tmp_path, "", "g.job.yaml")
    found_faults = faults(write(tmp_path, "crons: {backup: hourlyy}\n"))
    assert [(Path(f["file"]).name, f["line"]) for f in found_faults] == [
        ("rota.yaml", 1), ("c.job.yaml", 1), ("c.job.yaml", 1), ("d.job.yaml", 1),
        ("e.job.yaml", 1), ("f.job.yaml", 1), ("g.job.yaml", 1),
    ]  # fmt: skip
    assert "b.job.yaml" not in str(found_faults)


BAD: list[tuple[str, str, int, int]] = [
    ("", "the file is empty", 1, 1),
    ("- a", "a list is not a mapping", 1, 1),
    ("timezon: UTC", "timezon: unknown; did you mean timezone?", 1, 1),
    ("timezone: Europe/Stokholm", "did you mean Europe/Stockholm?", 1, 11),
    ("timezone: 5", "5 is not text", 1, 11),
    ("tenant: a/b", "tenant: 'a/b' is not 1-200", 1, 9),
    ("settings: {leese: 3s}", "did you mean lease?", 1, 12),
    ("settings: {poll: banana}", "settings.poll: 'banana' is not a length", 1, 18),
    ("jobs: {a: {}}", "needs one of shell, command, http, python", 1, 8),
    ("jobs: {a: }", "needs one of", 1, 8),
    ("jobs: {a: echo}", "'echo' is not a job", 1, 11),
    ("jobs: {a: {shell: x, command: [y]}}", "has shell and command", 1, 8),
    ("jobs: {a: {shell: 5}}", "5 is not text", 1, 19),
    ("jobs: {a: {shell: x, env: {B: '{{ocurrence}}'}}}", "jobs.a.env.B: {{ocurrence}} is no placeholder", 1, 31),
    ("jobs: {a: {shell: x, env: {B: 1}}}", "jobs.a.env.B: 1 is not text; put it in quotes", 1, 31),
    ("jobs: {a: {shell: x, cwd: 5}}", "5 is not text", 1, 27),
    ("jobs: {a: {command: [a, 5]}}", "jobs.a.command[1]: 5 is not text", 1, 25),
    ("jobs: {a: {command: a b}}", "is not a list of words", 1, 21),
    ("jobs: {a: {command: [a, '{{x}}']}}", "jobs.a.command[1]: {{x}} is no placeholder", 1, 25),
    ("jobs: {a: {http: {url: 'ftp://x/y'}}}", "is not a URL", 1, 24),
    ("jobs: {a: {http: {}}}", "url: missing", 1, 18),
    ("jobs: {a: {http: {url: 'http://x/', metod: GET}}}", "did you mean method?", 1, 37),
    ("jobs: {a: {http: {url: 'http://x/', json: {b: ['{{y}}']}}}}", "json.b", 1, 48),
    ("jobs: {a: {http: {url: 'http://x/'}, env: {}}}", "means nothing for a http job", 1, 38),
    ("jobs: {a: {shell: x, isolated: true}}", "means nothing for a shell job", 1, 22),
    ("jobs: {a: {shell: x, timeout: soon}}", "jobs.a.timeout: 'soon' is not a length", 1, 31),
    ("jobs: {a: {shell: x, retry: {attempts: 0}}}", "jobs.a.retry.attempts: 0 is not a whole", 1, 40),
    ("jobs: {a: {shell: x, lane: 5}}", "5 is not 1-200", 1, 28),
    ("jobs: {a: {shell: x, priority: high}}", "'high' is not a whole number", 1, 32),
    ("jobs: {a: {shell: x, transactional: true}}", "come with a later version", 1, 22),
    ("jobs: {a/b: {shell: x}}", "'a/b' is not 1-200", 1, 8),
    ("jobs: {a: {shell: x, <<: {timeout: 5s}}}", "merge keys", 1, 22),
    ("crons: {a: every dya at 9}", '"every dya at 9": column 7: "dya"', 1, 12),
    ("crons: {a: in 2 hours}", "refused in files", 1, 12),
    ("crons: {a: '@reboot'}", "never fires", 1, 12),
    ("crons: {a: 0 0 31 2 *}", "never fires: there is no day 31 in February", 1, 12),
    ("crons: {a: 5}", "5 is not a schedule", 1, 12),
    ("crons: {a: }", "nothing is not a schedule", 1, 12),
    ("crons: {a: {job: b}}", "`when` is missing", 1, 9),
    ("crons: {a: {when: [hourly, 5]}}", "no schedule", 1, 19),
    ("crons: {a: {when: hourly, overlap: alow}}", "'alow' is not one of skip", 1, 36),
    ("crons: {a: {when: hourly, catchupp: all}}", "did you mean catchup?", 1, 27),
    ("crons: {a: {when: hourly, windows: []}}", "windows and named calendars come with a later version", 1, 27),
    ("crons: {a: {when: hourly, timezone: X/Y}}", "no time zone is called 'X/Y'", 1, 37),
    ("crons: {a: {when: hourly, labels: {b: 1}}}", "is not a name with a text", 1, 35),
    ("crons: {a: {when: hourly, args: [1]}}", "not an object", 1, 33),
    ("crons: {a: {when: hourly, valid_from: 2026-01-01T00:00}}", "has no time zone", 1, 39),
    ("crons: {a: {when: hourly, enabled: maybe}}", "'maybe' is not true or false", 1, 36),
    ("crons: {a@b: hourly}", "'a@b' is not 1-200", 1, 9),
    ("crons: {a: hourly, a: daily}", "twice", 1, 20),
    ("lanes: {a: {concurrency: 0}}", "0 is not a whole number from 1", 1, 26),
    ("lanes: {a: {rate: fast}}", "is not a rate", 1, 19),
    ("lanes: {a: {engine: saq}}", "come with a later version", 1, 13),
    ("triggers: {}", "triggers come with a later version", 1, 1),
    ("calendars: {}", "named calendars come with a later version", 1, 1),
]


@pytest.mark.parametrize(("text", "detail", "line", "column"), BAD, ids=[text for text, *_ in BAD])
def test_what_is_wrong_and_where(tmp_path: Path, text: str, detail: str, line: int, column: int) -> None:
    (fault,) = faults(write(tmp_path, text))
    assert detail in fault["detail"]
    assert (fault["line"], fault["column"]) == (line, column)


def test_every_fault_at_once(tmp_path: Path) -> None:
    path = write(
        tmp_path, "timezon: x\njobs:\n  a: {shell: 5, lane: 6}\ncrons:\n  a: hourlyy\n  b: {when: 5, overlap: x}\n"
    )
    with pytest.raises(InvalidFile) as caught:
        load(path)
    assert [(e["line"], e["pointer"]) for e in caught.value.errors] == [
        (1, "/timezon"), (3, "/jobs/a/shell"), (3, "/jobs/a/lane"),
        (5, "/crons/a"), (6, "/crons/b/when"), (6, "/crons/b/overlap"),
    ]  # fmt: skip
    assert caught.value.message.splitlines()[0] == f"{path}:1:1: timezon: unknown; did you mean timezone?"
    assert caught.value.exit_code == 6


def test_arguments_are_checked_against_the_function(tmp_path: Path) -> None:
    write(tmp_path, MODULE, "shop_args.py")
    job = "jobs: {digest: {python: 'shop_args:digest'}}\n"
    missing = faults(write(tmp_path, job + "crons: {digest: hourly}\n"))
    assert [(f["pointer"], f["line"]) for f in missing] == [("/crons/digest/args/workspace", 2)]
    wrong = faults(write(tmp_path, job + "crons: {digest: {when: hourly, args: {workspace: 5, kep: 1}}}\n"))
    assert [(f["pointer"], f["column"]) for f in wrong] == [
        ("/crons/digest/args/workspace", 50),
        ("/crons/digest/args/kep", 58),
    ]


PYTHON: list[tuple[str, str]] = [
    ("nowhere_at_all:f", "there is no module nowhere_at_all in"),
    ("mod_plain:nothing", "mod_plain has no nothing"),
    ("mod_plain", 'is not of the form "package.module:function"'),
    ("mod_plain:1x", "is not of the form"),
    ("mod_plain:value", "not a function"),
    ("mod_plain:lamb", "lambda"),
    ("mod_broken:f", "importing mod_broken failed: ZeroDivisionError: division by zero ("),
    ("mod_syntax:f", "importing mod_syntax failed: SyntaxError"),
    ("mod_exit:f", "importing mod_exit failed: SystemExit: 3"),
    ("mod_needs:f", "importing mod_needs failed: No module named 'nowhere_at_all'; is it installed?"),
    ("rota:nothing_of_ours", "a file of your own called rota.py is hidden by rota itself".capitalize()),
]


@pytest.mark.parametrize(("text", "detail"), PYTHON, ids=[text for text, _ in PYTHON])
def test_handlers_that_cannot_be_imported(tmp_path: Path, text: str, detail: str) -> None:
    write(tmp_path, "value = 1\nlamb = lambda: 1\ndef f() -> None: ...\n", "mod_plain.py")
    write(tmp_path, "1 / 0\n", "mod_broken.py")
    write(tmp_path, "def f(:\n", "mod_syntax.py")
    write(tmp_path, "raise SystemExit(3)\n", "mod_exit.py")
    write(tmp_path, "import nowhere_at_all\n", "mod_needs.py")
    (fault,) = faults(write(tmp_path, f"jobs: {{a: {{python: '{text}'}}}}"))
    assert detail in fault["detail"]
    assert (fault["line"], fault["column"]) == (1, 20)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match=r"absent\.yaml: cannot be read: No such file"):
        load(tmp_path / "absent.yaml")
    with pytest.raises(InvalidFile, match="cannot be read: Is a directory"):
        load(tmp_path)
    with pytest.raises(InvalidFile, match="cannot be read"):
        load("a\0b")


def test_a_past_one_shot_may_stand(tmp_path: Path) -> None:
    found = load(write(tmp_path, "jobs: {a: {shell: x}}\ncrons: {a: 2020-01-01T00:00}\n"))
    assert found.schedules[0].fields["when"] == "2020-01-01T00:00"


def test_an_empty_block_is_no_fault(tmp_path: Path) -> None:
    assert load(write(tmp_path, "crons: {}\n")).schedules == ()
    assert load(write(tmp_path, "jobs:\ncrons:\n")).jobs == ()


def test_the_built_in_example_and_that_of_init(tmp_path: Path) -> None:
    example = Path("examples/quickstart/rota.yaml")
    built_in = Path("src/rota/examples/quickstart.yaml")
    assert example.read_bytes() == built_in.read_bytes()
    assert builtin().origin == "rota.yaml"
    assert "heartbeat" in {s.name for s in builtin().schedules}
    assert load(write(tmp_path, rota.cli.init.FIRST)).schedules


KEYS = st.sampled_from([*FIELDS, *JOB_FIELDS, *CRON_FIELDS, "url", "a", "<<", "attempts", "concurrency"])
LEAVES = st.sampled_from(
    [
        "x",
        "hourly",
        "* * * * *",
        "@reboot",
        "5m",
        "UTC",
        "{{args.x}}",
        "{{",
        0,
        -1,
        1.5,
        True,
        None,
        "",
        "2026-01-01T00:00Z",
        "a/b",
    ]
)
SHAPES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=25
)


@given(st.one_of(st.text(), st.binary(), st.dictionaries(KEYS, SHAPES)))
def test_any_text_is_a_file_or_an_invalid_one(tmp_path_factory: pytest.TempPathFactory, content: Any) -> None:
    folder = tmp_path_factory.getbasetemp() / "any"
    folder.mkdir(exist_ok=True)
    path = folder / "rota.yaml"
    if isinstance(content, dict):
        # `python` would import whatever module happens to have the name.
        content = json.dumps(content).replace('"python"', '"shell"')
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    found = outcome(path)
    if isinstance(found, InvalidFile):
        assert found.errors
        assert all({"pointer", "detail", "file", "line", "column"} <= e.keys() for e in found.errors)


def outcome(path: Path) -> File | InvalidFile:
    try:
        return load(path)
    except InvalidFile as error:
        return error
