"""Nothing overtakes, hangs or stops others: locks, changed endpoints, what is sent again."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

from landbridge.core.clock import FrozenClock
from landbridge.core.ids import new_id
from landbridge.db.pool import LOCK_TIMEOUT_MS, Tx
from landbridge.events.model import EventKey
from landbridge.webhooks.delivering import delivery_store, turn_store
from landbridge.webhooks.model import PENDING_MAX, Delivery, DeliveryStatus
from tests.tenants import Tenant, sentence

from .carrying import hook, posting, receiving, rows_of, statuses, until, until_rows
from .endpoints import change_webhook
from .rows import SECOND, add, endpoint, make_endpoint, row, stored
from .test_courier import CREATE, DELIVERED, LIFE, swaps
from .test_turns import TAKE_AWAY

PENDING, REFUSED = DeliveryStatus.PENDING, DeliveryStatus.REFUSED
MINUTE = timedelta(minutes=1)
COMPLETED = LIFE[-1]
# Who waits for a lock does so for longer, and then gives up.
_UNLOCKED_S = LOCK_TIMEOUT_MS / 1000 - 1


def of_one_object(org: Tenant, made: str, *told: dict[str, Any]) -> list[Delivery]:
    """Deliveries of one object, in their order."""
    object_id = new_id()
    return [
        row(org, made, key=EventKey(object_id, place + 1, 0), **each)
        for place, each in enumerate(told)
    ]


async def test_an_endpoint_that_is_locked_stops_no_other(org: Tenant) -> None:
    """What waits there are rows: who locks anything holds back the log of everybody."""
    # Several, since nobody knows which is come to first.
    *locked, made = [await make_endpoint(org) for _ in range(4)]
    for each in (*locked, made):
        at = org.house.clock.now()
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

    holding = asyncio.create_task(org.house.database.transact(hold))
    await began.wait()
    try:
        async with posting(org):
            async with asyncio.timeout(_UNLOCKED_S):
                await until_rows(org, made, ["GIVEN_UP"])
            assert [await statuses(org, each) for each in locked] == [["PENDING"]] * 3
            go.set()
            for each in locked:
                await until_rows(org, each, ["GIVEN_UP"])
    finally:
        go.set()
        await holding


async def test_more_event_types_bring_nothing_after_what_came_later(org: Tenant) -> None:
    async with receiving() as receiver:
        made = await hook(org, receiver, CREATE, COMPLETED)
        first, second = await swaps(org, 2)
        receiver.answers = lambda each: None if each.object_id == first else 200
        async with posting(org) as postman:
            await until_rows(org, made, [DELIVERED] * 2)
            await until(lambda: receiver.of(first) == [CREATE])
            (walk,) = postman.walks.values()
            walk.task.cancel()
            await asyncio.wait([walk.task])
        await org.house.database.rows(TAKE_AWAY, org.org_id, UUID(made))
        await change_webhook(org, made, eventTypes=["WALLET.SWAP.*"])
        receiver.answers = lambda _: 200
        async with posting(org):
            await until_rows(org, made, [DELIVERED] * (2 + len(LIFE)))
    assert receiver.of(first) == [CREATE, *LIFE]
    assert receiver.of(second) == [CREATE, COMPLETED]


async def test_one_that_is_sent_again_keeps_nothing_from_being_read_again(org: Tenant) -> None:
    async with receiving() as receiver:
        made = await hook(org, receiver)
        since = org.house.clock.now()
        (swap,) = await swaps(org)
        async with posting(org):
            await until_rows(org, made, [DELIVERED] * len(LIFE))
        await org.post(f"/v2/webhooks/{made}/resend", {"since": since.isoformat(), "only": "all"})
        last = (await rows_of(org, made))[-1]["id"]
        await org.post(f"/v2/webhooks/{made}/deliveries/{last}/resend")
        async with posting(org):
            await until_rows(org, made, [DELIVERED] * 2 * len(LIFE))
    assert receiver.of(swap)[: len(LIFE)] == LIFE
    assert set(receiver.of(swap)[len(LIFE) :]) == set(LIFE)


async def test_who_has_the_turn_goes_on_at_once_when_all_is_sent_again(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    """And gives it back: on a clock that stands still no turn ends by itself."""
    org = still_org
    async with receiving() as receiver, posting(org):
        made = await hook(org, receiver)
        since = still_clock.now()
        await swaps(org)
        await until_rows(org, made, [DELIVERED] * len(LIFE))
        await org.post(f"/v2/webhooks/{made}/resend", {"since": since.isoformat(), "only": "all"})
        await until_rows(org, made, [DELIVERED] * 2 * len(LIFE))


async def test_one_that_is_sent_again_waits_behind_an_earlier_one(org: Tenant) -> None:
    made, at = await make_endpoint(org), org.house.clock.now()
    rows = of_one_object(org, made, {"status": PENDING, "due_at": at + MINUTE}, {"status": REFUSED})
    await add(org, made, rows)
    told = await org.post(f"/v2/webhooks/{made}/deliveries/{rows[1].id}/resend")
    assert (told["status"], told["nextAttemptAt"]) == ("PENDING", None)


async def test_of_what_failed_each_objects_first_goes_first(org: Tenant) -> None:
    made, at = await make_endpoint(org), org.house.clock.now()
    failed = of_one_object(org, made, {"status": REFUSED}, {"status": REFUSED})
    behind = of_one_object(
        org, made, {"status": PENDING, "due_at": at + MINUTE}, {"status": REFUSED}
    )
    await add(org, made, [*failed, *behind])
    body = {"since": (at - MINUTE).isoformat(), "only": "failed"}
    assert (await org.post(f"/v2/webhooks/{made}/resend", body))["count"] == 3
    due = [(await stored(org, each.id))["due_at"] is not None for each in (*failed, *behind)]
    assert due == [True, False, True, False]


async def test_what_is_sent_again_meanwhile_is_not_undone(org: Tenant) -> None:
    made, at = await make_endpoint(org), org.house.clock.now()
    rows = [row(org, made, status=PENDING, due_at=at - SECOND) for _ in range(4)]
    await add(org, made, rows)
    for each in rows[:3]:
        await org.post(f"/v2/webhooks/{made}/deliveries/{each.id}/resend")
    before = [await stored(org, each.id) for each in rows]
    outcomes = [
        {"status": PENDING, "due_at": at + MINUTE},
        {"status": REFUSED, "due_at": None},
        {"status": DeliveryStatus.DELIVERED, "due_at": None},
        {"status": REFUSED, "due_at": None},
    ]
    tried = [
        replace(each, attempt_count=2, **told) for each, told in zip(rows, outcomes, strict=True)
    ]
    await org.house.database.transact(
        lambda tx: delivery_store.change(tx, org.org_id, UUID(made), tried)
    )
    after = [await stored(org, each.id) for each in rows]
    assert [each["status"] for each in after] == ["PENDING", "PENDING", "DELIVERED", "REFUSED"]
    assert [each["due_at"] for each in after[:2]] == [each["due_at"] for each in before[:2]]
    assert [each["attempt_count"] for each in after] == [2] * 4


async def test_everything_is_asked_for_once_in_ten_seconds(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org, made, other = still_org, await make_endpoint(still_org), await make_endpoint(still_org)
    body = {"since": still_clock.now().isoformat(), "only": "all"}
    path = f"/v2/webhooks/{made}/resend"
    await org.post(path, body)
    still_clock.at += 9 * SECOND
    answer = await org.send("POST", path, body)
    assert (answer.status_code, answer.json()["error"]) == (409, "RESOURCE_CONFLICT")
    assert "ask once" in sentence(answer)
    await org.post(f"/v2/webhooks/{other}/resend", body)
    still_clock.at += SECOND
    await org.post(path, body)


async def test_where_very_much_waits_nothing_more_is_sent_again(org: Tenant) -> None:
    made, at = await make_endpoint(org), org.house.clock.now()
    rows = [row(org, made, status=PENDING, due_at=at, attempts=()) for _ in range(PENDING_MAX + 1)]
    await add(org, made, [*rows, row(org, made, status=REFUSED)])
    body = {"since": (at - MINUTE).isoformat(), "only": "failed"}
    answer = await org.send("POST", f"/v2/webhooks/{made}/resend", body)
    assert (answer.status_code, answer.json()["error"]) == (409, "RESOURCE_CONFLICT")


async def test_many_of_one_object_hide_no_other(org: Tenant) -> None:
    made, at = await make_endpoint(org), org.house.clock.now()
    many = of_one_object(org, made, *[{"status": PENDING, "due_at": at - MINUTE}] * 200)
    other = row(org, made, status=PENDING, due_at=at)
    await add(org, made, [*many, other])
    found = await org.house.database.single(
        lambda tx: delivery_store.due(tx, org.org_id, UUID(made), at, limit=128)
    )
    assert [each.id for each in found] == [many[0].id, other.id]


async def test_what_waits_behind_a_row_that_is_gone_goes(org: Tenant) -> None:
    """Its event is not kept any more, so it is given up; what matters is that it is looked at."""
    async with receiving() as receiver, posting(org):
        made = await hook(org, receiver, CREATE)
        await add(org, made, [row(org, made, status=PENDING, due_at=None, attempts=())])
        await swaps(org)
        await until_rows(org, made, [DELIVERED, "GIVEN_UP"])


async def test_what_waits_at_an_endpoint_ends_with_it(org: Tenant) -> None:
    made = await make_endpoint(org)
    waiting, done = row(org, made, status=PENDING, due_at=None), row(org, made)
    await add(org, made, [waiting, done])

    async def pending() -> int:
        return await org.house.database.single(lambda tx: turn_store.pending(tx, [org.org_id]))

    assert await pending() == 1
    await change_webhook(org, made, status="PAUSED")
    assert await pending() == 0
    assert (await stored(org, waiting.id))["status"] == "PENDING"
    assert (await org.send("DELETE", f"/v2/webhooks/{made}")).is_success
    assert (await stored(org, waiting.id))["status"] == "GIVEN_UP"
    assert (await stored(org, done.id))["status"] == "DELIVERED"


async def test_a_flag_ends_nobodys_turn(org: Tenant) -> None:
    async with receiving() as receiver, posting(org) as postman:
        made, at = await hook(org, receiver, CREATE), org.house.clock.now()
        await swaps(org)
        await until_rows(org, made, [DELIVERED])
        (walk,) = postman.walks.values()
        await add(org, made, [row(org, made, status=PENDING, due_at=at, attempts=())])
        await until_rows(org, made, [DELIVERED, "GIVEN_UP"])
        now = await endpoint(org, made)
        assert (now["version"], now["flagged_at"] is not None) == (2, True)
        # It gets through again: the flag stays for a while, and who delivers goes on.
        await swaps(org)
        await until_rows(org, made, [DELIVERED, DELIVERED, "GIVEN_UP"])
        assert (await endpoint(org, made))["version"] == 2
        assert postman.walks[UUID(made)] is walk
