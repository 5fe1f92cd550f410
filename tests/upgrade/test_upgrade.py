"""A database of release 0.1.0 is migrated, is consistent, and completes what was open."""

import re
from pathlib import Path

import pytest

from landbridge.app.container import open_container
from landbridge.platform.db import transaction_ids
from landbridge.platform.db.migrate import migrations
from landbridge.platform.db.pool import Database
from tests.app.processes.server_process import landbridge
from tests.conftest import new_database
from tests.tenants import SETTINGS, good, served

pytestmark = pytest.mark.long

DUMP = Path(__file__).with_name("release_0_1_0.sql")
KEY = {"Authorization": "Bearer a-key-of-my-own-choice-1234"}
LAST = 30


def _command(dsn: str, folder: Path, *command: str) -> str:
    """Run a command as an operator does; return its output."""
    master_key = SETTINGS.master_key or ""
    done = landbridge(*command, folder=folder, database_url=dsn, master_key=master_key)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# Migrations fill some tables; these rows are in the dump too.
_EMPTY = """
do $$ begin
    execute (
        select 'truncate ' || string_agg(format('%I', tablename), ', ')
        from pg_tables
        where schemaname = 'public'
    );
end $$;
set session_replication_role = replica;
"""


async def _restore(dsn: str) -> None:
    """Bring a database to where the release left it, on a server that counts anew."""
    schema = "".join(each.sql for each in migrations() if each.number <= LAST)
    table = """
        create table migrations (
            number integer not null, name text not null, digest text not null,
            applied_at timestamptz not null, constraint migrations_pkey primary key (number)
        );
    """
    rows = DUMP.read_text(encoding="utf-8")
    database = await Database.connect(dsn, name="restore", size_max=1)
    await database.single(lambda tx: tx.execute(f"{table}{schema}{_EMPTY}{rows}"))
    await database.close()


async def test_release_is_migrated_and_its_open_payout_completes(
    server_dsn: str, tmp_path: Path
) -> None:
    async with new_database(server_dsn, is_migrated=False) as dsn:
        await _restore(dsn)
        applied = _command(dsn, tmp_path, "migrate").splitlines()
        assert len(applied) == migrations()[-1].number - LAST
        database = await Database.connect(dsn, name="repair", size_max=2)
        await transaction_ids.repair(database, print)
        await database.close()
        before = _command(dsn, tmp_path, "check")
        assert set(re.findall(r"(\d+)$", before, re.MULTILINE)) == {"0"}, before

        async with (
            open_container(SETTINGS, dsn, name="tests") as container,
            served(container) as http,
        ):
            listed = good(await http.get("/v2/offramps", headers=KEY))["records"]
            (waiting, paid) = (each["transferDetails"] for each in listed)
            assert (waiting["status"], paid["status"]) == ("FIAT_PENDING", "COMPLETED")
            # What was sealed opens: the account of the payout, and the person.
            user = waiting["source"]["userId"]
            (account,) = good(await http.get(f"/v2/users/{user}/accounts", headers=KEY))["banks"]
            assert account["accountNumber"] == "****6789"
            good(
                await http.post(
                    "/v2/sandbox/clock/advance", headers=KEY, json={"seconds": 3 * 3600}
                )
            )
            await container.scheduler.run_all(await container.orgs.clock_offsets())
            found = good(await http.get(f"/v2/offramps/{waiting['id']}", headers=KEY))
            assert found["transferDetails"]["status"] == "COMPLETED"
            path = f"/v2/users/{user}/wallets/balance?chain=POLYGON&currency=usdc"
            assert good(await http.get(path, headers=KEY))["displayBalance"] == "290"
        after = _command(dsn, tmp_path, "check")
        assert set(re.findall(r"(\d+)$", after, re.MULTILINE)) == {"0"}, after
