"""What becomes of bridges: worker, chains and freezing."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from landbridge.chains.port import Action, Order
from landbridge.chains.tokens import Chain
from landbridge.core.errors import Rejected, Unavailable, Unclear
from landbridge.core.ids import derived_id
from landbridge.core.tries import key_of_try
from tests.flows.bridges.bridging import ANOTHER, Play
from tests.tenants import BRIDGES, register

MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)


def _is(action: Action) -> Any:
    def check(order: Order) -> bool:
        return order.action is action

    return check


async def test_a_bridge_burns_here_and_mints_there(play: Play) -> None:
    made = await play.make()
    assert await play.holds() == ("10", "0", "0")
    await play.accept(made)
    assert await play.status(made) == "CREATED"
    assert await play.holds() == ("7", "3", "0")
    await play.work()
    done = await play.get(made)
    assert (done["status"], done["failedReason"]) == ("COMPLETED", None)
    assert await play.holds() == ("7", "0", "3")
    bob = await play.address(play.bob, "BASE")
    assert sorted(await play.carried()) == [
        ("approve", "POLYGON", bob),
        ("burn", "POLYGON", bob),
        ("mint", "BASE", bob),
    ]
    operations = done["receipt"]["operations"]
    assert {name: each["chain"] for name, each in operations.items()} == {
        "approve": "POLYGON",
        "burn": "POLYGON",
        "mint": "BASE",
    }
    hashes = {each["transactionHash"] for each in operations.values()}
    assert len(hashes) == 3
    assert done["receipt"]["transactionHash"] == operations["burn"]["transactionHash"]
    assert await play.told(made) == [
        ("open", "OPEN_QUOTE"),
        ("accept", "CREATED"),
        ("source_initiated", "SOURCE_INITIATED"),
        ("source_pending", "SOURCE_PENDING"),
        ("source_processed", "SOURCE_PROCESSED"),
        ("destination_initiated", "DESTINATION_INITIATED"),
        ("completed", "DESTINATION_PENDING"),
        ("completed", "COMPLETED"),
    ]
    await play.check_books()


async def test_orders_are_of_who_pays_and_of_the_organisation(play: Play) -> None:
    await play.accepted()
    await play.work()
    approve, burn, mint = play.chains.asked
    wallet = await play.address(play.ada, "POLYGON")
    for order in (approve, burn):
        assert (order.chain, order.into, order.source) == ("POLYGON", "BASE", wallet)
        assert order.wallet_id is not None
        assert order.legs[0].money.asset.code == "usdc:POLYGON"
    house = await play.house.wallets.treasury_address(play.org.org_id, Chain.BASE)
    assert (mint.chain, mint.wallet_id, mint.source) == ("BASE", None, house)
    assert mint.after == burn.key
    assert mint.legs[0].money.asset.code == "usdc:BASE"


async def test_coins_may_go_to_a_registered_address_where_nobody_has_a_wallet(play: Play) -> None:
    await register(play.org, play.ada, ANOTHER, chain="ETHEREUM")
    end = {"chain": "ARBITRUM", "userId": None, "walletAddress": ANOTHER.lower()}
    made = await play.accepted(destination=end)
    await play.work()
    done = await play.get(made)
    assert done["status"] == "COMPLETED"
    assert done["destination"] == {
        "userId": play.ada,
        "walletAddress": ANOTHER,
        "chain": "ARBITRUM",
        "currency": "usdc",
    }
    assert ("mint", "ARBITRUM", ANOTHER) in await play.carried()
    await play.check_books()


async def test_solana_pays_and_receives(play: Play) -> None:
    made = await play.accepted(destination={"chain": "SOLANA", "userId": play.bob})
    await play.work()
    assert await play.status(made) == "COMPLETED"
    back = {"source": {"userId": play.bob, "chain": "SOLANA"}, "destination": {"chain": "ETHEREUM"}}
    again = await play.accepted(2, **back)
    await play.work()
    assert await play.status(again) == "COMPLETED"
    await play.check_books()


async def test_on_slow_chains_each_leg_waits_for_its_confirmations(play: Play) -> None:
    play.chains.late_by = timedelta(minutes=5)
    made = await play.accepted()
    await play.work()
    found = await play.get(made)
    assert found["status"] == "SOURCE_INITIATED"
    operations = found["receipt"]["operations"]
    assert list(operations.values()) == [None, None, None]
    assert await play.holds() == ("7", "3", "0")
    await play.work(after=6 * MINUTE)  # approved; the burn goes out
    found = await play.get(made)
    assert found["status"] == "SOURCE_PENDING"
    operations = found["receipt"]["operations"]
    assert operations["approve"]["transactionHash"]
    assert (operations["burn"], operations["mint"]) == (None, None)
    await play.work(after=6 * MINUTE)  # burned; the mint goes out
    assert await play.status(made) == "DESTINATION_PENDING"
    assert await play.holds() == ("7", "0", "0")
    assert await play.in_transit() == {"usdc:BASE": "3"}
    await play.check_books(is_over=False)
    await play.work(after=6 * MINUTE)
    assert await play.status(made) == "COMPLETED"
    assert await play.holds() == ("7", "0", "3")
    assert len(await play.carried()) == 3
    await play.check_books()


@pytest.mark.parametrize("action", [Action.APPROVE, Action.BURN, Action.MINT])
@pytest.mark.parametrize(
    "how", ["no answer before", "no answer after", "dies before", "dies after"]
)
async def test_between_claim_call_and_record_nothing_is_lost_or_done_twice(
    play: Play, action: Action, how: str
) -> None:
    play.chains.only = _is(action)
    match how:
        case "no answer before":
            play.chains.raise_before_next = Unavailable("not now")
        case "no answer after":
            play.chains.raise_after_next = Unclear("who knows")
        case "dies before":
            play.chains.raise_before_next = RuntimeError("killed")
        case _:
            play.chains.raise_after_next = RuntimeError("killed")
    made = await play.accepted()
    await play.work()
    assert (
        await play.status(made)
        == {
            Action.APPROVE: "SOURCE_INITIATED",
            Action.BURN: "SOURCE_PENDING",
            Action.MINT: "DESTINATION_INITIATED",
        }[action]
    )
    await play.check_books(is_over=False)
    await play.work()
    assert await play.status(made) == "COMPLETED"
    assert await play.holds() == ("7", "0", "3")
    keys = {derived_id(UUID(made), each) for each in ("approve", "burn", "mint")}
    assert {key for _, key in play.chains.calls} == keys
    assert len(await play.carried()) == 3
    await play.check_books()


@pytest.mark.parametrize("late", [None, timedelta(minutes=5)])
@pytest.mark.parametrize("action", [Action.APPROVE, Action.BURN])
async def test_what_the_source_chain_refuses_is_let_go(
    play: Play, action: Action, late: timedelta | None
) -> None:
    play.chains.only = _is(action)
    play.chains.fail_next, play.chains.late_by = "reverted", late
    made = await play.accepted()
    await play.work()
    if late:
        leg = "SOURCE_INITIATED" if action is Action.APPROVE else "SOURCE_PENDING"
        assert await play.status(made) == leg
        await play.work(after=6 * MINUTE)
    found = await play.get(made)
    assert (found["status"], found["failedReason"]) == ("SOURCE_FAILED", "reverted")
    assert (await play.bridge(made)).details.held_units == 0
    assert await play.holds() == ("10", "0", "0")
    await play.check_books()


@pytest.mark.parametrize("late", [None, timedelta(minutes=5)])
async def test_what_can_not_be_minted_comes_back(play: Play, late: timedelta | None) -> None:
    play.chains.only = _is(Action.MINT)
    play.chains.fail_next, play.chains.late_by = "paused", late
    made = await play.accepted()
    await play.work()
    if late:
        assert await play.status(made) == "DESTINATION_PENDING"
        assert await play.in_transit() == {"usdc:BASE": "3"}
        await play.work(after=6 * MINUTE)  # refused there; the way back begins
        assert await play.status(made) == "DESTINATION_PENDING"
        assert await play.in_transit() == {"usdc:BASE": "3"}
        await play.check_books(is_over=False)
        await play.work(after=6 * MINUTE)
    found = await play.get(made)
    assert (found["status"], found["failedReason"]) == ("DESTINATION_FAILED", "paused")
    assert found["receipt"]["operations"]["mint"] is None
    assert await play.holds() == ("10", "0", "0")
    ada = await play.address(play.ada, "POLYGON")
    assert ("mint", "POLYGON", ada) in await play.carried()
    assert (await play.bridge(made)).details.return_transaction_hash is not None
    await play.check_books()


async def test_coins_that_do_not_come_back_are_sent_again_until_they_do(play: Play) -> None:
    made = await play.accepted()
    record_id = UUID(made)
    first = derived_id(record_id, "return")
    keys = [key_of_try(first, count) for count in range(3)]
    play.chains.failing = {derived_id(record_id, "mint"): "paused"}
    play.chains.failing |= dict.fromkeys(keys[:2], "stuck")
    await play.work()
    assert await play.status(made) == "DESTINATION_INITIATED"
    assert await play.in_transit() == {"usdc:BASE": "3"}
    await play.check_books(is_over=False)
    # Not again at once, and under another key, for the first one stays refused for ever.
    await play.work(after=timedelta(seconds=50))
    assert [key for _, key in play.chains.calls if key in keys] == keys[:1]
    play.clock.at += timedelta(seconds=10)
    await play.house.due.run_once({play.org.org_id: timedelta()})
    assert play.house.due.failing == 1
    assert [key for _, key in play.chains.calls if key in keys] == keys[:2]
    record = (await play.bridge(made)).record
    assert (record.facts["return_tries"], record.facts["halted_reason"]) == (2, "paused")
    assert record.due_at == play.clock.at + 2 * MINUTE
    await play.work(after=2 * MINUTE)
    assert [key for _, key in play.chains.calls if key in keys] == keys
    found = await play.get(made)
    assert (found["status"], found["failedReason"]) == ("DESTINATION_FAILED", "paused")
    assert await play.holds() == ("10", "0", "0")
    ada = await play.address(play.ada, "POLYGON")
    assert (await play.carried()).count(("mint", "POLYGON", ada)) == 1
    await play.check_books()


async def test_a_mint_that_is_rejected_out_of_hand_is_not_asked_about_again(play: Play) -> None:
    play.chains.only = _is(Action.MINT)
    play.chains.raise_before_next = Rejected("no such coin there")
    made = await play.accepted()
    mint = derived_id(UUID(made), "mint")
    back = derived_id(UUID(made), "return")
    play.chains.late_by = 5 * MINUTE
    await play.work()
    # Its order is the refund now, which is under way.
    assert await play.status(made) == "DESTINATION_INITIATED"
    await play.work(after=6 * MINUTE)
    found = await play.get(made)
    assert (found["status"], found["failedReason"]) == ("DESTINATION_FAILED", "no such coin there")
    assert [key for _, key in play.chains.calls if key in {mint, back}] == [mint, back, back]
    assert await play.holds() == ("10", "0", "0")
    await play.check_books()


@pytest.mark.parametrize("action", [Action.BURN, Action.MINT])
@pytest.mark.parametrize("ending", ["arrives", "fails"])
async def test_without_an_answer_for_a_day_a_bridge_is_unknown_and_not_failed(
    play: Play, action: Action, ending: str
) -> None:
    play.chains.only = _is(action)
    play.chains.late_by = timedelta(minutes=5)
    if ending == "fails":
        play.chains.fail_next = "lost"
    made = await play.accepted()
    await play.work()
    leg = "DESTINATION_PENDING" if action is Action.MINT else "SOURCE_PENDING"
    assert await play.status(made) == leg
    play.chains.is_silent = True
    await play.work(after=23 * timedelta(hours=1))
    assert await play.status(made) == leg
    await play.work(after=2 * DAY)
    assert await play.status(made) == "UNKNOWN"
    before = await play.holds()
    await play.check_books(is_over=False)
    await play.work(after=2 * DAY)
    assert (await play.status(made), await play.holds()) == ("UNKNOWN", before)
    play.chains.is_silent = False
    await play.work(after=2 * timedelta(hours=1))
    ends = {
        (Action.BURN, "arrives"): "COMPLETED",
        (Action.MINT, "arrives"): "COMPLETED",
        (Action.BURN, "fails"): "SOURCE_FAILED",
        (Action.MINT, "fails"): "DESTINATION_FAILED",
    }
    for _ in range(3):
        await play.work(after=6 * MINUTE)
    assert await play.status(made) == ends[action, ending]
    came = ("7", "0", "3") if ending == "arrives" else ("10", "0", "0")
    assert await play.holds() == came
    await play.check_books()


async def _freeze(play: Play, who: str) -> None:
    match who:
        case "payer":
            await play.org.post(f"/v2/users/{play.ada}/freeze", {"reason": "a"})
        case "payee":
            await play.org.post(f"/v2/users/{play.bob}/freeze", {"reason": "a"})
        case _:
            await play.house.orgs.freeze(play.org.org_id)


async def _thaw(play: Play, who: str) -> None:
    if who == "organisation":
        await play.house.orgs.unfreeze(play.org.org_id)


@pytest.mark.parametrize("who", ["payer", "payee", "organisation"])
async def test_who_was_frozen_after_the_accept_starts_nothing(play: Play, who: str) -> None:
    made = await play.accepted()
    await _freeze(play, who)
    await play.work()
    await _thaw(play, who)
    found = await play.get(made)
    assert found["status"] == "NOT_INITIATED"
    assert "frozen" in found["failedReason"]
    assert await play.holds() == ("10", "0", "0")
    assert play.chains.calls == []
    await play.check_books()


@pytest.mark.parametrize("who", ["payer", "payee", "organisation"])
async def test_who_was_frozen_after_the_burn_gets_the_coins_back(play: Play, who: str) -> None:
    play.chains.only, play.chains.late_by = _is(Action.BURN), 5 * MINUTE
    made = await play.accepted()
    await play.work()
    await _freeze(play, who)
    await play.work(after=6 * MINUTE)
    await _thaw(play, who)
    found = await play.get(made)
    assert found["status"] == "DESTINATION_FAILED"
    assert "frozen" in found["failedReason"]
    assert await play.holds() == ("10", "0", "0")
    bob = await play.address(play.bob, "BASE")
    assert ("mint", "BASE", bob) not in await play.carried()
    await play.check_books()


async def test_a_quote_that_nobody_accepts_ends_after_ten_minutes(play: Play) -> None:
    made = await play.make()
    await play.work(after=10 * MINUTE - timedelta(seconds=1))
    assert await play.status(made) == "OPEN_QUOTE"
    await play.work(after=timedelta(seconds=2))
    found = await play.get(made)
    assert found["status"] == "QUOTE_FAILED"
    assert found["failedReason"] == "the quote expired before it was accepted"
    assert await play.org.refused("POST", f"{BRIDGES}/{made}/accept") == "400 INVALID_QUOTE"
    await play.check_books()
