"""ASGI middleware that captures requests into a buffer, which is flushed each second.

Guarantees:
- Capturing never delays a request: the middleware only appends to a buffer in memory. Redaction and
  writing happen later.
- The buffer is bounded (`BufferBounds`): beyond the body limit of an organisation only metadata is
  kept, beyond the total limit only a count.
- So is what an organisation adds to the database in a day: from its limits of an hour on, only its
  average rates are kept.
- Requests without an organisation (pages without a key, invalid keys) and requests of our own
  dashboard are not captured: the log is for developers who use the API.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, cast
from uuid import UUID

import structlog
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send

from landbridge.developers.request_log.model import CapturedRequest
from landbridge.platform.core.clock import Clock
from landbridge.platform.http.auth_guard import INSIDE
from landbridge.platform.http.caller import Caller
from landbridge.platform.rate_limits.buckets import TokenBuckets

# Bodies that people read are smaller.
BODY_BYTES_MAX = 16 * 1024
# Logging these would fill the log with the reading of the log itself.
_UNHEARD = "/v2/request-log"
_AVERAGE_S = 3600.0
_BODILESS = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True, kw_only=True)
class BufferBounds:
    """Bounds of what one process buffers between two flushes.

    A program in development sends a few requests a second; load is observed in metrics.
    """

    # For each organisation.
    bodies: int = 20
    lines: int = 100
    # For all organisations together.
    total: int = 2_000
    # Of each organisation, per second on average over an hour.
    bodies_on_average: int = 1
    lines_on_average: int = 10


@dataclass(slots=True)
class OrganisationBuffer:
    """An organisation's part of the buffer."""

    lines: list[CapturedRequest] = field(default_factory=list[CapturedRequest])
    bodies: int = 0
    omitted_count: int = 0


class _Body:
    """Collects the bytes of a streamed body; its content is None if it is too long to log."""

    __slots__ = ("chunks", "size")

    def __init__(self) -> None:
        self.chunks: list[bytes] = []
        self.size = 0

    def add(self, chunk: bytes) -> None:
        self.size += len(chunk)
        if self.size <= BODY_BYTES_MAX:
            self.chunks.append(chunk)
        else:
            self.chunks.clear()

    def content(self) -> bytes | None:
        return b"".join(self.chunks) if self.size <= BODY_BYTES_MAX else None


class RequestLogMiddleware:
    """The middleware and its buffer."""

    def __init__(self, clock: Clock, bounds: BufferBounds) -> None:
        self._clock = clock
        self._bounds = bounds
        self._shares: dict[UUID, OrganisationBuffer] = {}
        self._line_count = 0
        self._body_rates = TokenBuckets(bounds.bodies_on_average, window_s=_AVERAGE_S)
        self._line_rates = TokenBuckets(bounds.lines_on_average, window_s=_AVERAGE_S)

    def take(self) -> Mapping[UUID, OrganisationBuffer]:
        """Return and clear what was captured since the last call."""
        captured, self._shares, self._line_count = self._shares, {}, 0
        for rates in (self._body_rates, self._line_rates):
            rates.sweep(time.monotonic())
        return captured

    async def listen(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to `app` and capture it: inside the router, around the handler."""
        # A standby has no log to write.
        if scope["type"] != "http" or not self._clock.can_stamp or not _is_captured(scope):
            await app(scope, receive, send)
            return
        started = time.perf_counter()
        request, response = _Body(), _Body()
        status, took_s = 0, 0.0

        async def receive_request() -> Any:
            message = await receive()
            if message["type"] == "http.request":
                request.add(message["body"])
            return message

        async def send_response(message: Message) -> None:
            nonlocal status, took_s
            if message["type"] == "http.response.start":
                status, took_s = message["status"], time.perf_counter() - started
            elif message["type"] == "http.response.body":
                response.add(message["body"])
            await send(message)

        try:
            await app(
                scope, receive if scope["method"] in _BODILESS else receive_request, send_response
            )
        finally:
            # No response: the client disconnected.
            if status:
                self._keep(scope, status, took_s, request, response)

    def _keep(
        self, scope: HTTPScope, status: int, took_s: float, request: _Body, response: _Body
    ) -> None:
        caller = cast("dict[str, object]", scope).get("user")
        if not isinstance(caller, Caller):
            return
        share = self._shares.get(caller.org_id)
        if share is None:
            share = self._shares[caller.org_id] = OrganisationBuffer()
        is_full = len(share.lines) >= self._bounds.lines or self._line_count >= self._bounds.total
        now_s = time.monotonic()
        if is_full or not self._line_rates.take(caller.org_id, now_s).is_allowed:
            share.omitted_count += 1
            return
        has_bodies = (
            share.bodies < self._bounds.bodies
            and self._body_rates.take(caller.org_id, now_s).is_allowed
        )
        share.bodies += has_bodies
        self._line_count += 1
        context = structlog.contextvars.get_contextvars()
        share.lines.append(
            CapturedRequest(
                org_id=caller.org_id,
                key_id=caller.key_id,
                occurred_at=self._clock.stamp(),
                x_request_id=str(context.get("request_id", "")),
                method=scope["method"],
                route=scope["path_template"],
                path_params=scope["path_params"],
                path=scope["path"],
                query=scope["query_string"],
                headers=cast("list[tuple[bytes, bytes]]", scope["headers"]),
                status=status,
                duration=timedelta(seconds=took_s),
                request_body=request.content() if has_bodies else None,
                response_body=response.content() if has_bodies else None,
            )
        )


def _is_captured(scope: HTTPScope) -> bool:
    handler = cast("Any", scope["route_handler"])
    if handler.opt.get("public") or INSIDE in scope:
        return False
    return not scope["path"].startswith(_UNHEARD)
