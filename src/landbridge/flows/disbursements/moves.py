"""What a disbursement posts: pure, from a request or a record.

opened   surplus coins: OUTSIDE to IN_TRANSIT. A fee is in PAYABLE already, with the journal of
         its payment.
paid     the role that it is paid from, to the receiver's account or to OUTSIDE
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from landbridge.core.money import Money
from landbridge.flows.disbursements.model import KIND, Details, Disbursement, Status
from landbridge.ledger.model import Opening, Posting, Role
from landbridge.payments.disbursing import DisbursementRequest, Purpose

# The house account that holds the coins until they are paid.
ROLES: Final[Mapping[Purpose, Role]] = {
    Purpose.FEE: Role.PAYABLE,
    Purpose.SURPLUS_RETURN: Role.IN_TRANSIT,
}


def opening(
    request: DisbursementRequest, request_id: UUID, *, actor: str, at: datetime, due_at: datetime
) -> Opening:
    """Return the opening of a requested disbursement.

    Its record is the receiver's, where that is a user, so that they aren't erased before they are
    paid. The id of the record is what makes it unique; callers of the interface choose request ids.
    """
    payment = request.payment
    details = Details(
        payment_id=payment.id,
        payment_kind=payment.kind,
        purpose=request.purpose,
        reference=request.reference,
        role=ROLES[request.purpose],
        source_address=request.source_address,
        address=request.address,
        account_id=request.account_id,
        user_id=request.user_id,
    )
    postings = opened(request)
    return Opening(
        org_id=payment.org_id,
        id=request.id,
        kind=KIND,
        user_id=request.user_id or payment.user_id,
        request_id=request_id,
        request={
            "paymentId": str(payment.id),
            "purpose": request.purpose,
            "reference": request.reference,
            "walletAddress": request.address,
            "amount": str(request.money),
            "asset": request.money.asset.code,
        },
        path=(Status.CREATED,),
        source=request.money,
        destination=request.money,
        details=msgspec.to_builtins(details),
        due_at=due_at,
        at=at,
        actor=actor,
        journals={0: postings} if postings else {},
    )


def opened(request: DisbursementRequest) -> list[Posting]:
    """Return the journal of the opening: surplus coins are the house's from now on."""
    return _taken_in(request.purpose, request.money)


def received(disbursement: Disbursement) -> list[Posting]:
    """Return the journal with which a record was opened."""
    return _taken_in(disbursement.details.purpose, disbursement.money)


def paid(disbursement: Disbursement) -> list[Posting]:
    """Return the journal of the confirmed payment."""
    return [
        Posting(disbursement.details.role, -disbursement.money),
        Posting(disbursement.receiver, disbursement.money),
    ]


def paid_outside(disbursement: Disbursement) -> list[Posting]:
    """Return the journal of coins that reached their receiver by other means."""
    return [
        Posting(disbursement.details.role, -disbursement.money),
        Posting(Role.OUTSIDE, disbursement.money),
    ]


def _taken_in(purpose: Purpose, money: Money) -> list[Posting]:
    match purpose:
        case Purpose.FEE:
            return []
        case Purpose.SURPLUS_RETURN:
            return [Posting(Role.OUTSIDE, -money), Posting(Role.IN_TRANSIT, money)]
