"""Coins from outside that are screened, on a real chain: wallets and treasuries, lost and found."""

from collections.abc import AsyncGenerator
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from landbridge.customers.deposit_screening.model import KIND
from landbridge.ledger.model import HouseRole
from landbridge.platform.core.errors import ResourceConflict
from landbridge.platform.db.pool import Database
from landbridge.providers.chains.tokens import TOKENS, Chain
from tests.customers.chain_deposits.chain_world import (
    FINALITY,
    FollowedChain,
    chain_world,
    statuses,
)
from tests.customers.chain_deposits.test_reorganisations import (
    is_frozen,
    lose_final_blocks,
    raw_of,
    send_again,
)
from tests.customers.deposit_screening.screening_world import SCREENED, SCREENINGS, run_worker
from tests.house_accounts import house_balance
from tests.payments.offramps.external_scenario import (
    ExternalScenario,
    external_scenario,
    pay_address,
)
from tests.payouts import check_books, shown
from tests.resolution_team import RESOLUTIONS, body, make_approver
from tests.tenants import Tenant, good, held

pytestmark = pytest.mark.long

USDC = TOKENS[Chain.POLYGON, "usdc"].asset
HIT, SILENT = Decimal("5.66"), Decimal("5.67")


@pytest.fixture
async def world(own_database: Database, tmp_path: Path) -> AsyncGenerator[FollowedChain]:
    async with chain_world(own_database, tmp_path, SCREENED) as found:
        yield found


@pytest.fixture
async def scenario(own_database: Database, tmp_path: Path) -> AsyncGenerator[ExternalScenario]:
    async with external_scenario(own_database, tmp_path, base=SCREENED) as found:
        yield found


async def suspended(org: Tenant) -> int:
    found = await house_balance(org.container.database, org.org_id, HouseRole.SUSPENSE, USDC)
    return found.units


async def screenings(org: Tenant, *wanted: str) -> list[dict[str, Any]]:
    if not wanted:
        return (await org.get(SCREENINGS))["reviews"]
    return [one for each in wanted for one in (await org.get(SCREENINGS, status=each))["reviews"]]


async def decide(org: Tenant, screening: dict[str, Any], action: str) -> str:
    """Have two people decide; return the status of the resolution."""
    resolution = good(await org.send("POST", RESOLUTIONS, body(screening["id"], action)))
    approver = await make_approver(org)
    await approver.post(f"/v2/transfer-approvals/{resolution['approvalId']}/approve", {})
    await run_worker(org)
    return (await org.get(f"{RESOLUTIONS}/{resolution['id']}"))["status"]


async def test_clear_coins_are_credited(world: FollowedChain) -> None:
    user, address = await world.new_user()
    world.pay(address, 5)
    await world.finalize()
    # Final, in the books, and not spendable before an answer.
    assert await held(world.org, user) == "0"
    assert await suspended(world.org) == 5_000_000
    assert await statuses(world.org, user) == [("5", "CONFIRMED")]
    await world.check_ledger()
    await run_worker(world.org)
    assert await held(world.org, user) == "5"
    assert await suspended(world.org) == 0
    assert await statuses(world.org, user) == [("5", "COMPLETED")]
    (screening,) = await screenings(world.org, "RELEASED")
    assert (screening["source"], screening["userId"]) == ("WALLET", user)
    record = await world.container.ledger.get(world.org.org_id, KIND, UUID(screening["id"]))
    assert record.details["destination_address"] == address
    world.mine(10)
    await world.follow()
    await run_worker(world.org)
    assert await held(world.org, user) == "5"
    await world.check_ledger()


@pytest.mark.parametrize(("action", "amount"), [("RELEASE", "5.66"), ("REJECT", "0")])
async def test_a_hit_is_held_until_two_people_decide(
    world: FollowedChain, action: str, amount: str
) -> None:
    user, address = await world.new_user()
    transaction = world.pay(address, HIT)
    await world.finalize()
    await run_worker(world.org)
    (screening,) = await screenings(world.org)
    assert (screening["status"], screening["transactionHash"]) == ("HELD", transaction)
    assert await suspended(world.org) == 5_660_000
    assert await decide(world.org, screening, action) == "COMPLETED"
    assert await held(world.org, user) == amount
    # Rejected coins are at the wallet's address for good: they stay in suspense.
    assert await suspended(world.org) == (0 if action == "RELEASE" else 5_660_000)
    assert await statuses(world.org, user) == [
        ("5.66", "COMPLETED" if action == "RELEASE" else "CONFIRMED")
    ]
    await world.check_ledger()


@pytest.mark.parametrize("is_rejected", [False, True])
async def test_suspended_coins_that_a_chain_loses_leave_the_books(
    world: FollowedChain, *, is_rejected: bool
) -> None:
    user, address = await world.new_user()
    raw = raw_of(world, world.pay(address, HIT if is_rejected else SILENT))
    await world.finalize()
    await run_worker(world.org)
    if is_rejected:
        (screening,) = await screenings(world.org)
        assert await decide(world.org, screening, "REJECT") == "COMPLETED"
    await lose_final_blocks(world)
    assert await suspended(world.org) == 0
    assert await statuses(world.org, user) == []
    # Nothing was credited, so nobody owes anything.
    assert not await is_frozen(world, user)
    assert len(await screenings(world.org, "LOST")) == 1
    await world.check_ledger()
    # It returns, and is screened once more.
    await send_again(world, raw)
    await world.finalize()
    await run_worker(world.org)
    assert await suspended(world.org) > 0
    assert await held(world.org, user) == "0"
    assert len(await screenings(world.org)) == 1
    await world.check_ledger()


async def test_coins_are_not_released_while_their_block_is_gone(world: FollowedChain) -> None:
    user, address = await world.new_user()
    raw = raw_of(world, world.pay(address, HIT))
    await world.finalize()
    await run_worker(world.org)
    (screening,) = await screenings(world.org)
    world.reorganise(FINALITY + 2)
    await world.follow()
    assert await decide(world.org, screening, "RELEASE") == "VOID"
    assert await held(world.org, user) == "0"
    world.mine()
    await send_again(world, raw)
    await world.finalize()
    assert await decide(world.org, screening, "RELEASE") == "COMPLETED"
    assert await held(world.org, user) == "5.66"
    await world.check_ledger()


async def test_released_coins_that_are_lost_and_return_are_not_screened_again(
    world: FollowedChain,
) -> None:
    user, address = await world.new_user()
    raw = raw_of(world, world.pay(address, 5))
    await world.finalize()
    await run_worker(world.org)
    await lose_final_blocks(world)
    assert await is_frozen(world, user)
    assert await held(world.org, user) == "0"
    await send_again(world, raw)
    await world.finalize()
    assert await held(world.org, user) == "5"
    assert await suspended(world.org) == 0
    await world.check_ledger()


async def test_coins_for_an_offramp_pay_nothing_before_an_answer(
    scenario: ExternalScenario,
) -> None:
    offramp = await scenario.awaited("100.66")
    scenario.send(pay_address(offramp), Decimal("100.66"))
    await scenario.finalize()
    assert await scenario.status(offramp) == "AWAITING_FUNDS"
    org = scenario.world.org
    (screening,) = await screenings(org)
    assert (screening["status"], screening["source"]) == ("HELD", "TREASURY")
    assert await suspended(org) == 100_660_000
    assert await decide(org, screening, "RELEASE") == "COMPLETED"
    await scenario.finalize()
    assert (await shown(org, offramp))["status"] == "COMPLETED"
    assert await suspended(org) == 0
    await check_books(org)


async def test_clear_coins_reach_their_offramp(scenario: ExternalScenario) -> None:
    offramp = await scenario.awaited()
    scenario.send(pay_address(offramp), 100)
    await scenario.finalize()
    assert await scenario.status(offramp) == "COMPLETED"
    assert await suspended(scenario.world.org) == 0
    await check_books(scenario.world.org)


async def test_refused_coins_keep_no_offramp_of_their_sender_waiting(
    scenario: ExternalScenario,
) -> None:
    offramp = await scenario.awaited("100.66")
    scenario.send(pay_address(offramp), Decimal("100.66"))
    await scenario.finalize()
    org = scenario.world.org
    (screening,) = await screenings(org)
    assert await decide(org, screening, "REJECT") == "COMPLETED"
    later = await scenario.awaited()
    await org.post("/v2/sandbox/clock/advance", {"seconds": 30 * 86_400})
    await scenario.work()
    assert [await scenario.status(each) for each in (offramp, later)] == ["QUOTE_FAILED"] * 2
    assert await suspended(org) == 100_660_000
    external_coins = org.container.external_coins
    assert await external_coins.kept(org.org_id) == []
    with pytest.raises(ResourceConflict, match="is REJECTED"):
        await external_coins.assign(
            org.org_id, UUID(screening["depositId"]), UUID(str(later["id"]))
        )
    await check_books(org)


async def test_refused_coins_that_are_lost_and_return_are_screened_again(
    scenario: ExternalScenario,
) -> None:
    offramp = await scenario.awaited("100.66")
    rpc = scenario.world.rpc
    sent = scenario.send(pay_address(offramp), Decimal("100.66"))
    raw = rpc.call("eth_getRawTransactionByHash", sent)
    await scenario.work(blocks=1, ticks=FINALITY + 2)
    org = scenario.world.org
    (screening,) = await screenings(org)
    assert await decide(org, screening, "REJECT") == "COMPLETED"
    scenario.world.reorganise(FINALITY + 6)
    await scenario.finalize()
    assert await suspended(org) == 0
    rpc.call("eth_sendRawTransaction", raw)
    await scenario.finalize()
    (screening,) = await screenings(org)
    assert screening["status"] == "HELD"
    assert await suspended(org) == 100_660_000
    await check_books(org)


async def test_coins_for_an_offramp_that_are_lost_leave_suspense(
    scenario: ExternalScenario,
) -> None:
    offramp = await scenario.awaited("100.67")
    scenario.send(pay_address(offramp), Decimal("100.67"))
    await scenario.work(blocks=1, ticks=FINALITY + 2)
    org = scenario.world.org
    assert await suspended(org) == 100_670_000
    scenario.world.reorganise(FINALITY + 6)
    await scenario.finalize()
    assert await suspended(org) == 0
    assert len(await screenings(org, "LOST")) == 1
    await check_books(org)
