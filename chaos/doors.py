"""What keeps a database from taking writes, and can be taken away again."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from tests.support import postgres
from tests.support.proxy import Proxy

_BLOCKS: Final = (1 << 20, 4096, 1)


class Door(Protocol):
    """`shut` and `open` may alternate."""

    def shut(self) -> None:
        """From now on the database takes no writes."""
        ...

    def open(self) -> None:
        """From now on it does again."""
        ...


@dataclass(frozen=True)
class ReadOnly:
    """Every transaction of the server is read-only, those of open sessions too."""

    server: postgres.Server

    def shut(self) -> None:
        """Tell the server, which tells its sessions."""
        self._set("SET default_transaction_read_only = on")

    def open(self) -> None:
        """Take it back."""
        self._set("RESET default_transaction_read_only")

    def _set(self, what: str) -> None:
        with self.server.connect() as conn:
            conn.execute("SET default_transaction_read_only = off")
            conn.execute(f"ALTER SYSTEM {what}".encode())
            conn.execute("SELECT pg_reload_conf()")


@dataclass(frozen=True)
class Full:
    """The disk is full to its last byte."""

    disk: Path

    def shut(self) -> None:
        """Fill what is left."""
        ballast = os.open(self.disk / "ballast", os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            for size in _BLOCKS:
                self._fill(ballast, bytes(size))
        finally:
            os.close(ballast)

    def _fill(self, ballast: int, block: bytes) -> None:
        while True:
            try:
                os.write(ballast, block)
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise
                return

    def open(self) -> None:
        """Make room again."""
        (self.disk / "ballast").unlink()


@dataclass(frozen=True)
class Cut:
    """What is connected when it shuts stays so, and nothing gets through; new connections are fine."""

    proxy: Proxy

    def shut(self) -> None:
        """Swallow."""
        self.proxy.freeze()

    def open(self) -> None:
        """What was swallowed stays swallowed."""
