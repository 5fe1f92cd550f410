"""Seals and opens the personal fields of incoming payments."""

from uuid import UUID

import msgspec

from landbridge.payments.incoming_payments.model import (
    IncomingPayment,
    IncomingPaymentStatus,
    IncomingPaymentTexts,
    ReportedCredit,
)
from landbridge.payments.incoming_payments.store import SealedIncomingPayment
from landbridge.platform.core.fields import copy_fields
from landbridge.platform.core.ids import derived_id
from landbridge.platform.encryption.service import DataKey


def new_payment(
    credit: ReportedCredit, key: DataKey, *, is_screened: bool
) -> SealedIncomingPayment:
    """Build the incoming payment of a credit; if it is screened first, it is not due.

    Its id is derived from the bank's reference. If a restored backup lacks it and the bank reports
    the credit again, the new payment has the same id, so providers recognise its return or payout.
    """
    payment_id = derived_id(credit.org_id, f"incoming payment/{credit.bank_reference}")
    texts = IncomingPaymentTexts(
        reference=credit.reference, description=credit.description, sender=credit.sender
    )
    return copy_fields(
        credit,
        SealedIncomingPayment,
        id=payment_id,
        status=IncomingPaymentStatus.SCREENING if is_screened else IncomingPaymentStatus.NEW,
        transfer_id=None,
        user_id=None,
        sealed_texts=key.seal(texts, context=context_of(payment_id)),
        version=1,
        received_at=credit.at,
        arrived_at=credit.arrived_at or credit.at,
        clears_at=credit.clears_at or credit.at,
        updated_at=credit.at,
        due_at=None if is_screened else credit.at,
        return_attempts=0,
        decided_by=None,
    )


def texts_of(payment: IncomingPayment) -> IncomingPaymentTexts:
    """Return the personal fields of a payment."""
    return copy_fields(payment, IncomingPaymentTexts)


def opened(row: SealedIncomingPayment, key: DataKey | None) -> IncomingPayment:
    """Return a payment with its personal fields, which are None without the key."""
    texts = IncomingPaymentTexts()
    if key is not None and row.sealed_texts is not None:
        texts = key.open(row.sealed_texts, context=context_of(row.id), type=IncomingPaymentTexts)
    return copy_fields(row, IncomingPayment, **msgspec.structs.asdict(texts))


def context_of(payment_id: UUID) -> str:
    """Return the context under which the personal fields are sealed."""
    return f"incoming_payments.texts:{payment_id}"
