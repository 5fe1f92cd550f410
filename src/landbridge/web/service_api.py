"""Routes about the service itself: is it there, is it well, what does it speak."""

import mimetypes
import os
from http import HTTPStatus
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from litestar import MediaType, Response, get
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath
from litestar.response import File
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    generate_latest,
    multiprocess,
)

from landbridge.db import transaction_ids
from landbridge.db.migrate import SchemaNewer, check_schema
from landbridge.db.pool import Database
from landbridge.web.reply import Reply, WireStruct

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


@get("/metrics", public=True, include_in_schema=False, sync_to_thread=False)
def metrics() -> Response[bytes]:
    """Metrics of all processes of this installation, in Prometheus' text format."""
    registry = REGISTRY
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry)
    return Response(generate_latest(registry), media_type=_METRICS_TYPE)


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


@get("/openapi.json", public=True, include_in_schema=False, sync_to_thread=False)
def openapi(openapi_document: NamedDependency[dict[str, Any]]) -> Response[Any]:
    """The interface as OpenAPI."""
    return Reply(openapi_document, media_type=MediaType.JSON)


def explorer_assets() -> HTTPRouteHandler:
    """Swagger UI's files, out of the package that brings them, which is never imported."""
    spec = find_spec("swagger_ui")
    if spec is None or spec.origin is None:
        raise RuntimeError("swagger-ui-py is not installed; run `make setup`")
    # Known by name: what a caller writes never becomes a path.
    files = {each.name: each for each in (Path(spec.origin).parent / "static").iterdir()}

    @get("/docs/assets/{name:str}", public=True, include_in_schema=False, sync_to_thread=False)
    def asset(name: FromPath[str]) -> File:
        if name not in files:
            raise NotFoundException
        kind, _ = mimetypes.guess_type(name)
        return File(files[name], content_disposition_type="inline", media_type=kind)

    return asset
