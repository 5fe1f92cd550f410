"""Limits of one HTTP connection: what a client may send, and how long it may take.

uvicorn has none of these limits, so one unauthenticated client could fill the memory or keep
connections forever. Guarantees:
- Buffered headers, trailers and pipelined requests of a connection are bounded.
- A connection ends if its client is slow to send or to read, or does nothing at all.
- A read is not computed any further for a client that has disconnected; a write runs to its end.
- A client without a valid key, session or link has a few seconds to send a whole body.
- Bodies have few chunks for their length: each chunk costs as much as a kilobyte in one piece.
- Connections are bounded, in all and per client address (`http.connection_admission`).

A refusal here is answered in the envelope of all errors. A connection in the middle of a response
is closed without one. No timer is needed per connection or request.
"""

import asyncio
from collections.abc import Iterable
from enum import Enum, auto
from http import HTTPStatus
from typing import Any, cast

from typing_extensions import override
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from landbridge.platform.http import connection_admission
from landbridge.platform.http.authenticated import has_credential, is_authenticated
from landbridge.platform.http.bound_hits import RequestBound, count_hit
from landbridge.platform.http.connection_admission import (
    CONNECTIONS_MAX,
    HEALTH_PATHS,
    HEALTH_SLOTS,
    RESERVE,
    TrustedNetworks,
)
from landbridge.platform.http.early_responses import answer_bytes
from landbridge.platform.http.headers import ambiguity
from landbridge.platform.http.telemetry import REQUESTS

# Bytes of a request line and headers with whitespace; a few hundred are usual. Received bytes are
# parsed and counted in slices, so up to one slice more is accepted.
HEAD_BYTES_MAX = 32 * 1024
URL_BYTES_MAX = 8 * 1024
HEADERS_MAX = 200
_SLICE_BYTES = 4 * 1024
# Framing bytes of a body, besides an eighth of its size; each chunk has five or more.
_FRAMING_BYTES_MAX = 8 * 1024

# Seconds from the first byte of a request until its headers are complete: they fit a packet or two.
HEAD_S = 10.0
# Seconds between two requests, and before the first.
IDLE_S = 30.0
# A body has to progress by STALL_BYTES in STALL_S, or end; a response has to be read at that rate.
STALL_S = 30.0
STALL_BYTES = 30 * 1024
# Seconds for the whole body of an unauthenticated client: a form of a few kilobytes.
UNKNOWN_BODY_S = 10.0
# Bytes buffered before the client is authenticated, or the body is read.
UNKNOWN_BUFFER_BYTES = 16 * 1024
# Seconds to go on reading after the last response, so that the client receives it before the close.
LINGER_S = 5.0

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})

_NOT_HTTP = (HTTPStatus.BAD_REQUEST, "this is not valid HTTP")
_URL_TOO_LONG = (HTTPStatus.REQUEST_URI_TOO_LONG, "the URL is too long")
_HEAD_TOO_LARGE = (HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "the headers are too large")
_MUCH_FRAMING = (HTTPStatus.BAD_REQUEST, "send the body in larger chunks: too much is around it")
_BUSY = (HTTPStatus.SERVICE_UNAVAILABLE, "too many connections; try again shortly")
_BUSY_ADDRESS = (_BUSY[0], "too many connections from this address; try again shortly")


class ConnectionPhase(Enum):
    """What the client of a connection has to send next."""

    REQUEST = auto()  # first byte of a request
    HEAD = auto()  # rest of its headers
    BODY = auto()  # rest of its body


class BoundExceeded(Exception):
    """Raised when a limit is exceeded; ends the parsing of this connection."""


class ConnectionLimits(HttpToolsProtocol):
    """One connection. `check` is called once a second, all other methods by the event loop.

    A client address has at most `per_address` connections, unless it is `exempt`.
    """

    def __init__(
        self, *, per_address: int, exempt: TrustedNetworks, public_url: str, **context: Any
    ) -> None:
        super().__init__(**context)
        self._per_address = per_address
        self._public_url = public_url
        self._exempt = exempt

    @override
    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._phase = ConnectionPhase.REQUEST
        self._since_s = self.loop.time()
        self._unparsed = b""
        self._chunks: list[bytes] = []  # body chunks in the slice that is being parsed
        # Bytes of this phase, of the body, and of the body at the last progress check.
        self._bytes = self._body_bytes = self._body_bytes_checked = 0
        self._unsent_bytes, self._unsent_since_s = 0, self._since_s
        self._refusal = _NOT_HTTP  # reason to send if the parser fails
        self._is_over = False
        # Task of the current request, if that only reads.
        self._read_task: asyncio.Task[Any] | None = None
        self._application: Any = cast("Any", self.app)
        self.app = self._serve
        self._was_authenticated = False
        self._is_extra = False  # this connection uses a slot reserved for health checks
        host = self.client[0] if self.client else ""
        self._share = None if self._exempt.has(host) else connection_admission.address_share(host)
        self._admit()

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        # Otherwise the connection and its bound method would keep each other alive.
        self.app = self._application
        if self._read_task is not None:
            self._read_task.cancel()

    @override
    def data_received(self, data: bytes) -> None:
        self._feed(self._unparsed + data if self._unparsed else data)

    @override
    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._enter(ConnectionPhase.HEAD)

    @override
    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        if len(self.url) > URL_BYTES_MAX:
            self._refusal = _URL_TOO_LONG
            raise BoundExceeded

    @override
    def on_headers_complete(self) -> None:
        if len(self.headers) > HEADERS_MAX:
            self._refusal = _HEAD_TOO_LARGE
            raise BoundExceeded
        is_upgrade = bool(cast("Any", self.parser).should_upgrade())
        if problem := ambiguity(self.headers, is_upgrade=is_upgrade):
            self._refusal = (HTTPStatus.BAD_REQUEST, problem)
            raise BoundExceeded
        if not self._may_be_answered():
            self._refusal = _BUSY
            raise BoundExceeded
        super().on_headers_complete()
        # The parser discards data after a request to upgrade, so that is the last request.
        self.cycle.keep_alive = self.cycle.keep_alive and not is_upgrade
        self._enter(ConnectionPhase.BODY)
        # Trailers after the body do not become headers of the request.
        self.headers = []

    @override
    def on_body(self, body: bytes) -> None:
        self._body_bytes += len(body)
        self._chunks.append(body)

    def _end_slice(self) -> None:
        """Pass on all body chunks of a slice as one: each copies what was received before."""
        if self._chunks:
            super().on_body(b"".join(self._chunks))
            self._chunks.clear()
            if self.has_unauthenticated_body and len(self.cycle.body) > UNKNOWN_BUFFER_BYTES:
                # Reading resumes when the application reads the body.
                self.flow.pause_reading()

    @override
    def on_message_complete(self) -> None:
        self._end_slice()
        self._enter(ConnectionPhase.REQUEST)
        super().on_message_complete()

    @override
    def on_response_complete(self) -> None:
        self._since_s = self.loop.time()
        super().on_response_complete()
        if self._unparsed:
            self._feed(self._unparsed)

    @override
    def shutdown(self) -> None:
        if self._is_over:
            self.transport.close()
        else:
            super().shutdown()

    @override
    def send_400_response(self, msg: str) -> None:
        """Answer bytes that uvicorn can't parse, including those that exceed a limit."""
        del msg
        self._refuse(*self._refusal)

    @property
    def waits(self) -> bool:
        """Return whether the client has to act next, by sending a request or its headers."""
        return self._phase is not ConnectionPhase.BODY and self._under_way is None

    @property
    def since_s(self) -> float:
        """Return the time of the client's last progress, in the event loop's seconds."""
        return self._since_s

    @property
    def body_bytes(self) -> int:
        """Return the received bytes of the body."""
        return self._body_bytes

    @property
    def is_authenticated(self) -> bool:
        """Return whether a completed request on the connection was authenticated."""
        return self._was_authenticated

    @property
    def has_unauthenticated_request(self) -> bool:
        """Return whether a request of an unauthenticated client is being read or answered."""
        return self._under_way is not None and not is_authenticated(self.cycle.scope)

    @property
    def has_unauthenticated_body(self) -> bool:
        """Return whether the server waits for the body of an unauthenticated client."""
        return self._phase is ConnectionPhase.BODY and self.has_unauthenticated_request

    @property
    def _under_way(self) -> RequestResponseCycle | None:
        """Return the current request; None once it is answered."""
        cycle = cast("RequestResponseCycle | None", self.cycle)
        return None if cycle is None or cycle.response_complete else cycle

    def check(self, now_s: float) -> None:
        """Close the connection if its client is too slow."""
        if self._is_read_too_slowly(now_s):
            self._count(HTTPStatus.REQUEST_TIMEOUT, RequestBound.SLOW_READER)
            self.transport.abort()
        elif self.transport.is_closing():
            return
        elif self._is_over:
            self._check_closing(now_s)
        elif self._phase is ConnectionPhase.BODY:
            self._check_body(now_s)
        elif self.waits:
            waited_s = now_s - self._since_s
            if self._phase is ConnectionPhase.HEAD and waited_s > HEAD_S:
                self._refuse(
                    HTTPStatus.REQUEST_TIMEOUT, "the headers took too long", RequestBound.SLOW_HEAD
                )
            elif waited_s > IDLE_S:
                self.transport.close()

    def _check_closing(self, now_s: float) -> None:
        is_owed = (last := self._under_way) is not None and not last.disconnected
        if not is_owed and now_s - self._since_s > LINGER_S:
            self.transport.abort()

    def _check_body(self, now_s: float) -> None:
        waited_s = now_s - self._since_s
        if self.cycle.response_complete:
            # Answered before the whole body was read, for example because of an invalid key.
            if waited_s > LINGER_S:
                self.transport.close()
        elif self.flow.read_paused or self._body_bytes - self._body_bytes_checked >= STALL_BYTES:
            # The server has to act next, or the client makes progress.
            self._since_s, self._body_bytes_checked = now_s, self._body_bytes
        elif waited_s > (UNKNOWN_BODY_S if self.has_unauthenticated_body else STALL_S):
            self._refuse(
                HTTPStatus.REQUEST_TIMEOUT, "the request body took too long", RequestBound.SLOW_BODY
            )

    def _is_read_too_slowly(self, now_s: float) -> bool:
        unsent = self.transport.get_write_buffer_size()
        is_well = not unsent or unsent > self._unsent_bytes
        if is_well or self._unsent_bytes - unsent >= STALL_BYTES:
            self._unsent_bytes, self._unsent_since_s = unsent, now_s
        return now_s - self._unsent_since_s > STALL_S

    async def _serve(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request. The task of a read is cancelled when the client disconnects."""
        task = asyncio.current_task()
        self._read_task = task if scope["method"] in _SAFE else None
        try:
            await self._application(scope, receive, send)
        finally:
            self._was_authenticated = self._was_authenticated or is_authenticated(scope)
            # The next request on this connection may have begun already.
            if self._read_task is task:
                self._read_task = None

    def _feed(self, data: bytes) -> None:
        """Parse received bytes; pipelined requests are held back."""
        at = 0
        while at < len(data) and not (
            self.pipeline or self._is_over or self.transport.is_closing()
        ):
            piece = data[at : at + _SLICE_BYTES]
            at += len(piece)
            self._bytes += len(piece)
            super().data_received(piece)
            self._end_slice()
            self._check_bytes()
        is_open = not (self._is_over or self.transport.is_closing())
        self._unparsed = data[at:] if is_open else b""
        if self._unparsed:
            # Reading resumes when the queued requests are answered.
            self.flow.pause_reading()

    def _check_bytes(self) -> None:
        if self._phase is not ConnectionPhase.BODY:
            if self._bytes > HEAD_BYTES_MAX:
                self._refuse(*_HEAD_TOO_LARGE)
        elif self._bytes > _FRAMING_BYTES_MAX + self._body_bytes + self._body_bytes // 8:
            self._refuse(*_MUCH_FRAMING)

    def _enter(self, phase: ConnectionPhase) -> None:
        self._phase = phase
        self._since_s = self.loop.time()
        # The current slice is not counted: its beginning may belong to the previous phase.
        self._bytes = self._body_bytes = self._body_bytes_checked = 0

    def _admit(self) -> None:
        """Get a slot for this connection: close a less useful one, or refuse this one."""
        connections = cast("set[ConnectionLimits]", self.connections)
        now_s = self.loop.time()
        if self._share is not None:
            same_client = [each for each in connections if each._share == self._share]  # noqa: SLF001  ours
            if len(same_client) > self._per_address:
                if (other := _choose(same_client, self, now_s)) is None:
                    self._refuse(*_BUSY_ADDRESS, RequestBound.ADDRESS_CONNECTIONS)
                else:
                    other.evict()
                return
        if len(connections) <= CONNECTIONS_MAX:
            return
        if (other := _choose(connections, self, now_s)) is not None:
            other.evict()
        elif len(connections) > CONNECTIONS_MAX + HEALTH_SLOTS:
            self._refuse(*_BUSY, RequestBound.CONNECTIONS)
        else:
            self._is_extra = True

    def evict(self) -> None:
        """Close the connection at once, so that another one gets its slot."""
        count_hit(RequestBound.EVICTED)
        self.transport.abort()

    def _may_be_answered(self) -> bool:
        """Return whether this request has a slot; some are only for authenticated clients."""
        if self.url.partition(b"?")[0] in HEALTH_PATHS:
            return True
        if self._is_extra:
            return len(self.connections) <= CONNECTIONS_MAX
        if len(self.connections) <= CONNECTIONS_MAX - RESERVE or has_credential(self.headers):
            return True
        connections = cast("set[ConnectionLimits]", self.connections)
        count = sum(each.has_unauthenticated_request for each in connections)
        return count < CONNECTIONS_MAX - RESERVE

    def _refuse(
        self, status: HTTPStatus, sentence: str, bound: RequestBound = RequestBound.HEAD
    ) -> None:
        """Send an error and close after a moment; send none if another response is in progress."""
        if self._is_over or self.transport.is_closing():
            return
        self._is_over = True
        self._since_s = self.loop.time()
        self._count(status, bound)
        cycle = self._under_way
        if cycle is not None:
            if self._phase is not ConnectionPhase.BODY or self.pipeline:
                # Only the next request is refused; the current one gets the last response.
                cycle.keep_alive = False
                return
            cycle.disconnected = True
            cycle.message_event.set()
            if cycle.response_started:
                self.transport.abort()
                return
        # The part of the path that was received selects the error envelope.
        url = b"" if self._phase is ConnectionPhase.REQUEST else self.url
        self.transport.write(answer_bytes(url, status, sentence, public_url=self._public_url))
        self.transport.write_eof()

    def _count(self, status: HTTPStatus, bound: RequestBound) -> None:
        REQUESTS.labels("unknown", "unknown", int(status)).inc()
        count_hit(bound)


def _choose(
    others: Iterable[ConnectionLimits], new: ConnectionLimits, now_s: float
) -> ConnectionLimits | None:
    open_ones = (each for each in others if each is not new and not each.transport.is_closing())
    return connection_admission.choose(open_ones, now_s)
