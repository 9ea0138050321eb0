"""examples/: each is started as its README says, its schedules run, its effects are looked at."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.postgres import until

EXAMPLES = Path(__file__).parents[2] / "examples"
ROTA = [sys.executable, "-m", "rota"]


class Example:
    """A copy of an example with a database of its own, and the command line on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        inherited = {key: value for key, value in os.environ.items() if not key.startswith("ROTA_")}
        path = os.pathsep.join([str(Path(sys.executable).parent), inherited.get("PATH", "")])
        self.env = {**inherited, "PATH": path, "ROTA_DATABASE": f"sqlite:///{folder}/rota.db", "ROTA_DRAIN": "5s"}

    @contextmanager
    def started(self, *words: str) -> Iterator[None]:
        """`rota WORDS` while the block runs; SIGINT ends it with 0."""
        log = self.folder / "log"
        with (
            log.open("ab") as output,
            subprocess.Popen([*ROTA, *words], cwd=self.folder, env=self.env, stdout=output, stderr=output) as process,
        ):
            try:
                yield
            finally:
                process.send_signal(signal.SIGINT)
                try:
                    code = process.wait(30)
                except subprocess.TimeoutExpired:
                    process.kill()
                    raise
        assert code == 0, log.read_text(errors="replace")[-4000:]

    def answer(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=self.folder, env=self.env, capture_output=True, text=True, timeout=120, check=False
        )

    def ask(self, *words: str) -> Any:
        """What `rota WORDS -o json` answers."""
        done = self.answer(*ROTA, "-o", "json", *words)
        log = self.folder / "log"
        assert done.returncode == 0, done.stderr + (log.read_text(errors="replace")[-3000:] if log.exists() else "")
        return json.loads(done.stdout)

    def wait_for(self, *names: str) -> None:
        """Until the schedules are there: the file was applied."""

        def there() -> bool:
            done = self.answer(*ROTA, "-o", "json", "schedule", "ls")
            return done.returncode == 0 and {s["name"] for s in json.loads(done.stdout)} >= set(names)

        assert until(there, 30), (self.folder / "log").read_text(errors="replace")

    def run(self, name: str) -> dict[str, Any]:
        """Run a schedule now and wait for it; the run."""
        made = self.ask("schedule", "run", name, "--wait")
        found: dict[str, Any] = made[0] if isinstance(made, list) else made
        return found

    def rows(self, database: str, sql: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.folder / database, timeout=10)) as connection:
            return connection.execute(sql).fetchall()


def example(name: str, folder: Path) -> Example:
    ignored = shutil.ignore_patterns("out", "*.db*", "__pycache__")
    shutil.copytree(EXAMPLES / name, folder / name, ignore=ignored)
    return Example(folder / name)


def test_every_example_is_here() -> None:
    folders = {path.name for path in EXAMPLES.iterdir() if path.is_dir()}
    assert folders == {"quickstart", "crontab", "system-b", "system-c"}
    assert all((EXAMPLES / name / "README.md").exists() for name in folders)


def test_quickstart(tmp_path: Path) -> None:
    it = example("quickstart", tmp_path)
    with it.started("up", "rota.yaml", "--no-web"):
        it.wait_for("heartbeat", "minute", "shaky", "good-morning-tokyo", "good-morning-stockholm")
        shaky = it.run("shaky")
        assert (shaky["state"], shaky["attempt"]) == ("succeeded", 2)
        morning = it.run("good-morning-tokyo")
        assert morning["state"] == "succeeded"
        said = it.answer(*ROTA, "run", "logs", str(morning["id"]))
        assert "Good morning, Tokyo! It is" in said.stdout

        def beats() -> list[dict[str, Any]]:
            runs: list[dict[str, Any]] = it.ask("run", "ls")
            beating = [run for run in runs if str(run["schedule"]).endswith("heartbeat") and run["cause"] == "schedule"]
            return [run for run in beating if run["state"] == "succeeded"]

        assert until(lambda: bool(beats()), 30)
        why = it.answer(*ROTA, "why", "heartbeat")
        assert why.returncode == 0
        assert "fired" in why.stdout


CRONTAB = {
    "backup": "backup-*.tar.gz",
    "report": "report-*.txt",
    "warm-cache": "cache",
    "close-month": "months",
    "poll-inbox": "inbox",
    "renew-certificate": "certificate",
}


def test_crontab(tmp_path: Path) -> None:
    it = example("crontab", tmp_path)
    with it.started("up", "rota.yaml", "--no-web"):
        it.wait_for(*CRONTAB)
        for name, effect in CRONTAB.items():
            assert it.run(name)["state"] == "succeeded", name
            assert list((it.folder / "out").glob(effect)), name
        once = it.ask("schedule", "info", "renew-certificate")
        assert (once["state"], once["next_at"]) == ("active", "2031-03-31T07:00:00Z")
        assert it.ask("schedule", "info", "report")["zone"] == "America/New_York"
    (report,) = (it.folder / "out").glob("report-*.txt")
    assert report.read_text() == "orders since the beginning: 3\n"


B = ["expire_sessions", "digest-stockholm", "digest-new-york", "digest-tokyo", "archive-acme", "archive-globex"]


def seeded(it: Example) -> None:
    with closing(sqlite3.connect(it.folder / "shop.db")) as connection, connection:
        connection.execute("CREATE TABLE sessions (id TEXT PRIMARY KEY, expires_at TEXT NOT NULL)")
        connection.execute("INSERT INTO sessions VALUES ('old', '2020-01-01T00:00:00+00:00'), ('live', '2999-01-01')")
        connection.execute(
            "CREATE TABLE documents (id INTEGER PRIMARY KEY, workspace TEXT NOT NULL, written_at TEXT NOT NULL,"
            " archived INTEGER NOT NULL DEFAULT 0)"
        )
        connection.execute(
            "INSERT INTO documents (workspace, written_at)"
            " SELECT w.column1, datetime('now', '-' || d.column1 || ' days')"
            " FROM (VALUES ('acme'), ('globex')) w, (VALUES (1), (100), (1000)) d"
        )


def test_system_b(tmp_path: Path) -> None:
    it = example("system-b", tmp_path)
    seeded(it)
    with it.started("up", "shop:rota", "--no-web"):
        it.wait_for(*B, "charge_subscriptions", "import_prices")
        for name in B:
            assert it.run(name)["state"] == "succeeded", name
        first, second = it.run("charge_subscriptions"), it.run("charge_subscriptions")
        healed = it.run("import_prices")
        zones = [it.ask("schedule", "info", name)["zone"] for name in B[1:4]]
    assert zones == ["Europe/Stockholm", "America/New_York", "Asia/Tokyo"]
    assert it.rows("shop.db", "SELECT id FROM sessions") == [("live",)]
    assert it.rows("shop.db", "SELECT city FROM digests ORDER BY 1") == [("New York",), ("Stockholm",), ("Tokyo",)]
    archived = "SELECT workspace, sum(archived) FROM documents GROUP BY 1 ORDER BY 1"
    assert it.rows("shop.db", archived) == [("acme", 2), ("globex", 1)]
    charged = {key for (key,) in it.rows("shop.db", "SELECT idempotency_key FROM charges WHERE attempts = 1")}
    assert charged >= {first["invocation"], second["invocation"]}, "besides what its own schedule charged meanwhile"
    assert (healed["state"], healed["attempt"]) == ("succeeded", 3)
    assert it.rows("shop.db", "SELECT * FROM prices") == [(healed["invocation"], 3)]


def test_system_b_without_pages(tmp_path: Path) -> None:
    it = example("system-b", tmp_path)
    with subprocess.Popen([sys.executable, "shop.py"], cwd=it.folder, env=it.env) as process:
        try:
            it.wait_for(*B)
            assert it.run("archive-acme")["state"] == "succeeded"
        finally:
            process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0


@pytest.fixture
def system_c(tmp_path: Path) -> Iterator[Example]:
    """Three processes, as the README starts them."""
    it = example("system-c", tmp_path)
    assert it.answer(*ROTA, "db", "upgrade").returncode == 0
    with ExitStack() as stack:
        stack.enter_context(it.started("scheduler", "rota.yaml"))
        stack.enter_context(it.started("worker", "--lanes", "harvest,mail", "rota.yaml"))
        stack.enter_context(it.started("worker", "--lanes", "agents", "rota.yaml"))
        it.wait_for("harvest-github", "harvest-wiki", "summarise", "post")
        yield it


def test_system_c(system_c: Example) -> None:
    lanes_are_served(system_c)
    cadence_changes(system_c)


def lanes_are_served(system_c: Example) -> None:
    lanes = {lane["name"]: (lane["concurrency"], lane["rate"]) for lane in system_c.ask("lane", "ls")}
    assert {"harvest": (4, None), "agents": (2, None), "mail": (1, "30/m")}.items() <= lanes.items()
    nodes = {}
    for name, lane in {"harvest-github": "harvest", "summarise": "agents", "post": "mail"}.items():
        done = system_c.run(name)
        assert (done["state"], done["lane"]) == ("succeeded", lane)
        nodes[lane] = done["node"]
    assert nodes["harvest"] == nodes["mail"] != nodes["agents"]
    assert len(system_c.rows("harvest.db", "SELECT * FROM done")) == 3
    chosen = system_c.ask("schedule", "ls", "-l", "consumer=harvester")
    assert {schedule["name"] for schedule in chosen} == {"harvest-github", "harvest-wiki"}


def cadence_changes(system_c: Example) -> None:
    before = system_c.ask("schedule", "info", "harvest-github")
    done = system_c.answer(sys.executable, "cadence.py", "github", "polling")
    assert done.returncode == 0, done.stderr
    assert "15 minutes" in done.stdout
    after = system_c.ask("schedule", "info", "harvest-github")
    assert (before["when"], after["when"]) == ("every 6 hours", "every 15 minutes")
    assert (after["id"], after["revision"]) == (before["id"], 2)
    assert after["watermark"] >= before["watermark"]
    assert after["next_at"] <= before["next_at"]
    # Another process reads the same file: what was set by hand stays.
    with system_c.started("scheduler", "rota.yaml"):
        assert until(lambda: len([n for n in system_c.ask("node", "ls") if n["state"] == "live"]) >= 4, 30)
    assert system_c.ask("schedule", "info", "harvest-github")["when"] == "every 15 minutes"
