"""Requests to addresses that customers name: never into our own network.

What a name leads to is looked up once, by us, for each connection: every address is judged, and
the connection goes to one of these. Nothing looks the name up a second time, so what it leads to
can't change between the judgement and the connection. No redirect is followed, no proxy of the
environment is used, and no answer is unpacked.
"""

import asyncio
import re
import socket
import ssl
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address
from typing import Any

import aiohttp
from yarl import URL

from landbridge.core.errors import FieldInvalid
from landbridge.web.addresses import (
    Address,
    AddressRefused,
    is_forbidden,
    is_loopback,
    read_destination,
)
from landbridge.web.ears import AnswerTooLong, Connector, Trip, current
from landbridge.web.lookups import WANTS, Lookups, Names, NotPublic, Resolver
from landbridge.web.places import Places, connections_max

# Of all connections of a process, so many at work for one whose share they are.
_SHARE_MAX = 128
# Who has not got a place by then comes again later.
_PLACE_S = 5.0
# A connection that waits for longer has mostly been given up at the other end.
_IDLE_S = 15.0
_HEAD_LINE_BYTES = 8_190
_HEADERS_MAX = 100
_CHUNK_BYTES = 16 * 1024

_UNREADABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]")
# The most specific first.
_OUR_TROUBLE = "nothing was sent: there was no room for it here, and it is sent later"
_REASONS: tuple[tuple[type[Exception], str], ...] = (
    (AnswerTooLong, "the answer was too long"),
    (aiohttp.ClientConnectorSSLError, "TLS was not agreed on"),
    (aiohttp.ClientConnectorDNSError, "the name does not resolve"),
    (aiohttp.ClientConnectorError, "no connection could be made"),
    (aiohttp.ServerDisconnectedError, "the connection was closed without an answer"),
    (aiohttp.ClientResponseError, "the answer was not valid HTTP"),
    (aiohttp.ClientPayloadError, "the answer was not valid HTTP"),
    (Exception, "the connection was broken off"),
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a request: a status, or the reason why there is none.

    `text` is the beginning of the body, as text, at most so long as was asked for. It is None where
    there is no status, and where the body came packed. `is_ours` if nothing was sent for want of
    something of this process: that says nothing of the address.
    """

    status: int | None
    error: str | None
    text: str | None
    took_ms: int
    is_ours: bool = False


class Outbound:
    """Sends to public HTTPS addresses; in a sandbox to this machine's own, also by plain HTTP.

    Tests hand in what names lead to, whom to trust, and which addresses are forbidden.
    """

    def __init__(
        self,
        *,
        allows_loopback: bool,
        names: Names | None = None,
        tls: ssl.SSLContext | None = None,
        forbids: Callable[[Address], bool] = is_forbidden,
        connections: int | None = None,
    ) -> None:
        self._allows_loopback = allows_loopback
        self._tls = tls
        self._forbids = forbids
        self._connections = connections
        self._lookups = Lookups(names)
        self._session: aiohttp.ClientSession | None = None
        self._places: Places | None = None

    def check(self, field: str, url: str) -> str:
        """The address as it is kept; raises `FieldInvalid` with the reason, naming `field`."""
        try:
            return read_destination(url, allows_loopback=self._allows_loopback).url
        except AddressRefused as refused:
            raise FieldInvalid(f"{field} {refused}", field=field) from None

    async def post(
        self,
        url: str,
        *,
        body: bytes,
        headers: dict[str, str],
        timeout_s: float,
        read_max: int,
        text_max: int,
        share: Hashable,
    ) -> Answer:
        """POST and read at most `read_max` bytes of the answer; never raises for what went wrong.

        A status counts once the head of the answer is there, however its body goes on. What is sent
        on a connection that was kept open, and turns out to be closed, is sent again on a new one:
        the same body can arrive twice. Those of one `share` have a part of all connections, and
        wait for one a while; the timeout begins then.
        """
        try:
            place = read_destination(url, allows_loopback=self._allows_loopback)
        except AddressRefused as refused:
            return Answer(None, f"the address {refused}", None, 0)
        session, places = self._open()
        if not places.has_taken(share) and not await _has_waited(places, share):
            return Answer(None, _OUR_TROUBLE, None, 0, is_ours=True)
        trip = Trip(share)
        clock = asyncio.get_running_loop().time
        began_at = clock()
        status, text = None, None
        try:
            found = await _send(session, trip, place.url, body, headers, timeout_s=timeout_s)
            if isinstance(found, aiohttp.ClientResponse):
                read = await _beginning(found, read_max)
                status, error, text = found.status, None, _text(found, read, text_max)
            else:
                error = _OUR_TROUBLE if trip.is_ours else _reason(found, timeout_s)
        finally:
            if trip.ear is not None:
                trip.ear.rest(trip)
            places.give_back(share)
        is_ours = status is None and trip.is_ours
        return Answer(status, error, text, int((clock() - began_at) * 1000), is_ours=is_ours)

    async def close(self) -> None:
        """Close connections that are kept open."""
        session, self._session = self._session, None
        self._lookups.close()
        if session is not None:
            await session.close()

    def _open(self) -> tuple[aiohttp.ClientSession, Places]:
        """The session of this process; opened when first needed, since it belongs to its loop."""
        if self._session is None or self._places is None:
            most = self._connections or connections_max()
            self._places = Places(most, each=min(_SHARE_MAX, max(most // 2, 1)))
            connector = Connector(
                resolver=Resolver(self._lookups, self._forbids),
                use_dns_cache=False,  # our own look-ups are kept, also those that failed
                keepalive_timeout=_IDLE_S,
                limit=0,  # there are places for that
                ssl=self._tls or ssl.create_default_context(),
                socket_factory=self._socket,
            )
            connector.hear(idle_max=most)
            self._session = aiohttp.ClientSession(
                connector=connector,
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"Accept-Encoding": "identity"},
                auto_decompress=False,
                trust_env=False,
                max_line_size=_HEAD_LINE_BYTES,
                max_field_size=_HEAD_LINE_BYTES,
                max_headers=_HEADERS_MAX,
            )
        return self._session, self._places

    def _socket(self, info: Any) -> socket.socket:
        """A socket for an address that is about to be connected to: the second look at it."""
        family, kind, protocol, _, place = info
        address = ip_address(place[0])
        if self._forbids(address) and not (self._allows_loopback and is_loopback(address)):
            raise NotPublic
        return socket.socket(family=family, type=kind, proto=protocol)


async def _has_waited(places: Places, share: Hashable) -> bool:
    """Whether there was a place for it soon."""
    try:
        async with asyncio.timeout(_PLACE_S):
            await places.take(share)
    except TimeoutError:
        return False
    return True


async def _send(
    session: aiohttp.ClientSession,
    trip: Trip,
    url: str,
    body: bytes,
    headers: dict[str, str],
    *,
    timeout_s: float,
) -> aiohttp.ClientResponse | Exception:
    """The answer, once its head is there, or why there is none."""
    clock = asyncio.get_running_loop().time
    until_s = clock() + timeout_s
    current.set(trip)
    while True:
        try:
            return await session.post(
                _parsed(url),
                data=body,
                headers=headers,
                timeout=_timeout(until_s - clock()),
                allow_redirects=False,
            )
        except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError) as error:
            if trip.is_reused and not trip.wants_new and clock() < until_s:
                trip.wants_new = True
                continue
            return _noted(trip, error)
        except (aiohttp.ClientError, OSError) as error:
            return _noted(trip, error)


def _noted(trip: Trip, error: Exception) -> Exception:
    """The same; the trip knows from now on whether it says anything of the address."""
    is_without_place = isinstance(error, TimeoutError) and trip.is_waiting
    is_without_means = isinstance(error, OSError) and error.errno in WANTS
    trip.is_ours = trip.is_ours or is_without_place or is_without_means
    return error


@lru_cache(maxsize=4096)
def _parsed(url: str) -> URL:
    return URL(url, encoded=True)


def _timeout(total_s: float) -> aiohttp.ClientTimeout:
    # Never rounded up to a whole second, which aiohttp does beyond its threshold.
    return aiohttp.ClientTimeout(total=total_s, ceil_threshold=total_s + 1)


async def _beginning(response: aiohttp.ClientResponse, read_max: int) -> bytes:
    """What comes of a body, up to a bound; what is left of it ends with its connection."""
    read = bytearray()
    content = response.content
    try:
        while len(read) < read_max and not content.at_eof():
            read += await content.read(min(_CHUNK_BYTES, read_max - len(read)))
    except (aiohttp.ClientError, OSError):
        pass  # cut off, or too slow: the status stands
    finally:
        response.close()
    return bytes(read)


def _text(response: aiohttp.ClientResponse, read: bytes, text_max: int) -> str | None:
    """The beginning of a body for people to read, without what a database or a terminal minds."""
    packed = response.headers.get("Content-Encoding", "identity").strip().lower()
    if packed not in {"", "identity"}:
        return None
    # No character has more than four bytes; the last may have been cut.
    text = read[: text_max * 4].decode(errors="replace")[:text_max]
    return _UNREADABLE.sub("\ufffd", text)


def _reason(error: Exception, timeout_s: float) -> str:
    """What went wrong, for whoever owns the address; nothing of our own network."""
    match error:
        case TimeoutError():
            return f"no answer within {timeout_s:g} s"
        case aiohttp.ClientConnectorCertificateError():
            found = error.certificate_error
            told = getattr(found, "verify_message", "") or "it can't be verified"
            return f"the certificate is not valid: {told}"
        case aiohttp.ClientConnectorError(os_error=NotPublic()):
            return "the name leads to an address that is not public"
        case aiohttp.ClientConnectorError(os_error=ConnectionRefusedError()):
            return "the connection was refused"
        case _:
            return next(told for kind, told in _REASONS if isinstance(error, kind))
