"""A newer version migrates the database while processes of this version run."""

import asyncio
import json
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable, Generator
from contextlib import AsyncExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from landbridge.app.container import open_container
from landbridge.platform.db.embedded.server import find_running
from landbridge.platform.db.migrate import SchemaNewer
from landbridge.platform.db.pool import Database
from landbridge.platform.db.schema_watch import SchemaWatch
from tests import make
from tests.app.processes.server_process import (
    KEY,
    NOBODY,
    PATIENCE_S,
    Served,
    clean_environ,
    free_port,
    landbridge,
)
from tests.tenants import SETTINGS, served
from tests.waiting import holding

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("processes")]

MASTER_KEY = "bGFuZGJyaWRnZSB0ZXN0cyBvbmx5IC0gMzIgYnl0ZXM="
EXIT_CODE = 3
SENTENCE = (
    "landbridge: A newer version has migrated the database: it has migration 9999 (tomorrow), "
    "this version knows "
)
BODY = json.dumps({"idempotencyKey": "8d3a7cfe-0000-4000-8000-000000000000"}).encode()
HELD = "select from house_rollups where org_id = $1 for update"
WORKER_WAITS = """
select from pg_stat_activity
where application_name = 'landbridge worker' and wait_event_type = 'Lock'
    and datname = current_database()
"""


@dataclass
class Process:
    """Landbridge process with a file for its output."""

    process: "subprocess.Popen[bytes]"
    output: Path

    def logged(self, event: str) -> list[dict[str, Any]]:
        """Its log lines of this event."""
        lines = [line for line in self.output.read_text().splitlines() if line.startswith("{")]
        return [line for line in map(json.loads, lines) if line["event"] == event]

    def last_line(self) -> str:
        return self.output.read_text().splitlines()[-1]

    async def exit_code(self) -> int:
        return await asyncio.to_thread(self.process.wait, PATIENCE_S)


@contextmanager
def started(folder: Path, dsn: str, *command: str) -> Generator[Process]:
    output = folder / "output.log"
    settings = {"database_url": dsn, "master_key": MASTER_KEY, "log_format": "json"}
    with output.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "landbridge", *command],
            env=clean_environ(data_dir=str(folder), **settings),
            stdout=out,
            stderr=out,
        )
    try:
        yield Process(process, output)
    finally:
        process.kill()
        process.wait()


async def migrate_newer(database: Database) -> None:
    """Leave the database as a newer version would."""
    await database.rows("insert into migrations values (9999, 'tomorrow', 'x', now())")


async def until(condition: Callable[[], Awaitable[object]]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not await condition():  # noqa: ASYNC110  no event between processes
            await asyncio.sleep(0.02)


def is_running(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def request_under_way(port: int, key: str) -> socket.socket:
    """Send a request with half of its body."""
    sock = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
    head = (
        f"POST /v2/tos-link HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(BODY)}\r\n\r\n"
    )
    sock.sendall(head.encode() + BODY[:10])
    return sock


async def answer(sock: socket.socket) -> bytes:
    """Send the rest of the body; return the first line of the response."""
    sock.sendall(BODY[10:])
    received = await asyncio.to_thread(sock.recv, 1 << 16)
    return received.partition(b"\r\n")[0]


@pytest.mark.long
@pytest.mark.parametrize("is_embedded", [False, True])
async def test_serve_finishes_open_requests_and_exits_with_a_message(
    own_dsn: str, tmp_path: Path, *, is_embedded: bool
) -> None:
    settings = {"api_key": KEY, "log_format": "json"}
    if not is_embedded:
        settings["database_url"] = own_dsn
    server = Served(tmp_path, settings=settings)
    await asyncio.to_thread(server.start)
    try:
        await _migrate_under(server, (find_running(tmp_path) or "") if is_embedded else own_dsn)
    finally:
        await asyncio.to_thread(server.stop)


async def _migrate_under(server: Served, dsn: str) -> None:
    """Apply a newer migration during a request; the server answers it and exits."""
    assert server.process is not None
    children = list(server.children())
    with closing(request_under_way(server.port, KEY)) as sock:
        database = await Database.connect(dsn, name="tests", size_max=1)
        await migrate_newer(database)
        await database.close()

        async def refuses_connections() -> bool:
            return (await asyncio.to_thread(server.call, "GET", "/healthz"))[0] == NOBODY

        await until(refuses_connections)
        assert await answer(sock) == b"HTTP/1.1 200 OK"
    assert await asyncio.to_thread(server.process.wait, PATIENCE_S) == EXIT_CODE
    printed = server.output.read_text()
    assert printed.splitlines()[-1] == (
        "landbridge: A newer version has migrated the database. This one has finished what was "
        "under way and ended. Start the newer version."
    )
    assert '"event":"process.outdated"' in printed
    assert "process.died" not in printed
    assert not any(map(is_running, children))


@pytest.mark.long
async def test_standalone_api_finishes_open_requests_and_exits_with_a_message(
    own_dsn: str, own_database: Database, tmp_path: Path
) -> None:
    created = await asyncio.to_thread(
        landbridge,
        *("orgs", "create", "--name", "A"),
        database_url=own_dsn,
        master_key=MASTER_KEY,
        data_dir=str(tmp_path),
    )
    key = created.stdout.splitlines()[-1]
    port = free_port()
    with started(tmp_path, own_dsn, "api", "--port", str(port)) as api:
        server = Served(tmp_path, port=port)
        await asyncio.to_thread(server.await_well)
        with closing(request_under_way(port, key)) as sock:
            await migrate_newer(own_database)

            async def is_seen() -> object:
                return api.logged("process.outdated")

            await until(is_seen)
            assert await answer(sock) == b"HTTP/1.1 200 OK"
        assert await api.exit_code() == EXIT_CODE
        assert api.last_line().startswith(SENTENCE)


@pytest.mark.long
async def test_standalone_worker_finishes_its_steps_and_exits_with_a_message(
    own_dsn: str, own_database: Database, tmp_path: Path
) -> None:
    org_id = await make.make_org(own_database)
    # The rollup of the house accounts has work to do, and waits for this row.
    await make.make_account(own_database, org_id, units=5)
    await own_database.rows("insert into house_rollups values ($1, '0')", org_id)
    async with AsyncExitStack() as hold:
        await hold.enter_async_context(holding(own_database, HELD, org_id))
        with started(tmp_path, own_dsn, "worker") as worker:

            async def is_waiting() -> object:
                return await own_database.rows(WORKER_WAITS)

            async def is_seen() -> object:
                return worker.logged("process.outdated")

            await until(is_waiting)
            await migrate_newer(own_database)
            await until(is_seen)
            assert worker.process.poll() is None
            await hold.aclose()
            assert await worker.exit_code() == EXIT_CODE
            assert worker.last_line().startswith(SENTENCE)
            assert not worker.logged("worker.failed")
            assert not worker.logged("worker.busy")


@pytest.mark.parametrize(
    "command",
    [
        "api",
        pytest.param("worker", marks=pytest.mark.long),
        pytest.param("serve", marks=pytest.mark.long),
    ],
)
async def test_no_process_starts_on_a_newer_schema(
    own_dsn: str, own_database: Database, tmp_path: Path, command: str
) -> None:
    await migrate_newer(own_database)
    port = () if command == "worker" else ("--port", str(free_port()))
    with started(tmp_path, own_dsn, command, *port) as process:
        assert await process.exit_code() == EXIT_CODE
        assert process.last_line().startswith("landbridge: The database is newer than this code")


async def test_readiness_fails_immediately(own_dsn: str, own_database: Database) -> None:
    async with (
        open_container(SETTINGS, own_dsn, name="tests") as container,
        served(container) as client,
    ):
        assert (await client.get("/readyz")).json() == {"status": "ready"}
        await migrate_newer(own_database)
        answered = await client.get("/readyz")
        assert (answered.status_code, answered.json()) == (503, {"status": "outdated"})
        # The server continues to answer until it exits.
        assert (await client.get("/healthz")).status_code == 200


async def test_schema_watch_survives_an_unreadable_database(own_database: Database) -> None:
    watch, left = SchemaWatch(own_database, every_s=0.001), asyncio.Event()
    await own_database.rows("alter table migrations rename to away")
    watching = asyncio.create_task(watch.run(left.set))
    await asyncio.sleep(0.05)
    watch.raise_if_newer()
    await own_database.rows("alter table away rename to migrations")
    await migrate_newer(own_database)
    await left.wait()
    await watching
    with pytest.raises(SchemaNewer, match="9999"):
        watch.raise_if_newer()
