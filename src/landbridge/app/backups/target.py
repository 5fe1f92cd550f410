"""Target of a restore: a server whose database no other process uses during the restore."""

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Protocol

from landbridge.app.backups.model import RestoreRejected
from landbridge.app.cli_runtime import patient
from landbridge.app.settings import Settings
from landbridge.platform.db import transaction_ids
from landbridge.platform.db.embedded.server import EmbeddedPostgres

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
            async with patient(self.dsn, name="restore") as database:
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
            async with patient(self.dsn, name="restore") as database:
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
