"""Deliveries of payments with scripted delivery outcomes, as a receiver sees them."""

import asyncio
import json
from datetime import timedelta
from uuid import uuid4

import pytest

from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.db.pool import Row
from tests.developers.webhooks.rows import endpoint
from tests.developers.webhooks.worker_steps import (
    PATIENCE_S,
    hook,
    receiving,
    rows_of,
    running_dispatcher,
    until,
    until_rows,
)
from tests.scripted import force
from tests.tenants import SWAPS, Tenant, good, make_user, swap_body

BEGINNING = ["WALLET.SWAP.TRANSACTION.CREATE", "WALLET.SWAP.STATUS.OPEN_QUOTE"]
DELIVERED, PENDING = "DELIVERED", "PENDING"
NO_ANSWER = "no answer, as scripted in the sandbox"


async def swap(org: Tenant, user: str, plan: str | None = None) -> str:
    """Create a swap with an open quote; return its id."""
    body = swap_body(user, request_id=str(uuid4()))
    if plan is None:
        return (await org.post(SWAPS, body))["transferDetails"]["id"]
    return good(await force(org, SWAPS, body, plan))["transferDetails"]["id"]


@pytest.mark.long
async def test_attempts_fail_until_the_delay_is_over(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org = still_org
    async with receiving() as receiver, running_dispatcher(org):
        created = await hook(org, receiver)
        user = await make_user(org, funds="1000")
        forced, other = await swap(org, user, "webhook=fail:5m"), await swap(org, user)
        await until_rows(org, created, [PENDING] * 2 + [DELIVERED] * 2)
        still_clock.at += timedelta(minutes=4)
        await until_attempts(org, created, forced, 2)
        assert (receiver.of(forced), receiver.of(other)) == ([], BEGINNING)
        still_clock.at += timedelta(minutes=4)
        await until_rows(org, created, [DELIVERED] * 4)
    assert receiver.of(forced) == BEGINNING
    assert [each.headers["landbridge-attempt"] for each in receiver.received[-2:]] == ["3", "1"]
    attempts = json.loads((await row_of(org, created, forced))["attempts"])
    assert [each["status"] for each in attempts] == [None, None, 200]
    assert [each["error"] for each in attempts] == [NO_ANSWER, NO_ANSWER, None]


async def test_a_failure_that_lasts_is_given_up(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org = still_org
    async with receiving() as receiver, running_dispatcher(org):
        created = await hook(org, receiver)
        await swap(org, await make_user(org, funds="1000"), "webhook=fail:2d")
        await until_rows(org, created, [PENDING] * 2)
        still_clock.at += timedelta(hours=25)
        await until_rows(org, created, ["GIVEN_UP"] * 2)
        flagged = await endpoint(org, created)
    assert (flagged["flagged_at"], flagged["flagged_reason"]) == (still_clock.now(), NO_ANSWER)
    assert receiver.received == []


@pytest.mark.long
async def test_nothing_comes_before_the_delay_is_over(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org = still_org
    async with receiving() as receiver, running_dispatcher(org):
        created = await hook(org, receiver)
        user = await make_user(org, funds="1000")
        late, other = await swap(org, user, "webhook=late:1h"), await swap(org, user)
        await until_rows(org, created, [PENDING] * 2 + [DELIVERED] * 2)
        still_clock.at += timedelta(minutes=59)
        # Long enough for a worker to check for due deliveries.
        await asyncio.sleep(1.5)
        assert (receiver.of(late), receiver.of(other)) == ([], BEGINNING)
        still_clock.at += timedelta(minutes=2)
        await until_rows(org, created, [DELIVERED] * 4)
    assert receiver.of(late) == BEGINNING
    # The delivery had no failed attempt.
    assert {each.headers["landbridge-attempt"] for each in receiver.received} == {"1"}


async def test_each_event_comes_twice_at_once(org: Tenant) -> None:
    async with receiving() as receiver, running_dispatcher(org):
        created = await hook(org, receiver)
        user = await make_user(org, funds="1000")
        forced = await swap(org, user, "webhook=twice")
        await until_rows(org, created, [DELIVERED] * 2)
        await until(lambda: len(receiver.received) == 4)
    assert receiver.of(forced) == [each for each in BEGINNING for _ in range(2)]
    for one, other in (receiver.received[:2], receiver.received[2:]):
        assert (one.id, one.body) == (other.id, other.body)


async def row_of(org: Tenant, created: str, object_id: str) -> Row:
    """Return the first delivery about an object."""
    rows = await rows_of(org, created)
    return next(row for row in rows if str(row["object_id"]) == object_id)


async def until_attempts(org: Tenant, created: str, object_id: str, count: int) -> None:
    """Wait until the first delivery about an object was tried so often."""
    async with asyncio.timeout(PATIENCE_S):
        while (await row_of(org, created, object_id))["attempt_count"] != count:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
