"""How files go out: what browsers are told of them, and how those are sent that take long to make.

Guarantees:
- a browser saves a file, whatever is in it, and keeps no copy;
- however the sending ends, nothing more is made, and what was made of has been closed;
- few are on their way at once of each organisation, and no reader holds one for ever.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from litestar.response import Stream
from litestar.types import Message, Receive, Scope, Send
from typing_extensions import override

from landbridge.core.errors import Busy

# Files that are on their way at once, of an organisation in one process.
STREAMS_MAX = 4
# A reader that takes nothing for so long has gone.
PATIENCE_S = 60.0

_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


def file_headers(name: str) -> dict[str, str]:
    """The headers of a file; the name is letters, digits, `-`, `_` and points."""
    return {"Content-Disposition": f'attachment; filename="{name}"', **_HEADERS}


@dataclass(frozen=True, slots=True)
class Outgoing:
    """Counts the files that are on their way, and has each be one of a few."""

    _streams: Counter[UUID] = field(default_factory=Counter[UUID])

    async def bounded(self, org_id: UUID, chunks: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
        """The same chunks, while there is room; raises `Busy` at the first if there is none."""
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


class Streamed(Stream):
    """A file that goes out while it is being made, its first chunk being made already.

    The next chunk is made when the client has taken the one before. A client that takes nothing
    for a minute gets no more; what it has is then cut off, which its HTTP library says.
    """

    def __init__(
        self,
        name: str,
        media_type: str,
        first: bytes,
        rest: AsyncGenerator[bytes],
        *,
        patience_s: float = PATIENCE_S,
    ) -> None:
        super().__init__(_chained(first, rest), media_type=media_type, headers=file_headers(name))
        self._rest = rest
        self._patience_s = patience_s

    @override
    def to_asgi_response(self, *args: Any, **more: Any) -> Any:
        """The response; however it ends, nothing more is read."""
        untyped: Any = super()
        whole = untyped.to_asgi_response(*args, **more)

        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            async def send_in_time(message: Message) -> None:
                async with asyncio.timeout(self._patience_s):
                    await send(message)

            try:
                await whole(scope, receive, send_in_time)
            finally:
                await self._rest.aclose()

        return answer


async def _chained(first: bytes, rest: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    """All chunks that have anything."""
    yield first
    async for chunk in rest:
        if chunk:
            yield chunk
