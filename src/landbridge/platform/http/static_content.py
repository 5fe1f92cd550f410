"""Static content: encoded and compressed once, and identified by its ETag.

It is served without authentication, so a request for it must cost next to nothing.
"""

import asyncio
import gzip
import hashlib
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from litestar import Request, Response

# Browsers revalidate on each request, since a new version may have been installed.
_REVALIDATE = "no-cache"
_ETAG_LENGTH = 32
# One thread builds all content: first requests queue for it, and occupy no other threads.
_builder = ThreadPoolExecutor(1, thread_name_prefix="static-content")


@dataclass(frozen=True, slots=True)
class StaticContent:
    """Bytes with their compressed form, media type and ETag."""

    content: bytes
    compressed: bytes
    media_type: str
    etag: str

    @classmethod
    def of(cls, content: bytes, media_type: str) -> "StaticContent":
        """Compress the bytes, which takes about 15 ms for each 500 KB."""
        digest = hashlib.sha256(content).hexdigest()[:_ETAG_LENGTH]
        return cls(content, gzip.compress(content, mtime=0), media_type, f'W/"{digest}"')

    def response(
        self, request: Request[Any, Any, Any], *, cache: str = _REVALIDATE
    ) -> Response[bytes]:
        """Build the response: compressed if the client accepts gzip, 304 if the ETag matches.

        `cache` is the value of `Cache-Control`.
        """
        headers = {"ETag": self.etag, "Cache-Control": cache, "Vary": "Accept-Encoding"}
        if _names(request.headers.get("if-none-match", ""), self.etag):
            return Response(b"", status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
        if not _takes_gzip(request.headers.get("accept-encoding", "")):
            return Response(self.content, media_type=self.media_type, headers=headers)
        headers["Content-Encoding"] = "gzip"
        return Response(self.compressed, media_type=self.media_type, headers=headers)


class LazyContent:
    """Content that is built on the first request, by one thread; other requests wait for it."""

    def __init__(self, make: Callable[[], StaticContent]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._content: StaticContent | None = None

    @property
    def built(self) -> StaticContent | None:
        """Return the content; None if it is not built yet."""
        return self._content

    def get(self) -> StaticContent:
        """Return the content; call it in a thread, since building takes time."""
        with self._lock:
            if self._content is None:
                self._content = self._make()
            return self._content

    async def response(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        """Return the response; the first request builds the content in a thread."""
        built = self.built
        if built is None:
            built = await asyncio.get_running_loop().run_in_executor(_builder, self.get)
        return built.response(request)


def _names(header: str, etag: str) -> bool:
    """Return whether `If-None-Match` contains this ETag, weak or strong."""
    bare = etag.removeprefix("W/")
    tags = (each.strip().removeprefix("W/") for each in header.split(","))
    return any(each in {"*", bare} for each in tags)


def _takes_gzip(header: str) -> bool:
    for each in header.split(","):
        name, _, quality = each.replace(" ", "").lower().partition(";")
        if name in {"gzip", "*"}:
            return quality not in {"q=0", "q=0.0", "q=0.00", "q=0.000"}
    return False
