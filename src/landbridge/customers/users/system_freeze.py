"""Freezes users on behalf of the platform, when it has found a reason itself."""

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from landbridge.customers.users import sealed_records, store
from landbridge.customers.users.change_events import add_change
from landbridge.customers.users.records import UserRecords
from landbridge.customers.wallets.service import Wallets
from landbridge.platform.core.errors import UserFrozen
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import Vault

_ACTOR = "worker"


class SystemFreeze:
    """Freezes users of all organisations; only the organisation unfreezes them."""

    def __init__(self, database: Database, wallets: Wallets, vault: Vault) -> None:
        self._database = database
        self._wallets = wallets
        self._records = UserRecords(vault)

    async def freeze(self, org_id: UUID, user_id: UUID, reason: str, at: datetime) -> None:
        """Block the user's payments until unfrozen; no effect if the user is frozen or erased."""

        async def work(tx: Tx) -> None:
            try:
                user, key = await self._records.lock(tx, org_id, user_id)
            except UserFrozen:
                return  # erased, and therefore frozen permanently
            if user.is_frozen:
                return
            sealed_reason = sealed_records.seal_reason(user_id, reason, key)
            frozen = replace(user, frozen_at=at, updated_at=at, version=user.version + 1)
            await store.freeze(
                tx, org_id, user_id, frozen_at=at, sealed_reason=sealed_reason, at=at
            )
            await add_change(tx, self._wallets, frozen, _ACTOR, key, facts={"frozen": True})

        await self._database.transact(work)
