"""Forgets what nobody asks for any more about members: run by the worker now and then."""

from collections.abc import Collection
from datetime import timedelta
from typing import Final
from uuid import UUID

from landbridge.core.clock import Clock
from landbridge.db.pool import Database
from landbridge.members import link_store, session_store
from landbridge.members.passkeys import Passkeys
from landbridge.members.throttle import Throttle

# Counted from the end that every session has anyway.
SESSIONS_KEPT: Final = timedelta(days=90)
_BATCH_SIZE: Final = 1000


class MemberSweeping:
    """Old sessions, links, challenges and tries of all organisations, by real time."""

    def __init__(
        self, database: Database, clock: Clock, passkeys: Passkeys, throttle: Throttle
    ) -> None:
        self._database = database
        self._clock = clock
        self._passkeys = passkeys
        self._throttle = throttle

    async def sweep(self, org_ids: Collection[UUID]) -> bool:
        """One batch; whether there may be more."""
        now = self._clock.now()
        await self._passkeys.sweep()
        await self._throttle.sweep()
        await self._database.single(lambda tx: link_store.sweep(tx, org_ids, now))
        swept = await self._database.single(
            lambda tx: session_store.sweep(tx, org_ids, now - SESSIONS_KEPT, limit=_BATCH_SIZE)
        )
        return swept == _BATCH_SIZE
