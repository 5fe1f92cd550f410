"""Payouts at a connected provider: what a provider answers, and what we store."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol
from uuid import UUID

import structlog

from landbridge.platform.core.errors import Unavailable, Unclear
from landbridge.platform.core.money import Money
from landbridge.providers.rails.calendar import settles_at
from landbridge.providers.rails.port import (
    PayeeVerification,
    PaymentTracking,
    PayoutDestination,
    RailPayment,
)
from landbridge.providers.sidecar.protocol import FAILURES, FailureCode, PayoutState

_log = structlog.stdlib.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class PayoutReport:
    """State of a payout as its provider reports it; `expected_in_s` is seconds from now."""

    state: PayoutState
    money: Money
    provider_reference: str
    tracking: PaymentTracking
    expected_in_s: int | None = None
    failure: FailureCode | None = None

    @property
    def reason(self) -> str:
        """Sentence about a failure."""
        if self.state is PayoutState.RETURNED and self.failure is None:
            return "the payee's bank returned it"
        return FAILURES[self.failure or FailureCode.OTHER]


class NothingDone(Unavailable):
    """It is certain that the provider did nothing, and will do nothing without another call.

    `is_unsent` if no connection was made; otherwise the provider says so itself.
    """

    def __init__(self, sentence: str, *, is_unsent: bool = False) -> None:
        self.is_unsent = is_unsent
        super().__init__(sentence)


class AnswerUnusable(Unclear):
    """The provider answered something that we must not act on; `problem` says what."""

    def __init__(self, problem: "OrderProblem", sentence: str) -> None:
        self.problem = problem
        super().__init__(sentence)


class OrderProblem(StrEnum):
    """Why an order needs a person: its provider said something that can't be acted on."""

    ANSWER_INVALID = "ANSWER_INVALID"  # malformed, too long, wrongly signed, or an error
    KEY_CONFLICT = "KEY_CONFLICT"  # the provider knows our key with another payment
    AMOUNT_DIFFERS = "AMOUNT_DIFFERS"  # the provider pays another amount or currency
    CONTRADICTION = "CONTRADICTION"  # the answer contradicts an earlier one
    RETURNED_LATE = "RETURNED_LATE"  # returned after it was settled


class PayoutProvider(Protocol):
    """Provider of payouts: a sidecar, or a Python package. Never called inside a transaction.

    A provider stores no state here: the caller remembers what it was asked and what it answered.
    """

    async def pay(self, payment: RailPayment, *, returns: str | None = None) -> PayoutReport:
        """Submit a payout, once per key, and return its state.

        With `returns` it returns the credit of this id to its sender: the payee is not sent.
        Raises `Rejected` (final: nothing was paid, and nothing will be under this key),
        `NothingDone` (certain), `AnswerUnusable` and `Unclear` (query the key).
        """
        ...

    async def find(self, org_id: UUID, key: UUID, money: Money, rail: str) -> PayoutReport | None:
        """Return the state of a payout; None if the provider does not know the key.

        Raises `Unavailable`, `AnswerUnusable` and `Unclear`.
        """
        ...

    async def verify_payee(self, destination: PayoutDestination) -> PayeeVerification:
        """Return whether the payee's bank knows the account under this name.

        Raises `Unavailable`, `AnswerUnusable` and `Unclear`.
        """
        ...


def warn_of_problem(provider: str, key: UUID, problem: StrEnum) -> None:
    """Log that a provider's answer about this key needs a person."""
    _log.warning("provider.problem", provider=provider, order=str(key), reason=problem.value)


class ProviderOrderState(StrEnum):
    """State of an order, as far as we know."""

    ASSIGNED = "ASSIGNED"
    """A provider: it was chosen, and may have the order once `open_calls` is not zero."""
    PENDING = "PENDING"
    """The provider, which accepted it."""
    SETTLED = "SETTLED"
    """Nothing: final."""
    FAILED = "FAILED"
    """Nothing: final, the provider refused or returned it."""


FINAL = frozenset({ProviderOrderState.SETTLED, ProviderOrderState.FAILED})


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderOrder:
    """Order of a payout at one provider. Holds nothing about the payee.

    `open_calls` counts the calls whose outcome is not known to be nothing. Times are those of the
    organisation.
    """

    org_id: UUID
    key: UUID
    record_id: UUID
    provider: str
    money: Money
    rail: str
    is_same_day: bool
    state: ProviderOrderState
    open_calls: int
    tracking: PaymentTracking | None
    provider_reference: str | None
    reason: str | None
    problem: OrderProblem | None
    created_at: datetime
    answered_at: datetime | None
    expected_at: datetime | None


# A payout that is not final this long after it should have settled is stuck.
_OVERDUE_AFTER = timedelta(days=1)


def overdue_at(rail: str, created_at: datetime, *, is_same_day: bool) -> datetime:
    """Return when a payout that is not final is stuck: it is still queried after this."""
    return settles_at(rail, created_at, is_same_day=is_same_day) + _OVERDUE_AFTER


@dataclass(frozen=True, slots=True)
class WaitingOrder:
    """Order that is not final; `overdue_at` is when it is stuck. Times of the organisation.

    A screening has the record of the screening.
    """

    record_id: UUID
    since: datetime
    overdue_at: datetime
    problem: OrderProblem | None = None
    is_screening: bool = False


@dataclass(frozen=True, slots=True)
class WaitingOrders:
    """Orders that are not final: the number of all, and the oldest ones."""

    count: int
    oldest: tuple[WaitingOrder, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderDecision:
    """What an answer makes of an order; None leaves a member as it is."""

    state: ProviderOrderState
    reason: str | None
    problem: OrderProblem | None


def decide(order: ProviderOrder, report: PayoutReport) -> OrderDecision:
    """Return what a report makes of an order. A final state never changes.

    A late `pending` says nothing about a final order: the answer may have been on its way before.
    """
    kept = OrderDecision(state=order.state, reason=order.reason, problem=order.problem)
    if order.provider_reference not in {None, report.provider_reference}:
        return replace(kept, problem=OrderProblem.CONTRADICTION)
    if order.state in FINAL:
        problem = _PROBLEMS.get((order.state, report.state), order.problem)
        return replace(kept, problem=problem)
    state = _STATES[report.state]
    reason = report.reason if state is ProviderOrderState.FAILED else None
    return OrderDecision(state=state, reason=reason, problem=None)


_STATES = {
    PayoutState.PENDING: ProviderOrderState.PENDING,
    PayoutState.SETTLED: ProviderOrderState.SETTLED,
    PayoutState.FAILED: ProviderOrderState.FAILED,
    PayoutState.RETURNED: ProviderOrderState.FAILED,
}
_PROBLEMS = {
    (ProviderOrderState.SETTLED, PayoutState.RETURNED): OrderProblem.RETURNED_LATE,
    (ProviderOrderState.SETTLED, PayoutState.FAILED): OrderProblem.CONTRADICTION,
    (ProviderOrderState.FAILED, PayoutState.SETTLED): OrderProblem.CONTRADICTION,
}
