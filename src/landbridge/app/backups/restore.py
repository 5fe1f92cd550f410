"""Restore a backup into an empty database.

Steps: refuse a database that is not empty, load the dump in one transaction, compare the result
with the backup, apply migrations. If it is interrupted before the load commits, the database stays
empty.
"""

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager

from landbridge.app.backups import store
from landbridge.app.backups.archive import Archive
from landbridge.app.backups.model import DatabaseContents, RestoreRejected, differences
from landbridge.app.cli_runtime import patient
from landbridge.app.settings import Settings
from landbridge.platform.db import pg_programs
from landbridge.platform.db.embedded.server import EmbeddedPostgres
from landbridge.platform.db.migrate import Migration, migrate
from landbridge.platform.db.pool import Tx
from landbridge.platform.db.program_target import program_target


def restore_into(dsn: str, archive: Archive) -> list[Migration]:
    """Restore a verified backup; return the migrations that were applied afterwards.

    Raises `RestoreRejected` if the database is not empty, or differs from the backup afterwards;
    `ProgramFailed` with the output of PostgreSQL.
    """
    asyncio.run(_load(archive, dsn))
    return asyncio.run(_finish(archive, dsn))


async def _load(archive: Archive, dsn: str) -> None:
    async with patient(dsn, name="restore") as database:
        if not await database.single(store.is_empty):
            raise RestoreRejected(
                "The database is not empty, and a restore never touches what is there: name "
                "another --data-dir, or make an empty database."
            )
        version = await database.single(store.server_version)
    async with program_target(dsn) as target:
        await pg_programs.load(target, archive.dump(), server_version=version)


async def _finish(archive: Archive, dsn: str) -> list[Migration]:
    async def contents(tx: Tx) -> DatabaseContents:
        await store.begin(tx)
        return await store.contents(tx)

    async with patient(dsn, name="restore") as database:
        found = await database.transact(contents)
        if wrong := differences(archive.manifest.contents, found):
            raise RestoreRejected(
                "What was restored is not what was backed up; do not use this database. "
                + "; ".join(wrong[:10])
            )
        applied = await migrate(database)
        await database.single(store.analyze)
        return applied


PrintLine = Callable[[str], None]


@contextmanager
def open_target(settings: Settings, print_line: PrintLine) -> Generator[str]:
    """Yield the address of a database that no other process uses during the restore.

    An embedded server is started, and created if it is new.
    Raises `DataDirInUse` or `RestoreRejected` while another process uses the embedded server.
    """
    if settings.database_url is not None:
        yield settings.database_url
        return
    server = EmbeddedPostgres.start(settings.folder, print_line=print_line, purpose="command")
    if server.was_running:
        # The supervisor was killed, but its API and worker may still use the server.
        server.release()
        raise RestoreRejected(
            f"A PostgreSQL was left running in {settings.folder}: start and stop `landbridge "
            "serve` there, then try again."
        )
    try:
        yield server.dsn
    finally:
        server.stop()
