"""Target of a restore: a server whose database no other process uses during the restore."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Protocol

from landbridge.app.backups.model import RestoreRejected
from landbridge.app.settings import Settings
from landbridge.platform.db import transaction_ids
from landbridge.platform.db.embedded.server import EmbeddedPostgres
from landbridge.platform.db.pool import Database

PrintLine = Callable[[str], None]

# The high half of a transaction id is its epoch.
_EPOCH_BITS = 32


class RestoreTarget(Protocol):
    """A server with a database to restore into."""

    @property
    def dsn(self) -> str:
        """Connection string of the database."""
        ...

    def repair_ids(self) -> None:
        """Bring the server's transaction ids beyond all stored ones."""
        ...


class ExternalTarget:
    """A PostgreSQL server of the operator, which we can't stop."""

    def __init__(self, dsn: str, print_line: PrintLine) -> None:
        self.dsn = dsn
        self._print_line = print_line

    def repair_ids(self) -> None:
        """Repair by statements (`transaction_ids.repair`)."""

        async def run() -> None:
            async with patient(self.dsn) as database:
                await transaction_ids.repair(database, self._print_line)

        asyncio.run(run())


class EmbeddedTarget:
    """The embedded server, started by this process."""

    def __init__(self, server: EmbeddedPostgres) -> None:
        self._server = server

    @property
    def dsn(self) -> str:
        """Connection string of the database."""
        return self._server.dsn

    def repair_ids(self) -> None:
        """Restart the server at an epoch beyond all stored ids, which stay unchanged."""

        async def survey() -> transaction_ids.TransactionIds:
            async with patient(self.dsn) as database:
                return await transaction_ids.survey(database)

        ids = asyncio.run(survey())
        if ids.largest >= ids.next:
            self._server.restart_with_epoch((ids.largest >> _EPOCH_BITS) + 1)


@contextmanager
def open_target(settings: Settings, print_line: PrintLine) -> Generator[RestoreTarget]:
    """Open the database of the settings; an embedded server is started, and created if it is new.

    Raises `DataDirInUse` or `RestoreRejected` while another process uses the embedded server.
    """
    if settings.database_url is not None:
        yield ExternalTarget(settings.database_url, print_line)
        return
    server = EmbeddedPostgres.start(settings.folder, print_line=print_line, purpose="command")
    if server.was_running:
        # The supervisor was killed, but its API and worker may still use the server.
        server.leave()
        raise RestoreRejected(
            f"A PostgreSQL was left running in {settings.folder}: start and stop `landbridge "
            "serve` there, then try again."
        )
    try:
        yield EmbeddedTarget(server)
    finally:
        server.stop()


@asynccontextmanager
async def patient(dsn: str) -> AsyncGenerator[Database]:
    """Open a database connection without a statement timeout."""
    database = await Database.connect(dsn, name="restore", size_max=1, is_patient=True)
    try:
        yield database
    finally:
        await database.close()
