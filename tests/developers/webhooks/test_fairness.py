"""Failing deliveries delay neither new events, nor events read with them, nor other workers."""

import asyncio
import time
from datetime import timedelta
from typing import Any, cast
from uuid import UUID

import pytest
from prometheus_client import REGISTRY

from landbridge.platform.core.clock import FrozenClock
from tests.developers.webhooks.rows import make_endpoint
from tests.developers.webhooks.test_endpoint_worker import CREATE, DELIVERED, OPEN, PENDING, swaps
from tests.developers.webhooks.test_leases import Failing
from tests.developers.webhooks.worker_steps import (
    PATIENCE_S,
    hook,
    receiving,
    rows_of,
    running_dispatcher,
    until,
    until_rows,
)
from tests.tenants import Tenant, make_user

pytestmark = pytest.mark.long

USERS = "USER.CREATE"
DAYS = timedelta(days=3)


async def test_many_objects_that_fail_do_not_hide_one_that_does_not(org: Tenant) -> None:
    async with receiving() as receiver:
        receiver.answers = lambda _: 500
        created = await make_endpoint(org, url=receiver.url, eventTypes=[USERS])
        for _ in range(120):
            await make_user(org)
        good = await make_user(org)
        receiver.answers = lambda each: 200 if each.object_id == good else 500
        async with running_dispatcher(org):
            await until(lambda: bool(receiver.of(good)))
            await until_rows(org, created, [PENDING] * 120 + [DELIVERED])


async def test_due_retries_do_not_delay_new_events(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org = still_org
    async with receiving() as receiver:
        receiver.answers = lambda _: 500
        created = await make_endpoint(org, url=receiver.url, eventTypes=[USERS])
        for _ in range(60):
            await make_user(org)
        async with running_dispatcher(org):
            await until_rows(org, created, [PENDING] * 60)
        still_clock.at += timedelta(minutes=1)
        async with running_dispatcher(org):
            good = await make_user(org)
            receiver.answers = lambda each: 200 if each.object_id == good else 500
            began_s = time.monotonic()
            await until(lambda: bool(receiver.of(good)))
            assert time.monotonic() - began_s < 3


async def test_no_worker_stays_at_an_endpoint_that_never_answers(org: Tenant) -> None:
    async with receiving() as receiver, running_dispatcher(org) as dispatcher:
        receiver.answers = lambda _: 500
        created = await make_endpoint(org, url=receiver.url, eventTypes=[USERS])
        await make_user(org)
        await until_rows(org, created, [PENDING])
        (running,) = dispatcher.running.values()
        backoff = running.worker.backoff
        # As after a quarter of an hour without any response.
        for _ in range(200):
            backoff.record_attempt(None, time.monotonic())
        backoff.schedule_next(time.monotonic())
        running.worker.notify()
        await until(lambda: not dispatcher.running)
        await make_user(org)
        await asyncio.sleep(0.5)
        assert (dispatcher.running, len(receiver.received)) == ({}, 1)
        # The next one tries once, and stops as well.
        backoff.schedule_next(time.monotonic() - 60)
        await until(lambda: len(receiver.received) == 2)
        await until(lambda: not dispatcher.running)


async def test_an_event_unread_for_days_is_still_tried_for_a_day(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org = still_org
    async with receiving() as receiver:
        receiver.answers = lambda _: 500
        created = await hook(org, receiver, CREATE)
        await swaps(org)
        still_clock.at += DAYS
        async with running_dispatcher(org):
            await until_rows(org, created, [PENDING])
            receiver.answers = lambda _: 200
            still_clock.at += timedelta(hours=23)
            await until_rows(org, created, [DELIVERED])


async def test_a_delivery_queued_during_a_clock_leap_is_still_tried_for_a_day(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org = still_org
    async with receiving() as receiver, running_dispatcher(org):
        receiver.answers = lambda _: 500
        created = await hook(org, receiver, CREATE, OPEN)
        await swaps(org)
        await until_rows(org, created, [PENDING] * 2)
        still_clock.at += DAYS
        counts: list[int] = []
        async with asyncio.timeout(PATIENCE_S):
            while counts != [2, 1]:
                await asyncio.sleep(0.05)
                counts = [each["attempt_count"] for each in await rows_of(org, created)]
        receiver.answers = lambda _: 200
        still_clock.at += timedelta(hours=23)
        await until_rows(org, created, ["GIVEN_UP", DELIVERED])


async def test_a_plan_that_cannot_be_found_is_none(org: Tenant) -> None:
    async with (
        receiving() as receiver,
        running_dispatcher(org, scripted_deliveries=cast("Any", Failing())),
    ):
        created = await hook(org, receiver, CREATE)
        await swaps(org)
        await until_rows(org, created, [DELIVERED])


async def test_a_delivery_begins_no_later_than_its_first_attempt(org: Tenant) -> None:
    async with receiving() as receiver, running_dispatcher(org):
        created = await hook(org, receiver)
        await swaps(org)
        await until_rows(org, created, [DELIVERED] * 5)
        answer = await org.get(f"/v2/webhooks/{created}/deliveries")
    for each in answer["deliveries"]:
        assert each["createdAt"] <= each["lastAttempt"]["at"] <= each["updatedAt"]
    rows = await org.container.database.rows(
        "select count(*) as early from webhook_deliveries"
        " where org_id = $1 and endpoint_id = $2 and updated_at < created_at",
        *(org.org_id, UUID(created)),
    )
    assert (len(answer["deliveries"]), rows[0]["early"]) == (5, 0)


async def test_only_events_read_in_time_count_for_the_delay_metric(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    def counted() -> float:
        return REGISTRY.get_sample_value("landbridge_webhook_delivery_seconds_count") or 0

    org, before = still_org, counted()
    async with receiving() as receiver, running_dispatcher(org):
        since = still_clock.now()
        created = await hook(org, receiver, CREATE)
        await swaps(org)
        await until_rows(org, created, [DELIVERED])
        assert counted() == before + 1
        still_clock.at += timedelta(seconds=1)
        body = {"since": since.isoformat(), "only": "all"}
        await org.post(f"/v2/webhooks/{created}/resend", body)
        await until_rows(org, created, [DELIVERED] * 2)
        assert counted() == before + 1
        await swaps(org)
        await until_rows(org, created, [DELIVERED] * 3)
        assert counted() == before + 2
        await org.send("PATCH", f"/v2/webhooks/{created}", {"description": "late"})
    # No reader was present.
    await swaps(org)
    still_clock.at += timedelta(minutes=11)
    async with receiving() as other, running_dispatcher(org):
        await org.send("PATCH", f"/v2/webhooks/{created}", {"url": other.url})
        await until_rows(org, created, [DELIVERED] * 4)
        assert counted() == before + 2
    assert len(await rows_of(org, created)) == 4
