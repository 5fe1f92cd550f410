"""Portraits of bank accounts and of virtual accounts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from landbridge.accounts.model import kind_of
from landbridge.accounts.service import Accounts
from landbridge.accounts.tables import Ramp
from landbridge.accounts.wire import account_reply
from landbridge.changes.model import Change
from landbridge.db.pool import Database
from landbridge.events.model import Event
from landbridge.events.portraits.pictures import from_pictures, named
from landbridge.events.service import Portraits
from landbridge.privacy.service import Vault
from landbridge.virtual_accounts.model import KIND as VIRTUAL_KIND
from landbridge.virtual_accounts.service import VirtualAccounts
from landbridge.virtual_accounts.telling import LATEST


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountPortraits:
    """Portraits of accounts of all organisations."""

    database: Database
    vault: Vault
    accounts: Accounts
    virtual_accounts: VirtualAccounts

    def families(self) -> Mapping[str, Portraits]:
        """Whose portraits these are."""
        return {
            **{kind_of(ramp): self._bank_accounts for ramp in Ramp},
            VIRTUAL_KIND: self._virtual_accounts,
        }

    async def _bank_accounts(self, org_id: UUID, events: Sequence[Event]) -> Sequence[Any]:
        async def now(change: Change) -> Any:
            user_id = named(change, "userId")
            return account_reply(await self.accounts.get(org_id, user_id, change.object_id))

        return await from_pictures(self.database, self.vault, events, now)

    async def _virtual_accounts(self, org_id: UUID, events: Sequence[Event]) -> Sequence[Any]:
        async def now(change: Change) -> Any:
            user_id = named(change, "userId")
            account = await self.virtual_accounts.get(org_id, user_id, change.object_id)
            return await self.virtual_accounts.info(account, LATEST)

        return await from_pictures(self.database, self.vault, events, now)
