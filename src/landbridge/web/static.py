"""Content that is the same for every caller: encoded once, compressed once, known by its ETag.

Such content is served without a key, so a request for it must cost next to nothing.
"""

import gzip
import hashlib
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from litestar import Request, Response

# A browser asks each time whether it is still the same: a new version may be there.
_REVALIDATE = "no-cache"
_ETAG_LENGTH = 32


@dataclass(frozen=True, slots=True)
class StaticContent:
    """Bytes, the same compressed, and what they are called."""

    content: bytes
    compressed: bytes
    media_type: str
    etag: str

    @classmethod
    def of(cls, content: bytes, media_type: str) -> "StaticContent":
        """Compress it; takes some 15 ms for each 500 KB."""
        digest = hashlib.sha256(content).hexdigest()[:_ETAG_LENGTH]
        return cls(content, gzip.compress(content, mtime=0), media_type, f'W/"{digest}"')

    def response(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        """The content, compressed for those who take gzip; 304 for those who have it already."""
        headers = {"ETag": self.etag, "Cache-Control": _REVALIDATE, "Vary": "Accept-Encoding"}
        if _names(request.headers.get("if-none-match", ""), self.etag):
            return Response(b"", status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
        if not _takes_gzip(request.headers.get("accept-encoding", "")):
            return Response(self.content, media_type=self.media_type, headers=headers)
        headers["Content-Encoding"] = "gzip"
        return Response(self.compressed, media_type=self.media_type, headers=headers)


class Once:
    """Content that is made when it is first asked for, by one thread; the others wait for it."""

    def __init__(self, make: Callable[[], StaticContent]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._made: StaticContent | None = None

    @property
    def made(self) -> StaticContent | None:
        """The content, if it was made already."""
        return self._made

    def get(self) -> StaticContent:
        """The content; called in a thread, as it may take its time."""
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made


def _names(header: str, etag: str) -> bool:
    """Whether `If-None-Match` names this ETag; weak and strong ones are compared alike."""
    bare = etag.removeprefix("W/")
    told = (each.strip().removeprefix("W/") for each in header.split(","))
    return any(each in {"*", bare} for each in told)


def _takes_gzip(header: str) -> bool:
    for each in header.split(","):
        name, _, quality = each.replace(" ", "").lower().partition(";")
        if name in {"gzip", "*"}:
            return quality not in {"q=0", "q=0.0", "q=0.00", "q=0.000"}
    return False
