"""HTTP jobs against a real server on loopback, and what must never be spoken to."""

from __future__ import annotations

import asyncio
import base64
import dataclasses
import hashlib
import hmac
import ipaddress
import json
import threading
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from rota.clock import SystemClock
from rota.engine.invoke import Execution
from rota.engine.registry import target_job
from rota.errors import InvalidValue
from rota.model.run import Cancelled, Failed, Outcome, Succeeded, TimedOut
from rota.targets.fill import Values
from rota.targets.http import Http, secret_key, signature
from rota.targets.send import is_public, send
from tests.unit.engine.invoke_support import LIMITS, NOON, RUN, MemorySink, execution, outcome_of, run_of

SECRET = "whsec_" + base64.b64encode(b"a key of some length").decode()
NASTY = "$(touch pwned) `x` \"quoted\" 'single' {{occurrence}} {brace} \\ \n next\r\nX-Evil: 1 日本"


class Server(ThreadingHTTPServer):
    """Records what it is sent; answers what the path asks for."""

    daemon_threads = True
    block_on_close = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.requests: list[tuple[str, str, dict[str, str], bytes]] = []
        self.arrived = threading.Event()
        self.release = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Answering(BaseHTTPRequestHandler):
    server: Server

    def _answer(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        headers = {k.lower(): v for k, v in self.headers.items()}
        self.server.requests.append((self.command, self.path, headers, self.rfile.read(length)))
        self.server.arrived.set()
        kind = self.path.split("?")[0].strip("/").split("/")[0]
        if kind == "hang":
            self.server.release.wait(20)
            return
        status = int(kind) if kind.isdigit() else 200
        body = b"x" * 200_000 if kind == "large" else "svar \x00 å".encode() if status < 400 else b"\xff went wrong"
        self.send_response(status)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Set-Cookie", "secret=1")
        if status in (301, 302, 307):
            self.send_header("Location", "http://127.0.0.1/elsewhere")
        if kind == "endless":
            self.end_headers()
            self._trickle()
            return
        self.send_header("Content-Length", str(0 if self.command == "HEAD" else len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _trickle(self) -> None:
        while not self.server.release.wait(0.02):
            try:
                self.wfile.write(b".")
            except OSError:
                return

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_PATCH = _answer  # noqa: N815 - http.server's names

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - http.server's name
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as made:
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield made
        made.release.set()
        made.shutdown()
        thread.join()


def request(server: Server, path: str = "/", **options: Any) -> Http:
    return Http(server.url + path, **{"allow_private": True} | options)


def outcome(spec: Http, **changes: Any) -> Outcome:
    return outcome_of(target_job("ping", spec), **changes)


def sent(server: Server) -> tuple[str, str, dict[str, str], bytes]:
    return server.requests[-1]


def test_a_request_and_its_answer(server: Server) -> None:
    spec = request(
        server,
        "/hook/{{args.piece}}?at={{occurrence}}",
        json={"at": "{{occurrence}}", "x": "{{args.x}}", "since": "{{since}}"},
        headers={"X-Day": "{{occurrence:%d}}"},
    )
    found = outcome(spec, args={"piece": "a/b", "x": [1]})
    assert isinstance(found, Succeeded)
    answer = json.loads(found.result or "")
    assert (answer["status"], answer["body"]) == (200, "svar \ufffd å")
    assert answer["headers"]["content-type"] == "text/plain"
    assert "set-cookie" not in answer["headers"]
    method, path, headers, body = sent(server)
    assert (method, path) == ("POST", "/hook/a%2Fb?at=2026-03-29T14%3A00%3A00%2B02%3A00")
    assert json.loads(body) == {"at": "2026-03-29T14:00:00+02:00", "x": [1], "since": None}
    assert headers["idempotency-key"] == RUN.invocation
    assert headers["x-day"] == "29"
    assert headers["content-type"] == "application/json"
    assert headers["host"] == f"127.0.0.1:{server.server_port}"
    assert "webhook-signature" not in headers


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "HEAD", "PATCH"])
def test_methods(server: Server, method: str) -> None:
    assert isinstance(outcome(request(server, method=method.lower())), Succeeded)
    assert sent(server)[0] == method


def test_arguments_arrive_unchanged_and_make_no_header(server: Server) -> None:
    found = outcome(request(server, "/?q={{args.x}}", json=["{{args.x}}", "<{{args.x}}>"]), args={"x": NASTY})
    assert isinstance(found, Succeeded)
    _, path, headers, body = sent(server)
    assert json.loads(body) == [NASTY, f"<{NASTY}>"]
    assert "x-evil" not in headers
    assert " " not in path
    outcome(request(server, body="text {{args.x}}"), args={"x": NASTY})
    assert sent(server)[3].decode() == f"text {NASTY}"
    count = len(server.requests)
    refused = outcome(request(server, headers={"X": "{{args.x}}"}), args={"x": NASTY})
    assert isinstance(refused, Failed)
    assert refused.type == "value"
    assert len(server.requests) == count
    outcome(request(server, headers={"X": "{{args.x}}"}), args={"x": "日本"})
    assert sent(server)[2]["x"].encode("latin-1").decode() == "日本"


def test_signature_of_standard_webhooks(server: Server) -> None:
    # The example of the specification's own documentation.
    headers = signature(
        secret_key("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), "msg_p5jXN8AQM9LWM0D4loKWxJek",
        NOON.fromtimestamp(1614265330, NOON.tzinfo), b'{"test": 2432232314}',
    )  # fmt: skip
    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    outcome(request(server, json={"a": 1}, secret=SECRET))
    _, _, got, body = sent(server)
    text = f"{RUN.invocation}.{got['webhook-timestamp']}.".encode() + body
    expected = base64.b64encode(hmac.new(b"a key of some length", text, hashlib.sha256).digest()).decode()
    assert got["webhook-signature"] == f"v1,{expected}"
    assert got["webhook-id"] == RUN.invocation
    assert SECRET not in repr(request(server, secret=SECRET))


def test_the_deployment_s_secret_signs_too(server: Server) -> None:
    job = target_job("ping", request(server))
    running = Execution(job, run_of(job), MemorySink(), clock=SystemClock(), limits=LIMITS, secret=b"key")
    assert isinstance(asyncio.run(running.run()), Succeeded)
    assert sent(server)[2]["webhook-signature"].startswith("v1,")


def test_an_answer_that_is_not_2xx_fails(server: Server) -> None:
    found = outcome(request(server, "/503/path?token=secret"))
    assert isinstance(found, Failed)
    assert found.message == f"POST {server.url}/503/path answered 503: \ufffd went wrong"
    assert (found.type, found.names) == ("http", ("http", "http.503"))


def test_redirects_are_not_followed(server: Server) -> None:
    found = outcome(request(server, "/302"))
    assert isinstance(found, Failed)
    assert "answered 302 (to http://127.0.0.1/elsewhere)" in found.message
    assert len(server.requests) == 1


def test_a_large_answer_is_cut(server: Server) -> None:
    found = outcome(request(server, "/large"))
    assert isinstance(found, Succeeded)
    answer = json.loads(found.result or "")
    assert (len(answer["body"]), answer["truncated"]) == (65536, True)


@pytest.mark.parametrize("path", ["/hang", "/endless"])
def test_no_answer_in_time(server: Server, path: str) -> None:
    found = outcome(request(server, path, timeout="100ms"))
    assert isinstance(found, Failed)
    assert (found.type, "no answer within 0.1 s" in found.message) == ("timeout", True)
    assert outcome(request(server, path), policies={"timeout": 0.1}) == TimedOut(timedelta(seconds=0.1))


def test_cancel(server: Server) -> None:
    async def main() -> Outcome:
        running = execution(target_job("ping", request(server, "/hang")))
        task = asyncio.create_task(running.run())
        await asyncio.to_thread(server.arrived.wait, 10)
        running.cancel("cancel")
        return await task

    assert asyncio.run(main()) == Cancelled()


def test_nobody_there() -> None:
    with Server() as gone:
        url = gone.url
    found = outcome(Http(url, allow_private=True))
    assert isinstance(found, Failed)
    assert found.type == "connect"
    unknown = outcome(Http("http://no-such-host.invalid/"))
    assert isinstance(unknown, Failed)
    assert unknown.type == "connect"


# --- addresses ---


@pytest.mark.parametrize("setting", [False, True])
def test_the_setting_permits_private_addresses_for_all_jobs(server: Server, setting: bool) -> None:
    job = target_job("ping", request(server, "/ok", allow_private=False))
    limits = dataclasses.replace(LIMITS, allow_private=setting)
    ended = asyncio.run(Execution(job, run_of(job), MemorySink(), clock=SystemClock(), limits=limits).run())
    assert isinstance(ended, Succeeded if setting else Failed)


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "10.0.0.1", "192.168.1.1", "172.16.0.1", "169.254.169.254", "[::1]", "0.0.0.0", "[::]",  # noqa: S104 - refused, not bound
     "[fe80::1]", "[fc00::1]", "[::ffff:127.0.0.1]", "100.64.0.1", "2130706433", "0x7f.1", "[64:ff9b::7f00:1]",
     "[2002:7f00:1::]", "224.0.0.1", "255.255.255.255"],
)  # fmt: skip
def test_private_addresses_are_refused(host: str) -> None:
    found = outcome(Http(f"http://{host}:9/"))
    assert isinstance(found, Failed), found
    assert (found.type, found.give_up) == ("refused", True)
    assert "not an address of the open internet" in found.message


def test_public_addresses() -> None:
    for text in ("8.8.8.8", "93.184.216.34", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"):
        assert is_public(ipaddress.ip_address(text)), text


def test_one_private_address_among_several_refuses_all(server: Server) -> None:
    async def both(host: str, port: int) -> list[str]:
        return ["93.184.216.34", "127.0.0.1"]

    spec = Http(f"http://two-faced.test:{server.server_port}/")
    found = asyncio.run(send(spec, Values.of(run_of()), NOON, resolver=both))
    assert isinstance(found, Failed)
    assert "two-faced.test is at 127.0.0.1" in found.message
    assert server.requests == []


def test_the_connection_goes_to_the_address_that_was_checked(server: Server) -> None:
    """A name is resolved once: what it says the second time (DNS rebinding) is never asked."""
    asked: list[str] = []

    async def once(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.2", "127.0.0.1"]

    spec = Http(f"http://räksmörgås.test:{server.server_port}/x", allow_private=True)
    found = asyncio.run(send(spec, Values.of(run_of()), NOON, resolver=once))
    assert isinstance(found, Succeeded), found
    assert asked == ["xn--rksmrgs-5wao1o.test"]
    assert sent(server)[2]["host"] == f"xn--rksmrgs-5wao1o.test:{server.server_port}"


def test_proxies_of_the_environment_are_not_used(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert isinstance(outcome(request(server)), Succeeded)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "http.url: missing"),
        ({"url": 3}, "http.url"),
        ({"url": "ftp://a"}, "http.url"),
        ({"url": "https://a/", "method": "BREW"}, "http.method"),
        ({"url": "https://a/", "verb": "GET"}, "http.verb: unknown field"),
        ({"url": "https://a/", "headers": {"A b": "x"}}, "http.headers"),
        ({"url": "https://a/", "headers": {"Host": "x"}}, "http.headers"),
        ({"url": "https://a/", "headers": {"A": "x\r\ny"}}, r"http.headers\.A"),
        ({"url": "https://a/", "headers": {"A": "{{nope}}"}}, r"http.headers\.A"),
        ({"url": "https://a/", "json": {"a": ["{{nope}}"]}}, r"http.json\.a\[0\]"),
        ({"url": "https://a/", "json": 1, "body": "x"}, "exclude each other"),
        ({"url": "https://a/", "json": object()}, "http.json: not JSON"),
        ({"url": "https://a/", "body": 3}, "http.body"),
        ({"url": "https://a/", "secret": "whsec_not base64"}, "http.secret"),
        ({"url": "https://a/", "secret": "plain"}, "http.secret"),
        ({"url": "https://a/", "timeout": "soon"}, "http.timeout"),
        ({"url": "https://a/", "timeout": 0}, "http.timeout"),
        ({"url": "https://a/", "allow_private": "yes"}, "http.allow_private"),
    ],
)
def test_bad_declarations(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidValue, match=message) as caught:
        Http.of(options)
    assert "plain" not in str(caught.value)
