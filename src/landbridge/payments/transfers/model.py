"""Wallet transfers: details of the record, and the accounts and amounts that it moves.

States and transitions are those of outgoing transfers (payments/engine/outgoing_transfers.py).
Source: contract, lifecycles 3; interface/crypto-transfer.
"""

from decimal import Decimal
from uuid import UUID

import msgspec

from landbridge.ledger.model import HouseRole, Transfer
from landbridge.payments.engine.fees import FeeType
from landbridge.payments.engine.outgoing_transfers import OutgoingTransfer, OutgoingTransferStatus
from landbridge.payments.limits.model import LimitUsage, PaymentDestination
from landbridge.platform.core.money import Asset, Money
from landbridge.providers.chains.port import OrderLeg
from landbridge.providers.chains.tokens import ASSETS

KIND = "WALLET.TRANSFER"


class FeeDetails(msgspec.Struct, frozen=True, kw_only=True):
    """Fee of the organisation, as requested and in smallest units.

    `address` is the organisation's own address, which receives the fee on the chain.
    """

    type: FeeType
    value: Decimal
    units: int
    address: str


class TransferDetails(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Details of a wallet transfer in its record."""

    source_wallet_id: UUID
    source_account_id: UUID
    source_address: str
    # Ledger account of the recipient; None if the coins leave the platform.
    destination_account_id: UUID | None
    # User of the recipient; None for an address that no user registered.
    destination_user_id: UUID | None
    destination_address: str
    external_wallet_id: UUID | None
    fee: FeeDetails | None
    # Contract address of the token, if the chains file overrides the published one.
    contract_address: str | None = None
    # The fields below are facts, which transitions add after the creation.
    transaction_hash: str | None = None
    user_op_hash: str | None = None
    failed_reason: str | None = None
    unknown_from: str | None = None


class WalletTransfer(msgspec.Struct, frozen=True, kw_only=True):
    """Wallet transfer, decoded once from its record for replies and postings."""

    record: Transfer
    details: TransferDetails
    status: OutgoingTransferStatus
    asset: Asset
    amount: Money  # arrives
    fee: Money  # on top of `amount`
    gross: Money  # leaves the wallet


def as_transfer(record: Transfer) -> WalletTransfer:
    """Decode a wallet transfer record."""
    details = record.decode(TransferDetails)
    asset = ASSETS[record.source_asset]
    return WalletTransfer(
        record=record,
        details=details,
        status=OutgoingTransferStatus(record.status),
        asset=asset,
        amount=Money(record.destination_units, asset),
        fee=Money(details.fee.units if details.fee else 0, asset),
        gross=Money(record.source_units, asset),
    )


def as_outgoing_transfer(record: Transfer) -> OutgoingTransfer:
    """Return it as an outgoing transfer: the amount to the recipient, the fee to us."""
    transfer = as_transfer(record)
    details, fee = transfer.details, transfer.details.fee
    legs = [OrderLeg(details.destination_address, transfer.amount)]
    if fee is not None:
        legs.append(OrderLeg(fee.address, transfer.fee))
    return OutgoingTransfer(
        record=record,
        chain=transfer.asset.chain,
        wallet_id=details.source_wallet_id,
        address=details.source_address,
        account_id=details.source_account_id,
        parts=(
            (details.destination_account_id or HouseRole.OUTSIDE, transfer.amount),
            (HouseRole.FEES, transfer.fee),
        ),
        legs=tuple(legs),
        user_ids=tuple(
            each for each in (record.user_id, details.destination_user_id) if each is not None
        ),
    )


def as_limit_usage(record: Transfer) -> LimitUsage:
    """Return the limit usage of a transfer, committed from the start: its coins are held."""
    transfer = as_transfer(record)
    details = transfer.details
    target = PaymentDestination.at(
        details.destination_address,
        transfer.amount,
        record.user_id,
        details.destination_user_id,
        account_id=details.destination_account_id,
    )
    return LimitUsage.of(
        record,
        transfer.gross,
        corridor=transfer.asset.chain,
        targets=(target,),
        is_committed=True,
    )
