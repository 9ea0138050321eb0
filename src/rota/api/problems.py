"""Errors as RFC 9457 problem+json: every error of rota has its code, its status and all faults at once."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from rota.errors import Error

log = logging.getLogger("rota.api")

MEDIA: Final = "application/problem+json"


def problem(status: int, detail: str, *, code: str, errors: list[dict[str, Any]] | None = None) -> JSONResponse:
    """One problem. `code` is rota's; `errors` are `{pointer, detail}`."""
    body = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "code": code,
        "errors": errors or [],
    }
    return JSONResponse(body, status, media_type=MEDIA)


def install(application: FastAPI) -> None:
    """Let every error of `application` end as a problem."""
    application.add_exception_handler(Error, _of_rota)
    application.add_exception_handler(RequestValidationError, _of_request)
    application.add_exception_handler(HTTPException, _of_http)
    application.add_exception_handler(Exception, _of_fault)


async def _of_rota(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, Error)  # noqa: S101 - the handler is registered for nothing else
    status = error.status if error.status >= 400 else 500
    return problem(status, error.message, code=error.code, errors=error.errors)


async def _of_request(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - as above
    faults = [{"pointer": "/" + "/".join(map(str, fault["loc"])), "detail": fault["msg"]} for fault in error.errors()]
    return problem(
        400, "; ".join(f"{f['pointer']}: {f['detail']}" for f in faults), code="X400006VALINV", errors=faults
    )


async def _of_http(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101 - as above
    codes = {403: "X403001NOTALW", 404: "X404901NOTFND"}
    return problem(error.status_code, str(error.detail), code=codes.get(error.status_code, "X500001INTERN"))


async def _of_fault(request: Request, error: Exception) -> JSONResponse:
    log.error("api.fault %s %s", request.method, request.url.path, exc_info=error)
    return problem(500, "internal error; the server's log has it", code="X500001INTERN")
