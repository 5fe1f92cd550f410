"""Offramps: states, details, and why a verb can't be done.

Source: spec.md (approvals, amount_in_usd), contract, lifecycles 8, interface/offramp.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any
from uuid import UUID

import msgspec

from landbridge.chains.tokens import ASSETS
from landbridge.core.errors import Refused, ResourceConflict
from landbridge.core.money import Money
from landbridge.core.states import Moves
from landbridge.flows.offramps.fees import Fee, FeeLine, computed
from landbridge.ledger.model import Role, Transfer
from landbridge.payments.amounts import in_usd
from landbridge.payments.errors import QuoteNotFound
from landbridge.payments.waits import Party, Wait, Waits
from landbridge.quotes.errors import QuoteInvalid
from landbridge.rails.currencies import FIAT_ASSETS

KIND = "OFFRAMP"

# Source: contract, lifecycles 1.4: ten minutes in every sample of an offramp.
QUOTE_LIFETIME = timedelta(minutes=10)


class Status(StrEnum):
    """Where an offramp stands."""

    CREATED = "CREATED"  # recorded; goes on at once to its quote or to its approval
    PENDING_APPROVAL = "PENDING_APPROVAL"  # holds funds; waits for an admin, a day at most
    NOT_INITIATED = "NOT_INITIATED"  # cancelled, or somebody was frozen, before coins were taken
    OPEN_QUOTE = "OPEN_QUOTE"  # waits for its owner to accept; the worker ends it when it is due
    QUOTE_FAILED = "QUOTE_FAILED"  # expired before it was accepted or paid for, or no quote was had
    IN_REVIEW = "IN_REVIEW"  # waits for a reviewer to close the request, or its owner to cancel
    AWAITING_FUNDS = "AWAITING_FUNDS"  # accepted; waits for coins from outside until it is due
    CRYPTO_INITIATED = "CRYPTO_INITIATED"  # accepted and covered; the worker claims the debit
    CRYPTO_PENDING = "CRYPTO_PENDING"  # the debit is under way; the worker asks the chain
    CRYPTO_PROCESSED = "CRYPTO_PROCESSED"  # we have the coins; the worker claims the payout
    CRYPTO_FAILED = "CRYPTO_FAILED"  # the chain refused the debit; nothing was taken
    FIAT_INITIATED = "FIAT_INITIATED"  # the payout is claimed; the worker tells the bank
    FIAT_PENDING = "FIAT_PENDING"  # the bank has it; the worker asks when it should be settled
    FIAT_FAILED = "FIAT_FAILED"  # no payout; the worker gives the coins back
    CRYPTO_RETURNED = "CRYPTO_RETURNED"  # the coins are back where they came from
    COMPLETED = "COMPLETED"  # paid out; a reviewer reopens it if the bank gives the payout back
    REJECTED = "REJECTED"  # an admin refused it
    EXPIRED = "EXPIRED"  # nobody decided on it in time


MOVES: Moves[Status] = Moves(
    start=frozenset({Status.CREATED}),
    table={
        Status.CREATED: frozenset({Status.OPEN_QUOTE, Status.PENDING_APPROVAL}),
        Status.PENDING_APPROVAL: frozenset(
            {
                Status.OPEN_QUOTE,
                Status.REJECTED,
                Status.EXPIRED,
                Status.QUOTE_FAILED,
                Status.IN_REVIEW,
            }
        ),
        Status.NOT_INITIATED: frozenset(),
        Status.OPEN_QUOTE: frozenset(
            {
                Status.CRYPTO_INITIATED,
                Status.AWAITING_FUNDS,
                Status.QUOTE_FAILED,
                Status.IN_REVIEW,
            }
        ),
        Status.QUOTE_FAILED: frozenset(),
        # Back to where it was, to an end, or (cancelled with the coins here) to giving them back.
        Status.IN_REVIEW: frozenset(
            {
                Status.PENDING_APPROVAL,
                Status.OPEN_QUOTE,
                Status.AWAITING_FUNDS,
                Status.CRYPTO_INITIATED,
                Status.CRYPTO_PENDING,
                Status.CRYPTO_PROCESSED,
                Status.FIAT_INITIATED,
                Status.FIAT_PENDING,
                Status.FIAT_FAILED,
                Status.NOT_INITIATED,
                Status.QUOTE_FAILED,
                Status.REJECTED,
                Status.EXPIRED,
            }
        ),
        Status.AWAITING_FUNDS: frozenset(
            {
                Status.CRYPTO_INITIATED,
                Status.FIAT_FAILED,
                Status.QUOTE_FAILED,
                Status.IN_REVIEW,
            }
        ),
        Status.CRYPTO_INITIATED: frozenset(
            {
                Status.CRYPTO_PENDING,
                Status.NOT_INITIATED,
                Status.FIAT_FAILED,
                Status.IN_REVIEW,
            }
        ),
        Status.CRYPTO_PENDING: frozenset(
            {Status.CRYPTO_PROCESSED, Status.CRYPTO_FAILED, Status.IN_REVIEW}
        ),
        Status.CRYPTO_PROCESSED: frozenset(
            {Status.FIAT_INITIATED, Status.FIAT_FAILED, Status.IN_REVIEW}
        ),
        Status.CRYPTO_FAILED: frozenset(),
        Status.FIAT_INITIATED: frozenset(
            {Status.FIAT_PENDING, Status.FIAT_FAILED, Status.IN_REVIEW}
        ),
        Status.FIAT_PENDING: frozenset({Status.COMPLETED, Status.FIAT_FAILED, Status.IN_REVIEW}),
        # To itself: the refund was redirected.
        Status.FIAT_FAILED: frozenset(
            {Status.FIAT_FAILED, Status.CRYPTO_RETURNED, Status.IN_REVIEW}
        ),
        Status.CRYPTO_RETURNED: frozenset(),
        Status.COMPLETED: frozenset(),
        Status.REJECTED: frozenset(),
        Status.EXPIRED: frozenset(),
    },
    reopens={Status.COMPLETED: frozenset({Status.FIAT_FAILED})},
)

# A chain takes an hour at most. A bank says when it will be done; over a week somebody should ask.
WAITS = Waits(
    MOVES,
    {
        Status.CREATED: Wait(Party.WORKER),
        Status.PENDING_APPROVAL: Wait(Party.ADMIN),
        Status.OPEN_QUOTE: Wait(Party.CLIENT),
        Status.IN_REVIEW: Wait(Party.REVIEWER, timedelta(days=1)),
        Status.AWAITING_FUNDS: Wait(Party.SENDER),
        Status.CRYPTO_INITIATED: Wait(Party.WORKER),
        Status.CRYPTO_PENDING: Wait(Party.CHAIN, timedelta(hours=1)),
        Status.CRYPTO_PROCESSED: Wait(Party.WORKER),
        Status.FIAT_INITIATED: Wait(Party.BANK),
        Status.FIAT_PENDING: Wait(Party.BANK, timedelta(days=7)),
        Status.FIAT_FAILED: Wait(Party.CHAIN, timedelta(hours=1)),
    },
)


class Details(msgspec.Struct, frozen=True, kw_only=True):
    """What is an offramp's own in its record; units are in the record's assets.

    Of the bank account there is its id alone: who is paid is personal, and is read when the bank
    is told. So are references and descriptions (texts.py); `purpose` is a word of a list.
    """

    source_address: str
    # The organisation's own address, where the coins go.
    destination_address: str
    # The wallet that pays and its account; None when the coins come from outside.
    source_wallet_id: UUID | None
    source_account_id: UUID | None
    external_wallet_id: UUID | None
    # Where coins go back to; without an account they leave the platform.
    return_address: str
    return_account_id: UUID | None
    # Whose that account is; older records don't say.
    return_user_id: UUID | None = None
    destination_user_id: UUID
    account_id: UUID
    payment_rail: str
    # By what the price is named, where it is not the currency.
    corridor: str | None
    is_same_day: bool
    is_exact_out: bool
    needs_approval: bool
    purpose: str | None = None
    fees: tuple[FeeLine, ...]
    # The quote; replaced as facts when it is made after an approval.
    amount_units: int
    exchange_fee_units: int
    rate: Decimal
    # None until there is a quote that may be accepted.
    quote_expires_at: datetime | None
    # Facts that changes add.
    held_units: int = 0
    accepted_at: datetime | None = None
    failed_reason: str | None = None
    # While in review: where it goes on, and until when that waits.
    reviewed_from: Status | None = None
    review_due_at: datetime | None = None
    is_cancelled: bool = False
    # Of the debit; of the fees alone when the coins came from outside.
    transaction_hash: str | None = None
    user_op_hash: str | None = None
    is_processed: bool = False
    # Coins from outside.
    deposit_hash: str | None = None
    received_units: int = 0
    tracking: dict[str, str | None] | None = None
    return_transaction_hash: str | None = None
    return_user_op_hash: str | None = None
    # Whether the coins reached their owner by other means than an order of ours.
    is_settled_outside: bool = False
    # What of the payout the bank gave back after it was settled.
    payout_returned_units: int | None = None


class Offramp(msgspec.Struct, frozen=True, kw_only=True):
    """A record, decoded once: every reply and every posting reads these."""

    record: Transfer
    details: Details
    status: Status
    gross: Money  # what leaves the wallet, the organisation's fees included
    amount: Money  # what is converted
    exchange_fee: Money  # the part of `amount` that is our fee
    fees: tuple[Fee, ...]  # the organisation's own, on top of `amount`
    receive: Money  # what the bank account gets

    @property
    def is_external(self) -> bool:
        """Whether the coins come from outside."""
        return self.details.source_account_id is None

    @property
    def held(self) -> Money:
        """What is held for it in the wallet."""
        return Money(self.details.held_units, self.gross.asset)

    @property
    def received(self) -> Money:
        """What came from outside."""
        return Money(self.details.received_units, self.gross.asset)

    @property
    def returned(self) -> Money:
        """What goes back if there is no payout: fees that were paid stay paid."""
        is_whole = self.is_external and not self.details.is_processed
        return self.received if is_whole else self.amount

    @property
    def returns_to(self) -> UUID | Role:
        """Whose account that goes to."""
        return self.details.return_account_id or Role.OUTSIDE

    @property
    def moving(self) -> tuple[UUID, ...]:
        """The users between whom money moves."""
        return (self.record.user_id, self.details.destination_user_id)

    @property
    def beneficiaries(self) -> tuple[UUID, ...]:
        """The users who get a fee, with the debit."""
        return tuple(each.user_id for each in self.details.fees if each.user_id is not None)

    @property
    def concerned(self) -> tuple[UUID, ...]:
        """The users who must all be active until it is accepted.

        Also whose wallet the coins would go back to: once accepted they go there, whoever is frozen
        by then.
        """
        back = self.details.return_user_id
        return (*self.moving, *self.beneficiaries, *([] if back is None else [back]))

    @property
    def standing(self) -> Status:
        """Where it stands but for a review."""
        return self.details.reviewed_from or self.status

    @property
    def amount_in_usd(self) -> Decimal:
        """What is converted, in dollars and cents, one coin counted as one dollar."""
        return in_usd(self.amount)


def as_offramp(record: Transfer) -> Offramp:
    """Decode a record of this kind."""
    told: dict[str, Any] = {**record.details, **record.facts}
    details = msgspec.convert(told, Details, strict=False)
    source = ASSETS[record.source_asset]
    amount = Money(details.amount_units, source)
    return Offramp(
        record=record,
        details=details,
        status=Status(record.status),
        gross=Money(record.source_units, source),
        amount=amount,
        exchange_fee=Money(details.exchange_fee_units, source),
        fees=computed(details.fees, amount),
        receive=Money(record.destination_units, FIAT_ASSETS[record.destination_asset]),
    )


def as_offramps(records: Sequence[Transfer]) -> list[Offramp]:
    """Decode several."""
    return [as_offramp(each) for each in records]


def why_not_accept(offramp: Offramp) -> Refused | None:
    """The refusal of an accept; None if it may, or has, gone through."""
    is_accepted = offramp.details.accepted_at is not None
    if offramp.status is Status.IN_REVIEW and not is_accepted:
        return ResourceConflict("this offramp is being reviewed; accept it after that")
    refusal: Refused | None = None
    match offramp.standing:
        case (
            Status.OPEN_QUOTE
            | Status.IN_REVIEW
            | Status.AWAITING_FUNDS
            | Status.CRYPTO_INITIATED
            | Status.CRYPTO_PENDING
            | Status.CRYPTO_PROCESSED
            | Status.FIAT_INITIATED
            | Status.FIAT_PENDING
            | Status.COMPLETED
        ):
            pass  # open; or accepted before, and answered as the first time
        case Status.CREATED | Status.PENDING_APPROVAL:
            refusal = QuoteNotFound("this offramp waits for its approval; it is quoted then")
        case Status.CRYPTO_FAILED | Status.FIAT_FAILED | Status.CRYPTO_RETURNED:
            refusal = QuoteInvalid("this offramp was accepted and has failed; create a new one")
        case Status.REJECTED | Status.EXPIRED:
            refusal = QuoteInvalid("this offramp was not approved; create a new one")
        case Status.QUOTE_FAILED:
            refusal = QuoteInvalid("the quote of this offramp has expired; create a new one")
        case Status.NOT_INITIATED:
            refusal = QuoteInvalid("this offramp was not carried out; create a new one")
    return refusal


def why_not_cancel(offramp: Offramp) -> Refused | None:
    """The refusal of a cancel; None if it may, or has, gone through."""
    if offramp.details.is_cancelled:
        return None
    if offramp.status is not Status.IN_REVIEW:
        return ResourceConflict(
            f"only an offramp that is IN_REVIEW can be cancelled; this one is {offramp.status}"
        )
    match offramp.standing:
        case (
            Status.PENDING_APPROVAL
            | Status.OPEN_QUOTE
            | Status.AWAITING_FUNDS
            | Status.CRYPTO_INITIATED
            | Status.CRYPTO_PROCESSED
        ):
            return None
        case Status.FIAT_FAILED:
            return ResourceConflict("the coins of this offramp are being given back already")
        case _:
            return ResourceConflict("coins or money of this offramp are under way; too late")


def why_not_review(offramp: Offramp) -> Refused | None:
    """The refusal of a request for information; None if one may be opened."""
    if MOVES.is_terminal(offramp.status):
        return ResourceConflict(f"this offramp is {offramp.status}: there is nothing to review")
    if offramp.status in {Status.IN_REVIEW, Status.CREATED}:
        return ResourceConflict("this offramp is being reviewed already")
    return None
