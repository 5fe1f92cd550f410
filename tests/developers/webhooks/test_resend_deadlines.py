"""A resent delivery has the same id, and is retried for another 24 hours."""

from datetime import timedelta

from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.http.responses import moment
from tests.developers.webhooks.rows import make_endpoint
from tests.developers.webhooks.worker_steps import (
    receiving,
    rows_of,
    running_dispatcher,
    until,
    until_rows,
)
from tests.tenants import Tenant, make_user

USERS = ["USER.CREATE"]
PENDING, DELIVERED, REFUSED = "PENDING", "DELIVERED", "REFUSED"
DAY = timedelta(hours=25)


async def test_one_that_was_refused_arrives_once_it_is_sent_again(org: Tenant) -> None:
    async with receiving() as receiver, running_dispatcher(org):
        hook = await make_endpoint(org, url=receiver.url, eventTypes=USERS)
        receiver.answers = lambda _: 401
        await make_user(org)
        await until_rows(org, hook, [REFUSED])
        receiver.answers = lambda _: 200
        (row,) = await rows_of(org, hook)
        await org.post(f"/v2/webhooks/{hook}/deliveries/{row['id']}/resend")
        await until_rows(org, hook, [DELIVERED])
        first, second = receiver.received
        assert first.id == second.id
        assert second.headers["landbridge-attempt"] == "2"
        found = await org.get(f"/v2/webhooks/{hook}/deliveries/{row['id']}")
        assert [each["status"] for each in found["attempts"]] == [401, 200]


async def test_everything_since_a_time_has_another_24_hours(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org = still_org
    async with receiving() as receiver, running_dispatcher(org):
        since = still_clock.now()
        hook = await make_endpoint(org, url=receiver.url, eventTypes=USERS)
        await make_user(org)
        await until_rows(org, hook, [DELIVERED])
        still_clock.at += DAY
        receiver.answers = lambda _: 500
        await org.post(f"/v2/webhooks/{hook}/resend", {"since": moment(since), "only": "all"})
        # Tried again, though a day has passed since it happened.
        await until_rows(org, hook, [DELIVERED, PENDING])
        receiver.answers = lambda _: 200
        still_clock.at += timedelta(minutes=1)
        await until_rows(org, hook, [DELIVERED, DELIVERED])
        assert len({each.id for each in receiver.received}) == 1
        assert len(receiver.received) == 3


async def test_events_queued_during_a_pause_have_24_hours_after_it(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org = still_org
    async with receiving() as receiver, running_dispatcher(org):
        hook = await make_endpoint(org, url=receiver.url, eventTypes=USERS)
        await org.send("PATCH", f"/v2/webhooks/{hook}", {"status": "PAUSED"})
        await make_user(org)
        still_clock.at += DAY
        receiver.answers = lambda _: 500
        await org.send("PATCH", f"/v2/webhooks/{hook}", {"status": "ACTIVE"})
        await until(lambda: bool(receiver.received))
        await until_rows(org, hook, [PENDING])
