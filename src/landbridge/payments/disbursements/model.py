"""Disbursements: states and details.

A disbursement belongs to a payment (`payments/engine/disbursement_requests.py`) and is created with
an advance of that payment. From then on its coins belong to the organisation, so it can't fail: a
refused order is sent again under its next key, until it is confirmed or a person settles it.
"""

from datetime import timedelta
from enum import StrEnum
from uuid import UUID

import msgspec

from landbridge.ledger.model import HouseRole, Transfer
from landbridge.payments.engine.disbursement_requests import DisbursementPurpose
from landbridge.payments.engine.wait_states import WaitParty, WaitState, WaitStates
from landbridge.platform.core.money import Money
from landbridge.platform.core.transitions import Transitions
from landbridge.providers.chains.tokens import ASSETS

KIND = "DISBURSEMENT"

# Name of its order; the facts `payment_attempts` and `payment_refusal` are derived from it.
ORDER = "payment"


class DisbursementStatus(StrEnum):
    """Status of a disbursement."""

    CREATED = "CREATED"  # the worker claims the order, unless the recipient is frozen
    INITIATED = "INITIATED"  # the chain may have the order; the worker sends or finds it
    COMPLETED = "COMPLETED"  # the chain has confirmed it


TRANSITIONS: Transitions[DisbursementStatus] = Transitions(
    start=frozenset({DisbursementStatus.CREATED}),
    table={
        DisbursementStatus.CREATED: frozenset({DisbursementStatus.INITIATED}),
        # The transition to itself records that a reviewer redirected it.
        DisbursementStatus.INITIATED: frozenset(
            {DisbursementStatus.INITIATED, DisbursementStatus.COMPLETED}
        ),
        DisbursementStatus.COMPLETED: frozenset(),
    },
)

# Time limits: an order that is refused for an hour has been refused six times, so a person should
# check it. The same applies to a recipient who is frozen for an hour.
WAITS = WaitStates(
    TRANSITIONS,
    {
        DisbursementStatus.CREATED: WaitState(WaitParty.WORKER, timedelta(hours=1)),
        DisbursementStatus.INITIATED: WaitState(WaitParty.CHAIN, timedelta(hours=1)),
    },
)


class DisbursementDetails(msgspec.Struct, frozen=True, kw_only=True):
    """Details of a disbursement in its record.

    `reference` distinguishes the disbursements of a payment (`DisbursementRequest`). The coins are
    booked from `role` to `account_id`, or out of the platform if that is None.
    """

    payment_id: UUID
    payment_kind: str
    purpose: DisbursementPurpose
    reference: str
    role: HouseRole
    source_address: str
    address: str
    account_id: UUID | None
    # The user who receives the coins; None if they leave the platform.
    user_id: UUID | None
    # The fields below are facts, which transitions add after the creation.
    is_settled_outside: bool = False
    transaction_hash: str | None = None
    user_op_hash: str | None = None
    # Facts of postponements: refusals of its order, the last reason, and why it isn't claimed.
    payment_attempts: int = 0
    payment_refusal: str | None = None
    blocked_reason: str | None = None


class Disbursement(msgspec.Struct, frozen=True, kw_only=True):
    """Disbursement, decoded once from its record for replies and postings."""

    record: Transfer
    details: DisbursementDetails
    status: DisbursementStatus
    money: Money

    @property
    def receiver(self) -> UUID | HouseRole:
        """Return the account that is credited."""
        return self.details.account_id or HouseRole.OUTSIDE

    @property
    def blocked_reason(self) -> str | None:
        """Return why its order was not claimed at the last attempt; None once it is claimed."""
        return self.details.blocked_reason if self.status is DisbursementStatus.CREATED else None

    @property
    def checked_user_ids(self) -> tuple[UUID, ...]:
        """Return the users who may not be frozen when it is paid."""
        user_id = self.details.user_id
        return () if user_id is None else (user_id,)


def as_disbursement(record: Transfer) -> Disbursement:
    """Decode a disbursement record."""
    return Disbursement(
        record=record,
        details=record.decode(DisbursementDetails),
        status=DisbursementStatus(record.status),
        money=Money(record.source_units, ASSETS[record.source_asset]),
    )
