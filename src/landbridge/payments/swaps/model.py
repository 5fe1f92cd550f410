"""Swaps: states, legs, details, routes, and refusals of an accept.

Source: spec.md (Swap transfer record), contract, lifecycles 6.
"""

from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from uuid import UUID

import msgspec

from landbridge.ledger.model import HouseRole, Transfer
from landbridge.payments.engine.wait_states import WaitParty, WaitState, WaitStates
from landbridge.payments.limits.model import LimitUsage, PaymentDestination
from landbridge.payments.quotes.errors import QuoteInvalid, RouteInvalid
from landbridge.platform.core.choices import case_hint
from landbridge.platform.core.errors import Refused
from landbridge.platform.core.money import Asset, Money
from landbridge.platform.core.transitions import Transitions
from landbridge.providers.chains.markets import SwapProvider
from landbridge.providers.chains.tokens import ASSETS, TOKENS, Chain

KIND = "WALLET.SWAP"

# Source: contract, lifecycles 1.4: seen in every sample of a swap.
QUOTE_LIFETIME = timedelta(seconds=30)

# Source: contract, lifecycles 6, reduced to pairs on one chain as in spec.md.
CURRENCIES = {
    Chain.POLYGON: frozenset({"usdc", "usdt"}),
    Chain.ETHEREUM: frozenset({"usdc", "usdt", "usdg"}),
    Chain.SOLANA: frozenset({"usdc", "usdt", "usdg"}),
}


class SwapStatus(StrEnum):
    """Status of a swap."""

    OPEN_QUOTE = "OPEN_QUOTE"  # waits for its owner to accept; the worker expires it
    CREATED = "CREATED"  # accepted; in the ledger it continues at once, else the worker sends it
    PENDING = "PENDING"  # being executed, leg by leg; waits for the chain
    COMPLETED = "COMPLETED"  # executed
    FAILED = "FAILED"  # could not be executed; `error` has the reason
    QUOTE_FAILED = "QUOTE_FAILED"  # the quote expired before it was accepted


TRANSITIONS: Transitions[SwapStatus] = Transitions(
    start=frozenset({SwapStatus.OPEN_QUOTE}),
    table={
        SwapStatus.OPEN_QUOTE: frozenset({SwapStatus.CREATED, SwapStatus.QUOTE_FAILED}),
        SwapStatus.CREATED: frozenset({SwapStatus.PENDING, SwapStatus.FAILED}),
        # To itself: from one leg to the next.
        SwapStatus.PENDING: frozenset(
            {SwapStatus.PENDING, SwapStatus.COMPLETED, SwapStatus.FAILED}
        ),
        SwapStatus.COMPLETED: frozenset(),
        SwapStatus.FAILED: frozenset(),
        SwapStatus.QUOTE_FAILED: frozenset(),
    },
)

# Accepted, and not yet delivered by the treasury. One in the ledger never stays at these.
OWING = frozenset({SwapStatus.CREATED, SwapStatus.PENDING})

# A swap in the ledger is executed by its accept; one that the chain carries takes an hour at most.
WAITS = WaitStates(
    TRANSITIONS,
    {
        SwapStatus.OPEN_QUOTE: WaitState(WaitParty.CLIENT),
        SwapStatus.CREATED: WaitState(WaitParty.WORKER, timedelta(minutes=5)),
        SwapStatus.PENDING: WaitState(WaitParty.CHAIN, timedelta(hours=1)),
    },
)


class SwapLeg(StrEnum):
    """Progress of a swap that the chain carries, while it is PENDING."""

    MARKET = "market"  # the chain may have the order that swaps on a market, in one transaction
    COLLECT = "collect"  # the chain may have the order from the wallet to the treasury
    COLLECTED = "collected"  # the treasury has the coins sold; the worker sends the coins bought
    DELIVER = "deliver"  # the chain may have the order from the treasury to the recipient
    RETURN = "return"  # could not be delivered: the coins sold go back to the wallet


class SwapDetails(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Details of a swap in its record; units are in the record's assets."""

    source_account_id: UUID
    # None if the coins leave the platform.
    destination_account_id: UUID | None
    destination_user_id: UUID
    destination_address: str
    external_wallet_id: UUID | None
    fee_units: int
    rate: Decimal
    quote_expires_at: datetime
    # Whether the request gave the amount to receive, rather than the amount to send.
    is_exact_out: bool
    # Paying wallet, if the chain carries the swap; None if the ledger executes it by itself.
    source_wallet_id: UUID | None = None
    source_address: str | None = None
    provider: SwapProvider = SwapProvider.TREASURY
    # Facts that changes add.
    leg: SwapLeg | None = None
    # What the market gave, as a number of units; at least the quoted amount.
    received_units: int | None = None
    # Why the coins bought are not delivered: the coins sold are returned instead.
    halted_reason: str | None = None
    error: str | None = None
    error_code: int | None = None
    error_message: str | None = None
    # Destination chosen by a reviewer for returned coins; without it the paying wallet.
    return_address: str | None = None
    return_account_id: UUID | None = None
    # Whether they reached their owner by other means.
    is_settled_outside: bool = False


class Swap(msgspec.Struct, frozen=True, kw_only=True):
    """Swap, decoded once from its record for replies and postings."""

    record: Transfer
    details: SwapDetails
    status: SwapStatus
    source: Money  # leaves the wallet, including the fee
    fee: Money  # part of `source`
    destination: Money  # arrives

    @property
    def is_on_chain(self) -> bool:
        """Return whether orders on the chain carry the swap."""
        return self.details.source_wallet_id is not None

    @property
    def is_market(self) -> bool:
        """Return whether a market of the chain executes the swap."""
        return self.details.provider is SwapProvider.MARKET

    @property
    def received(self) -> Money | None:
        """Return what a market gave; None if none did, or not yet."""
        units = self.details.received_units
        return None if units is None else Money(units, self.destination.asset)

    @property
    def returns_to(self) -> UUID | HouseRole:
        """Return the account that receives coins sold whose counterpart was not delivered."""
        if self.details.return_address is None:
            return self.details.source_account_id
        return self.details.return_account_id or HouseRole.OUTSIDE


def as_swap(record: Transfer) -> Swap:
    """Decode a swap record."""
    details = record.decode(SwapDetails)
    source = ASSETS[record.source_asset]
    return Swap(
        record=record,
        details=details,
        status=SwapStatus(record.status),
        source=Money(record.source_units, source),
        fee=Money(details.fee_units, source),
        destination=Money(record.destination_units, ASSETS[record.destination_asset]),
    )


def check_route(
    *, source_chain: Chain, source_currency: str, destination_chain: Chain, currency: str
) -> tuple[Asset, Asset]:
    """Return the two assets of a supported pair; raises `RouteInvalid` for any other."""
    if source_chain is not destination_chain:
        raise RouteInvalid(
            "destination.chain must equal source.chain: a swap stays on one chain; "
            "to change chains use a bridge",
            field="destination.chain",
        )
    if source_currency == currency:
        raise RouteInvalid(
            "destination.currency equals source.currency: there is nothing to swap",
            field="destination.currency",
        )
    served = CURRENCIES.get(source_chain, frozenset())
    for field, currency_code in (("source", source_currency), ("destination", currency)):
        if currency_code not in served:
            raise RouteInvalid(
                f"{field}.currency: {currency_code[:50]} can't be swapped on {source_chain}"
                f"{case_hint(currency_code, served)}",
                field=f"{field}.currency",
            )
    return TOKENS[source_chain, source_currency].asset, TOKENS[source_chain, currency].asset


def accept_refusal(status: SwapStatus) -> Refused | None:
    """Return the refusal of an accept at this status; None if it may succeed, or has succeeded."""
    match status:
        case SwapStatus.OPEN_QUOTE:
            return None
        case SwapStatus.CREATED | SwapStatus.PENDING | SwapStatus.COMPLETED:
            return None  # accepted before: same answer
        case SwapStatus.FAILED:
            return QuoteInvalid("this swap was accepted and has failed; create a new one")
        case SwapStatus.QUOTE_FAILED:
            return QuoteInvalid("the quote of this swap has expired; create a new one")


def as_limit_usage(record: Transfer) -> LimitUsage:
    """Return its usage; committed once accepted."""
    swap = as_swap(record)
    details = swap.details
    target = PaymentDestination.at(
        details.destination_address,
        swap.destination,
        record.user_id,
        details.destination_user_id,
        account_id=details.destination_account_id,
    )
    return LimitUsage.of(
        record,
        swap.source,
        corridor=swap.source.asset.chain,
        targets=(target,),
        is_committed=swap.status not in {SwapStatus.OPEN_QUOTE, SwapStatus.QUOTE_FAILED},
    )
