import asyncio

import pytest

from landbridge.platform.db.migrate import MigrationRejected, migrate, migrations, pending
from landbridge.platform.db.pool import Database
from tests.conftest import new_database

NUMBERS = [each.number for each in migrations()]


async def test_the_files_are_numbered_without_gaps() -> None:
    assert list(range(1, len(NUMBERS) + 1)) == NUMBERS


async def test_concurrent_starts_apply_each_file_once(server_dsn: str) -> None:
    async with new_database(server_dsn, is_migrated=False) as dsn:
        databases = [await Database.connect(dsn, name="tests", size_max=2) for _ in range(3)]
        assert [each.number for each in await pending(databases[0])] == NUMBERS
        applied = await asyncio.gather(*map(migrate, databases))
        assert sorted(len(each) for each in applied) == [0, 0, len(NUMBERS)]
        rows = await databases[0].rows("select number, digest from migrations order by number")
        assert [row["number"] for row in rows] == NUMBERS
        assert [row["digest"] for row in rows] == [each.digest for each in migrations()]
        assert await pending(databases[0]) == []
        for database in databases:
            await database.close()


async def test_newer_database_is_refused_and_left_unchanged(own_database: Database) -> None:
    await own_database.rows("insert into migrations values (9999, 'tomorrow', 'x', now())")
    for verb in (migrate, pending):
        with pytest.raises(MigrationRejected, match=r"newer than this code: .* 9999 \(tomorrow\)"):
            await verb(own_database)
    rows = await own_database.rows("select count(*) as count from migrations")
    assert rows[0]["count"] == len(NUMBERS) + 1


async def test_a_database_of_a_development_version_is_refused(own_database: Database) -> None:
    await own_database.rows("update migrations set name = 'orgs', digest = 'x' where number = 1")
    await own_database.rows("insert into migrations values (9055, 'sealed_members', 'x', now())")
    for verb in (migrate, pending):
        with pytest.raises(MigrationRejected, match=r"before 0\.1\.0 .* an empty database"):
            await verb(own_database)
    rows = await own_database.rows("select count(*) as count from migrations")
    assert rows[0]["count"] == len(NUMBERS) + 1


async def test_file_edited_after_it_was_applied_is_refused(
    own_database: Database,
) -> None:
    await own_database.rows("update migrations set digest = 'x' where number = 2")
    for verb in (migrate, pending):
        with pytest.raises(MigrationRejected, match=r"Migration 2 \(changes\) was changed"):
            await verb(own_database)


async def test_missing_migration_is_applied_again(own_database: Database) -> None:
    last = [each for each in migrations() if "create table" in each.sql][-1]
    await own_database.rows("delete from migrations where number = $1", last.number)
    assert await pending(own_database) == [last]
    # Its changes are made already, so the file fails; nothing of it may remain.
    with pytest.raises(Exception, match=r"already exists|does not exist"):
        await migrate(own_database)
    assert await pending(own_database) == [last]
