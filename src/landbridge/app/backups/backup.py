"""Take a backup: one consistent snapshot of the database, also while servers run."""

import asyncio
from pathlib import Path

import asyncpg

from landbridge import __version__
from landbridge.app.backups import archive, store
from landbridge.app.backups.model import FORMAT, BackupFailed, Manifest
from landbridge.platform.core.clock import ReadingClock
from landbridge.platform.db import pg_programs
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.db.program_target import program_target


def back_up(dsn: str, target: Path) -> Manifest:
    """Write a backup of a database to a new file.

    Raises `BackupFailed`, or `ProgramFailed` with the output of pg_dump.
    """
    with archive.writing(target) as (writer, draft):
        manifest = asyncio.run(_write(dsn, writer))
        # Read it back from disk as a restore would: every byte and every row.
        asyncio.run(pg_programs.check_dump(archive.read(draft).dump()))
    return manifest


async def _write(dsn: str, writer: archive.ArchiveWriter) -> Manifest:
    async def work(tx: Tx) -> Manifest:
        snapshot = await store.begin(tx)
        manifest = Manifest(
            format=FORMAT,
            version=__version__,
            migration=await store.last_migration(tx),
            mode=await store.mode(tx),
            taken_at=ReadingClock().now(),
            server_version=await store.server_version(tx),
            contents=await store.contents(tx),
        )
        async with program_target(dsn) as target:
            await pg_programs.dump(target, snapshot=snapshot, write=writer.write)
        return manifest

    database = await Database.connect(dsn, name="backup", size_max=1, is_patient=True)
    try:
        if database.is_distributed:
            raise BackupFailed(
                "The database is distributed over several nodes (Citus), and a backup would have "
                "the rows of one only: back up each node with PostgreSQL's own tools."
            )
        manifest = await database.transact_once(work)
    except asyncpg.UndefinedTableError as error:
        raise BackupFailed(
            "The database lacks tables of this version: use the version that runs on it."
        ) from error
    except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError) as error:
        raise BackupFailed(f"The database failed ({type(error).__name__}).") from error
    finally:
        await database.close()
    writer.finish(manifest)
    return manifest
