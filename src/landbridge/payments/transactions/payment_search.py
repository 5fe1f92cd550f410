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
from landbridge.payments.transactions import search_store as store
from landbridge.payments.transactions.model import ALL_ASSETS, KINDS
from landbridge.platform.core.ids import SHORT_ID_LENGTH
from landbridge.platform.core.money import AmountError, Money
from landbridge.platform.db.pool import Database

# Hashes of EVM chains in hexadecimal, of Solana in base58.
_HASH: Final = re.compile(r"0x[0-9a-fA-F]{64}|[1-9A-HJ-NP-Za-km-z]{80,90}")
_SHORT_ID: Final = re.compile(rf"[0-9a-f]{{{SHORT_ID_LENGTH}}}", re.IGNORECASE)
# References of banks: trace numbers, IMAD and OMAD, UETR, ids of statements.
_REFERENCE: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z/:._-]{4,63}")
# An amount as the API spells it, with its currency if it has one.
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
            *await self._by_hash(org_id, text),
            *await self._by_short_id(org_id, text),
            *await self._by_reference(org_id, text),
            *await self._by_amount(org_id, text),
        ]
        return [each for each in found if each.kind in KINDS]

    async def _by_hash(self, org_id: UUID, text: str) -> Sequence[TransferListRow]:
        if not _HASH.fullmatch(text):
            return []
        return await self.search.by_hash(org_id, text.lower() if text.startswith("0x") else text)

    async def _by_short_id(self, org_id: UUID, text: str) -> Sequence[TransferListRow]:
        if not _SHORT_ID.fullmatch(text):
            return []
        return await self.search.by_short_id(org_id, text.lower())

    async def _by_reference(self, org_id: UUID, text: str) -> Sequence[TransferListRow]:
        """Find the payment of a deposit reference, or of a reference that a bank gave."""
        spellings = {text, normalise_reference(text) or text}
        if not _REFERENCE.fullmatch("".join(text.split())):
            return []
        ids = await self.database.read_on_replica(
            lambda tx: store.find_by_references(tx, org_id, sorted(spellings))
        )
        credited = await self.listing.by_ids(org_id, ids)
        return [*credited, *await self.search.by_tracking(org_id, text)]

    async def _by_amount(self, org_id: UUID, text: str) -> Sequence[TransferListRow]:
        match = _AMOUNT.fullmatch(text)
        if match is None:
            return []
        amounts = _units(Decimal(match["amount"]), (match["unit"] or "").lower())
        return await self.search.by_amount(org_id, amounts) if amounts else []


def _units(amount: Decimal, currency: str) -> Mapping[str, int]:
    """Return the units of the amount by asset, of those with enough decimals for it."""
    found: dict[str, int] = {}
    for code, asset in ALL_ASSETS.items():
        if currency in {"", asset.currency} and amount > 0:
            try:
                found[code] = Money.parse(amount, asset).units
            except AmountError:
                continue
    return found
