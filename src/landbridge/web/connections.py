"""The bounds of one HTTP connection: what a client may send, and how long it may take.

uvicorn bounds none of this, so one client without a key could fill the memory or keep connections
for good. Guarantees:
- what is kept of a request before its headers are complete, of its trailers, and of requests that
  are sent before the one before them is answered, has a bound;
- a connection ends if its client is slow: to send headers, to send a body, to read an answer, or
  to do anything at all;
- nothing is computed on for a client that has gone, but what changes something goes on to its end;
- a stranger, who has shown no valid key, session or link, has a few seconds for a whole body;
- a process keeps a bounded number of connections, and of one client's address (`web.admission`).

What is refused here has an answer in the envelope of all errors, but for one that is in the middle
of an answer: then the connection just ends. Nothing here costs a timer per connection or request.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from enum import Enum, auto
from http import HTTPStatus
from typing import Any, cast

from typing_extensions import override
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from landbridge.web import admission
from landbridge.web.admission import CONNECTIONS_MAX, HEALTH_PATHS, HEALTH_PLACES, RESERVE, Exempt
from landbridge.web.bounds import Bound, count_hit
from landbridge.web.early_answers import answer_bytes
from landbridge.web.known import is_known
from landbridge.web.observe import REQUESTS
from landbridge.web.small_reads import SmallReads

# Of a request line, headers and the blanks around them; a few hundred bytes are usual. What is
# received is parsed in slices, and counted slice by slice: up to one slice more gets through.
HEAD_BYTES_MAX = 32 * 1024
URL_BYTES_MAX = 8 * 1024
HEADERS_MAX = 200
_SLICE_BYTES = 4 * 1024
# A chunked body of single bytes has five bytes around each of them.
_FRAMING_PER_BYTE = 8

# From the first byte of a request until its headers are complete: they fit a packet or two.
HEAD_S = 10.0
# Between two requests, and before the first.
IDLE_S = 30.0
# In each such while a body has to bring a certain part, or end; an answer is taken at that rate.
STALL_S = 30.0
STALL_BYTES = 30 * 1024
# For the whole body of a stranger; a form of a few kilobytes is all that there is to send.
UNKNOWN_BODY_S = 10.0
# What is kept of it before it is known who sends it, or it is read.
UNKNOWN_BUFFER_BYTES = 16 * 1024
# What is still read after the last answer, so that a client sees it before the connection ends.
LINGER_S = 5.0

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})

_NOT_HTTP = (HTTPStatus.BAD_REQUEST, "this is not valid HTTP")
_URL_TOO_LONG = (HTTPStatus.REQUEST_URI_TOO_LONG, "the URL is too long")
_HEAD_TOO_LARGE = (HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "the headers are too large")
_BUSY = (HTTPStatus.SERVICE_UNAVAILABLE, "too many connections; try again shortly")
_BUSY_ADDRESS = (
    HTTPStatus.SERVICE_UNAVAILABLE,
    "too many connections from this address; try again shortly",
)

# By the name of the header that shows a credential, what has to be in it.
_CREDENTIALS = {b"authorization": b"", b"cookie": b"landbridge"}


class Phase(Enum):
    """What a client is to send next."""

    REQUEST = auto()  # the first byte of a request
    HEAD = auto()  # the rest of its headers
    BODY = auto()  # the rest of its body


class Overflow(Exception):
    """A bound is broken; ends the parsing of this connection."""


class Connection(HttpToolsProtocol):
    """One connection; `look` is to be called about once a second, the rest by the loop.

    One client address has so many `per_address`, unless it is `exempt`.
    """

    def __init__(self, *, per_address: int, exempt: Exempt, **context: Any) -> None:
        super().__init__(**context)
        self._per_address = per_address
        self._exempt = exempt

    @override
    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._phase = Phase.REQUEST
        self._since_s = self.loop.time()
        self._held = b""
        # Since the head or the body began.
        self._bytes = 0
        self._body_bytes = 0
        # What of the body had come when it was last found to go on.
        self._body_bytes_seen = 0
        self._unsent_bytes = 0
        self._unsent_since_s = self._since_s
        # What is answered if the parser gives up.
        self._refusal = _NOT_HTTP
        self._is_over = False
        # The request under way, if it only looks.
        self._looking: asyncio.Task[Any] | None = None
        self._application: Any = cast("Any", self.app)
        self.app = self._serve
        self._was_known = False
        # Beyond the places of all: for a health check, and nothing else.
        self._is_extra = False
        host = self.client[0] if self.client else ""
        self._share = None if self._exempt.has(host) else admission.address_share(host)
        self._make_room()

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        # The connection and its method would keep each other in memory.
        self.app = self._application
        if self._looking is not None:
            self._looking.cancel()

    @override
    def data_received(self, data: bytes) -> None:
        self._feed(self._held + data if self._held else data)

    @override
    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._enter(Phase.HEAD)

    @override
    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        if len(self.url) > URL_BYTES_MAX:
            self._refusal = _URL_TOO_LONG
            raise Overflow

    @override
    def on_headers_complete(self) -> None:
        if len(self.headers) > HEADERS_MAX:
            self._refusal = _HEAD_TOO_LARGE
            raise Overflow
        if not self._may_be_answered():
            self._refusal = _BUSY
            raise Overflow
        super().on_headers_complete()
        self._enter(Phase.BODY)
        # What comes after the body are no headers of the request.
        self.headers = []

    @override
    def on_body(self, body: bytes) -> None:
        self._body_bytes += len(body)
        super().on_body(body)
        if self.has_unknown_body and len(self.cycle.body) > UNKNOWN_BUFFER_BYTES:
            # Read on when somebody asks for it.
            self.flow.pause_reading()

    @override
    def on_message_complete(self) -> None:
        self._enter(Phase.REQUEST)
        super().on_message_complete()

    @override
    def on_response_complete(self) -> None:
        self._since_s = self.loop.time()
        super().on_response_complete()
        if self._held:
            self._feed(self._held)

    @override
    def shutdown(self) -> None:
        if self._is_over:
            self.transport.close()
        else:
            super().shutdown()

    @override
    def send_400_response(self, msg: str) -> None:
        """What uvicorn calls for bytes that it can't parse, those that broke a bound included."""
        del msg
        self._refuse(*self._refusal)

    @property
    def waits(self) -> bool:
        """Whether nothing is owed to the client: it has to send a request, or its headers."""
        return self._phase is not Phase.BODY and self._under_way is None

    @property
    def since_s(self) -> float:
        """When its client last got further, in the loop's time."""
        return self._since_s

    @property
    def body_bytes(self) -> int:
        """How much of the body has come."""
        return self._body_bytes

    @property
    def is_known(self) -> bool:
        """Whether a request that was answered on it showed a valid key, session or link."""
        return self._was_known

    @property
    def has_stranger(self) -> bool:
        """Whether a request of a stranger is being read or answered."""
        return self._under_way is not None and not is_known(self.cycle.scope)

    @property
    def has_unknown_body(self) -> bool:
        """Whether a stranger is sending a body that is waited for."""
        return self._phase is Phase.BODY and self.has_stranger

    @property
    def _under_way(self) -> RequestResponseCycle | None:
        """The request that was read last, if it is not answered yet."""
        cycle = cast("RequestResponseCycle | None", self.cycle)
        return None if cycle is None or cycle.response_complete else cycle

    def look(self, now_s: float) -> None:
        """End the connection if its client takes too long."""
        if self._is_read_too_slowly(now_s):
            self._count(HTTPStatus.REQUEST_TIMEOUT, Bound.SLOW_READER)
            self.transport.abort()
        elif self.transport.is_closing():
            return
        elif self._is_over:
            self._look_at_end(now_s)
        elif self._phase is Phase.BODY:
            self._look_at_body(now_s)
        elif self.waits:
            waited_s = now_s - self._since_s
            if self._phase is Phase.HEAD and waited_s > HEAD_S:
                self._refuse(
                    HTTPStatus.REQUEST_TIMEOUT, "the headers took too long", Bound.SLOW_HEAD
                )
            elif waited_s > IDLE_S:
                self.transport.close()

    def _look_at_end(self, now_s: float) -> None:
        is_owed = (last := self._under_way) is not None and not last.disconnected
        if not is_owed and now_s - self._since_s > LINGER_S:
            self.transport.abort()

    def _look_at_body(self, now_s: float) -> None:
        waited_s = now_s - self._since_s
        if self.cycle.response_complete:
            # Answered before all was read, as when the key is wrong.
            if waited_s > LINGER_S:
                self.transport.close()
        elif self.flow.read_paused or self._body_bytes - self._body_bytes_seen >= STALL_BYTES:
            # We are the slow ones, or it goes on.
            self._since_s, self._body_bytes_seen = now_s, self._body_bytes
        elif waited_s > (UNKNOWN_BODY_S if self.has_unknown_body else STALL_S):
            self._refuse(
                HTTPStatus.REQUEST_TIMEOUT, "the request body took too long", Bound.SLOW_BODY
            )

    def _is_read_too_slowly(self, now_s: float) -> bool:
        unsent = self.transport.get_write_buffer_size()
        is_well = not unsent or unsent > self._unsent_bytes
        if is_well or self._unsent_bytes - unsent >= STALL_BYTES:
            self._unsent_bytes, self._unsent_since_s = unsent, now_s
        return now_s - self._unsent_since_s > STALL_S

    async def _serve(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request. One that changes nothing ends with its client."""
        task = asyncio.current_task()
        self._looking = task if scope["method"] in _SAFE else None
        try:
            await self._application(scope, receive, send)
        finally:
            self._was_known = self._was_known or is_known(scope)
            # The next one on this connection may have begun.
            if self._looking is task:
                self._looking = None

    def _feed(self, data: bytes) -> None:
        """Parse what has come; requests behind one that waits for its turn are held back."""
        at = 0
        while at < len(data) and not (
            self.pipeline or self._is_over or self.transport.is_closing()
        ):
            piece = data[at : at + _SLICE_BYTES]
            at += len(piece)
            self._bytes += len(piece)
            super().data_received(piece)
            self._check_bytes()
        is_open = not (self._is_over or self.transport.is_closing())
        self._held = data[at:] if is_open else b""
        if self._held:
            # Read again when the requests that wait are answered.
            self.flow.pause_reading()

    def _check_bytes(self) -> None:
        if self._phase is not Phase.BODY:
            if self._bytes > HEAD_BYTES_MAX:
                self._refuse(*_HEAD_TOO_LARGE)
        elif self._bytes > HEAD_BYTES_MAX + (1 + _FRAMING_PER_BYTE) * self._body_bytes:
            self._refuse(HTTPStatus.BAD_REQUEST, "there is too much around the request body")

    def _enter(self, phase: Phase) -> None:
        self._phase = phase
        self._since_s = self.loop.time()
        # The slice that is being parsed is not counted: it may be the end of something else.
        self._bytes = self._body_bytes = self._body_bytes_seen = 0

    def _make_room(self) -> None:
        """End the connection that is least of a loss; refuse this one if all are being answered."""
        everybody = cast("set[Connection]", self.connections)
        now_s = self.loop.time()
        if self._share is not None:
            alike = [each for each in everybody if each._share == self._share]  # noqa: SLF001  ours
            if len(alike) > self._per_address:
                if (other := _choose(alike, self, now_s)) is None:
                    self._refuse(*_BUSY_ADDRESS, Bound.ADDRESS_CONNECTIONS)
                else:
                    other.evict()
                return
        if len(everybody) <= CONNECTIONS_MAX:
            return
        if (other := _choose(everybody, self, now_s)) is not None:
            other.evict()
        elif len(everybody) > CONNECTIONS_MAX + HEALTH_PLACES:
            self._refuse(*_BUSY, Bound.CONNECTIONS)
        else:
            self._is_extra = True

    def evict(self) -> None:
        """End the connection at once, so that another one has its place."""
        count_hit(Bound.EVICTED)
        self.transport.abort()

    def _may_be_answered(self) -> bool:
        """Whether there is a place for this request: strangers leave some to others."""
        if self.url.partition(b"?")[0] in HEALTH_PATHS:
            return True
        if self._is_extra:
            return len(self.connections) <= CONNECTIONS_MAX
        if len(self.connections) <= CONNECTIONS_MAX - RESERVE or _has_credential(self.headers):
            return True
        everybody = cast("set[Connection]", self.connections)
        return sum(each.has_stranger for each in everybody) < CONNECTIONS_MAX - RESERVE

    def _refuse(self, status: HTTPStatus, sentence: str, bound: Bound = Bound.HEAD) -> None:
        """Answer, read on for a moment, and end; without an answer if another is under way."""
        if self._is_over or self.transport.is_closing():
            return
        self._is_over = True
        self._since_s = self.loop.time()
        self._count(status, bound)
        cycle = self._under_way
        if cycle is not None:
            if self._phase is not Phase.BODY or self.pipeline:
                # It is the next request that is refused. This one gets its answer, as the last.
                cycle.keep_alive = False
                return
            cycle.disconnected = True
            cycle.message_event.set()
            if cycle.response_started:
                self.transport.abort()
                return
        # What came of the path says which envelope is read there.
        url = b"" if self._phase is Phase.REQUEST else self.url
        self.transport.write(answer_bytes(url, status, sentence))
        self.transport.write_eof()

    def _count(self, status: HTTPStatus, bound: Bound) -> None:
        REQUESTS.labels("unknown", "unknown", int(status)).inc()
        count_hit(bound)


def connections_of(*, per_address: int, proxies: Sequence[str]) -> Callable[..., SmallReads]:
    """What makes the connections of a server, with these bounds."""
    exempt = Exempt(proxies)

    def connection(**context: Any) -> SmallReads:
        return SmallReads(Connection(**context, per_address=per_address, exempt=exempt))

    return connection


def _choose(others: Iterable[Connection], new: Connection, now_s: float) -> Connection | None:
    open_ones = (each for each in others if each is not new and not each.transport.is_closing())
    return admission.choose(open_ones, now_s)


def _has_credential(headers: list[tuple[bytes, bytes]]) -> bool:
    """Whether a request shows a key or a session, right or wrong: wrong ones are refused soon."""
    return any(
        (part := _CREDENTIALS.get(name)) is not None and part in value for name, value in headers
    )
