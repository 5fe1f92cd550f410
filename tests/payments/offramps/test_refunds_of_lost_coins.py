"""Coins that their chain has lost are not sent back: they are not there."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from landbridge.customers.chain_deposits.model import DEPOSIT_NAMESPACE
from landbridge.payments.disbursements.model import KIND
from landbridge.platform.core.ids import derived_id
from tests.payments.offramps.offramp_scenario import OfframpScenario
from tests.payouts import OUTSIDE, accept, check_books
from tests.tenants import good

COIN = 10**6


async def test_coins_lost_before_the_payout_are_refunded_only_once_they_return(
    scenario: OfframpScenario,
) -> None:
    offramp = await _awaited(scenario)
    await _lose(scenario, offramp, await _deposit(scenario, offramp), 100 * COIN)
    # Its user is frozen by the loss, so its payout fails.
    await scenario.run()
    assert await scenario.status(offramp) == "FIAT_FAILED"
    assert scenario.rails.orders == scenario.chains.orders == []
    await scenario.pass_time(hours=2)
    assert scenario.chains.orders == []
    assert await _stuck(scenario) == ["OFFRAMP", "TREASURY.DEPOSIT.REVERSAL"]
    await check_books(scenario.org)
    await _return(scenario)
    await scenario.pass_time(hours=2)
    assert await scenario.status(offramp) == "CRYPTO_RETURNED"
    assert len(scenario.chains.orders) == 1
    await check_books(scenario.org)


async def test_coins_that_are_missing_when_a_payout_fails_are_waited_for(
    scenario: OfframpScenario,
) -> None:
    offramp = await _awaited(scenario)
    hash_ = await _deposit(scenario, offramp)
    await _store(scenario, offramp, hash_, 100 * COIN, status="SETTLED", is_lost=True)
    scenario.rails.fail_next = "closed"
    await scenario.run()
    assert await scenario.status(offramp) == "FIAT_FAILED"
    assert scenario.chains.orders == []
    await _return(scenario)
    await scenario.pass_time(hours=2)
    assert await scenario.status(offramp) == "CRYPTO_RETURNED"


async def test_lost_surplus_coins_are_not_sent_back(scenario: OfframpScenario) -> None:
    offramp = await _awaited(scenario)
    await _deposit(scenario, offramp)
    await scenario.run()
    await _lose(scenario, offramp, await _deposit(scenario, offramp, "30"), 30 * COIN)
    await scenario.run()
    assert scenario.chains.orders == []
    await scenario.pass_time(hours=2)
    assert KIND in await _stuck(scenario)
    await _return(scenario)
    await scenario.pass_time(hours=2)
    assert [str(leg.money) for order in scenario.chains.orders for leg in order.legs] == ["30"]


async def _awaited(scenario: OfframpScenario) -> dict[str, Any]:
    return await accept(scenario.org, await scenario.from_outside(100))


async def _deposit(scenario: OfframpScenario, offramp: dict[str, Any], amount: str = "100") -> str:
    """Let coins arrive; return the hash of their transaction."""
    path = f"/v2/sandbox/offramps/{offramp['id']}/deposit"
    found = good(await scenario.org.send("POST", path, {"amount": amount}))
    return str(found["transactionHash"])


async def _lose(scenario: OfframpScenario, offramp: dict[str, Any], hash_: str, units: int) -> None:
    """Take back coins of an offramp, as once their chain has lost them for good."""
    await _store(scenario, offramp, hash_, units, status="LOST", is_lost=False)
    container = scenario.org.container
    await container.external_coins.run_once(await container.orgs.clock_offsets())


async def _store(
    scenario: OfframpScenario,
    offramp: dict[str, Any],
    hash_: str,
    units: int,
    *,
    status: str,
    is_lost: bool,
) -> None:
    """Store a deposit as the follower of a chain does; the sandbox has none."""
    await scenario.org.container.database.rows(
        "insert into treasury_deposits (org_id, id, chain, transaction_hash, block_number, asset,"
        " units, source_address, destination_address, status, is_lost, transfer_id, found_at)"
        " values ($1, $2, 'POLYGON', $3, 7, 'usdc:POLYGON', $4, $5, $6, $7, $8, $9, $10)",
        scenario.org.org_id,
        derived_id(DEPOSIT_NAMESPACE, hash_),
        hash_,
        units,
        OUTSIDE,
        await scenario.treasury(),
        status,
        is_lost,
        UUID(offramp["id"]),
        scenario.clock.now(),
    )


async def _return(scenario: OfframpScenario) -> None:
    """Let the coins be final again."""
    container, org_id = scenario.org.container, scenario.org.org_id
    await container.database.rows(
        "update treasury_deposits set status = 'FINAL', is_lost = false where org_id = $1", org_id
    )
    await container.external_coins.run_once(await container.orgs.clock_offsets())


async def _stuck(scenario: OfframpScenario) -> list[str]:
    found = await scenario.org.container.timelines.stuck(
        {scenario.org.org_id: timedelta()}, limit=10
    )
    return sorted(each.kind for each in found)
