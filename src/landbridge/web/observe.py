"""What can be seen of requests from outside: a request id, a replay, one log line, and metrics.

Logs and metrics carry the route's template, never a query string, a body or a header: those hold
keys and people's data.
"""

import re
import time
from collections.abc import Sequence
from typing import Any, cast

import structlog
from litestar.types import ASGIApp, Message, Receive, Scope, Send
from prometheus_client import Counter, Histogram

from landbridge.core.ids import new_id
from landbridge.web.replays import ANSWER, Answer

_log = structlog.stdlib.get_logger()

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
# What we send is what we say it is; a browser must not guess, least of all at uploads.
_NO_SNIFFING = (b"x-content-type-options", b"nosniff")
# Told of answers that only repeat what was done before.
_REPLAYED = (b"idempotent-replayed", b"true")
_REFUSED = 400
# Where the scope holds what other code wants the answer to carry.
_HEADERS = "landbridge.headers"
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


def observe(app: ASGIApp) -> ASGIApp:
    """ASGI middleware around every request."""

    async def observed(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        request_id = _request_id(scope["headers"])
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id)
        started = time.perf_counter()
        # Whoever answers says in here whether it was a replay.
        found = Answer()
        ANSWER.set(found)

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = message.setdefault("headers", [])
                message["headers"] = [*headers, (b"x-request-id", request_id.encode())]
                if not any(name == _NO_SNIFFING[0] for name, _ in headers):
                    message["headers"].append(_NO_SNIFFING)
                message["headers"].extend(scope.get(_HEADERS, ()))
                if found.is_replay and message["status"] < _REFUSED:
                    message["headers"].append(_REPLAYED)
                _record(scope, message["status"], time.perf_counter() - started)
            await send(message)

        await app(scope, receive, answer)

    return observed


def add_headers(scope: Any, headers: Sequence[tuple[bytes, bytes]]) -> None:
    """Let the answer of a request carry these headers, whatever it will be."""
    cast("dict[str, Any]", scope).setdefault(_HEADERS, []).extend(headers)


def _record(scope: Any, status: int, elapsed_s: float) -> None:
    method: str = scope["method"]
    route: str = scope.get("path_template") or "unknown"
    REQUESTS.labels(method, route, status).inc()
    SECONDS.labels(method, route).observe(elapsed_s)
    if route not in _QUIET:
        _log.info(
            "http.request",
            method=method,
            route=route,
            status=status,
            ms=round(elapsed_s * 1000, 2),
        )


def _request_id(headers: list[tuple[bytes, bytes]]) -> str:
    """The caller's own id if it has a plain form, so that both sides' logs meet; else a new one."""
    for name, value in headers:
        if name == b"x-request-id" and _REQUEST_ID.fullmatch(text := value.decode("latin-1")):
            return text
    return str(new_id())
