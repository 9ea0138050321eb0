"""PgBouncer in transaction mode in front of a server: whatever needs a session of its own breaks behind it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

from tests.support.postgres import OWNER, identity, until
from tests.support.processes import free_port
from tests.support.programs import need

CONFIGURATION = """
[databases]
* = host={host} port={server} user={owner}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
admin_users = {owner}
pool_mode = transaction
default_pool_size = 20
max_client_conn = 500
logfile = {folder}/log
pidfile = {folder}/pid
"""


@dataclass(frozen=True)
class Pooler:
    """A running pooler."""

    port: int
    database: str

    @property
    def url(self) -> str:
        return f"postgresql://{OWNER}@127.0.0.1:{self.port}/{self.database}"

    def clients(self) -> int:
        """How many connections to the database its clients hold."""
        with self.admin() as connection:
            rows = connection.execute("SHOW CLIENTS").fetchall()
        return sum(1 for row in rows if self.database in row)

    def answers(self) -> bool:
        try:
            self.clients()
        except psycopg.OperationalError:
            return False
        return True

    def admin(self) -> psycopg.Connection[tuple[object, ...]]:
        return psycopg.connect(f"postgresql://{OWNER}@127.0.0.1:{self.port}/pgbouncer", autocommit=True)


def launch(words: list[str], uid: int, gid: int) -> subprocess.Popen[bytes]:
    """Start a program, as (uid, gid) where this process is root."""
    if os.geteuid() != 0:
        return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, user=uid, group=gid, extra_groups=[]
    )


@contextmanager
def pooler(url: str) -> Iterator[Pooler]:
    """A pooler in front of the database of a URL. Where the program is not installed the test is skipped."""
    program = need("pgbouncer", "pgbouncer")
    given = urlsplit(url)
    uid, gid = identity()
    folder = Path(tempfile.mkdtemp(prefix="rota-pooler-", dir="/tmp" if os.geteuid() == 0 else None))
    os.chown(folder, uid, gid)
    made = Pooler(free_port(), given.path.lstrip("/"))
    (folder / "ini").write_text(
        CONFIGURATION.format(host=given.hostname, server=given.port, owner=OWNER, port=made.port, folder=folder)
    )
    with launch([program, str(folder / "ini")], uid, gid) as process:
        try:
            assert until(made.answers, 20), (folder / "log").read_text()
            yield made
        finally:
            process.terminate()
            process.wait(20)
            shutil.rmtree(folder)
