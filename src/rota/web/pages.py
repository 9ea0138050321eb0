"""The first page: schedules with their words, next and last; the latest runs; kept live by a small script of our own."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Mapping
from datetime import datetime
from importlib import resources
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import jinja2
from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from rota.clock import SystemClock
from rota.errors import Error
from rota.web import shape

if TYPE_CHECKING:
    from rota.app.records import Run, Schedule
    from rota.app.rota import Rota

Ready = Callable[[], dict[str, Any]]

SCHEDULES: Final = 100
RUNS: Final = 40
STATIC: Final = {"rota.css": "text/css", "rota.js": "text/javascript", "favicon.svg": "image/svg+xml"}
HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Pages:
    """Draws the page from the handles of one application."""

    def __init__(self, rota: Rota, ready: Ready, *, version: str, database: str) -> None:
        self._rota = rota
        self._ready = ready
        self._fixed = {"version": version, "database": database}
        self._templates = jinja2.Environment(
            loader=jinja2.PackageLoader("rota.web"), autoescape=True, trim_blocks=True, lstrip_blocks=True
        )
        self._templates.filters |= {
            "stamp": shape.stamp, "clock": shape.clock, "ago": shape.ago, "length_to": shape.length_to,
        }  # fmt: skip

    def home(self, after: str | None) -> HTMLResponse:
        """The whole page; it shows everything without a script too. Where rota has an error to tell, a page that tells it."""
        headers = HEADERS | {"Cache-Control": "no-store"}
        query = f"?after={quote(after, safe='')}" if after else ""
        try:
            text = self._templates.get_template("home.html").render(self._facts(after), query=query)
        except Error as error:
            trouble = self._templates.get_template("trouble.html").render(self._fixed, trouble=error.message)
            return HTMLResponse(trouble, max(error.status, 400), headers=headers)
        return HTMLResponse(text, headers=headers)

    def live(self, after: str | None, known: str | None) -> Response:
        """The part that changes; 304 where nothing but time has passed since the state that `known` names."""
        facts = self._facts(after)
        tag = _tag(facts)
        headers = HEADERS | {"ETag": tag, "Cache-Control": "no-cache", "X-Rota-Now": shape.stamp(facts["now"])}
        if known == tag:
            return Response(status_code=304, headers=headers)
        return HTMLResponse(self._templates.get_template("live.html").render(facts), headers=headers)

    def _facts(self, after: str | None) -> dict[str, Any]:
        now = SystemClock().now()
        every = dict.fromkeys(("tenant", "stack", "environment"), "*")
        page = self._rota.schedules.page(cursor=after, limit=SCHEDULES, **every)
        latest = self._rota.runs.page(limit=RUNS)
        zones = {schedule.key: schedule.zone for schedule in page.items}
        return self._fixed | {
            "now": now,
            "ready": verdict(self._ready()),
            "schedules": [schedule_facts(schedule) for schedule in page.items],
            "more": page.next_cursor,
            "runs": [run_facts(run, zones) for run in latest.items],
        }


def router(rota: Rota, ready: Ready, *, version: str, database: str) -> APIRouter:
    """`/`, its live part, and the static files."""
    pages = Pages(rota, ready, version=version, database=database)
    routes = APIRouter(include_in_schema=False)

    @routes.get("/")
    def home(after: str | None = None) -> HTMLResponse:
        return pages.home(after)

    @routes.get("/live")
    def live(request: Request, after: str | None = None) -> Response:
        return pages.live(after, request.headers.get("if-none-match"))

    @routes.get("/static/{name}")
    def static(name: str) -> Response:
        if name not in STATIC:
            return Response(status_code=404)
        data = (resources.files("rota.web") / "static" / name).read_bytes()
        return Response(data, media_type=STATIC[name], headers=HEADERS | {"Cache-Control": "public, max-age=86400"})

    return routes


def verdict(found: Mapping[str, Any]) -> dict[str, Any]:
    """What the process says of itself, as {ok, text}."""
    if found.get("ready"):
        return {"ok": True, "text": "Live: this page follows what happens."}
    reasons = found.get("reasons") or found.get("problems") or []
    text = "; ".join(map(str, reasons)) or "one of its loops does not do its work"
    return {"ok": False, "text": f"Not ready: {text}"}


def _fields(record: Schedule | Run) -> dict[str, Any]:
    return {field.name: getattr(record, field.name) for field in dataclasses.fields(record)}


def schedule_facts(schedule: Schedule) -> dict[str, Any]:
    """A schedule's record as the template wants it."""
    hidden = (schedule.tenant, schedule.stack, schedule.environment) == ("default",) * 3
    return _fields(schedule) | {"short": schedule.name if hidden else schedule.key}


def run_facts(run: Run, zones: Mapping[str, str]) -> dict[str, Any]:
    """A run's record as the template wants it, with its lateness and what it left behind in few words."""
    return _fields(run) | {
        "short": shape.short_key(run.schedule) if run.schedule else run.job,
        "zone": zones.get(run.schedule or "", "UTC"),
        "note": _note(run),
        "late": _late(run.scheduled_for, run.started_at) if run.attempt <= 1 and run.cause == "schedule" else None,
        "shown": _left(run),
    }


def _note(run: Run) -> str:
    parts = [run.reason.replace("_", " ")] if run.reason else []
    if run.waiting:
        parts.append("waits for its key")
    if run.cancelling:
        parts.append("cancelling")
    if run.attempt > 1:
        parts.append(f"attempt {run.attempt}")
    if run.covers is not None and run.covers.count > 1:
        parts.append(f"stands for {run.covers.count} occurrences")
    if run.cause not in ("schedule", "manual"):
        parts.append(run.cause)
    return ", ".join(parts)


def _late(due: datetime | None, started: datetime | None) -> str | None:
    if due is None or started is None or (started - due).total_seconds() < 2:
        return None
    return shape.length_to(due, started)


def _left(run: Run) -> str:
    if run.error is not None and run.state != "succeeded":
        return f"{run.error.type}: {run.error.message}"[:300]
    if run.result is not None:
        return json.dumps(run.result, ensure_ascii=False)[:300]
    return f"exit code {run.exit_code}" if run.exit_code else ""


def _tag(facts: Mapping[str, Any]) -> str:
    """A name for what the page shows, but for the time that passes."""
    text = repr(sorted((name, value) for name, value in facts.items() if name != "now"))
    return f'"{hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()}"'
