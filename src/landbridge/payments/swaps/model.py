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

# Source: contract, lifecycles 1.4, and every sample of a swap.
QUOTE_LIFETIME = timedelta(seconds=30)

# Coins of each chain that can be swapped. Source: contract, lifecycles 6, reduced to pairs on one
# chain as in spec.md.
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
        # The transition to itself leads from one leg to the next.
        SwapStatus.PENDING: frozenset(
            {SwapStatus.PENDING, SwapStatus.COMPLETED, SwapStatus.FAILED}
        ),
        SwapStatus.COMPLETED: frozenset(),
        SwapStatus.FAILED: frozenset(),
        SwapStatus.QUOTE_FAILED: frozenset(),
    },
)

# Statuses after the accept in which the treasury has not yet delivered the coins. A swap that the
# ledger executes never stays in them.
OWING = frozenset({SwapStatus.CREATED, SwapStatus.PENDING})

# Time limits: the accept executes a swap in the ledger; a swap on a chain takes an hour at most.
WAITS = WaitStates(
    TRANSITIONS,
    {
        SwapStatus.OPEN_QUOTE: WaitState(WaitParty.CLIENT),
        SwapStatus.CREATED: WaitState(WaitParty.WORKER, timedelta(minutes=5)),
        SwapStatus.PENDING: WaitState(WaitParty.CHAIN, timedelta(hours=1)),
    },
)


class SwapLeg(StrEnum):
    """Progress of a PENDING swap that orders on the chain execute."""

    MARKET = "market"  # the chain may have the order that swaps on a market, in one transaction
    COLLECT = "collect"  # the chain may have the order from the wallet to the treasury
    COLLECTED = "collected"  # the treasury has the coins sold; the worker sends the coins bought
    DELIVER = "deliver"  # the chain may have the order from the treasury to the recipient
    RETURN = "return"  # could not be delivered: the coins sold go back to the wallet


class SwapDetails(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Details of a swap in its record; units are in the record's assets."""

    source_account_id: UUID
    # Ledger account that receives the coins; None if they leave the platform.
    destination_account_id: UUID | None
    destination_user_id: UUID
    destination_address: str
    external_wallet_id: UUID | None
    fee_units: int
    rate: Decimal
    quote_expires_at: datetime
    # True if the request has the amount to receive (exact out), False if the amount to send.
    is_exact_out: bool
    # Paying wallet, if orders on the chain execute the swap; None if the ledger executes it alone.
    source_wallet_id: UUID | None = None
    source_address: str | None = None
    provider: SwapProvider = SwapProvider.TREASURY
    # The fields below are facts, which transitions add after the creation.
    leg: SwapLeg | None = None
    # Smallest units that the market gave: at least the quoted amount.
    received_units: int | None = None
    # Why the coins bought are not delivered, so that the coins sold are returned; otherwise None.
    halted_reason: str | None = None
    error: str | None = None
    error_code: int | None = None
    error_message: str | None = None
    # Destination chosen by a reviewer for returned coins; without it the paying wallet.
    return_address: str | None = None
    return_account_id: UUID | None = None
    # Whether returned coins reached their owner by other means than an order of ours.
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
        """Return whether orders on the chain execute the swap."""
        return self.details.source_wallet_id is not None

    @property
    def is_market(self) -> bool:
        """Return whether a market of the chain executes the swap."""
        return self.details.provider is SwapProvider.MARKET

    @property
    def received(self) -> Money | None:
        """Return the amount that a market gave; None before that, and without a market."""
        units = self.details.received_units
        return None if units is None else Money(units, self.destination.asset)

    @property
    def returns_to(self) -> UUID | HouseRole:
        """Return the account that gets the coins sold back if the coins bought aren't delivered."""
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
    """Return why an accept is refused at this status; None if it is possible, or a repetition."""
    match status:
        case SwapStatus.OPEN_QUOTE:
            return None
        case SwapStatus.CREATED | SwapStatus.PENDING | SwapStatus.COMPLETED:
            return None  # a repeated accept, which gets the first reply
        case SwapStatus.FAILED:
            return QuoteInvalid("this swap was accepted and has failed; create a new one")
        case SwapStatus.QUOTE_FAILED:
            return QuoteInvalid("the quote of this swap has expired; create a new one")


def as_limit_usage(record: Transfer) -> LimitUsage:
    """Return the limit usage of a swap, which is committed once the swap is accepted."""
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
