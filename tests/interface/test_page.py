"""The first page: what it shows, without and with its script; strict headers; light, dark and narrow in Chromium."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from rota import Rota
from rota.server.application import build
from rota.web import shape
from tests.interface.processes import Process, started
from tests.interface.test_api import BASE
from tests.support.programs import need

STATIC = Path(shape.__file__).parent / "static"
EVIL = '<script>alert("x")</script>'


@pytest.fixture
def verdict() -> dict[str, Any]:
    return {"ready": True, "reasons": []}


@pytest.fixture
def client(app: Rota, verdict: dict[str, Any]) -> Iterator[TestClient]:
    with TestClient(build(app, lambda: verdict, database="sqlite:///rota.db"), base_url=BASE) as found:
        yield found


def test_it_shows_schedules_and_runs(client: TestClient, app: Rota) -> None:
    app.schedules.add("night", job="tick", when="every day at 03:15", timezone="Asia/Tokyo", labels={"team": "ops"})
    at = datetime(2026, 1, 1, tzinfo=UTC)
    app.schedules.record_run("night", at, "failed", at, at + timedelta(seconds=75), {"n": 1})
    app.schedules.add("gone", job="tick", when="@daily")
    app.schedules.disable("gone", reason="audit")
    text = client.get("/").text
    for part in (
        "At 03:15 every day, Asia/Tokyo time", "03:15:00 +09:00", "Asia/Tokyo", "team=ops", "job tick",
        '<span class="state failed">failed</span>', "1 min 15 s", "2026-01-01 09:00:00 +09:00",
        '<span class="state disabled">disabled</span>', "sqlite:///rota.db",
    ):  # fmt: skip
        assert part in text, part
    assert re.search(r"in [0-9]+ (h|min)</time>", text)


def test_an_empty_database_says_what_to_do(client: TestClient) -> None:
    text = client.get("/").text
    assert "rota schedule add" in text
    assert "No run yet." in text


def test_what_is_wrong_stands_on_top(client: TestClient, verdict: dict[str, Any]) -> None:
    verdict.update(ready=False, reasons=["the scheduler has not turned for 12 s"])
    assert "Not ready: the scheduler has not turned for 12 s" in client.get("/").text


def test_values_are_never_markup(client: TestClient, app: Rota) -> None:
    app.schedules.add("x", job="tick", when="@daily", note=EVIL, labels={"k": EVIL})
    at = datetime(2026, 1, 1, tzinfo=UTC)
    app.schedules.record_run("x", at, "failed", at, at, EVIL)
    for path in ("/", "/live"):
        assert "<script>alert" not in client.get(path).text
    assert "&lt;script&gt;" in client.get("/").text


def test_headers_forbid_what_the_page_does_not_need(client: TestClient) -> None:
    for path in ("/", "/live", "/static/rota.js"):
        answer = client.get(path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
    text = client.get("/").text
    assert not re.findall(r"<script(?![^>]*\ssrc=)|\son[a-z]+=|style=|javascript:", text)
    assert not re.findall(r"(?:src|href)=\"(?:https?:)?//", text)


def test_without_a_script_it_reloads_itself(client: TestClient) -> None:
    assert '<noscript><meta http-equiv="refresh" content="10"></noscript>' in client.get("/").text


def test_the_live_part_changes_only_with_what_it_shows(client: TestClient, app: Rota) -> None:
    first = client.get("/live")
    tag = first.headers["etag"]
    assert client.get("/live", headers={"If-None-Match": tag}).status_code == 304
    app.schedules.add("x", job="tick", when="@daily")
    fresh = client.get("/live", headers={"If-None-Match": tag})
    assert fresh.status_code == 200
    assert fresh.headers["etag"] != tag
    assert datetime.fromisoformat(fresh.headers["x-rota-now"]).utcoffset() == timedelta(0)


def test_many_schedules_come_in_pages(client: TestClient, app: Rota) -> None:
    for number in range(105):
        app.schedules.add(f"s{number:03}", job="tick", when="@daily")
    text = client.get("/").text
    assert "s099" in text
    assert "s100" not in text
    following = re.search(r'href="(/\?after=[^"]+)"', text)
    assert following
    assert "s104" in client.get(following[1].replace("&amp;", "&")).text


def test_a_cursor_that_is_none_is_told_on_a_page(client: TestClient) -> None:
    answer = client.get("/", params={"after": 'x"><b>'})
    assert answer.status_code == 400
    assert answer.headers["content-type"].startswith("text/html")
    assert "<b>" not in answer.text


def test_unknown_static_files_are_404(client: TestClient) -> None:
    for name in ("nothing.css", "..%2Ftemplates%2Fhome.html", "%2e%2e"):
        assert client.get(f"/static/{name}").status_code == 404


def test_lengths_and_distances() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert [shape.length_to(now, now + timedelta(seconds=s)) for s in (0.035, 1.23, 185, 7800)] == [
        "35 ms", "1.2 s", "3 min 5 s", "2 h 10 min",
    ]  # fmt: skip
    assert shape.ago(now + timedelta(hours=5), now) == "in 5 h"
    assert shape.ago(now - timedelta(days=3), now) == "3 days ago"
    assert shape.length_to(now, now - timedelta(seconds=1)) == "0 ms"


def colors(scheme: str) -> dict[str, str]:
    css = (STATIC / "rota.css").read_text()
    light, dark = css.split("@media (prefers-color-scheme: dark)")
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", light if scheme == "light" else dark.split("\n}\n")[0]))


def luminance(color: str) -> float:
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_has_contrast(scheme: str) -> None:
    """WCAG 2.2 AA: at least 4.5 to 1."""
    found = colors(scheme)
    pairs = [(front, back) for front in ("ink", "dim", "accent", "bad") for back in ("paper", "card")]
    pairs += [(name, f"{name}-back") for name in ("good", "busy", "warn", "bad")] + [("ink", "line")]
    for front, back in pairs:
        lighter, darker = sorted((luminance(found[front]), luminance(found[back])), reverse=True)
        assert (lighter + 0.05) / (darker + 0.05) >= 4.5, (scheme, front, back)


# In Chromium


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Process]:
    crons = "{tick: every second, a-name-that-is-rather-long-for-a-phone: {job: tick, when: '@daily'}}"
    file = f"jobs: {{tick: {{command: [echo, hi]}}}}\ncrons: {crons}\n"
    (tmp_path / "rota.yaml").write_text(file)
    with started(tmp_path, "up") as process:
        process.ready()
        process.until_run("succeeded")
        yield process
        assert process.end() == 0


def test_in_chromium(up: Process) -> None:
    """It goes on by itself under its strict policy, fits a phone, and keeps its content where scripts are off."""
    chromium = need("chromium", "chromium")
    from playwright.sync_api import sync_playwright

    url = f"http://127.0.0.1:{up.port}/"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 390, "height": 844}, color_scheme="dark")
        complaints: list[str] = []
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(url)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 24, 27)"
        newest = page.locator(".runs tbody tr").first.inner_text()
        page.wait_for_function("old => document.querySelector('.runs tbody tr').innerText !== old", arg=newest.strip())
        assert page.locator("h2").all_inner_texts() == ["Schedules", "Latest runs"]
        assert complaints == []
        plain = browser.new_context(java_script_enabled=False).new_page()
        plain.goto(url)
        assert "Every second, UTC" in plain.content()
        browser.close()
