"""Target of a restore: a server whose database no other process uses during the restore."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

from landbridge.app.backups.model import RestoreRejected
from landbridge.app.settings import Settings
from landbridge.platform.db.embedded.server import EmbeddedPostgres

PrintLine = Callable[[str], None]


@contextmanager
def open_target(settings: Settings, print_line: PrintLine) -> Generator[str]:
    """Yield the address of the database; an embedded server is started, and created if it is new.

    Raises `DataDirInUse` or `RestoreRejected` while another process uses the embedded server.
    """
    if settings.database_url is not None:
        yield settings.database_url
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
        yield server.dsn
    finally:
        server.stop()
