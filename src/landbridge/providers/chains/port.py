"""Port to the systems that move stablecoins on a chain.

Each order carries our idempotency key. An order that is sent twice is carried out once, and a query
by key returns its current status. An adapter that does not know the result raises `Unclear`, and
the caller queries the key again: a missing answer is never a failure.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol
from uuid import UUID

from landbridge.platform.core.errors import Unavailable
from landbridge.platform.core.money import Asset, Money


class ChainAction(StrEnum):
    """Action performed on the chain."""

    TRANSFER = "transfer"
    APPROVE = "approve"  # allows the bridge to take the coins
    BURN = "burn"  # first leg of a bridge
    MINT = "mint"  # second leg of a bridge
    SWAP = "swap"  # sells coins on a market of the chain


class ChainOrderState(StrEnum):
    """Status of a chain order."""

    PENDING = "pending"  # submitted; waits for confirmations
    CONFIRMED = "confirmed"  # final: the order is carried out
    FAILED = "failed"  # final: no part of it happened


@dataclass(frozen=True, slots=True)
class OrderLeg:
    """Amount for one address."""

    address: str
    money: Money


@dataclass(frozen=True, slots=True)
class MarketTerms:
    """Terms of a swap on a market: it gives at least `least`, or nothing happens.

    `fee` is the part of the order's coins that goes to the organisation's own address instead of
    being sold.
    """

    least: Money
    fee: OrderLeg | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainOrder:
    """One transaction on one chain: either all legs happen, or none.

    `record_id` is the record that the order belongs to; one record may have several orders. `chain`
    is the chain's name; an order of a bridge may be on a chain without user wallets. `source` is
    the paying address; `wallet_id` is its wallet, None for the organisation's own address. The legs
    of a burn are the recipients of the mint on the chain `into`; a mint names its burn in `after`.
    The leg of a swap has the recipient of the coins bought, and the coins that are taken.
    """

    org_id: UUID
    key: UUID
    record_id: UUID
    action: ChainAction
    chain: str
    source: str
    wallet_id: UUID | None
    legs: tuple[OrderLeg, ...]
    at: datetime
    into: str | None = None
    after: UUID | None = None
    # True if the coins are returned to their sender.
    is_refund: bool = False
    # True if people have chosen another destination than the sender for a refund.
    is_redirected: bool = False
    market: MarketTerms | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainOrderStatus:
    """Status of an order as the chain reports it.

    `expected_at` is the earliest useful time of the next query (organisation time), None once
    final. `received_units` are the units that a swap received, once it is confirmed. `reason` is a
    sentence of the adapter without personal data: it is stored in clear, logged, and shown as
    `failedReason`. Texts of the chain may name people and accounts: an adapter never forwards them,
    and uses its own sentences. The same holds for the text of a `Rejected`.
    """

    state: ChainOrderState
    transaction_hash: str | None
    user_op_hash: str | None
    expected_at: datetime | None
    reason: str | None = None
    received_units: int | None = None


class OrderHalted(Unavailable):
    """The order was not sent, because payments of its asset are halted; send it at `retry_at`."""

    def __init__(self, retry_at: datetime) -> None:
        self.retry_at = retry_at
        super().__init__("payments of this asset are halted by reconciliation")


class Chains(Protocol):
    """Moves coins; never called inside a database transaction."""

    @property
    def key_lifetime(self) -> timedelta | None:
        """Return how long a key is idempotent; None means for ever.

        After that an unconfirmed order is not sent again: an operator has to find out its result.
        """
        ...

    def carries(self, chain: str, action: ChainAction) -> bool:
        """Return whether orders of this kind can be carried out on a chain."""
        ...

    def find_bridge_refusal(self, source: Asset, destination: Asset) -> str | None:
        """Return why coins of one chain can't be bridged to another, in a sentence for customers.

        None if they can.
        """
        ...

    def refunds_burns(self, chain: str) -> bool:
        """Return whether coins that were burned on a chain can be minted back there."""
        ...

    def holds_coins(self, chain: str) -> bool:
        """Return whether wallets on a chain hold real coins, which can only be moved by orders."""
        ...

    async def send(self, order: ChainOrder) -> ChainOrderStatus:
        """Submit an order, once per (organisation, key), and return its status.

        Raises `Rejected` (final, nothing happened), `Unavailable` (not done, may be retried) and
        `Unclear` (query the key). `OrderHalted` is an `Unavailable` that says when to retry.
        """
        ...

    async def find_status(self, org_id: UUID, key: UUID, at: datetime) -> ChainOrderStatus | None:
        """Return the status of an order at `at`; None if the order never arrived.

        Raises `Unavailable`.
        """
        ...
