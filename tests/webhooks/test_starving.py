"""What fails holds up nothing else: what is new, what is read with it, or other couriers."""

import asyncio
import time
from datetime import timedelta
from typing import Any, cast
from uuid import UUID

from prometheus_client import REGISTRY

from landbridge.core.clock import FrozenClock
from tests.settled import settled
from tests.tenants import Tenant, make_user

from .carrying import PATIENCE_S, hook, posting, receiving, rows_of, until, until_rows
from .rows import make_endpoint
from .test_courier import CREATE, DELIVERED, OPEN, PENDING, swaps
from .test_turns import Failing

USERS = "USER.CREATE"
DAYS = timedelta(days=3)


async def test_many_objects_that_fail_do_not_hide_one_that_does_not(org: Tenant) -> None:
    async with receiving() as receiver:
        receiver.answers = lambda _: 500
        made = await make_endpoint(org, url=receiver.url, eventTypes=[USERS])
        for _ in range(120):
            await make_user(org)
        good = await make_user(org)
        receiver.answers = lambda each: 200 if each.object_id == good else 500
        async with posting(org):
            await until(lambda: bool(receiver.of(good)))
            await until_rows(org, made, [PENDING] * 120 + [DELIVERED])


async def test_what_is_due_again_lets_new_events_through_at_once(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org = still_org
    async with receiving() as receiver:
        receiver.answers = lambda _: 500
        made = await make_endpoint(org, url=receiver.url, eventTypes=[USERS])
        for _ in range(60):
            await make_user(org)
        async with posting(org):
            await until_rows(org, made, [PENDING] * 60)
        still_clock.at += timedelta(minutes=1)
        async with posting(org):
            good = await make_user(org)
            receiver.answers = lambda each: 200 if each.object_id == good else 500
            # Whatever else is under way on this server holds the log up, also of other tests.
            await settled(org.house.database)
            began_s = time.monotonic()
            await until(lambda: bool(receiver.of(good)))
            assert time.monotonic() - began_s < 3


async def test_where_nobody_answers_no_courier_stays(org: Tenant) -> None:
    async with receiving() as receiver, posting(org) as postman:
        receiver.answers = lambda _: 500
        made = await make_endpoint(org, url=receiver.url, eventTypes=[USERS])
        await make_user(org)
        await until_rows(org, made, [PENDING])
        (walk,) = postman.walks.values()
        tempo = walk.courier.tempo
        # As after a quarter of an hour without any answer.
        for _ in range(200):
            tempo.heard(None, time.monotonic())
        tempo.tried(time.monotonic())
        walk.courier.ring()
        await until(lambda: not postman.walks)
        await make_user(org)
        await asyncio.sleep(0.5)
        assert (postman.walks, len(receiver.came)) == ({}, 1)
        # The next one tries once, and leaves as well.
        tempo.tried(time.monotonic() - 60)
        await until(lambda: len(receiver.came) == 2)
        await until(lambda: not postman.walks)


async def test_what_waited_in_the_log_for_days_is_still_tried_for_one(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org = still_org
    async with receiving() as receiver:
        receiver.answers = lambda _: 500
        made = await hook(org, receiver, CREATE)
        await swaps(org)
        still_clock.at += DAYS
        async with posting(org):
            await until_rows(org, made, [PENDING])
            receiver.answers = lambda _: 200
            still_clock.at += timedelta(hours=23)
            await until_rows(org, made, [DELIVERED])


async def test_what_waited_behind_another_over_a_leap_is_still_tried_for_a_day(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org = still_org
    async with receiving() as receiver, posting(org):
        receiver.answers = lambda _: 500
        made = await hook(org, receiver, CREATE, OPEN)
        await swaps(org)
        await until_rows(org, made, [PENDING] * 2)
        still_clock.at += DAYS
        counts: list[int] = []
        async with asyncio.timeout(PATIENCE_S):
            while counts != [2, 1]:
                await asyncio.sleep(0.05)
                counts = [each["attempt_count"] for each in await rows_of(org, made)]
        receiver.answers = lambda _: 200
        still_clock.at += timedelta(hours=23)
        await until_rows(org, made, ["GIVEN_UP", DELIVERED])


async def test_a_plan_that_cannot_be_found_is_none(org: Tenant) -> None:
    async with receiving() as receiver, posting(org, forced=cast("Any", Failing())):
        made = await hook(org, receiver, CREATE)
        await swaps(org)
        await until_rows(org, made, [DELIVERED])


async def test_a_delivery_begins_no_later_than_its_first_attempt(org: Tenant) -> None:
    async with receiving() as receiver, posting(org):
        made = await hook(org, receiver)
        await swaps(org)
        await until_rows(org, made, [DELIVERED] * 5)
        answer = await org.get(f"/v2/webhooks/{made}/deliveries")
    for each in answer["deliveries"]:
        assert each["createdAt"] <= each["lastAttempt"]["at"] <= each["updatedAt"]
    rows = await org.house.database.rows(
        "select count(*) as early from webhook_deliveries"
        " where org_id = $1 and endpoint_id = $2 and updated_at < created_at",
        *(org.org_id, UUID(made)),
    )
    assert (len(answer["deliveries"]), rows[0]["early"]) == (5, 0)


async def test_only_what_was_read_in_time_counts_for_how_long_it_takes(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    def counted() -> float:
        return REGISTRY.get_sample_value("landbridge_webhook_delivery_seconds_count") or 0

    org, before = still_org, counted()
    async with receiving() as receiver, posting(org):
        since = still_clock.now()
        made = await hook(org, receiver, CREATE)
        await swaps(org)
        await until_rows(org, made, [DELIVERED])
        assert counted() == before + 1
        still_clock.at += timedelta(seconds=1)
        told = {"since": since.isoformat(), "only": "all"}
        await org.post(f"/v2/webhooks/{made}/resend", told)
        await until_rows(org, made, [DELIVERED] * 2)
        assert counted() == before + 1
        await swaps(org)
        await until_rows(org, made, [DELIVERED] * 3)
        assert counted() == before + 2
        await org.send("PATCH", f"/v2/webhooks/{made}", {"description": "late"})
    # Nobody was there to read it.
    await swaps(org)
    still_clock.at += timedelta(minutes=11)
    async with receiving() as other, posting(org):
        await org.send("PATCH", f"/v2/webhooks/{made}", {"url": other.url})
        await until_rows(org, made, [DELIVERED] * 4)
        assert counted() == before + 2
    assert len(await rows_of(org, made)) == 4
