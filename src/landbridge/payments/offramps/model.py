"""Offramps: statuses, details, and the reasons why a verb is refused.

Source: spec.md (approvals, amount_in_usd), contract, lifecycles 8, interface/offramp.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from uuid import UUID

import msgspec

from landbridge.ledger.model import HouseRole, Transfer
from landbridge.payments.engine.amounts import in_usd
from landbridge.payments.engine.errors import QuoteNotFound
from landbridge.payments.engine.wait_states import WaitParty, WaitState, WaitStates
from landbridge.payments.offramps.fees import FeeLine, OfframpFee, compute_fees
from landbridge.payments.quotes.errors import QuoteInvalid
from landbridge.platform.core.errors import Refused, ResourceConflict
from landbridge.platform.core.money import Money
from landbridge.platform.core.transitions import Transitions
from landbridge.providers.chains.tokens import ASSETS
from landbridge.providers.rails.currencies import FIAT_ASSETS

KIND = "OFFRAMP"

# Source: contract, lifecycles 1.4: ten minutes in every sample of an offramp.
QUOTE_LIFETIME = timedelta(minutes=10)


class OfframpStatus(StrEnum):
    """Status of an offramp."""

    CREATED = "CREATED"  # recorded; continues at once to OPEN_QUOTE or PENDING_APPROVAL
    PENDING_APPROVAL = "PENDING_APPROVAL"  # holds funds; awaits an admin, for a day at most
    NOT_INITIATED = "NOT_INITIATED"  # cancelled, or a user frozen, before any coins were debited
    OPEN_QUOTE = "OPEN_QUOTE"  # awaits acceptance until the worker expires the quote
    QUOTE_FAILED = "QUOTE_FAILED"  # expired before acceptance or payment, or could not be quoted
    IN_REVIEW = "IN_REVIEW"  # awaits the end of a request for information, or a cancel
    AWAITING_FUNDS = "AWAITING_FUNDS"  # accepted; awaits external coins until the quote expires
    CRYPTO_INITIATED = "CRYPTO_INITIATED"  # accepted and funded; the worker claims the debit
    CRYPTO_PENDING = "CRYPTO_PENDING"  # the debit is submitted; the worker polls the chain
    CRYPTO_PROCESSED = "CRYPTO_PROCESSED"  # the coins are ours; the worker claims the payout
    CRYPTO_FAILED = "CRYPTO_FAILED"  # the chain rejected the debit; nothing was debited
    FIAT_INITIATED = "FIAT_INITIATED"  # the payout is claimed; the worker submits it to the bank
    FIAT_PENDING = (
        "FIAT_PENDING"  # the bank has the payout; the worker polls when settlement is due
    )
    FIAT_FAILED = "FIAT_FAILED"  # the payout failed; the worker refunds the coins
    CRYPTO_RETURNED = "CRYPTO_RETURNED"  # the coins were returned to their source
    COMPLETED = "COMPLETED"  # paid out; a reviewer reopens it if the bank returns the payout
    REJECTED = "REJECTED"  # an admin rejected it
    EXPIRED = "EXPIRED"  # not approved in time


TRANSITIONS: Transitions[OfframpStatus] = Transitions(
    start=frozenset({OfframpStatus.CREATED}),
    table={
        OfframpStatus.CREATED: frozenset(
            {OfframpStatus.OPEN_QUOTE, OfframpStatus.PENDING_APPROVAL}
        ),
        OfframpStatus.PENDING_APPROVAL: frozenset(
            {
                OfframpStatus.OPEN_QUOTE,
                OfframpStatus.REJECTED,
                OfframpStatus.EXPIRED,
                OfframpStatus.QUOTE_FAILED,
                OfframpStatus.IN_REVIEW,
            }
        ),
        OfframpStatus.NOT_INITIATED: frozenset(),
        OfframpStatus.OPEN_QUOTE: frozenset(
            {
                OfframpStatus.CRYPTO_INITIATED,
                OfframpStatus.AWAITING_FUNDS,
                OfframpStatus.QUOTE_FAILED,
                OfframpStatus.IN_REVIEW,
            }
        ),
        OfframpStatus.QUOTE_FAILED: frozenset(),
        # A review ends in the previous status, in a final one or, if the offramp is cancelled
        # after the debit, in the refund.
        OfframpStatus.IN_REVIEW: frozenset(
            {
                OfframpStatus.PENDING_APPROVAL,
                OfframpStatus.OPEN_QUOTE,
                OfframpStatus.AWAITING_FUNDS,
                OfframpStatus.CRYPTO_INITIATED,
                OfframpStatus.CRYPTO_PENDING,
                OfframpStatus.CRYPTO_PROCESSED,
                OfframpStatus.FIAT_INITIATED,
                OfframpStatus.FIAT_PENDING,
                OfframpStatus.FIAT_FAILED,
                OfframpStatus.NOT_INITIATED,
                OfframpStatus.QUOTE_FAILED,
                OfframpStatus.REJECTED,
                OfframpStatus.EXPIRED,
            }
        ),
        OfframpStatus.AWAITING_FUNDS: frozenset(
            {
                OfframpStatus.CRYPTO_INITIATED,
                OfframpStatus.FIAT_FAILED,
                OfframpStatus.QUOTE_FAILED,
                OfframpStatus.IN_REVIEW,
            }
        ),
        OfframpStatus.CRYPTO_INITIATED: frozenset(
            {
                OfframpStatus.CRYPTO_PENDING,
                OfframpStatus.NOT_INITIATED,
                OfframpStatus.FIAT_FAILED,
                OfframpStatus.IN_REVIEW,
            }
        ),
        OfframpStatus.CRYPTO_PENDING: frozenset(
            {OfframpStatus.CRYPTO_PROCESSED, OfframpStatus.CRYPTO_FAILED, OfframpStatus.IN_REVIEW}
        ),
        OfframpStatus.CRYPTO_PROCESSED: frozenset(
            {OfframpStatus.FIAT_INITIATED, OfframpStatus.FIAT_FAILED, OfframpStatus.IN_REVIEW}
        ),
        OfframpStatus.CRYPTO_FAILED: frozenset(),
        OfframpStatus.FIAT_INITIATED: frozenset(
            {OfframpStatus.FIAT_PENDING, OfframpStatus.FIAT_FAILED, OfframpStatus.IN_REVIEW}
        ),
        OfframpStatus.FIAT_PENDING: frozenset(
            {OfframpStatus.COMPLETED, OfframpStatus.FIAT_FAILED, OfframpStatus.IN_REVIEW}
        ),
        # The transition to itself records that the refund was redirected.
        OfframpStatus.FIAT_FAILED: frozenset(
            {OfframpStatus.FIAT_FAILED, OfframpStatus.CRYPTO_RETURNED, OfframpStatus.IN_REVIEW}
        ),
        OfframpStatus.CRYPTO_RETURNED: frozenset(),
        OfframpStatus.COMPLETED: frozenset(),
        OfframpStatus.REJECTED: frozenset(),
        OfframpStatus.EXPIRED: frozenset(),
    },
    reopens={OfframpStatus.COMPLETED: frozenset({OfframpStatus.FIAT_FAILED})},
)

# Statuses at which the bank may have the payout.
PAYING_OUT = frozenset({OfframpStatus.FIAT_INITIATED, OfframpStatus.FIAT_PENDING})

# SLA: a chain takes an hour at most. A bank gives its own date; after a week, escalate.
WAITS = WaitStates(
    TRANSITIONS,
    {
        OfframpStatus.CREATED: WaitState(WaitParty.WORKER),
        OfframpStatus.PENDING_APPROVAL: WaitState(WaitParty.ADMIN),
        OfframpStatus.OPEN_QUOTE: WaitState(WaitParty.CLIENT),
        OfframpStatus.IN_REVIEW: WaitState(WaitParty.REVIEWER, timedelta(days=1)),
        OfframpStatus.AWAITING_FUNDS: WaitState(WaitParty.SENDER),
        OfframpStatus.CRYPTO_INITIATED: WaitState(WaitParty.WORKER),
        OfframpStatus.CRYPTO_PENDING: WaitState(WaitParty.CHAIN, timedelta(hours=1)),
        OfframpStatus.CRYPTO_PROCESSED: WaitState(WaitParty.WORKER),
        OfframpStatus.FIAT_INITIATED: WaitState(WaitParty.BANK),
        OfframpStatus.FIAT_PENDING: WaitState(WaitParty.BANK, timedelta(days=7)),
        OfframpStatus.FIAT_FAILED: WaitState(WaitParty.CHAIN, timedelta(hours=1)),
    },
)


class OfframpDetails(msgspec.Struct, frozen=True, kw_only=True):
    """Details of an offramp's record; units are in the record's assets.

    Only the id of the bank account is stored: the payee is personal data, read when the payout is
    submitted. References and descriptions are stored apart for the same reason (texts.py);
    `purpose` is a value of a fixed list.
    """

    source_address: str
    # The organisation's own address, which receives the coins.
    destination_address: str
    # The paying wallet and its ledger account; None for external coins.
    source_wallet_id: UUID | None
    source_account_id: UUID | None
    external_wallet_id: UUID | None
    # Address of a refund; without a ledger account the refunded coins leave the platform.
    return_address: str
    return_account_id: UUID | None
    # User of the return account; None in records that were created before this field existed.
    return_user_id: UUID | None = None
    destination_user_id: UUID
    account_id: UUID
    payment_rail: str
    # Name of the price, if it is not the name of the currency.
    corridor: str | None
    is_same_day: bool
    is_exact_out: bool
    needs_approval: bool
    purpose: str | None = None
    fees: tuple[FeeLine, ...]
    # The quote; if it is made after an approval, facts of the record replace these values.
    amount_units: int
    exchange_fee_units: int
    rate: Decimal
    # None until there is a quote to accept.
    quote_expires_at: datetime | None
    # The fields below are facts, which transitions add after the creation.
    held_units: int = 0
    accepted_at: datetime | None = None
    failed_reason: str | None = None
    # During a review: the status to which the offramp returns, and the deadline of that status.
    reviewed_from: OfframpStatus | None = None
    review_due_at: datetime | None = None
    is_cancelled: bool = False
    # Hash of the transaction that debits the wallet; for external coins, of that with the fees.
    transaction_hash: str | None = None
    user_op_hash: str | None = None
    is_processed: bool = False
    # Only of external coins: hash and amount of their deposit.
    deposit_hash: str | None = None
    received_units: int = 0
    tracking: dict[str, str | None] | None = None
    return_transaction_hash: str | None = None
    return_user_op_hash: str | None = None
    # Whether a refund reached its owner by other means than an order of ours.
    is_settled_outside: bool = False
    # Amount of the settled payout that the bank returned.
    payout_returned_units: int | None = None


class Offramp(msgspec.Struct, frozen=True, kw_only=True):
    """Offramp record, decoded once for all replies and postings."""

    record: Transfer
    details: OfframpDetails
    status: OfframpStatus
    gross: Money  # debited from the wallet, the organisation's fees included
    amount: Money  # converted
    exchange_fee: Money  # our fee, part of `amount`
    fees: tuple[OfframpFee, ...]  # the organisation's own fees, on top of `amount`
    receive: Money  # credited to the bank account

    @property
    def is_external(self) -> bool:
        """Whether the coins come from an external wallet."""
        return self.details.source_account_id is None

    @property
    def held(self) -> Money:
        """Coins held in the wallet for this offramp."""
        return Money(self.details.held_units, self.gross.asset)

    @property
    def received(self) -> Money:
        """Coins received from the external wallet."""
        return Money(self.details.received_units, self.gross.asset)

    @property
    def returned(self) -> Money:
        """Coins that are refunded if the payout fails; fees already paid are not included."""
        is_whole = self.is_external and not self.details.is_processed
        return self.received if is_whole else self.amount

    @property
    def returns_to(self) -> UUID | HouseRole:
        """Account that receives the refund."""
        return self.details.return_account_id or HouseRole.OUTSIDE

    @property
    def party_user_ids(self) -> tuple[UUID, ...]:
        """Ids of the paying and the paid user."""
        return (self.record.user_id, self.details.destination_user_id)

    @property
    def beneficiaries(self) -> tuple[UUID, ...]:
        """Ids of the users who receive a fee with the debit."""
        return tuple(each.user_id for each in self.details.fees if each.user_id is not None)

    @property
    def required_active_user_ids(self) -> tuple[UUID, ...]:
        """Ids of the users who must all be active until the offramp is accepted.

        The user of the return wallet is included, because a refund goes there after the accept even
        if that user is frozen by then.
        """
        back = self.details.return_user_id
        return (*self.party_user_ids, *self.beneficiaries, *([] if back is None else [back]))

    @property
    def state(self) -> OfframpStatus:
        """The status; during a review, the status before it."""
        return self.details.reviewed_from or self.status

    @property
    def amount_in_usd(self) -> Decimal:
        """The converted amount in dollars and cents, one coin counted as one dollar."""
        return in_usd(self.amount)


def as_offramp(record: Transfer) -> Offramp:
    """Decode a record of this kind."""
    details = record.decode(OfframpDetails)
    source = ASSETS[record.source_asset]
    amount = Money(details.amount_units, source)
    return Offramp(
        record=record,
        details=details,
        status=OfframpStatus(record.status),
        gross=Money(record.source_units, source),
        amount=amount,
        exchange_fee=Money(details.exchange_fee_units, source),
        fees=compute_fees(details.fees, amount),
        receive=Money(record.destination_units, FIAT_ASSETS[record.destination_asset]),
    )


def as_offramps(records: Sequence[Transfer]) -> list[Offramp]:
    """Decode several records."""
    return [as_offramp(each) for each in records]


def accept_refusal(offramp: Offramp) -> Refused | None:
    """Return why an accept is refused; None if it is possible, or a repetition."""
    is_accepted = offramp.details.accepted_at is not None
    if offramp.status is OfframpStatus.IN_REVIEW and not is_accepted:
        return ResourceConflict("this offramp is in review; accept it after the review")
    refusal: Refused | None = None
    match offramp.state:
        case (
            OfframpStatus.OPEN_QUOTE
            | OfframpStatus.IN_REVIEW
            | OfframpStatus.AWAITING_FUNDS
            | OfframpStatus.CRYPTO_INITIATED
            | OfframpStatus.CRYPTO_PENDING
            | OfframpStatus.CRYPTO_PROCESSED
            | OfframpStatus.FIAT_INITIATED
            | OfframpStatus.FIAT_PENDING
            | OfframpStatus.COMPLETED
        ):
            pass  # an open quote, or a repeated accept, which gets the first reply
        case OfframpStatus.CREATED | OfframpStatus.PENDING_APPROVAL:
            refusal = QuoteNotFound("this offramp awaits its approval; it is quoted afterwards")
        case (
            OfframpStatus.CRYPTO_FAILED | OfframpStatus.FIAT_FAILED | OfframpStatus.CRYPTO_RETURNED
        ):
            refusal = QuoteInvalid("this offramp was accepted and has failed; create a new one")
        case OfframpStatus.REJECTED | OfframpStatus.EXPIRED:
            refusal = QuoteInvalid("this offramp was not approved; create a new one")
        case OfframpStatus.QUOTE_FAILED:
            refusal = QuoteInvalid("the quote of this offramp has expired; create a new one")
        case OfframpStatus.NOT_INITIATED:
            refusal = QuoteInvalid("this offramp was not executed; create a new one")
    return refusal


def cancel_refusal(offramp: Offramp) -> Refused | None:
    """Return why a cancel is refused; None if it is possible, or a repetition."""
    if offramp.details.is_cancelled:
        return None
    if offramp.status is not OfframpStatus.IN_REVIEW:
        return ResourceConflict(
            f"only an offramp that is IN_REVIEW can be cancelled; this one is {offramp.status}"
        )
    match offramp.state:
        case (
            OfframpStatus.PENDING_APPROVAL
            | OfframpStatus.OPEN_QUOTE
            | OfframpStatus.AWAITING_FUNDS
            | OfframpStatus.CRYPTO_INITIATED
            | OfframpStatus.CRYPTO_PROCESSED
        ):
            return None
        case OfframpStatus.FIAT_FAILED:
            return ResourceConflict("the coins of this offramp are being refunded already")
        case _:
            return ResourceConflict(
                "coins or fiat of this offramp are in transit: it can't be cancelled"
            )


def review_refusal(offramp: Offramp) -> Refused | None:
    """Return why a request for information is refused; None if one may be opened."""
    if TRANSITIONS.is_terminal(offramp.status):
        return ResourceConflict(f"this offramp is {offramp.status}: there is nothing to review")
    if offramp.status in {OfframpStatus.IN_REVIEW, OfframpStatus.CREATED}:
        return ResourceConflict("this offramp is in review already")
    return None
