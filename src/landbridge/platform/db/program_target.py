"""Target of PostgreSQL's programs: connects them to the server of a DSN.

The installed programs are built without TLS, and accept other parameters in a DSN than asyncpg. So
asyncpg parses the DSN for them. A program gets a unix socket, and names and password in its
environment; behind the socket, a relay speaks TLS with the server.

Guarantees:
- The socket is in a directory of its own that excludes other users, and is removed with it.
- The server's certificate is verified as the DSN says (`sslmode`), on each connection.
- Neither address nor password is in an argument, which other users could read.
"""

import asyncio
import ssl
import tempfile
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from asyncpg import connect_utils

from landbridge.platform.db.pool import DatabaseUnreachable
from landbridge.platform.db.servers import Address, Servers, parse_dsn

# Only a part of the socket's file name.
_PORT = 5432
# Request for TLS; source: PostgreSQL's documentation, "Message Formats", SSLRequest.
_TLS_REQUEST = (8).to_bytes(4) + (80877103).to_bytes(4)
_TLS_ACCEPTED, _TLS_REFUSED = b"S", b"N"
# Same source: AuthenticationSASL, a body that begins with the number ten, and ErrorResponse.
_AUTHENTICATION, _ERROR = b"R", b"E"
_SASL = (10).to_bytes(4)
_CHUNK_BYTES = 64 * 1024
_CONNECT_TIMEOUT_S = 10
_CLOSE_TIMEOUT_S = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramTarget:
    """Address and credentials of a database for a program of PostgreSQL."""

    socket: Path
    port: int
    user: str
    database: str
    password: str | None = field(repr=False)
    options: str

    @property
    def environ(self) -> dict[str, str]:
        """Return libpq's environment variables."""
        environment = {
            "PGHOST": str(self.socket),
            "PGPORT": str(self.port),
            "PGUSER": self.user,
            "PGDATABASE": self.database,
            "PGAPPNAME": "landbridge backup",
        }
        if self.password is not None:
            environment["PGPASSWORD"] = self.password
        if self.options:
            environment["PGOPTIONS"] = self.options
        return environment


@dataclass(frozen=True, slots=True, kw_only=True)
class _DsnTarget:
    """A DSN as parsed by asyncpg."""

    addresses: Sequence[Address]
    user: str
    database: str
    password: str | None = field(repr=False)
    options: str
    tls: ssl.SSLContext | None
    # True if TLS begins with the first byte, instead of after a request.
    is_tls_direct: bool
    # True if a server without TLS is accepted.
    is_tls_optional: bool


@asynccontextmanager
async def program_target(dsn: str) -> AsyncGenerator[ProgramTarget]:
    """Provide a target for the database of `dsn` during the block.

    If `dsn` names several servers, it is the one that the pool uses, because a snapshot exists only
    there.
    """
    server = _server(dsn)
    if len(server.addresses) > 1:
        server = replace(server, addresses=await Servers(dsn).suitable_addresses())
    first = server.addresses[0]
    if isinstance(first, str):
        # The server's address is a socket already: /DIRECTORY/.s.PGSQL.PORT.
        yield _target(server, Path(first).parent, int(first.rpartition(".")[2]))
        return
    # TMPDIR may be too long for the path of a socket.
    with tempfile.TemporaryDirectory(prefix="landbridge-", dir="/tmp") as folder:
        tasks: set[asyncio.Task[None]] = set()

        async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            tasks.add(task)
            # No error is raised here: the program at the other end reports why a connection ended.
            with suppress(OSError, EOFError, asyncio.CancelledError):
                await _relay(server, reader, writer)

        path = Path(folder, f".s.PGSQL.{_PORT}")
        listening = await asyncio.start_unix_server(relay, path)
        try:
            yield _target(server, Path(folder), _PORT)
        finally:
            listening.close()
            # The program has ended; its connections close shortly after.
            if tasks:
                await asyncio.wait(tasks, timeout=_CLOSE_TIMEOUT_S)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


def _target(server: _DsnTarget, socket: Path, port: int) -> ProgramTarget:
    return ProgramTarget(
        socket=socket,
        port=port,
        user=server.user,
        database=server.database,
        password=server.password,
        options=server.options,
    )


async def _relay(
    server: _DsnTarget, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    try:
        server_reader, server_writer = await _connect(server)
        try:
            await _pass_all(reader, writer, server_reader, server_writer)
        finally:
            await _close(server_writer)
    finally:
        await _close(writer)


async def _pass_all(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    server_reader: asyncio.StreamReader,
    server_writer: asyncio.StreamWriter,
) -> None:
    """Forward data in both directions, until one side closes the connection."""

    async def response() -> None:
        await _pass_authentication(server_reader, writer)
        await _pass(server_reader, writer)

    tasks = [asyncio.create_task(each) for each in (_pass(reader, server_writer), response())]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while chunk := await reader.read(_CHUNK_BYTES):
        writer.write(chunk)
        await writer.drain()


async def _pass_authentication(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Forward a server's messages up to its authentication request, without channel binding.

    Channel binding ties a password to the TLS connection, which the program does not see, so it
    would treat the offer as an attack. asyncpg does not use it either.
    """
    kind = b""
    while kind not in {_AUTHENTICATION, _ERROR}:
        kind = await reader.readexactly(1)
        length = int.from_bytes(await reader.readexactly(4))
        body = await reader.readexactly(length - 4)
        if kind == _AUTHENTICATION and body.startswith(_SASL):
            names = body[len(_SASL) :].rstrip(b"\0").split(b"\0")
            mechanisms = [name + b"\0" for name in names if not name.endswith(b"-PLUS")]
            body = b"".join([_SASL, *mechanisms, b"\0"])
        writer.write(kind + (len(body) + 4).to_bytes(4) + body)
    await writer.drain()


async def _close(writer: asyncio.StreamWriter) -> None:
    """Flush and close; a side that does not respond is abandoned."""
    writer.close()
    try:
        with suppress(OSError):
            async with asyncio.timeout(_CLOSE_TIMEOUT_S):
                await writer.wait_closed()
    finally:
        writer.transport.abort()


async def _connect(server: _DsnTarget) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to the first address that responds."""
    error: OSError | None = None
    for address in server.addresses:
        try:
            async with asyncio.timeout(_CONNECT_TIMEOUT_S):
                if isinstance(address, str):
                    return await asyncio.open_unix_connection(address)
                return await _connect_tcp(server, *address)
        except OSError as failed:  # also TimeoutError
            error = failed
    raise error or OSError("no address")


async def _connect_tcp(
    server: _DsnTarget, host: str, port: int
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    if server.tls is not None and server.is_tls_direct:
        return await asyncio.open_connection(host, port, ssl=server.tls, server_hostname=host)
    reader, writer = await asyncio.open_connection(host, port)
    if server.tls is None:
        return reader, writer
    try:
        writer.write(_TLS_REQUEST)
        # Read exactly one byte: an attacker could have sent anything before the handshake.
        response = await reader.read(_CHUNK_BYTES)
        if response == _TLS_ACCEPTED:
            await writer.start_tls(server.tls, server_hostname=host)
            return reader, writer
    except BaseException:
        writer.close()
        raise
    if response == _TLS_REFUSED and server.is_tls_optional:
        return reader, writer
    writer.close()
    raise ConnectionError("the server does not speak TLS")


def _server(dsn: str) -> _DsnTarget:
    """Parse a DSN and the standard PG* variables as asyncpg does for the pool."""
    try:
        addresses, params = parse_dsn(dsn)
    except Exception:  # noqa: BLE001  its message quotes the address
        raise DatabaseUnreachable(
            "The address of the database can't be read: see LANDBRIDGE_DATABASE_URL."
        ) from None
    modes = connect_utils.SSLMode
    return _DsnTarget(
        addresses=addresses,
        user=params.user,
        database=params.database,
        password=params.password,
        options=_options(params.server_settings or {}),
        tls=params.ssl or None,
        is_tls_direct=params.ssl_negotiation is connect_utils.SSLNegotiation.direct,
        is_tls_optional=params.sslmode in {modes.allow, modes.prefer},
    )


def _options(settings: dict[str, str]) -> str:
    """Return the session settings of the DSN, in the form in which libpq passes them on."""
    options = settings.get("options", "").split()
    for name, value in settings.items():
        if name not in {"options", "application_name"}:
            escaped = value.replace("\\", "\\\\").replace(" ", "\\ ")
            options += ["-c", f"{name}={escaped}"]
    return " ".join(options)
