"""Bridges: states, details, routes, and refusals of an accept.

Source: contract, lifecycles 5; interface/cross-chain-bridge. `PENDING_APPROVAL` and `REJECTED` come
from the reporting lists (lifecycles 2); `EXPIRED` is ours.
"""

from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

import msgspec

from landbridge.ledger.model import HouseRole, Transfer
from landbridge.payments.engine.errors import QuoteNotFound
from landbridge.payments.engine.parties import token_asset
from landbridge.payments.engine.wait_states import WaitParty, WaitState, WaitStates
from landbridge.payments.limits.model import LimitUsage, PaymentDestination
from landbridge.payments.quotes.errors import QuoteInvalid, RouteInvalid
from landbridge.platform.core.choices import case_hint
from landbridge.platform.core.errors import Refused
from landbridge.platform.core.money import Asset, Money
from landbridge.platform.core.transitions import Transitions
from landbridge.providers.chains.tokens import ASSETS, Chain, Network

KIND = "WALLET.BRIDGE"

# Source: contract, lifecycles 1.4.
QUOTE_LIFETIME = timedelta(minutes=10)

# Chains from which coins are bridged. Source: contract, lifecycles 5 (body).
SOURCES = frozenset({Chain.POLYGON, Chain.ETHEREUM, Chain.SOLANA})
CURRENCIES = frozenset({"usdc", "usdt"})


class BridgeStatus(StrEnum):
    """Status of a bridge. Its coins are held from the accept on, or for its approval."""

    PENDING_APPROVAL = "PENDING_APPROVAL"  # waits a week for an admin; then the worker expires it
    OPEN_QUOTE = "OPEN_QUOTE"  # waits for its owner to accept; the worker expires it
    CREATED = "CREATED"  # accepted; the worker sends the first leg
    SOURCE_INITIATED = "SOURCE_INITIATED"  # the chain may have the approve; the worker polls
    SOURCE_PENDING = "SOURCE_PENDING"  # approved; the chain may have the burn; the worker polls
    SOURCE_PROCESSED = "SOURCE_PROCESSED"  # burned; the worker sends the second leg
    DESTINATION_INITIATED = (
        "DESTINATION_INITIATED"  # the other chain may have the mint; the worker polls
    )
    DESTINATION_PENDING = (
        "DESTINATION_PENDING"  # waits for confirmations of the mint; the worker polls
    )
    COMPLETED = "COMPLETED"  # minted at the destination
    UNKNOWN = "UNKNOWN"  # no answer for a day; the worker polls hourly, no money moves
    NOT_INITIATED = "NOT_INITIATED"  # not sent: the payer or the recipient was frozen
    SOURCE_FAILED = "SOURCE_FAILED"  # the source chain refused; the coins are released
    DESTINATION_FAILED = "DESTINATION_FAILED"  # not minted; the coins were returned to the wallet
    QUOTE_FAILED = "QUOTE_FAILED"  # the quote expired before it was accepted
    REJECTED = "REJECTED"  # an admin refused it
    EXPIRED = "EXPIRED"  # not decided in time


TRANSITIONS: Transitions[BridgeStatus] = Transitions(
    start=frozenset({BridgeStatus.OPEN_QUOTE, BridgeStatus.PENDING_APPROVAL}),
    table={
        BridgeStatus.PENDING_APPROVAL: frozenset(
            {BridgeStatus.OPEN_QUOTE, BridgeStatus.REJECTED, BridgeStatus.EXPIRED}
        ),
        BridgeStatus.OPEN_QUOTE: frozenset({BridgeStatus.CREATED, BridgeStatus.QUOTE_FAILED}),
        BridgeStatus.CREATED: frozenset(
            {BridgeStatus.SOURCE_INITIATED, BridgeStatus.NOT_INITIATED}
        ),
        BridgeStatus.SOURCE_INITIATED: frozenset(
            {BridgeStatus.SOURCE_PENDING, BridgeStatus.SOURCE_FAILED, BridgeStatus.UNKNOWN}
        ),
        BridgeStatus.SOURCE_PENDING: frozenset(
            {BridgeStatus.SOURCE_PROCESSED, BridgeStatus.SOURCE_FAILED, BridgeStatus.UNKNOWN}
        ),
        BridgeStatus.SOURCE_PROCESSED: frozenset({BridgeStatus.DESTINATION_INITIATED}),
        # The transitions to themselves record that a person halted the mint, or redirected the
        # returned coins.
        BridgeStatus.DESTINATION_INITIATED: frozenset(
            {
                BridgeStatus.DESTINATION_INITIATED,
                BridgeStatus.DESTINATION_PENDING,
                BridgeStatus.DESTINATION_FAILED,
                BridgeStatus.UNKNOWN,
            }
        ),
        BridgeStatus.DESTINATION_PENDING: frozenset(
            {
                BridgeStatus.DESTINATION_PENDING,
                BridgeStatus.COMPLETED,
                BridgeStatus.DESTINATION_FAILED,
                BridgeStatus.UNKNOWN,
            }
        ),
        BridgeStatus.UNKNOWN: frozenset(
            {
                BridgeStatus.UNKNOWN,
                BridgeStatus.SOURCE_PENDING,
                BridgeStatus.SOURCE_PROCESSED,
                BridgeStatus.SOURCE_FAILED,
                BridgeStatus.COMPLETED,
                BridgeStatus.DESTINATION_FAILED,
            }
        ),
        BridgeStatus.COMPLETED: frozenset(),
        BridgeStatus.NOT_INITIATED: frozenset(),
        BridgeStatus.SOURCE_FAILED: frozenset(),
        BridgeStatus.DESTINATION_FAILED: frozenset(),
        BridgeStatus.QUOTE_FAILED: frozenset(),
        BridgeStatus.REJECTED: frozenset(),
        BridgeStatus.EXPIRED: frozenset(),
    },
)

# Time limits: each leg takes an hour at most, even on a busy chain.
WAITS = WaitStates(
    TRANSITIONS,
    {
        BridgeStatus.PENDING_APPROVAL: WaitState(WaitParty.ADMIN),
        BridgeStatus.OPEN_QUOTE: WaitState(WaitParty.CLIENT),
        BridgeStatus.CREATED: WaitState(WaitParty.WORKER),
        BridgeStatus.SOURCE_INITIATED: WaitState(WaitParty.CHAIN, timedelta(hours=1)),
        BridgeStatus.SOURCE_PENDING: WaitState(WaitParty.CHAIN, timedelta(hours=1)),
        BridgeStatus.SOURCE_PROCESSED: WaitState(WaitParty.WORKER),
        BridgeStatus.DESTINATION_INITIATED: WaitState(WaitParty.CHAIN, timedelta(hours=1)),
        BridgeStatus.DESTINATION_PENDING: WaitState(WaitParty.CHAIN, timedelta(hours=1)),
        BridgeStatus.UNKNOWN: WaitState(WaitParty.CHAIN, timedelta()),
    },
)


class BridgeDetails(msgspec.Struct, frozen=True, kw_only=True):
    """Details of a bridge in its record; units are of the source's asset."""

    source_account_id: UUID
    source_wallet_id: UUID
    source_address: str
    # Ledger account and user of the recipient; None if the coins leave the platform for an address
    # that no user registered.
    destination_account_id: UUID | None
    destination_user_id: UUID | None
    destination_address: str
    # The fields below are facts, which transitions add after the creation.
    held_units: int = 0
    quote_expires_at: datetime | None = None
    failed_reason: str | None = None
    # Why the second leg is not sent, so that the coins are returned; otherwise None.
    halted_reason: str | None = None
    unknown_from: BridgeStatus | None = None
    approve_transaction_hash: str | None = None
    approve_user_op_hash: str | None = None
    # Transaction hash of the burn, which identifies the bridge on the chain.
    transaction_hash: str | None = None
    user_op_hash: str | None = None
    mint_transaction_hash: str | None = None
    mint_user_op_hash: str | None = None
    return_transaction_hash: str | None = None
    return_user_op_hash: str | None = None
    # Destination chosen by a reviewer for returned coins; without it the paying wallet.
    return_address: str | None = None
    return_account_id: UUID | None = None
    # Whether returned coins reached their owner by other means than an order of ours.
    is_settled_outside: bool = False


class Bridge(msgspec.Struct, frozen=True, kw_only=True):
    """Bridge, decoded once from its record for replies and postings."""

    record: Transfer
    details: BridgeDetails
    status: BridgeStatus
    source: Money  # leaves the wallet
    destination: Money  # arrives; the same amount on another chain

    @property
    def held(self) -> Money:
        """Return the amount held for this bridge."""
        return Money(self.details.held_units, self.source.asset)

    @property
    def returns_to(self) -> UUID | HouseRole:
        """Return the account that receives the coins if they can't be minted."""
        if self.details.return_address is None:
            return self.details.source_account_id
        return self.details.return_account_id or HouseRole.OUTSIDE


def as_bridge(record: Transfer) -> Bridge:
    """Decode a bridge record."""
    return Bridge(
        record=record,
        details=record.decode(BridgeDetails),
        status=BridgeStatus(record.status),
        source=Money(record.source_units, ASSETS[record.source_asset]),
        destination=Money(record.destination_units, ASSETS[record.destination_asset]),
    )


def check_route(
    *, source_chain: Chain, source_currency: str, destination_chain: Network, currency: str
) -> tuple[Asset, Asset]:
    """Return the two assets of a supported pair; raises `RouteInvalid` for any other."""
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
            f"source.currency: {source_currency[:50]} can't be bridged"
            f"{case_hint(source_currency, CURRENCIES)}",
            field="source.currency",
        )
    if source_chain not in SOURCES:
        raise RouteInvalid(
            f"source.chain: {source_chain} can't be bridged from", field="source.chain"
        )
    return (
        token_asset(source_chain, source_currency, field="source.currency"),
        token_asset(destination_chain, currency, field="destination.currency"),
    )


def accept_refusal(status: BridgeStatus) -> Refused | None:
    """Return why an accept is refused at this status; None if it is possible, or a repetition."""
    match status:
        case BridgeStatus.OPEN_QUOTE:
            return None
        case BridgeStatus.PENDING_APPROVAL:
            return QuoteNotFound("this bridge waits for an approval; it is quoted after that")
        case (
            BridgeStatus.CREATED
            | BridgeStatus.SOURCE_INITIATED
            | BridgeStatus.SOURCE_PENDING
            | BridgeStatus.SOURCE_PROCESSED
            | BridgeStatus.DESTINATION_INITIATED
            | BridgeStatus.DESTINATION_PENDING
            | BridgeStatus.COMPLETED
            | BridgeStatus.UNKNOWN
        ):
            return None  # a repeated accept, which gets the first reply
        case (
            BridgeStatus.NOT_INITIATED
            | BridgeStatus.SOURCE_FAILED
            | BridgeStatus.DESTINATION_FAILED
        ):
            return QuoteInvalid("this bridge was accepted and has failed; create a new one")
        case BridgeStatus.QUOTE_FAILED:
            return QuoteInvalid("the quote of this bridge has expired; create a new one")
        case BridgeStatus.REJECTED | BridgeStatus.EXPIRED:
            return QuoteInvalid("this bridge was not approved; create a new one")


def as_limit_usage(record: Transfer) -> LimitUsage:
    """Return the limit usage of a bridge, which is committed once its coins are held."""
    bridge = as_bridge(record)
    details = bridge.details
    target = PaymentDestination.at(
        details.destination_address,
        bridge.destination,
        record.user_id,
        details.destination_user_id,
        account_id=details.destination_account_id,
    )
    is_quoted = bridge.status in {BridgeStatus.OPEN_QUOTE, BridgeStatus.QUOTE_FAILED}
    return LimitUsage.of(
        record,
        bridge.source,
        corridor=bridge.destination.asset.chain,
        targets=(target,),
        is_committed=not is_quoted or bool(bridge.held.units),
    )
