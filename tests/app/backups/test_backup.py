"""Backups and restores: during writes, failures, kills, and refusals."""

import asyncio
import base64
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import UUID

import pytest

from landbridge.app.backups import archive, store
from landbridge.app.backups.backup import back_up
from landbridge.app.backups.model import BackupInvalid
from landbridge.ledger.audit import audit, table
from landbridge.ledger.house_accounts import house_balances, roll_up
from landbridge.ledger.model import HouseRole
from landbridge.ledger.service import Ledger
from landbridge.platform.db.migrate import migrate, migrations
from landbridge.platform.db.pg_programs import ProgramFailed
from landbridge.platform.db.pool import Database
from landbridge.platform.db.sealing import Sealer, keys_from_text
from landbridge.platform.encryption.service import Vault
from tests import make
from tests.app.backups.world import MASTER_KEY, run
from tests.app.processes.server_process import PATIENCE_S, clean_environ
from tests.change_log import placed
from tests.conftest import new_database
from tests.make import MOVES_BY_KIND, TRANSITIONS, USDC
from tests.platform.db.embedded_servers import serving, short_directory
from tests.waiting import holding, waiting

pytestmark = pytest.mark.long

_PROGRAMS = """
select pid from pg_stat_activity
where datname = current_database() and application_name = 'landbridge backup'
"""
_END_DUMP = """
select pg_terminate_backend(a.pid)
from pg_stat_activity a
join pg_locks l on l.pid = a.pid and not l.granted
where a.datname = current_database()
"""
_RECORD = "insert into migrations (number, name, digest, applied_at) values ($1, $2, $3, now())"
_TABLE = (
    "create table migrations (number integer not null primary key, name text not null,"
    " digest text not null, applied_at timestamptz not null)"
)


async def test_payments_during_a_backup_are_included_wholly_or_not_at_all(
    own_dsn: str, own_database: Database, server_dsn: str, tmp_path: Path
) -> None:
    org_id = await make.make_org(own_database)
    accounts = [await make.make_account(own_database, org_id) for _ in range(4)]
    is_busy, ledger = True, Ledger(own_database)

    async def pay(account_id: UUID) -> None:
        while is_busy:
            await ledger.create(make.funding(org_id, account_id, 1), TRANSITIONS)
            await roll_up(own_database, [org_id])

    paying = [asyncio.create_task(pay(each)) for each in accounts]
    path = tmp_path / "one.backup"
    manifest = await asyncio.to_thread(back_up, own_dsn, path)
    is_busy = False
    await asyncio.gather(*paying)
    (total,) = (
        each
        for each in manifest.contents.money
        if (each.table, each.asset) == ("accounts", USDC.code)
    )
    assert 0 <= int(total.sums["available"]) <= manifest.contents.rows["changes"]
    async with new_database(server_dsn, is_migrated=False) as dsn:
        code, output = await asyncio.to_thread(run, "restore", str(path), database_url=dsn)
        # The payment kinds of these tests do not exist in a real installation.
        assert "every asset sums to zero" in output
        assert "Restored: everything" in output, (code, output)
        restored = await Database.connect(dsn, name="tests", size_max=2)
        audited = await audit(restored, MOVES_BY_KIND, {})
        assert audited.is_clean, table(audited)
        balances = await house_balances(restored, org_id)
        assert -balances.get((HouseRole.OUTSIDE, USDC.code), 0) == int(total.sums["available"])
        await placed(restored)
        await roll_up(restored, [org_id])
        assert await house_balances(restored, org_id) == balances
        await restored.close()


@pytest.fixture
async def backup(own_dsn: str, tmp_path: Path) -> Path:
    """Back up a new database."""
    path = tmp_path / "one.backup"
    await asyncio.to_thread(back_up, own_dsn, path)
    return path


async def test_restore_refuses_a_database_that_is_not_empty(
    backup: Path, own_dsn: str, own_database: Database, server_dsn: str
) -> None:
    org_id = await make.make_org(own_database)
    code, output = await asyncio.to_thread(run, "restore", str(backup), database_url=own_dsn)
    assert code == 1
    assert "not empty" in output
    assert [row["id"] for row in await own_database.rows("select id from orgs")] == [org_id]
    async with new_database(server_dsn, is_migrated=False) as dsn:
        database = await Database.connect(dsn, name="tests", size_max=1)
        await database.rows("create view mine as select 1 as one")
        code, output = await asyncio.to_thread(run, "restore", str(backup), database_url=dsn)
        assert code == 1
        assert "not empty" in output
        await database.close()


async def test_incomplete_or_foreign_backup_restores_nothing(backup: Path) -> None:
    whole = await asyncio.to_thread(backup.read_bytes)
    with short_directory() as folder:
        for name, content in {
            "cut": whole[:-1],
            "half": whole[: len(whole) // 2],
            "altered": whole[:9000] + bytes([whole[9000] ^ 1]) + whole[9001:],
            "dump": whole[512:],
        }.items():
            (folder / name).write_bytes(content)
            home = folder / "new"
            code, output = await asyncio.to_thread(run, "restore", str(folder / name), folder=home)
            assert (code, "not a whole backup" in output) == (1, True), output
            assert not home.exists()


async def test_restore_keeps_the_mode_of_the_database(
    own_dsn: str, own_database: Database, tmp_path: Path
) -> None:
    await own_database.rows("insert into installation (mode) values ('sandbox')")
    path = tmp_path / "one.backup"
    await asyncio.to_thread(back_up, own_dsn, path)
    code, output = await asyncio.to_thread(
        run, "restore", str(path), folder=tmp_path / "new", mode="production"
    )
    assert (code, "backup of a sandbox database" in output) == (1, True), output
    assert not (tmp_path / "new").exists()


async def test_a_backup_of_an_older_version_is_brought_up(server_dsn: str, tmp_path: Path) -> None:
    older, path = migrations()[:-1], tmp_path / "older.backup"
    async with new_database(server_dsn, is_migrated=False) as dsn:
        database = await Database.connect(dsn, name="tests", size_max=1)
        await database.rows(_TABLE)
        for each in older:
            await database.single(lambda tx, sql=each.sql: tx.execute(sql))
            await database.rows(_RECORD, each.number, each.name, each.digest)
        await database.close()
        code, output = await asyncio.to_thread(run, "backup", str(path), database_url=dsn)
        assert code == 0, output
        assert f"migration {older[-1].number}" in output
    async with new_database(server_dsn, is_migrated=False) as dsn:
        code, output = await asyncio.to_thread(run, "restore", str(path), database_url=dsn)
        assert code == 0, output
        assert "Brought up to this version: 1 migrations" in output


async def test_the_master_key_is_checked(server_dsn: str, tmp_path: Path) -> None:
    path = tmp_path / "one.backup"
    async with new_database(server_dsn) as dsn:
        database = await Database.connect(dsn, name="tests", size_max=2)
        org_id = await make.make_org(database)
        vault = Vault(Sealer(keys_from_text(MASTER_KEY)))
        await database.transact(lambda tx: vault.make(tx, org_id, org_id))
        await database.close()
        await asyncio.to_thread(back_up, dsn, path)
    wrong = base64.b64encode(bytes(range(100, 132))).decode()
    for key, code, sentence in (
        (MASTER_KEY, 0, "The master key opens it."),
        (wrong, 1, "The master key is not the one of this backup"),
        (None, 0, "The master key was not checked. There is no master key"),
    ):
        async with new_database(server_dsn, is_migrated=False) as dsn:
            ran = await asyncio.to_thread(
                run, "restore", str(path), key=key, database_url=dsn, folder=tmp_path
            )
            assert (ran[0], sentence in ran[1]) == (code, True), ran[1]
            # A new key would not open it.
            assert not (tmp_path / "master.key").exists()


@asynccontextmanager
async def dumping(database: Database) -> AsyncGenerator[None]:
    """Make a dump wait for a lock while the block runs."""
    # Only a dump locks whole tables that have no rows.
    statement = "lock table only webhook_deliveries in access exclusive mode"
    async with holding(database, statement):
        yield


async def test_failed_dump_leaves_no_backup(
    own_dsn: str, own_database: Database, tmp_path: Path
) -> None:
    async with dumping(own_database):
        failing = asyncio.create_task(asyncio.to_thread(back_up, own_dsn, tmp_path / "one.backup"))
        await waiting(own_database, 1)
        await own_database.rows(_END_DUMP)
        with pytest.raises(ProgramFailed, match="pg_dump failed"):
            await failing
    assert names(tmp_path) == []


@pytest.mark.long
async def test_killed_backup_leaves_no_file_under_its_name(
    own_dsn: str, own_database: Database, tmp_path: Path
) -> None:
    path = tmp_path / "one.backup"
    async with dumping(own_database):
        command = begin("backup", str(path), database_url=own_dsn)
        await waiting(own_database, 1)
        command.kill()
        await asyncio.to_thread(command.wait, PATIENCE_S)
    (left,) = names(tmp_path)
    assert left.startswith("one.backup.partial-")
    with pytest.raises(BackupInvalid):
        archive.read(tmp_path / left)
    await asyncio.to_thread(back_up, own_dsn, path)
    archive.read(path)


@pytest.mark.long
async def test_killed_restore_leaves_the_database_empty(backup: Path, server_dsn: str) -> None:
    async with new_database(server_dsn, is_migrated=False) as dsn:
        database = await Database.connect(dsn, name="tests", size_max=2)
        # Nothing can be created meanwhile.
        async with holding(database, "lock table pg_catalog.pg_class in share mode"):
            command = begin("restore", str(backup), database_url=dsn)
            await waiting(database, 1)
            command.kill()
            await asyncio.to_thread(command.wait, PATIENCE_S)
        async with asyncio.timeout(PATIENCE_S):
            while await database.rows(_PROGRAMS):  # noqa: ASYNC110  the server tells nobody
                await asyncio.sleep(0.05)
        assert await database.single(store.is_empty)
        await database.close()
        code, output = await asyncio.to_thread(run, "restore", str(backup), database_url=dsn)
        assert code == 0, output


@pytest.mark.long
async def test_served_directory_is_backed_up_but_not_restored_into(
    backup: Path, tmp_path: Path
) -> None:
    with short_directory() as folder, serving(folder / "home") as server:
        code, output = await asyncio.to_thread(run, "restore", str(backup), folder=folder / "home")
        assert (code, "is in use" in output) == (1, True), output
        database = await Database.connect(server.dsn, name="tests", size_max=1)
        await migrate(database)
        await database.close()
        path = tmp_path / "two.backup"
        code, output = await asyncio.to_thread(run, "backup", str(path), folder=folder / "home")
        assert code == 0, output
        again = await asyncio.to_thread(run, "backup", str(path), folder=folder / "home")
        assert (again[0], "never replaces" in again[1]) == (1, True), again
    code, output = await asyncio.to_thread(
        run, "backup", str(tmp_path / "x"), folder=folder / "home"
    )
    assert (code, "There is no database" in output) == (1, True), output


async def test_objects_added_by_an_administrator_are_left_out(
    own_dsn: str, own_database: Database, server_dsn: str, tmp_path: Path
) -> None:
    await own_database.rows("comment on table orgs is 'mine'")
    await own_database.rows("create publication mine for table orgs")
    await own_database.rows("grant select on orgs to public")
    path = tmp_path / "one.backup"
    await asyncio.to_thread(back_up, own_dsn, path)
    async with new_database(server_dsn, is_migrated=False) as dsn:
        code, output = await asyncio.to_thread(run, "restore", str(path), database_url=dsn)
        assert code == 0, output
        database = await Database.connect(dsn, name="tests", size_max=1)
        (row,) = await database.rows(
            "select obj_description('orgs'::regclass) as said, relacl is null as is_ours,"
            " exists (select from pg_publication) as is_published"
            " from pg_class where oid = 'orgs'::regclass"
        )
        assert (row["said"], row["is_ours"], row["is_published"]) == (None, True, False)
        await database.close()


def names(folder: Path) -> list[str]:
    """Return the names of the files in a folder."""
    return sorted(each.name for each in folder.iterdir())


def begin(*args: str, **settings: str) -> "subprocess.Popen[bytes]":
    """Start the command."""
    return subprocess.Popen(
        [sys.executable, "-m", "landbridge", *args],
        env=clean_environ(**settings),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
