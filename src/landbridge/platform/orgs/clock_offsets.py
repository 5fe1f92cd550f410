"""Clock offsets of all organisations, which the worker needs several times a second."""

from collections.abc import Mapping
from datetime import timedelta
from uuid import UUID

from landbridge.platform.db.pool import Database
from landbridge.platform.orgs import store


class ClockOffsetCache:
    """Caches offsets, and reads them again after an organisation was created or a clock advanced.

    The number of organisations and the sum of offsets detect both: organisations are never deleted,
    and clocks never go back.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._digest: tuple[int, timedelta] | None = None
        self._offsets: Mapping[UUID, timedelta] = {}

    async def read(self) -> Mapping[UUID, timedelta]:
        """Return the offsets as they are now, or newer."""
        # The digest is read first: if it is older than the offsets, the next digest differs from
        # it.
        digest = await self._database.single(store.clock_digest)
        if digest != self._digest:
            self._offsets = await self._database.single(store.clocks)
            self._digest = digest
        return self._offsets
