"""The moves of a receivable with what each does to money: pure, from a record and the moment.

Journals:

    opened       RECEIVABLE to OUTSIDE: the fiat has left the organisation's bank account again
    recovered    OUTSIDE to RECEIVABLE: the user has paid by bank
    written off  WRITE_OFFS to RECEIVABLE: the organisation bears the loss

RECEIVABLE is below zero by what is owed to the organisation, WRITE_OFFS by what it has lost.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from landbridge.core.ids import derived_id
from landbridge.core.money import Money
from landbridge.flows.receivables.model import KIND, Details, Receivable, Status
from landbridge.ledger.model import Move, Opening, Posting, Role, Transfer


def receivable_id(payment_id: UUID) -> UUID:
    """The receivable of a payment, there or not: a payment has one at most."""
    return derived_id(payment_id, "receivable")


def opened(
    payment: Transfer,
    money: Money,
    *,
    request_id: UUID,
    reason: str,
    actor: str,
    at: datetime,
) -> Opening:
    """Open the receivable of a payment, owed by the payment's user.

    `request_id` is random: a derived one could be taken by a caller's own request.
    """
    details = Details(payment_id=payment.id, payment_kind=payment.kind, reason=reason)
    return Opening(
        org_id=payment.org_id,
        id=receivable_id(payment.id),
        kind=KIND,
        user_id=payment.user_id,
        request_id=request_id,
        request={"paymentId": str(payment.id), "amount": str(money)},
        path=(Status.OPEN,),
        source=money,
        destination=money,
        details=msgspec.to_builtins(details),
        due_at=None,
        at=at,
        actor=actor,
        journals={0: became_owed(money)},
    )


def recovered(receivable: Receivable, *, actor: str, at: datetime) -> Move:
    """Close a receivable that its user has paid back by bank."""
    return _closed(receivable, Status.RECOVERED, paid(receivable.amount), actor=actor, at=at)


def written_off(receivable: Receivable, *, actor: str, at: datetime) -> Move:
    """Close a receivable that nobody will pay."""
    return _closed(receivable, Status.WRITTEN_OFF, lost(receivable.amount), actor=actor, at=at)


def became_owed(money: Money) -> list[Posting]:
    """The fiat has left, and is owed."""
    return [Posting(Role.RECEIVABLE, -money), Posting(Role.OUTSIDE, money)]


def paid(money: Money) -> list[Posting]:
    """The fiat is here again, and nothing is owed."""
    return [Posting(Role.OUTSIDE, -money), Posting(Role.RECEIVABLE, money)]


def lost(money: Money) -> list[Posting]:
    """Nothing is owed any more, and nothing came."""
    return [Posting(Role.WRITE_OFFS, -money), Posting(Role.RECEIVABLE, money)]


def _closed(
    receivable: Receivable,
    status: Status,
    postings: Sequence[Posting],
    *,
    actor: str,
    at: datetime,
) -> Move:
    return Move(
        receivable.record,
        path=(status,),
        what=status.lower(),
        actor=actor,
        at=at,
        journals={0: postings},
    )
