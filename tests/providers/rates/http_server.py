"""Local server with responses set by the test."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class Answering:
    """Returns one response to every request; `by_path` overrides it for single paths."""

    def __init__(self) -> None:
        self.status = 200
        self.content = b""
        self.encoding = "identity"
        self.by_path: dict[str, bytes] = {}
        self.requests = 0
        self.pause_s = 0.0
        self.url = ""

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        path = head.split(" ", 2)[1]
        self.requests += 1
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
            # Byte by byte, to simulate a slow server.
            while self.pause_s and content:
                writer.write(content[:1])
                content = content[1:]
                await asyncio.sleep(self.pause_s)
            writer.write(content)
            await writer.drain()
        except ConnectionError:
            pass  # the client rejected the size
        finally:
            writer.close()


@asynccontextmanager
async def answering_server() -> AsyncGenerator[Answering]:
    """Run a server during this context."""
    answering = Answering()
    server = await asyncio.start_server(answering.answer, "127.0.0.1", 0)
    answering.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/rates"
    async with server:
        yield answering
