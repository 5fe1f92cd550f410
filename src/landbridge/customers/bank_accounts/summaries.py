"""Short forms of several bank accounts at once, for lists of payments."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from uuid import UUID

from landbridge.customers.bank_accounts import store
from landbridge.customers.bank_accounts.model import AccountSummary
from landbridge.customers.bank_accounts.records import opened
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import Vault


@dataclass(frozen=True, slots=True)
class AccountSummaries:
    """Reads accounts of all users of an organisation."""

    database: Database
    vault: Vault

    async def of(self, org_id: UUID, ids: Collection[UUID]) -> Mapping[UUID, AccountSummary]:
        """Return the summaries of these accounts by id; unknown ids are left out.

        An erased account has a summary without a bank and a number.
        """
        if not ids:
            return {}

        async def work(tx: Tx) -> Mapping[UUID, AccountSummary]:
            found = await store.get_many(tx, org_id, ids)
            keys = await self.vault.find_many(tx, org_id, {each.user_id for each in found})
            accounts = [opened(each, keys.get(each.user_id)) for each in found]
            return {each.id: each.summary for each in accounts}

        return await self.database.read(work)
