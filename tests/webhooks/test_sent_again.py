"""What is delivered again arrives, under the same id, and is tried for another 24 hours."""

from datetime import timedelta

from landbridge.core.clock import FrozenClock
from landbridge.web.reply import moment
from tests.tenants import Tenant, make_user

from .carrying import posting, receiving, rows_of, until, until_rows
from .rows import make_endpoint

USERS = ["USER.CREATE"]
PENDING, DELIVERED, REFUSED = "PENDING", "DELIVERED", "REFUSED"
DAY = timedelta(hours=25)


async def test_one_that_was_refused_arrives_once_it_is_sent_again(org: Tenant) -> None:
    async with receiving() as receiver, posting(org):
        hook = await make_endpoint(org, url=receiver.url, eventTypes=USERS)
        receiver.answers = lambda _: 401
        await make_user(org)
        await until_rows(org, hook, [REFUSED])
        receiver.answers = lambda _: 200
        (row,) = await rows_of(org, hook)
        await org.post(f"/v2/webhooks/{hook}/deliveries/{row['id']}/resend")
        await until_rows(org, hook, [DELIVERED])
        first, second = receiver.came
        assert first.id == second.id
        assert second.headers["landbridge-attempt"] == "2"
        found = await org.get(f"/v2/webhooks/{hook}/deliveries/{row['id']}")
        assert [each["status"] for each in found["attempts"]] == [401, 200]


async def test_everything_since_a_time_has_another_24_hours(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org = still_org
    async with receiving() as receiver, posting(org):
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
        assert len({each.id for each in receiver.came}) == 1
        assert len(receiver.came) == 3


async def test_what_waited_while_paused_has_24_hours_from_then(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org = still_org
    async with receiving() as receiver, posting(org):
        hook = await make_endpoint(org, url=receiver.url, eventTypes=USERS)
        await org.send("PATCH", f"/v2/webhooks/{hook}", {"status": "PAUSED"})
        await make_user(org)
        still_clock.at += DAY
        receiver.answers = lambda _: 500
        await org.send("PATCH", f"/v2/webhooks/{hook}", {"status": "ACTIVE"})
        await until(lambda: bool(receiver.came))
        await until_rows(org, hook, [PENDING])
