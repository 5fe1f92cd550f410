"""Write watch: detects whether anything was committed to the database since the last check.

While nothing is written, one check saves the queries of all schedules, which cost far more.
"""

import asyncio
from typing import Final

from landbridge.platform.core.errors import Busy
from landbridge.platform.core.event_wait import wait_for_event
from landbridge.platform.db.pool import Database

_CHECK_EVERY_S: Final = 0.2
# Differs after every commit, and after the start of every transaction that writes.
_SNAPSHOT: Final = "select pg_current_snapshot()::text as snapshot"


class WriteWatch:
    """Counts the checks that found a changed snapshot of the database.

    `changed` is set at the next such check; each gets a new event.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._snapshot: str | None = None
        self.changed = asyncio.Event()
        self.version = 0

    async def run(self, stop: asyncio.Event) -> None:
        """Check until `stop` is set; nobody waits for a change after that."""
        while not stop.is_set():
            try:
                snapshot = str((await self._database.rows(_SNAPSHOT))[0]["snapshot"])
            except Busy:
                # After a failed check it is unknown what was written.
                snapshot = None
            # If data is on Citus nodes, the coordinator's snapshot does not show commits there.
            is_unknown = snapshot is None or self._database.is_distributed
            if is_unknown or snapshot != self._snapshot:
                self._snapshot = snapshot
                self._set_changed()
            await wait_for_event(stop, _CHECK_EVERY_S)
        self._set_changed()

    def _set_changed(self) -> None:
        self.version += 1
        self.changed.set()
        self.changed = asyncio.Event()
