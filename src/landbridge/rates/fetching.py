"""Fetching what others publish: one bounded read of a URL or a file.

Guarantees: nothing but HTTPS is asked, but for plain HTTP on this very machine; no answer is longer
or later than its bounds; redirects are not followed, since they may lead anywhere.
"""

import asyncio
import ssl
from functools import cache
from pathlib import Path
from stat import S_ISREG
from urllib.parse import urlsplit

from landbridge.core.errors import Unavailable
from landbridge.rates.errors import RatesRefused

# For the whole of an answer, however slowly it trickles; a worker that ends waits for it.
DEADLINE_S = 15
_OK = 200
_THIS_MACHINE = frozenset({"localhost", "127.0.0.1", "::1"})
# Some publishers refuse whoever does not say who asks.
_HEADERS = {"User-Agent": "landbridge", "Accept-Encoding": "identity"}


def check_place(place: str) -> None:
    """Raise `ValueError` unless it is a file's path, or a URL that is safe to ask."""
    if not is_url(place):
        if not place.strip():
            raise ValueError("is empty; leave it out")
        return
    parts = urlsplit(place)
    is_safe = parts.scheme == "https" or (
        parts.scheme == "http" and parts.hostname in _THIS_MACHINE
    )
    if not is_safe or not parts.hostname:
        raise ValueError("must be an https URL; http only for this very machine")
    if parts.username is not None or parts.password is not None:
        raise ValueError("must not have a password in it")


def is_url(place: str) -> bool:
    """Whether it is asked for over the network."""
    return "://" in place


async def fetch(place: str, *, bytes_max: int, deadline_s: float = DEADLINE_S) -> bytes:
    """What is at a URL or in a file.

    Raises `Unavailable` when nothing can be had now, and `RatesRefused` for too much of it.
    """
    if not is_url(place):
        return await asyncio.to_thread(_read, Path(place), bytes_max)
    # Imported when first needed: every command reads settings, and so this module.
    import httpx2  # noqa: PLC0415

    try:
        async with (
            asyncio.timeout(deadline_s),
            httpx2.AsyncClient(headers=_HEADERS, timeout=deadline_s, verify=_trusted()) as client,
            client.stream("GET", place) as answer,
        ):
            if answer.status_code != _OK:
                raise Unavailable(f"{_host(place)} answered {answer.status_code}")
            # We asked for it as it is: what unpacks itself has no bound until it is unpacked.
            if answer.headers.get("Content-Encoding", "identity") != "identity":
                raise RatesRefused(f"{_host(place)} answered something packed")
            came = bytearray()
            async for chunk in answer.aiter_raw():
                came += chunk
                if len(came) > bytes_max:
                    raise _too_large(_host(place))
            return bytes(came)
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        raise Unavailable(f"{_host(place)} did not answer ({type(error).__name__})") from error


@cache
def _trusted() -> ssl.SSLContext:
    """Whose certificates this machine trusts; made once, since that takes a moment."""
    import httpx2  # noqa: PLC0415  as above

    return httpx2.create_ssl_context()


def _read(path: Path, bytes_max: int) -> bytes:
    try:
        if not S_ISREG(path.stat().st_mode):
            raise RatesRefused(f"{path} is not an ordinary file")
        with path.open("rb") as file:
            content = file.read(bytes_max + 1)
    except OSError as error:
        raise Unavailable(f"{path} can't be read: {error.strerror}") from error
    if len(content) > bytes_max:
        raise _too_large(str(path))
    return content


def _host(place: str) -> str:
    # The rest of a URL may hold somebody's key.
    return urlsplit(place).hostname or "the server"


def _too_large(name: str) -> RatesRefused:
    return RatesRefused(f"{name} has more than belongs there")
