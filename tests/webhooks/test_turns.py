"""Turns of couriers: who delivers, what one leaves behind, and what the next one makes of it."""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, cast
from uuid import UUID

import pytest
from typing_extensions import override

from landbridge.core.clock import FrozenClock
from landbridge.core.ids import new_id
from landbridge.events.model import Event, EventKey
from landbridge.flows.swaps import model as swaps_model
from landbridge.webhooks.delivering.forced import ForcedDeliveries, ForcedDelivery
from landbridge.webhooks.model import PENDING_MAX, DeliveryStatus
from tests.tenants import Tenant

from .carrying import hook, posting, receiving, rows_of, until, until_rows
from .rows import add, endpoint, row
from .test_courier import CREATE, DELIVERED, LIFE, OPEN, PENDING, swaps

SECOND = timedelta(seconds=1)
TAKE_AWAY = """
update webhook_endpoints set leased_by = null, leased_until = null where org_id = $1 and id = $2
"""


async def test_two_workers_deliver_everything_once(org: Tenant) -> None:
    async with receiving() as receiver, posting(org), posting(org):
        made = await hook(org, receiver)
        ids = await swaps(org, 4)
        await until_rows(org, made, [DELIVERED] * 4 * len(LIFE))
    assert [receiver.of(each) for each in ids] == [LIFE] * 4


async def test_a_turn_that_was_taken_away_writes_nothing_more(org: Tenant) -> None:
    async with receiving() as receiver, posting(org):
        receiver.answers = lambda _: None
        made = await hook(org, receiver, CREATE)
        (swap,) = await swaps(org)
        await until(lambda: receiver.of(swap) == [CREATE])
        receiver.answers = lambda _: 200
        await org.house.database.rows(TAKE_AWAY, org.org_id, UUID(made))
        await until_rows(org, made, [DELIVERED])
        # Sent again by the next turn, under the same id.
        assert receiver.of(swap) == [CREATE, CREATE]
        assert len({each.id for each in receiver.came}) == 1


async def test_who_takes_over_sends_only_what_has_no_row(org: Tenant) -> None:
    async with receiving() as receiver:
        made = await hook(org, receiver)
        first, second = await swaps(org, 2)
        receiver.answers = lambda each: None if each.object_id == first else 200
        async with posting(org) as postman:
            await until_rows(org, made, [DELIVERED] * len(LIFE))
            await until(lambda: receiver.of(first) == [CREATE])
            (walk,) = postman.walks.values()
            walk.task.cancel()
            await asyncio.wait([walk.task])
        await org.house.database.rows(TAKE_AWAY, org.org_id, UUID(made))
        receiver.answers = lambda _: 200
        async with posting(org):
            await until_rows(org, made, [DELIVERED] * 2 * len(LIFE))
    assert receiver.of(second) == LIFE
    assert receiver.of(first) == [CREATE, *LIFE]


async def test_a_worker_that_ends_puts_down_what_it_has_and_gives_its_turn_back(
    org: Tenant,
) -> None:
    async with receiving() as receiver:
        made = await hook(org, receiver)
        await swaps(org, 3)
        async with posting(org):
            await until(lambda: len(receiver.came) > 3)
        # Closed in the middle of it, or not.
        left = await endpoint(org, made)
        assert (left["leased_by"], left["leased_until"]) == (None, None)
        async with posting(org):
            await until_rows(org, made, [DELIVERED] * 3 * len(LIFE))
    assert len(receiver.came) == len({each.id for each in receiver.came}) == 3 * len(LIFE)


async def test_everything_since_a_time_comes_again_under_the_same_ids(org: Tenant) -> None:
    async with receiving() as receiver, posting(org):
        made = await hook(org, receiver)
        since = org.house.clock.now()
        (swap,) = await swaps(org)
        await until_rows(org, made, [DELIVERED] * len(LIFE))
        told = {"since": since.isoformat(), "only": "all"}
        await org.post(f"/v2/webhooks/{made}/resend", told)
        await until_rows(org, made, [DELIVERED] * 2 * len(LIFE))
    assert receiver.of(swap) == [*LIFE, *LIFE]
    assert len({each.id for each in receiver.came}) == len(LIFE)
    assert {each["round"] for each in await rows_of(org, made)} == {1, 2}


async def test_what_was_refused_comes_again_in_order(org: Tenant) -> None:
    async with receiving() as receiver, posting(org):
        made = await hook(org, receiver)
        since = org.house.clock.now()
        receiver.answers = lambda _: 400
        (swap,) = await swaps(org)
        await until_rows(org, made, ["REFUSED"] * len(LIFE))
        receiver.answers = lambda _: 200
        told = {"since": since.isoformat(), "only": "failed"}
        await org.post(f"/v2/webhooks/{made}/resend", told)
        await until_rows(org, made, [DELIVERED] * len(LIFE))
    assert receiver.of(swap) == [*LIFE, *LIFE]


async def test_what_is_sent_again_and_fails_holds_up_what_came_later(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org = still_org
    async with receiving() as receiver, posting(org):
        made = await hook(org, receiver)
        since = still_clock.now()
        receiver.answers = lambda _: 400
        (swap,) = await swaps(org)
        await until_rows(org, made, ["REFUSED"] * len(LIFE))
        receiver.answers = lambda _: 500
        still_clock.at += SECOND
        told = {"since": since.isoformat(), "only": "failed"}
        await org.post(f"/v2/webhooks/{made}/resend", told)
        await until(lambda: len(receiver.came) == len(LIFE) + 1)
        await until_rows(org, made, [PENDING] * len(LIFE))
        receiver.answers = lambda _: 200
        still_clock.at += 34 * SECOND
        await until_rows(org, made, [DELIVERED] * len(LIFE))
    assert receiver.of(swap) == [*LIFE, CREATE, *LIFE]


async def test_an_endpoint_with_too_much_waiting_is_read_no_further(org: Tenant) -> None:
    async with receiving() as receiver:
        made = await hook(org, receiver, CREATE)
        (swap,) = await swaps(org)
        later = org.house.clock.now() + timedelta(hours=1)
        rows = [
            row(org, made, status=DeliveryStatus.PENDING, due_at=later, attempts=())
            for _ in range(PENDING_MAX)
        ]
        await add(org, made, rows)
        async with posting(org):
            await asyncio.sleep(1)
            assert receiver.came == []
            await org.house.database.rows(
                "update webhook_deliveries set status = 'REPLACED', due_at = null"
                " where org_id = $1 and endpoint_id = $2 and id = $3",
                *(org.org_id, UUID(made), rows[0].id),
            )
            await until(lambda: receiver.of(swap) == [CREATE])


async def test_an_endpoint_that_hangs_holds_up_no_other(org: Tenant) -> None:
    async with receiving() as hanging, receiving() as receiver, posting(org) as postman:
        hanging.answers = lambda _: None
        await hook(org, hanging)
        made = await hook(org, receiver)
        ids = await swaps(org, 40)
        await until_rows(org, made, [DELIVERED] * 40 * len(LIFE))
        assert [receiver.of(each) for each in ids] == [LIFE] * 40
        await until(lambda: len(hanging.came) == 32)
        # Not waited for, so that the test ends soon.
        for each in list(postman.walks.values()):
            if each.courier.endpoint.url == hanging.url:
                each.task.cancel()
    assert {each.type for each in hanging.came} == {CREATE}


async def test_an_event_that_cannot_be_shown_holds_up_no_other_object(org: Tenant) -> None:
    bad: set[UUID] = set()
    good = org.house.events.portraits[swaps_model.KIND]

    async def broken(org_id: UUID, events: Sequence[Event]) -> Sequence[Any]:
        if any(each.change.object_id in bad for each in events):
            raise LookupError("no portrait")
        return await good(org_id, events)

    portraits = {**org.house.events.portraits, swaps_model.KIND: broken}
    events = replace(org.house.events, portraits=portraits)
    async with receiving() as receiver:
        made = await hook(org, receiver)
        first, second = await swaps(org, 2)
        bad.add(UUID(first))
        async with posting(org, events=events):
            await until_rows(org, made, [DELIVERED] * len(LIFE) + [PENDING] * len(LIFE))
        assert (receiver.of(first), receiver.of(second)) == ([], LIFE)
        assert "could not be shown" in (await rows_of(org, made))[0]["attempts"]


async def test_a_row_without_an_event_is_given_up(org: Tenant) -> None:
    async with receiving() as receiver, posting(org):
        made = await hook(org, receiver)
        at = org.house.clock.now()
        status, key = DeliveryStatus.PENDING, EventKey(new_id(), 1, 0)
        await add(org, made, [row(org, made, status=status, key=key, due_at=at, attempts=())])
        await until_rows(org, made, ["GIVEN_UP"])
    assert receiver.came == []


@dataclass(frozen=True, slots=True)
class Plans(ForcedDeliveries):
    """One plan for everything."""

    plan: ForcedDelivery

    @override
    async def of(
        self, org_id: UUID, events: Collection[tuple[UUID, datetime]]
    ) -> Mapping[UUID, ForcedDelivery]:
        return {object_id: self.plan for object_id, _ in events}


def plans(org: Tenant, **told: Any) -> Plans:
    return Plans(org.house.postman.office.forced.forcing, ForcedDelivery(**told))


async def test_a_plan_lets_events_wait_untried(still_org: Tenant, still_clock: FrozenClock) -> None:
    org = still_org
    forced = plans(org, waits_until=still_clock.now() + timedelta(minutes=10))
    async with receiving() as receiver, posting(org, forced=forced):
        made = await hook(org, receiver, CREATE, OPEN)
        (swap,) = await swaps(org)
        await until_rows(org, made, [PENDING] * 2)
        assert [each["attempt_count"] for each in await rows_of(org, made)] == [0, 0]
        still_clock.at += timedelta(minutes=10)
        await until_rows(org, made, [DELIVERED] * 2)
    assert receiver.of(swap) == [CREATE, OPEN]
    assert receiver.came[0].headers["landbridge-attempt"] == "1"


async def test_a_plan_lets_attempts_fail_unsent(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org = still_org
    until_at = still_clock.now() + 20 * SECOND
    forced = plans(org, fails_until=until_at, error="as planned")
    async with receiving() as receiver, posting(org, forced=forced):
        made = await hook(org, receiver, CREATE)
        (swap,) = await swaps(org)
        await until_rows(org, made, [PENDING])
        assert receiver.came == []
        assert "as planned" in (await rows_of(org, made))[0]["attempts"]
        still_clock.at += 34 * SECOND
        await until_rows(org, made, [DELIVERED])
    assert receiver.of(swap) == [CREATE]


async def test_a_plan_sends_the_same_twice(org: Tenant) -> None:
    async with receiving() as receiver, posting(org, forced=plans(org, is_twice=True)):
        made = await hook(org, receiver, CREATE)
        (swap,) = await swaps(org)
        await until_rows(org, made, [DELIVERED])
    assert receiver.of(swap) == [CREATE, CREATE]
    assert receiver.came[0].body == receiver.came[1].body


@pytest.mark.parametrize("is_due", [True, False])
async def test_a_courier_with_nothing_to_do_gives_its_turn_back(
    org: Tenant, *, is_due: bool
) -> None:
    async with receiving() as receiver, posting(org) as postman:
        made = await hook(org, receiver, CREATE)
        await swaps(org)
        await until_rows(org, made, [DELIVERED])
        for each in postman.walks.values():
            each.courier.ring(is_due=is_due)
        await until(lambda: not postman.walks)
        assert (await endpoint(org, made))["leased_by"] is None
        await swaps(org)
        await until_rows(org, made, [DELIVERED] * 2)


class Failing:
    """A part of ours that fails whatever it is asked."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


async def test_a_courier_that_fails_leaves_everything_to_the_next(
    org: Tenant, logged: Callable[[], str]
) -> None:
    async with receiving() as receiver:
        made = await hook(org, receiver, CREATE)
        await swaps(org)
        async with posting(org, partitions=cast("Any", Failing())):
            await until(lambda: "webhooks.failed" in logged())
        assert await rows_of(org, made) == []
        async with posting(org):
            await until_rows(org, made, [DELIVERED])
    assert len({each.id for each in receiver.came}) == 1


async def test_an_endpoint_that_cannot_be_begun_with_is_left_alone_for_a_while(
    org: Tenant, logged: Callable[[], str]
) -> None:
    async with receiving() as receiver:
        made = await hook(org, receiver, CREATE)
        await swaps(org)
        async with posting(org, endpoints=cast("Any", Failing())):
            await until(lambda: "webhooks.not_begun" in logged())
            await asyncio.sleep(0.3)
        assert logged().count("webhooks.not_begun") == 1
        assert (await endpoint(org, made))["leased_by"] is None
        async with posting(org):
            await until_rows(org, made, [DELIVERED])
