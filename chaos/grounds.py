"""The databases that attacks take place on: private, durable, loopback only, gone afterwards."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.servers import DurableServer
from chaos.fleet import until
from rota.store.migrate import upgrade
from tests.support import postgres

_NAME: Final = "chaos"
BOUNCER: Final = ("/usr/sbin/pgbouncer", "/usr/bin/pgbouncer")

_POOLING: Final = """
[databases]
{name} = host=127.0.0.1 port={port} dbname={name} user={owner}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 40
max_client_conn = 400
logfile = {folder}/pgbouncer.log
pidfile =
"""


@dataclass(frozen=True)
class Ground:
    """A database with rota's tables and a folder for what the processes write. `server` None: SQLite."""

    kind: str
    url: str
    folder: Path
    server: postgres.Server | None = None


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="rota-chaos-", ignore_cleanup_errors=True) as name:
        yield Path(name)


@contextlib.contextmanager
def sqlite() -> Iterator[Ground]:
    """A file, `synchronous=FULL` as always."""
    with _folder() as folder:
        url = f"sqlite:///{folder / 'rota.db'}"
        upgrade(url)
        yield Ground("SQLite", url, folder)


@contextlib.contextmanager
def postgresql() -> Iterator[Ground]:
    """A server of the attack's own that syncs what it commits."""
    suite, lock = postgres.new_home()
    server = DurableServer(suite.home)
    try:
        server.create()
        server.start()
        postgres.create_database(server, _NAME)
        upgrade(server.url(_NAME))
        with _folder() as folder:
            yield Ground("PostgreSQL", server.url(_NAME), folder, server)
    finally:
        server.remove()
        lock.close()


def pooler() -> str | None:
    """The path of pgbouncer, if this machine has it."""
    found = shutil.which("pgbouncer") or next((path for path in BOUNCER if Path(path).exists()), None)
    return None if found is None else str(found)


@contextlib.contextmanager
def pooled(ground: Ground) -> Iterator[str]:
    """The ground's URL through pgbouncer in transaction mode: LISTEN is taken there and never answered."""
    program = pooler()
    if program is None or ground.server is None:
        raise RuntimeError("pgbouncer is not installed (Debian: apt install pgbouncer)")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        own = probe.getsockname()[1]
    home = ground.server.home / "bouncer"
    home.mkdir(mode=0o700)
    uid, gid = postgres.identity()
    settings = home / "pgbouncer.ini"
    settings.write_text(
        _POOLING.format(name=_NAME, port=ground.server.port, owner=postgres.OWNER, own=own, folder=home)
    )
    for path in (home, settings):
        shutil.chown(path, uid, gid)
    process = subprocess.Popen(
        [program, "-q", str(settings)], cwd=home, user=uid, group=gid, extra_groups=[],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        if until(lambda: _answers(own), 20.0) is None:
            raise RuntimeError(f"pgbouncer did not start: {(home / 'pgbouncer.log').read_text()[-1000:]}")
        yield f"postgresql://{postgres.OWNER}@127.0.0.1:{own}/{_NAME}"
    finally:
        process.terminate()
        process.wait(timeout=30)


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
