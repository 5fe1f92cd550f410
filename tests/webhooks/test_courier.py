"""Deliveries as a receiver sees them: what comes, in which order, and how often."""

import asyncio
import json
from datetime import timedelta

import pytest
from prometheus_client import REGISTRY

from landbridge import __version__
from landbridge.core.clock import FrozenClock
from landbridge.flows.swaps.model import Status
from tests.accounts.verified import make_verified
from tests.onramps import make_onramp
from tests.tenants import Tenant, make_swap, make_user

from .carrying import hook, posting, receiving, rows_of, statuses, until, until_rows
from .rows import endpoint

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
    """The ids of completed swaps."""
    user = await make_user(org, funds="1000")
    made = [await make_swap(org, user, status=Status.COMPLETED) for _ in range(count)]
    return [str(each["id"]) for each in made]


async def test_each_objects_events_come_once_and_in_order(org: Tenant) -> None:
    async with receiving() as receiver, posting(org):
        made = await hook(org, receiver)
        ids = await swaps(org, 6)
        await until(lambda: len(receiver.came) == 6 * len(LIFE))
        await until_rows(org, made, [DELIVERED] * 6 * len(LIFE))
    assert [receiver.of(each) for each in ids] == [LIFE] * 6
    assert len({each.id for each in receiver.came}) == len(receiver.came)
    row = (await rows_of(org, made))[0]
    (attempt,) = json.loads(row["attempts"])
    assert (attempt["status"], row["attempt_count"]) == (200, 1)
    delivery = await org.get(f"/v2/webhooks/{made}/deliveries/{row['id']}")
    assert [each["answer"] for each in delivery["attempts"]] == ["as told"]


async def test_a_delivery_says_what_it_is(org: Tenant) -> None:
    async with receiving() as receiver, posting(org):
        await hook(org, receiver)
        await swaps(org)
        await until(lambda: len(receiver.came) == len(LIFE))
    first = receiver.came[0]
    told = {name: each for name, each in first.headers.items() if name.startswith("landbridge-")}
    assert told == {
        "landbridge-event-id": first.id,
        "landbridge-event-type": CREATE,
        "landbridge-attempt": "1",
    }
    assert first.headers["content-type"] == "application/json"
    assert first.headers["user-agent"] == f"Landbridge/{__version__}"
    assert first.headers["authorization"].startswith("Bearer ey")
    assert [each.event["sequence"] for each in receiver.came] == sorted(
        each.event["sequence"] for each in receiver.came
    )


async def test_one_that_failed_is_tried_again_and_only_its_object_waits(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org = still_org
    async with receiving() as receiver:
        made = await hook(org, receiver)
        bad, good = await swaps(org, 2)
        receiver.answers = lambda each: 503 if each.object_id == bad else 200
        async with posting(org):
            await until_rows(org, made, [DELIVERED] * len(LIFE) + [PENDING] * len(LIFE))
            assert (receiver.of(bad), receiver.of(good)) == ([CREATE], LIFE)
            still_clock.at += timedelta(seconds=26)
            await asyncio.sleep(1.5)
            assert receiver.of(bad) == [CREATE]
            receiver.answers = lambda _: 200
            still_clock.at += timedelta(seconds=8)
            await until_rows(org, made, [DELIVERED] * 2 * len(LIFE))
    assert receiver.of(bad) == [CREATE, *LIFE]
    tries = [each for each in receiver.came if each.object_id == bad][:2]
    assert tries[0].id == tries[1].id
    assert [each.headers["landbridge-attempt"] for each in tries] == ["1", "2"]
    assert tries[0].event["data"] == tries[1].event["data"]
    assert tries[0].event["timestamp"] < tries[1].event["timestamp"]


@pytest.mark.parametrize("status", [400, 404, 410, 429])
async def test_4xx_is_final_and_the_next_event_follows(org: Tenant, status: int) -> None:
    async with receiving() as receiver, posting(org):
        made = await hook(org, receiver)
        receiver.answers = lambda each: status if each.type == OPEN else 200
        (swap,) = await swaps(org)
        await until_rows(org, made, [DELIVERED] * 4 + ["REFUSED"])
    assert receiver.of(swap) == LIFE


@pytest.mark.parametrize("status", [301, 500, 503])
async def test_anything_else_is_tried_again(org: Tenant, status: int) -> None:
    async with receiving() as receiver, posting(org):
        made = await hook(org, receiver, CREATE)
        receiver.answers = lambda _: status
        await swaps(org)
        await until_rows(org, made, [PENDING])


async def test_after_24_hours_it_is_given_up_and_the_endpoint_flagged(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org = still_org
    async with receiving() as receiver, posting(org):
        made = await hook(org, receiver, CREATE, OPEN)
        receiver.answers = lambda _: 500
        (swap,) = await swaps(org)
        await until_rows(org, made, [PENDING] * 2)
        still_clock.at += timedelta(hours=25)
        # One more attempt each: the second event was not tried at all so far.
        await until_rows(org, made, ["GIVEN_UP"] * 2)
        assert receiver.of(swap) == [CREATE, CREATE, OPEN]
        flagged = await endpoint(org, made)
        assert (flagged["flagged_at"], flagged["flagged_reason"]) == (
            still_clock.now(),
            "answered 500",
        )
        receiver.answers = lambda _: 200
        still_clock.at += timedelta(hours=1)
        await swaps(org)
        await until_rows(org, made, ["GIVEN_UP"] * 2 + [DELIVERED] * 2)
        assert (await endpoint(org, made))["flagged_at"] is None


async def test_a_paused_endpoint_goes_on_where_it_stopped(org: Tenant) -> None:
    async with receiving() as receiver, posting(org):
        made = await hook(org, receiver, CREATE)
        await swaps(org)
        await until_rows(org, made, [DELIVERED])
        await org.send("PATCH", f"/v2/webhooks/{made}", {"status": "PAUSED"})
        await swaps(org, 2)
        await asyncio.sleep(0.5)
        assert len(receiver.came) == 1
        await org.send("PATCH", f"/v2/webhooks/{made}", {"status": "ACTIVE"})
        await until_rows(org, made, [DELIVERED] * 3)


async def test_what_was_missed_can_be_skipped(org: Tenant) -> None:
    async with receiving() as receiver, posting(org):
        made = await hook(org, receiver, CREATE)
        await org.send("PATCH", f"/v2/webhooks/{made}", {"status": "PAUSED"})
        await swaps(org, 2)
        told = {"status": "ACTIVE", "skipMissed": True}
        await org.send("PATCH", f"/v2/webhooks/{made}", told)
        (last,) = await swaps(org)
        await until_rows(org, made, [DELIVERED])
        assert [each.object_id for each in receiver.came] == [last]


async def test_nothing_comes_from_before_the_endpoint(org: Tenant) -> None:
    await swaps(org)
    async with receiving() as receiver, posting(org):
        made = await hook(org, receiver, CREATE)
        (swap,) = await swaps(org)
        await until_rows(org, made, [DELIVERED])
    assert [each.object_id for each in receiver.came] == [swap]


async def test_only_what_is_listened_to_comes(org: Tenant) -> None:
    async with receiving() as some, receiving() as every, posting(org):
        await hook(org, some, "WALLET.SWAP.STATUS.COMPLETED", "USER.*")
        await hook(org, every, "*")
        await swaps(org)
        await until(lambda: "WALLET.SWAP.STATUS.COMPLETED" in {e.type for e in every.came})
        await until(lambda: len(some.came) == 2)
    types = [each.type for each in some.came]
    assert set(types) == {"USER.CREATE", "WALLET.SWAP.STATUS.COMPLETED"}
    assert {"TOS_LINK.UPDATE", "WALLET.TOKEN.BALANCE.UPDATE"} <= {e.type for e in every.came}


async def test_each_endpoint_has_its_spelling(org: Tenant) -> None:
    type_ = "ONRAMP.TRANSACTION.CREATE"
    async with receiving() as plain, receiving() as other, posting(org):
        await hook(org, plain, type_)
        await hook(org, other, type_, createEventSpelling="CREATED")
        await make_onramp(org, await make_verified(org))
        await until(lambda: len(plain.came) == len(other.came) == 1)
    assert (plain.came[0].type, other.came[0].type) == (type_, f"{type_}D")
    assert other.came[0].headers["landbridge-event-type"] == f"{type_}D"
    assert plain.came[0].id == other.came[0].id


async def test_a_test_event_comes_whatever_is_listened_to(org: Tenant) -> None:
    async with receiving() as receiver, receiving() as other, posting(org):
        made = await hook(org, receiver)
        await hook(org, other, "*")
        await org.post(f"/v2/webhooks/{made}/test")
        await until_rows(org, made, [DELIVERED])
        (swap,) = await swaps(org)
        await until(lambda: other.of(swap) == LIFE)
    assert receiver.came[0].type == "WEBHOOK.TEST"
    assert "WEBHOOK.TEST" not in {each.type for each in other.came}


async def test_nothing_more_comes_to_an_endpoint_that_is_gone(org: Tenant) -> None:
    async with receiving() as receiver, posting(org):
        made = await hook(org, receiver, CREATE)
        await swaps(org)
        await until_rows(org, made, [DELIVERED])
        await org.send("DELETE", f"/v2/webhooks/{made}")
        await swaps(org)
        await asyncio.sleep(0.5)
    assert len(receiver.came) == 1
    assert await statuses(org, made) == [DELIVERED]


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
    async with receiving() as receiver, posting(org):
        receiver.answers = lambda each: answers[each.type]
        made = await hook(org, receiver, *answers)
        await swaps(org)
        await until_rows(org, made, [DELIVERED, "REFUSED", PENDING])
    assert [now - then for now, then in zip(counted(), before, strict=True)] == [1, 1, 1, 1]
