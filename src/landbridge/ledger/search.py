"""Finds records by a part of the id, a reference, a hash or an amount.

Guarantee: every search reads a bounded number of rows through an index.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from landbridge.ledger import search_store as store
from landbridge.ledger.listing_store import TransferListRow
from landbridge.platform.db.pool import Database


@dataclass(frozen=True, slots=True)
class TransferSearch:
    """Finds at most `limit` records of an organisation, newest first."""

    database: Database
    limit: int

    async def by_identifier(self, org_id: UUID, text: str) -> Sequence[TransferListRow]:
        """Return the records with this short id, hash or reference of a bank.

        Hashes are those of chain transactions and user operations. Short ids (`core.ids.short_id`)
        and hexadecimal hashes match in any case.
        """
        return await self.database.read_on_replica(
            lambda tx: store.by_identifier(tx, org_id, text, self.limit)
        )

    async def by_amount(
        self, org_id: UUID, amounts: Mapping[str, int]
    ) -> Sequence[TransferListRow]:
        """Return the records that send or deliver one of these amounts, in units by asset.

        All that have ended; of those under way, the 2,000 that are due last.
        """
        return await self.database.read_on_replica(
            lambda tx: store.by_amount(tx, org_id, amounts, self.limit)
        )
