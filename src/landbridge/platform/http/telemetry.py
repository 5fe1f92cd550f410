"""Telemetry of requests: request id, replay header, one log line, and metrics.

Logs and metrics carry the route's template, never a query string, a body or a header: those contain
keys and personal data.
"""

import re
import time
from collections.abc import Sequence
from typing import Any, cast

import structlog
from litestar.types import ASGIApp, Message, Receive, Scope, Send
from prometheus_client import Counter, Histogram

from landbridge.platform.core.ids import new_id
from landbridge.platform.http.replays import RESPONSE_SUMMARY, ResponseSummary

_log = structlog.stdlib.get_logger()

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
# Headers of every response: browsers must not guess its type (an upload's least of all), and caches
# must not keep a copy, which may be personal data.
_DEFAULTS = ((b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store"))
# Header of responses that repeat the result of an earlier request.
_REPLAYED = (b"idempotent-replayed", b"true")
_REFUSED = 400
# Scope key of headers that other code adds to the response.
_HEADERS = "landbridge.headers"
# Scope key of requests that get no log line of their own.
_UNLOGGED = "landbridge.is_unlogged"
_QUIET = frozenset({"/healthz", "/readyz", "/metrics"})

REQUESTS = Counter(
    "landbridge_http_requests_total", "Requests answered.", ["method", "route", "status"]
)
SECONDS = Histogram(
    "landbridge_http_request_seconds",
    "Time to the first byte of the answer.",
    ["method", "route"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
)


def with_telemetry(app: ASGIApp) -> ASGIApp:
    """Return ASGI middleware that observes every request."""

    async def observed(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        request_id = _request_id(scope["headers"])
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id)
        started = time.perf_counter()
        # Handlers record here whether the response is a replay.
        found = ResponseSummary()
        RESPONSE_SUMMARY.set(found)

        async def send_response(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = message.setdefault("headers", [])
                message["headers"] = [*headers, (b"x-request-id", request_id.encode())]
                names = {name.lower() for name, _ in headers}
                message["headers"].extend(each for each in _DEFAULTS if each[0] not in names)
                message["headers"].extend(scope.get(_HEADERS, ()))
                if found.is_replay and message["status"] < _REFUSED:
                    message["headers"].append(_REPLAYED)
                _record(scope, message["status"], time.perf_counter() - started)
            await send(message)

        await app(scope, receive, send_response)

    return observed


def add_headers(scope: Any, headers: Sequence[tuple[bytes, bytes]]) -> None:
    """Add these headers to the response of a request, even if it is an error."""
    cast("dict[str, Any]", scope).setdefault(_HEADERS, []).extend(headers)


def skip_access_log(scope: Any) -> None:
    """Write no log line for this request: it is one of many that are logged together."""
    cast("dict[str, Any]", scope)[_UNLOGGED] = True


def is_routed(scope: Any) -> bool:
    """Return whether the request's path and method match a route."""
    return bool(cast("dict[str, Any]", scope).get("path_template"))


def _record(scope: Any, status: int, elapsed_s: float) -> None:
    method: str = scope["method"]
    route: str = scope.get("path_template") or "unknown"
    REQUESTS.labels(method, route, status).inc()
    SECONDS.labels(method, route).observe(elapsed_s)
    if route not in _QUIET and _UNLOGGED not in scope:
        _log.info(
            "http.request",
            method=method,
            route=route,
            status=status,
            ms=round(elapsed_s * 1000, 2),
        )


def _request_id(headers: list[tuple[bytes, bytes]]) -> str:
    """Return the caller's request id if it is well-formed; otherwise a new one."""
    for name, value in headers:
        if name == b"x-request-id" and _REQUEST_ID.fullmatch(text := value.decode("latin-1")):
            return text
    return str(new_id())
