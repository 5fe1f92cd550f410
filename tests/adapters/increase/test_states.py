"""Each documented status and reason of a transfer has one meaning."""

from collections.abc import AsyncGenerator

import pytest

from landbridge.providers.packages.http_client import NoAnswer
from landbridge.providers.packages.interface import FailureCode, PayoutState
from landbridge_increase.messages import NETWORKS, REJECT_REASONS, RETURN_REASONS
from tests.adapters.increase.kit import WAYS, IncreaseWorld, found_by, increase_world, order

FINAL = {PayoutState.FAILED, PayoutState.RETURNED}


@pytest.fixture
async def world() -> AsyncGenerator[IncreaseWorld]:
    async with increase_world() as found:
        yield found


@pytest.mark.parametrize(
    ("network", "status", "state"),
    [
        (name, status, state)
        for name, network in NETWORKS.items()
        for status, state in network.states.items()
    ],
)
async def test_each_documented_status_has_its_state(
    world: IncreaseWorld, network: str, status: str, state: PayoutState
) -> None:
    rail, instant = WAYS[network]
    request = order(rail)
    await world.adapter(instant_network=instant).pay(request)
    transfer = world.increase.only()
    transfer["status"] = status
    if status == "reversed":
        transfer["reversal"] = {"amount": transfer["amount"]}
    found = await found_by(world, request)
    assert found.state is state
    assert (found.failure_code is not None) is (state in FINAL)


async def test_a_wire_that_is_reversed_in_part_waits(world: IncreaseWorld) -> None:
    request = order("wire")
    await world.adapter().pay(request)
    world.increase.send_back(world.increase.only(), amount=1)
    with pytest.raises(NoAnswer):
        await found_by(world, request)


@pytest.mark.parametrize(
    ("reason", "failure"), [*RETURN_REASONS.items(), ("payment_stopped", FailureCode.OTHER)]
)
async def test_a_return_has_its_reason(
    world: IncreaseWorld, reason: str, failure: FailureCode
) -> None:
    request = order()
    await world.adapter().pay(request)
    transfer = world.increase.only()
    world.increase.complete(transfer)
    assert (await found_by(world, request)).state is PayoutState.SETTLED
    world.increase.send_back(transfer, return_reason_code=reason)
    found = await found_by(world, request)
    assert (found.state, found.failure_code) == (PayoutState.RETURNED, failure)


@pytest.mark.parametrize("network", ["rtp", "fednow"])
@pytest.mark.parametrize(
    ("reason", "failure"), [*REJECT_REASONS.items(), ("narrative", FailureCode.OTHER)]
)
async def test_a_rejection_has_its_reason(
    world: IncreaseWorld, network: str, reason: str, failure: FailureCode
) -> None:
    rail, instant = WAYS[network]
    request = order(rail)
    await world.adapter(instant_network=instant).pay(request)
    transfer = world.increase.only()
    transfer["status"], transfer["rejection"] = "rejected", {"reject_reason_code": reason}
    found = await found_by(world, request)
    assert (found.state, found.failure_code) == (PayoutState.FAILED, failure)
