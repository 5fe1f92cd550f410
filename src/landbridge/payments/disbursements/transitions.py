"""Transitions and journals of disbursements: pure functions of a request or a record.

created  surplus coins: OUTSIDE to IN_TRANSIT. A fee is in PAYABLE already, with the journal of
         its payment.
paid     the paying role, to the recipient's account or to OUTSIDE
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from landbridge.ledger.model import CreateTransfer, HouseRole, Posting
from landbridge.payments.disbursements.model import (
    KIND,
    Disbursement,
    DisbursementDetails,
    DisbursementStatus,
)
from landbridge.payments.engine.disbursement_requests import (
    DisbursementPurpose,
    DisbursementRequest,
)
from landbridge.payments.engine.postings import move
from landbridge.platform.core.money import Money

# The house account that holds the coins until they are paid.
ROLES: Final[Mapping[DisbursementPurpose, HouseRole]] = {
    DisbursementPurpose.FEE: HouseRole.PAYABLE,
    DisbursementPurpose.SURPLUS_RETURN: HouseRole.IN_TRANSIT,
}


def build_creation(
    request: DisbursementRequest, request_id: UUID, *, actor: str, at: datetime, due_at: datetime
) -> CreateTransfer:
    """Build the create command of a requested disbursement.

    The record belongs to the recipient, if that is a user, so that the user isn't erased before the
    payment. Its derived id makes it unique; request ids are chosen by API callers.
    """
    payment = request.payment
    details = DisbursementDetails(
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
    return CreateTransfer(
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
        path=(DisbursementStatus.CREATED,),
        source=request.money,
        destination=request.money,
        details=msgspec.to_builtins(details),
        due_at=due_at,
        at=at,
        actor=actor,
        journals={0: postings} if postings else {},
    )


def opened(request: DisbursementRequest) -> list[Posting]:
    """Return the journal of the creation: surplus coins belong to the organisation from now on."""
    return _creation_journal(request.purpose, request.money)


def received(disbursement: Disbursement) -> list[Posting]:
    """Return the journal with which a record was created."""
    return _creation_journal(disbursement.details.purpose, disbursement.money)


def paid(disbursement: Disbursement) -> list[Posting]:
    """Return the journal of the confirmed payment."""
    return move(disbursement.details.role, disbursement.receiver, disbursement.money)


def paid_outside(disbursement: Disbursement) -> list[Posting]:
    """Return the journal of coins that reached their receiver by other means."""
    return move(disbursement.details.role, HouseRole.OUTSIDE, disbursement.money)


def _creation_journal(purpose: DisbursementPurpose, money: Money) -> list[Posting]:
    match purpose:
        case DisbursementPurpose.FEE:
            return []
        case DisbursementPurpose.SURPLUS_RETURN:
            return move(HouseRole.OUTSIDE, HouseRole.IN_TRANSIT, money)
