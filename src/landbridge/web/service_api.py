"""Routes about the service itself: is it there, is it well, what does it speak."""

import asyncio
import hmac
import mimetypes
from collections.abc import Mapping
from functools import cache, partial
from http import HTTPStatus
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from litestar import MediaType, Response, get
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from prometheus_client import CONTENT_TYPE_LATEST

from landbridge.core.errors import Broken, KeyInvalid
from landbridge.db import transaction_ids
from landbridge.db.migrate import SchemaNewer, check_schema
from landbridge.db.pool import Database
from landbridge.web.gate import bearer
from landbridge.web.lists import AnyRequest
from landbridge.web.metrics import MetricsText
from landbridge.web.reply import Reply, WireStruct
from landbridge.web.static import Once, StaticContent

# Litestar adds the charset.
_METRICS_TYPE = CONTENT_TYPE_LATEST.removesuffix("; charset=utf-8")


class Pong(WireStruct, frozen=True):
    """An answer."""

    message: str


@get("/v2/ping", summary="Check the connection and the key", tags=["Service"])
async def ping() -> Pong:
    """Answers `pong` to a caller with a valid key."""
    return Pong(message="pong")


@get("/healthz", public=True, include_in_schema=False)
async def healthz(database: NamedDependency[Database]) -> dict[str, str]:
    """200 when the server can work: it reaches the database. 503 otherwise."""
    await database.rows("select 1 as one")
    return {"status": "ok"}


@get("/readyz", public=True, include_in_schema=False)
async def readyz(database: NamedDependency[Database]) -> Response[Any]:
    """200 when this process may be sent requests.

    503 once a newer version has migrated, and with a reason while transaction ids in the database
    are ahead of its server.
    """
    try:
        await check_schema(database)
        await transaction_ids.check(database)
    except SchemaNewer:
        return Reply({"status": "outdated"}, status_code=HTTPStatus.SERVICE_UNAVAILABLE)
    except transaction_ids.TransactionIdsAhead as error:
        status, reason = HTTPStatus.SERVICE_UNAVAILABLE, str(error)
        return Reply({"status": "not ready", "reason": reason}, status_code=status)
    return Reply({"status": "ready"})


@get("/metrics", public=True, include_in_schema=False)
async def metrics(
    request: AnyRequest,
    metrics_token: NamedDependency[str | None],
    metrics_text: NamedDependency[MetricsText],
) -> Response[bytes]:
    """Metrics of all processes of this installation, for whoever has the operator's token.

    They tell of all tenants, so no key of an organisation opens them; 404 where there is no token.
    """
    if metrics_token is None:
        raise NotFoundException
    if not hmac.compare_digest(bearer(request.headers).encode(), metrics_token.encode()):
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
  <div id="swagger-ui"></div>
  <script src="/docs/assets/swagger-ui-bundle.js"></script>
  <script>
    SwaggerUIBundle({url: "/openapi.json", dom_id: "#swagger-ui", persistAuthorization: true});
  </script>
</body>
</html>
"""


@get("/docs", public=True, include_in_schema=False, media_type=MediaType.HTML, sync_to_thread=False)
def explorer() -> str:
    """A page to explore the API; everything on it is served from here."""
    return _EXPLORER


@get("/openapi.json", public=True, include_in_schema=False)
async def openapi(request: AnyRequest, openapi_document: NamedDependency[Once]) -> Response[bytes]:
    """The interface as OpenAPI."""
    return await _static(request, openapi_document)


@get("/docs/assets/{name:str}", public=True, include_in_schema=False)
async def explorer_asset(request: AnyRequest, name: FromPath[str]) -> Response[bytes]:
    """A file of Swagger UI."""
    found = _explorer_assets().get(name)
    if found is None:
        raise NotFoundException
    return await _static(request, found)


async def _static(request: AnyRequest, once: Once) -> Response[bytes]:
    return (once.made or await asyncio.to_thread(once.get)).response(request)


@cache
def _explorer_assets() -> Mapping[str, Once]:
    """The files that the explorer's page names, out of the package that brings them.

    The package is never imported.
    """
    spec = find_spec("swagger_ui")
    if spec is None or spec.origin is None:
        raise Broken("swagger-ui-py is not installed; run `make setup`")
    folder = Path(spec.origin).parent / "static"

    def read(name: str) -> StaticContent:
        kind, _ = mimetypes.guess_type(name)
        return StaticContent.of((folder / name).read_bytes(), kind or "application/octet-stream")

    return {name: Once(partial(read, name)) for name in _EXPLORER_ASSETS}
