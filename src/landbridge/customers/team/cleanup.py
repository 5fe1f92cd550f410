"""Cleanup of obsolete member data: run by the worker periodically."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from landbridge.customers.team import link_store, session_store, store
from landbridge.customers.team.login_rate_limit import LoginRateLimit
from landbridge.customers.team.model import email_hash
from landbridge.customers.team.passkeys import Passkeys
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import Vault

# Counted from the end that every session has anyway.
SESSIONS_KEPT: Final = timedelta(days=90)
# An address and a name are needed no longer, but for questions right after.
REMOVED_KEPT: Final = timedelta(days=30)
_BATCH_SIZE: Final = 1000


@dataclass(frozen=True, slots=True)
class TeamCleanup:
    """Old sessions, links, challenges and login attempts of all organisations, by real time."""

    database: Database
    clock: Clock
    passkeys: Passkeys
    throttle: LoginRateLimit
    vault: Vault

    async def sweep(self, org_ids: Collection[UUID]) -> bool:
        """Process one batch; return whether more may remain."""
        now = self.clock.now()
        await self.passkeys.sweep()
        await self.throttle.sweep()
        await self.database.single(lambda tx: link_store.sweep(tx, org_ids, now))
        blanked = await self.database.transact(
            lambda tx: self._blank(tx, org_ids, now - REMOVED_KEPT)
        )
        swept = await self.database.single(
            lambda tx: session_store.sweep(tx, org_ids, now - SESSIONS_KEPT, limit=_BATCH_SIZE)
        )
        return _BATCH_SIZE in (swept, blanked)

    async def _blank(self, tx: Tx, org_ids: Collection[UUID], before: datetime) -> int:
        """Blank members who were removed before the cutoff; return their number."""
        found = await store.removed(tx, org_ids, before, limit=_BATCH_SIZE)
        for org_id, member_id, email in found:
            key = await self.vault.make(tx, org_id, org_id)
            await store.blank(tx, org_id, member_id, email_hash(key, email))
        return len(found)
