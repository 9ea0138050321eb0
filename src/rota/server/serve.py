"""uvicorn in the event loop of the process that also runs rota's loops: it binds early, and leaves signals to them."""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import socket
from collections.abc import Iterator
from typing import Any, Final

import uvicorn

from rota.errors import Error, InvalidValue

BACKLOG: Final = 512
DRAIN_S: Final = 2


def is_loopback(host: str) -> bool:
    """Whether a host to bind to is this machine alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def bind(host: str, port: int) -> socket.socket:
    """A listening socket. Raises Error (exit 1) where the port is taken or not ours, InvalidValue for an unknown host."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise InvalidValue(f"host {host!r}: {error.strerror or error}") from None
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise Error(_why_not(host, port, error)) from None
    listener.setblocking(False)
    return listener


def _why_not(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"port {port} on {host} is in use: stop what listens there, choose another port with --port or ROTA_PORT "
            "(0: any free one), or run without pages with --no-web"
        )
    return f"cannot listen on {host}:{port}: {error.strerror}"


def shown_address(listener: socket.socket) -> str:
    """The URL of what listens."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class _Server(uvicorn.Server):
    """uvicorn without signal handlers: SIGINT and SIGTERM drain rota's loops first."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals alone."""
        yield


class Serving:
    """One application on one socket, from `run` until `stop`."""

    def __init__(self, application: Any, listener: socket.socket) -> None:
        config = uvicorn.Config(
            application,
            log_config=None,
            access_log=False,
            lifespan="off",
            ws="none",
            server_header=False,
            timeout_graceful_shutdown=DRAIN_S,
            h11_max_incomplete_event_size=64 * 1024,
        )
        self._server = _Server(config)
        self._listener = listener

    async def run(self) -> None:
        """Answer requests until `stop`; returns when the open ones are answered, or 2 s later."""
        try:
            await self._server.serve(sockets=[self._listener])
        finally:
            self._listener.close()

    def stop(self) -> None:
        """Take no further request."""
        self._server.should_exit = True
