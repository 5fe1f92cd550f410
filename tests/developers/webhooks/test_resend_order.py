"""Order of resends: no overtaking and no blocking, with locks and changed endpoints."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

from landbridge.developers.events.model import EventKey
from landbridge.developers.webhooks.delivery import delivery_store, lease_store
from landbridge.developers.webhooks.model import PENDING_MAX, Delivery, DeliveryStatus
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Tx
from landbridge.platform.db.session_settings import LOCK_TIMEOUT_MS
from tests.developers.webhooks.endpoints import change_webhook
from tests.developers.webhooks.rows import SECOND, add, endpoint, make_endpoint, row, stored
from tests.developers.webhooks.test_endpoint_worker import CREATE, DELIVERED, LIFE, swaps
from tests.developers.webhooks.test_leases import TAKE_AWAY
from tests.developers.webhooks.worker_steps import (
    hook,
    receiving,
    rows_of,
    running_dispatcher,
    statuses,
    until,
    until_rows,
)
from tests.tenants import Tenant, sentence

PENDING, REFUSED = DeliveryStatus.PENDING, DeliveryStatus.REFUSED
MINUTE = timedelta(minutes=1)
COMPLETED = LIFE[-1]
# Longer than the lock timeout, after which a waiter fails.
_UNLOCKED_S = LOCK_TIMEOUT_MS / 1000 - 1


def of_one_object(org: Tenant, created: str, *changes: dict[str, Any]) -> list[Delivery]:
    """Deliveries of one object, in their order."""
    object_id = new_id()
    return [
        row(org, created, key=EventKey(object_id, index + 1, 0), **each)
        for index, each in enumerate(changes)
    ]


async def test_an_endpoint_that_is_locked_stops_no_other(org: Tenant) -> None:
    """Rows are waiting at all of them."""
    # Several, because the order of processing is unknown.
    *locked, created = [await make_endpoint(org) for _ in range(4)]
    for each in (*locked, created):
        at = org.container.clock.now()
        await add(org, each, [row(org, each, status=PENDING, due_at=at, attempts=())])
    began, go = asyncio.Event(), asyncio.Event()

    async def hold(tx: Tx) -> None:
        await tx.fetch(
            "select id from webhook_endpoints where org_id = $1 and id = any($2::uuid[])"
            " for no key update",
            *(org.org_id, locked),
        )
        began.set()
        await go.wait()

    holding = asyncio.create_task(org.container.database.transact(hold))
    await began.wait()
    try:
        async with running_dispatcher(org):
            async with asyncio.timeout(_UNLOCKED_S):
                await until_rows(org, created, ["GIVEN_UP"])
            assert [await statuses(org, each) for each in locked] == [["PENDING"]] * 3
            go.set()
            for each in locked:
                await until_rows(org, each, ["GIVEN_UP"])
    finally:
        go.set()
        await holding


async def test_added_event_types_bring_no_event_out_of_order(org: Tenant) -> None:
    async with receiving() as receiver:
        created = await hook(org, receiver, CREATE, COMPLETED)
        first, second = await swaps(org, 2)
        receiver.answers = lambda each: None if each.object_id == first else 200
        async with running_dispatcher(org) as dispatcher:
            await until_rows(org, created, [DELIVERED] * 2)
            await until(lambda: receiver.of(first) == [CREATE])
            (running,) = dispatcher.running.values()
            running.task.cancel()
            await asyncio.wait([running.task])
        await org.container.database.rows(TAKE_AWAY, org.org_id, UUID(created))
        await change_webhook(org, created, eventTypes=["WALLET.SWAP.*"])
        receiver.answers = lambda _: 200
        async with running_dispatcher(org):
            await until_rows(org, created, [DELIVERED] * (2 + len(LIFE)))
    assert receiver.of(first) == [CREATE, *LIFE]
    assert receiver.of(second) == [CREATE, COMPLETED]


async def test_one_that_is_sent_again_keeps_nothing_from_being_read_again(org: Tenant) -> None:
    async with receiving() as receiver:
        created = await hook(org, receiver)
        since = org.container.clock.now()
        (swap,) = await swaps(org)
        async with running_dispatcher(org):
            await until_rows(org, created, [DELIVERED] * len(LIFE))
        await org.post(
            f"/v2/webhooks/{created}/resend", {"since": since.isoformat(), "only": "all"}
        )
        last = (await rows_of(org, created))[-1]["id"]
        await org.post(f"/v2/webhooks/{created}/deliveries/{last}/resend")
        async with running_dispatcher(org):
            await until_rows(org, created, [DELIVERED] * 2 * len(LIFE))
    assert receiver.of(swap)[: len(LIFE)] == LIFE
    assert set(receiver.of(swap)[len(LIFE) :]) == set(LIFE)


async def test_the_lease_holder_continues_at_once_after_a_full_resend(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    """And releases it: with a stopped clock no lease expires by itself."""
    org = still_org
    async with receiving() as receiver, running_dispatcher(org):
        created = await hook(org, receiver)
        since = still_clock.now()
        await swaps(org)
        await until_rows(org, created, [DELIVERED] * len(LIFE))
        await org.post(
            f"/v2/webhooks/{created}/resend", {"since": since.isoformat(), "only": "all"}
        )
        await until_rows(org, created, [DELIVERED] * 2 * len(LIFE))


async def test_one_that_is_sent_again_waits_behind_an_earlier_one(org: Tenant) -> None:
    created, at = await make_endpoint(org), org.container.clock.now()
    rows = of_one_object(
        org, created, {"status": PENDING, "due_at": at + MINUTE}, {"status": REFUSED}
    )
    await add(org, created, rows)
    reply = await org.post(f"/v2/webhooks/{created}/deliveries/{rows[1].id}/resend")
    assert (reply["status"], reply["nextAttemptAt"]) == ("PENDING", None)


async def test_first_failed_event_of_each_object_is_resent_first(org: Tenant) -> None:
    created, at = await make_endpoint(org), org.container.clock.now()
    failed = of_one_object(org, created, {"status": REFUSED}, {"status": REFUSED})
    behind = of_one_object(
        org, created, {"status": PENDING, "due_at": at + MINUTE}, {"status": REFUSED}
    )
    await add(org, created, [*failed, *behind])
    body = {"since": (at - MINUTE).isoformat(), "only": "failed"}
    assert (await org.post(f"/v2/webhooks/{created}/resend", body))["count"] == 3
    due = [(await stored(org, each.id))["due_at"] is not None for each in (*failed, *behind)]
    assert due == [True, False, True, False]


async def test_a_concurrent_resend_is_not_undone(org: Tenant) -> None:
    created, at = await make_endpoint(org), org.container.clock.now()
    rows = [row(org, created, status=PENDING, due_at=at - SECOND) for _ in range(4)]
    await add(org, created, rows)
    for each in rows[:3]:
        await org.post(f"/v2/webhooks/{created}/deliveries/{each.id}/resend")
    before = [await stored(org, each.id) for each in rows]
    outcomes = [
        {"status": PENDING, "due_at": at + MINUTE},
        {"status": REFUSED, "due_at": None},
        {"status": DeliveryStatus.DELIVERED, "due_at": None},
        {"status": REFUSED, "due_at": None},
    ]
    tried = [
        replace(each, attempt_count=2, **fields)
        for each, fields in zip(rows, outcomes, strict=True)
    ]
    await org.container.database.transact(
        lambda tx: delivery_store.change(tx, org.org_id, UUID(created), tried)
    )
    after = [await stored(org, each.id) for each in rows]
    assert [each["status"] for each in after] == ["PENDING", "PENDING", "DELIVERED", "REFUSED"]
    assert [each["due_at"] for each in after[:2]] == [each["due_at"] for each in before[:2]]
    assert [each["attempt_count"] for each in after] == [2] * 4


async def test_a_full_resend_is_allowed_once_in_ten_seconds(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org, created, other = still_org, await make_endpoint(still_org), await make_endpoint(still_org)
    body = {"since": still_clock.now().isoformat(), "only": "all"}
    path = f"/v2/webhooks/{created}/resend"
    await org.post(path, body)
    still_clock.at += 9 * SECOND
    answer = await org.send("POST", path, body)
    assert (answer.status_code, answer.json()["error"]) == (409, "RESOURCE_CONFLICT")
    assert "ask once" in sentence(answer)
    await org.post(f"/v2/webhooks/{other}/resend", body)
    still_clock.at += SECOND
    await org.post(path, body)


async def test_where_very_much_waits_nothing_more_is_sent_again(org: Tenant) -> None:
    created, at = await make_endpoint(org), org.container.clock.now()
    rows = [
        row(org, created, status=PENDING, due_at=at, attempts=()) for _ in range(PENDING_MAX + 1)
    ]
    await add(org, created, [*rows, row(org, created, status=REFUSED)])
    body = {"since": (at - MINUTE).isoformat(), "only": "failed"}
    answer = await org.send("POST", f"/v2/webhooks/{created}/resend", body)
    assert (answer.status_code, answer.json()["error"]) == (409, "RESOURCE_CONFLICT")


async def test_many_of_one_object_hide_no_other(org: Tenant) -> None:
    created, at = await make_endpoint(org), org.container.clock.now()
    many = of_one_object(org, created, *[{"status": PENDING, "due_at": at - MINUTE}] * 200)
    other = row(org, created, status=PENDING, due_at=at)
    await add(org, created, [*many, other])
    found = await org.container.database.single(
        lambda tx: delivery_store.due(tx, org.org_id, UUID(created), at, limit=128)
    )
    assert [each.id for each in found] == [many[0].id, other.id]


async def test_a_delivery_behind_a_deleted_row_is_sent(org: Tenant) -> None:
    """Its event has been deleted, so it is given up; this checks that it is processed at all."""
    async with receiving() as receiver, running_dispatcher(org):
        created = await hook(org, receiver, CREATE)
        await add(org, created, [row(org, created, status=PENDING, due_at=None, attempts=())])
        await swaps(org)
        await until_rows(org, created, [DELIVERED, "GIVEN_UP"])


async def test_pending_deliveries_end_with_their_endpoint(org: Tenant) -> None:
    created = await make_endpoint(org)
    waiting, done = row(org, created, status=PENDING, due_at=None), row(org, created)
    await add(org, created, [waiting, done])

    async def pending() -> int:
        return await org.container.database.single(lambda tx: lease_store.pending(tx, [org.org_id]))

    assert await pending() == 1
    await change_webhook(org, created, status="PAUSED")
    assert await pending() == 0
    assert (await stored(org, waiting.id))["status"] == "PENDING"
    assert (await org.send("DELETE", f"/v2/webhooks/{created}")).is_success
    assert (await stored(org, waiting.id))["status"] == "GIVEN_UP"
    assert (await stored(org, done.id))["status"] == "DELIVERED"


async def test_a_flag_ends_no_lease(org: Tenant) -> None:
    async with receiving() as receiver, running_dispatcher(org) as dispatcher:
        created, at = await hook(org, receiver, CREATE), org.container.clock.now()
        await swaps(org)
        await until_rows(org, created, [DELIVERED])
        (running,) = dispatcher.running.values()
        await add(org, created, [row(org, created, status=PENDING, due_at=at, attempts=())])
        await until_rows(org, created, [DELIVERED, "GIVEN_UP"])
        now = await endpoint(org, created)
        assert (now["version"], now["flagged_at"] is not None) == (2, True)
        # Deliveries succeed again: the flag stays for a while, and the worker continues.
        await swaps(org)
        await until_rows(org, created, [DELIVERED, DELIVERED, "GIVEN_UP"])
        assert (await endpoint(org, created))["version"] == 2
        assert dispatcher.running[UUID(created)] is running
