"""Kinds of transfers with their routes, and the filters common to all."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any
from uuid import UUID

from landbridge.payments.batches import model as batches
from landbridge.payments.bridges import model as bridges
from landbridge.payments.disbursements import model as disbursements
from landbridge.payments.engine import outgoing_transfers
from landbridge.payments.offramps import model as offramps
from landbridge.payments.onramps import model as onramps
from landbridge.payments.swaps import model as swaps
from landbridge.payments.transfers import model as wallet_transfers
from landbridge.platform.core.money import Asset
from landbridge.platform.core.transitions import Transitions
from landbridge.providers.chains.tokens import ASSETS, NATIVE_ASSETS
from landbridge.providers.rails.currencies import FIAT_ASSETS


@dataclass(frozen=True, slots=True)
class PaymentKind:
    """A kind of transfer: its statuses, and the path of its own routes."""

    transitions: Transitions[Any]
    path: str


KINDS: Mapping[str, PaymentKind] = {
    swaps.KIND: PaymentKind(swaps.TRANSITIONS, "/v2/wallets/swaps"),
    wallet_transfers.KIND: PaymentKind(outgoing_transfers.TRANSITIONS, "/v2/wallets/transfers"),
    batches.KIND: PaymentKind(outgoing_transfers.TRANSITIONS, "/v2/wallets/transfers/batches"),
    bridges.KIND: PaymentKind(bridges.TRANSITIONS, "/v2/wallets/bridges"),
    onramps.KIND: PaymentKind(onramps.TRANSITIONS, "/v2/onramps"),
    offramps.KIND: PaymentKind(offramps.TRANSITIONS, "/v2/offramps"),
    disbursements.KIND: PaymentKind(disbursements.TRANSITIONS, "/v2/disbursements"),
}
STATUSES = tuple(
    sorted({str(status) for kind in KINDS.values() for status in kind.transitions.table})
)
# Statuses that are not terminal in any kind of transfer.
UNFINISHED_STATUSES = frozenset(STATUSES) - {
    str(status)
    for kind in KINDS.values()
    for status in kind.transitions.table
    if kind.transitions.is_terminal(status)
}
# Transfers under way that a page or a summary reads at most.
UNFINISHED_MAX = 2_000
ALL_ASSETS: Mapping[str, Asset] = {**ASSETS, **FIAT_ASSETS}
CURRENCIES = tuple(sorted({each.currency for each in ALL_ASSETS.values()}))
# All assets of the ledger, including the native coins in which gas is paid. No payment has those.
LEDGER_ASSETS: Mapping[str, Asset] = {
    **ALL_ASSETS,
    **{each.code: each for each in NATIVE_ASSETS.values()},
}


# Transfers that one request can name.
IDS_MAX = 100


class TransactionSort(StrEnum):
    """Order of the list: by creation, or by the value of the source; a hyphen means descending."""

    NEWEST = "-createdAt"
    OLDEST = "createdAt"
    LARGEST = "-amountUsd"
    SMALLEST = "amountUsd"


@dataclass(frozen=True, slots=True, kw_only=True)
class TransactionFilters:
    """Filters of the list; None includes all."""

    # At most `IDS_MAX` ids, with which the list is a single page.
    ids: frozenset[UUID] | None = None
    kinds: frozenset[str] | None = None
    statuses: frozenset[str] | None = None
    user_id: UUID | None = None
    # Currency of the source or of the destination.
    currency: str | None = None
    # Bounds of the source's amount, in whole coins with decimals.
    minimum: Decimal | None = None
    maximum: Decimal | None = None
    metadata: Mapping[str, str] | None = None
