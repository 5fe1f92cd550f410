"""Receivables: states, details, and why one can't be closed."""

from datetime import timedelta
from enum import StrEnum
from uuid import UUID

import msgspec

from landbridge.core.errors import Refused, ResourceConflict
from landbridge.core.money import Money
from landbridge.core.states import Moves
from landbridge.ledger.model import Transfer
from landbridge.payments.waits import Party, Wait, Waits
from landbridge.rails.currencies import FIAT_ASSETS

KIND = "RECEIVABLE"

# How long a user may take to pay before it is listed as stuck.
PAID_WITHIN = timedelta(days=30)


class Status(StrEnum):
    """Where a receivable stands."""

    OPEN = "OPEN"  # waits for a reviewer: the user pays, or it is written off
    RECOVERED = "RECOVERED"  # the user has paid it back by bank
    WRITTEN_OFF = "WRITTEN_OFF"  # the organisation bears the loss


MOVES: Moves[Status] = Moves(
    start=frozenset({Status.OPEN}),
    table={
        Status.OPEN: frozenset({Status.RECOVERED, Status.WRITTEN_OFF}),
        Status.RECOVERED: frozenset(),
        Status.WRITTEN_OFF: frozenset(),
    },
)

WAITS = Waits(MOVES, {Status.OPEN: Wait(Party.REVIEWER, PAID_WITHIN)})


class Details(msgspec.Struct, frozen=True, kw_only=True):
    """What is a receivable's own in its record; its amount is the record's."""

    payment_id: UUID
    payment_kind: str
    # A sentence of ours, without personal data.
    reason: str


class Receivable(msgspec.Struct, frozen=True, kw_only=True):
    """A record, decoded once: every reply and every posting reads these."""

    record: Transfer
    details: Details
    status: Status
    amount: Money


def as_receivable(record: Transfer) -> Receivable:
    """Decode a record of this kind."""
    return Receivable(
        record=record,
        details=msgspec.convert({**record.details, **record.facts}, Details, strict=False),
        status=Status(record.status),
        amount=Money(record.source_units, FIAT_ASSETS[record.source_asset]),
    )


def why_not_close(receivable: Receivable) -> Refused | None:
    """The refusal of a recovery or a write-off; None while the receivable is open."""
    if receivable.status is Status.OPEN:
        return None
    return ResourceConflict(
        f"receivable {receivable.record.id} is {receivable.status}: it is closed already"
    )
