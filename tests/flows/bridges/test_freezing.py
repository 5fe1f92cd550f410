"""Freezing between the orders of a bridge: nothing is burned for somebody who is frozen."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from landbridge.chains.port import Action, Order
from landbridge.core.ids import derived_id
from tests.flows.bridges.bridging import Play

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
WHO = ["payer", "payee", "organisation"]


def _is(action: Action) -> Any:
    def check(order: Order) -> bool:
        return order.action is action

    return check


async def _freeze(play: Play, who: str) -> None:
    match who:
        case "payer":
            await play.org.post(f"/v2/users/{play.ada}/freeze", {"reason": "a"})
        case "payee":
            await play.org.post(f"/v2/users/{play.bob}/freeze", {"reason": "a"})
        case _:
            await play.house.orgs.freeze(play.org.org_id)


async def _unfreeze(play: Play, who: str) -> None:
    match who:
        case "payer":
            await play.org.post(f"/v2/users/{play.ada}/unfreeze", {})
        case "payee":
            await play.org.post(f"/v2/users/{play.bob}/unfreeze", {})
        case _:
            await play.house.orgs.unfreeze(play.org.org_id)


def _burns(play: Play) -> int:
    return sum(order.action is Action.BURN for order in play.chains.asked)


async def _check_failed(play: Play, made: str) -> None:
    """The source leg has failed for the freeze, and the coins are free again."""
    found = await play.get(made)
    assert found["status"] == "SOURCE_FAILED"
    assert "frozen" in found["failedReason"]
    assert (await play.bridge(made)).details.held_units == 0
    assert await play.holds() == ("10", "0", "0")
    assert _burns(play) == 0
    await play.check_books()


@pytest.mark.parametrize("who", WHO)
async def test_who_is_frozen_between_approve_and_burn_burns_nothing(play: Play, who: str) -> None:
    play.chains.only, play.chains.late_by = _is(Action.APPROVE), 5 * MINUTE
    made = await play.accepted()
    await play.work()
    assert await play.status(made) == "SOURCE_INITIATED"
    await _freeze(play, who)
    await play.work(after=6 * MINUTE)
    await _unfreeze(play, who)
    await _check_failed(play, made)


async def test_who_is_frozen_while_the_approve_is_given_burns_nothing(play: Play) -> None:
    made = await play.accepted()
    give = play.chains.inner.send

    class Freezing:
        """A chain that takes its time, in which somebody is frozen."""

        look = play.chains.inner.look
        remembers = None

        async def send(self, order: Order) -> Any:
            if order.action is Action.APPROVE:
                await _freeze(play, "payer")
            return await give(order)

    play.chains.inner = Freezing()
    await play.work()
    await _unfreeze(play, "payer")
    await _check_failed(play, made)


async def test_a_freeze_lets_the_coins_go_without_an_answer_to_the_approve(play: Play) -> None:
    play.chains.is_silent = True
    made = await play.accepted()
    await play.work()
    assert await play.status(made) == "SOURCE_INITIATED"
    await _freeze(play, "payer")
    await play.work(after=6 * MINUTE)
    await _unfreeze(play, "payer")
    await _check_failed(play, made)


@pytest.mark.parametrize("is_frozen", [True, False])
async def test_an_approve_that_was_unknown_is_claimed_again(play: Play, *, is_frozen: bool) -> None:
    play.chains.only, play.chains.late_by = _is(Action.APPROVE), 5 * MINUTE
    made = await play.accepted()
    await play.work()
    play.chains.is_silent = True
    await play.work(after=2 * DAY)
    assert await play.status(made) == "UNKNOWN"
    if is_frozen:
        await _freeze(play, "payee")
    play.chains.is_silent = False
    await play.work(after=2 * HOUR)
    if is_frozen:
        await _unfreeze(play, "payee")
        await _check_failed(play, made)
        return
    assert await play.status(made) == "COMPLETED"
    assert ("source_pending", "SOURCE_PENDING") in await play.told(made)
    assert await play.holds() == ("7", "0", "3")
    assert _burns(play) == 1
    await play.check_books()


@pytest.mark.parametrize("action", [Action.BURN, Action.MINT])
async def test_an_order_that_died_before_its_call_waits_for_the_unfreezing(
    play: Play, action: Action
) -> None:
    play.chains.only = _is(action)
    play.chains.raise_before_next = RuntimeError("killed")
    made = await play.accepted()
    await play.work()
    claimed = "SOURCE_PENDING" if action is Action.BURN else "DESTINATION_INITIATED"
    assert await play.status(made) == claimed
    before = await play.holds()
    await _freeze(play, "payer")
    for _ in range(3):
        await play.work(after=10 * HOUR)
        assert (await play.status(made), await play.holds()) in [
            (claimed, before),
            ("UNKNOWN", before),
        ]
    assert not [each for each in play.chains.asked if each.action is action]
    await play.check_books(is_over=False)
    await _unfreeze(play, "payer")
    await play.work(after=2 * HOUR)
    assert await play.status(made) == "COMPLETED"
    assert await play.holds() == ("7", "0", "3")
    await play.check_books()


async def test_a_burn_that_died_after_its_call_is_looked_up_while_they_are_frozen(
    play: Play,
) -> None:
    play.chains.only = _is(Action.BURN)
    play.chains.raise_after_next = RuntimeError("killed")
    made = await play.accepted()
    await play.work()
    assert await play.status(made) == "SOURCE_PENDING"
    await _freeze(play, "payer")
    await play.work(after=MINUTE)
    await _unfreeze(play, "payer")
    # What was burned comes back: the second leg is not claimed for who is frozen.
    assert await play.status(made) == "DESTINATION_FAILED"
    assert _burns(play) == 1
    assert await play.holds() == ("10", "0", "0")
    await play.check_books()


@pytest.mark.parametrize("is_killed", [True, False])
async def test_what_could_not_be_minted_comes_back_whoever_is_frozen(
    play: Play, *, is_killed: bool
) -> None:
    made = await play.accepted()
    keys = [derived_id(UUID(made), name) for name in ("mint", "return")]
    play.chains.failing = {keys[0]: "paused"}
    play.chains.only = lambda order: order.key == keys[1]
    if is_killed:
        play.chains.raise_before_next = RuntimeError("killed")
    else:
        play.chains.failing[keys[1]] = "stuck"
    await play.work()
    assert await play.status(made) == "DESTINATION_INITIATED"
    await _freeze(play, "payer")
    await play.work(after=2 * MINUTE)
    await _unfreeze(play, "payer")
    assert await play.status(made) == "DESTINATION_FAILED"
    assert await play.holds() == ("10", "0", "0")
    await play.check_books()
