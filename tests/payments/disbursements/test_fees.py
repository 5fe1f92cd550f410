"""Fees of offramps funded by external coins, paid independently of the payout."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from landbridge.app.container import wire
from landbridge.ledger.model import HouseRole
from landbridge.platform.core.errors import Unavailable, Unclear
from tests.payments.disbursements.disbursement_world import (
    BENEFICIARY,
    DISBURSEMENTS,
    address_of,
    check_settled,
    disbursed,
    fees,
    is_to,
    make_paid_for,
    refuse,
)
from tests.payments.offramps.offramp_scenario import OfframpScenario
from tests.payouts import OUTSIDE, check_books, shown
from tests.platform.db.test_lost_commits import Forgetful
from tests.resolution_team import make_resolution_team
from tests.tenants import SETTINGS, good, held, make_user, refusal


async def _stuck(scenario: OfframpScenario) -> list[tuple[str, str]]:
    return [(each["id"], each["type"]) for each in (await scenario.org.get("/v2/stuck"))["stuck"]]


async def test_refused_beneficiary_does_not_delay_the_payout(scenario: OfframpScenario) -> None:
    created = await make_paid_for(scenario)
    chain = refuse(scenario, BENEFICIARY)
    await scenario.run()
    done = await shown(scenario.org, created)
    assert done["status"] == "COMPLETED"
    assert len(scenario.rails.orders) == 1
    assert await scenario.container(HouseRole.LIQUIDITY) == {
        "usdc:POLYGON": 100_000_000,
        "usd:BANK": -10_000,
    }
    assert await scenario.container(HouseRole.PAYABLE) == {"usdc:POLYGON": 2_000_000}
    assert await scenario.container(HouseRole.IN_TRANSIT) == {}
    (fee,) = await disbursed(scenario, created)
    assert (fee["status"], fee["refusalCount"]) == ("INITIATED", 1)
    assert fee["lastRefusal"] == "the beneficiary refuses coins"
    await check_books(scenario.org)
    for _ in range(4):
        await scenario.pass_time(minutes=30)
    (fee,) = await disbursed(scenario, created)
    assert fee["status"] == "INITIATED"
    assert fee["refusalCount"] > 3
    assert await _stuck(scenario) == [(fee["id"], "DISBURSEMENT")]
    # A later retry succeeds.
    chain.is_refusing = False
    await scenario.pass_time(days=1)
    (fee,) = await disbursed(scenario, created)
    assert fee["status"] == "COMPLETED"
    assert fee["receipt"]["transactionHash"] is not None
    assert await _stuck(scenario) == []
    assert await scenario.container(HouseRole.OUTSIDE) == {
        "usdc:POLYGON": -1_100_000_000,
        "usd:BANK": 10_000,
    }
    await check_settled(scenario)


async def test_refused_fee_goes_to_another_address_that_is_not_blocked(
    scenario: OfframpScenario,
) -> None:
    created = await make_paid_for(scenario)
    refuse(scenario, BENEFICIARY)
    for _ in range(4):
        await scenario.pass_time(minutes=30)
    (fee,) = await disbursed(scenario, created)
    policy = {"blockedAddresses": [OUTSIDE]}
    good(await scenario.org.send("PUT", "/v2/organization/address-policy", policy))
    team = await make_resolution_team(scenario.org, scenario.clock, scenario.run)
    answer = await team.send(fee["id"], "REDIRECT", address=OUTSIDE)
    assert refusal(answer) == "400 INVALID_TRANSACTION_ROUTE"
    good(await scenario.org.send("PUT", "/v2/organization/address-policy", {}))
    assert (await team.resolve(fee["id"], "REDIRECT", address=OUTSIDE))["status"] == "COMPLETED"
    await scenario.pass_time(minutes=2)
    (fee,) = await disbursed(scenario, created)
    assert (fee["status"], fee["destination"]["walletAddress"]) == ("COMPLETED", OUTSIDE)
    await check_settled(scenario)


async def test_each_beneficiary_has_a_separate_order(scenario: OfframpScenario) -> None:
    bob = await make_user(scenario.org)
    to_bob = await address_of(scenario, bob)
    fee_body = fees(("2", BENEFICIARY), ("1", to_bob), ("0.5", to_bob))
    created = await make_paid_for(scenario, developerFee=fee_body)
    assert created["depositInformation"][0]["amount"] == 103.5
    scenario.chains.only, scenario.chains.fail_next = is_to(to_bob), "no gas"
    await scenario.run()
    done = await shown(scenario.org, created)
    assert done["status"] == "COMPLETED"
    # Their hashes are with the disbursements.
    assert done["developerFee"]["transactionHash"] is None
    lines = await disbursed(scenario, created)
    assert sorted(each["status"] for each in lines) == ["COMPLETED", "COMPLETED", "INITIATED"]
    await scenario.pass_time(minutes=1)
    lines = await disbursed(scenario, created)
    assert {each["status"] for each in lines} == {"COMPLETED"}
    assert [each["amount"] for each in lines] == [2, 1, 0.5]
    assert [each["destination"]["userId"] for each in lines] == [None, bob, bob]
    assert len({each["receipt"]["transactionHash"] for each in lines}) == 3
    for order in scenario.chains.orders:
        assert (order.source, order.wallet_id) == (await scenario.treasury(), None)
    # Each is a deposit, once.
    assert await held(scenario.org, bob) == "1.5"
    query = {"chain": "POLYGON", "currency": "usdc"}
    deposits = (await scenario.org.get(f"/v2/users/{bob}/wallets/deposits", **query))["records"]
    assert sorted(each["transaction"]["amount"] for each in deposits) == ["0.5", "1"]
    hashes = {each["transaction"]["transactionHash"] for each in deposits}
    assert hashes == {each["receipt"]["transactionHash"] for each in lines[1:]}
    await check_settled(scenario)


async def test_fees_stay_paid_when_the_payout_fails(scenario: OfframpScenario) -> None:
    created = await make_paid_for(scenario)
    scenario.rails.fail_next = "the account is closed"
    await scenario.run()
    assert await scenario.status(created) == "CRYPTO_RETURNED"
    (fee,) = await disbursed(scenario, created)
    assert fee["status"] == "COMPLETED"
    legs = {(leg.address, str(leg.money)) for order in scenario.chains.orders for leg in order.legs}
    assert legs == {(OUTSIDE, "100"), (BENEFICIARY, "2")}
    await check_settled(scenario)


@pytest.mark.parametrize(
    "fault",
    [Unavailable("not now"), RuntimeError("killed before"), None],
    ids=["no answer", "dies before", "dies after"],
)
async def test_worker_death_between_claim_call_and_record_pays_a_fee_once(
    scenario: OfframpScenario, fault: Exception | None
) -> None:
    created = await make_paid_for(scenario)
    scenario.chains.only = is_to(BENEFICIARY)
    if fault is None:
        scenario.chains.raise_after_next = Unclear("killed after")
    else:
        scenario.chains.raise_before_next = fault
    await scenario.run()
    assert await scenario.status(created) == "COMPLETED"
    assert (await disbursed(scenario, created))[0]["status"] == "INITIATED"
    await check_books(scenario.org)
    await scenario.run()
    assert (await disbursed(scenario, created))[0]["status"] == "COMPLETED"
    assert len({order.key for order in scenario.chains.orders}) == 1
    assert await scenario.container(HouseRole.OUTSIDE) == {
        "usdc:POLYGON": -1_100_000_000,
        "usd:BANK": 10_000,
    }
    await check_settled(scenario)


async def test_lost_commit_answers_create_and_pay_each_fee_once(
    scenario: OfframpScenario, dsn: str
) -> None:
    fee_body = fees(("2", BENEFICIARY), ("1", BENEFICIARY))
    created = await make_paid_for(scenario, developerFee=fee_body)
    database = await Forgetful.connect(dsn, name="tests", size_max=2)
    container = wire(
        SETTINGS, database, scenario.clock, chains=scenario.chains, rails=scenario.rails
    )
    for _ in range(8):
        scenario.clock.at += timedelta(milliseconds=10)
        await container.scheduler.run_all({scenario.org.org_id: timedelta()})
    await database.close()
    assert await scenario.status(created) == "COMPLETED"
    lines = await disbursed(scenario, created)
    assert [(each["amount"], each["status"]) for each in lines] == [
        (2, "COMPLETED"),
        (1, "COMPLETED"),
    ]
    assert len({order.key for order in scenario.chains.orders}) == 2
    await check_settled(scenario)


async def test_fee_of_a_frozen_beneficiary_waits_for_the_unfreezing(
    scenario: OfframpScenario,
) -> None:
    bob = await make_user(scenario.org)
    created = await make_paid_for(
        scenario, developerFee=fees(("2", await address_of(scenario, bob)))
    )
    await scenario.org.post(f"/v2/users/{bob}/freeze", {"reason": "a"})
    await scenario.run()
    assert await scenario.status(created) == "COMPLETED"
    (fee,) = await disbursed(scenario, created)
    assert (fee["status"], fee["blockedReason"]) == ("CREATED", f"user {bob} is frozen")
    assert scenario.chains.orders == []
    for _ in range(4):
        await scenario.pass_time(minutes=20)
    assert await _stuck(scenario) == [(fee["id"], "DISBURSEMENT")]
    await scenario.org.post(f"/v2/users/{bob}/unfreeze", {})
    await scenario.pass_time(minutes=20)
    (fee,) = await disbursed(scenario, created)
    assert (fee["status"], fee["blockedReason"]) == ("COMPLETED", None)
    assert await held(scenario.org, bob) == "2"
    await check_settled(scenario)


async def test_beneficiary_frozen_between_attempts_waits_too(scenario: OfframpScenario) -> None:
    bob = await make_user(scenario.org)
    created = await make_paid_for(
        scenario, developerFee=fees(("2", await address_of(scenario, bob)))
    )
    scenario.chains.fail_next = "no gas"
    await scenario.run()
    await scenario.org.post(f"/v2/users/{bob}/freeze", {"reason": "a"})
    await scenario.pass_time(minutes=5)
    await scenario.pass_time(hours=5)
    assert len(scenario.chains.orders) == 1
    assert (await disbursed(scenario, created))[0]["status"] == "INITIATED"
    await scenario.org.post(f"/v2/users/{bob}/unfreeze", {})
    await scenario.pass_time(minutes=20)
    assert (await disbursed(scenario, created))[0]["status"] == "COMPLETED"
    await check_settled(scenario)


async def test_possibly_sent_order_is_looked_up_while_frozen(
    scenario: OfframpScenario,
) -> None:
    bob = await make_user(scenario.org)
    created = await make_paid_for(
        scenario, developerFee=fees(("2", await address_of(scenario, bob)))
    )
    scenario.chains.raise_after_next = Unclear("the line broke")
    await scenario.run()
    await scenario.org.post(f"/v2/users/{bob}/freeze", {"reason": "a"})
    await scenario.pass_time(minutes=5)
    # Sent before the freeze: the chain's report counts, and the order is not sent again.
    assert (await disbursed(scenario, created))[0]["status"] == "COMPLETED"
    assert len(scenario.chains.orders) == 1
    await check_settled(scenario)


async def test_beneficiary_with_an_unpaid_fee_is_not_erased(scenario: OfframpScenario) -> None:
    bob = await make_user(scenario.org)
    address = await address_of(scenario, bob)
    created = await make_paid_for(scenario, developerFee=fees(("2", address)))
    chain = refuse(scenario, address)
    await scenario.run()
    assert await scenario.status(created) == "COMPLETED"
    await scenario.org.post(f"/v2/users/{bob}/freeze", {"reason": "a"})
    erase = ("DELETE", f"/v2/users/{bob}/personal-data")
    assert await scenario.org.refused(*erase) == "409 RESOURCE_CONFLICT"
    # The erasure of the customer's own data does not wait.
    await scenario.org.post(f"/v2/users/{scenario.ada}/freeze", {"reason": "a"})
    own = await scenario.org.send("DELETE", f"/v2/users/{scenario.ada}/personal-data")
    assert "DISBURSEMENT" not in own.text
    await scenario.org.post(f"/v2/users/{bob}/unfreeze", {})
    chain.is_refusing = False
    await scenario.pass_time(days=1)
    assert await held(scenario.org, bob) == "2"
    await check_settled(scenario)


async def test_frozen_organisation_pays_its_fees_later(scenario: OfframpScenario) -> None:
    created = await make_paid_for(scenario)
    scenario.chains.only, scenario.chains.fail_next = is_to(BENEFICIARY), "no gas"
    await scenario.run()
    await scenario.org.container.orgs.freeze(scenario.org.org_id)
    await scenario.pass_time(minutes=5)
    assert len(scenario.chains.orders) == 1
    await scenario.org.container.orgs.unfreeze(scenario.org.org_id)
    await scenario.pass_time(minutes=20)
    assert (await disbursed(scenario, created))[0]["status"] == "COMPLETED"
    await check_settled(scenario)


async def test_no_disbursement_without_fees(scenario: OfframpScenario) -> None:
    created = await make_paid_for(scenario, developerFee=None)
    await scenario.run()
    assert await scenario.status(created) == "COMPLETED"
    assert (await scenario.org.get(DISBURSEMENTS))["count"] == 0
    await check_settled(scenario)


async def test_internal_wallet_pays_fees_with_the_debit(scenario: OfframpScenario) -> None:
    created = await scenario.accepted(100, developerFee=fees(("2", BENEFICIARY)))
    scenario.chains.fail_next = "the beneficiary refuses coins"
    await scenario.run()
    # One order: a rejection fails the payment and releases the hold.
    assert await scenario.status(created) == "CRYPTO_FAILED"
    assert (await scenario.org.get(DISBURSEMENTS))["count"] == 0
    assert await held(scenario.org, scenario.ada) == "1000"
    await check_settled(scenario)


async def test_user_without_unpaid_fees_can_be_erased(scenario: OfframpScenario) -> None:
    bob = await make_user(scenario.org)
    await make_paid_for(scenario, developerFee=fees(("2", await address_of(scenario, bob))))
    await scenario.run()
    assert await held(scenario.org, bob) == "2"
    await scenario.org.post("/v2/wallets/transfers", _emptying(bob, scenario.ada))
    await scenario.run()
    await scenario.org.post(f"/v2/users/{bob}/freeze", {"reason": "a"})
    good(await scenario.org.send("DELETE", f"/v2/users/{bob}/personal-data"))
    await check_settled(scenario)


def _emptying(payer: str, payee: str) -> dict[str, Any]:
    return {
        "requestId": str(UUID(int=7)),
        "source": {"userId": payer},
        "destination": {"userId": payee},
        "amount": 2,
        "currency": "usdc",
        "chain": "POLYGON",
    }
