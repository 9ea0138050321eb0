"""The HTTP API and the page, asked as no client would: straight at the application, without a client that tidies up."""

from __future__ import annotations

import asyncio
import json
import random
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import quote, unquote

from chaos.fuzz.found import Found
from chaos.fuzz.texts import ODD
from chaos.grounds import postgresql, sqlite
from rota import Rota
from rota.server.application import build

_NAMES: Final = (
    *("q", "job", "lane", "source", "origin", "owner", "tenant", "stack", "environment", "state", "label", "sort", "limit"),
    *("cursor", "schedule", "node", "after", "colour", "", "limit[]", "__proto__", "q\x00", "état"),
)  # fmt: skip
_VALUES: Final = (
    *("", "*", "a", "tick", "active", "failed", "paused", "name", "-name", "next_at", "0", "1", "-1", "50", "500", "501"),
    *("9223372036854775807", "9223372036854775808", "1e3", "1.5", "true", "null", "[]", "a=b", "team=ops"),
    *("=", "==", "a" * 3000),
    *("default/default/default/x", "a/b/c/d/e", "' OR 1=1 --", "%", "_", "\\", '"', "a,b", "2026-01-01", "Infinity", "٣"),
    *ODD,
)  # fmt: skip
_PATHS: Final = (
    *("/api/v1/schedules",) * 30, *("/api/v1/runs",) * 30,
    *("/", "/live", "/healthz", "/readyz", "/static/page.css", "/static/..%2f..%2fetc%2fpasswd", "/static/%00"),
    "/openapi.json",
    *("/api/v1/", "/api/v1/schedules/", "/api/v1/schedules/x", "/api/v1//runs", "//", "/%", "/api/v1/runs%2f1", "/docs", "/ä"),
)  # fmt: skip
_METHODS: Final = (*("GET",) * 40, "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW")
_HOSTS: Final = (
    *(b"127.0.0.1:8470",) * 80,
    b"localhost",
    b"[::1]:80",
    b"evil.example",
    b"",
    b"127.0.0.1.evil",
    b"\xff",
    b"a:b:c",
)


def noop() -> None:
    """A job."""


def fuzz(draw: random.Random, count: int, found: Found) -> None:
    """So many requests, half of them on each database."""
    for ground in (sqlite, postgresql):
        with ground() as made:
            attack(made.url, draw, count // 2, found)


def attack(url: str, draw: random.Random, count: int, found: Found) -> None:
    """So many requests to an application on this database, which may be empty."""
    with Rota(url) as app:
        app.job(noop)
        app.prepare()
        _fill(app)
        asking = Asking(app, draw)
        with asyncio.Runner() as runner:
            for _ in range(count):
                scope = asking.one()
                shown = (scope["method"], scope["raw_path"], scope["query_string"], scope["headers"])
                found.carry_out(shown, lambda s=scope, w=shown: asking.answered(runner, s, w, found))  # type: ignore[misc]


def _fill(app: Rota) -> None:
    for number in range(12):
        name = ("x", "acme/shop/prod/y", "ü %", "a'b")[number % 4] + str(number)
        app.schedules.add(
            name, job="noop", when="every minute", labels={"team": "ops"}, owner="me" if number % 2 else None
        )
        app.enqueue("noop", not_before=timedelta(hours=1))
    at = datetime(2026, 1, 1, tzinfo=UTC)
    app.schedules.record_run("x0", at, "failed", at, at + timedelta(seconds=2), {"n": [1, None, "\x00"]})


class Asking:
    """Draws requests; equal seeds draw equal ones. Cursors are those that answers have named, and changes of them."""

    def __init__(self, app: Rota, draw: random.Random) -> None:
        self._application = build(app, lambda: {"ready": True, "reasons": []}, database="x")
        self._draw = draw
        self._cursors = ["MQ", "0"]

    def one(self) -> dict[str, Any]:
        """An ASGI scope, as uvicorn makes it."""
        draw = self._draw
        raw = draw.choice(_PATHS) if draw.random() < 0.9 else "/" + "/".join(draw.choice(_VALUES) for _ in range(3))
        path = quote(raw.encode("utf-8", "surrogatepass"), safe="/%._-~" if draw.random() < 0.9 else "/%?#")
        given = [self._pair() for _ in range(draw.choice((0, 1, 1, 2, 3, 8)))]
        query = (
            b"&".join(given)
            if draw.random() < 0.9
            else b"".join(draw.choice((b"&", b"=", b"%", b"%zz", b"\xff")) for _ in given)
        )
        headers = [(b"host", draw.choice(_HOSTS))]
        if draw.random() < 0.2:
            headers.append(
                (draw.choice((b"accept", b"if-none-match", b"range", b"x-\xff", b"cookie")), draw.randbytes(20))
            )
        return {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": draw.choice(_METHODS),
            "scheme": "http",
            "path": unquote(path), "raw_path": path.encode("ascii", "replace"), "query_string": query, "headers": headers,
            "root_path": "", "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 8470),
        }  # fmt: skip

    def _pair(self) -> bytes:
        name, value = self._draw.choice(_NAMES), self._draw.choice(_VALUES)
        if name == "cursor" and self._draw.random() < 0.7:
            value = self._cursor()
        elif self._draw.random() < 0.1:
            value = "".join(chr(self._draw.randrange(0x110000)) for _ in range(self._draw.choice((1, 3, 40))))
        text = f"{_quoted(name)}={_quoted(value)}" if self._draw.random() < 0.95 else _quoted(name)
        return text.encode("ascii")

    def _cursor(self) -> str:
        cursor = self._draw.choice(self._cursors)
        place = self._draw.randint(0, len(cursor))
        return self._draw.choice(
            (cursor, cursor[:place], cursor[:place] + "A" + cursor[place:], cursor[::-1], cursor + "=")
        )

    def answered(self, runner: asyncio.Runner, scope: dict[str, Any], shown: Any, found: Found) -> str:
        """The status of the answer, whose shape is looked at."""
        status, headers, body = runner.run(self._ask(scope))
        if status >= 500 and status != 501:
            detail = body.decode("utf-8", "replace")
            found.fault(f"a {status}: {detail.rpartition('refused')[2][:60]}", shown, detail)
        kind = headers.get(b"content-type", b"").decode()
        if status >= 400 and scope["method"] != "HEAD" and scope["path"].startswith("/api/"):
            if kind != "application/problem+json" or json.loads(body)["status"] != status:
                found.fault("a refusal that is no problem", shown, f"{status} {kind}")
        elif (
            kind == "application/json"
            and isinstance(answer := json.loads(body or b"null"), dict)
            and answer.get("next_cursor")
        ):
            self._cursors = [*self._cursors[-50:], answer["next_cursor"]]
        return f"status{status}"

    async def _ask(self, scope: dict[str, Any]) -> tuple[int, dict[bytes, bytes], bytes]:
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Any) -> None:
            sent.append(dict(message))

        await self._application(scope, receive, send)
        body = b"".join(message.get("body", b"") for message in sent if message["type"] == "http.response.body")
        return sent[0]["status"], dict(sent[0]["headers"]), body


def _quoted(text: str) -> str:
    return quote(text.encode("utf-8", "surrogatepass"), safe="")
