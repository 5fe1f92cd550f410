"""PgBouncer in transaction mode between processes and database."""

import asyncio
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from landbridge.platform.db.embedded import runner
from landbridge.platform.db.pool import Database, DatabaseUnreachable, Tx
from landbridge.platform.db.session_settings import (
    Pooler,
    PoolerSettingsMissing,
    session_settings,
)
from tests.app.processes.server_process import (
    free_port,
    fund,
    landbridge,
    make_user,
    served,
    swap_body,
)

PGBOUNCER = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
PATIENCE_S = 20
# Fewer than the clients, so that statements of one client run in several sessions.
SESSIONS = 3
CLIENTS = 12

pytestmark = pytest.mark.skipif(PGBOUNCER is None, reason="PgBouncer is not installed")


@asynccontextmanager
async def pooled(dsn: str) -> AsyncGenerator[str]:
    """Run PgBouncer before the database of `dsn`; yield its address."""
    parts, port = urlsplit(dsn), free_port()
    with tempfile.TemporaryDirectory(prefix="landbridge-pooler-", dir="/tmp") as name:
        process = start_pooler(Path(name), dsn, port)
        try:
            await _await_listening(port)
            yield f"postgresql://{parts.username or 'postgres'}@127.0.0.1:{port}{parts.path}"
        finally:
            process.kill()
            process.wait()


def start_pooler(folder: Path, dsn: str, port: int) -> "subprocess.Popen[bytes]":
    """Start PgBouncer with a configuration in `folder`, as the user of the embedded server."""
    assert PGBOUNCER is not None
    parts = urlsplit(dsn)
    query = parse_qs(parts.query)
    host = query["host"][0] if "host" in query else parts.hostname
    server = f"host={host} port={query['port'][0] if 'port' in query else parts.port or 5432}"
    login = f"user={parts.username or 'postgres'} password={parts.password or 'x'}"
    folder.chmod(0o755)
    config = folder / "pgbouncer.ini"
    config.write_text(
        f"[databases]\n{parts.path.lstrip('/')} = {server} {login}\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
        f"auth_type = any\npool_mode = transaction\ndefault_pool_size = {SESSIONS}\n"
    )
    by = runner.choose(
        runner.wheel_directory(), copy_record=folder / "binaries", must_be_nobody=False
    )
    return subprocess.Popen(
        [*by.prefix, PGBOUNCER, "-q", str(config)],
        user=by.uid if os.geteuid() != by.uid else None,
        stderr=subprocess.DEVNULL,
    )


async def _await_listening(port: int) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.02)
            else:
                writer.close()
                return


async def give_settings(dsn: str, error: PoolerSettingsMissing) -> None:
    """Run the commands that the message names."""
    direct = await Database.connect(dsn, name="operator", size_max=1)
    for command in re.findall(r"alter role .*;", str(error)):
        await direct.rows(command)
    await direct.close()


async def test_refused_startup_parameter_is_named(own_dsn: str) -> None:
    async with pooled(own_dsn) as pooler_url:
        with pytest.raises(DatabaseUnreachable, match=r"parameter statement_timeout\. Set"):
            await Database.connect(pooler_url, name="tests", size_max=1)


async def test_missing_settings_are_named_with_commands_that_set_them(own_dsn: str) -> None:
    pooler = Pooler(keeps_statements=False)
    async with pooled(own_dsn) as pooler_url:
        with pytest.raises(PoolerSettingsMissing) as missing:
            await Database.connect(pooler_url, name="tests", size_max=1, pooler=pooler)
        message = str(missing.value)
        assert "statement_timeout = '20000';" in message
        assert "plan_cache_mode = 'force_generic_plan';" in message
    await give_settings(own_dsn, missing.value)
    async with pooled(own_dsn) as pooler_url:
        database = await Database.connect(pooler_url, name="tests", size_max=1, pooler=pooler)
        wanted = session_settings(is_patient=False)
        rows = await database.rows(
            "select lower(name) as name, setting from pg_settings where lower(name) = any($1)",
            list(wanted),
        )
        assert {row["name"]: row["setting"] for row in rows} == wanted
        await database.close()


async def test_clients_share_sessions_that_lose_prepared_statements(own_dsn: str) -> None:
    pooler = Pooler(keeps_statements=False)
    async with pooled(own_dsn) as pooler_url:
        with pytest.raises(PoolerSettingsMissing) as missing:
            await Database.connect(pooler_url, name="tests", size_max=1, pooler=pooler)
    await give_settings(own_dsn, missing.value)
    async with pooled(own_dsn) as pooler_url:
        database = await Database.connect(pooler_url, name="t", size_max=CLIENTS, pooler=pooler)

        async def read_and_write(number: int) -> int:
            async def double(tx: Tx) -> int:
                doubled: int = await tx.fetchval("select $1::int * 2", number)
                return doubled

            for _ in range(20):
                assert await database.transact(double) == number * 2
                assert await database.single(double) == number * 2
                rows = await database.rows("select $1::int[] as numbers, now() as at", [number])
                assert rows[0]["numbers"] == [number]
            return number

        done = await asyncio.gather(*(read_and_write(number) for number in range(CLIENTS)))
        assert done == list(range(CLIENTS))
        await database.close()


@pytest.mark.long
async def test_processes_pay_through_a_pooler(own_dsn: str, tmp_path: Path) -> None:
    async with pooled(own_dsn) as pooler_url:
        with pytest.raises(PoolerSettingsMissing) as missing:
            await Database.connect(
                pooler_url, name="tests", size_max=1, pooler=Pooler(keeps_statements=False)
            )
    await give_settings(own_dsn, missing.value)
    async with pooled(own_dsn) as pooler_url:
        await asyncio.to_thread(swap_once, tmp_path, own_dsn, pooler_url)


def swap_once(folder: Path, dsn: str, pooler_url: str) -> None:
    with served(
        folder, database_url=dsn, pooler_url=pooler_url, pooler_statements="lost"
    ) as server:
        user = make_user(server)
        fund(server, user)
        _, swap = server.call("POST", "/v2/wallets/swaps", swap_body(user))
        path = f"/v2/wallets/swaps/{swap['transferDetails']['id']}/accept"
        status, accepted = server.call("POST", path)
        assert (status, accepted["transferDetails"]["status"]) == (200, "COMPLETED")
        audited = landbridge("check", folder=folder, database_url=dsn)
        assert audited.returncode == 0, audited.stdout
