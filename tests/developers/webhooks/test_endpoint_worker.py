"""Deliveries as a receiver sees them: content, order and number."""

import asyncio
import json
from datetime import timedelta

import pytest
from prometheus_client import REGISTRY

from landbridge import __version__
from landbridge.payments.swaps.model import SwapStatus
from landbridge.platform.core.clock import FrozenClock
from tests.change_log import placed
from tests.customers.bank_accounts.verified import make_verified
from tests.developers.webhooks.rows import endpoint
from tests.developers.webhooks.worker_steps import (
    hook,
    receiving,
    rows_of,
    running_dispatcher,
    statuses,
    until,
    until_rows,
)
from tests.matrices import part_of
from tests.onramps import make_onramp
from tests.tenants import Tenant, make_swap, make_user

CREATE, OPEN = "WALLET.SWAP.TRANSACTION.CREATE", "WALLET.SWAP.STATUS.OPEN_QUOTE"
LIFE = [
    CREATE,
    OPEN,
    "WALLET.SWAP.STATUS.CREATED",
    "WALLET.SWAP.STATUS.PENDING",
    "WALLET.SWAP.STATUS.COMPLETED",
]
DELIVERED, PENDING = "DELIVERED", "PENDING"


async def swaps(org: Tenant, count: int = 1) -> list[str]:
    """Create completed swaps; return their ids."""
    user = await make_user(org, funds="1000")
    created = [await make_swap(org, user, status=SwapStatus.COMPLETED) for _ in range(count)]
    return [str(each["id"]) for each in created]


async def test_each_objects_events_come_once_and_in_order(org: Tenant) -> None:
    async with receiving() as receiver, running_dispatcher(org):
        created = await hook(org, receiver)
        ids = await swaps(org, 6)
        await until(lambda: len(receiver.received) == 6 * len(LIFE))
        await until_rows(org, created, [DELIVERED] * 6 * len(LIFE))
    assert [receiver.of(each) for each in ids] == [LIFE] * 6
    assert len({each.id for each in receiver.received}) == len(receiver.received)
    row = (await rows_of(org, created))[0]
    (attempt,) = json.loads(row["attempts"])
    assert (attempt["status"], row["attempt_count"]) == (200, 1)
    delivery = await org.get(f"/v2/webhooks/{created}/deliveries/{row['id']}")
    assert [each["answer"] for each in delivery["attempts"]] == ["ok"]


async def test_a_delivery_has_descriptive_headers(org: Tenant) -> None:
    async with receiving() as receiver, running_dispatcher(org):
        await hook(org, receiver)
        await swaps(org)
        await until(lambda: len(receiver.received) == len(LIFE))
    first = receiver.received[0]
    headers = {name: each for name, each in first.headers.items() if name.startswith("landbridge-")}
    assert headers == {
        "landbridge-event-id": first.id,
        "landbridge-event-type": CREATE,
        "landbridge-attempt": "1",
    }
    assert first.headers["content-type"] == "application/json"
    assert first.headers["user-agent"] == f"Landbridge/{__version__}"
    assert first.headers["authorization"].startswith("Bearer ey")
    assert [each.event["sequence"] for each in receiver.received] == sorted(
        each.event["sequence"] for each in receiver.received
    )


@pytest.mark.long
async def test_one_that_failed_is_tried_again_and_only_its_object_waits(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org = still_org
    async with receiving() as receiver:
        created = await hook(org, receiver)
        bad, good = await swaps(org, 2)
        receiver.answers = lambda each: 503 if each.object_id == bad else 200
        async with running_dispatcher(org):
            await until_rows(org, created, [DELIVERED] * len(LIFE) + [PENDING] * len(LIFE))
            assert (receiver.of(bad), receiver.of(good)) == ([CREATE], LIFE)
            still_clock.at += timedelta(seconds=26)
            await asyncio.sleep(1.5)
            assert receiver.of(bad) == [CREATE]
            receiver.answers = lambda _: 200
            still_clock.at += timedelta(seconds=8)
            await until_rows(org, created, [DELIVERED] * 2 * len(LIFE))
    assert receiver.of(bad) == [CREATE, *LIFE]
    attempts = [each for each in receiver.received if each.object_id == bad][:2]
    assert attempts[0].id == attempts[1].id
    assert [each.headers["landbridge-attempt"] for each in attempts] == ["1", "2"]
    assert attempts[0].event["data"] == attempts[1].event["data"]
    assert attempts[0].event["timestamp"] < attempts[1].event["timestamp"]


@pytest.mark.parametrize("status", part_of([400, 404, 410, 429], 0, 2))
async def test_4xx_is_final_and_the_next_event_follows(org: Tenant, status: int) -> None:
    async with receiving() as receiver, running_dispatcher(org):
        created = await hook(org, receiver)
        receiver.answers = lambda each: status if each.type == OPEN else 200
        (swap,) = await swaps(org)
        await until_rows(org, created, [DELIVERED] * 4 + ["REFUSED"])
    assert receiver.of(swap) == LIFE


@pytest.mark.parametrize("status", [301, 500, 503])
async def test_anything_else_is_tried_again(org: Tenant, status: int) -> None:
    async with receiving() as receiver, running_dispatcher(org):
        created = await hook(org, receiver, CREATE)
        receiver.answers = lambda _: status
        await swaps(org)
        await until_rows(org, created, [PENDING])


async def test_after_24_hours_it_is_given_up_and_the_endpoint_flagged(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org = still_org
    async with receiving() as receiver, running_dispatcher(org):
        created = await hook(org, receiver, CREATE, OPEN)
        receiver.answers = lambda _: 500
        (swap,) = await swaps(org)
        await until_rows(org, created, [PENDING] * 2)
        still_clock.at += timedelta(hours=25)
        # One more attempt each: the second event has not been tried before.
        await until_rows(org, created, ["GIVEN_UP"] * 2)
        assert receiver.of(swap) == [CREATE, CREATE, OPEN]
        flagged = await endpoint(org, created)
        assert (flagged["flagged_at"], flagged["flagged_reason"]) == (
            still_clock.now(),
            "answered 500",
        )
        receiver.answers = lambda _: 200
        still_clock.at += timedelta(hours=1)
        await swaps(org)
        await until_rows(org, created, ["GIVEN_UP"] * 2 + [DELIVERED] * 2)
        assert (await endpoint(org, created))["flagged_at"] is None


async def test_a_paused_endpoint_resumes_where_it_stopped(org: Tenant) -> None:
    async with receiving() as receiver, running_dispatcher(org):
        created = await hook(org, receiver, CREATE)
        await swaps(org)
        await until_rows(org, created, [DELIVERED])
        await org.send("PATCH", f"/v2/webhooks/{created}", {"status": "PAUSED"})
        await swaps(org, 2)
        await asyncio.sleep(0.5)
        assert len(receiver.received) == 1
        await org.send("PATCH", f"/v2/webhooks/{created}", {"status": "ACTIVE"})
        await until_rows(org, created, [DELIVERED] * 3)


async def test_missed_events_can_be_skipped(org: Tenant) -> None:
    async with receiving() as receiver, running_dispatcher(org):
        created = await hook(org, receiver, CREATE)
        await org.send("PATCH", f"/v2/webhooks/{created}", {"status": "PAUSED"})
        await swaps(org, 2)
        await placed(org.container.database)
        body = {"status": "ACTIVE", "skipMissed": True}
        await org.send("PATCH", f"/v2/webhooks/{created}", body)
        (last,) = await swaps(org)
        await until_rows(org, created, [DELIVERED])
        assert [each.object_id for each in receiver.received] == [last]


async def test_nothing_comes_from_before_the_endpoint(org: Tenant) -> None:
    await swaps(org)
    # An endpoint begins at the end of the log, which may be behind a commit for a moment.
    await placed(org.container.database)
    async with receiving() as receiver, running_dispatcher(org):
        created = await hook(org, receiver, CREATE)
        (swap,) = await swaps(org)
        await until_rows(org, created, [DELIVERED])
    assert [each.object_id for each in receiver.received] == [swap]


async def test_only_subscribed_events_arrive(org: Tenant) -> None:
    async with receiving() as some, receiving() as every, running_dispatcher(org):
        await hook(org, some, "WALLET.SWAP.STATUS.COMPLETED", "USER.*")
        await hook(org, every, "*")
        await swaps(org)
        await until(lambda: "WALLET.SWAP.STATUS.COMPLETED" in {e.type for e in every.received})
        await until(lambda: len(some.received) == 2)
    types = [each.type for each in some.received]
    assert set(types) == {"USER.CREATE", "WALLET.SWAP.STATUS.COMPLETED"}
    assert {"TOS_LINK.UPDATE", "WALLET.TOKEN.BALANCE.UPDATE"} <= {e.type for e in every.received}


async def test_each_endpoint_has_its_spelling(org: Tenant) -> None:
    type_ = "ONRAMP.TRANSACTION.CREATE"
    async with receiving() as plain, receiving() as other, running_dispatcher(org):
        await hook(org, plain, type_)
        await hook(org, other, type_, createEventSpelling="CREATED")
        await make_onramp(org, await make_verified(org))
        await until(lambda: len(plain.received) == len(other.received) == 1)
    assert (plain.received[0].type, other.received[0].type) == (type_, f"{type_}D")
    assert other.received[0].headers["landbridge-event-type"] == f"{type_}D"
    assert plain.received[0].id == other.received[0].id


async def test_a_test_event_arrives_for_any_event_types(org: Tenant) -> None:
    async with receiving() as receiver, receiving() as other, running_dispatcher(org):
        created = await hook(org, receiver)
        await hook(org, other, "*")
        await org.post(f"/v2/webhooks/{created}/test")
        await until_rows(org, created, [DELIVERED])
        (swap,) = await swaps(org)
        await until(lambda: other.of(swap) == LIFE)
    assert receiver.received[0].type == "WEBHOOK.TEST"
    assert "WEBHOOK.TEST" not in {each.type for each in other.received}


async def test_a_deleted_endpoint_gets_no_more_deliveries(org: Tenant) -> None:
    async with receiving() as receiver, running_dispatcher(org):
        created = await hook(org, receiver, CREATE)
        await swaps(org)
        await until_rows(org, created, [DELIVERED])
        await org.send("DELETE", f"/v2/webhooks/{created}")
        await swaps(org)
        await asyncio.sleep(0.5)
    assert len(receiver.received) == 1
    assert await statuses(org, created) == [DELIVERED]


async def test_attempts_and_delays_are_counted(org: Tenant) -> None:
    def counted() -> list[float]:
        attempts = [
            REGISTRY.get_sample_value("landbridge_webhook_attempts_total", {"outcome": each})
            for each in ("delivered", "refused", "failed")
        ]
        delays = REGISTRY.get_sample_value("landbridge_webhook_delivery_seconds_count")
        return [each or 0 for each in (*attempts, delays)]

    answers = {CREATE: 200, OPEN: 404, LIFE[2]: 503}
    before = counted()
    async with receiving() as receiver, running_dispatcher(org):
        receiver.answers = lambda each: answers[each.type]
        created = await hook(org, receiver, *answers)
        await swaps(org)
        await until_rows(org, created, [DELIVERED, "REFUSED", PENDING])
    assert [now - then for now, then in zip(counted(), before, strict=True)] == [1, 1, 1, 1]
