"""Metadata of bank accounts, an extension of the contract; see docs/concepts/metadata.md."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from landbridge.customers.bank_accounts import store
from landbridge.customers.bank_accounts.errors import AccountNotFound, InactiveAccount
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.metadata.service import change


@dataclass(frozen=True, slots=True)
class AccountMetadata:
    """Changes the metadata of bank accounts in any status, and nothing else of them."""

    database: Database

    async def change(
        self, org_id: UUID, user_id: UUID, account_id: UUID, changes: Mapping[str, str | None]
    ) -> Mapping[str, str]:
        """Set keys, remove those mapped to None, and return the account's metadata after that.

        Raises `AccountNotFound`, `FieldInvalid`, and `InactiveAccount` after its user was erased.
        """

        async def work(tx: Tx) -> Mapping[str, str]:
            # The lock serialises changes, so that concurrent ones can't exceed the limit on keys.
            stored = await store.lock(tx, org_id, account_id)
            if stored is None or stored.user_id != user_id:
                raise AccountNotFound(f"there is no bank account {account_id}")
            if stored.sealed_details is None:
                raise InactiveAccount(f"the user of bank account {account_id} was erased")
            return await change(tx, org_id, account_id, user_id, changes)

        return await self.database.transact(work)
