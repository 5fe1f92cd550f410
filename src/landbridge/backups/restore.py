"""Restore a backup into an empty database.

The steps: refuse a database that is not empty, load the dump in one transaction, repair
transaction ids, compare what is there with the backup, apply migrations. Broken off before the load
is committed, the database stays empty. Broken off before the repair, no process starts on it
(`transaction_ids.check`) until `landbridge repair-transaction-ids` was run.
"""

import asyncio

from landbridge.backups import store
from landbridge.backups.archive import Archive
from landbridge.backups.model import Contents, RestoreRefused, differences
from landbridge.backups.target import Target, patient
from landbridge.db import programs
from landbridge.db.migrate import Migration, migrate
from landbridge.db.pool import Tx
from landbridge.db.relay import program_target


def restore_into(target: Target, archive: Archive) -> list[Migration]:
    """Restore a backup that was read; return the migrations that it lacked.

    Raises `RestoreRefused` if the database is not empty, or differs from the backup afterwards;
    `ProgramFailed` with what PostgreSQL said.
    """
    asyncio.run(_load(archive, target.dsn))
    target.repair_ids()
    return asyncio.run(_finish(archive, target.dsn))


async def _load(archive: Archive, dsn: str) -> None:
    async with patient(dsn) as database:
        if not await database.single(store.is_empty):
            raise RestoreRefused(
                "The database is not empty, and a restore never touches what is there: name "
                "another --data-dir, or make an empty database."
            )
        version = await database.single(store.server_version)
    async with program_target(dsn) as target:
        await programs.load(target, archive.dump(), server_version=version)


async def _finish(archive: Archive, dsn: str) -> list[Migration]:
    async def contents(tx: Tx) -> Contents:
        await store.begin(tx)
        return await store.contents(tx)

    async with patient(dsn) as database:
        found = await database.transact(contents)
        if wrong := differences(archive.manifest.contents, found):
            raise RestoreRefused(
                "What was restored is not what was backed up; do not use this database. "
                + "; ".join(wrong[:10])
            )
        applied = await migrate(database)
        await database.single(store.analyze)
        return applied
