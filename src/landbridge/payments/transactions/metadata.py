"""Metadata of transfers of all kinds."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from landbridge.ledger.errors import TransactionNotFound
from landbridge.ledger.service import Ledger
from landbridge.payments.transactions.model import KINDS
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.metadata.service import change


@dataclass(frozen=True, slots=True)
class TransactionMetadata:
    """Changes the metadata of transfers in any status, and nothing else of them."""

    database: Database
    ledger: Ledger

    async def change(
        self, org_id: UUID, transaction_id: UUID, changes: Mapping[str, str | None]
    ) -> Mapping[str, str]:
        """Set keys, and remove those with None; return all metadata of the transfer afterwards.

        Raises `TransactionNotFound` and `FieldInvalid`.
        """
        record = await self.ledger.find(org_id, transaction_id)
        if record is None or record.kind not in KINDS:
            raise TransactionNotFound(f"there is no transaction {transaction_id}")

        async def work(tx: Tx) -> Mapping[str, str]:
            # The record is locked, so that concurrent changes together keep the bound on keys.
            await self.ledger.lock_in(tx, record)
            return await change(tx, org_id, transaction_id, record.user_id, changes)

        return await self.database.transact(work)
