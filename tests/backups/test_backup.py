"""Backups and restores: of what goes on, what fails, what is killed, and what is refused."""

import asyncio
import base64
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import UUID

import pytest

from landbridge.backups import archive, store
from landbridge.backups.backup import back_up
from landbridge.backups.model import BackupInvalid
from landbridge.db.migrate import migrate, migrations
from landbridge.db.pool import Database
from landbridge.db.programs import ProgramFailed
from landbridge.db.sealing import Sealer, keys_from_text
from landbridge.ledger.audit import audit, table
from landbridge.ledger.house import house_balances, roll_up
from landbridge.ledger.model import Role
from landbridge.ledger.service import Ledger
from landbridge.privacy.service import Vault
from tests import make
from tests.backups.world import MASTER_KEY, run
from tests.conftest import new_database
from tests.db.embedded_play import serving, short_directory
from tests.ledger.test_house import settle
from tests.make import MOVES, MOVES_BY_KIND, USDC
from tests.processes.play import PATIENCE_S, clean_environ
from tests.waiting import holding, waiting

pytestmark = pytest.mark.slow

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


async def test_what_is_paid_during_a_backup_is_in_it_whole_or_not_at_all(
    own_dsn: str, own_database: Database, server_dsn: str, tmp_path: Path
) -> None:
    org_id = await make.make_org(own_database)
    accounts = [await make.make_account(own_database, org_id) for _ in range(4)]
    is_busy, ledger = True, Ledger(own_database)

    async def pay(account_id: UUID) -> None:
        while is_busy:
            await ledger.open(make.funding(org_id, account_id, 1), MOVES)
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
        code, said = await asyncio.to_thread(run, "restore", str(path), database_url=dsn)
        # The kinds of these tests are no payments of a real installation.
        assert "every asset sums to zero" in said
        assert "Restored: everything" in said, (code, said)
        restored = await Database.connect(dsn, name="tests", size_max=2)
        audited = await audit(restored, MOVES_BY_KIND, {})
        assert audited.is_clean, table(audited)
        balances = await house_balances(restored, org_id)
        assert -balances.get((Role.OUTSIDE, USDC.code), 0) == int(total.sums["available"])
        await settle(restored)
        await roll_up(restored, [org_id])
        assert await house_balances(restored, org_id) == balances
        await restored.close()


@pytest.fixture
async def backup(own_dsn: str, tmp_path: Path) -> Path:
    """Of a database that was just made."""
    path = tmp_path / "one.backup"
    await asyncio.to_thread(back_up, own_dsn, path)
    return path


async def test_a_restore_touches_no_database_that_holds_anything(
    backup: Path, own_dsn: str, own_database: Database, server_dsn: str
) -> None:
    org_id = await make.make_org(own_database)
    code, said = await asyncio.to_thread(run, "restore", str(backup), database_url=own_dsn)
    assert code == 1
    assert "not empty" in said
    assert [row["id"] for row in await own_database.rows("select id from orgs")] == [org_id]
    async with new_database(server_dsn, is_migrated=False) as dsn:
        database = await Database.connect(dsn, name="tests", size_max=1)
        await database.rows("create view mine as select 1 as one")
        code, said = await asyncio.to_thread(run, "restore", str(backup), database_url=dsn)
        assert code == 1
        assert "not empty" in said
        await database.close()


async def test_a_file_that_is_not_whole_or_not_for_here_makes_nothing(backup: Path) -> None:
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
            code, said = await asyncio.to_thread(run, "restore", str(folder / name), folder=home)
            assert (code, "not a whole backup" in said) == (1, True), said
            assert not home.exists()


async def test_a_mode_is_kept(own_dsn: str, own_database: Database, tmp_path: Path) -> None:
    await own_database.rows("insert into installation (mode) values ('sandbox')")
    path = tmp_path / "one.backup"
    await asyncio.to_thread(back_up, own_dsn, path)
    code, said = await asyncio.to_thread(
        run, "restore", str(path), folder=tmp_path / "new", mode="production"
    )
    assert (code, "backup of a sandbox database" in said) == (1, True), said
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
        code, said = await asyncio.to_thread(run, "backup", str(path), database_url=dsn)
        assert code == 0, said
        assert f"migration {older[-1].number}" in said
    async with new_database(server_dsn, is_migrated=False) as dsn:
        code, said = await asyncio.to_thread(run, "restore", str(path), database_url=dsn)
        assert code == 0, said
        assert "Brought up to this version: 1 migrations" in said


async def test_the_master_key_is_checked(server_dsn: str, tmp_path: Path) -> None:
    path = tmp_path / "one.backup"
    async with new_database(server_dsn) as dsn:
        database = await Database.connect(dsn, name="tests", size_max=2)
        org_id = await make.make_org(database)
        vault = Vault(Sealer(keys_from_text(MASTER_KEY)))
        await database.transact(lambda tx: vault.make(tx, org_id, org_id))
        await database.close()
        await asyncio.to_thread(back_up, dsn, path)
    wrong = base64.b64encode(bytes(32)).decode()
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
            # One that was made now would not open it.
            assert not (tmp_path / "master.key").exists()


@asynccontextmanager
async def dumping(database: Database) -> AsyncGenerator[None]:
    """A dump waits for a lock while this lasts."""
    # Only a dump locks the whole of what has no rows of its own.
    statement = "lock table only webhook_deliveries in access exclusive mode"
    async with holding(database, statement):
        yield


async def test_a_backup_whose_dump_fails_leaves_nothing(
    own_dsn: str, own_database: Database, tmp_path: Path
) -> None:
    async with dumping(own_database):
        failing = asyncio.create_task(asyncio.to_thread(back_up, own_dsn, tmp_path / "one.backup"))
        await waiting(own_database, 1)
        await own_database.rows(_END_DUMP)
        with pytest.raises(ProgramFailed, match="pg_dump failed"):
            await failing
    assert names(tmp_path) == []


async def test_a_backup_that_is_killed_leaves_no_file_of_its_name(
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


async def test_a_restore_that_is_killed_leaves_the_database_empty(
    backup: Path, server_dsn: str
) -> None:
    async with new_database(server_dsn, is_migrated=False) as dsn:
        database = await Database.connect(dsn, name="tests", size_max=2)
        # Nothing can be made meanwhile.
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
        code, said = await asyncio.to_thread(run, "restore", str(backup), database_url=dsn)
        assert code == 0, said


async def test_a_directory_that_is_served_is_backed_up_and_not_restored_into(
    backup: Path, tmp_path: Path
) -> None:
    with short_directory() as folder, serving(folder / "home") as server:
        code, said = await asyncio.to_thread(run, "restore", str(backup), folder=folder / "home")
        assert (code, "is in use" in said) == (1, True), said
        database = await Database.connect(server.dsn, name="tests", size_max=1)
        await migrate(database)
        await database.close()
        path = tmp_path / "two.backup"
        code, said = await asyncio.to_thread(run, "backup", str(path), folder=folder / "home")
        assert code == 0, said
        again = await asyncio.to_thread(run, "backup", str(path), folder=folder / "home")
        assert (again[0], "never replaces" in again[1]) == (1, True), again
    code, said = await asyncio.to_thread(run, "backup", str(tmp_path / "x"), folder=folder / "home")
    assert (code, "There is no database" in said) == (1, True), said


async def test_what_an_administrator_has_added_is_left_out(
    own_dsn: str, own_database: Database, server_dsn: str, tmp_path: Path
) -> None:
    await own_database.rows("comment on table orgs is 'mine'")
    await own_database.rows("create publication mine for table orgs")
    await own_database.rows("grant select on orgs to public")
    path = tmp_path / "one.backup"
    await asyncio.to_thread(back_up, own_dsn, path)
    async with new_database(server_dsn, is_migrated=False) as dsn:
        code, said = await asyncio.to_thread(run, "restore", str(path), database_url=dsn)
        assert code == 0, said
        database = await Database.connect(dsn, name="tests", size_max=1)
        (row,) = await database.rows(
            "select obj_description('orgs'::regclass) as said, relacl is null as is_ours,"
            " exists (select from pg_publication) as is_published"
            " from pg_class where oid = 'orgs'::regclass"
        )
        assert (row["said"], row["is_ours"], row["is_published"]) == (None, True, False)
        await database.close()


def names(folder: Path) -> list[str]:
    """Of the files in a folder."""
    return sorted(each.name for each in folder.iterdir())


def begin(*args: str, **settings: str) -> "subprocess.Popen[bytes]":
    """Start the command."""
    return subprocess.Popen(
        [sys.executable, "-m", "landbridge", *args],
        env=clean_environ(**settings),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
