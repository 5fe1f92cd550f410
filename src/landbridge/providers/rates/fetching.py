"""Fetch published data: one bounded read of a URL or a file.

Guarantees: only HTTPS is used, except plain HTTP to this machine. Size and duration of a response
are bounded. Redirects are not followed, since their target is not trusted.
"""

import asyncio
import ssl
from functools import cache
from pathlib import Path
from stat import S_ISREG
from urllib.parse import urlsplit

from landbridge.platform.core.errors import Unavailable
from landbridge.providers.rates.errors import RatesRejected

# Seconds for a whole response; a worker that is stopping waits for it.
DEADLINE_S = 15
_OK = 200
_THIS_MACHINE = frozenset({"localhost", "127.0.0.1", "::1"})
# Some publishers reject requests without a user agent.
_HEADERS = {"User-Agent": "landbridge", "Accept-Encoding": "identity"}


def check_location(location: str) -> None:
    """Raise `ValueError` unless it is a file path, or a URL that is safe to fetch."""
    if not is_url(location):
        if not location.strip():
            raise ValueError("is empty; leave it out")
        return
    parts = urlsplit(location)
    is_safe = parts.scheme == "https" or (
        parts.scheme == "http" and parts.hostname in _THIS_MACHINE
    )
    if not is_safe or not parts.hostname:
        raise ValueError("must be an https URL; http only for this very machine")
    if parts.username is not None or parts.password is not None:
        raise ValueError("must not have a password in it")


def is_url(location: str) -> bool:
    """Return whether a location is fetched over the network."""
    return "://" in location


async def fetch(location: str, *, bytes_max: int, deadline_s: float = DEADLINE_S) -> bytes:
    """Return the content of a URL or a file.

    Raises `Unavailable` if it can't be read now, and `RatesRejected` if it is too large.
    """
    if not is_url(location):
        return await asyncio.to_thread(_read, Path(location), bytes_max)
    # Imported on first use: every command loads settings, and so this module.
    import httpx2  # noqa: PLC0415

    try:
        async with (
            asyncio.timeout(deadline_s),
            httpx2.AsyncClient(headers=_HEADERS, timeout=deadline_s, verify=_trusted()) as client,
            client.stream("GET", location) as answer,
        ):
            if answer.status_code != _OK:
                raise Unavailable(f"{_host(location)} answered {answer.status_code}")
            # The request excludes compression: the size of compressed content is unknown until it
            # is decompressed.
            if answer.headers.get("Content-Encoding", "identity") != "identity":
                raise RatesRejected(f"{_host(location)} answered something packed")
            body = bytearray()
            async for chunk in answer.aiter_raw():
                body += chunk
                if len(body) > bytes_max:
                    raise _too_large(_host(location))
            return bytes(body)
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        raise Unavailable(f"{_host(location)} did not answer ({type(error).__name__})") from error


@cache
def _trusted() -> ssl.SSLContext:
    """Return the machine's trusted certificates; they are loaded once, because that is slow."""
    import httpx2  # noqa: PLC0415  as above

    return httpx2.create_ssl_context()


def _read(path: Path, bytes_max: int) -> bytes:
    try:
        if not S_ISREG(path.stat().st_mode):
            raise RatesRejected(f"{path} is not an ordinary file")
        with path.open("rb") as file:
            content = file.read(bytes_max + 1)
    except OSError as error:
        raise Unavailable(f"{path} can't be read: {error.strerror}") from error
    if len(content) > bytes_max:
        raise _too_large(str(path))
    return content


def _host(location: str) -> str:
    # Only the host is shown: the rest of a URL may contain an API key.
    return urlsplit(location).hostname or "the server"


def _too_large(name: str) -> RatesRejected:
    return RatesRejected(f"{name} has more than belongs there")
