"""Workers that add the same order at the same moment."""

import asyncio

from landbridge.platform.db.pool import Database
from landbridge.providers.sidecar import order_store
from tests.providers.sidecar.kit import payment
from tests.tenants import Tenant

_ORDERS = 300
_WORKERS = 10


async def test_an_order_is_added_once_by_many_workers(database: Database, org: Tenant) -> None:
    for order in [payment(org_id=org.org_id) for _ in range(_ORDERS)]:
        adding = (
            database.transact(lambda tx, order=order: order_store.add(tx, order, "acme"))
            for _ in range(_WORKERS)
        )
        await asyncio.gather(*adding)
        found = await database.single(
            lambda tx, order=order: order_store.find(tx, order.org_id, order.key)
        )
        assert found is not None
