"""SMTP server on this machine that stores messages and sends scripted replies."""

import asyncio
import base64
import ssl
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

_READY = b"220 ready\r\n"


@dataclass
class MailServer:
    """Server state; `answers` has replies other than success, as in {"RCPT": "550 nobody"}."""

    port: int = 0
    answers: Mapping[str, str] = field(default_factory=dict[str, str])
    offers: tuple[str, ...] = ("8BITMIME", "SMTPUTF8")
    # Certificate for STARTTLS, if it is offered.
    starttls: ssl.SSLContext | None = None
    # Whether it disconnects after the message, without a reply.
    drops_after_data: bool = False
    commands: list[str] = field(default_factory=list[str])
    messages: list[bytes] = field(default_factory=list[bytes])

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        with suppress(ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            writer.write(_READY)
            while line := await reader.readline():
                if not await self._answer(line.decode().rstrip("\r\n"), reader, writer):
                    break
        writer.close()

    async def _answer(
        self, line: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        self.commands.append(line)
        verb = line.split(" ", maxsplit=1)[0].upper()
        reply = self.answers.get(verb, "250 yes")
        match verb:
            case "EHLO":
                offers = [*self.offers, "AUTH PLAIN"]
                if self.starttls is not None:
                    offers.append("STARTTLS")
                listed = "".join(f"250-{each}\r\n" for each in offers)
                writer.write(f"250-test\r\n{listed}250 SIZE 1000000\r\n".encode())
                return True
            case "STARTTLS" if self.starttls is not None:
                writer.write(b"220 go\r\n")
                await writer.start_tls(self.starttls)
                return True
            case "AUTH":
                reply = self.answers.get(verb, "235 welcome")
            case "DATA" if "DATA" not in self.answers:
                writer.write(b"354 go on\r\n")
                self.messages.append(await reader.readuntil(b"\r\n.\r\n"))
                if self.drops_after_data:
                    return False
                reply = self.answers.get("END", reply)
            case "QUIT":
                reply = "221 bye"
            case _:
                pass
        writer.write(f"{reply}\r\n".encode())
        return verb != "QUIT"

    @property
    def login(self) -> list[str]:
        """User and password as they arrived."""
        command = next(each for each in self.commands if each.startswith("AUTH PLAIN "))
        return base64.b64decode(command.removeprefix("AUTH PLAIN ")).decode().split("\0")[1:]


@asynccontextmanager
async def listening(
    server: MailServer, *, tls: ssl.SSLContext | None = None
) -> AsyncGenerator[MailServer]:
    """`server` on a free port; with `tls` encrypted from the first byte."""
    listener = await asyncio.start_server(server.serve, "127.0.0.1", 0, ssl=tls)
    server.port = listener.sockets[0].getsockname()[1]
    async with listener:
        yield server
