"""PostgreSQL's programs connect as asyncpg does: with TLS, and without secrets in arguments."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest

from landbridge.platform.db import pg_programs
from landbridge.platform.db.pg_programs import ProgramFailed
from landbridge.platform.db.pool import Database, DatabaseUnreachable, Tx
from landbridge.platform.db.program_target import ProgramTarget, program_target
from tests.certificates import certificate
from tests.platform.db.embedded_servers import short_directory
from tests.server import on_server

PASSWORD = "p@ss w:rd/ü"
TLS_REQUEST = (8).to_bytes(4) + (80877103).to_bytes(4)
SCRAM, SCRAM_PLUS = b"SCRAM-SHA-256\0", b"SCRAM-SHA-256-PLUS\0"


class Front:
    """TLS proxy with a certificate, in front of the test server."""

    def __init__(self, behind: ProgramTarget, context: ssl.SSLContext | None) -> None:
        self.behind = behind
        self.context = context
        self.port = 0
        # Connections with and without TLS, and the processes running at the time.
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
    """Return the command lines of all processes on this machine."""
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
        created = Front(behind, context)
        answers: set[asyncio.Task[None]] = set()

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            answers.add(task)
            await created.answer(reader, writer)

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        created.port = server.sockets[0].getsockname()[1]
        try:
            yield created
        finally:
            server.close()
            await asyncio.gather(*answers)


def address(created: Front, **query: str) -> str:
    """Return the DSN of a database behind a TLS proxy."""
    query_string = "&".join(f"{name}={quote(value, safe='/')}" for name, value in query.items())
    user, database = created.behind.user, created.behind.database
    where = f"127.0.0.1:{created.port}/{database}"
    return f"postgresql://{user}:{quote(PASSWORD, safe='')}@{where}?{query_string}"


async def dumped(dsn: str) -> bytes:
    """Return a dump of a database by the bundled program."""
    pieces: list[bytes] = []
    database = await Database.connect(dsn, name="backup", size_max=1)

    async def work(tx: Tx) -> None:
        await tx.execute("set transaction isolation level repeatable read")
        snapshot = await tx.fetchval("select pg_export_snapshot()")
        async with program_target(dsn) as target:
            await pg_programs.dump(target, snapshot=snapshot, write=pieces.append)

    try:
        await database.transact_once(work)
    finally:
        await database.close()
    return b"".join(pieces)


async def chunks(dump: bytes) -> AsyncIterator[bytes]:
    """Yield a dump in chunks, as it is read from a file."""
    for at in range(0, len(dump), 4096):
        yield dump[at : at + 4096]


@pytest.mark.parametrize("mode", ["require", "verify-full", "prefer"])
async def test_server_with_tls_is_dumped_without_visible_credentials(
    own_dsn: str, tmp_path: Path, mode: str
) -> None:
    ours, _ = certificate(tmp_path, "127.0.0.1")
    async with front(own_dsn, ours) as created:
        dsn = address(created, sslmode=mode, sslrootcert=str(tmp_path / "server.pem"))
        assert (await dumped(dsn)).startswith(b"PGDMP")
        assert created.secured >= 2
        assert created.plain == 0
        # Other tests dump at the same time, so that there may be more than one.
        lines = {each for each in created.command_lines if "pg_dump" in each}
        assert lines
        for secret in (PASSWORD, "w:rd", str(created.port), created.behind.database):
            assert not [line for line in lines if secret in line]


async def test_untrusted_certificate_gets_nothing(own_dsn: str, tmp_path: Path) -> None:
    ours, _ = certificate(tmp_path, "127.0.0.1")
    other = tmp_path / "other"
    other.mkdir()
    certificate(other, "127.0.0.1")
    async with front(own_dsn, ours) as created:
        dsn = address(created, sslmode="verify-full", sslrootcert=str(other / "server.pem"))
        dump = await dumped(own_dsn)
        async with program_target(dsn) as target:
            with pytest.raises(ProgramFailed, match="psql failed"):
                await pg_programs.load(target, chunks(dump), server_version=180000)
        assert created.secured == 0


async def test_server_without_tls_is_refused_as_the_dsn_requires(own_dsn: str) -> None:
    async with front(own_dsn, None) as created:
        dump = await dumped(address(created, sslmode="prefer"))
        assert created.plain >= 2
        before = created.plain
        async with program_target(address(created, sslmode="require")) as target:
            with pytest.raises(ProgramFailed, match="psql failed"):
                await pg_programs.load(target, chunks(dump), server_version=180000)
        assert created.plain == before


async def test_channel_binding_is_not_offered() -> None:
    async def passed(*messages: bytes) -> bytes:
        """Return what a program receives of these messages; the last one is its own."""
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
    reply = message(b"R", (10).to_bytes(4) + SCRAM + b"\0")
    rest = b"R\0\0\0and whatever follows" + SCRAM_PLUS
    assert await passed(offered, rest) == reply + rest
    # Others pass as they are: "welcome", an error, a version that is not spoken.
    for other in (message(b"R", bytes(4)), message(b"E", b"Sno\0\0")):
        assert await passed(message(b"v", bytes(8)), other, rest) == (
            message(b"v", bytes(8)) + other + rest
        )


@pytest.fixture
async def target(own_dsn: str) -> AsyncIterator[ProgramTarget]:
    async with program_target(own_dsn) as created:
        yield created


async def test_socket_is_used_unchanged(server_dsn: str, target: ProgramTarget) -> None:
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


async def test_unreadable_address_is_not_quoted() -> None:
    with pytest.raises(DatabaseUnreachable) as error:
        async with program_target("postgresql://u:secret@host:port/x"):
            pass
    assert "secret" not in str(error.value)


async def test_failed_program_reports_the_cause(server_dsn: str, own_dsn: str) -> None:
    dump = await dumped(own_dsn)
    async with program_target(on_server(server_dsn, "no_such_database")) as target:
        with pytest.raises(ProgramFailed, match='"no_such_database" does not exist'):
            await pg_programs.dump(target, snapshot="x", write=lambda _: None)
        with pytest.raises(ProgramFailed, match='"no_such_database" does not exist'):
            await pg_programs.load(target, chunks(dump), server_version=180000)


async def test_a_program_that_fails_late_leaves_nothing_waiting(
    own_dsn: str, own_database: Database
) -> None:
    # More than the pipes between pg_restore and psql hold: they are full when psql fails.
    await own_database.rows(
        "create table filler as select repeat(md5(n::text), 10) from generate_series(1, 20000) n"
    )
    dump = await dumped(own_dsn)

    async def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.5)
        writer.close()

    with short_directory() as folder:
        server = await asyncio.start_unix_server(hang_up, folder / ".s.PGSQL.5432")
        target = ProgramTarget(
            socket=folder, port=5432, user="x", database="x", password=None, options=""
        )
        async with server, asyncio.timeout(60):
            with pytest.raises(ProgramFailed, match="psql failed"):
                await pg_programs.load(target, chunks(dump), server_version=180000)


async def test_file_that_is_no_dump_is_not_loaded(target: ProgramTarget, own_dsn: str) -> None:
    async def noise() -> AsyncIterator[bytes]:
        for _ in range(500):
            yield b"noise" * 1000

    with pytest.raises(ProgramFailed, match="pg_restore"):
        await pg_programs.load(target, noise(), server_version=180000)
    with pytest.raises(ProgramFailed, match="pg_restore"):
        await pg_programs.check_dump(noise())
    database = await Database.connect(own_dsn, name="tests", size_max=1)
    await database.rows("select number from migrations")
    await database.close()
