"""Bridges: states, details, routes, and why a bridge can't be accepted.

Source: contract, lifecycles 5; interface/cross-chain-bridge. `PENDING_APPROVAL` and `REJECTED` are
of the reporting lists (lifecycles 2); `EXPIRED` is ours.
"""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

import msgspec

from landbridge.chains.tokens import ASSETS, Chain, Network
from landbridge.core.errors import Refused
from landbridge.core.money import Asset, Money
from landbridge.core.states import Moves
from landbridge.ledger.model import Role, Transfer
from landbridge.payments.ends import token_asset
from landbridge.payments.errors import QuoteNotFound
from landbridge.payments.waits import Party, Wait, Waits
from landbridge.quotes.errors import QuoteInvalid, RouteInvalid

KIND = "WALLET.BRIDGE"

# Source: contract, lifecycles 1.4.
QUOTE_LIFETIME = timedelta(minutes=10)

# Source: contract, lifecycles 5 (body).
SOURCES = frozenset({Chain.POLYGON, Chain.ETHEREUM, Chain.SOLANA})
CURRENCIES = frozenset({"usdc", "usdt"})


class Status(StrEnum):
    """Where a bridge stands. What it takes is held from the accept on, or while it is approved."""

    PENDING_APPROVAL = "PENDING_APPROVAL"  # waits a week for an admin; the worker ends it then
    OPEN_QUOTE = "OPEN_QUOTE"  # waits for its owner to accept; the worker ends it when it is due
    CREATED = "CREATED"  # accepted; the worker sends the first leg
    SOURCE_INITIATED = "SOURCE_INITIATED"  # the chain may have the approve; the worker asks
    SOURCE_PENDING = "SOURCE_PENDING"  # approved; the chain may have the burn; the worker asks
    SOURCE_PROCESSED = "SOURCE_PROCESSED"  # burned; the worker sends the second leg
    DESTINATION_INITIATED = "DESTINATION_INITIATED"  # the other chain may have it, likewise
    DESTINATION_PENDING = "DESTINATION_PENDING"  # waits for confirmations there; the worker asks
    COMPLETED = "COMPLETED"  # minted where it was wanted
    UNKNOWN = "UNKNOWN"  # no answer for a day; the worker asks every hour, the money stays put
    NOT_INITIATED = "NOT_INITIATED"  # not sent: who pays or receives was frozen meanwhile
    SOURCE_FAILED = "SOURCE_FAILED"  # the source chain refused; the wallet has its coins
    DESTINATION_FAILED = "DESTINATION_FAILED"  # not minted; the coins are back in the wallet
    QUOTE_FAILED = "QUOTE_FAILED"  # the quote expired before it was accepted
    REJECTED = "REJECTED"  # an admin refused it
    EXPIRED = "EXPIRED"  # nobody decided on it in time


MOVES: Moves[Status] = Moves(
    start=frozenset({Status.OPEN_QUOTE, Status.PENDING_APPROVAL}),
    table={
        Status.PENDING_APPROVAL: frozenset({Status.OPEN_QUOTE, Status.REJECTED, Status.EXPIRED}),
        Status.OPEN_QUOTE: frozenset({Status.CREATED, Status.QUOTE_FAILED}),
        Status.CREATED: frozenset({Status.SOURCE_INITIATED, Status.NOT_INITIATED}),
        Status.SOURCE_INITIATED: frozenset(
            {Status.SOURCE_PENDING, Status.SOURCE_FAILED, Status.UNKNOWN}
        ),
        Status.SOURCE_PENDING: frozenset(
            {Status.SOURCE_PROCESSED, Status.SOURCE_FAILED, Status.UNKNOWN}
        ),
        Status.SOURCE_PROCESSED: frozenset({Status.DESTINATION_INITIATED}),
        # To themselves: a person halted the mint, or redirected the coins that go back.
        Status.DESTINATION_INITIATED: frozenset(
            {
                Status.DESTINATION_INITIATED,
                Status.DESTINATION_PENDING,
                Status.DESTINATION_FAILED,
                Status.UNKNOWN,
            }
        ),
        Status.DESTINATION_PENDING: frozenset(
            {
                Status.DESTINATION_PENDING,
                Status.COMPLETED,
                Status.DESTINATION_FAILED,
                Status.UNKNOWN,
            }
        ),
        Status.UNKNOWN: frozenset(
            {
                Status.UNKNOWN,
                Status.SOURCE_PENDING,
                Status.SOURCE_PROCESSED,
                Status.SOURCE_FAILED,
                Status.COMPLETED,
                Status.DESTINATION_FAILED,
            }
        ),
        Status.COMPLETED: frozenset(),
        Status.NOT_INITIATED: frozenset(),
        Status.SOURCE_FAILED: frozenset(),
        Status.DESTINATION_FAILED: frozenset(),
        Status.QUOTE_FAILED: frozenset(),
        Status.REJECTED: frozenset(),
        Status.EXPIRED: frozenset(),
    },
)

# Each leg takes an hour at most, even on a busy chain.
WAITS = Waits(
    MOVES,
    {
        Status.PENDING_APPROVAL: Wait(Party.ADMIN),
        Status.OPEN_QUOTE: Wait(Party.CLIENT),
        Status.CREATED: Wait(Party.WORKER),
        Status.SOURCE_INITIATED: Wait(Party.CHAIN, timedelta(hours=1)),
        Status.SOURCE_PENDING: Wait(Party.CHAIN, timedelta(hours=1)),
        Status.SOURCE_PROCESSED: Wait(Party.WORKER),
        Status.DESTINATION_INITIATED: Wait(Party.CHAIN, timedelta(hours=1)),
        Status.DESTINATION_PENDING: Wait(Party.CHAIN, timedelta(hours=1)),
        Status.UNKNOWN: Wait(Party.CHAIN, timedelta()),
    },
)


class Details(msgspec.Struct, frozen=True, kw_only=True):
    """What is a bridge's own in its record; units are of the source's asset."""

    source_account_id: UUID
    source_wallet_id: UUID
    source_address: str
    # Both None when the coins leave the platform for an address that nobody registered.
    destination_account_id: UUID | None
    destination_user_id: UUID | None
    destination_address: str
    # Facts that changes add.
    held_units: int = 0
    quote_expires_at: datetime | None = None
    failed_reason: str | None = None
    # Why the second leg is not sent: the coins go back instead.
    halted_reason: str | None = None
    unknown_from: Status | None = None
    approve_transaction_hash: str | None = None
    approve_user_op_hash: str | None = None
    # Of the burn: the transaction that the record is known by.
    transaction_hash: str | None = None
    user_op_hash: str | None = None
    mint_transaction_hash: str | None = None
    mint_user_op_hash: str | None = None
    return_transaction_hash: str | None = None
    return_user_op_hash: str | None = None
    # Where a reviewer sent the coins that go back; without an address to the wallet that paid.
    return_address: str | None = None
    return_account_id: UUID | None = None
    # Whether they reached their owner by other means.
    is_settled_outside: bool = False


class Bridge(msgspec.Struct, frozen=True, kw_only=True):
    """A record, decoded once: every reply and every posting reads these."""

    record: Transfer
    details: Details
    status: Status
    source: Money  # what leaves the wallet
    destination: Money  # what arrives; the same amount on another chain

    @property
    def held(self) -> Money:
        """What of the wallet's coins waits for this bridge."""
        return Money(self.details.held_units, self.source.asset)

    @property
    def returns_to(self) -> UUID | Role:
        """The account that gets coins which could not be minted."""
        if self.details.return_address is None:
            return self.details.source_account_id
        return self.details.return_account_id or Role.OUTSIDE


def as_bridge(record: Transfer) -> Bridge:
    """Decode a record of this kind."""
    told: dict[str, Any] = {**record.details, **record.facts}
    return Bridge(
        record=record,
        details=msgspec.convert(told, Details, strict=False),
        status=Status(record.status),
        source=Money(record.source_units, ASSETS[record.source_asset]),
        destination=Money(record.destination_units, ASSETS[record.destination_asset]),
    )


def check_route(
    *, source_chain: Chain, source_currency: str, destination_chain: Network, currency: str
) -> tuple[Asset, Asset]:
    """The two assets of a served pair; raises `RouteInvalid` for any other."""
    if destination_chain.chain is source_chain:
        raise RouteInvalid(
            "destination.chain equals source.chain: a bridge changes chains; to send on one chain "
            "use a transfer, to change coins a swap",
            field="destination.chain",
        )
    if source_currency != currency:
        raise RouteInvalid(
            "destination.currency must equal source.currency: a bridge does not change coins",
            field="destination.currency",
        )
    if source_currency not in CURRENCIES:
        raise RouteInvalid(
            f"source.currency: {source_currency[:50]} can't be bridged", field="source.currency"
        )
    if source_chain not in SOURCES:
        raise RouteInvalid(
            f"source.chain: {source_chain} can't be bridged from", field="source.chain"
        )
    return (
        token_asset(source_chain, source_currency, field="source.currency"),
        token_asset(destination_chain, currency, field="destination.currency"),
    )


def why_not_accept(status: Status) -> Refused | None:
    """The refusal of an accept at this status; None if it may, or has, gone through."""
    match status:
        case Status.OPEN_QUOTE:
            return None
        case Status.PENDING_APPROVAL:
            return QuoteNotFound("this bridge waits for an approval; it is quoted after that")
        case (
            Status.CREATED
            | Status.SOURCE_INITIATED
            | Status.SOURCE_PENDING
            | Status.SOURCE_PROCESSED
            | Status.DESTINATION_INITIATED
            | Status.DESTINATION_PENDING
            | Status.COMPLETED
            | Status.UNKNOWN
        ):
            return None  # accepted before: answered as the first time
        case Status.NOT_INITIATED | Status.SOURCE_FAILED | Status.DESTINATION_FAILED:
            return QuoteInvalid("this bridge was accepted and has failed; create a new one")
        case Status.QUOTE_FAILED:
            return QuoteInvalid("the quote of this bridge has expired; create a new one")
        case Status.REJECTED | Status.EXPIRED:
            return QuoteInvalid("this bridge was not approved; create a new one")
