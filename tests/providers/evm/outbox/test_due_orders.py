"""Which orders are signed next: one organisation with very many does not hold up the others."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from landbridge.providers.evm.outbox import order_store
from landbridge.providers.evm.outbox.model import OutboxOrder
from tests.providers.evm.gas.orders import new_order
from tests.tenants import Tenant

_AT = datetime(2026, 1, 1, tzinfo=UTC)


def _order(org_id: UUID, at: datetime) -> OutboxOrder:
    return replace(new_order(org_id, uuid4()), created_at=at, due_at=at)


async def test_the_longest_due_of_each_organisation_comes_first(
    org: Tenant, other_org: Tenant
) -> None:
    many = [_order(org.org_id, _AT + timedelta(seconds=number)) for number in range(20)]
    late = _order(other_org.org_id, _AT + timedelta(hours=1))
    database = org.container.database
    await database.transact(lambda tx: order_store.add(tx, [*many, late]))
    now = _AT + timedelta(hours=2)
    due = await database.single(lambda tx: order_store.due(tx, "POLYGON", now, limit=5))
    assert [each.key for each in due] == [many[0].key, late.key, *(each.key for each in many[1:4])]
