"""How people looked is kept for as long as events are, and somebody waits for them."""

from datetime import timedelta
from uuid import UUID

import pytest

from landbridge.webhooks.model import DeliveryStatus
from landbridge.webhooks.retention import MARGIN, sweep_pictures
from tests.settled import settled
from tests.tenants import Tenant, make_user

from .endpoints import change_webhook, make_webhook
from .rows import add, row

DAY = timedelta(days=1)
PICTURES = """
select count(*) as pictures from changes where org_id = $1 and sealed_picture is not null
"""


async def _pictures(org: Tenant) -> int:
    (found,) = await org.house.database.rows(PICTURES, org.org_id)
    return int(found["pictures"])


async def _sweep(org: Tenant, after: timedelta, *, batch: int = 500) -> bool:
    """As the worker does, so much later."""
    house = org.house
    offsets = {org.org_id: await house.orgs.clock_offset(org.org_id) + after}
    return await sweep_pictures(
        house.database, house.clock, offsets, house.events.kept, batch=batch
    )


@pytest.mark.one_commit(reason="a batch that is swept again is the next one")
async def test_old_pictures_go_and_new_ones_stay(org: Tenant) -> None:
    for _ in range(3):
        await make_user(org)
    made = await _pictures(org)
    assert made >= 3
    late = org.house.events.kept + MARGIN
    assert not await _sweep(org, late - DAY)
    assert await _pictures(org) == made
    assert await _sweep(org, late + DAY, batch=2)
    assert await _pictures(org) == made - 2
    while await _sweep(org, late + DAY, batch=2):
        pass
    assert await _pictures(org) == 0


async def test_what_somebody_waits_for_stays(org: Tenant) -> None:
    late = org.house.events.kept + MARGIN + DAY
    await make_user(org)
    await settled(org.house.database)
    webhook = await make_webhook(org)
    await change_webhook(org, webhook["id"], status="PAUSED")
    before = await _pictures(org)
    await make_user(org)
    await _sweep(org, late)
    # What happened before the endpoint is gone, but what it was not told of yet is there.
    left = await _pictures(org)
    assert 0 < left < before + 1
    await org.send("DELETE", f"/v2/webhooks/{webhook['id']}")
    await org.house.partitions.keep()
    pending = row(org, webhook["id"], status=DeliveryStatus.PENDING, tx=1)
    await add(org, webhook["id"], [pending])
    await _sweep(org, late)
    assert await _pictures(org) == left
    await org.house.database.rows(
        "update webhook_deliveries set status = 'GIVEN_UP' where org_id = $1", org.org_id
    )
    await _sweep(org, late)
    assert await _pictures(org) == 0


async def test_an_event_of_before_shows_what_is_retrieved_now(org: Tenant) -> None:
    user = UUID(await make_user(org))
    await settled(org.house.database)
    await _sweep(org, org.house.events.kept + MARGIN + DAY)
    found = await org.get("/v2/events", eventType="USER.CREATE")
    assert found["records"][0]["data"] == await org.get(f"/v2/users/{user}")
