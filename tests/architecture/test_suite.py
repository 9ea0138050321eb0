"""The suite's own promises: what it starts it can stop, kill and start again; what a test leaves is seen."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import psycopg

from tests.support import leaks, postgres


def test_each_test_has_a_database_of_its_own(pg_empty_url: str, pg_server: postgres.Server) -> None:
    with psycopg.connect(pg_empty_url) as connection:
        row = connection.execute("SELECT count(*) FROM pg_stat_user_tables").fetchone()
    assert row == (0,)
    with psycopg.connect(pg_server.socket_url("postgres")) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_the_server_is_not_root(pg_server: postgres.Server) -> None:
    assert Path(f"/proc/{pg_server.postmaster}").stat().st_uid != 0


def test_a_private_server_survives_a_crash() -> None:
    with postgres.private_server() as server:
        with server.connect() as connection:
            connection.execute("CREATE TABLE kept AS SELECT 1 AS x")
        server.crash()
        server.start()
        with server.connect() as connection:
            assert connection.execute("SELECT x FROM kept").fetchone() == (1,)
        home = server.home
    assert not home.exists()


def test_a_killed_session_leaves_no_server(tmp_path: Path) -> None:
    script = (
        "import sys; from tests.support import postgres as p\n"
        "s, lock = p.new_home(); s.create(); s.start(); print(s.home, flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path.cwd()
    ) as process:
        assert process.stdout
        line = process.stdout.readline()
        assert line, "the server did not start"
        home = Path(line.strip())
        process.send_signal(signal.SIGKILL)
    assert postgres.until(lambda: not home.exists(), 20)


def test_leaks_are_seen() -> None:
    before = leaks.Leaks()
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait, name="left over")
    thread.start()
    loop = asyncio.new_event_loop()
    child = os.posix_spawn("/bin/sleep", ["sleep", "60"], os.environ)
    found = "\n".join(before.now())
    stop.set()
    thread.join()
    loop.close()
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert "left over" in found
    assert "event loop" in found
    assert f"child process {child}" in found
    assert before.found() == []
