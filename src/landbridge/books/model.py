"""The kinds of payments, where each has its own route, and what may be asked of all of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from landbridge.chains.tokens import ASSETS
from landbridge.core.money import Asset
from landbridge.core.states import Moves
from landbridge.flows.batches import model as batches
from landbridge.flows.bridges import model as bridges
from landbridge.flows.disbursements import model as disbursements
from landbridge.flows.offramps import model as offramps
from landbridge.flows.onramps import model as onramps
from landbridge.flows.swaps import model as swaps
from landbridge.flows.wallet_transfers import model as wallet_transfers
from landbridge.payments import remittances
from landbridge.rails.currencies import FIAT_ASSETS


@dataclass(frozen=True, slots=True)
class PaymentKind:
    """A kind of payment: the states it knows, and the path of its own routes."""

    moves: Moves[Any]
    path: str


KINDS: Mapping[str, PaymentKind] = {
    swaps.KIND: PaymentKind(swaps.MOVES, "/v2/wallets/swaps"),
    wallet_transfers.KIND: PaymentKind(remittances.MOVES, "/v2/wallets/transfers"),
    batches.KIND: PaymentKind(remittances.MOVES, "/v2/wallets/transfers/batches"),
    bridges.KIND: PaymentKind(bridges.MOVES, "/v2/wallets/bridges"),
    onramps.KIND: PaymentKind(onramps.MOVES, "/v2/onramps"),
    offramps.KIND: PaymentKind(offramps.MOVES, "/v2/offramps"),
    disbursements.KIND: PaymentKind(disbursements.MOVES, "/v2/disbursements"),
}
STATUSES = tuple(sorted({str(status) for kind in KINDS.values() for status in kind.moves.table}))
ALL_ASSETS: Mapping[str, Asset] = {**ASSETS, **FIAT_ASSETS}
CURRENCIES = tuple(sorted({each.currency for each in ALL_ASSETS.values()}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which payments are wanted; None: any."""

    kinds: frozenset[str] | None = None
    statuses: frozenset[str] | None = None
    user_id: UUID | None = None
    # Of the source or of the destination.
    currency: str | None = None
    # Of what is sent, in coins.
    least: Decimal | None = None
    most: Decimal | None = None
