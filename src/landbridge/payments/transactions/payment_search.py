"""Search for payments by short id, hash, reference or amount."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final
from uuid import UUID

from landbridge.ledger.listing import TransferListing, TransferListRow
from landbridge.ledger.search import TransferSearch
from landbridge.payments.onramps.references import normalise_reference
from landbridge.payments.transactions.model import ALL_ASSETS, KINDS
from landbridge.platform.core.money import AmountError, Money
from landbridge.platform.db.pool import Database

# The reference of an onramp and the bank's reference of a deposit; both have a unique index.
_FIND_BY_REFERENCES = """
select r.transfer_id
from onramp_references r
where r.org_id = $1 and r.reference = any($2::text[])
union
select p.transfer_id
from incoming_payments p
where p.org_id = $1 and p.bank_reference = any($2::text[]) and p.transfer_id is not null
"""

# Form of short ids, transaction hashes, and bank references: trace numbers, IMAD and OMAD, UETR,
# and ids of statements.
_IDENTIFIER: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z/:._-]{4,89}")
# Form of an amount as in the API, optionally with its currency.
_AMOUNT: Final = re.compile(
    r"(?P<amount>[0-9]{1,20}(?:\.[0-9]{1,18})?)(?: +(?P<unit>[A-Za-z]{3,6}))?"
)


@dataclass(frozen=True, slots=True)
class PaymentSearch:
    """Finds payments of an organisation; each search reads a bounded number of rows."""

    database: Database
    listing: TransferListing
    search: TransferSearch

    async def find(self, org_id: UUID, text: str) -> Sequence[TransferListRow]:
        """Return the payments that the text identifies, the surest matches first."""
        found = [
            *await self._by_identifier(org_id, text),
            *await self._by_amount(org_id, text),
        ]
        return [each for each in found if each.kind in KINDS]

    async def _by_identifier(self, org_id: UUID, text: str) -> Sequence[TransferListRow]:
        """Find payments by id, transaction hash, deposit reference or reference of a bank."""
        if not _IDENTIFIER.fullmatch("".join(text.split())):
            return []
        spellings = {text, normalise_reference(text) or text}
        rows = await self.database.read_on_replica(
            lambda tx: tx.fetch(_FIND_BY_REFERENCES, org_id, sorted(spellings))
        )
        credited = await self.listing.by_ids(org_id, [row["transfer_id"] for row in rows])
        return [*await self.search.by_identifier(org_id, text), *credited]

    async def _by_amount(self, org_id: UUID, text: str) -> Sequence[TransferListRow]:
        match = _AMOUNT.fullmatch(text)
        if match is None:
            return []
        amounts = _units(Decimal(match["amount"]), (match["unit"] or "").lower())
        return await self.search.by_amount(org_id, amounts) if amounts else []


def _units(amount: Decimal, currency: str) -> Mapping[str, int]:
    """Return the amount in smallest units, by asset, for assets with enough decimals."""
    found: dict[str, int] = {}
    for code, asset in ALL_ASSETS.items():
        if currency in {"", asset.currency} and amount > 0:
            try:
                found[code] = Money.parse(amount, asset).units
            except AmountError:
                continue
    return found
