"""Rows of chain_orders: conversion of orders to columns and back."""

from collections.abc import Sequence

from landbridge.platform.db.pool import Row
from landbridge.platform.db.rows import read_row
from landbridge.providers.chains.port import ChainAction
from landbridge.providers.evm.outbox.model import (
    OutboxOrder,
    PaymentLeg,
    SwapTerms,
)


def paid_legs(order: OutboxOrder) -> Sequence[PaymentLeg]:
    """Return the legs that are stored as destinations: those of a transfer."""
    return () if has_recipient(order) else order.legs


def has_recipient(order: OutboxOrder) -> bool | None:
    """Return True if an order stores a recipient instead of destinations, otherwise None."""
    return None if order.action is ChainAction.TRANSFER else True


def read_order(row: Row) -> OutboxOrder:
    """Convert a row to an order."""
    amount, received = row["amount"], row["received"]
    legs = tuple(
        PaymentLeg(destination, int(units))
        for destination, units in zip(row["destinations"], row["units"], strict=True)
    )
    return read_row(
        row,
        OutboxOrder,
        legs=legs if amount is None else (PaymentLeg(row["recipient"], int(amount)),),
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
