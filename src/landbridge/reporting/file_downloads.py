"""File responses: browser headers and streaming of files that take long to generate.

Guarantees:
- A browser saves the file instead of showing it, and caches no copy.
- When the transfer ends for any reason, generation stops and its source is closed.
- The number of concurrent downloads per organisation is bounded, and idle clients are disconnected.
- The same limit applies to large responses that are complete in memory, as clients may read slowly.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from litestar import Response
from litestar.response import Stream
from litestar.types import Message, Receive, Scope, Send
from typing_extensions import override

from landbridge.platform.core.errors import Busy

# Concurrent downloads per organisation in one process.
STREAMS_MAX = 4
# Responses up to this size are sent at once, larger ones in pieces.
SMALL_BYTES = 256 * 1024
# A client that receives nothing for this long is disconnected.
PATIENCE_S = 60.0

_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


def file_headers(name: str) -> dict[str, str]:
    """Return the headers of a file; `name` has only letters, digits, `-`, `_` and dots."""
    return {"Content-Disposition": f'attachment; filename="{name}"', **_HEADERS}


@dataclass(frozen=True, slots=True)
class FileDownloads:
    """Bounds the number of concurrent downloads per organisation."""

    _streams: Counter[UUID] = field(default_factory=Counter[UUID])

    async def bounded(self, org_id: UUID, chunks: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
        """Yield the same chunks if a slot is free, otherwise raise `Busy` at the first one."""
        async with aclosing(chunks):
            if self._streams[org_id] >= STREAMS_MAX:
                raise Busy("too many files are being read at once")
            self._streams[org_id] += 1
            try:
                async for chunk in chunks:
                    yield chunk
            finally:
                self._streams[org_id] -= 1
                if not self._streams[org_id]:
                    del self._streams[org_id]

    async def of_bytes(
        self, org_id: UUID, content: bytes, media_type: str, headers: Mapping[str, str]
    ) -> Response[Any]:
        """Return a response with content that is complete; a large one takes a slot.

        Raises `Busy` if no slot is free.
        """
        if len(content) <= SMALL_BYTES:
            return Response(content, media_type=media_type, headers=headers)
        pieces = self.bounded(org_id, _pieces(content))
        return StreamedFile("", media_type, await anext(pieces), pieces, headers=headers)


class StreamedFile(Stream):
    """File streamed while it is generated; its first chunk is ready.

    The next chunk is generated once the client has received the previous one. A client that
    receives nothing for a minute is disconnected, which its HTTP library reports as an incomplete
    response.
    """

    def __init__(
        self,
        name: str,
        media_type: str,
        first: bytes,
        rest: AsyncGenerator[bytes],
        *,
        patience_s: float = PATIENCE_S,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(
            _chained(first, rest),
            media_type=media_type,
            headers=file_headers(name) if headers is None else headers,
        )
        self._rest = rest
        self._patience_s = patience_s

    @override
    def to_asgi_response(self, *args: Any, **more: Any) -> Any:
        """Return the response, which closes the chunks when it ends for any reason."""
        untyped: Any = super()
        response = untyped.to_asgi_response(*args, **more)

        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            async def send_in_time(message: Message) -> None:
                async with asyncio.timeout(self._patience_s):
                    await send(message)

            try:
                await response(scope, receive, send_in_time)
            finally:
                await self._rest.aclose()

        return answer


async def _pieces(content: bytes) -> AsyncGenerator[bytes]:
    for start in range(0, len(content), SMALL_BYTES // 2):
        yield content[start : start + SMALL_BYTES // 2]


async def _chained(first: bytes, rest: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    """Yield the first chunk and the rest, without empty chunks."""
    yield first
    async for chunk in rest:
        if chunk:
            yield chunk
