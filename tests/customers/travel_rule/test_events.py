"""Missing data of the travel rule are announced: once for each change of what is missing."""

from collections.abc import AsyncGenerator
from typing import Any

import pytest

from landbridge.platform.db.pool import Database
from tests.customers.payment_screening.payment_world import OUTSIDE, PaymentWorld
from tests.customers.travel_rule.travel_world import (
    HOSTED,
    SETTING,
    WAITING,
    state,
    travel_world,
)

TYPE = "TRAVEL_RULE.DATA.MISSING"


@pytest.fixture
async def world(database: Database) -> AsyncGenerator[PaymentWorld]:
    async with travel_world(database) as found:
        yield found


async def announced(world: PaymentWorld) -> list[dict[str, Any]]:
    """Return the events, the oldest first."""
    found = await world.org.get("/v2/events", eventType=TYPE, order="asc")
    return list(found["records"])


async def test_each_change_of_what_is_missing_is_announced_once(world: PaymentWorld) -> None:
    transfer = await world.transfer("10")
    for _ in range(3):
        await world.work(minutes=10)
    (event,) = await announced(world)
    values = [event[each] for each in ("eventType", "eventCategory", "eventAction")]
    assert values == [TYPE, "TRAVEL_RULE", "MISSING"]
    (waiting,) = (await world.org.get(WAITING))["transfers"]
    assert event["data"] == waiting
    assert (waiting["transferId"], waiting["missing"]) == (transfer, ["kind"])
    assert (waiting["walletAddress"], waiting["userId"]) == (OUTSIDE, world.ada)
    await state(world.org, world.ada, HOSTED | {"person": {"type": "individual"}})
    await world.work()
    first, second = await announced(world)
    assert first["data"]["missing"] == ["kind"]
    assert second["data"]["missing"] == ["beneficiary.name"]
    await state(world.org, world.ada, HOSTED)
    await world.settle()
    assert await world.transfer_status(transfer) == "COMPLETED"
    assert len(await announced(world)) == 2


async def test_the_same_data_are_announced_once_in_another_jurisdiction(
    world: PaymentWorld,
) -> None:
    await world.transfer("10")
    await world.org.send("PUT", SETTING, {"jurisdiction": None})
    await world.org.send("PUT", SETTING, {"jurisdiction": "CH"})
    await world.work(minutes=10)
    assert [each["data"]["missing"] for each in await announced(world)] == [["kind"]]


async def test_a_transfer_that_needs_no_data_is_not_announced(world: PaymentWorld) -> None:
    await world.org.send("PUT", SETTING, {"jurisdiction": None})
    await world.transfer("10")
    assert await announced(world) == []
