"""Write watch: whether anything was committed to the database since the last look.

One look costs far less than the queries of all schedules that it saves while nothing is written.
"""

import asyncio
from typing import Final

from landbridge.platform.core.errors import Busy
from landbridge.platform.core.event_wait import wait_for_event
from landbridge.platform.db.pool import Database

_LOOK_EVERY_S: Final = 0.2
# Differs after every commit, and at the start of every transaction that writes.
_SNAPSHOT: Final = "select pg_current_snapshot()::text as snapshot"


class WriteWatch:
    """Counts the looks at which the database's snapshot had changed.

    `changed` is set at the next one; there is a new event for each.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._snapshot: str | None = None
        self.changed = asyncio.Event()
        self.version = 0

    async def run(self, stop: asyncio.Event) -> None:
        """Look until `stop`; nobody waits for a change after it."""
        while not stop.is_set():
            try:
                snapshot = str((await self._database.rows(_SNAPSHOT))[0]["snapshot"])
            except Busy:
                # What was written meanwhile is unknown.
                snapshot = None
            # Where workers of a coordinator are written to, its own snapshot does not show it.
            is_unknown = snapshot is None or self._database.is_distributed
            if is_unknown or snapshot != self._snapshot:
                self._snapshot = snapshot
                self._set_changed()
            await wait_for_event(stop, _LOOK_EVERY_S)
        self._set_changed()

    def _set_changed(self) -> None:
        self.version += 1
        self.changed.set()
        self.changed = asyncio.Event()
