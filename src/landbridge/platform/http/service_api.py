"""Routes about the service itself: ping, health, metrics and API description."""

import base64
import hashlib
import hmac
import mimetypes
from collections.abc import Mapping
from functools import cache, partial
from http import HTTPStatus
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

from litestar import MediaType, Response, get
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, QueryParameter
from prometheus_client import CONTENT_TYPE_LATEST

from landbridge.platform.core.errors import InvariantBroken, KeyInvalid, ReadOnlyServer
from landbridge.platform.db.migrate import SchemaNewer, check_schema
from landbridge.platform.db.pool import Database
from landbridge.platform.http import error_page
from landbridge.platform.http.auth_guard import bearer
from landbridge.platform.http.documentation_site import SITE
from landbridge.platform.http.list_query import AnyRequest, parse_choice
from landbridge.platform.http.metrics import MetricsText
from landbridge.platform.http.responses import ResponseEncoder, WireStruct
from landbridge.platform.http.static_content import LazyContent, StaticContent

# Litestar adds the charset.
_METRICS_TYPE = CONTENT_TYPE_LATEST.removesuffix("; charset=utf-8")
_READS = "reads"
_READ_ONLY = str(ReadOnlyServer())


class Pong(WireStruct, frozen=True):
    """Response to a ping."""

    message: str


@get(
    "/v2/ping",
    summary="Check the connection and the key",
    tags=["Service"],
    operation_id="service.ping",
)
async def ping() -> Pong:
    """Answers `pong` to a caller with a valid key."""
    return Pong(message="pong")


@get("/ping", include_in_schema=False, operation_id="service.pingWithoutVersion")
async def bare_ping() -> Pong:
    """The path that older clients of the reference use."""
    return Pong(message="pong")


@get("/healthz", public=True, include_in_schema=False)
async def healthz(database: NamedDependency[Database]) -> dict[str, str]:
    """200 when the server can work: it reaches the database. 503 otherwise."""
    await database.rows("select 1 as one")
    return {"status": "ok"}


@get("/readyz", public=True, include_in_schema=False)
async def readyz(
    database: NamedDependency[Database],
    purpose: Annotated[str | None, QueryParameter(name="for")] = None,
) -> Response[Any]:
    """200 when this process may be sent requests; with `for=reads`, also while it can only read.

    503 once a newer version has migrated, and with a reason while the database can't be written.
    """
    is_for_reads = purpose is not None and parse_choice("for", purpose, (_READS,)) == _READS
    is_writable = await database.is_writable()
    if not is_writable and not is_for_reads:
        return _not_ready(_READ_ONLY)
    try:
        await check_schema(database)
    except SchemaNewer:
        return ResponseEncoder({"status": "outdated"}, status_code=HTTPStatus.SERVICE_UNAVAILABLE)
    if not is_writable:
        return ResponseEncoder({"status": "ready for reads", "reason": _READ_ONLY})
    return ResponseEncoder({"status": "ready"})


def _not_ready(reason: str) -> Response[Any]:
    content = {"status": "not ready", "reason": reason}
    return ResponseEncoder(content, status_code=HTTPStatus.SERVICE_UNAVAILABLE)


@get("/metrics", public=True, include_in_schema=False)
async def metrics(
    request: AnyRequest,
    metrics_token: NamedDependency[str | None],
    metrics_text: NamedDependency[MetricsText],
) -> Response[bytes]:
    """Metrics of all processes of this installation, for holders of the operator's token.

    They cover all tenants, so no key of an organisation opens them; 404 if no token is set.
    """
    if metrics_token is None:
        raise NotFoundException
    if not hmac.compare_digest(bearer(request.scope).encode(), metrics_token.encode()):
        raise KeyInvalid("this is not the token of LANDBRIDGE_METRICS_TOKEN")
    return Response(await metrics_text.get(), media_type=_METRICS_TYPE)


_EXPLORER_ASSETS = ("swagger-ui.css", "swagger-ui-bundle.js")
_EXPLORER = """<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Landbridge API</title>
  <link rel="stylesheet" href="/docs/assets/swagger-ui.css">
</head>
<body>
  {link}<div id="swagger-ui"></div>
  <script src="/docs/assets/swagger-ui-bundle.js"></script>
  <script>{script}</script>
</body>
</html>
"""
_SITE_LINK = '<p><a href="/docs/site/">Guides and reference</a></p>'
# The schemas of all bodies are not listed below the operations, which show them: that list was half
# of the page's elements and memory (17,394 and 9,237 elements, 188 and 98 MB in Chromium).
_EXPLORER_SCRIPT = (
    'SwaggerUIBundle({url: "/openapi.json", dom_id: "#swagger-ui", persistAuthorization: true, '
    "defaultModelsExpandDepth: -1, filter: true, deepLinking: true});"
)


def _explorer_policy() -> str:
    """Return the content security policy; the one inline script is allowed by its hash."""
    digest = base64.b64encode(hashlib.sha256(_EXPLORER_SCRIPT.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'self' 'sha256-{digest}'; style-src 'self' "
        "'unsafe-inline'; img-src 'self' data:; connect-src 'self'; form-action 'none'; "
        "base-uri 'none'; frame-ancestors 'none'"
    )


# The page keeps a key in the browser, so no other site may frame it.
_EXPLORER_HEADERS = {
    "Content-Security-Policy": _explorer_policy(),
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
}


@get("/docs", public=True, include_in_schema=False, sync_to_thread=False)
def explorer() -> Response[str]:
    """A page to explore the API; all its files are served from here."""
    link = _SITE_LINK if SITE.is_built else ""
    page = _EXPLORER.replace("{script}", _EXPLORER_SCRIPT).replace("{link}", link)
    return Response(page, media_type=MediaType.HTML, headers=_EXPLORER_HEADERS)


@get(error_page.PATH, public=True, include_in_schema=False, sync_to_thread=False)
def explained_errors(request: AnyRequest) -> Response[bytes]:
    """The page that `docUrl` of an error leads to."""
    response = error_page.error_page().response(request)
    response.headers["Content-Security-Policy"] = error_page.content_policy()
    return response


@get("/openapi.json", public=True, include_in_schema=False)
async def openapi(
    request: AnyRequest, openapi_document: NamedDependency[LazyContent]
) -> Response[bytes]:
    """The API as an OpenAPI document."""
    return await openapi_document.response(request)


@get("/docs/assets/{name:str}", public=True, include_in_schema=False)
async def explorer_asset(request: AnyRequest, name: FromPath[str]) -> Response[bytes]:
    """A file of Swagger UI."""
    found = _explorer_assets().get(name)
    if found is None:
        raise NotFoundException
    return await found.response(request)


@cache
def _explorer_assets() -> Mapping[str, LazyContent]:
    """Return the files of the explorer, from the package that contains them.

    The package is never imported.
    """
    spec = find_spec("aiohttp_swagger3")
    if spec is None or spec.origin is None:
        raise InvariantBroken("aiohttp-swagger3 is not installed; run `make setup`")
    folder = Path(spec.origin).parent / "swagger_ui"

    def read(name: str) -> StaticContent:
        kind, _ = mimetypes.guess_type(name)
        return StaticContent.of((folder / name).read_bytes(), kind or "application/octet-stream")

    return {name: LazyContent(partial(read, name)) for name in _EXPLORER_ASSETS}
