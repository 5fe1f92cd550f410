"""The ends of connections to customers' addresses: what is heard there is bounded.

A head and a body are bounded by whoever reads them. What no reader ever sees is bounded here:
interim answers, the extensions of chunks and what follows the last one, and whatever comes on a
connection while nothing is asked. Without that one address can take the time and memory of all.
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

# Interim answers and the head; from there on, what is around the chunks of a body and behind it.
_HEAD_BYTES_MAX = 32 * 1024
_AROUND_BYTES_MAX = 4 * 1024
_INTERIMS_MAX = 8
# A small piece costs as much to hear as this many bytes.
_PIECE_BYTES = 64
# What comes at once is heard by so much, so that little is heard in vain.
_SLICE_BYTES = 4 * 1024
_SWITCHING = 101
_OK = 200


@dataclass(slots=True, eq=False)
class Trip:
    """One request on its way; tells connections and look-ups what is wanted, and is told.

    `share` is whose places it takes. It `is_waiting` while it waits for a place, and `is_ours` if
    it failed for want of something of this process. `ear` is where the answer is heard.
    """

    share: Hashable
    wants_new: bool = False
    is_reused: bool = False
    is_waiting: bool = False
    is_ours: bool = False
    ear: "Ear | None" = None


current: ContextVar[Trip] = ContextVar("current")


class AnswerTooLong(aiohttp.ClientError):
    """An address goes on and on."""


class Ear(ResponseHandler):
    """Hears what is asked for, so far as is bounded, and ends the connection at anything else."""

    def __init__(self, loop: asyncio.AbstractEventLoop, idle: "IdleEars") -> None:
        super().__init__(loop)
        self._idle = idle
        self._trip: Trip | None = None
        self._is_used = False
        # All that was heard since it was asked, and how much of that may be no body.
        self._heard = 0
        self._most = _HEAD_BYTES_MAX
        self._interims = 0
        self._is_deaf = False
        self._unread: Callable[[int], list[tuple[int, int]]] | None = None

    @property
    def is_used(self) -> bool:
        """Whether something was asked here before."""
        return self._is_used

    def ask(self, trip: Trip) -> None:
        """A request is about to be sent."""
        self._idle.take(self)
        self._trip, self._is_used = trip, True
        self._heard = self._interims = 0
        self._most = _HEAD_BYTES_MAX

    def rest(self, trip: Trip) -> None:
        """All that a request wants to hear was heard; nothing is asked unless by another."""
        if self._trip is not trip:
            return
        self._trip = None
        if self.should_close:
            self.abort()
        elif self.is_connected():
            self._idle.put(self)

    def has_unread(self) -> bool:
        """Whether something lies here, unasked, that nobody has heard yet; or the end of it all."""
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
        if self._is_deaf:
            return
        if not data:  # what was kept back is gone on with
            super().data_received(data)
            return
        if self._trip is None:
            self._is_deaf = True
            self.abort()
            return
        length = len(data)
        if length < _PIECE_BYTES:
            self._heard += _PIECE_BYTES - length
        if length <= _SLICE_BYTES:
            self._hear(data)
            return
        for start in range(0, length, _SLICE_BYTES):
            self._hear(data[start : start + _SLICE_BYTES])
            if self._is_deaf:
                return

    def _hear(self, data: bytes) -> None:
        self._heard += len(data)
        super().data_received(data)
        if self._heard > self._most:
            # What was not taken apart yet, since nobody reads the body so fast, counts as well.
            body_bytes = 0 if self._payload is None else self._payload.total_bytes
            if self._heard - body_bytes > self._most and not self._is_deaf:
                self._hang_up()

    @override
    def feed_data(self, data: tuple[RawResponseMessage, StreamReader], size: int = 0) -> None:
        if self._is_deaf:
            return
        code = data[0].code
        if code < _OK and code != _SWITCHING:
            self._interims += 1
            if self._interims > _INTERIMS_MAX:
                self._hang_up()
            return
        self._most = self._heard + _AROUND_BYTES_MAX
        super().feed_data(data, size)

    def _hang_up(self) -> None:
        """Hear nothing more; the beginning of a body stands as it is."""
        self._is_deaf = True
        self.set_exception(AnswerTooLong())
        payload, self._payload, self._parser = self._payload, None, None
        if payload is not None and not payload.is_eof():
            payload.feed_eof()
        if self.transport is not None:
            self.transport.abort()


class IdleEars:
    """Connections at which nothing is asked: so many at most, the latest."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._ears: dict[Ear, None] = {}

    def put(self, ear: Ear) -> None:
        """Keep it; the one that has been idle for longest may have to go."""
        self._ears[ear] = None
        if len(self._ears) > self._most:
            oldest = next(iter(self._ears))
            del self._ears[oldest]
            oldest.abort()

    def take(self, ear: Ear) -> None:
        """It is not idle any more, or not there."""
        self._ears.pop(ear, None)


class Connector(aiohttp.TCPConnector):
    """Connects ears, and asks at none that has something unasked on it."""

    def hear(self, *, idle_max: int) -> None:
        """Use ears, of which so many at most are kept idle; before anything is connected to."""
        self._factory = partial(Ear, loop=self._loop, idle=IdleEars(idle_max))

    @override
    async def connect(
        self, req: aiohttp.ClientRequest, traces: list[Trace], timeout: aiohttp.ClientTimeout
    ) -> Connection:
        trip = current.get()
        while True:
            connection = await super().connect(req, traces, timeout)
            ear = connection.protocol
            assert isinstance(ear, Ear), "the connector makes nothing else"
            trip.is_reused = ear.is_used
            # A second answer to the request before would be taken for the answer to this one.
            if not ear.is_used or not (trip.wants_new or ear.should_close or ear.has_unread()):
                ear.ask(trip)
                trip.ear = ear
                return connection
            connection.close()
