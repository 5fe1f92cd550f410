"""Freezes between the orders of a bridge: no coins of a frozen user are burned."""

from datetime import timedelta
from typing import Any

import pytest

from landbridge.providers.chains.port import ChainAction, ChainOrder
from tests.order_keys import key_of
from tests.payments.bridges.bridge_scenario import BridgeScenario

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
WHO = ["payer", "payee", "organisation"]


def _is(action: ChainAction) -> Any:
    def check(order: ChainOrder) -> bool:
        return order.action is action

    return check


async def _freeze(scenario: BridgeScenario, party: str) -> None:
    match party:
        case "payer":
            await scenario.org.post(f"/v2/users/{scenario.ada}/freeze", {"reason": "a"})
        case "payee":
            await scenario.org.post(f"/v2/users/{scenario.bob}/freeze", {"reason": "a"})
        case _:
            await scenario.container.orgs.freeze(scenario.org.org_id)


async def _unfreeze(scenario: BridgeScenario, party: str) -> None:
    match party:
        case "payer":
            await scenario.org.post(f"/v2/users/{scenario.ada}/unfreeze", {})
        case "payee":
            await scenario.org.post(f"/v2/users/{scenario.bob}/unfreeze", {})
        case _:
            await scenario.container.orgs.unfreeze(scenario.org.org_id)


def _burns(scenario: BridgeScenario) -> int:
    return sum(order.action is ChainAction.BURN for order in scenario.chains.orders)


async def _check_failed(scenario: BridgeScenario, created: str) -> None:
    """Check that the source leg failed because of the freeze, and the coins are released."""
    found = await scenario.get(created)
    assert found["status"] == "SOURCE_FAILED"
    assert "frozen" in found["failedReason"]
    assert (await scenario.bridge(created)).details.held_units == 0
    assert await scenario.holds() == ("10", "0", "0")
    assert _burns(scenario) == 0
    await scenario.check_books()


@pytest.mark.parametrize("party", WHO)
async def test_freeze_between_approve_and_burn_prevents_the_burn(
    scenario: BridgeScenario, party: str
) -> None:
    scenario.chains.only, scenario.chains.late_by = _is(ChainAction.APPROVE), 5 * MINUTE
    created = await scenario.accepted()
    await scenario.work()
    assert await scenario.status(created) == "SOURCE_INITIATED"
    await _freeze(scenario, party)
    await scenario.work(after=6 * MINUTE)
    await _unfreeze(scenario, party)
    await _check_failed(scenario, created)


async def test_freeze_during_the_approve_prevents_the_burn(scenario: BridgeScenario) -> None:
    created = await scenario.accepted()
    give = scenario.chains.inner.send

    class Freezing:
        """Chain adapter that freezes a user during its slow call."""

        find_status = scenario.chains.inner.find_status
        carries = scenario.chains.inner.carries
        find_bridge_refusal = scenario.chains.inner.find_bridge_refusal
        refunds_burns = scenario.chains.inner.refunds_burns
        holds_coins = scenario.chains.inner.holds_coins
        key_lifetime = None

        async def send(self, order: ChainOrder) -> Any:
            if order.action is ChainAction.APPROVE:
                await _freeze(scenario, "payer")
            return await give(order)

    scenario.chains.inner = Freezing()
    await scenario.work()
    await _unfreeze(scenario, "payer")
    await _check_failed(scenario, created)


async def test_freeze_releases_the_coins_without_an_approve_answer(
    scenario: BridgeScenario,
) -> None:
    scenario.chains.is_silent = True
    created = await scenario.accepted()
    await scenario.work()
    assert await scenario.status(created) == "SOURCE_INITIATED"
    await _freeze(scenario, "payer")
    await scenario.work(after=6 * MINUTE)
    await _unfreeze(scenario, "payer")
    await _check_failed(scenario, created)


@pytest.mark.parametrize("is_frozen", [True, False])
async def test_unanswered_approve_is_claimed_again(
    scenario: BridgeScenario, *, is_frozen: bool
) -> None:
    scenario.chains.only, scenario.chains.late_by = _is(ChainAction.APPROVE), 5 * MINUTE
    created = await scenario.accepted()
    await scenario.work()
    scenario.chains.is_silent = True
    await scenario.work(after=2 * DAY)
    assert await scenario.status(created) == "UNKNOWN"
    if is_frozen:
        await _freeze(scenario, "payee")
    scenario.chains.is_silent = False
    await scenario.work(after=2 * HOUR)
    if is_frozen:
        await _unfreeze(scenario, "payee")
        await _check_failed(scenario, created)
        return
    assert await scenario.status(created) == "COMPLETED"
    assert ("source_pending", "SOURCE_PENDING") in await scenario.changes(created)
    assert await scenario.holds() == ("7", "0", "3")
    assert _burns(scenario) == 1
    await scenario.check_books()


@pytest.mark.parametrize("action", [ChainAction.BURN, ChainAction.MINT])
async def test_order_of_a_worker_killed_before_the_call_waits_for_the_unfreezing(
    scenario: BridgeScenario, action: ChainAction
) -> None:
    scenario.chains.only = _is(action)
    scenario.chains.raise_before_next = RuntimeError("killed")
    created = await scenario.accepted()
    await scenario.work()
    claimed = "SOURCE_PENDING" if action is ChainAction.BURN else "DESTINATION_INITIATED"
    assert await scenario.status(created) == claimed
    before = await scenario.holds()
    await _freeze(scenario, "payer")
    for _ in range(3):
        await scenario.work(after=10 * HOUR)
        assert (await scenario.status(created), await scenario.holds()) in [
            (claimed, before),
            ("UNKNOWN", before),
        ]
    assert not [each for each in scenario.chains.orders if each.action is action]
    await scenario.check_books(is_over=False)
    await _unfreeze(scenario, "payer")
    await scenario.work(after=2 * HOUR)
    assert await scenario.status(created) == "COMPLETED"
    assert await scenario.holds() == ("7", "0", "3")
    await scenario.check_books()


async def test_burn_of_a_worker_killed_after_the_call_is_looked_up_while_frozen(
    scenario: BridgeScenario,
) -> None:
    scenario.chains.only = _is(ChainAction.BURN)
    scenario.chains.raise_after_next = RuntimeError("killed")
    created = await scenario.accepted()
    await scenario.work()
    assert await scenario.status(created) == "SOURCE_PENDING"
    await _freeze(scenario, "payer")
    await scenario.work(after=MINUTE)
    await _unfreeze(scenario, "payer")
    # The burned coins are returned: the second leg is not claimed for a frozen user.
    assert await scenario.status(created) == "DESTINATION_FAILED"
    assert _burns(scenario) == 1
    assert await scenario.holds() == ("10", "0", "0")
    await scenario.check_books()


@pytest.mark.parametrize("is_killed", [True, False])
async def test_unminted_coins_are_returned_despite_a_freeze(
    scenario: BridgeScenario, *, is_killed: bool
) -> None:
    created = await scenario.accepted()
    keys = [await key_of(scenario.org, created, name) for name in ("mint", "return")]
    scenario.chains.failing = {keys[0]: "paused"}
    scenario.chains.only = lambda order: order.key == keys[1]
    if is_killed:
        scenario.chains.raise_before_next = RuntimeError("killed")
    else:
        scenario.chains.failing[keys[1]] = "stuck"
    await scenario.work()
    assert await scenario.status(created) == "DESTINATION_INITIATED"
    await _freeze(scenario, "payer")
    await scenario.work(after=2 * MINUTE)
    await _unfreeze(scenario, "payer")
    assert await scenario.status(created) == "DESTINATION_FAILED"
    assert await scenario.holds() == ("10", "0", "0")
    await scenario.check_books()
