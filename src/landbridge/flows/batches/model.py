"""Batches: what a record has of its own, and what it does to money.

States and moves are those of every remittance (payments/remittances.py). Source: contract,
lifecycles 4; interface/crypto-transfer.
"""

from typing import Any
from uuid import UUID

import msgspec

from landbridge.chains.port import Leg
from landbridge.chains.tokens import ASSETS
from landbridge.core.money import Asset, Money
from landbridge.ledger.model import Role, Transfer
from landbridge.payments.remittances import Remittance, Status

KIND = "WALLET.TRANSFER.BATCH"

# Source: contract, lifecycles 1.7.
ITEMS_MAX = 50


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One payee of a batch; the same may be there twice. Units are in the record's asset."""

    # None when the coins leave the platform.
    account_id: UUID | None
    # None for an address that nobody registered.
    user_id: UUID | None
    address: str
    units: int


class Details(msgspec.Struct, frozen=True, kw_only=True):
    """What is a batch's own in its record."""

    source_wallet_id: UUID
    source_account_id: UUID
    source_address: str
    items: tuple[Item, ...]
    # Facts that changes add.
    transaction_hash: str | None = None
    user_op_hash: str | None = None
    failed_reason: str | None = None
    unknown_from: str | None = None


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """A record, decoded once: every reply and every posting reads these."""

    record: Transfer
    details: Details
    status: Status
    asset: Asset

    def amount(self, item: Item) -> Money:
        """What arrives at one payee."""
        return Money(item.units, self.asset)


def as_batch(record: Transfer) -> Batch:
    """Decode a record of this kind."""
    told: dict[str, Any] = {**record.details, **record.facts}
    return Batch(
        record=record,
        details=msgspec.convert(told, Details, strict=False),
        status=Status(record.status),
        asset=ASSETS[record.source_asset],
    )


def as_remittance(record: Transfer) -> Remittance:
    """What a record of this kind does to money: one part, and one leg, for each item."""
    batch = as_batch(record)
    details, items = batch.details, batch.details.items
    users = {each.user_id: None for each in items if each.user_id is not None}
    return Remittance(
        record=record,
        chain=batch.asset.chain,
        wallet_id=details.source_wallet_id,
        address=details.source_address,
        account_id=details.source_account_id,
        parts=[(each.account_id or Role.OUTSIDE, batch.amount(each)) for each in items],
        legs=tuple(Leg(each.address, batch.amount(each)) for each in items),
        user_ids=(record.user_id, *users),
    )
