"""Swaps: states, details, routes, and why a swap can't be accepted.

Source: spec.md (Swap transfer record), contract, lifecycles 6.
"""

from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any
from uuid import UUID

import msgspec

from landbridge.chains.tokens import ASSETS, TOKENS, Chain
from landbridge.core.errors import Refused
from landbridge.core.money import Asset, Money
from landbridge.core.states import Moves
from landbridge.ledger.model import Transfer
from landbridge.payments.waits import Party, Wait, Waits
from landbridge.quotes.errors import QuoteInvalid, RouteInvalid

KIND = "WALLET.SWAP"

# Source: contract, lifecycles 1.4: seen in every sample of a swap.
QUOTE_LIFETIME = timedelta(seconds=30)

# Source: contract, lifecycles 6, cut to pairs on one chain as spec.md has it.
CURRENCIES = {
    Chain.POLYGON: frozenset({"usdc", "usdt"}),
    Chain.ETHEREUM: frozenset({"usdc", "usdt", "usdg"}),
    Chain.SOLANA: frozenset({"usdc", "usdt", "usdg"}),
}


class Status(StrEnum):
    """Where a swap stands."""

    OPEN_QUOTE = "OPEN_QUOTE"  # waits for its owner to accept; the worker ends it when it is due
    CREATED = "CREATED"  # accepted; goes on to PENDING at once
    PENDING = "PENDING"  # being carried out; waits for the chain
    COMPLETED = "COMPLETED"  # carried out
    FAILED = "FAILED"  # could not be carried out; `error` says why
    QUOTE_FAILED = "QUOTE_FAILED"  # the quote expired before it was accepted


MOVES: Moves[Status] = Moves(
    start=frozenset({Status.OPEN_QUOTE}),
    table={
        Status.OPEN_QUOTE: frozenset({Status.CREATED, Status.QUOTE_FAILED}),
        Status.CREATED: frozenset({Status.PENDING, Status.FAILED}),
        Status.PENDING: frozenset({Status.COMPLETED, Status.FAILED}),
        Status.COMPLETED: frozenset(),
        Status.FAILED: frozenset(),
        Status.QUOTE_FAILED: frozenset(),
    },
)

# A swap is carried out in the books, by its accept: nothing waits but the quote.
WAITS = Waits(
    MOVES,
    {
        Status.OPEN_QUOTE: Wait(Party.CLIENT),
        Status.CREATED: Wait(Party.WORKER, timedelta(minutes=5)),
        Status.PENDING: Wait(Party.CHAIN, timedelta(minutes=5)),
    },
)


class Details(msgspec.Struct, frozen=True, kw_only=True):
    """What is a swap's own in its record; units are in the record's assets."""

    source_account_id: UUID
    # None when the coins leave the platform.
    destination_account_id: UUID | None
    destination_user_id: UUID
    destination_address: str
    external_wallet_id: UUID | None
    fee_units: int
    rate: Decimal
    quote_expires_at: datetime
    # Whether the caller said what has to arrive, rather than what is sent.
    is_exact_out: bool
    # Facts that changes add.
    error: str | None = None
    error_code: int | None = None
    error_message: str | None = None


class Swap(msgspec.Struct, frozen=True, kw_only=True):
    """A record, decoded once: every reply and every posting reads these."""

    record: Transfer
    details: Details
    status: Status
    source: Money  # what leaves the wallet, fee included
    fee: Money  # the part of it that is the fee
    destination: Money  # what arrives


def as_swap(record: Transfer) -> Swap:
    """Decode a record of this kind."""
    told: dict[str, Any] = {**record.details, **record.facts}
    details = msgspec.convert(told, Details, strict=False)
    source = ASSETS[record.source_asset]
    return Swap(
        record=record,
        details=details,
        status=Status(record.status),
        source=Money(record.source_units, source),
        fee=Money(details.fee_units, source),
        destination=Money(record.destination_units, ASSETS[record.destination_asset]),
    )


def check_route(
    *, source_chain: Chain, source_currency: str, destination_chain: Chain, currency: str
) -> tuple[Asset, Asset]:
    """The two assets of a served pair; raises `RouteInvalid` for any other."""
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
    for field, asked in (("source", source_currency), ("destination", currency)):
        if asked not in served:
            raise RouteInvalid(
                f"{field}.currency: {asked[:50]} can't be swapped on {source_chain}",
                field=f"{field}.currency",
            )
    return TOKENS[source_chain, source_currency].asset, TOKENS[source_chain, currency].asset


def why_not_accept(status: Status) -> Refused | None:
    """The refusal of an accept at this status; None if it may, or has, gone through."""
    match status:
        case Status.OPEN_QUOTE:
            return None
        case Status.CREATED | Status.PENDING | Status.COMPLETED:
            return None  # accepted before: answered as the first time
        case Status.FAILED:
            return QuoteInvalid("this swap was accepted and has failed; create a new one")
        case Status.QUOTE_FAILED:
            return QuoteInvalid("the quote of this swap has expired; create a new one")
