"""The databases that attacks take place on: private, durable, loopback only, gone afterwards."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from bench.servers import DurableServer
from chaos.doors import Cut, Door, Full, ReadOnly
from chaos.fleet import free_port, until
from rota.store.migrate import upgrade
from tests.support import postgres
from tests.support.proxy import Proxy

_NAME: Final = "chaos"
_SMALL_MB: Final = 256
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
    """A database with rota's tables and a folder for what the processes write. `server` None: SQLite.

    `door`: what can be shut, so that the database takes no writes. `way`: the URL of the processes that are attacked.
    """

    kind: str
    url: str
    folder: Path
    server: postgres.Server | None = None
    door: Door | None = None
    way: str | None = None


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
def small_sqlite() -> Iterator[Ground]:
    """A file on a small disk of its own."""
    with _folder() as folder, _small(folder / "disk") as disk:
        url = f"sqlite:///{disk / 'rota.db'}"
        upgrade(url)
        yield Ground("SQLite", url, folder, door=Full(disk))


@contextlib.contextmanager
def _small(disk: Path, owner: tuple[int, int] = (-1, -1)) -> Iterator[Path]:
    """A small file system in memory, mounted here; only root may."""
    disk.mkdir(mode=0o700)
    options = f"size={_SMALL_MB}m,mode=700"
    subprocess.run([_program("mount"), "-t", "tmpfs", "-o", options, "rota-chaos", str(disk)], check=True)
    try:
        os.chown(disk, *owner)
        yield disk
    finally:
        subprocess.run([_program("umount"), "--lazy", str(disk)], check=True)


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise FileNotFoundError(name)
    return found


def may_mount() -> bool:
    """Whether this process may mount a file system."""
    with _folder() as folder, contextlib.suppress(OSError, subprocess.SubprocessError), _small(folder / "disk"):
        return True
    return False


@contextlib.contextmanager
def _server() -> Iterator[postgres.Server]:
    """A server of the attack's own that syncs what it commits."""
    suite, lock = postgres.new_home()
    server = DurableServer(suite.home)
    try:
        server.create()
        server.start()
        yield server
    finally:
        server.remove()
        lock.close()


@contextlib.contextmanager
def postgresql() -> Iterator[Ground]:
    """A database on a server of its own; its door makes it read-only."""
    with _server() as server, _folder() as folder:
        postgres.create_database(server, _NAME)
        upgrade(server.url(_NAME))
        yield Ground("PostgreSQL", server.url(_NAME), folder, server, ReadOnly(server))


@contextlib.contextmanager
def small_postgresql() -> Iterator[Ground]:
    """A database in a tablespace on a small disk; the server's log of transactions is elsewhere."""
    with _server() as server, _folder() as folder, _small(server.home / "disk", postgres.identity()) as disk:
        with server.connect() as conn:
            conn.execute(f"CREATE TABLESPACE small LOCATION '{disk}'".encode())
            conn.execute(f"CREATE DATABASE {_NAME} TABLESPACE small".encode())
        upgrade(server.url(_NAME))
        yield Ground("PostgreSQL", server.url(_NAME), folder, server, Full(disk))
        server.stop()


@contextlib.contextmanager
def swallowing() -> Iterator[Ground]:
    """A server behind a way that can be made to swallow everything."""
    with postgresql() as ground, Proxy(ground.url) as proxy:
        yield replace(ground, door=Cut(proxy), way=proxy.url)


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
    own = free_port()
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
