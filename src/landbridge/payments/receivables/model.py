"""Receivables: states and details."""

from datetime import timedelta
from enum import StrEnum
from uuid import UUID

import msgspec

from landbridge.ledger.model import Transfer
from landbridge.payments.engine.wait_states import WaitParty, WaitState, WaitStates
from landbridge.platform.core.money import Money
from landbridge.platform.core.transitions import Transitions
from landbridge.providers.rails.currencies import FIAT_ASSETS

KIND = "RECEIVABLE"

# Time a user may take to pay before the receivable is listed as stuck.
PAID_WITHIN = timedelta(days=30)


class ReceivableStatus(StrEnum):
    """Status of a receivable."""

    OPEN = "OPEN"  # waits for a reviewer: the user pays, or it is written off
    RECOVERED = "RECOVERED"  # the user has paid it back by bank
    WRITTEN_OFF = "WRITTEN_OFF"  # the organisation bears the loss


TRANSITIONS: Transitions[ReceivableStatus] = Transitions(
    start=frozenset({ReceivableStatus.OPEN}),
    table={
        ReceivableStatus.OPEN: frozenset(
            {ReceivableStatus.RECOVERED, ReceivableStatus.WRITTEN_OFF}
        ),
        ReceivableStatus.RECOVERED: frozenset(),
        ReceivableStatus.WRITTEN_OFF: frozenset(),
    },
)

WAITS = WaitStates(TRANSITIONS, {ReceivableStatus.OPEN: WaitState(WaitParty.REVIEWER, PAID_WITHIN)})


class ReceivableDetails(msgspec.Struct, frozen=True, kw_only=True):
    """Details of a receivable in its record; the amount is the source amount of the record."""

    payment_id: UUID
    payment_kind: str
    # Sentence of ours, without personal data.
    reason: str


class Receivable(msgspec.Struct, frozen=True, kw_only=True):
    """Receivable, decoded once from its record for replies and postings."""

    record: Transfer
    details: ReceivableDetails
    status: ReceivableStatus
    amount: Money


def as_receivable(record: Transfer) -> Receivable:
    """Decode a receivable record."""
    return Receivable(
        record=record,
        details=record.decode(ReceivableDetails),
        status=ReceivableStatus(record.status),
        amount=Money(record.source_units, FIAT_ASSETS[record.source_asset]),
    )
