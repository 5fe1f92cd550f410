"""Screenings of payments: statuses, transitions, and destinations.

A screening is a record without journals: its payment holds the money meanwhile.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

import msgspec

from landbridge.customers.deposit_screening.model import (
    DECIDED_WITHIN,
    SCREENED_ASSETS,
    answer_facts,
)
from landbridge.ledger.model import AdvanceTransfer, CreateTransfer, Transfer
from landbridge.platform.core.ids import derived_id, new_id
from landbridge.platform.core.money import Money
from landbridge.platform.core.transitions import Transitions
from landbridge.providers.kyt.port import (
    SCREENED_WITHIN,
    RiskCategory,
    ScreeningReport,
    ScreeningVerdict,
)

KIND = "PAYMENT.SCREENING"
ACTOR = "worker"

REFUSED = "the destination was refused by screening"
HELD = "the screening of the destination has a hit: two people release or reject it"
INCOMPLETE = "the travel rule requires data about the destination that are missing"
UNANSWERED = "the screening of the destination has no answer: the provider is asked again"

# Fact of a payment with an order that waits for a screening: its version during the wait. Only
# postponements write it, so any advance of the payment invalidates it.
AWAITS = "awaits_screening"
# Bounds of the pause before a payment asks again, which grows with the time it has waited.
PAUSE_MIN, _PAUSE_MAX = timedelta(seconds=5), timedelta(minutes=5)


class PaymentScreeningStatus(StrEnum):
    """Status of a payment's screening: what it waits for, and who acts next."""

    IN_SCREENING = "IN_SCREENING"  # waits for the provider, which the payment's step asks
    HELD = "HELD"  # the provider has a hit: waits for two people, who release or reject it
    RELEASED = "RELEASED"  # final: the payment may be sent
    REJECTED = "REJECTED"  # final: the payment fails, and its money goes back
    VOID = "VOID"  # final: the payment ended without an answer or a decision


TRANSITIONS: Transitions[PaymentScreeningStatus] = Transitions(
    start=frozenset({PaymentScreeningStatus.IN_SCREENING}),
    table={
        PaymentScreeningStatus.IN_SCREENING: frozenset(
            {
                PaymentScreeningStatus.HELD,
                PaymentScreeningStatus.RELEASED,
                PaymentScreeningStatus.VOID,
            }
        ),
        PaymentScreeningStatus.HELD: frozenset(
            {
                PaymentScreeningStatus.RELEASED,
                PaymentScreeningStatus.REJECTED,
                PaymentScreeningStatus.VOID,
            }
        ),
        PaymentScreeningStatus.RELEASED: frozenset(),
        PaymentScreeningStatus.REJECTED: frozenset(),
        PaymentScreeningStatus.VOID: frozenset(),
    },
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenedDestination:
    """One destination of a payment outside the organisation's books.

    `name` identifies it within the payment: an address on a chain, or a bank account. So all orders
    of a payment to one destination share one screening, even if an order is sent again under
    another key. `payee` is personal data: it is sent to the provider, and not stored.
    """

    org_id: UUID
    payment_id: UUID
    name: str
    money: Money
    chain: str | None = None
    source_address: str | None = None
    address: str | None = None
    rail: str | None = None
    payee: Mapping[str, Any] | None = None

    @property
    def screening_id(self) -> UUID:
        """Return the id of its screening."""
        return derived_id(self.payment_id, f"screening/{self.name}")


class PaymentScreeningDetails(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Details of a screening in its record; the last four are facts of the provider's answer."""

    transfer_id: UUID
    transfer_kind: str
    chain: str | None = None
    source_address: str | None = None
    destination_address: str | None = None
    rail: str | None = None
    provider: str | None = None
    categories: list[RiskCategory] = []
    missing: list[str] = []
    reference: str | None = None


@dataclass(frozen=True, slots=True)
class PaymentScreening:
    """Screening of a payment's destination, decoded once from its record."""

    record: Transfer
    details: PaymentScreeningDetails
    status: PaymentScreeningStatus
    money: Money


def as_payment_screening(record: Transfer) -> PaymentScreening:
    """Decode the record of a screening."""
    return PaymentScreening(
        record=record,
        details=record.decode(PaymentScreeningDetails),
        status=PaymentScreeningStatus(record.status),
        money=Money(record.source_units, SCREENED_ASSETS[record.source_asset]),
    )


def begun(payment: Transfer, destination: ScreenedDestination, at: datetime) -> CreateTransfer:
    """Build the record of a screening.

    Its id is derived, so that it can be created only once. Its request id is random: clients could
    compute a derived one. The record becomes due only to detect that its payment has ended; the
    provider is asked by the payment's own step (service.py).
    """
    details = PaymentScreeningDetails(
        transfer_id=payment.id,
        transfer_kind=payment.kind,
        chain=destination.chain,
        source_address=destination.source_address,
        destination_address=destination.address,
        rail=destination.rail,
    )
    return CreateTransfer(
        org_id=destination.org_id,
        id=destination.screening_id,
        kind=KIND,
        user_id=payment.user_id,
        request_id=new_id(),
        request={"transferId": str(payment.id), "destination": str(destination.screening_id)},
        path=(PaymentScreeningStatus.IN_SCREENING,),
        source=destination.money,
        destination=destination.money,
        details=msgspec.to_builtins(details),
        due_at=at + SCREENED_WITHIN,
        at=at,
        actor=ACTOR,
        journals={},
    )


def answered(record: Transfer, report: ScreeningReport, at: datetime) -> AdvanceTransfer:
    """Build the advance of a screening after the provider's final answer."""
    facts = answer_facts(report)
    if report.verdict is ScreeningVerdict.HIT:
        due_at = at + DECIDED_WITHIN
        return _advance(record, PaymentScreeningStatus.HELD, ACTOR, at, facts=facts, due_at=due_at)
    return _advance(record, PaymentScreeningStatus.RELEASED, ACTOR, at, facts=facts)


def decided(
    record: Transfer, status: PaymentScreeningStatus, *, actor: str, at: datetime
) -> AdvanceTransfer:
    """Build the advance of a screening to RELEASED or REJECTED, by people, or to VOID."""
    return _advance(record, status, actor, at)


def is_awaiting(payment: Transfer) -> bool:
    """Return whether an order of a payment waits for a screening."""
    return payment.facts.get(AWAITS) == payment.version


def retry_at(waiting_since: datetime, now: datetime) -> datetime:
    """Return when a payment without an answer asks the provider again."""
    return now + min(max(now - waiting_since, PAUSE_MIN), _PAUSE_MAX)


def _advance(
    record: Transfer,
    status: PaymentScreeningStatus,
    actor: str,
    at: datetime,
    *,
    facts: Mapping[str, Any] | None = None,
    due_at: datetime | None = None,
) -> AdvanceTransfer:
    return AdvanceTransfer(
        record,
        path=(status,),
        change_type=_CHANGE_TYPES[status],
        actor=actor,
        at=at,
        due_at=due_at,
        facts=facts or {},
    )


_CHANGE_TYPES = {
    PaymentScreeningStatus.HELD: "hold",
    PaymentScreeningStatus.RELEASED: "release",
    PaymentScreeningStatus.REJECTED: "reject",
    PaymentScreeningStatus.VOID: "void",
}
