"""The Host header: only names of this machine get an answer (DNS rebinding)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from rota.api.hosts import LoopbackOnly, is_loopback


async def _inner(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


def status(*hosts: bytes) -> int:
    """What a request with these Host headers gets."""
    sent: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    scope = {"type": "http", "method": "GET", "path": "/", "headers": [(b"host", host) for host in hosts]}
    asyncio.run(LoopbackOnly(_inner)(scope, receive, send))
    return int(sent[0]["status"])


@pytest.mark.parametrize(
    "host", [b"127.0.0.1:8470", b"localhost", b"LOCALHOST:1", b"[::1]:8470", b"rota.localhost:8470"]
)
def test_this_machine(host: bytes) -> None:
    assert status(host) == 204


@pytest.mark.parametrize(
    "host",
    [b"evil.example", b"127.0.0.1.evil.example", b"", b"10.0.0.1:8470", b"[fe80::1]:8470", b"localhost.evil.example"],
)
def test_another_name(host: bytes) -> None:
    assert status(host) == 403


def test_no_header_and_two_headers() -> None:
    assert status() == 403
    assert status(b"localhost", b"evil.example") == 403


@pytest.mark.parametrize(
    ("host", "is_it"), [("127.0.0.1", True), ("::1", True), ("10.0.0.1", False), ("localhost", True)]
)
def test_addresses(host: str, *, is_it: bool) -> None:
    assert is_loopback(host) is is_it
