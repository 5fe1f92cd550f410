"""The port to whatever carries coins over a chain.

An order has a key of ours. Sent twice, it is carried once; asked for, it is answered as it stands.
An adapter that can't tell raises `Unclear`, and the caller asks about the key again: no answer is
not a no.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol
from uuid import UUID

from landbridge.core.money import Money


class Action(StrEnum):
    """What is done on the chain."""

    TRANSFER = "transfer"
    APPROVE = "approve"  # lets the bridge take the coins
    BURN = "burn"  # the first leg of a bridge
    MINT = "mint"  # the second leg


class SentState(StrEnum):
    """Where an order stands."""

    PENDING = "pending"  # on its way; waits for confirmations
    CONFIRMED = "confirmed"  # final
    FAILED = "failed"  # final: nothing of it happened


@dataclass(frozen=True, slots=True)
class Leg:
    """Coins for one address."""

    address: str
    money: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One transaction on one chain: all legs happen, or none.

    `record_id` is what it is of: one record may have several orders. `chain` is the chain's name;
    it may be one on which nobody has a wallet (bridges). `source` is the address that pays;
    `wallet_id` whose it is, None for the organisation's own. The legs of a burn are where its coins
    are to be minted, on the chain `into`; a mint says in `after` which burn it is for.
    """

    org_id: UUID
    key: UUID
    record_id: UUID
    action: Action
    chain: str
    source: str
    wallet_id: UUID | None
    legs: tuple[Leg, ...]
    at: datetime
    into: str | None = None
    after: UUID | None = None
    # Whether the coins go back to whoever they came from.
    is_refund: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """What the chain says of an order.

    `expected_at` is when asking again is worth while (organisation time), None once final.
    `reason` is a sentence without personal data, of the adapter's own words: it is kept in clear,
    logged, and shown as `failedReason`. What the chain itself wrote may name people and accounts:
    an adapter maps it, and passes none of it on. The same goes for the text of a `Rejected`.
    """

    state: SentState
    transaction_hash: str | None
    user_op_hash: str | None
    expected_at: datetime | None
    reason: str | None = None


class Chains(Protocol):
    """Carries coins; never called inside a database transaction."""

    @property
    def remembers(self) -> timedelta | None:
        """How long an order is carried out once per key; None is for ever.

        An order that was never confirmed is not given again after that: a person finds out.
        """
        ...

    async def send(self, order: Order) -> Sent:
        """Carry an order out, once per (organisation, key); answers how it stands.

        Raises `Rejected` (for good, nothing happened), `Unavailable` (not done, may be asked
        again) and `Unclear` (ask about the key).
        """
        ...

    async def look(self, org_id: UUID, key: UUID, at: datetime) -> Sent | None:
        """How an order stands at `at`; None if it never arrived.

        Raises `Unavailable`.
        """
        ...
