"""Records changes of incoming payments in the change log."""

from typing import Any

from landbridge.payments.incoming_payments.model import KIND
from landbridge.payments.incoming_payments.store import SealedIncomingPayment
from landbridge.platform.changes.service import append_change
from landbridge.platform.db.pool import Tx


async def record_change(
    tx: Tx, payment: SealedIncomingPayment, *, change_type: str, actor: str
) -> None:
    """Record the current state of an incoming payment in the change log."""
    facts: dict[str, Any] = {
        "status": payment.status,
        "transferId": None if payment.transfer_id is None else str(payment.transfer_id),
        "amount": str(payment.money),
        "currency": payment.money.asset.currency,
        "paymentRail": payment.rail,
    }
    await append_change(
        tx,
        org_id=payment.org_id,
        object_id=payment.id,
        seq=payment.version,
        kind=KIND,
        change_type=change_type,
        actor=actor,
        at=payment.updated_at,
        facts=facts,
    )
