"""Clock offsets of all organisations, which the worker needs several times a second."""

from collections.abc import Mapping
from datetime import timedelta
from uuid import UUID

from landbridge.platform.db.pool import Database
from landbridge.platform.orgs import store


class ClockOffsetCache:
    """Reads all offsets again only when an organisation was made, or its clock advanced.

    The number of organisations and the sum of their offsets show that: organisations are never
    deleted, and clocks never go back.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._digest: tuple[int, timedelta] | None = None
        self._offsets: Mapping[UUID, timedelta] = {}

    async def read(self) -> Mapping[UUID, timedelta]:
        """Return the offsets as of now or later."""
        # First the digest: if it is older than the offsets, the next one differs from it.
        digest = await self._database.single(store.clock_digest)
        if digest != self._digest:
            self._offsets = await self._database.single(store.clocks)
            self._digest = digest
        return self._offsets
