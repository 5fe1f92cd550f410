"""Hears requests go by: ASGI middleware, and a small heap that is emptied each second.

Guarantees:
- a request waits for nothing: what is heard is laid on a heap in memory; taking out what is
  personal, and writing, happen later;
- the heap has bounds (`Bounds`): beyond so many bodies of an organisation only lines are kept,
  beyond so many lines only a count;
- what has no organisation (a page without a key, a key that is not good) is not heard at all, nor
  is what our own pages ask: the log is for who builds on the interface.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, cast
from uuid import UUID

import structlog
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send

from landbridge.core.clock import Clock
from landbridge.request_log.model import Heard
from landbridge.web.caller import Caller
from landbridge.web.gate import INSIDE

# Every body that people look at is smaller.
BODY_BYTES_MAX = 16 * 1024
# Whoever looks at the log would find little else in it.
_UNHEARD = "/v2/request-log"
_BODILESS = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What is kept in one process between two times that the heap is emptied.

    A program that is being built sends a few requests a second; what is under load is looked at in
    metrics.
    """

    # Of each organisation.
    bodies: int = 20
    lines: int = 100
    # Of all together.
    heap: int = 2_000


@dataclass(slots=True)
class Share:
    """An organisation's part of the heap."""

    lines: list[Heard] = field(default_factory=list[Heard])
    bodies: int = 0
    left_out: int = 0


class _Body:
    """The bytes of a body while they go by; None once they are too many."""

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

    def whole(self) -> bytes | None:
        return b"".join(self.chunks) if self.size <= BODY_BYTES_MAX else None


class Listener:
    """The middleware and its heap."""

    def __init__(self, clock: Clock, bounds: Bounds) -> None:
        self._clock = clock
        self._bounds = bounds
        self._shares: dict[UUID, Share] = {}
        self._line_count = 0

    def take(self) -> Mapping[UUID, Share]:
        """What was heard since the last time, which is then forgotten here."""
        taken, self._shares, self._line_count = self._shares, {}, 0
        return taken

    async def listen(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request go by to `app`: behind the router, around whatever answers."""
        if scope["type"] != "http" or not _is_heard(scope):
            await app(scope, receive, send)
            return
        started = time.perf_counter()
        asked, answer = _Body(), _Body()
        status, took_s = 0, 0.0

        async def hear() -> Any:
            message = await receive()
            if message["type"] == "http.request":
                asked.add(message["body"])
            return message

        async def tell(message: Message) -> None:
            nonlocal status, took_s
            if message["type"] == "http.response.start":
                status, took_s = message["status"], time.perf_counter() - started
            elif message["type"] == "http.response.body":
                answer.add(message["body"])
            await send(message)

        try:
            await app(scope, receive if scope["method"] in _BODILESS else hear, tell)
        finally:
            # No answer: the client went away.
            if status:
                self._keep(scope, status, took_s, asked, answer)

    def _keep(
        self, scope: HTTPScope, status: int, took_s: float, asked: _Body, answer: _Body
    ) -> None:
        caller = cast("dict[str, object]", scope).get("user")
        if not isinstance(caller, Caller):
            return
        share = self._shares.get(caller.org_id)
        if share is None:
            share = self._shares[caller.org_id] = Share()
        if len(share.lines) >= self._bounds.lines or self._line_count >= self._bounds.heap:
            share.left_out += 1
            return
        has_bodies = share.bodies < self._bounds.bodies
        share.bodies += has_bodies
        self._line_count += 1
        known = structlog.contextvars.get_contextvars()
        share.lines.append(
            Heard(
                org_id=caller.org_id,
                key_id=caller.key_id,
                at=self._clock.stamp(),
                x_request_id=str(known.get("request_id", "")),
                method=scope["method"],
                route=scope["path_template"],
                path_params=scope["path_params"],
                path=scope["path"],
                query=scope["query_string"],
                headers=cast("list[tuple[bytes, bytes]]", scope["headers"]),
                status=status,
                took=timedelta(seconds=took_s),
                request_body=asked.whole() if has_bodies else None,
                answer_body=answer.whole() if has_bodies else None,
            )
        )


def _is_heard(scope: HTTPScope) -> bool:
    handler = cast("Any", scope["route_handler"])
    if handler.opt.get("public") or INSIDE in scope:
        return False
    return not scope["path"].startswith(_UNHEARD)
