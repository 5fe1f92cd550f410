"""Addresses that name several servers."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from urllib.parse import parse_qs, urlsplit

import asyncpg
import pytest

from landbridge.platform.db.servers import Servers
from tests.app.processes.server_process import free_port
from tests.platform.db.test_program_target import dumped


@asynccontextmanager
async def silent_server() -> AsyncGenerator[tuple[int, list[asyncio.StreamWriter]]]:
    """Yield port and connections of a server that accepts them and never answers."""
    accepted: list[asyncio.StreamWriter] = []

    async def accept(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accepted.append(writer)

    async with await asyncio.start_server(accept, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1], accepted
        for writer in accepted:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()


def after(port: int, dsn: str, options: str = "") -> str:
    """Return an address with a server on this port before the one of `dsn`."""
    parts = urlsplit(dsn)
    query = parse_qs(parts.query)
    host = query["host"][0] if "host" in query else parts.hostname
    last = query["port"][0] if "port" in query else parts.port or 5432
    user = (parts.netloc.rpartition("@")[0] or "postgres") + "@"
    return f"postgresql://{user}{parts.path}?host=127.0.0.1,{host}&port={port},{last}{options}"


async def test_silent_server_does_not_use_up_the_time_of_the_next(dsn: str) -> None:
    async with silent_server() as (port, accepted):
        servers = Servers(after(port, dsn), server_timeout_s=0.2)
        connection = await servers.connect()
        assert await connection.fetchval("select 1") == 1
        await connection.close()
        assert len(accepted) == 1
        # It is tried last now: the next connection does not wait for it.
        await (await servers.connect()).close()
        assert len(accepted) == 1


@pytest.mark.long
async def test_a_dump_is_made_where_its_snapshot_is(dsn: str) -> None:
    async with silent_server() as (port, accepted):
        assert len(await dumped(after(port, dsn))) > 0
        # By the pool and by the search for the server; pg_dump itself never asks it.
        assert len(accepted) <= 2


async def test_server_that_refuses_is_skipped(dsn: str) -> None:
    connection = await Servers(after(free_port(), dsn)).connect()
    await connection.close()


async def test_no_server_of_the_wanted_kind_is_an_error(dsn: str) -> None:
    servers = Servers(after(free_port(), dsn, "&target_session_attrs=standby"))
    with pytest.raises(asyncpg.TargetServerAttributeNotMatched):
        await servers.connect()
