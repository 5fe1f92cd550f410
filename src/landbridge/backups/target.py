"""Where a backup is restored: a server whose database nothing else uses meanwhile."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Protocol

from landbridge.backups.model import RestoreRefused
from landbridge.db import transaction_ids
from landbridge.db.embedded.server import EmbeddedPostgres
from landbridge.db.pool import Database
from landbridge.settings import Settings

Say = Callable[[str], None]

# The high half of a transaction id is its epoch.
_EPOCH_BITS = 32


class Target(Protocol):
    """A server with a database to restore into."""

    @property
    def dsn(self) -> str:
        """Its address."""
        ...

    def repair_ids(self) -> None:
        """Bring all stored transaction ids into the past of the server."""
        ...


class OwnTarget:
    """A PostgreSQL of the operator's own, which we can't stop."""

    def __init__(self, dsn: str, say: Say) -> None:
        self.dsn = dsn
        self._say = say

    def repair_ids(self) -> None:
        """Repair by statements (`transaction_ids.repair`)."""

        async def run() -> None:
            async with patient(self.dsn) as database:
                await transaction_ids.repair(database, self._say)

        asyncio.run(run())


class EmbeddedTarget:
    """The embedded server, which this process has started."""

    def __init__(self, server: EmbeddedPostgres) -> None:
        self._server = server

    @property
    def dsn(self) -> str:
        """Its address."""
        return self._server.dsn

    def repair_ids(self) -> None:
        """Let the server count on from an epoch beyond all stored ids; they stay as they are."""

        async def survey() -> transaction_ids.Ids:
            async with patient(self.dsn) as database:
                return await transaction_ids.survey(database)

        ids = asyncio.run(survey())
        if ids.largest >= ids.next:
            self._server.restart_with_epoch((ids.largest >> _EPOCH_BITS) + 1)


@contextmanager
def open_target(settings: Settings, say: Say) -> Generator[Target]:
    """The database that the settings name; an embedded one is started, and made if it is new.

    Raises `DataDirInUse` or `RestoreRefused` while anything else is at work on the embedded one.
    """
    if settings.database_url is not None:
        yield OwnTarget(settings.database_url, say)
        return
    server = EmbeddedPostgres.start(settings.folder, say=say, purpose="command")
    if server.was_running:
        # Its owner was killed, but its API and worker may be at work on it.
        server.leave()
        raise RestoreRefused(
            f"A PostgreSQL was left running in {settings.folder}: start and stop `landbridge "
            "serve` there, then try again."
        )
    try:
        yield EmbeddedTarget(server)
    finally:
        server.stop()


@asynccontextmanager
async def patient(dsn: str) -> AsyncGenerator[Database]:
    """A connection whose statements take as long as they need."""
    database = await Database.connect(dsn, name="restore", size_max=1, is_patient=True)
    try:
        yield database
    finally:
        await database.close()
