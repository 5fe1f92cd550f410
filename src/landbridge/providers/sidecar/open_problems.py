"""Open problems that keep money from being sent, until a person closes them."""

from uuid import UUID

from landbridge.platform.db.pool import Tx
from landbridge.providers.sidecar import credit_store, order_store


async def is_credit_reversed(tx: Tx, org_id: UUID, incoming_payment_id: UUID) -> bool:
    """Return whether the bank took the credit of an incoming payment back."""
    return await credit_store.is_reversed(tx, org_id, incoming_payment_id)


async def is_failure_contradicted(tx: Tx, org_id: UUID, record_id: UUID) -> bool:
    """Return whether a failed order of a payment is reported as settled."""
    return await order_store.is_contradicted(tx, org_id, record_id)
