"""Streamed files: readers that disconnect, and readers that stop reading."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any
from uuid import uuid4

import pytest
from litestar import Litestar, get

from landbridge.platform.core.errors import Busy
from landbridge.reporting.file_downloads import (
    SMALL_BYTES,
    STREAMS_MAX,
    FileDownloads,
    StreamedFile,
)

SCOPE: dict[str, Any] = {
    "type": "http",
    "http_version": "1.1",
    "method": "GET",
    "scheme": "http",
    "path": "/",
    "raw_path": b"/",
    "root_path": "",
    "query_string": b"",
    "headers": [],
}


class Making:
    """Endless chunks, and what happened to their generator."""

    def __init__(self) -> None:
        self.made = 0
        self.is_closed = False

    async def chunks(self) -> AsyncGenerator[bytes]:
        """Yield chunks, every other one empty."""
        try:
            while True:
                self.made += 1
                yield b"" if self.made % 2 else b"more"
                await asyncio.sleep(0)
        finally:
            self.is_closed = True


async def test_a_stalled_reader_is_cut_off() -> None:
    making = Making()
    sent: list[Any] = []
    rest = making.chunks()

    @get("/", sync_to_thread=False)
    def file() -> StreamedFile:
        return StreamedFile("a.csv", "text/csv", b"first", rest, patience_s=0.05)

    async def receive() -> Any:
        if not sent:
            return {"type": "http.request", "body": b"", "more_body": False}
        return await asyncio.Event().wait()

    async def send(message: Any) -> None:
        sent.append(message)
        if message.get("body") == b"more":
            await asyncio.Event().wait()  # reads nothing more

    app: Any = Litestar([file], openapi_config=None, logging_config=None)
    async with asyncio.timeout(60):
        # The server's own messages do not matter here.
        sending = asyncio.create_task(app(SCOPE, receive, send))
        await asyncio.wait([sending])
    assert sending.exception() is not None
    assert [each.get("body") for each in sent[:3]] == [None, b"first", b"more"]
    headers = dict(sent[0]["headers"])
    assert headers[b"content-disposition"] == b'attachment; filename="a.csv"'
    assert headers[b"cache-control"] == b"no-store"
    assert making.is_closed


async def test_large_replies_are_downloads_too() -> None:
    outgoing, org_id = FileDownloads(), uuid4()
    large = bytes(SMALL_BYTES + 1)

    async def reply(content: bytes) -> Any:
        return await outgoing.of_bytes(org_id, content, "application/json", {"X-A": "b"})

    held = [await reply(large) for _ in range(STREAMS_MAX)]
    with pytest.raises(Busy):
        await reply(large)
    small = await reply(bytes(SMALL_BYTES))
    assert len(small.content) == SMALL_BYTES
    pieces = [each async for each in held[0].iterator]
    assert b"".join(pieces) == large
    assert len(pieces) > 1
    await reply(large)


async def test_downloads_are_bounded_per_organisation() -> None:
    outgoing, org_id = FileDownloads(), uuid4()
    open_files = [outgoing.bounded(org_id, Making().chunks()) for _ in range(STREAMS_MAX)]
    for each in open_files:
        await anext(each)
    with pytest.raises(Busy):
        await anext(outgoing.bounded(org_id, Making().chunks()))
    other = outgoing.bounded(uuid4(), Making().chunks())
    await anext(other)
    await open_files[0].aclose()
    next_one = outgoing.bounded(org_id, Making().chunks())
    await anext(next_one)
    for each in (*open_files, other, next_one):
        await each.aclose()
