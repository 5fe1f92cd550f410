"""Payloads of bank accounts and of virtual accounts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from landbridge.customers.bank_accounts.field_tables import Ramp
from landbridge.customers.bank_accounts.model import kind_of
from landbridge.customers.bank_accounts.schemas import account_reply
from landbridge.customers.bank_accounts.service import BankAccounts
from landbridge.developers.events.model import Event
from landbridge.developers.events.payloads.snapshots import fact_id, from_snapshots
from landbridge.developers.events.service import PayloadBuilder
from landbridge.payments.virtual_accounts.change_events import DEFAULT_BOUNDS
from landbridge.payments.virtual_accounts.model import KIND as VIRTUAL_KIND
from landbridge.payments.virtual_accounts.service import VirtualAccounts
from landbridge.platform.changes.model import Change
from landbridge.platform.db.pool import Database
from landbridge.platform.encryption.service import Vault


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountPayloads:
    """Payloads of accounts of all organisations."""

    database: Database
    vault: Vault
    accounts: BankAccounts
    virtual_accounts: VirtualAccounts

    def families(self) -> Mapping[str, PayloadBuilder]:
        """Return the payload function of each family."""
        return {
            **{kind_of(ramp): self._bank_accounts for ramp in Ramp},
            VIRTUAL_KIND: self._virtual_accounts,
        }

    async def _bank_accounts(self, org_id: UUID, events: Sequence[Event]) -> Sequence[Any]:
        async def now(change: Change) -> Any:
            user_id = fact_id(change, "userId")
            return account_reply(await self.accounts.get(org_id, user_id, change.object_id))

        return await from_snapshots(self.database, self.vault, events, now)

    async def _virtual_accounts(self, org_id: UUID, events: Sequence[Event]) -> Sequence[Any]:
        async def now(change: Change) -> Any:
            user_id = fact_id(change, "userId")
            account = await self.virtual_accounts.get(org_id, user_id, change.object_id)
            return await self.virtual_accounts.info(account, DEFAULT_BOUNDS)

        return await from_snapshots(self.database, self.vault, events, now)
