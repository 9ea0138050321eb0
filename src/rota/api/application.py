"""The API of this version: GET /api/v1/schedules and /api/v1/runs, /healthz and /readyz."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Final

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import JSONResponse

from rota.errors import InvalidValue

if TYPE_CHECKING:
    from rota.app.rota import Rota

Ready = Callable[[], dict[str, Any]]
"""What the process's loops say about themselves; the key `ready` is the verdict."""

MOST: Final = 500
SCHEDULE_FILTERS: Final = ("q", "job", "lane", "source", "origin", "owner", "tenant", "stack", "environment")
RUN_FILTERS: Final = ("schedule", "job", "lane", "node")
_PAGE: Final = ("limit", "cursor")

Limit = Annotated[int, Query(ge=1, le=MOST, description="How many items at most.")]
Cursor = Annotated[str | None, Query(description="`next_cursor` of the page before.")]
Several = Annotated[list[str] | None, Query()]


def only(*allowed: str) -> Callable[[Request], None]:
    """A dependency that refuses query parameters which the endpoint does not know, all at once."""

    def check(request: Request) -> None:
        unknown = sorted(set(request.query_params) - set(allowed))
        if unknown:
            faults = [{"pointer": f"/query/{name}", "detail": f"{name}: unknown parameter"} for name in unknown]
            raise InvalidValue(f"{unknown[0]}: unknown parameter; allowed are {', '.join(allowed)}", errors=faults)

    return check


def router(rota: Rota) -> APIRouter:
    """The endpoints under /api/v1."""
    routes = APIRouter(prefix="/api/v1")

    known = (*SCHEDULE_FILTERS, "state", "label", "sort", *_PAGE)

    @routes.get("/schedules", dependencies=[Depends(only(*known))])
    def schedules(
        request: Request, *, state: Several = None, label: Several = None, sort: str = "name",
        limit: Limit = 50, cursor: Cursor = None,
    ) -> JSONResponse:  # fmt: skip
        """Schedules: {items, next_cursor}. Without tenant, stack and environment those of every place."""
        given = _given(request, SCHEDULE_FILTERS)
        wanted = dict.fromkeys(("tenant", "stack", "environment"), "*") | given | _filled(state=state, label=label)
        return JSONResponse(rota.schedules.page(cursor=cursor, limit=limit, sort=sort, **wanted).to_json())

    @routes.get("/runs", dependencies=[Depends(only(*RUN_FILTERS, "state", *_PAGE))])
    def runs(request: Request, *, state: Several = None, limit: Limit = 50, cursor: Cursor = None) -> JSONResponse:
        """Runs, newest first: {items, next_cursor}."""
        wanted = _given(request, RUN_FILTERS) | _filled(state=state)
        return JSONResponse(rota.runs.page(cursor=cursor, limit=limit, **wanted).to_json())

    return routes


def health(ready: Ready) -> APIRouter:
    """/healthz (the process answers) and /readyz (its loops do their work; 503 where they do not)."""
    routes = APIRouter()

    @routes.get("/healthz")
    async def healthz() -> JSONResponse:
        """Always {"status": "ok"}: the process is alive."""
        return JSONResponse({"status": "ok"})

    @routes.get("/readyz")
    def readyz() -> JSONResponse:
        """The state of each loop; 200 if `ready`, else 503."""
        found = ready()
        return JSONResponse(found, 200 if found.get("ready") else 503)

    return routes


def _given(request: Request, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: request.query_params[name] for name in names if request.query_params.get(name)}


def _filled(**values: list[str] | None) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value}
