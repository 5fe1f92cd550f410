"""Routes about the service itself: ping, health, metrics and API description."""

import hmac
from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, Any

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, QueryParameter
from prometheus_client import CONTENT_TYPE_LATEST

from landbridge.platform.core.errors import KeyInvalid, ReadOnlyServer
from landbridge.platform.db.migrate import SchemaNewer, check_schema
from landbridge.platform.db.pool import Database
from landbridge.platform.http import error_page
from landbridge.platform.http.api_explorer import INDEX_HEADERS, PAGE_HEADERS, ApiExplorer, assets
from landbridge.platform.http.auth_guard import bearer
from landbridge.platform.http.list_query import AnyRequest, parse_choice
from landbridge.platform.http.metrics import MetricsText
from landbridge.platform.http.responses import ResponseEncoder, WireStruct
from landbridge.platform.http.static_content import LazyContent

# Litestar adds the charset itself.
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


@get("/docs", public=True, include_in_schema=False)
async def explorer(
    request: AnyRequest, api_explorer: NamedDependency[ApiExplorer]
) -> Response[bytes]:
    """All operations, each with a link to a form that sends it."""
    response = await api_explorer.index.response(request)
    response.headers.update(INDEX_HEADERS)
    return response


@get("/docs/operations/{tag:str}", public=True, include_in_schema=False)
async def explored_tag(
    request: AnyRequest, api_explorer: NamedDependency[ApiExplorer], tag: FromPath[str]
) -> Response[bytes]:
    """The operations of one tag, to try; all files of the page are served from here."""
    response = await _existing(api_explorer.pages, tag).response(request)
    response.headers.update(PAGE_HEADERS)
    return response


@get("/docs/operations/{tag:str}/openapi.json", public=True, include_in_schema=False)
async def explored_document(
    request: AnyRequest, api_explorer: NamedDependency[ApiExplorer], tag: FromPath[str]
) -> Response[bytes]:
    """The part of the OpenAPI document that describes the operations of one tag."""
    return await _existing(api_explorer.documents, tag).response(request)


@get(error_page.PATH, public=True, include_in_schema=False, sync_to_thread=False)
def explained_errors(request: AnyRequest) -> Response[bytes]:
    """The page that `docUrl` of an error leads to."""
    response = error_page.error_page().response(request)
    response.headers["Content-Security-Policy"] = error_page.content_policy()
    return response


@get("/openapi.json", public=True, include_in_schema=False)
async def openapi(
    request: AnyRequest, api_explorer: NamedDependency[ApiExplorer]
) -> Response[bytes]:
    """The API as an OpenAPI document."""
    return await api_explorer.document.response(request)


@get("/docs/assets/{name:str}", public=True, include_in_schema=False)
async def explorer_asset(request: AnyRequest, name: FromPath[str]) -> Response[bytes]:
    """A file of Swagger UI."""
    return await _existing(assets(), name).response(request)


def _existing(contents: Mapping[str, LazyContent], name: str) -> LazyContent:
    found = contents.get(name)
    if found is None:
        raise NotFoundException
    return found
