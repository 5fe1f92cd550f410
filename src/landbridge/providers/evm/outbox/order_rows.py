"""Rows of chain_orders: how an order is stored, and read again."""

from collections.abc import Sequence

from landbridge.platform.db.pool import Row
from landbridge.providers.chains.port import ChainAction
from landbridge.providers.evm.configuration import SponsorMethod
from landbridge.providers.evm.outbox.model import (
    OutboxOrder,
    OutboxState,
    PaymentLeg,
    SwapTerms,
)


def paid_legs(order: OutboxOrder) -> Sequence[PaymentLeg]:
    """Return what a transfer pays."""
    return () if has_recipient(order) else order.legs


def has_recipient(order: OutboxOrder) -> bool | None:
    """Return whether an order has a recipient instead of destinations; None if not."""
    return None if order.action is ChainAction.TRANSFER else True


def read_order(row: Row) -> OutboxOrder:
    """Return the order in a row."""
    method, amount, received = row["method"], row["amount"], row["received"]
    legs = tuple(
        PaymentLeg(destination, int(units))
        for destination, units in zip(row["destinations"], row["units"], strict=True)
    )
    return OutboxOrder(
        org_id=row["org_id"],
        key=row["key"],
        record_id=row["record_id"],
        chain=row["chain"],
        currency=row["currency"],
        source=row["source"],
        wallet_id=row["wallet_id"],
        legs=legs if amount is None else (PaymentLeg(row["recipient"], int(amount)),),
        method=None if method is None else SponsorMethod(method),
        step=row["step"],
        state=OutboxState(row["state"]),
        reason=row["reason"],
        transaction_hash=row["transaction_hash"],
        confirmed_at=row["confirmed_at"],
        created_at=row["created_at"],
        due_at=row["due_at"],
        is_refund=row["is_refund"],
        failed_at=row["failed_at"],
        action=ChainAction(row["action"]),
        into_chain=row["into_chain"],
        burn_key=row["burn_key"],
        message_nonce=row["message_nonce"],
        swap=_swap(row),
        received_units=None if received is None else int(received),
    )


def _swap(row: Row) -> SwapTerms | None:
    if row["bought"] is None:
        return None
    return SwapTerms(
        bought=row["bought"],
        least_units=int(row["least"]),
        fee_units=int(row["fee"]),
        fee_to=row["fee_to"],
    )
