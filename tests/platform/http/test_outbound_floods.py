"""Receivers that send endless unsolicited data consume neither our time nor our memory."""

import asyncio
import tracemalloc
from contextlib import AsyncExitStack

import pytest

from landbridge.platform.http.egress import Egress
from tests.platform.http.listeners import OK, Listener, Script, answer, listening, until
from tests.platform.http.test_egress import post

HEAD = b"HTTP/1.1 200 OK\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
# Far above what any of them takes, even on a busy machine.
TIMEOUT_S = 20


def pours(begin: bytes, ever: bytes, ended: list[Listener]) -> Script:
    """Start a response that never ends."""

    async def script(
        self: Listener, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        await self.read(reader)
        writer.write(begin)
        try:
            while True:
                writer.write(ever)
                await writer.drain()
                self.written += len(ever)
                await asyncio.sleep(0)
        except ConnectionError:
            ended.append(self)

    return script


@pytest.mark.parametrize(
    ("begin", "ever", "status"),
    [
        (b"", b"HTTP/1.1 102 Processing\r\n\r\n" * 500, None),
        (b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 500, None),
        (HEAD, b"X-A: " + b"b" * 1_000 + b"\r\n", None),
        (CHUNKED + b"1;x=", b"b" * 65_536, 200),
        (CHUNKED, b"1;" + b"x" * 1_000 + b"\r\na\r\n", 200),
        (CHUNKED, b"1\r\na\r\n" * 4_000, 200),
        (CHUNKED + b"0\r\n", b"X-A: " + b"b" * 1_000 + b"\r\n", 200),
        (HEAD + b"\r\n", b"a" * 65_536, 200),
    ],
    ids=["102", "103", "head", "extension", "extensions", "chunks", "trailers", "body"],
)
async def test_endless_response_is_ended(begin: bytes, ever: bytes, status: int | None) -> None:
    egress, ended = Egress(allows_loopback=True), list[Listener]()
    async with listening(pours(begin, ever, ended)) as found:
        response = await post(egress, found, timeout_s=TIMEOUT_S)
        # Long before the timeout, and the connection with it.
        await until(lambda: ended == [found])
    assert response.status == status
    assert response.error in {None, "the answer was too long", "the answer was not valid HTTP"}
    assert response.took_ms < TIMEOUT_S * 500
    # The rest is in the operating system's buffers.
    assert found.written < 20_000_000
    await egress.close()


async def test_few_interim_responses_are_skipped() -> None:
    egress = Egress(allows_loopback=True)
    hints = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 5
    async with listening(answer(hints + OK)) as found:
        for _ in range(3):
            assert (await post(egress, found)).status == 200
    assert found.connections == 1
    await egress.close()


async def test_too_many_interim_responses_are_an_error() -> None:
    """They are short, and as many as fit into a head would take long."""
    egress = Egress(allows_loopback=True)
    async with listening(answer(b"HTTP/1.1 102 Processing\r\n\r\n" * 20 + OK)) as found:
        response = await post(egress, found)
        assert (response.status, response.error) == (None, "the answer was too long")
    await egress.close()


async def test_chunked_response_keeps_its_connection_open() -> None:
    egress = Egress(allows_loopback=True)
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(each), each) for each in [b"a" * 900] * 100)
    async with listening(answer(CHUNKED + chunks + b"0\r\n\r\n")) as found:
        for _ in range(3):
            response = await post(egress, found)
            assert (response.status, response.text) == (200, "a" * 1_000)
    assert found.connections == 1
    await egress.close()


@pytest.mark.parametrize(
    "ever",
    [OK * 500, HEAD + b"Content-Length: 99999999999\r\n\r\n" + b"x" * 65_536, b"x" * 65_536],
    ids=["answers", "answer", "nothing"],
)
async def test_unsolicited_data_closes_an_idle_connection(ever: bytes) -> None:
    """Otherwise it is queued without end: one address used up all memory."""
    ended: list[Listener] = []

    async def script(
        self: Listener, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        await self.read(reader)
        writer.write(OK)
        await asyncio.sleep(0.1)
        try:
            while True:
                writer.write(ever)
                await writer.drain()
                self.written += len(ever)
                await asyncio.sleep(0)
        except ConnectionError:
            ended.append(self)

    egress = Egress(allows_loopback=True)
    async with listening(script) as found:
        assert (await post(egress, found)).status == 200
        tracemalloc.start()
        await until(lambda: ended == [found])
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert found.written < 20_000_000
        assert peak < 2_000_000
    await egress.close()


async def test_unread_surplus_response_is_not_used_for_the_next_request() -> None:
    """It arrives after the last check, and before the next request."""
    writers: list[asyncio.StreamWriter] = []

    async def script(
        self: Listener, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        writers.append(writer)
        while await self.read(reader):
            writer.write(OK)

    egress = Egress(allows_loopback=True)
    async with listening(script) as found:
        assert (await post(egress, found)).status == 200
        # The forged response is sent in the same event loop, so the client has not read it yet.
        writers[0].write(b"HTTP/1.1 204 Forged\r\n\r\n")
        assert (await post(egress, found)).status == 200
        assert found.connections == 2
    await egress.close()


async def test_waiting_connections_are_bounded() -> None:
    egress = Egress(allows_loopback=True, connections=2)
    async with AsyncExitStack() as stack:
        all_found = [await stack.enter_async_context(listening(_counts)) for _ in range(4)]
        for found in all_found:
            assert (await post(egress, found)).status == 200
        # That is, the latest one.
        await until(lambda: [each.written for each in all_found] == [0, 0, 1, 1])
    await egress.close()


async def _counts(
    self: Listener, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    """`written` is how many connections are open."""
    self.written += 1
    try:
        while await self.read(reader):
            await asyncio.sleep(0.02)
            writer.write(OK)
    finally:
        self.written -= 1
