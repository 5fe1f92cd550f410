"""Bridge steps: worker, chains and freezing."""

from datetime import timedelta
from itertools import product
from typing import Any

import pytest

from landbridge.platform.core.errors import Rejected, Unavailable, Unclear
from landbridge.platform.core.retry_policy import key_of_attempt
from landbridge.providers.chains.port import ChainAction, ChainOrder
from landbridge.providers.chains.tokens import Chain
from tests.matrices import each_value_once
from tests.order_keys import key_of
from tests.payments.bridges.bridge_scenario import ANOTHER, BridgeScenario
from tests.tenants import BRIDGES, register

MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)


def _is(action: ChainAction) -> Any:
    def check(order: ChainOrder) -> bool:
        return order.action is action

    return check


async def test_a_bridge_burns_here_and_mints_there(scenario: BridgeScenario) -> None:
    created = await scenario.make()
    assert await scenario.holds() == ("10", "0", "0")
    await scenario.accept(created)
    assert await scenario.status(created) == "CREATED"
    assert await scenario.holds() == ("7", "3", "0")
    await scenario.work()
    done = await scenario.get(created)
    assert (done["status"], done["failedReason"]) == ("COMPLETED", None)
    assert await scenario.holds() == ("7", "0", "3")
    bob = await scenario.address(scenario.bob, "BASE")
    assert sorted(await scenario.carried()) == [
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
    assert await scenario.changes(created) == [
        ("open", "OPEN_QUOTE"),
        ("accept", "CREATED"),
        ("source_initiated", "SOURCE_INITIATED"),
        ("source_pending", "SOURCE_PENDING"),
        ("source_processed", "SOURCE_PROCESSED"),
        ("destination_initiated", "DESTINATION_INITIATED"),
        ("completed", "DESTINATION_PENDING"),
        ("completed", "COMPLETED"),
    ]
    await scenario.check_books()


async def test_orders_come_from_payer_and_organisation(scenario: BridgeScenario) -> None:
    await scenario.accepted()
    await scenario.work()
    approve, burn, mint = scenario.chains.orders
    wallet = await scenario.address(scenario.ada, "POLYGON")
    for order in (approve, burn):
        assert (order.chain, order.into, order.source) == ("POLYGON", "BASE", wallet)
        assert order.wallet_id is not None
        assert order.legs[0].money.asset.code == "usdc:POLYGON"
    container = await scenario.container.wallets.treasury_address(scenario.org.org_id, Chain.BASE)
    assert (mint.chain, mint.wallet_id, mint.source) == ("BASE", None, container)
    assert mint.after == burn.key
    assert mint.legs[0].money.asset.code == "usdc:BASE"


async def test_coins_may_go_to_a_registered_address_without_a_wallet(
    scenario: BridgeScenario,
) -> None:
    await register(scenario.org, scenario.ada, ANOTHER, chain="ETHEREUM")
    end = {"chain": "ARBITRUM", "userId": None, "walletAddress": ANOTHER.lower()}
    created = await scenario.accepted(destination=end)
    await scenario.work()
    done = await scenario.get(created)
    assert done["status"] == "COMPLETED"
    assert done["destination"] == {
        "userId": scenario.ada,
        "walletAddress": ANOTHER,
        "chain": "ARBITRUM",
        "currency": "usdc",
    }
    assert ("mint", "ARBITRUM", ANOTHER) in await scenario.carried()
    await scenario.check_books()


async def test_solana_pays_and_receives(scenario: BridgeScenario) -> None:
    created = await scenario.accepted(destination={"chain": "SOLANA", "userId": scenario.bob})
    await scenario.work()
    assert await scenario.status(created) == "COMPLETED"
    back = {
        "source": {"userId": scenario.bob, "chain": "SOLANA"},
        "destination": {"chain": "ETHEREUM"},
    }
    again = await scenario.accepted(2, **back)
    await scenario.work()
    assert await scenario.status(again) == "COMPLETED"
    await scenario.check_books()


async def test_on_slow_chains_each_leg_waits_for_its_confirmations(
    scenario: BridgeScenario,
) -> None:
    scenario.chains.late_by = timedelta(minutes=5)
    created = await scenario.accepted()
    await scenario.work()
    found = await scenario.get(created)
    assert found["status"] == "SOURCE_INITIATED"
    operations = found["receipt"]["operations"]
    assert list(operations.values()) == [None, None, None]
    assert await scenario.holds() == ("7", "3", "0")
    await scenario.work(after=6 * MINUTE)  # approved; the burn is sent
    found = await scenario.get(created)
    assert found["status"] == "SOURCE_PENDING"
    operations = found["receipt"]["operations"]
    assert operations["approve"]["transactionHash"]
    assert (operations["burn"], operations["mint"]) == (None, None)
    await scenario.work(after=6 * MINUTE)  # burned; the mint is sent
    assert await scenario.status(created) == "DESTINATION_PENDING"
    assert await scenario.holds() == ("7", "0", "0")
    assert await scenario.in_transit() == {"usdc:BASE": "3"}
    await scenario.check_books(is_over=False)
    await scenario.work(after=6 * MINUTE)
    assert await scenario.status(created) == "COMPLETED"
    assert await scenario.holds() == ("7", "0", "3")
    assert len(await scenario.carried()) == 3
    await scenario.check_books()


@pytest.mark.parametrize(
    ("action", "how"),
    each_value_once(
        product(
            [ChainAction.APPROVE, ChainAction.BURN, ChainAction.MINT],
            ["no answer before", "no answer after", "dies before", "dies after"],
        )
    ),
)
async def test_worker_death_between_claim_call_and_record_loses_and_repeats_nothing(
    scenario: BridgeScenario, action: ChainAction, how: str
) -> None:
    scenario.chains.only = _is(action)
    match how:
        case "no answer before":
            scenario.chains.raise_before_next = Unavailable("not now")
        case "no answer after":
            scenario.chains.raise_after_next = Unclear("who knows")
        case "dies before":
            scenario.chains.raise_before_next = RuntimeError("killed")
        case _:
            scenario.chains.raise_after_next = RuntimeError("killed")
    created = await scenario.accepted()
    await scenario.work()
    assert (
        await scenario.status(created)
        == {
            ChainAction.APPROVE: "SOURCE_INITIATED",
            ChainAction.BURN: "SOURCE_PENDING",
            ChainAction.MINT: "DESTINATION_INITIATED",
        }[action]
    )
    await scenario.check_books(is_over=False)
    await scenario.work()
    assert await scenario.status(created) == "COMPLETED"
    assert await scenario.holds() == ("7", "0", "3")
    keys = {await key_of(scenario.org, created, each) for each in ("approve", "burn", "mint")}
    assert {key for _, key in scenario.chains.calls} == keys
    assert len(await scenario.carried()) == 3
    await scenario.check_books()


@pytest.mark.parametrize("late", [None, timedelta(minutes=5)])
@pytest.mark.parametrize("action", [ChainAction.APPROVE, ChainAction.BURN])
async def test_refusal_of_the_source_chain_releases_the_coins(
    scenario: BridgeScenario, action: ChainAction, late: timedelta | None
) -> None:
    scenario.chains.only = _is(action)
    scenario.chains.fail_next, scenario.chains.late_by = "reverted", late
    created = await scenario.accepted()
    await scenario.work()
    if late:
        leg = "SOURCE_INITIATED" if action is ChainAction.APPROVE else "SOURCE_PENDING"
        assert await scenario.status(created) == leg
        await scenario.work(after=6 * MINUTE)
    found = await scenario.get(created)
    assert (found["status"], found["failedReason"]) == ("SOURCE_FAILED", "reverted")
    assert (await scenario.bridge(created)).details.held_units == 0
    assert await scenario.holds() == ("10", "0", "0")
    await scenario.check_books()


@pytest.mark.parametrize("late", [None, timedelta(minutes=5)])
async def test_unminted_coins_are_returned(
    scenario: BridgeScenario, late: timedelta | None
) -> None:
    scenario.chains.only = _is(ChainAction.MINT)
    scenario.chains.fail_next, scenario.chains.late_by = "paused", late
    created = await scenario.accepted()
    await scenario.work()
    if late:
        assert await scenario.status(created) == "DESTINATION_PENDING"
        assert await scenario.in_transit() == {"usdc:BASE": "3"}
        await scenario.work(after=6 * MINUTE)  # refused there; the refund starts
        assert await scenario.status(created) == "DESTINATION_PENDING"
        assert await scenario.in_transit() == {"usdc:BASE": "3"}
        await scenario.check_books(is_over=False)
        await scenario.work(after=6 * MINUTE)
    found = await scenario.get(created)
    assert (found["status"], found["failedReason"]) == ("DESTINATION_FAILED", "paused")
    assert found["receipt"]["operations"]["mint"] is None
    assert await scenario.holds() == ("10", "0", "0")
    ada = await scenario.address(scenario.ada, "POLYGON")
    assert ("mint", "POLYGON", ada) in await scenario.carried()
    assert (await scenario.bridge(created)).details.return_transaction_hash is not None
    await scenario.check_books()


async def test_refused_refund_is_sent_again_until_it_arrives(scenario: BridgeScenario) -> None:
    created = await scenario.accepted()
    first = await key_of(scenario.org, created, "return")
    keys = [key_of_attempt(first, count) for count in range(3)]
    scenario.chains.failing = {await key_of(scenario.org, created, "mint"): "paused"}
    scenario.chains.failing |= dict.fromkeys(keys[:2], "stuck")
    await scenario.work()
    assert await scenario.status(created) == "DESTINATION_INITIATED"
    assert await scenario.in_transit() == {"usdc:BASE": "3"}
    await scenario.check_books(is_over=False)
    # Later and under another key, because the first one stays refused forever.
    await scenario.work(after=timedelta(seconds=50))
    assert [key for _, key in scenario.chains.calls if key in keys] == keys[:1]
    scenario.clock.at += timedelta(seconds=10)
    await scenario.container.scheduler.run_once({scenario.org.org_id: timedelta()})
    assert scenario.container.scheduler.failing == 1
    assert [key for _, key in scenario.chains.calls if key in keys] == keys[:2]
    record = (await scenario.bridge(created)).record
    assert (record.facts["return_attempts"], record.facts["halted_reason"]) == (2, "paused")
    assert record.due_at == scenario.clock.at + 2 * MINUTE
    await scenario.work(after=2 * MINUTE)
    assert [key for _, key in scenario.chains.calls if key in keys] == keys
    found = await scenario.get(created)
    assert (found["status"], found["failedReason"]) == ("DESTINATION_FAILED", "paused")
    assert await scenario.holds() == ("10", "0", "0")
    ada = await scenario.address(scenario.ada, "POLYGON")
    assert (await scenario.carried()).count(("mint", "POLYGON", ada)) == 1
    await scenario.check_books()


async def test_rejected_mint_is_not_looked_up_again(scenario: BridgeScenario) -> None:
    scenario.chains.only = _is(ChainAction.MINT)
    scenario.chains.raise_before_next = Rejected("no such coin there")
    created = await scenario.accepted()
    mint = await key_of(scenario.org, created, "mint")
    back = await key_of(scenario.org, created, "return")
    scenario.chains.late_by = 5 * MINUTE
    await scenario.work()
    # Its order is the refund now, which is in progress.
    assert await scenario.status(created) == "DESTINATION_INITIATED"
    await scenario.work(after=6 * MINUTE)
    found = await scenario.get(created)
    assert (found["status"], found["failedReason"]) == ("DESTINATION_FAILED", "no such coin there")
    assert [key for _, key in scenario.chains.calls if key in {mint, back}] == [mint, back, back]
    assert await scenario.holds() == ("10", "0", "0")
    await scenario.check_books()


@pytest.mark.parametrize(
    ("action", "ending"),
    each_value_once(product([ChainAction.BURN, ChainAction.MINT], ["arrives", "fails"])),
)
async def test_bridge_without_an_answer_for_a_day_becomes_unknown(
    scenario: BridgeScenario, action: ChainAction, ending: str
) -> None:
    scenario.chains.only = _is(action)
    scenario.chains.late_by = timedelta(minutes=5)
    if ending == "fails":
        scenario.chains.fail_next = "lost"
    created = await scenario.accepted()
    await scenario.work()
    leg = "DESTINATION_PENDING" if action is ChainAction.MINT else "SOURCE_PENDING"
    assert await scenario.status(created) == leg
    scenario.chains.is_silent = True
    await scenario.work(after=23 * timedelta(hours=1))
    assert await scenario.status(created) == leg
    await scenario.work(after=2 * DAY)
    assert await scenario.status(created) == "UNKNOWN"
    before = await scenario.holds()
    await scenario.check_books(is_over=False)
    await scenario.work(after=2 * DAY)
    assert (await scenario.status(created), await scenario.holds()) == ("UNKNOWN", before)
    scenario.chains.is_silent = False
    await scenario.work(after=2 * timedelta(hours=1))
    ends = {
        (ChainAction.BURN, "arrives"): "COMPLETED",
        (ChainAction.MINT, "arrives"): "COMPLETED",
        (ChainAction.BURN, "fails"): "SOURCE_FAILED",
        (ChainAction.MINT, "fails"): "DESTINATION_FAILED",
    }
    for _ in range(3):
        await scenario.work(after=6 * MINUTE)
    assert await scenario.status(created) == ends[action, ending]
    balances = ("7", "0", "3") if ending == "arrives" else ("10", "0", "0")
    assert await scenario.holds() == balances
    await scenario.check_books()


async def _freeze(scenario: BridgeScenario, party: str) -> None:
    match party:
        case "payer":
            await scenario.org.post(f"/v2/users/{scenario.ada}/freeze", {"reason": "a"})
        case "payee":
            await scenario.org.post(f"/v2/users/{scenario.bob}/freeze", {"reason": "a"})
        case _:
            await scenario.container.orgs.freeze(scenario.org.org_id)


async def _thaw(scenario: BridgeScenario, party: str) -> None:
    if party == "organisation":
        await scenario.container.orgs.unfreeze(scenario.org.org_id)


@pytest.mark.parametrize("party", ["payer", "payee", "organisation"])
async def test_freeze_after_the_accept_prevents_the_start(
    scenario: BridgeScenario, party: str
) -> None:
    created = await scenario.accepted()
    await _freeze(scenario, party)
    await scenario.work()
    await _thaw(scenario, party)
    found = await scenario.get(created)
    assert found["status"] == "NOT_INITIATED"
    assert "frozen" in found["failedReason"]
    assert await scenario.holds() == ("10", "0", "0")
    assert scenario.chains.calls == []
    await scenario.check_books()


@pytest.mark.parametrize("party", ["payer", "payee", "organisation"])
async def test_freeze_after_the_burn_returns_the_coins(
    scenario: BridgeScenario, party: str
) -> None:
    scenario.chains.only, scenario.chains.late_by = _is(ChainAction.BURN), 5 * MINUTE
    created = await scenario.accepted()
    await scenario.work()
    await _freeze(scenario, party)
    await scenario.work(after=6 * MINUTE)
    await _thaw(scenario, party)
    found = await scenario.get(created)
    assert found["status"] == "DESTINATION_FAILED"
    assert "frozen" in found["failedReason"]
    assert await scenario.holds() == ("10", "0", "0")
    bob = await scenario.address(scenario.bob, "BASE")
    assert ("mint", "BASE", bob) not in await scenario.carried()
    await scenario.check_books()


async def test_unaccepted_quote_expires_after_ten_minutes(scenario: BridgeScenario) -> None:
    created = await scenario.make()
    await scenario.work(after=10 * MINUTE - timedelta(seconds=1))
    assert await scenario.status(created) == "OPEN_QUOTE"
    await scenario.work(after=timedelta(seconds=2))
    found = await scenario.get(created)
    assert found["status"] == "QUOTE_FAILED"
    assert found["failedReason"] == "the quote expired before it was accepted"
    assert await scenario.org.refused("POST", f"{BRIDGES}/{created}/accept") == "400 INVALID_QUOTE"
    await scenario.check_books()
