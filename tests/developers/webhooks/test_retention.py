"""Snapshots of people are stored as long as events, and as long as a delivery needs them."""

from datetime import timedelta
from uuid import UUID

import pytest

from landbridge.developers.webhooks.model import DeliveryStatus
from landbridge.developers.webhooks.retention import MARGIN, delete_old_snapshots
from tests.change_log import placed
from tests.developers.webhooks.endpoints import change_webhook, make_webhook
from tests.developers.webhooks.rows import add, row
from tests.tenants import Tenant, make_user

DAY = timedelta(days=1)
SNAPSHOT_COUNT = """
select count(*) as pictures from changes where org_id = $1 and sealed_snapshot is not null
"""


async def _snapshot_count(org: Tenant) -> int:
    (found,) = await org.container.database.rows(SNAPSHOT_COUNT, org.org_id)
    return int(found["pictures"])


async def _sweep(org: Tenant, after: timedelta, *, batch: int = 500) -> bool:
    """Run the worker's cleanup this much later."""
    container = org.container
    offsets = {org.org_id: await container.orgs.clock_offset(org.org_id) + after}
    return await delete_old_snapshots(
        container.database, container.clock, offsets, container.events.retention, batch=batch
    )


@pytest.mark.one_commit(reason="a batch that is swept again is the next one")
async def test_old_snapshots_are_deleted_and_new_ones_kept(org: Tenant) -> None:
    for _ in range(3):
        await make_user(org)
    created = await _snapshot_count(org)
    assert created >= 3
    late = org.container.events.retention + MARGIN
    assert not await _sweep(org, late - DAY)
    assert await _snapshot_count(org) == created
    assert await _sweep(org, late + DAY, batch=2)
    assert await _snapshot_count(org) == created - 2
    while await _sweep(org, late + DAY, batch=2):
        pass
    assert await _snapshot_count(org) == 0


async def test_an_organisation_that_fails_does_not_stop_the_others(
    org: Tenant, other_org: Tenant
) -> None:
    container = org.container
    await make_user(org)
    late = container.events.retention + MARGIN + DAY
    # No date of the calendar is this early.
    offsets = {other_org.org_id: -timedelta(days=999_999), org.org_id: late}
    assert not await delete_old_snapshots(
        container.database, container.clock, offsets, container.events.retention
    )
    assert await _snapshot_count(org) == 0


async def test_snapshots_for_pending_deliveries_are_kept(org: Tenant) -> None:
    late = org.container.events.retention + MARGIN + DAY
    await make_user(org)
    await placed(org.container.database)
    webhook = await make_webhook(org)
    await change_webhook(org, webhook["id"], status="PAUSED")
    before = await _snapshot_count(org)
    await make_user(org)
    await _sweep(org, late)
    # Snapshots from before the endpoint are deleted; those it has not received yet remain.
    left = await _snapshot_count(org)
    assert 0 < left < before + 1
    await org.send("DELETE", f"/v2/webhooks/{webhook['id']}")
    await org.container.partitions.maintain()
    pending = row(org, webhook["id"], status=DeliveryStatus.PENDING, place=1)
    await add(org, webhook["id"], [pending])
    await _sweep(org, late)
    assert await _snapshot_count(org) == left
    await org.container.database.rows(
        "update webhook_deliveries set status = 'GIVEN_UP' where org_id = $1", org.org_id
    )
    await _sweep(org, late)
    assert await _snapshot_count(org) == 0


async def test_an_old_event_shows_the_current_retrieve(org: Tenant) -> None:
    user = UUID(await make_user(org))
    await placed(org.container.database)
    await _sweep(org, org.container.events.retention + MARGIN + DAY)
    found = await org.get("/v2/events", eventType="USER.CREATE")
    assert found["records"][0]["data"] == await org.get(f"/v2/users/{user}")
