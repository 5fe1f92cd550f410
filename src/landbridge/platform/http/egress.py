"""Egress: requests to addresses that customers configure, never into our own network.

An address that the operator configures may be private: see `for_operator`.

For each connection the name is resolved once, every address is checked, and the connection goes to
one of them. The name is not resolved again, so it can't change between check and connection.
Redirects are not followed, proxies of the environment are not used, and responses are not
decompressed.
"""

import asyncio
import re
import socket
import ssl
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from io import BytesIO
from ipaddress import ip_address
from typing import Any

import aiohttp
from yarl import URL

from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.http.dns import EXHAUSTED, AddressNotPublic, DnsLookups, DnsResolver, Names
from landbridge.platform.http.egress_addresses import (
    Address,
    AddressRefused,
    is_forbidden,
    is_link_local,
    is_loopback,
    is_outside,
    read_destination,
)
from landbridge.platform.http.egress_connections import (
    EgressConnector,
    RequestContext,
    ResponseTooLong,
    current,
)
from landbridge.platform.http.fair_semaphore import FairSemaphore, connections_max
from landbridge.platform.http.trusted_certificates import trusted_certificates

# A longer body is written in pieces, so that other connections can proceed in between.
_WHOLE_BYTES_MAX = 2**20
# Maximum number of connections in use by one share.
_SHARE_MAX = 128
# Seconds to wait for a connection slot; after that the request counts as not sent.
_SLOT_WAIT_S = 5.0
# Seconds after which the other side has usually closed an idle connection.
_IDLE_S = 15.0
_HEAD_LINE_BYTES = 8_190
_HEADERS_MAX = 100
_CHUNK_BYTES = 16 * 1024

_UNREADABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]")
# Errors with the reason shown for each, the most specific first.
_NOT_SENT = "nothing was sent: there was no room for it here, and it is sent later"
_REASONS: tuple[tuple[type[Exception], str], ...] = (
    (ResponseTooLong, "the answer was too long"),
    (aiohttp.ClientConnectorSSLError, "TLS was not agreed on"),
    (aiohttp.ClientConnectorDNSError, "the name does not resolve"),
    (aiohttp.ClientConnectorError, "no connection could be made"),
    (aiohttp.ServerDisconnectedError, "the connection was closed without an answer"),
    (aiohttp.ClientResponseError, "the answer was not valid HTTP"),
    (aiohttp.ClientPayloadError, "the answer was not valid HTTP"),
    (Exception, "the connection was broken off"),
)


@dataclass(frozen=True, slots=True)
class EgressResponse:
    """Result of a request: a status, or the reason why there is none.

    `text` is the beginning of the body, up to the requested length. `text` is None without a
    status, and for a compressed body. `is_ours` is True if nothing was sent because this process
    lacked a resource: that is no evidence about the address.
    """

    status: int | None
    error: str | None
    text: str | None
    took_ms: int
    is_ours: bool = False


@dataclass(frozen=True, slots=True)
class EgressExchange:
    """Response of an operator's address: a status with its body, or the reason why there is none.

    Names of headers are in lower case. `is_unsent` is True if the other side certainly received
    nothing.
    """

    status: int | None
    error: str | None
    content: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    is_unsent: bool = False


class Egress:
    """Sends to public HTTPS addresses; in a sandbox also to this machine by plain HTTP.

    The resolver, the trust store and the forbidden addresses are arguments for tests.
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
        self._lookups = DnsLookups(names)
        self._session: aiohttp.ClientSession | None = None
        self._slots: FairSemaphore | None = None

    @classmethod
    def for_operator(cls, *, is_plain: bool, connections: int) -> "Egress":
        """Return an egress for `exchange` with an address that the operator configured.

        With `is_plain` (http) it reaches only loopback and private addresses. It never reaches
        link-local addresses, where clouds provide credentials.
        """
        forbids = is_outside if is_plain else is_link_local
        return cls(allows_loopback=True, forbids=forbids, connections=connections)

    def check(self, name: str, url: str) -> str:
        """Return the normalised URL; raises `FieldInvalid` with the field's name and the reason."""
        try:
            return read_destination(url, allows_loopback=self._allows_loopback).url
        except AddressRefused as refused:
            raise FieldInvalid(f"{name} {refused}", field=name) from None

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
    ) -> EgressResponse:
        """POST and read at most `read_max` bytes of the response; never raises for a failure.

        The status counts once the response head has arrived, even if reading the body fails. A
        request on a reused connection that turns out to be closed is sent again on a new one, so
        the same body can arrive twice. Requests of one `share` may use only a part of all
        connections. They wait for a free one, and the timeout begins after that.
        """
        try:
            destination = read_destination(url, allows_loopback=self._allows_loopback)
        except AddressRefused as refused:
            return EgressResponse(None, f"the address {refused}", None, 0)
        session, slots = self._open()
        if not slots.try_acquire(share) and not await _acquire(slots, share):
            return EgressResponse(None, _NOT_SENT, None, 0, is_ours=True)
        context = RequestContext(share)
        clock = asyncio.get_running_loop().time
        began_at = clock()
        status, text = None, None
        try:
            found = await _send(
                session, context, destination.url, body, headers, timeout_s=timeout_s
            )
            if isinstance(found, aiohttp.ClientResponse):
                read = await _read_beginning(found, read_max)
                status, error, text = found.status, None, _text(found, read, text_max)
            else:
                error = _NOT_SENT if context.is_ours else _reason(found, timeout_s)
        finally:
            if context.reader is not None:
                context.reader.end_response(context)
            slots.release(share)
        is_ours = status is None and context.is_ours
        return EgressResponse(
            status, error, text, int((clock() - began_at) * 1000), is_ours=is_ours
        )

    async def exchange(
        self, url: str, *, body: bytes, headers: dict[str, str], timeout_s: float, bytes_max: int
    ) -> EgressExchange:
        """POST to an address of the operator, and read the whole response; never raises.

        A response of more than `bytes_max` bytes, or a compressed one, is an error. As with `post`,
        the same body can arrive twice.
        """
        session, slots = self._open()
        if not slots.try_acquire(url) and not await _acquire(slots, url):
            return EgressExchange(None, _NOT_SENT, is_unsent=True)
        context = RequestContext(url)
        try:
            found = await _send(session, context, url, body, headers, timeout_s=timeout_s)
            if not isinstance(found, aiohttp.ClientResponse):
                # Only a failure to connect is certain: a reused connection may have closed after
                # sending.
                is_unsent = isinstance(found, aiohttp.ClientConnectorError)
                return EgressExchange(
                    None,
                    _reason(found, timeout_s),
                    is_unsent=is_unsent and not context.wants_new,
                )
            content = await _read_beginning(found, bytes_max + 1)
            if len(content) > bytes_max:
                return EgressExchange(None, f"the answer had more than {bytes_max} bytes")
            if _is_compressed(found):
                return EgressExchange(None, "the answer was compressed")
            names = {name.lower(): value for name, value in found.headers.items()}
            return EgressExchange(found.status, None, content, names)
        finally:
            if context.reader is not None:
                context.reader.end_response(context)
            slots.release(url)

    async def close(self) -> None:
        """Close idle connections."""
        session, self._session = self._session, None
        self._lookups.close()
        if session is not None:
            await session.close()

    def _open(self) -> tuple[aiohttp.ClientSession, FairSemaphore]:
        """Return the session of this process; it is opened on first use, in the event loop."""
        if self._session is None or self._slots is None:
            connections = self._connections or connections_max()
            self._slots = FairSemaphore(connections, each=min(_SHARE_MAX, max(connections // 2, 1)))
            connector = EgressConnector(
                resolver=DnsResolver(self._lookups, self._forbids),
                use_dns_cache=False,  # our own lookups are cached, including failures
                keepalive_timeout=_IDLE_S,
                limit=0,  # the semaphore bounds connections
                ssl=self._tls or trusted_certificates(),
                socket_factory=self._socket,
            )
            connector.use_readers(idle_max=connections)
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
        return self._session, self._slots

    def _socket(self, info: Any) -> socket.socket:
        """Create a socket for an address, which is checked here for the second time."""
        family, kind, protocol, _, destination = info
        address = ip_address(destination[0])
        if self._forbids(address) and not (self._allows_loopback and is_loopback(address)):
            raise AddressNotPublic
        return socket.socket(family=family, type=kind, proto=protocol)


async def _acquire(slots: FairSemaphore, share: Hashable) -> bool:
    """Wait for a slot; return False if none was free in time."""
    try:
        async with asyncio.timeout(_SLOT_WAIT_S):
            await slots.acquire(share)
    except TimeoutError:
        return False
    return True


async def _send(
    session: aiohttp.ClientSession,
    context: RequestContext,
    url: str,
    body: bytes,
    headers: dict[str, str],
    *,
    timeout_s: float,
) -> aiohttp.ClientResponse | Exception:
    """Return the response once its head has arrived, or the reason why there is none."""
    clock = asyncio.get_running_loop().time
    until_s = clock() + timeout_s
    current.set(context)
    while True:
        try:
            return await session.post(
                _parsed(url),
                data=body if len(body) <= _WHOLE_BYTES_MAX else BytesIO(body),
                headers=headers,
                timeout=_timeout(until_s - clock()),
                allow_redirects=False,
            )
        except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError) as error:
            if context.is_reused and not context.wants_new and clock() < until_s:
                context.wants_new = True
                continue
            return _classified(context, error)
        except (aiohttp.ClientError, OSError) as error:
            return _classified(context, error)


def _classified(context: RequestContext, error: Exception) -> Exception:
    """Return the error; record in the context whether this process caused it."""
    lacks_slot = isinstance(error, TimeoutError) and context.is_waiting
    lacks_resources = isinstance(error, OSError) and error.errno in EXHAUSTED
    context.is_ours = context.is_ours or lacks_slot or lacks_resources
    return error


@lru_cache(maxsize=4096)
def _parsed(url: str) -> URL:
    return URL(url, encoded=True)


def _timeout(total_s: float) -> aiohttp.ClientTimeout:
    # aiohttp rounds a timeout above its threshold up to a whole second; this prevents it.
    return aiohttp.ClientTimeout(total=total_s, ceil_threshold=total_s + 1)


async def _read_beginning(response: aiohttp.ClientResponse, read_max: int) -> bytes:
    """Read a body up to `read_max` bytes; a longer one is cut off by closing the connection."""
    read = bytearray()
    content = response.content
    try:
        while len(read) < read_max and not content.at_eof():
            read += await content.read(min(_CHUNK_BYTES, read_max - len(read)))
    except (aiohttp.ClientError, OSError):
        pass  # the body is truncated or too slow: the status still counts
    finally:
        response.close()
    return bytes(read)


def _is_compressed(response: aiohttp.ClientResponse) -> bool:
    packed = response.headers.get("Content-Encoding", "identity").strip().lower()
    return packed not in {"", "identity"}


def _text(response: aiohttp.ClientResponse, read: bytes, text_max: int) -> str | None:
    """Decode the beginning of a body, without characters that a database or terminal rejects."""
    if _is_compressed(response):
        return None
    # A character has at most four bytes; the last one may be incomplete.
    text = read[: text_max * 4].decode(errors="replace")[:text_max]
    return _UNREADABLE.sub("\ufffd", text)


def _reason(error: Exception, timeout_s: float) -> str:
    """Describe a failure to the owner of the address, without details of our own network."""
    match error:
        case TimeoutError():
            return f"no answer within {timeout_s:g} s"
        case aiohttp.ClientConnectorCertificateError():
            found = error.certificate_error
            reason = getattr(found, "verify_message", "") or "it can't be verified"
            return f"the certificate is not valid: {reason}"
        case aiohttp.ClientConnectorError(os_error=AddressNotPublic()):
            return "the name leads to an address that is not public"
        case aiohttp.ClientConnectorError(os_error=ConnectionRefusedError()):
            return "the connection was refused"
        case _:
            return next(reason for kind, reason in _REASONS if isinstance(error, kind))
