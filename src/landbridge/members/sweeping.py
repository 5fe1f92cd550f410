"""Forgets what nobody asks for any more about members: run by the worker now and then."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from landbridge.core.clock import Clock
from landbridge.db.pool import Database, Tx
from landbridge.members import link_store, session_store, store
from landbridge.members.model import email_hash
from landbridge.members.passkeys import Passkeys
from landbridge.members.throttle import Throttle
from landbridge.privacy.service import Vault

# Counted from the end that every session has anyway.
SESSIONS_KEPT: Final = timedelta(days=90)
# An address and a name are needed no longer, but for questions right after.
REMOVED_KEPT: Final = timedelta(days=30)
_BATCH_SIZE: Final = 1000


class MemberSweeping:
    """Old sessions, links, challenges and tries of all organisations, by real time."""

    def __init__(
        self, database: Database, clock: Clock, passkeys: Passkeys, throttle: Throttle, vault: Vault
    ) -> None:
        self._database = database
        self._clock = clock
        self._passkeys = passkeys
        self._throttle = throttle
        self._vault = vault

    async def sweep(self, org_ids: Collection[UUID]) -> bool:
        """One batch; whether there may be more."""
        now = self._clock.now()
        await self._passkeys.sweep()
        await self._throttle.sweep()
        await self._database.single(lambda tx: link_store.sweep(tx, org_ids, now))
        await self._database.single(lambda tx: session_store.forget_origins(tx, org_ids))
        blanked = await self._database.transact(
            lambda tx: self._blank(tx, org_ids, now - REMOVED_KEPT)
        )
        swept = await self._database.single(
            lambda tx: session_store.sweep(tx, org_ids, now - SESSIONS_KEPT, limit=_BATCH_SIZE)
        )
        return _BATCH_SIZE in (swept, blanked)

    async def _blank(self, tx: Tx, org_ids: Collection[UUID], before: datetime) -> int:
        """Blank members who were removed before that; how many these were."""
        found = await store.removed(tx, org_ids, before, limit=_BATCH_SIZE)
        for org_id, member_id, email in found:
            key = await self._vault.make(tx, org_id, org_id)
            await store.blank(tx, org_id, member_id, email_hash(key, email))
        return len(found)
