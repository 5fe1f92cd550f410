"""Client connections to customers' addresses, with bounds on everything they send.

The reader of a response bounds its head and body. This module bounds the rest: interim responses,
chunk extensions, trailers, and unsolicited data on idle connections. Otherwise one address could
use all time and memory.
"""

import asyncio
import select
from collections.abc import Callable, Hashable
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection
from aiohttp.http import RawResponseMessage
from aiohttp.streams import StreamReader
from aiohttp.tracing import Trace
from typing_extensions import override

# Bounds of interim responses with the head, and of the framing and trailers of a chunked body.
_HEAD_BYTES_MAX = 32 * 1024
_AROUND_BYTES_MAX = 4 * 1024
_INTERIMS_MAX = 8
# Number of bytes that cost as much as one small read.
_PIECE_BYTES = 64
# Size of a read, so that little is read beyond a bound.
_SLICE_BYTES = 4 * 1024
_SWITCHING = 101
_OK = 200


@dataclass(slots=True, eq=False)
class RequestContext:
    """Context of one request: input of its connection and lookups, and what they report.

    `share` is the request's share of the semaphore. `is_waiting` is True while the request waits
    for a slot, `is_ours` if it failed because this process lacked a resource. `reader` reads the
    response.
    """

    share: Hashable
    wants_new: bool = False
    is_reused: bool = False
    is_waiting: bool = False
    is_ours: bool = False
    reader: "ResponseReader | None" = None


current: ContextVar[RequestContext] = ContextVar("current")


class ResponseTooLong(aiohttp.ClientError):
    """The response is longer than allowed."""


class ResponseReader(ResponseHandler):
    """Reads a response within bounds, and closes the connection if it exceeds them."""

    def __init__(self, loop: asyncio.AbstractEventLoop, idle: "IdlePool") -> None:
        super().__init__(loop)
        self._idle = idle
        self._context: RequestContext | None = None
        self._is_used = False
        # Bytes received since the request, and how many of them may be framing.
        self._received_bytes = 0
        self._bytes_max = _HEAD_BYTES_MAX
        self._interims = 0
        self._is_stopped = False
        self._unread: Callable[[int], list[tuple[int, int]]] | None = None

    @property
    def is_used(self) -> bool:
        """Return whether this connection has served a request before."""
        return self._is_used

    def begin_response(self, context: RequestContext) -> None:
        """Start reading the response to a request."""
        self._idle.take(self)
        self._context, self._is_used = context, True
        self._received_bytes = self._interims = 0
        self._bytes_max = _HEAD_BYTES_MAX

    def end_response(self, context: RequestContext) -> None:
        """Stop reading: the response is complete, and further data are unsolicited."""
        if self._context is not context:
            return
        self._context = None
        if self.should_close:
            self.abort()
        elif self.is_connected():
            self._idle.put(self)

    def has_unread(self) -> bool:
        """Return whether unread bytes or EOF are pending on an idle connection."""
        return self._unread is not None and bool(self._unread(0))

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        sock = transport.get_extra_info("socket")
        if sock is not None:
            poll = select.poll()
            poll.register(sock.fileno(), select.POLLIN)
            self._unread = poll.poll

    @override
    def connection_lost(self, exc: BaseException | None) -> None:
        self._idle.take(self)
        self._unread = None
        super().connection_lost(exc)

    @override
    def data_received(self, data: bytes) -> None:
        if self._is_stopped:
            return
        if not data:  # aiohttp calls this without data to parse what it has buffered
            super().data_received(data)
            return
        if self._context is None:
            self._is_stopped = True
            self.abort()
            return
        length = len(data)
        if length < _PIECE_BYTES:
            self._received_bytes += _PIECE_BYTES - length
        if length <= _SLICE_BYTES:
            self._receive(data)
            return
        for start in range(0, length, _SLICE_BYTES):
            self._receive(data[start : start + _SLICE_BYTES])
            if self._is_stopped:
                return

    def _receive(self, data: bytes) -> None:
        self._received_bytes += len(data)
        super().data_received(data)
        if self._received_bytes > self._bytes_max:
            # Received data that are not parsed yet, because the body is read slowly, count as well.
            body_bytes = 0 if self._payload is None else self._payload.total_bytes
            if self._received_bytes - body_bytes > self._bytes_max and not self._is_stopped:
                self._hang_up()

    @override
    def feed_data(self, data: tuple[RawResponseMessage, StreamReader], size: int = 0) -> None:
        if self._is_stopped:
            return
        code = data[0].code
        if code < _OK and code != _SWITCHING:
            self._interims += 1
            if self._interims > _INTERIMS_MAX:
                self._hang_up()
            return
        self._bytes_max = self._received_bytes + _AROUND_BYTES_MAX
        super().feed_data(data, size)

    def _hang_up(self) -> None:
        """Stop reading and close; the beginning of the body that was received is kept."""
        self._is_stopped = True
        self.set_exception(ResponseTooLong())
        payload, self._payload, self._parser = self._payload, None, None
        if payload is not None and not payload.is_eof():
            payload.feed_eof()
        if self.transport is not None:
            self.transport.abort()


class IdlePool:
    """Pool of idle connections: the latest ones, up to a maximum."""

    def __init__(self, size_max: int) -> None:
        self._bytes_max = size_max
        self._readers: dict[ResponseReader, None] = {}

    def put(self, reader: ResponseReader) -> None:
        """Add a connection; closes the longest idle one if the pool is full."""
        self._readers[reader] = None
        if len(self._readers) > self._bytes_max:
            oldest = next(iter(self._readers))
            del self._readers[oldest]
            oldest.abort()

    def take(self, reader: ResponseReader) -> None:
        """Remove a connection from the pool, if it is in it."""
        self._readers.pop(reader, None)


class EgressConnector(aiohttp.TCPConnector):
    """Connector that uses response readers, and skips connections with unsolicited data."""

    def use_readers(self, *, idle_max: int) -> None:
        """Use response readers and at most `idle_max` idle connections; call before any request."""
        self._factory = partial(ResponseReader, loop=self._loop, idle=IdlePool(idle_max))

    @override
    async def connect(
        self, req: aiohttp.ClientRequest, traces: list[Trace], timeout: aiohttp.ClientTimeout
    ) -> Connection:
        context = current.get()
        while True:
            connection = await super().connect(req, traces, timeout)
            reader = connection.protocol
            assert isinstance(reader, ResponseReader), "the connector creates no other readers"
            context.is_reused = reader.is_used
            # Unsolicited data would be mistaken for the response to the next request.
            if not reader.is_used or not (
                context.wants_new or reader.should_close or reader.has_unread()
            ):
                reader.begin_response(context)
                context.reader = reader
                return connection
            connection.close()
