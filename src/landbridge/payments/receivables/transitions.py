"""Transitions of receivables and their journals: pure functions.

Journals:

    created      RECEIVABLE to OUTSIDE: the fiat has left the organisation's bank account again
    recovered    OUTSIDE to RECEIVABLE: the user has paid by bank
    written off  WRITE_OFFS to RECEIVABLE: the organisation bears the loss

RECEIVABLE is below zero by the amount owed to the organisation, WRITE_OFFS by the amount lost.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from landbridge.ledger.model import AdvanceTransfer, CreateTransfer, HouseRole, Posting, Transfer
from landbridge.payments.receivables.model import (
    KIND,
    Receivable,
    ReceivableDetails,
    ReceivableStatus,
)
from landbridge.platform.core.ids import derived_id
from landbridge.platform.core.money import Money


def receivable_id(payment_id: UUID) -> UUID:
    """Return the id that a payment's only receivable has, whether it exists or not."""
    return derived_id(payment_id, "receivable")


def opened(
    payment: Transfer,
    money: Money,
    *,
    request_id: UUID,
    reason: str,
    actor: str,
    at: datetime,
) -> CreateTransfer:
    """Build the create command of a payment's receivable, owed by the payment's user.

    `request_id` is random: a derived one could be used by a caller's own request.
    """
    details = ReceivableDetails(payment_id=payment.id, payment_kind=payment.kind, reason=reason)
    return CreateTransfer(
        org_id=payment.org_id,
        id=receivable_id(payment.id),
        kind=KIND,
        user_id=payment.user_id,
        request_id=request_id,
        request={"paymentId": str(payment.id), "amount": str(money)},
        path=(ReceivableStatus.OPEN,),
        source=money,
        destination=money,
        details=msgspec.to_builtins(details),
        due_at=None,
        at=at,
        actor=actor,
        journals={0: owed(money)},
    )


def recovered(receivable: Receivable, *, actor: str, at: datetime) -> AdvanceTransfer:
    """Build the advance of a receivable that its user has paid back by bank."""
    return _closed(
        receivable, ReceivableStatus.RECOVERED, paid(receivable.amount), actor=actor, at=at
    )


def written_off(receivable: Receivable, *, actor: str, at: datetime) -> AdvanceTransfer:
    """Build the advance of a receivable that will not be paid."""
    return _closed(
        receivable, ReceivableStatus.WRITTEN_OFF, lost(receivable.amount), actor=actor, at=at
    )


def owed(money: Money) -> list[Posting]:
    """Return the journal of a new receivable: the fiat has left, and is owed."""
    return [Posting(HouseRole.RECEIVABLE, -money), Posting(HouseRole.OUTSIDE, money)]


def paid(money: Money) -> list[Posting]:
    """Return the journal of a recovery: the fiat is back, and nothing is owed."""
    return [Posting(HouseRole.OUTSIDE, -money), Posting(HouseRole.RECEIVABLE, money)]


def lost(money: Money) -> list[Posting]:
    """Return the journal of a write-off: nothing is owed any more, and nothing was received."""
    return [Posting(HouseRole.WRITE_OFFS, -money), Posting(HouseRole.RECEIVABLE, money)]


def _closed(
    receivable: Receivable,
    status: ReceivableStatus,
    postings: Sequence[Posting],
    *,
    actor: str,
    at: datetime,
) -> AdvanceTransfer:
    return AdvanceTransfer(
        receivable.record,
        path=(status,),
        change_type=status.lower(),
        actor=actor,
        at=at,
        journals={0: postings},
    )
