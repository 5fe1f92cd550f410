"""Onramps: statuses, details, and the reasons why a verb is refused.

Source: contract, lifecycles 7 and 9; interface/onramp.
"""

from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from uuid import UUID

import msgspec

from landbridge.ledger.model import Transfer
from landbridge.payments.engine.amounts import in_usd
from landbridge.payments.engine.wait_states import WaitParty, WaitState, WaitStates
from landbridge.payments.limits.model import LimitUsage, PaymentDestination
from landbridge.payments.quotes.errors import QuoteInvalid
from landbridge.platform.core.errors import InvariantBroken, Refused, ResourceConflict
from landbridge.platform.core.money import Money
from landbridge.platform.core.transitions import Transitions
from landbridge.providers.chains.tokens import ASSETS
from landbridge.providers.rails.currencies import FIAT, FIAT_ASSETS

KIND = "ONRAMP"

# Name of the order that returns a deposit to its sender; its key is derived from the name.
RETURN = "return"
# The quote has to be accepted, and its deposit to arrive, within this time. Source: contract,
# lifecycles 1.4.
QUOTE_LIFETIME = timedelta(hours=24)


class OnrampStatus(StrEnum):
    """Status of an onramp."""

    CREATED = "CREATED"  # recorded; continues at once to OPEN_QUOTE
    NOT_INITIATED = "NOT_INITIATED"  # cancelled in review before a deposit arrived
    OPEN_QUOTE = "OPEN_QUOTE"  # awaits acceptance until the worker expires the quote
    QUOTE_FAILED = "QUOTE_FAILED"  # the quote expired before acceptance or before the deposit
    AWAITING_FUNDS = "AWAITING_FUNDS"  # awaits the deposit until the quote expires
    IN_REVIEW = "IN_REVIEW"  # awaits compliance; returns to its previous status after the review
    FIAT_INITIATED = "FIAT_INITIATED"  # the deposit was reported; continues at once
    FIAT_PENDING = "FIAT_PENDING"  # the deposit is clearing; the worker continues afterwards
    FIAT_PROCESSED = "FIAT_PROCESSED"  # the fiat is ours; continues at once
    FIAT_FAILED = "FIAT_FAILED"  # the deposit cannot be accepted; the worker orders its return
    # The fiat is back with its sender; `failedReason` gives the reason. A reviewer reopens the
    # onramp if the sender's bank sends the fiat back to us.
    FIAT_RETURNED = "FIAT_RETURNED"
    CRYPTO_INITIATED = "CRYPTO_INITIATED"  # the worker is submitting the coins to the chain
    CRYPTO_PENDING = "CRYPTO_PENDING"  # on chain; the worker polls for finality
    CRYPTO_FAILED = "CRYPTO_FAILED"  # the chain rejected the coins; the worker returns the fiat
    COMPLETED = "COMPLETED"  # the coins were delivered
    UNKNOWN = "UNKNOWN"  # no result from the chain for a day; the worker keeps polling


_START = frozenset({OnrampStatus.CREATED, OnrampStatus.FIAT_INITIATED})
_ENDS = frozenset(
    {
        OnrampStatus.NOT_INITIATED,
        OnrampStatus.QUOTE_FAILED,
        OnrampStatus.FIAT_RETURNED,
        OnrampStatus.COMPLETED,
    }
)
# Statuses after the accept in which the treasury has not yet delivered the coins.
OWING = (
    frozenset(OnrampStatus)
    - _ENDS
    - {
        OnrampStatus.CREATED,
        OnrampStatus.OPEN_QUOTE,
        OnrampStatus.FIAT_FAILED,
        OnrampStatus.CRYPTO_FAILED,
    }
)
# Statuses in which compliance may open a review. After the review the onramp continues from there.
REVIEWABLE = (
    frozenset(OnrampStatus)
    - _ENDS
    - {
        OnrampStatus.CREATED,
        OnrampStatus.FIAT_INITIATED,
        OnrampStatus.FIAT_PROCESSED,
        OnrampStatus.IN_REVIEW,
    }
)
_REVIEW = frozenset({OnrampStatus.IN_REVIEW})

TRANSITIONS: Transitions[OnrampStatus] = Transitions(
    start=_START,
    table={
        OnrampStatus.CREATED: frozenset({OnrampStatus.OPEN_QUOTE}),
        OnrampStatus.NOT_INITIATED: frozenset(),
        # The transition to itself is a refreshed quote.
        OnrampStatus.OPEN_QUOTE: _REVIEW
        | {OnrampStatus.OPEN_QUOTE, OnrampStatus.AWAITING_FUNDS, OnrampStatus.QUOTE_FAILED},
        OnrampStatus.QUOTE_FAILED: frozenset(),
        OnrampStatus.AWAITING_FUNDS: _REVIEW
        | {OnrampStatus.FIAT_INITIATED, OnrampStatus.QUOTE_FAILED},
        OnrampStatus.IN_REVIEW: REVIEWABLE
        | {OnrampStatus.NOT_INITIATED, OnrampStatus.QUOTE_FAILED},
        OnrampStatus.FIAT_INITIATED: frozenset(
            {OnrampStatus.FIAT_PENDING, OnrampStatus.FIAT_FAILED}
        ),
        OnrampStatus.FIAT_PENDING: _REVIEW
        | {OnrampStatus.FIAT_PROCESSED, OnrampStatus.FIAT_FAILED},
        OnrampStatus.FIAT_PROCESSED: frozenset({OnrampStatus.CRYPTO_INITIATED}),
        # The transition to itself, here and below, records that the return was redirected.
        OnrampStatus.FIAT_FAILED: _REVIEW | {OnrampStatus.FIAT_FAILED, OnrampStatus.FIAT_RETURNED},
        OnrampStatus.FIAT_RETURNED: frozenset(),
        OnrampStatus.CRYPTO_INITIATED: _REVIEW
        | {OnrampStatus.CRYPTO_PENDING, OnrampStatus.CRYPTO_FAILED, OnrampStatus.UNKNOWN},
        OnrampStatus.CRYPTO_PENDING: _REVIEW
        | {OnrampStatus.COMPLETED, OnrampStatus.CRYPTO_FAILED, OnrampStatus.UNKNOWN},
        OnrampStatus.CRYPTO_FAILED: _REVIEW
        | {OnrampStatus.CRYPTO_FAILED, OnrampStatus.FIAT_RETURNED},
        OnrampStatus.COMPLETED: frozenset(),
        OnrampStatus.UNKNOWN: _REVIEW | {OnrampStatus.COMPLETED, OnrampStatus.CRYPTO_FAILED},
    },
    reopens={OnrampStatus.FIAT_RETURNED: frozenset({OnrampStatus.FIAT_FAILED})},
)

# SLA: a chain takes an hour at most. A bank gives its own date; after a week, escalate.
WAITS = WaitStates(
    TRANSITIONS,
    {
        OnrampStatus.CREATED: WaitState(WaitParty.WORKER),
        OnrampStatus.OPEN_QUOTE: WaitState(WaitParty.CLIENT),
        OnrampStatus.AWAITING_FUNDS: WaitState(WaitParty.SENDER),
        OnrampStatus.IN_REVIEW: WaitState(WaitParty.REVIEWER, timedelta(days=1)),
        OnrampStatus.FIAT_INITIATED: WaitState(WaitParty.BANK),
        OnrampStatus.FIAT_PENDING: WaitState(WaitParty.BANK, timedelta(days=7)),
        OnrampStatus.FIAT_PROCESSED: WaitState(WaitParty.WORKER),
        OnrampStatus.FIAT_FAILED: WaitState(WaitParty.BANK, timedelta(days=7)),
        OnrampStatus.CRYPTO_INITIATED: WaitState(WaitParty.CHAIN),
        OnrampStatus.CRYPTO_PENDING: WaitState(WaitParty.CHAIN, timedelta(hours=1)),
        OnrampStatus.CRYPTO_FAILED: WaitState(WaitParty.BANK, timedelta(days=7)),
        OnrampStatus.UNKNOWN: WaitState(WaitParty.CHAIN, timedelta()),
    },
)

# Statuses with a deadline that keeps running during a review.
EXPIRING = frozenset({OnrampStatus.OPEN_QUOTE, OnrampStatus.AWAITING_FUNDS})
# Statuses from which the deposit is returned to its sender.
RETURNING = frozenset({OnrampStatus.FIAT_FAILED, OnrampStatus.CRYPTO_FAILED})
# Statuses without an open external order: an onramp in review from one of them can be cancelled.
_CANCELLABLE = EXPIRING | {OnrampStatus.FIAT_PENDING}


class SettlementPart(msgspec.Struct, frozen=True, kw_only=True):
    """Part of a deposit that a settlement rule sends to another destination than the onramp's.

    Without a ledger account it leaves the platform.
    """

    address: str
    account_id: UUID | None
    # The user of the account.
    user_id: UUID | None = None
    units: int


class OnrampDetails(msgspec.Struct, frozen=True, kw_only=True):
    """Details of an onramp's record; units are in the record's assets."""

    # Bank account that the request names as the payer's.
    bank_account_id: UUID | None
    # The organisation's own address, from which the coins are sent.
    source_address: str
    # Ledger account that receives the coins; None if they leave the platform.
    destination_account_id: UUID | None
    destination_user_id: UUID
    destination_address: str
    external_wallet_id: UUID | None
    fee_units: int
    rate: Decimal
    quote_expires_at: datetime
    # True if the request has the amount to deliver (exact out), False if the amount to pay.
    is_exact_out: bool
    # Only for a deposit on a virtual account: the account, and the parts of its settlement rule.
    virtual_account_id: UUID | None = None
    parts: tuple[SettlementPart, ...] = ()
    # Value of the fiat in dollars at the quote; None for dollars, or without a reference rate.
    worth_usd: Decimal | None = None
    # The fields below are facts, which transitions add after the creation.
    accepted_at: datetime | None = None
    reference: str | None = None
    account_number: str | None = None
    incoming_payment_id: UUID | None = None
    received_units: int | None = None
    reviewed_from: OnrampStatus | None = None
    review_due_at: datetime | None = None
    is_cancelled: bool = False
    transaction_hash: str | None = None
    user_op_hash: str | None = None
    failed_reason: str | None = None
    # Bank account that a reviewer chose for the return; None means the sender's own account.
    return_account_id: UUID | None = None
    # Whether the bank reversed the deposit before anything was delivered.
    is_reversed: bool = False
    # Amount that came back after the deposit was returned to its sender.
    return_came_back_units: int | None = None


class Onramp(msgspec.Struct, frozen=True, kw_only=True):
    """Onramp record, decoded once for all replies and postings."""

    record: Transfer
    details: OnrampDetails
    status: OnrampStatus
    source: Money  # the fiat to deposit, fee included
    fee: Money  # the fee, part of the source
    destination: Money  # the coins delivered, parts of a settlement rule included

    @property
    def state(self) -> OnrampStatus:
        """The status; during a review, the status before it."""
        if self.status is not OnrampStatus.IN_REVIEW:
            return self.status
        if self.details.reviewed_from is None:
            raise InvariantBroken(
                f"onramp {self.record.id} is in review without its previous status"
            )
        return self.details.reviewed_from

    @property
    def received(self) -> Money | None:
        """The deposit, or None before it is reported; its amount may differ from the quote."""
        units = self.details.received_units
        return None if units is None else Money(units, self.source.asset)

    @property
    def deposit(self) -> Money:
        """The received deposit, or the expected one while none was received."""
        return self.received or self.source

    @property
    def amount_in_usd(self) -> Decimal:
        """The amount paid, in dollars and cents, at reference rates or else at the quote's rate."""
        if self.details.worth_usd is not None:
            return self.details.worth_usd
        dollars = self.source if self.source.asset == FIAT["usd"] else self.destination
        return in_usd(dollars)

    @property
    def parts(self) -> tuple[tuple[SettlementPart, Money], ...]:
        """The parts that a settlement rule sends elsewhere."""
        asset = self.destination.asset
        return tuple((each, Money(each.units, asset)) for each in self.details.parts)

    @property
    def party_user_ids(self) -> tuple[UUID, UUID]:
        """Ids of the paying and the paid user."""
        return self.record.user_id, self.details.destination_user_id

    @property
    def part_user_ids(self) -> list[UUID]:
        """Ids of the users who are paid by a settlement rule."""
        return [each.user_id for each in self.details.parts if each.user_id is not None]

    @property
    def remainder(self) -> Money:
        """Coins for the onramp's own destination, after the parts of a settlement rule."""
        allocated = sum(each.units for each in self.details.parts)
        return Money(self.destination.units - allocated, self.destination.asset)


def as_onramp(record: Transfer) -> Onramp:
    """Decode a record of this kind."""
    details = record.decode(OnrampDetails)
    source = FIAT_ASSETS[record.source_asset]
    return Onramp(
        record=record,
        details=details,
        status=OnrampStatus(record.status),
        source=Money(record.source_units, source),
        fee=Money(details.fee_units, source),
        destination=Money(record.destination_units, ASSETS[record.destination_asset]),
    )


def accept_refusal(onramp: Onramp) -> Refused | None:
    """Return why an accept is refused; None if it is possible, or a repetition."""
    if onramp.status is OnrampStatus.IN_REVIEW and onramp.state is OnrampStatus.OPEN_QUOTE:
        return ResourceConflict("this onramp is IN_REVIEW; accept it after the review")
    refusal: Refused | None = None
    match onramp.state:
        case (
            OnrampStatus.OPEN_QUOTE
            | OnrampStatus.AWAITING_FUNDS
            | OnrampStatus.FIAT_INITIATED
            | OnrampStatus.FIAT_PENDING
            | OnrampStatus.FIAT_PROCESSED
            | OnrampStatus.CRYPTO_INITIATED
            | OnrampStatus.CRYPTO_PENDING
            | OnrampStatus.COMPLETED
            | OnrampStatus.UNKNOWN
        ):
            pass  # an open quote, or a repeated accept, which gets the first reply
        case OnrampStatus.CREATED | OnrampStatus.IN_REVIEW:
            refusal = ResourceConflict(f"an onramp that is {onramp.status} can't be accepted")
        case OnrampStatus.FIAT_FAILED | OnrampStatus.FIAT_RETURNED | OnrampStatus.CRYPTO_FAILED:
            refusal = QuoteInvalid("this onramp was accepted and has failed; create a new one")
        case OnrampStatus.QUOTE_FAILED:
            refusal = QuoteInvalid("the quote of this onramp has expired; create a new one")
        case OnrampStatus.NOT_INITIATED:
            refusal = QuoteInvalid("this onramp was not executed; create a new one")
    return refusal


def refresh_refusal(status: OnrampStatus) -> Refused | None:
    """Return why a refresh is refused at this status; None for an open quote."""
    if status is OnrampStatus.OPEN_QUOTE:
        return None
    return ResourceConflict(f"only an OPEN_QUOTE can be refreshed; this onramp is {status}")


def cancel_refusal(onramp: Onramp) -> Refused | None:
    """Return why a cancel is refused: only possible in review, without an open external order.

    Return None if it is possible, or if the onramp was cancelled before: a repetition.
    """
    if onramp.details.is_cancelled:
        return None
    if onramp.status is not OnrampStatus.IN_REVIEW:
        return ResourceConflict(
            f"only an onramp IN_REVIEW can be cancelled; this one is {onramp.status}"
        )
    if onramp.state not in _CANCELLABLE:
        return ResourceConflict(
            f"this onramp was {onramp.state} when its review began: it is in progress and "
            "can't be cancelled"
        )
    return None


def review_refusal(status: OnrampStatus) -> Refused | None:
    """Return why a request for information is refused at this status; None if one may be opened."""
    if status in REVIEWABLE:
        return None
    return ResourceConflict(f"an onramp that is {status} can't be reviewed")


def as_limit_usage(record: Transfer) -> LimitUsage | None:
    """Return the limit usage of an onramp; it is committed once the quote is accepted.

    Return None for a deposit on a virtual account: it has no request that could be refused, and the
    money has already arrived. The rail of a deposit is not known when the quote is accepted.
    """
    onramp = as_onramp(record)
    details = onramp.details
    if details.virtual_account_id is not None:
        return None
    target = PaymentDestination.at(
        details.destination_address,
        onramp.destination,
        record.user_id,
        details.destination_user_id,
        account_id=details.destination_account_id,
    )
    return LimitUsage.of(
        record,
        onramp.destination,
        corridor=onramp.source.asset.currency,
        targets=(target,),
        is_committed=details.reference is not None,
        accepted_at=details.accepted_at,
    )
