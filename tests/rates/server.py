"""A server on this machine that answers what a test tells it to."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class Answering:
    """Answers each question the same; `by_path` knows better what is asked for by name."""

    def __init__(self) -> None:
        self.status = 200
        self.content = b""
        self.encoding = "identity"
        self.by_path: dict[str, bytes] = {}
        self.asked = 0
        self.pause_s = 0.0
        self.url = ""

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        path = head.split(" ", 2)[1]
        self.asked += 1
        content = self.by_path.get(path, self.content)
        lines = [
            f"HTTP/1.1 {self.status} Whatever",
            f"Content-Length: {len(content)}",
            f"Content-Encoding: {self.encoding}",
            "Location: http://127.0.0.1:1/",
            "Connection: close",
        ]
        writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
        try:
            # Byte by byte, where it is to take its time.
            while self.pause_s and content:
                writer.write(content[:1])
                content = content[1:]
                await asyncio.sleep(self.pause_s)
            writer.write(content)
            await writer.drain()
        except ConnectionError:
            pass  # it was too much for who asked
        finally:
            writer.close()


@asynccontextmanager
async def answering_server() -> AsyncGenerator[Answering]:
    """A server while this lasts."""
    answering = Answering()
    server = await asyncio.start_server(answering.answer, "127.0.0.1", 0)
    answering.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/rates"
    async with server:
        yield answering
