"""HTTP client for provider packages: JSON to one provider, with bounds on its answers.

A package imports this module and `interface.py`, and nothing else of Landbridge.

Guarantees:
- `NotDone` is raised only if no byte of the request was written: its name, connection or TLS
  failed, or the time ran out before. Any later failure is `NoAnswer`, after which the effect at the
  provider is unknown;
- an answer is within bounds of time and size, and is not a redirect;
- nothing is logged, and no exception has a body, a header or a query.
"""

import re
import ssl
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from types import SimpleNamespace
from typing import TypeAlias, TypeVar
from urllib.parse import quote, urlencode
from urllib.request import getproxies, proxy_bypass

import aiohttp
import msgspec
from yarl import URL

from landbridge.platform.http.trusted_certificates import trusted_certificates
from landbridge.providers.packages.interface import NotDone, PackageSettingsInvalid

__all__ = ["NoAnswer", "ProviderAnswer", "ProviderHttp", "RequestSigner", "certain", "path_segment"]

# Function that returns the headers of a request from its method, its path with the query, and its
# body.
RequestSigner: TypeAlias = Callable[[str, str, bytes], Mapping[str, str]]

_T = TypeVar("_T")
_URL = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9A-Fa-f:]+\]|[A-Za-z0-9.-]+)(?::[0-9]{1,5})?"
    r"(?P<path>(?:/[A-Za-z0-9._~-]+)*)/?"
)
_PATH = re.compile(r"(?:/[A-Za-z0-9._~:%-]+)+")
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
_HEAD_LINE_BYTES = 8_190
_HEADERS_MAX = 100
# Seconds before an idle connection is closed; providers do that after some tens of seconds.
_IDLE_S = 15
_CONNECTIONS = 32
_CHUNK_BYTES = 16 * 1024
_BYTES_MAX = 1024 * 1024
# Errors with the reason shown for each, the most specific first.
_REASONS: tuple[tuple[type[Exception], str], ...] = (
    (aiohttp.ClientConnectorSSLError, "TLS was not agreed on"),
    (aiohttp.ClientConnectorCertificateError, "TLS was not agreed on"),
    (aiohttp.ClientConnectorDNSError, "the name does not resolve"),
    (aiohttp.ClientConnectorError, "no connection could be made"),
    (aiohttp.ClientHttpProxyError, "the proxy made no connection"),
    (aiohttp.ServerDisconnectedError, "the connection was closed without an answer"),
    (aiohttp.ClientResponseError, "the answer was not valid HTTP"),
    (aiohttp.ClientPayloadError, "the answer was not valid HTTP"),
    (Exception, "the connection was broken off"),
)


class NoAnswer(Exception):
    """There is no usable answer, so the effect at the provider is unknown."""


async def certain(call: Awaitable[_T]) -> _T:
    """Await a call that follows another one: `NotDone` becomes `NoAnswer`.

    That the second call was not sent proves nothing about the first.
    """
    try:
        return await call
    except NotDone as error:
        raise NoAnswer(str(error)) from None


@dataclass(frozen=True, slots=True)
class ProviderAnswer:
    """Answer of a provider. Names of headers are in lower case."""

    status: int
    body: bytes = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)

    def read(self, kind: type[_T]) -> _T:
        """Return the JSON body as this type; raises `NoAnswer`.

        Members that the type does not have are ignored. NaN and infinity are refused.
        """
        try:
            return msgspec.json.decode(self.body, type=kind)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise NoAnswer(
                f"the answer with status {self.status} is no valid {kind.__name__}"
            ) from None


class ProviderHttp:
    """Client of one provider.

    `base_url` is https, or http on loopback for tests. `timeout_s` bounds a whole call, and should
    be less than `timeout_s` in the providers file. `headers` are sent with each call, and may
    contain secrets. `sign` is for providers that require signed requests. Proxies are those of the
    environment. The trust store is an argument for tests.
    """

    def __init__(
        self,
        base_url: str,
        *,
        timeout_s: int,
        headers: Mapping[str, str] | None = None,
        sign: RequestSigner | None = None,
        bytes_max: int = _BYTES_MAX,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._base_url = _checked(base_url)
        self._timeout_s = timeout_s
        self._headers = dict(headers or {})
        self._sign = sign
        self._bytes_max = bytes_max
        self._tls = tls
        self._proxy = _proxy(self._base_url)
        self._session: aiohttp.ClientSession | None = None

    async def get(
        self, path: str, query: Mapping[str, str] | Sequence[tuple[str, str]] = ()
    ) -> ProviderAnswer:
        """Return the answer to a GET; raises `NotDone` and `NoAnswer`."""
        return await self.send("GET", path, query=query)

    async def post(
        self, path: str, message: object, *, headers: Mapping[str, str] | None = None
    ) -> ProviderAnswer:
        """Return the answer to a POST of a message as JSON; raises `NotDone` and `NoAnswer`."""
        return await self.send("POST", path, body=msgspec.json.encode(message), headers=headers)

    async def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | Sequence[tuple[str, str]] = (),
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> ProviderAnswer:
        """Return the answer to a request; `body` is JSON unless a header says otherwise.

        Raises `NotDone` and `NoAnswer`. Parts of `path` that are not constant go through
        `path_segment`.
        """
        if not _PATH.fullmatch(path) or {".", ".."} & set(path.split("/")):
            raise ValueError("a path begins with /, and its parts are encoded")
        suffix = f"?{urlencode(query, quote_via=quote)}" if query else ""
        url = URL(f"{self._base_url}{path}{suffix}", encoded=True)
        progress = SimpleNamespace(is_sent=False)
        content_type = {} if body is None else {"Content-Type": "application/json"}
        signed: Mapping[str, str] = {}
        if self._sign is not None:
            signed = self._sign(method, url.raw_path_qs, body or b"")
        try:
            async with self._open().request(
                method,
                url,
                data=body,
                headers={**self._headers, **content_type, **(headers or {}), **signed},
                allow_redirects=False,
                # aiohttp rounds a timeout above its threshold up to a whole second; this prevents
                # it.
                timeout=aiohttp.ClientTimeout(
                    total=self._timeout_s, ceil_threshold=self._timeout_s + 1
                ),
                proxy=self._proxy,
                trace_request_ctx=progress,
            ) as response:
                return await self._read(response)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            # The error's message may contain the URL, or data that the other side sent.
            reason = _reason(error, self._timeout_s)
        raise NoAnswer(reason) if progress.is_sent else NotDone(reason)

    async def close(self) -> None:
        """Close idle connections."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _read(self, response: aiohttp.ClientResponse) -> ProviderAnswer:
        if HTTPStatus.MULTIPLE_CHOICES <= response.status < HTTPStatus.BAD_REQUEST:
            response.close()
            raise NoAnswer(f"the answer is a redirect, with status {response.status}")
        if response.headers.get("Content-Encoding", "identity").strip().lower() != "identity":
            response.close()
            raise NoAnswer("the answer is compressed")
        read = bytearray()
        while not response.content.at_eof():
            read += await response.content.read(_CHUNK_BYTES)
            if len(read) > self._bytes_max:
                response.close()
                raise NoAnswer(f"the answer has more than {self._bytes_max} bytes")
        names = {name.lower(): value for name, value in response.headers.items()}
        return ProviderAnswer(response.status, bytes(read), names)

    def _open(self) -> aiohttp.ClientSession:
        """Return the session; it is opened on first use, in the event loop of the process."""
        if self._session is None:
            trace = aiohttp.TraceConfig()
            trace.on_request_headers_sent.append(_mark_as_sent)
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    limit=_CONNECTIONS,
                    keepalive_timeout=_IDLE_S,
                    ssl=self._tls or trusted_certificates(),
                ),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={
                    "Accept": "application/json",
                    "Accept-Encoding": "identity",
                    "User-Agent": "Landbridge/1",
                },
                auto_decompress=False,
                # Otherwise aiohttp would also read passwords from ~/.netrc.
                trust_env=False,
                max_line_size=_HEAD_LINE_BYTES,
                max_field_size=_HEAD_LINE_BYTES,
                max_headers=_HEADERS_MAX,
                trace_configs=[trace],
            )
        return self._session


def path_segment(text: str) -> str:
    """Return one part of a path with everything encoded that is not a letter, digit or `-._~`."""
    return quote(text, safe="")


async def _mark_as_sent(
    session: aiohttp.ClientSession,
    context: SimpleNamespace,
    params: aiohttp.TraceRequestHeadersSentParams,
) -> None:
    """Mark that a request is about to be written; aiohttp calls this before the first byte.

    A request that is sent again on another connection stays marked.
    """
    del session, params
    context.trace_request_ctx.is_sent = True


def _checked(base_url: str) -> str:
    """Return a URL without a trailing slash; raises `PackageSettingsInvalid`."""
    found = _URL.fullmatch(base_url)
    if found is None or {".", ".."} & set(found["path"].split("/")):
        raise PackageSettingsInvalid("the address of the provider is not a plain URL")
    if found["scheme"] == "http" and found["host"] not in _LOOPBACK:
        raise PackageSettingsInvalid("the address of the provider must begin with https://")
    return base_url.rstrip("/")


def _proxy(base_url: str) -> URL | None:
    """Return the environment's proxy for a URL; None for loopback or without a proxy."""
    url = URL(base_url, encoded=True)
    if url.scheme == "http" or proxy_bypass(url.host or ""):
        return None
    found = getproxies().get(url.scheme)
    return URL(found) if found else None


def _reason(error: Exception, timeout_s: int) -> str:
    if isinstance(error, TimeoutError):
        return f"no answer within {timeout_s} s"
    return next(reason for kind, reason in _REASONS if isinstance(error, kind))
