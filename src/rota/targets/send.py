"""Send one HTTP job: signed, to an address that was checked; the response on record, bounded.

Names are resolved once, every address is checked, and the connection goes to a checked address (the name stays in the
Host header and in the TLS handshake): a name that answers differently the second time gains nothing. Redirects are not
followed, proxies of the environment are not used.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import socket
import ssl
from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import cache
from typing import Final

import httpx2

from rota.errors import InvalidValue
from rota.model.run import Failed, Succeeded
from rota.model.storable import clean_text, storable
from rota.targets.fill import Values, fill_header, fill_json, fill_text, fill_url
from rota.targets.http import Http, secret_key, signature

BODY_LIMIT: Final = 64 * 1024
"""Bytes of a response that are read."""

_MESSAGE_HEAD: Final = 500
_RECORDED: Final = (
    "content-type",
    "content-length",
    "date",
    "etag",
    "location",
    "retry-after",
    "server",
    "x-request-id",
)

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], Awaitable[list[str]]]


def is_public(address: Address) -> bool:
    """Whether an address is one of the open internet, also after unwrapping IPv4 out of IPv6 (mapped, 6to4, NAT64)."""
    if isinstance(address, ipaddress.IPv6Address):
        number = int(address)
        inner = address.ipv4_mapped or address.sixtofour
        if number >> 32 == 0x64FF9B << 64:
            inner = ipaddress.IPv4Address(number & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
        if address.teredo is not None or number >> 32 == 0:
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved


async def resolve(host: str, port: int) -> list[str]:
    """All addresses of a name, in the resolver's order. Raises OSError."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


async def send(
    target: Http, values: Values, now: datetime, *, key: bytes | None = None, resolver: Resolve = resolve
) -> Succeeded | Failed:
    """Make the request and tell how it ended: 2xx is Succeeded with {status, headers, body} as its result.

    `Idempotency-Key` is the invocation; `key` signs where the target has no secret of its own. Failed has `type` http
    (an answer that is not 2xx), connect, refused (a private address), timeout or value. Raises only CancelledError.
    """
    try:
        request = _request(target, values, now, key)
    except (InvalidValue, httpx2.InvalidURL) as error:
        return Failed("value", str(error), names=("value",))
    try:
        async with asyncio.timeout(target.timeout.total_seconds()):
            addresses = await _checked(request.url, allow_private=target.allow_private, resolver=resolver)
            return await _exchange(request, addresses)
    except _RefusedError as error:
        return Failed("refused", str(error), names=("refused",), give_up=True)
    except TimeoutError:
        wait = target.timeout.total_seconds()
        return Failed("timeout", f"{_shown(request)}: no answer within {wait:g} s", names=("timeout", "TimeoutError"))
    except (httpx2.HTTPError, OSError, UnicodeError) as error:
        reason = str(error) or type(error).__name__
        return Failed(
            "connect", clean_text(f"{_shown(request)}: {reason}", 2048), names=("connect", type(error).__name__)
        )


class _RefusedError(Exception):
    """The address may not be spoken to."""


def _request(target: Http, values: Values, now: datetime, key: bytes | None) -> httpx2.Request:
    url = fill_url(target.url, values)
    headers = {k: fill_header(v, values, f"http.headers.{k}") for k, v in target.headers.items()}
    content = b""
    if target.json is not None:
        content = json.dumps(fill_json(target.json, values), ensure_ascii=False).encode("utf-8", "replace")
        headers.setdefault("Content-Type", "application/json")
    elif target.body is not None:
        content = fill_text(target.body, values).encode("utf-8", "replace")
        headers.setdefault("Content-Type", "text/plain; charset=utf-8")
    own = {"User-Agent": "rota", "Accept": "*/*", "Accept-Encoding": "identity"}
    invocation = fill_header("{{invocation}}", values, "invocation")
    own |= headers | {"Idempotency-Key": invocation, "Connection": "close"}
    signing = secret_key(target.secret) if target.secret is not None else key
    if signing is not None:
        own |= signature(signing, invocation, now, content)
    raw = [(name.encode(), text.encode("utf-8", "replace")) for name, text in own.items()]
    return httpx2.Request(
        target.method, url, headers=raw, content=content if content or target.method != "GET" else None
    )


async def _checked(url: httpx2.URL, *, allow_private: bool, resolver: Resolve) -> list[str]:
    """The addresses behind the URL's host. One private address among them refuses all."""
    port = url.port or (443 if url.scheme == "https" else 80)
    found = await resolver(url.raw_host.decode("ascii"), port)
    if not found:
        raise OSError(f"{url.host} has no address")
    for text in found:
        if not allow_private and not is_public(ipaddress.ip_address(text.split("%", 1)[0])):
            raise _RefusedError(
                f"{url.host} is at {text}, which is not an address of the open internet; allow_private permits it"
            )
    return found


@cache
def _tls() -> ssl.SSLContext:
    """Costs tens of milliseconds, so once a process."""
    return httpx2.create_ssl_context(trust_env=False)


async def _exchange(request: httpx2.Request, addresses: list[str]) -> Succeeded | Failed:
    """Speak to the first address that accepts a connection."""
    async with httpx2.AsyncHTTPTransport(verify=_tls(), trust_env=False) as transport:
        for index, address in enumerate(addresses):
            try:
                response = await transport.handle_async_request(_aimed(request, address))
            except httpx2.ConnectError:
                if index + 1 == len(addresses):
                    raise
                continue
            try:
                return _judged(request, response, *await _body(response))
            finally:
                await response.aclose()
    raise OSError("no address")


def _aimed(request: httpx2.Request, address: str) -> httpx2.Request:
    """The same request, sent to `address`: Host header and TLS name keep the URL's host."""
    return httpx2.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=request.headers,
        stream=request.stream,
        extensions={"sni_hostname": request.url.raw_host.decode("ascii")},
    )


async def _body(response: httpx2.Response) -> tuple[bytes, bool]:
    """The first BODY_LIMIT bytes as they came (never unpacked: a small archive can be a large text); whether cut."""
    data = b""
    async for piece in response.aiter_raw():
        data += piece
        if len(data) > BODY_LIMIT:
            return data[:BODY_LIMIT], True
    return data, False


def _judged(request: httpx2.Request, response: httpx2.Response, body: bytes, cut: bool) -> Succeeded | Failed:
    text = clean_text(body.decode("utf-8", "replace"))
    status = response.status_code
    if 200 <= status < 300:
        kept = {name: clean_text(response.headers[name], 1024) for name in _RECORDED if name in response.headers}
        result = {"status": status, "headers": kept, "body": text} | ({"truncated": True} if cut else {})
        stored = storable(result, 4 * BODY_LIMIT)
        return Succeeded(stored.text, note=stored.note)
    where = f" (to {clean_text(response.headers['location'], 200)})" if "location" in response.headers else ""
    head = f": {clean_text(text[:_MESSAGE_HEAD])}" if text.strip() else ""
    return Failed("http", f"{_shown(request)} answered {status}{where}{head}", names=("http", f"http.{status}"))


def _shown(request: httpx2.Request) -> str:
    """Method and URL without query and user: they may hold secrets."""
    url = request.url
    return clean_text(f"{request.method} {url.scheme}://{url.netloc.decode('ascii', 'replace')}{url.path}", 500)
