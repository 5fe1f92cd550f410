"""PostgreSQL's programs reach servers as asyncpg does: with TLS, and with nothing in sight."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest

from landbridge.db import programs
from landbridge.db.pool import Database, DatabaseUnreachable, Tx
from landbridge.db.programs import ProgramFailed
from landbridge.db.relay import ProgramTarget, program_target
from tests.certificates import certificate
from tests.conftest import on_server

PASSWORD = "p@ss w:rd/ü"
TLS_REQUEST = (8).to_bytes(4) + (80877103).to_bytes(4)
SCRAM, SCRAM_PLUS = b"SCRAM-SHA-256\0", b"SCRAM-SHA-256-PLUS\0"


class Front:
    """A server with a TLS certificate, before the one of these tests."""

    def __init__(self, behind: ProgramTarget, context: ssl.SSLContext | None) -> None:
        self.behind = behind
        self.context = context
        self.port = 0
        # Connections with and without TLS, and what was running when they came.
        self.secured = self.plain = 0
        self.command_lines: list[str] = []

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, EOFError):
            await self._serve(reader, writer)
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        begin = await reader.readexactly(8)
        if begin == TLS_REQUEST:
            writer.write(b"N" if self.context is None else b"S")
            if self.context is not None:
                await writer.start_tls(self.context)
                self.secured += 1
            begin = await reader.readexactly(8)
        if self.context is None:
            self.plain += 1
        self.command_lines += await asyncio.to_thread(command_lines)
        path = self.behind.socket / f".s.PGSQL.{self.behind.port}"
        there, back = await asyncio.open_unix_connection(path)
        back.write(begin)
        await asyncio.gather(pipe(reader, back), pipe(there, writer))
        with suppress(OSError):
            await back.wait_closed()


def command_lines() -> list[str]:
    """Of every process on this machine."""
    found: list[str] = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            found.append(each.read_bytes().replace(b"\0", b" ").decode())
    return found


async def pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while chunk := await reader.read(65536):
            writer.write(chunk)
            await writer.drain()
    writer.close()


@asynccontextmanager
async def front(dsn: str, context: ssl.SSLContext | None) -> AsyncGenerator[Front]:
    async with program_target(dsn) as behind:
        made = Front(behind, context)
        answers: set[asyncio.Task[None]] = set()

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            answers.add(task)
            await made.answer(reader, writer)

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        made.port = server.sockets[0].getsockname()[1]
        try:
            yield made
        finally:
            server.close()
            await asyncio.gather(*answers)


def address(made: Front, **query: str) -> str:
    """The DSN of a database behind a front."""
    told = "&".join(f"{name}={quote(value, safe='/')}" for name, value in query.items())
    user, database = made.behind.user, made.behind.database
    where = f"127.0.0.1:{made.port}/{database}"
    return f"postgresql://{user}:{quote(PASSWORD, safe='')}@{where}?{told}"


async def dumped(dsn: str) -> bytes:
    """A dump of a database, by what comes with us."""
    pieces: list[bytes] = []
    database = await Database.connect(dsn, name="backup", size_max=1)

    async def work(tx: Tx) -> None:
        await tx.execute("set transaction isolation level repeatable read")
        snapshot = await tx.fetchval("select pg_export_snapshot()")
        async with program_target(dsn) as target:
            await programs.dump(target, snapshot=snapshot, write=pieces.append)

    try:
        await database.transact_once(work)
    finally:
        await database.close()
    return b"".join(pieces)


async def chunks(dump: bytes) -> AsyncIterator[bytes]:
    """A dump as it is read from a file."""
    for at in range(0, len(dump), 4096):
        yield dump[at : at + 4096]


@pytest.mark.parametrize("mode", ["require", "verify-full", "prefer"])
async def test_a_server_with_tls_is_dumped_and_nothing_of_it_is_in_sight(
    own_dsn: str, tmp_path: Path, mode: str
) -> None:
    ours, _ = certificate(tmp_path, "127.0.0.1")
    async with front(own_dsn, ours) as made:
        dsn = address(made, sslmode=mode, sslrootcert=str(tmp_path / "server.pem"))
        assert (await dumped(dsn)).startswith(b"PGDMP")
        assert made.secured >= 2
        assert made.plain == 0
        # Other tests dump at the same time, so that there may be more than one.
        lines = {each for each in made.command_lines if "pg_dump" in each}
        assert lines
        for secret in (PASSWORD, "w:rd", str(made.port), made.behind.database):
            assert not [line for line in lines if secret in line]


async def test_a_certificate_that_is_not_trusted_gets_nothing(own_dsn: str, tmp_path: Path) -> None:
    ours, _ = certificate(tmp_path, "127.0.0.1")
    other = tmp_path / "other"
    other.mkdir()
    certificate(other, "127.0.0.1")
    async with front(own_dsn, ours) as made:
        dsn = address(made, sslmode="verify-full", sslrootcert=str(other / "server.pem"))
        dump = await dumped(own_dsn)
        async with program_target(dsn) as target:
            with pytest.raises(ProgramFailed, match="psql failed"):
                await programs.load(target, chunks(dump), server_version=180000)
        assert made.secured == 0


async def test_a_server_without_tls_is_refused_or_not_as_the_dsn_says(own_dsn: str) -> None:
    async with front(own_dsn, None) as made:
        dump = await dumped(address(made, sslmode="prefer"))
        assert made.plain >= 2
        before = made.plain
        async with program_target(address(made, sslmode="require")) as target:
            with pytest.raises(ProgramFailed, match="psql failed"):
                await programs.load(target, chunks(dump), server_version=180000)
        assert made.plain == before


async def test_what_binds_a_password_to_tls_is_not_offered() -> None:
    async def passed(*messages: bytes) -> bytes:
        """What a program gets of these messages, the last of which is a program's own matter."""
        got: asyncio.Queue[bytes] = asyncio.Queue()

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            assert await reader.readexactly(1) == b"!"
            writer.write(b"".join(messages))
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        dsn = f"postgresql://x@127.0.0.1:{port}/x?sslmode=disable"
        async with program_target(dsn) as target:
            path = target.socket / f".s.PGSQL.{target.port}"
            reader, writer = await asyncio.open_unix_connection(path)
            writer.write(b"!")
            got.put_nowait(await reader.read())
            writer.close()
        server.close()
        return await got.get()

    def message(kind: bytes, body: bytes) -> bytes:
        return kind + (4 + len(body)).to_bytes(4) + body

    offered = message(b"R", (10).to_bytes(4) + SCRAM_PLUS + SCRAM + b"\0")
    kept = message(b"R", (10).to_bytes(4) + SCRAM + b"\0")
    rest = b"R\0\0\0and whatever follows" + SCRAM_PLUS
    assert await passed(offered, rest) == kept + rest
    # Others pass as they are: "welcome", an error, a version that is not spoken.
    for other in (message(b"R", bytes(4)), message(b"E", b"Sno\0\0")):
        assert await passed(message(b"v", bytes(8)), other, rest) == (
            message(b"v", bytes(8)) + other + rest
        )


@pytest.fixture
async def target(own_dsn: str) -> AsyncIterator[ProgramTarget]:
    async with program_target(own_dsn) as made:
        yield made


async def test_a_socket_is_used_as_it_is(server_dsn: str, target: ProgramTarget) -> None:
    if urlsplit(server_dsn).hostname is not None:
        pytest.skip("this server is reached by TCP")
    assert (target.socket / f".s.PGSQL.{target.port}").is_socket()
    assert target.environ["PGHOST"] == str(target.socket)
    assert "PGPASSWORD" not in target.environ


async def test_settings_of_the_session_are_passed_on(own_dsn: str) -> None:
    there = "&" if "?" in own_dsn else "?"
    dsn = (
        f"{own_dsn}{there}search_path=a%20b&password=x%20y&application_name=z&options=-c%20geqo=off"
    )
    async with program_target(dsn) as target:
        assert target.options == "-c geqo=off -c search_path=a\\ b"
        assert target.password == "x y"
        assert "x y" not in repr(target)
        assert target.environ["PGAPPNAME"] == "landbridge backup"


async def test_an_address_that_can_not_be_read_is_not_repeated() -> None:
    with pytest.raises(DatabaseUnreachable) as error:
        async with program_target("postgresql://u:secret@host:port/x"):
            pass
    assert "secret" not in str(error.value)


async def test_a_program_that_fails_says_why(server_dsn: str, own_dsn: str) -> None:
    dump = await dumped(own_dsn)
    async with program_target(on_server(server_dsn, "no_such_database")) as target:
        with pytest.raises(ProgramFailed, match='"no_such_database" does not exist'):
            await programs.dump(target, snapshot="x", write=lambda _: None)
        with pytest.raises(ProgramFailed, match='"no_such_database" does not exist'):
            await programs.load(target, chunks(dump), server_version=180000)


async def test_what_is_no_dump_is_not_loaded(target: ProgramTarget, own_dsn: str) -> None:
    async def noise() -> AsyncIterator[bytes]:
        for _ in range(500):
            yield b"noise" * 1000

    with pytest.raises(ProgramFailed, match="pg_restore"):
        await programs.load(target, noise(), server_version=180000)
    with pytest.raises(ProgramFailed, match="pg_restore"):
        await programs.check_dump(noise())
    database = await Database.connect(own_dsn, name="tests", size_max=1)
    await database.rows("select number from migrations")
    await database.close()
