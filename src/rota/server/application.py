"""Pages and API as one ASGI application over one application's handles."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI

from rota.api import application as api
from rota.api import problems
from rota.api.hosts import AsciiQuery, LoopbackOnly
from rota.version import VERSION
from rota.web import pages

if TYPE_CHECKING:
    from rota.app.rota import Rota

Ready = Callable[[], dict[str, Any]]


def build(rota: Rota, ready: Ready, *, database: str, loopback_only: bool = True) -> FastAPI:
    """The application. `ready` is asked at each `/readyz` and page; `database` is its shown name, without a password.

    With `loopback_only` a request whose Host header does not name this machine is refused (DNS rebinding).
    """
    application = FastAPI(title="rota", version=VERSION, docs_url=None, redoc_url=None)
    problems.install(application)
    application.include_router(api.router(rota))
    application.include_router(api.health(ready))
    application.include_router(pages.router(rota, ready, version=VERSION, database=database))
    application.add_middleware(AsciiQuery)
    if loopback_only:
        application.add_middleware(LoopbackOnly)
    return application
