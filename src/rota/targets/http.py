"""HTTP jobs as values: what to send, and the signature of Standard Webhooks. `targets.send` sends it.

Checked when it is declared, so that a bad URL, header or placeholder is an error of the file and not of a run.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from typing import Any, Final

from rota.errors import InvalidValue
from rota.model.policy import length
from rota.targets.fill import check_json, check_placeholders, check_url

METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_OWN: Final = ("host", "content-length", "transfer-encoding", "connection", "idempotency-key")


@dataclass(frozen=True, slots=True)
class Http:
    """A request to make. `json` and `body` exclude each other; `timeout` bounds the whole exchange.

    `secret` (`whsec_` + base64, Standard Webhooks) signs it. `allow_private` permits private, loopback and link-local
    addresses. Raises InvalidValue, naming the field, for what can never be sent.
    """

    url: str
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict)
    json: Any = None
    body: str | None = None
    secret: str | None = field(default=None, repr=False)
    allow_private: bool = False
    timeout: timedelta = timedelta(seconds=30)

    def __post_init__(self) -> None:
        if not isinstance(self.url, str):
            raise InvalidValue(f"http.url: {self.url!r} is not text")
        check_url(self.url, "http.url")
        if not isinstance(self.method, str) or self.method.upper() not in METHODS:
            raise InvalidValue(f"http.method: {self.method!r} is not one of {', '.join(METHODS)}")
        object.__setattr__(self, "method", self.method.upper())
        object.__setattr__(self, "timeout", length(self.timeout, "http.timeout"))
        if not self.timeout:
            raise InvalidValue("http.timeout: 0 leaves no time for an answer")
        if not isinstance(self.allow_private, bool):
            raise InvalidValue(f"http.allow_private: {self.allow_private!r} is not true or false")
        _check_headers(self.headers)
        _check_body(self.json, self.body)
        if self.secret is not None:
            secret_key(self.secret)

    @classmethod
    def of(cls, value: object) -> Http:
        """From the object of a file; raises InvalidValue for an unknown field, too."""
        if not isinstance(value, Mapping):
            raise InvalidValue(f'http: {value!r} is not an object such as {{method: POST, url: "https://…"}}')
        known = {f.name for f in fields(cls)}
        unknown = sorted(str(k) for k in value if k not in known)
        if unknown:
            raise InvalidValue(f"http.{unknown[0]}: unknown field; allowed are {', '.join(sorted(known))}")
        if "url" not in value:
            raise InvalidValue("http.url: missing")
        return cls(**{str(k): v for k, v in value.items()})


def _check_headers(headers: object) -> None:
    if not isinstance(headers, Mapping):
        raise InvalidValue(f"http.headers: {headers!r} is not an object of names and texts")
    for name, text in headers.items():
        token = isinstance(name, str) and name and all(c.isalnum() or c in "!#$%&'*+-.^_`|~" for c in name)
        if not token or not name.isascii() or name.lower() in _OWN or name.lower().startswith("webhook-"):
            raise InvalidValue(f"http.headers: {name!r} is not a header's name that a job may set")
        if not isinstance(text, str) or any(c in text for c in "\r\n\x00"):
            raise InvalidValue(f"http.headers.{name}: {text!r} is not a text of one line")
        check_placeholders(text, f"http.headers.{name}")


def _check_body(value: Any, body: object) -> None:
    if body is not None and value is not None:
        raise InvalidValue("http: json and body exclude each other")
    if body is not None:
        if not isinstance(body, str):
            raise InvalidValue(f"http.body: {body!r} is not text; use json for anything else")
        check_placeholders(body, "http.body")
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidValue(f"http.json: not JSON: {error}") from None
    check_json(value, "http.json")


def secret_key(secret: str) -> bytes:
    """The key in a `whsec_…` text; raises InvalidValue, without showing it."""
    try:
        if isinstance(secret, str) and secret.startswith("whsec_"):
            key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
            if key:
                return key
    except (binascii.Error, ValueError):
        pass  # the one message below serves every way of being wrong, and shows nothing of the secret
    raise InvalidValue("http.secret: not a secret of the form whsec_ + base64")


def signature(key: bytes, message_id: str, at: datetime, body: bytes) -> dict[str, str]:
    """The three headers of Standard Webhooks (its specification, version 1.0.0: HMAC-SHA256 of `id.timestamp.body`)."""
    stamp = str(int(at.timestamp()))
    digest = hmac.new(key, f"{message_id}.{stamp}.".encode() + body, hashlib.sha256).digest()
    return {
        "webhook-id": message_id,
        "webhook-timestamp": stamp,
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
    }
