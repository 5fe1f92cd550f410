"""Disbursements: states and details.

A disbursement belongs to a payment (`payments/disbursing.py`) and is opened with a move of it. Its
coins are the house's when it opens, so it can't fail: a refused order is given again under its next
key, until it is confirmed or a person settles it.
"""

from datetime import timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

import msgspec

from landbridge.chains.tokens import ASSETS
from landbridge.core.money import Money
from landbridge.core.states import Moves
from landbridge.ledger.model import Role, Transfer
from landbridge.payments.disbursing import Purpose
from landbridge.payments.waits import Party, Wait, Waits

KIND = "DISBURSEMENT"

# The name of its order; the facts `payment_tries` and `payment_refusal` follow from it.
ORDER = "payment"


class Status(StrEnum):
    """Where a disbursement stands."""

    CREATED = "CREATED"  # the worker claims the order, unless the beneficiary is frozen
    INITIATED = "INITIATED"  # the chain may have the order; the worker gives or looks it up
    COMPLETED = "COMPLETED"  # the chain has confirmed it


MOVES: Moves[Status] = Moves(
    start=frozenset({Status.CREATED}),
    table={
        Status.CREATED: frozenset({Status.INITIATED}),
        # To itself: a reviewer redirected it.
        Status.INITIATED: frozenset({Status.INITIATED, Status.COMPLETED}),
        Status.COMPLETED: frozenset(),
    },
)

# An order that is refused for an hour has been refused six times: a person should look at it. So
# they should at a beneficiary who is frozen for so long.
WAITS = Waits(
    MOVES,
    {
        Status.CREATED: Wait(Party.WORKER, timedelta(hours=1)),
        Status.INITIATED: Wait(Party.CHAIN, timedelta(hours=1)),
    },
)


class Details(msgspec.Struct, frozen=True, kw_only=True):
    """What is a disbursement's own in its record.

    `reference` tells the disbursements of a payment apart (`DisbursementRequest`). The coins are
    booked from `role` to `account_id`, or out of the platform where that is None.
    """

    payment_id: UUID
    payment_kind: str
    purpose: Purpose
    reference: str
    role: Role
    source_address: str
    address: str
    account_id: UUID | None
    # The user who receives the coins; None if they leave the platform.
    user_id: UUID | None
    # Facts that changes add.
    is_settled_outside: bool = False
    transaction_hash: str | None = None
    user_op_hash: str | None = None
    # Facts of how it waits: how often its order was refused, the last reason, why it isn't claimed.
    payment_tries: int = 0
    payment_refusal: str | None = None
    blocked_reason: str | None = None


class Disbursement(msgspec.Struct, frozen=True, kw_only=True):
    """A record, decoded once: every reply and every posting reads these."""

    record: Transfer
    details: Details
    status: Status
    money: Money

    @property
    def receiver(self) -> UUID | Role:
        """The account that is credited."""
        return self.details.account_id or Role.OUTSIDE

    @property
    def blocked_reason(self) -> str | None:
        """Return why its order was not claimed when the worker last tried; None once it is."""
        return self.details.blocked_reason if self.status is Status.CREATED else None

    @property
    def checked_user_ids(self) -> tuple[UUID, ...]:
        """The users who may not be frozen when it is paid."""
        user_id = self.details.user_id
        return () if user_id is None else (user_id,)


def as_disbursement(record: Transfer) -> Disbursement:
    """Decode a record of this kind."""
    decoded: dict[str, Any] = {**record.details, **record.facts}
    return Disbursement(
        record=record,
        details=msgspec.convert(decoded, Details, strict=False),
        status=Status(record.status),
        money=Money(record.source_units, ASSETS[record.source_asset]),
    )
