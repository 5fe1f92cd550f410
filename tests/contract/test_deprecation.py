"""A deprecated operation says so: in the OpenAPI document, and in each of its responses.

`Deprecation` is RFC 9745 (`@` and Unix seconds), `Sunset` is RFC 8594 (an HTTP date). Both are
plain response headers of the handler; the policy is in docs/reference/versions.md.
"""

import re
from collections.abc import Iterable
from email.utils import parsedate_to_datetime

from litestar import Litestar, get
from litestar.datastructures import ResponseHeader
from litestar.handlers import HTTPRouteHandler
from litestar.routes import HTTPRoute
from litestar.testing import TestClient

from tests.applications import app_of
from tests.sources import report
from tests.tenants import Tenant

SINCE = "@1798761600"
SUNSET = "Thu, 01 Jul 2027 00:00:00 GMT"


def _faults(handler: HTTPRouteHandler) -> Iterable[str]:
    headers = {each.name: each.value or "" for each in handler.resolve_response_headers()}
    since = re.fullmatch(r"@(\d{10})", headers.get("Deprecation", ""))
    if since is None:
        yield "no Deprecation"
    if "Sunset" not in headers:
        yield "no Sunset"
    elif since and parsedate_to_datetime(headers["Sunset"]).timestamp() <= int(since[1]):
        yield "Sunset is not after Deprecation"


def _findings(app: Litestar) -> list[str]:
    return [
        f"{min(handler.http_methods)} {route.path}: {fault}"
        for route in app.routes
        if isinstance(route, HTTPRoute)
        for handler in route.route_handlers
        if handler.deprecated or {"Deprecation", "Sunset"} & _names(handler)
        for fault in _faults(handler)
    ]


def _names(handler: HTTPRouteHandler) -> set[str]:
    return {each.name for each in handler.resolve_response_headers()}


def test_deprecated_operations_announce_their_end(org: Tenant) -> None:
    findings = _findings(app_of(org.container))
    assert not findings, report("Announce these in each response:", findings)


def test_missing_announcements_are_found() -> None:
    @get("/silent", deprecated=True)
    async def silent() -> None: ...

    @get(
        "/late",
        deprecated=True,
        response_headers=[
            ResponseHeader(name="Deprecation", value=SINCE),
            ResponseHeader(name="Sunset", value="Fri, 01 Jan 2027 00:00:00 GMT"),
        ],
    )
    async def late() -> None: ...

    @get(
        "/announced",
        deprecated=True,
        response_headers=[
            ResponseHeader(name="Deprecation", value=SINCE),
            ResponseHeader(name="Sunset", value=SUNSET),
        ],
    )
    async def announced() -> str:
        return "still there"

    app = Litestar([silent, late, announced], logging_config=None)
    assert _findings(app) == [
        "GET /silent: no Deprecation",
        "GET /silent: no Sunset",
        "GET /late: Sunset is not after Deprecation",
    ]
    with TestClient(app) as client:
        headers = client.get("/announced").headers
    assert (headers["Deprecation"], headers["Sunset"]) == (SINCE, SUNSET)
    assert app.openapi_schema.to_schema()["paths"]["/announced"]["get"]["deprecated"] is True
