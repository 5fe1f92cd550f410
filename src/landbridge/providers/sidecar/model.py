"""Payouts at a connected provider: reports of providers, and stored orders."""

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
    """State of a payout as its provider reports it; `expected_in_s` counts from now."""

    state: PayoutState
    money: Money
    provider_reference: str
    tracking: PaymentTracking
    expected_in_s: int | None = None
    failure: FailureCode | None = None

    @property
    def reason(self) -> str:
        """Return a sentence about the failure."""
        if self.state is PayoutState.RETURNED and self.failure is None:
            return "the payee's bank returned it"
        return FAILURES[self.failure or FailureCode.OTHER]


class NothingDone(Unavailable):
    """The provider certainly did nothing, and will do nothing without another call.

    `is_unsent` is True if no connection was made; otherwise the provider has confirmed it.
    """

    def __init__(self, sentence: str, *, is_unsent: bool = False) -> None:
        self.is_unsent = is_unsent
        super().__init__(sentence)


class AnswerUnusable(Unclear):
    """The provider's answer must not be acted on; `problem` says why."""

    def __init__(self, problem: "OrderProblem", sentence: str) -> None:
        self.problem = problem
        super().__init__(sentence)


class OrderProblem(StrEnum):
    """Why an order needs a person: the provider's answer can't be acted on."""

    ANSWER_INVALID = "ANSWER_INVALID"  # malformed, too long, wrongly signed, or an error
    KEY_CONFLICT = "KEY_CONFLICT"  # the provider has another payment under our key
    AMOUNT_DIFFERS = "AMOUNT_DIFFERS"  # the provider pays another amount or currency
    CONTRADICTION = "CONTRADICTION"  # the answer contradicts an earlier one
    RETURNED_LATE = "RETURNED_LATE"  # returned after it was settled


class PayoutProvider(Protocol):
    """Provider of payouts: a sidecar or a Python package. Never called inside a transaction.

    A provider object stores nothing: the caller stores calls and answers.
    """

    async def pay(self, payment: RailPayment, *, returns: str | None = None) -> PayoutReport:
        """Submit a payout once per key, and return its state.

        With `returns`, the provider returns the credit with this id to its sender, and the payee is
        not sent. Raises `Rejected` (final: nothing was or will be paid under this key),
        `NothingDone` (certain), `AnswerUnusable` and `Unclear` (query the key).
        """
        ...

    async def find(self, org_id: UUID, key: UUID, money: Money, rail: str) -> PayoutReport | None:
        """Return the state of a payout; None if the provider does not have the key.

        Raises `Unavailable`, `AnswerUnusable` and `Unclear`.
        """
        ...

    async def verify_payee(self, destination: PayoutDestination) -> PayeeVerification:
        """Return whether the payee's bank has the account under this name.

        Raises `Unavailable`, `AnswerUnusable` and `Unclear`.
        """
        ...


def warn_of_problem(provider: str, key: UUID, problem: StrEnum) -> None:
    """Log that a provider's answer about this key needs a person."""
    _log.warning("provider.problem", provider=provider, order=str(key), reason=problem.value)


class ProviderOrderState(StrEnum):
    """State of an order as far as we know."""

    ASSIGNED = "ASSIGNED"
    """Assigned to a provider, which may have the order once `open_calls` is not zero."""
    PENDING = "PENDING"
    """The provider has accepted it; its result is awaited."""
    SETTLED = "SETTLED"
    """Final: the provider has executed it."""
    FAILED = "FAILED"
    """Final: the provider refused or returned it."""


FINAL = frozenset({ProviderOrderState.SETTLED, ProviderOrderState.FAILED})


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderOrder:
    """Order of a payout at one provider. Contains nothing about the payee.

    `open_calls` counts calls that may have had an effect. Times are organisation time.
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


# Time after the expected settlement at which a payout that is not final counts as stuck.
_OVERDUE_AFTER = timedelta(days=1)


def overdue_at(rail: str, created_at: datetime, *, is_same_day: bool) -> datetime:
    """Return when a payout that is not final counts as stuck; it is still queried after that."""
    return settles_at(rail, created_at, is_same_day=is_same_day) + _OVERDUE_AFTER


@dataclass(frozen=True, slots=True)
class WaitingOrder:
    """Order or screening that is not final; `overdue_at` is when it counts as stuck.

    `record_id` of a screening is its deposit or payment. Times are organisation time.
    """

    record_id: UUID
    since: datetime
    overdue_at: datetime
    problem: OrderProblem | None = None
    is_screening: bool = False


@dataclass(frozen=True, slots=True)
class WaitingOrders:
    """Orders that are not final: their total number, and the oldest ones."""

    count: int
    oldest: tuple[WaitingOrder, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderDecision:
    """Effect of an answer on an order; None leaves a member unchanged."""

    state: ProviderOrderState
    reason: str | None
    problem: OrderProblem | None


def decide(order: ProviderOrder, report: PayoutReport) -> OrderDecision:
    """Return the effect of a report on an order. A final state never changes.

    A late `pending` does not contradict a final state: that answer may be older.
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
