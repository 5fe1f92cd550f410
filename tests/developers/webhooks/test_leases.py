"""Leases of endpoint workers: the holder, unfinished work, and takeover."""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, cast
from uuid import UUID

import pytest
from typing_extensions import override

from landbridge.developers.events.model import Event, EventKey
from landbridge.developers.webhooks.delivery.scripted_outcomes import (
    ScriptedDeliveries,
    ScriptedDelivery,
)
from landbridge.developers.webhooks.model import PENDING_MAX, DeliveryStatus
from landbridge.payments.swaps import model as swaps_model
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.ids import new_id
from tests.developers.webhooks.rows import add, endpoint, row
from tests.developers.webhooks.test_endpoint_worker import (
    CREATE,
    DELIVERED,
    LIFE,
    OPEN,
    PENDING,
    swaps,
)
from tests.developers.webhooks.worker_steps import (
    hook,
    receiving,
    rows_of,
    running_dispatcher,
    until,
    until_rows,
)
from tests.tenants import Tenant

SECOND = timedelta(seconds=1)
TAKE_AWAY = """
update webhook_endpoints set leased_by = null, leased_until = null where org_id = $1 and id = $2
"""


async def test_two_workers_deliver_everything_once(org: Tenant) -> None:
    async with receiving() as receiver, running_dispatcher(org), running_dispatcher(org):
        created = await hook(org, receiver)
        ids = await swaps(org, 4)
        await until_rows(org, created, [DELIVERED] * 4 * len(LIFE))
    assert [receiver.of(each) for each in ids] == [LIFE] * 4


async def test_a_worker_without_its_lease_writes_nothing_more(org: Tenant) -> None:
    async with receiving() as receiver, running_dispatcher(org):
        receiver.answers = lambda _: None
        created = await hook(org, receiver, CREATE)
        (swap,) = await swaps(org)
        await until(lambda: receiver.of(swap) == [CREATE])
        receiver.answers = lambda _: 200
        await org.container.database.rows(TAKE_AWAY, org.org_id, UUID(created))
        await until_rows(org, created, [DELIVERED])
        # Sent again by the next turn, under the same id.
        assert receiver.of(swap) == [CREATE, CREATE]
        assert len({each.id for each in receiver.received}) == 1


async def test_a_successor_sends_only_events_without_a_row(org: Tenant) -> None:
    async with receiving() as receiver:
        created = await hook(org, receiver)
        first, second = await swaps(org, 2)
        receiver.answers = lambda each: None if each.object_id == first else 200
        async with running_dispatcher(org) as dispatcher:
            await until_rows(org, created, [DELIVERED] * len(LIFE))
            await until(lambda: receiver.of(first) == [CREATE])
            (running,) = dispatcher.running.values()
            running.task.cancel()
            await asyncio.wait([running.task])
        await org.container.database.rows(TAKE_AWAY, org.org_id, UUID(created))
        receiver.answers = lambda _: 200
        async with running_dispatcher(org):
            await until_rows(org, created, [DELIVERED] * 2 * len(LIFE))
    assert receiver.of(second) == LIFE
    assert receiver.of(first) == [CREATE, *LIFE]


async def test_a_stopping_worker_writes_its_outcomes_and_releases_its_lease(org: Tenant) -> None:
    async with receiving() as receiver:
        created = await hook(org, receiver)
        await swaps(org, 3)
        async with running_dispatcher(org):
            await until(lambda: len(receiver.received) > 3)
        # Closed in the middle of it, or not.
        left = await endpoint(org, created)
        assert (left["leased_by"], left["leased_until"]) == (None, None)
        async with running_dispatcher(org):
            await until_rows(org, created, [DELIVERED] * 3 * len(LIFE))
    assert len(receiver.received) == len({each.id for each in receiver.received}) == 3 * len(LIFE)


async def test_everything_since_a_time_comes_again_under_the_same_ids(org: Tenant) -> None:
    async with receiving() as receiver, running_dispatcher(org):
        created = await hook(org, receiver)
        since = org.container.clock.now()
        (swap,) = await swaps(org)
        await until_rows(org, created, [DELIVERED] * len(LIFE))
        body = {"since": since.isoformat(), "only": "all"}
        await org.post(f"/v2/webhooks/{created}/resend", body)
        await until_rows(org, created, [DELIVERED] * 2 * len(LIFE))
    assert receiver.of(swap) == [*LIFE, *LIFE]
    assert len({each.id for each in receiver.received}) == len(LIFE)
    assert {each["round"] for each in await rows_of(org, created)} == {1, 2}


async def test_refused_deliveries_are_resent_in_order(org: Tenant) -> None:
    async with receiving() as receiver, running_dispatcher(org):
        created = await hook(org, receiver)
        since = org.container.clock.now()
        receiver.answers = lambda _: 400
        (swap,) = await swaps(org)
        await until_rows(org, created, ["REFUSED"] * len(LIFE))
        receiver.answers = lambda _: 200
        body = {"since": since.isoformat(), "only": "failed"}
        await org.post(f"/v2/webhooks/{created}/resend", body)
        await until_rows(org, created, [DELIVERED] * len(LIFE))
    assert receiver.of(swap) == [*LIFE, *LIFE]


async def test_a_failing_resend_delays_later_events_of_its_object(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org = still_org
    async with receiving() as receiver, running_dispatcher(org):
        created = await hook(org, receiver)
        since = still_clock.now()
        receiver.answers = lambda _: 400
        (swap,) = await swaps(org)
        await until_rows(org, created, ["REFUSED"] * len(LIFE))
        receiver.answers = lambda _: 500
        still_clock.at += SECOND
        body = {"since": since.isoformat(), "only": "failed"}
        await org.post(f"/v2/webhooks/{created}/resend", body)
        await until(lambda: len(receiver.received) == len(LIFE) + 1)
        await until_rows(org, created, [PENDING] * len(LIFE))
        receiver.answers = lambda _: 200
        still_clock.at += 34 * SECOND
        await until_rows(org, created, [DELIVERED] * len(LIFE))
    assert receiver.of(swap) == [*LIFE, CREATE, *LIFE]


@pytest.mark.long
async def test_an_endpoint_with_too_much_waiting_is_read_no_further(org: Tenant) -> None:
    async with receiving() as receiver:
        created = await hook(org, receiver, CREATE)
        (swap,) = await swaps(org)
        later = org.container.clock.now() + timedelta(hours=1)
        rows = [
            row(org, created, status=DeliveryStatus.PENDING, due_at=later, attempts=())
            for _ in range(PENDING_MAX)
        ]
        await add(org, created, rows)
        async with running_dispatcher(org):
            await asyncio.sleep(1)
            assert receiver.received == []
            await org.container.database.rows(
                "update webhook_deliveries set status = 'REPLACED', due_at = null"
                " where org_id = $1 and endpoint_id = $2 and id = $3",
                *(org.org_id, UUID(created), rows[0].id),
            )
            await until(lambda: receiver.of(swap) == [CREATE])


async def test_an_endpoint_that_hangs_holds_up_no_other(org: Tenant) -> None:
    async with (
        receiving() as hanging,
        receiving() as receiver,
        running_dispatcher(org) as dispatcher,
    ):
        hanging.answers = lambda _: None
        await hook(org, hanging)
        created = await hook(org, receiver)
        ids = await swaps(org, 40)
        await until_rows(org, created, [DELIVERED] * 40 * len(LIFE))
        assert [receiver.of(each) for each in ids] == [LIFE] * 40
        await until(lambda: len(hanging.received) == 32)
        # Not awaited, so that the test ends soon.
        for each in list(dispatcher.running.values()):
            if each.worker.endpoint.url == hanging.url:
                each.task.cancel()
    assert {each.type for each in hanging.received} == {CREATE}


async def test_an_event_that_cannot_be_shown_holds_up_no_other_object(org: Tenant) -> None:
    bad: set[UUID] = set()
    good = org.container.events.payload_builders[swaps_model.KIND]

    async def broken(org_id: UUID, events: Sequence[Event]) -> Sequence[Any]:
        if any(each.change.object_id in bad for each in events):
            raise LookupError("no portrait")
        return await good(org_id, events)

    payload_builders = {**org.container.events.payload_builders, swaps_model.KIND: broken}
    events = replace(org.container.events, payload_builders=payload_builders)
    async with receiving() as receiver:
        created = await hook(org, receiver)
        first, second = await swaps(org, 2)
        bad.add(UUID(first))
        async with running_dispatcher(org, events=events):
            await until_rows(org, created, [DELIVERED] * len(LIFE) + [PENDING] * len(LIFE))
        assert (receiver.of(first), receiver.of(second)) == ([], LIFE)
        assert "could not be shown" in (await rows_of(org, created))[0]["attempts"]


async def test_a_row_without_an_event_is_given_up(org: Tenant) -> None:
    async with receiving() as receiver, running_dispatcher(org):
        created = await hook(org, receiver)
        at = org.container.clock.now()
        status, key = DeliveryStatus.PENDING, EventKey(new_id(), 1, 0)
        await add(org, created, [row(org, created, status=status, key=key, due_at=at, attempts=())])
        await until_rows(org, created, ["GIVEN_UP"])
    assert receiver.received == []


@dataclass(frozen=True, slots=True)
class Plans(ScriptedDeliveries):
    """One plan for everything."""

    plan: ScriptedDelivery

    @override
    async def of(
        self, org_id: UUID, events: Collection[tuple[UUID, datetime]]
    ) -> Mapping[UUID, ScriptedDelivery]:
        return {object_id: self.plan for object_id, _ in events}


def plans(org: Tenant, **fields: Any) -> Plans:
    return Plans(
        org.container.dispatcher.deps.scripted_deliveries.scripted_outcomes,
        ScriptedDelivery(**fields),
    )


async def test_a_plan_delays_events_without_an_attempt(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org = still_org
    scripted = plans(org, waits_until=still_clock.now() + timedelta(minutes=10))
    async with receiving() as receiver, running_dispatcher(org, scripted_deliveries=scripted):
        created = await hook(org, receiver, CREATE, OPEN)
        (swap,) = await swaps(org)
        await until_rows(org, created, [PENDING] * 2)
        assert [each["attempt_count"] for each in await rows_of(org, created)] == [0, 0]
        still_clock.at += timedelta(minutes=10)
        await until_rows(org, created, [DELIVERED] * 2)
    assert receiver.of(swap) == [CREATE, OPEN]
    assert receiver.received[0].headers["landbridge-attempt"] == "1"


async def test_a_plan_fails_attempts_without_sending(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org = still_org
    until_at = still_clock.now() + 20 * SECOND
    scripted = plans(org, fails_until=until_at, error="as planned")
    async with receiving() as receiver, running_dispatcher(org, scripted_deliveries=scripted):
        created = await hook(org, receiver, CREATE)
        (swap,) = await swaps(org)
        await until_rows(org, created, [PENDING])
        assert receiver.received == []
        assert "as planned" in (await rows_of(org, created))[0]["attempts"]
        still_clock.at += 34 * SECOND
        await until_rows(org, created, [DELIVERED])
    assert receiver.of(swap) == [CREATE]


async def test_a_plan_sends_the_same_twice(org: Tenant) -> None:
    async with (
        receiving() as receiver,
        running_dispatcher(org, scripted_deliveries=plans(org, is_twice=True)),
    ):
        created = await hook(org, receiver, CREATE)
        (swap,) = await swaps(org)
        await until_rows(org, created, [DELIVERED])
    assert receiver.of(swap) == [CREATE, CREATE]
    assert receiver.received[0].body == receiver.received[1].body


@pytest.mark.long
@pytest.mark.parametrize("is_due", [True, False])
async def test_an_idle_worker_releases_its_lease(org: Tenant, *, is_due: bool) -> None:
    async with receiving() as receiver, running_dispatcher(org) as dispatcher:
        created = await hook(org, receiver, CREATE)
        await swaps(org)
        await until_rows(org, created, [DELIVERED])
        for each in dispatcher.running.values():
            each.worker.notify(is_due=is_due)
        await until(lambda: not dispatcher.running)
        assert (await endpoint(org, created))["leased_by"] is None
        await swaps(org)
        await until_rows(org, created, [DELIVERED] * 2)


class Failing:
    """Internal component that fails on every call."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


async def test_a_failing_worker_leaves_everything_to_its_successor(
    org: Tenant, logged: Callable[[], str]
) -> None:
    async with receiving() as receiver:
        created = await hook(org, receiver, CREATE)
        await swaps(org)
        async with running_dispatcher(org, partitions=cast("Any", Failing())):
            await until(lambda: "webhooks.failed" in logged())
        assert await rows_of(org, created) == []
        async with running_dispatcher(org):
            await until_rows(org, created, [DELIVERED])
    assert len({each.id for each in receiver.received}) == 1


async def test_an_endpoint_whose_worker_cannot_start_is_paused(
    org: Tenant, logged: Callable[[], str]
) -> None:
    async with receiving() as receiver:
        created = await hook(org, receiver, CREATE)
        await swaps(org)
        async with running_dispatcher(org, endpoints=cast("Any", Failing())):
            await until(lambda: "webhooks.start_failed" in logged())
            await asyncio.sleep(0.3)
        assert logged().count("webhooks.start_failed") == 1
        assert (await endpoint(org, created))["leased_by"] is None
        async with running_dispatcher(org):
            await until_rows(org, created, [DELIVERED])
