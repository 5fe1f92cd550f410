"""Schema watch: detects that a newer version has migrated the database of this process.

Code and schema of a process belong together. The next version's schema still accepts this version's
writes, but later ones may not, so a process that detects a newer schema finishes its work and ends.
"""

import asyncio
import os
from collections.abc import Callable

import structlog

from landbridge.platform.core.errors import Busy
from landbridge.platform.db.migrate import SchemaNewer, check_schema
from landbridge.platform.db.pool import Database

_log = structlog.stdlib.get_logger()

_EVERY_S = 2.0


class SchemaWatch:
    """Checks every two seconds whether a newer version has migrated the database."""

    def __init__(self, database: Database, *, every_s: float = _EVERY_S) -> None:
        self._database = database
        self._every_s = every_s
        self._newer: SchemaNewer | None = None

    async def run(self, leave: Callable[[], None]) -> None:
        """Watch until a newer schema is detected, then call `leave` once."""
        while self._newer is None:
            await asyncio.sleep(self._every_s)
            try:
                await check_schema(self._database)
            except SchemaNewer as error:
                self._newer = error
                _log.warning("process.outdated", pid=os.getpid(), reason=str(error))
                leave()
            except Busy as error:
                _log.info("process.schema_unread", pid=os.getpid(), reason=str(error))
            except Exception as error:  # noqa: BLE001  a failed read must not end the watch
                _log.error("process.schema_unread", pid=os.getpid(), exc_info=error)

    def raise_if_newer(self) -> None:
        """Raise the `SchemaNewer` that was detected, if any."""
        if self._newer is not None:
            raise self._newer
