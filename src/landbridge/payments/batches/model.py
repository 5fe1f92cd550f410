"""Batches: details of the record, and the accounts and amounts that it moves.

States and transitions are those of outgoing transfers (payments/engine/outgoing_transfers.py).
Source: contract, lifecycles 4; interface/crypto-transfer.
"""

from uuid import UUID

import msgspec

from landbridge.ledger.model import HouseRole, Transfer
from landbridge.payments.engine.outgoing_transfers import OutgoingTransfer, OutgoingTransferStatus
from landbridge.payments.limits.model import LimitUsage, PaymentDestination
from landbridge.platform.core.money import Asset, Money
from landbridge.providers.chains.port import OrderLeg
from landbridge.providers.chains.tokens import ASSETS

KIND = "WALLET.TRANSFER.BATCH"

# Recipients of a batch. Source: contract, lifecycles 1.7.
ITEMS_MAX = 50


class BatchPaymentItem(msgspec.Struct, frozen=True, kw_only=True):
    """Recipient of a batch; it may occur more than once. Units are in the record's asset."""

    # Ledger account of the recipient; None if the coins leave the platform.
    account_id: UUID | None
    # User of the recipient; None for an address that no user registered.
    user_id: UUID | None
    address: str
    units: int


class BatchDetails(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Details of a batch in its record."""

    source_wallet_id: UUID
    source_account_id: UUID
    source_address: str
    items: tuple[BatchPaymentItem, ...]
    # Contract address of the token, if the chains file overrides the published one.
    contract_address: str | None = None
    # The fields below are facts, which transitions add after the creation.
    transaction_hash: str | None = None
    user_op_hash: str | None = None
    failed_reason: str | None = None
    unknown_from: str | None = None


class BatchTransfer(msgspec.Struct, frozen=True, kw_only=True):
    """Batch, decoded once from its record for replies and postings."""

    record: Transfer
    details: BatchDetails
    status: OutgoingTransferStatus
    asset: Asset

    def amount(self, item: BatchPaymentItem) -> Money:
        """Return the amount of one recipient."""
        return Money(item.units, self.asset)


def as_batch(record: Transfer) -> BatchTransfer:
    """Decode a batch record."""
    return BatchTransfer(
        record=record,
        details=record.decode(BatchDetails),
        status=OutgoingTransferStatus(record.status),
        asset=ASSETS[record.source_asset],
    )


def as_outgoing_transfer(record: Transfer) -> OutgoingTransfer:
    """Return a batch as an outgoing transfer, with one part and one leg for each item."""
    batch = as_batch(record)
    details, items = batch.details, batch.details.items
    users = {each.user_id: None for each in items if each.user_id is not None}
    return OutgoingTransfer(
        record=record,
        chain=batch.asset.chain,
        wallet_id=details.source_wallet_id,
        address=details.source_address,
        account_id=details.source_account_id,
        parts=[(each.account_id or HouseRole.OUTSIDE, batch.amount(each)) for each in items],
        legs=tuple(OrderLeg(each.address, batch.amount(each)) for each in items),
        user_ids=(record.user_id, *users),
    )


def as_limit_usage(record: Transfer) -> LimitUsage:
    """Return the limit usage of a batch, committed from the start because its coins are held."""
    batch = as_batch(record)
    targets = tuple(
        PaymentDestination.at(
            each.address,
            batch.amount(each),
            record.user_id,
            each.user_id,
            account_id=each.account_id,
        )
        for each in batch.details.items
    )
    return LimitUsage.of(
        record,
        Money(record.source_units, batch.asset),
        corridor=batch.asset.chain,
        targets=targets,
        is_committed=True,
    )
