"""Wallet transfers: what a record has of its own, and what it does to money.

States and moves are those of every remittance (payments/remittances.py). Source: contract,
lifecycles 3; interface/crypto-transfer.
"""

from decimal import Decimal
from typing import Any
from uuid import UUID

import msgspec

from landbridge.chains.port import Leg
from landbridge.chains.tokens import ASSETS
from landbridge.core.money import Asset, Money
from landbridge.ledger.model import Role, Transfer
from landbridge.payments.fees import FeeType
from landbridge.payments.remittances import Remittance, Status

KIND = "WALLET.TRANSFER"


class FeeDetails(msgspec.Struct, frozen=True, kw_only=True):
    """The organisation's own fee: as it was told, and what it comes to in smallest units.

    `address` is where it goes on the chain: the organisation's own.
    """

    type: FeeType
    value: Decimal
    units: int
    address: str


class Details(msgspec.Struct, frozen=True, kw_only=True):
    """What is a transfer's own in its record."""

    source_wallet_id: UUID
    source_account_id: UUID
    source_address: str
    # None when the coins leave the platform.
    destination_account_id: UUID | None
    # None for an address that nobody registered.
    destination_user_id: UUID | None
    destination_address: str
    external_wallet_id: UUID | None
    fee: FeeDetails | None
    # Facts that changes add.
    transaction_hash: str | None = None
    user_op_hash: str | None = None
    failed_reason: str | None = None
    unknown_from: str | None = None


class WalletTransfer(msgspec.Struct, frozen=True, kw_only=True):
    """A record, decoded once: every reply and every posting reads these."""

    record: Transfer
    details: Details
    status: Status
    asset: Asset
    amount: Money  # what arrives
    fee: Money  # on top of it
    gross: Money  # what leaves the wallet


def as_transfer(record: Transfer) -> WalletTransfer:
    """Decode a record of this kind."""
    told: dict[str, Any] = {**record.details, **record.facts}
    details = msgspec.convert(told, Details, strict=False)
    asset = ASSETS[record.source_asset]
    return WalletTransfer(
        record=record,
        details=details,
        status=Status(record.status),
        asset=asset,
        amount=Money(record.destination_units, asset),
        fee=Money(details.fee.units if details.fee else 0, asset),
        gross=Money(record.source_units, asset),
    )


def as_remittance(record: Transfer) -> Remittance:
    """What a record of this kind does to money: the amount to the payee, the fee to the house."""
    transfer = as_transfer(record)
    details, fee = transfer.details, transfer.details.fee
    legs = [Leg(details.destination_address, transfer.amount)]
    if fee is not None:
        legs.append(Leg(fee.address, transfer.fee))
    return Remittance(
        record=record,
        chain=transfer.asset.chain,
        wallet_id=details.source_wallet_id,
        address=details.source_address,
        account_id=details.source_account_id,
        parts=(
            (details.destination_account_id or Role.OUTSIDE, transfer.amount),
            (Role.FEES, transfer.fee),
        ),
        legs=tuple(legs),
        user_ids=tuple(
            each for each in (record.user_id, details.destination_user_id) if each is not None
        ),
    )
