"""PgBouncer in transaction mode between processes and database."""

import asyncio
from pathlib import Path

import pytest

from landbridge.platform.db.pool import Database, DatabaseUnreachable, Tx
from landbridge.platform.db.session_settings import (
    Pooler,
    PoolerSettingsMissing,
    session_settings,
)
from tests.app.processes.server_process import fund, landbridge, make_user, served, swap_body
from tests.platform.db.pooler_process import PGBOUNCER, give_settings, pooled

# More than the sessions of the pooler.
CLIENTS = 12

pytestmark = pytest.mark.skipif(PGBOUNCER is None, reason="PgBouncer is not installed")


async def test_refused_startup_parameter_is_named(own_dsn: str) -> None:
    refused = pytest.raises(DatabaseUnreachable, match=r"parameter statement_timeout\. Set")
    with pooled(own_dsn) as pooler, refused:
        await Database.connect(pooler.url, name="tests", size_max=1)


async def test_missing_settings_are_named_with_commands_that_set_them(own_dsn: str) -> None:
    sessions = Pooler(keeps_statements=False)
    with pooled(own_dsn) as pooler:
        with pytest.raises(PoolerSettingsMissing) as missing:
            await Database.connect(pooler.url, name="tests", size_max=1, pooler=sessions)
        message = str(missing.value)
        assert "statement_timeout = '20000';" in message
        assert "plan_cache_mode = 'force_generic_plan';" in message
    await give_settings(own_dsn, missing.value)
    with pooled(own_dsn) as pooler:
        database = await Database.connect(pooler.url, name="tests", size_max=1, pooler=sessions)
        wanted = session_settings(is_patient=False)
        rows = await database.rows(
            "select lower(name) as name, setting from pg_settings where lower(name) = any($1)",
            list(wanted),
        )
        assert {row["name"]: row["setting"] for row in rows} == wanted
        await database.close()


async def test_clients_share_sessions_that_lose_prepared_statements(own_dsn: str) -> None:
    sessions = Pooler(keeps_statements=False)
    with pooled(own_dsn) as pooler, pytest.raises(PoolerSettingsMissing) as missing:
        await Database.connect(pooler.url, name="tests", size_max=1, pooler=sessions)
    await give_settings(own_dsn, missing.value)
    with pooled(own_dsn) as pooler:
        database = await Database.connect(pooler.url, name="t", size_max=CLIENTS, pooler=sessions)

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
    with pooled(own_dsn) as pooler, pytest.raises(PoolerSettingsMissing) as missing:
        await Database.connect(
            pooler.url, name="tests", size_max=1, pooler=Pooler(keeps_statements=False)
        )
    await give_settings(own_dsn, missing.value)
    with pooled(own_dsn) as pooler:
        await asyncio.to_thread(swap_once, tmp_path, own_dsn, pooler.url)


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
