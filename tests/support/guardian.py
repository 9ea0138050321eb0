"""A process that owns one PostgreSQL server, so that no way of ending a test run leaves the server behind.

`python guardian.py HOME UID GID POSTGRES ARGUMENTS…` detaches itself, starts the server and ends with it:

- on SIGTERM it stops the server (PostgreSQL's fast mode);
- when nobody holds `HOME/session.lock` any more (the run ended, or was killed) it stops the server and removes HOME;
- when the server ends by itself, so does the guardian.

While it lives it holds `HOME/guardian.lock`. Locks, not process ids: a killed process may stay a zombie for ever.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import FrameType

LOOK_EVERY_S = 0.3


def session_over(home: Path) -> bool:
    """True when nobody holds the session's lock."""
    try:
        with (home / "session.lock").open() as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except FileNotFoundError:
        return True
    return True


def launch(home: Path, uid: int, gid: int, command: list[str]) -> subprocess.Popen[bytes]:
    """Start the server, as (uid, gid) where this process is root."""
    with (home / "log").open("ab") as log:
        if os.geteuid() != 0:
            return subprocess.Popen(command, cwd=home, stdout=log, stderr=log)
        return subprocess.Popen(command, cwd=home, stdout=log, stderr=log, user=uid, group=gid, extra_groups=[])


def watch(home: Path, server: subprocess.Popen[bytes], stop: threading.Event) -> None:
    """Return when the server has ended, or ended because it was asked to."""
    over = False
    while server.poll() is None and not over and not stop.wait(LOOK_EVERY_S):
        over = session_over(home)
    if server.poll() is None:
        server.send_signal(signal.SIGINT)
        server.wait()
    if over:
        shutil.rmtree(home, ignore_errors=True)


def main(home: Path, uid: int, gid: int, command: list[str]) -> None:
    """Detach, take the guardian's lock, watch."""
    if os.fork():
        return
    os.setsid()
    stop = threading.Event()

    def on_terminate(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGTERM, on_terminate)
    with (home / "guardian.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        server = launch(home, uid, gid, command)
        (home / "pids.new").write_text(f"{os.getpid()} {server.pid}")
        (home / "pids.new").rename(home / "pids")
        watch(home, server, stop)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
