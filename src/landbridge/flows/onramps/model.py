"""Onramps: states, details, and why a verb can't go through.

Source: contract, lifecycles 7 and 9; interface/onramp.
"""

from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any
from uuid import UUID

import msgspec

from landbridge.chains.tokens import ASSETS
from landbridge.core.errors import Broken, Refused, ResourceConflict
from landbridge.core.money import Money
from landbridge.core.states import Moves
from landbridge.ledger.model import Transfer
from landbridge.payments.amounts import in_usd
from landbridge.payments.waits import Party, Wait, Waits
from landbridge.quotes.errors import QuoteInvalid
from landbridge.rails.currencies import FIAT, FIAT_ASSETS

KIND = "ONRAMP"

# By what the key of the payment is derived that returns a deposit to its sender.
RETURN = "return"
# Source: contract, lifecycles 1.4. The deposit has to arrive within the same time.
QUOTE_LIFETIME = timedelta(hours=24)


class Status(StrEnum):
    """Where an onramp stands."""

    CREATED = "CREATED"  # recorded; goes on to OPEN_QUOTE at once
    NOT_INITIATED = "NOT_INITIATED"  # cancelled in review before any money came
    OPEN_QUOTE = "OPEN_QUOTE"  # waits for its owner to accept; the worker ends it when it is due
    QUOTE_FAILED = "QUOTE_FAILED"  # the quote expired before it was accepted, or before the deposit
    AWAITING_FUNDS = "AWAITING_FUNDS"  # waits for the deposit; the worker ends it when it is due
    IN_REVIEW = "IN_REVIEW"  # waits for compliance, which sends it back to where it was
    FIAT_INITIATED = "FIAT_INITIATED"  # the deposit was seen; goes on at once
    FIAT_PENDING = "FIAT_PENDING"  # the deposit clears; the worker goes on when it has
    FIAT_PROCESSED = "FIAT_PROCESSED"  # the fiat is ours; goes on at once
    FIAT_FAILED = "FIAT_FAILED"  # the deposit can't be taken; the worker has the bank return it
    # The fiat is back with its sender; `failedReason` says why. A reviewer reopens it if the bank
    # gives that payment back in turn.
    FIAT_RETURNED = "FIAT_RETURNED"
    CRYPTO_INITIATED = "CRYPTO_INITIATED"  # the worker is handing the coins to the chain
    CRYPTO_PENDING = "CRYPTO_PENDING"  # on the chain; the worker asks whether it is final
    CRYPTO_FAILED = "CRYPTO_FAILED"  # the chain refused; the worker has the bank return the fiat
    COMPLETED = "COMPLETED"  # the coins were delivered
    UNKNOWN = "UNKNOWN"  # no word from the chain for a day; the worker keeps asking


_START = frozenset({Status.CREATED, Status.FIAT_INITIATED})
_ENDS = frozenset(
    {Status.NOT_INITIATED, Status.QUOTE_FAILED, Status.FIAT_RETURNED, Status.COMPLETED}
)
# Where a record rests and compliance may ask about it. From there it goes on as before.
REVIEWABLE = (
    frozenset(Status)
    - _ENDS
    - {Status.CREATED, Status.FIAT_INITIATED, Status.FIAT_PROCESSED, Status.IN_REVIEW}
)
_REVIEW = frozenset({Status.IN_REVIEW})

MOVES: Moves[Status] = Moves(
    start=_START,
    table={
        Status.CREATED: frozenset({Status.OPEN_QUOTE}),
        Status.NOT_INITIATED: frozenset(),
        # To itself: refreshed.
        Status.OPEN_QUOTE: _REVIEW
        | {Status.OPEN_QUOTE, Status.AWAITING_FUNDS, Status.QUOTE_FAILED},
        Status.QUOTE_FAILED: frozenset(),
        Status.AWAITING_FUNDS: _REVIEW | {Status.FIAT_INITIATED, Status.QUOTE_FAILED},
        Status.IN_REVIEW: REVIEWABLE | {Status.NOT_INITIATED, Status.QUOTE_FAILED},
        Status.FIAT_INITIATED: frozenset({Status.FIAT_PENDING, Status.FIAT_FAILED}),
        Status.FIAT_PENDING: _REVIEW | {Status.FIAT_PROCESSED, Status.FIAT_FAILED},
        Status.FIAT_PROCESSED: frozenset({Status.CRYPTO_INITIATED}),
        # To itself, and likewise below: the return was redirected.
        Status.FIAT_FAILED: _REVIEW | {Status.FIAT_FAILED, Status.FIAT_RETURNED},
        Status.FIAT_RETURNED: frozenset(),
        Status.CRYPTO_INITIATED: _REVIEW
        | {Status.CRYPTO_PENDING, Status.CRYPTO_FAILED, Status.UNKNOWN},
        Status.CRYPTO_PENDING: _REVIEW | {Status.COMPLETED, Status.CRYPTO_FAILED, Status.UNKNOWN},
        Status.CRYPTO_FAILED: _REVIEW | {Status.CRYPTO_FAILED, Status.FIAT_RETURNED},
        Status.COMPLETED: frozenset(),
        Status.UNKNOWN: _REVIEW | {Status.COMPLETED, Status.CRYPTO_FAILED},
    },
    reopens={Status.FIAT_RETURNED: frozenset({Status.FIAT_FAILED})},
)

# A chain takes an hour at most. A bank says when it will be done; over a week somebody should ask.
WAITS = Waits(
    MOVES,
    {
        Status.CREATED: Wait(Party.WORKER),
        Status.OPEN_QUOTE: Wait(Party.CLIENT),
        Status.AWAITING_FUNDS: Wait(Party.SENDER),
        Status.IN_REVIEW: Wait(Party.REVIEWER, timedelta(days=1)),
        Status.FIAT_INITIATED: Wait(Party.BANK),
        Status.FIAT_PENDING: Wait(Party.BANK, timedelta(days=7)),
        Status.FIAT_PROCESSED: Wait(Party.WORKER),
        Status.FIAT_FAILED: Wait(Party.BANK, timedelta(days=7)),
        Status.CRYPTO_INITIATED: Wait(Party.CHAIN),
        Status.CRYPTO_PENDING: Wait(Party.CHAIN, timedelta(hours=1)),
        Status.CRYPTO_FAILED: Wait(Party.BANK, timedelta(days=7)),
        Status.UNKNOWN: Wait(Party.CHAIN, timedelta()),
    },
)

# In review of these, time goes on: a deadline is a deadline.
LAPSING = frozenset({Status.OPEN_QUOTE, Status.AWAITING_FUNDS})
# From these the deposit is returned to its sender.
RETURNING = frozenset({Status.FIAT_FAILED, Status.CRYPTO_FAILED})
# In review of these nothing is under way outside, so that compliance may end it.
_CANCELLABLE = LAPSING | {Status.FIAT_PENDING}


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """What a settlement rule sends elsewhere; without an account it leaves the platform."""

    address: str
    account_id: UUID | None
    # Whose account it is.
    user_id: UUID | None = None
    units: int


class Details(msgspec.Struct, frozen=True, kw_only=True):
    """What is an onramp's own in its record; units are in the record's assets."""

    # The bank account that it was said to come from.
    bank_account_id: UUID | None
    # The organisation's own address, from which the coins go.
    source_address: str
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
    # Of a deposit on a virtual account, with what its settlement rule sends elsewhere.
    virtual_account_id: UUID | None = None
    parts: tuple[Part, ...] = ()
    # What the fiat was worth in dollars when it was quoted; None for dollars, and where no
    # reference rate was known.
    worth_usd: Decimal | None = None
    # Facts that changes add.
    reference: str | None = None
    account_number: str | None = None
    receipt_id: UUID | None = None
    received_units: int | None = None
    reviewed_from: Status | None = None
    review_due_at: datetime | None = None
    is_cancelled: bool = False
    transaction_hash: str | None = None
    user_op_hash: str | None = None
    failed_reason: str | None = None
    # The bank account that a reviewer chose for the return; None is the sender's.
    return_account_id: UUID | None = None
    # Whether the bank took the deposit back before anything was delivered.
    is_reversed: bool = False
    # What came back of the deposit after it was returned to its sender.
    return_came_back_units: int | None = None


class Onramp(msgspec.Struct, frozen=True, kw_only=True):
    """A record, decoded once: every reply and every posting reads these."""

    record: Transfer
    details: Details
    status: Status
    source: Money  # the fiat that has to arrive, fee included
    fee: Money  # the part of it that is the fee
    destination: Money  # the coins that are delivered, parts of a settlement rule included

    @property
    def standing(self) -> Status:
        """The status; in review the one that it goes back to."""
        if self.status is not Status.IN_REVIEW:
            return self.status
        if self.details.reviewed_from is None:
            raise Broken(f"nobody knows where onramp {self.record.id} was reviewed from")
        return self.details.reviewed_from

    @property
    def received(self) -> Money | None:
        """The deposit, once one was seen; it may be another amount than was quoted."""
        units = self.details.received_units
        return None if units is None else Money(units, self.source.asset)

    @property
    def deposit(self) -> Money:
        """The deposit: what was received, or what has to arrive while nothing was."""
        return self.received or self.source

    @property
    def amount_in_usd(self) -> Decimal:
        """What is sent, in dollars and cents: at reference rates, else by what the quote makes."""
        if self.details.worth_usd is not None:
            return self.details.worth_usd
        dollars = self.source if self.source.asset == FIAT["usd"] else self.destination
        return in_usd(dollars)

    @property
    def parts(self) -> tuple[tuple[Part, Money], ...]:
        """What a settlement rule sends elsewhere."""
        asset = self.destination.asset
        return tuple((each, Money(each.units, asset)) for each in self.details.parts)

    @property
    def part_user_ids(self) -> list[UUID]:
        """Whom a settlement rule pays."""
        return [each.user_id for each in self.details.parts if each.user_id is not None]

    @property
    def left(self) -> Money:
        """What its own destination gets."""
        taken = sum(each.units for each in self.details.parts)
        return Money(self.destination.units - taken, self.destination.asset)


def as_onramp(record: Transfer) -> Onramp:
    """Decode a record of this kind."""
    told: dict[str, Any] = {**record.details, **record.facts}
    details = msgspec.convert(told, Details, strict=False)
    source = FIAT_ASSETS[record.source_asset]
    return Onramp(
        record=record,
        details=details,
        status=Status(record.status),
        source=Money(record.source_units, source),
        fee=Money(details.fee_units, source),
        destination=Money(record.destination_units, ASSETS[record.destination_asset]),
    )


def why_not_accept(onramp: Onramp) -> Refused | None:
    """The refusal of an accept; None if it may, or has, gone through."""
    if onramp.status is Status.IN_REVIEW and onramp.standing is Status.OPEN_QUOTE:
        return ResourceConflict("this onramp is IN_REVIEW; accept it when that is over")
    refusal: Refused | None = None
    match onramp.standing:
        case (
            Status.OPEN_QUOTE
            | Status.AWAITING_FUNDS
            | Status.FIAT_INITIATED
            | Status.FIAT_PENDING
            | Status.FIAT_PROCESSED
            | Status.CRYPTO_INITIATED
            | Status.CRYPTO_PENDING
            | Status.COMPLETED
            | Status.UNKNOWN
        ):
            pass  # open; or accepted before, and answered as the first time
        case Status.CREATED | Status.IN_REVIEW:
            refusal = ResourceConflict(f"an onramp that is {onramp.status} can't be accepted")
        case Status.FIAT_FAILED | Status.FIAT_RETURNED | Status.CRYPTO_FAILED:
            refusal = QuoteInvalid("this onramp was accepted and has failed; create a new one")
        case Status.QUOTE_FAILED:
            refusal = QuoteInvalid("the quote of this onramp has expired; create a new one")
        case Status.NOT_INITIATED:
            refusal = QuoteInvalid("this onramp was not carried out; create a new one")
    return refusal


def why_not_refresh(status: Status) -> Refused | None:
    """The refusal of a refresh at this status: only an open quote is made anew."""
    if status is Status.OPEN_QUOTE:
        return None
    return ResourceConflict(f"only an OPEN_QUOTE can be refreshed; this onramp is {status}")


def why_not_cancel(onramp: Onramp) -> Refused | None:
    """The refusal of a cancel: only in review, and while nothing is under way outside.

    None if it was cancelled before: that is answered as the first time.
    """
    if onramp.details.is_cancelled:
        return None
    if onramp.status is not Status.IN_REVIEW:
        return ResourceConflict(
            f"only an onramp IN_REVIEW can be cancelled; this one is {onramp.status}"
        )
    if onramp.standing not in _CANCELLABLE:
        return ResourceConflict(
            f"this onramp was {onramp.standing} when its review began: it is under way and can't "
            "be cancelled"
        )
    return None


def why_not_review(status: Status) -> Refused | None:
    """The refusal of a request for information: not at an end, and one at a time."""
    if status in REVIEWABLE:
        return None
    return ResourceConflict(f"an onramp that is {status} can't be reviewed")
