"""Keys under which chains, providers and banks know the orders of a payment."""

from uuid import UUID

from landbridge.payments.engine.order_keys import order_key
from tests.tenants import Tenant


async def key_of(org: Tenant, payment_id: str, name: str) -> UUID:
    """Return the key of an order of this payment."""
    record = await org.container.ledger.find(org.org_id, UUID(payment_id))
    assert record is not None
    return order_key(record, name)
