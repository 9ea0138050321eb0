"""The Host header on loopback: a page of another site whose name was made to point here gets nothing (DNS rebinding)."""

from __future__ import annotations

import ipaddress
from typing import Final
from urllib.parse import quote

from starlette.types import ASGIApp, Receive, Scope, Send

from rota.api.problems import problem

_NAMES: Final = frozenset({"localhost"})


def is_loopback(host: str) -> bool:
    """Whether `host` (a name or an address, without a port) is this machine alone."""
    if host.lower().rstrip(".") in _NAMES or host.lower().endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class LoopbackOnly:
    """Answers requests whose Host header names this machine; others get 403 and no data."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] == "http" and not is_loopback(_host(scope)):
            answer = problem(
                403, "the Host header does not name this machine; rota answers on loopback only", code="X403001NOTALW"
            )
            await answer(scope, receive, send)
            return
        await self.app(scope, receive, send)


def _host(scope: Scope) -> str:
    values = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
    if len(values) != 1:
        return ""
    host: str = values[0].strip()
    if host.startswith("["):
        return host.partition("]")[0].strip("[")
    return host.partition(":")[0]


class AsciiQuery:
    """Percent-encodes bytes of a query string that no URL has as they are: what reads it as text then always can."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, its query string in ASCII."""
        if scope["type"] == "http" and not scope["query_string"].isascii():
            scope = {**scope, "query_string": quote(scope["query_string"], safe="/?&=+%;:@!$'()*,-._~").encode("ascii")}
        await self.app(scope, receive, send)
