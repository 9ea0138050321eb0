"""GET /api/v1/schedules, /api/v1/runs, /healthz, /readyz: shapes, filters, pages, problems."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from starlette.testclient import TestClient

from rota import Rota
from rota.server.application import build

BASE = "http://127.0.0.1:8470"


@pytest.fixture
def verdict() -> dict[str, Any]:
    """What the loops say of themselves; a test may change it."""
    return {"ready": True, "reasons": []}


@pytest.fixture
def client(app: Rota, verdict: dict[str, Any]) -> Iterator[TestClient]:
    with TestClient(build(app, lambda: verdict, database="sqlite:///rota.db"), base_url=BASE) as found:
        found.follow_redirects = False
        yield found


def items(client: TestClient, path: str) -> list[dict[str, Any]]:
    answer = client.get(path)
    assert answer.status_code == 200, answer.text
    return list(answer.json()["items"])


def test_empty_lists(client: TestClient) -> None:
    assert client.get("/api/v1/schedules").json() == {"items": [], "next_cursor": None}
    assert client.get("/api/v1/runs").json() == {"items": [], "next_cursor": None}


def test_a_schedule_is_what_the_handles_and_the_command_line_say(client: TestClient, app: Rota) -> None:
    made = app.schedules.add("x", job="tick", when="every day at 03:15", timezone="Asia/Tokyo", labels={"a": "b"})
    (found,) = items(client, "/api/v1/schedules")
    assert found == made.to_json()
    assert found["words"] == "At 03:15 every day, Asia/Tokyo time"
    assert found["next_at"].endswith("Z")
    assert "+" not in found["created_at"]


def test_filters(client: TestClient, app: Rota) -> None:
    app.schedules.add("x", job="tick", when="@daily", labels={"team": "ops", "tier": "1"})
    app.schedules.add("acme/shop/prod/y", job="tick", when="@daily", lane="mail")
    app.schedules.pause("x")

    def names(query: str) -> list[str]:
        return [one["name"] for one in items(client, f"/api/v1/schedules?{query}")]

    assert names("") == ["y", "x"] or names("") == ["x", "y"]
    assert names("tenant=acme") == ["y"]
    assert names("lane=mail") == ["y"]
    assert names("state=paused") == ["x"]
    assert set(names("state=paused&state=active")) == {"x", "y"}
    assert names("label=team=ops&label=tier") == ["x"]
    assert names("label=team=dev") == []
    assert names("q=x") == ["x"]
    assert set(names("job=tick&source=user")) == {"x", "y"}


def test_pages(client: TestClient, app: Rota) -> None:
    for name in "abcde":
        app.schedules.add(name, job="tick", when="@daily")
        app.enqueue("tick")
    for path, key in (("/api/v1/schedules", "name"), ("/api/v1/runs", "id")):
        seen, cursor = [], ""
        while True:
            answer = client.get(f"{path}?limit=2{cursor}").json()
            assert len(answer["items"]) <= 2
            seen += [one[key] for one in answer["items"]]
            if answer["next_cursor"] is None:
                break
            cursor = f"&cursor={answer['next_cursor']}"
        assert seen == (list("abcde") if key == "name" else [5, 4, 3, 2, 1])


def test_runs(client: TestClient, app: Rota) -> None:
    app.schedules.add("x", job="backup", when="@daily", args={"target": "a"})
    at = datetime(2026, 1, 1, tzinfo=UTC)
    app.schedules.record_run("x", at, "failed", at, at + timedelta(seconds=2), {"n": 1})
    made = app.enqueue("tick", not_before=timedelta(hours=1))
    newest, oldest = items(client, "/api/v1/runs")
    assert newest == app.runs.get(made.id).to_json()
    assert oldest["schedule"] == "default/default/default/x"
    assert (oldest["scheduled_for"], oldest["finished_at"]) == ("2026-01-01T00:00:00Z", "2026-01-01T00:00:02Z")
    assert (oldest["state"], oldest["cause"], oldest["result"]) == ("failed", "recorded", {"n": 1})
    assert [run["id"] for run in items(client, "/api/v1/runs?state=failed&state=lost")] == [oldest["id"]]
    assert [run["id"] for run in items(client, "/api/v1/runs?schedule=x")] == [oldest["id"]]
    assert [run["id"] for run in items(client, "/api/v1/runs?job=tick")] == [newest["id"]]


@pytest.mark.parametrize(
    ("path", "status", "code", "pointers"),
    [
        ("/api/v1/schedules?colour=red&size=1", 400, "X400006VALINV", ["/query/colour", "/query/size"]),
        ("/api/v1/schedules?limit=0", 400, "X400006VALINV", ["/query/limit"]),
        ("/api/v1/schedules?limit=many", 400, "X400006VALINV", ["/query/limit"]),
        ("/api/v1/schedules?state=sleepy", 400, "X400006VALINV", None),
        ("/api/v1/schedules?sort=colour", 400, "X400006VALINV", None),
        ("/api/v1/schedules?cursor=%00", 400, "X400006VALINV", None),
        ("/api/v1/runs?state=sleepy", 400, "X400006VALINV", None),
        ("/api/v1/runs?cursor=-1", 400, "X400006VALINV", None),
        ("/api/v1/nothing", 404, "X404901NOTFND", None),
        ("/nothing", 404, "X404901NOTFND", None),
    ],
)
def test_problems(client: TestClient, path: str, status: int, code: str, pointers: list[str] | None) -> None:
    answer = client.get(path)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert (body["status"], body["code"]) == (status, code)
    assert body["detail"]
    if pointers is not None:
        assert [fault["pointer"] for fault in body["errors"]] == pointers


def test_another_method_is_405(client: TestClient) -> None:
    answer = client.post("/api/v1/schedules", json={})
    assert answer.status_code == 405
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_fault_of_rota_tells_nothing_of_itself(app: Rota, caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> dict[str, Any]:
        raise RuntimeError("a secret")

    with TestClient(build(app, broken, database="x"), base_url=BASE, raise_server_exceptions=False) as client:
        answer = client.get("/readyz")
    assert answer.status_code == 500
    assert answer.json()["code"] == "X500001INTERN"
    assert "secret" not in answer.text
    assert "api.fault" in caplog.text


def test_health(client: TestClient, verdict: dict[str, Any]) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").status_code == 200
    verdict.update(ready=False, reasons=["the scheduler has not turned for 12 s"])
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["reasons"] == ["the scheduler has not turned for 12 s"]
    assert client.get("/healthz").status_code == 200


def test_a_foreign_host_gets_nothing(client: TestClient) -> None:
    for path in ("/", "/live", "/api/v1/runs", "/healthz", "/openapi.json", "/static/rota.js"):
        assert client.get(path, headers={"Host": "evil.example"}).status_code == 403


def test_openapi(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    assert set(document["paths"]) == {"/api/v1/schedules", "/api/v1/runs", "/healthz", "/readyz"}
