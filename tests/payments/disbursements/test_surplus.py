"""Coins from outside that no offramp waits for: recorded at once, and sent back by the worker."""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from landbridge.app.container import wire
from landbridge.customers.wallets.errors import WalletNotFound
from landbridge.ledger.errors import RequestIdTaken
from landbridge.ledger.model import HouseRole
from landbridge.platform.core.errors import Refused, Unavailable, Unclear
from landbridge.platform.core.money import Money
from landbridge.providers.chains.tokens import TOKENS, Chain
from tests.payments.disbursements.disbursement_world import (
    DISBURSEMENTS,
    USDC,
    address_of,
    arrive,
    check_settled,
    disbursed,
)
from tests.payments.offramps.offramp_scenario import OfframpScenario
from tests.payouts import OFFRAMPS, OUTSIDE, accept, make_offramp
from tests.platform.db.test_lost_commits import Forgetful
from tests.tenants import SETTINGS, held, make_user

COINS = Money(100_000_000, USDC)
USDT = TOKENS[Chain.POLYGON, "usdt"].asset


async def _late(scenario: OfframpScenario, **changes: Any) -> dict[str, Any]:
    """Return an offramp whose coins did not arrive in time."""
    created = await accept(scenario.org, await scenario.from_outside(**changes))
    await scenario.pass_time(minutes=11)
    assert await scenario.status(created) == "QUOTE_FAILED"
    return created


async def test_late_coins_are_acknowledged_and_returned(scenario: OfframpScenario) -> None:
    created = await _late(scenario)
    await arrive(scenario, created, COINS)
    assert scenario.chains.orders == []
    assert await scenario.container(HouseRole.IN_TRANSIT) == {"usdc:POLYGON": 100_000_000}
    (surplus,) = await disbursed(scenario, created)
    assert (surplus["status"], surplus["purpose"]) == ("CREATED", "SURPLUS_RETURN")
    assert surplus["payment"] == {"id": created["id"], "type": "OFFRAMP"}
    await scenario.run()
    (order,) = scenario.chains.orders
    assert (order.source, order.wallet_id) == (await scenario.treasury(), None)
    assert [(leg.address, str(leg.money)) for leg in order.legs] == [(OUTSIDE, "100")]
    (surplus,) = await disbursed(scenario, created)
    assert surplus["status"] == "COMPLETED"
    assert await scenario.container(HouseRole.OUTSIDE) == {"usdc:POLYGON": -1_000_000_000}
    await check_settled(scenario)


async def test_refused_return_is_a_stuck_disbursement(
    scenario: OfframpScenario,
) -> None:
    created = await _late(scenario)
    await arrive(scenario, created, COINS)
    for minutes in (0, 1, 2, 4, 8, 16, 32):
        scenario.chains.fail_next = "no gas"
        await scenario.pass_time(minutes=minutes)
    (surplus,) = await disbursed(scenario, created)
    assert (surplus["status"], surplus["refusalCount"]) == ("INITIATED", 7)
    (stuck,) = (await scenario.org.get("/v2/stuck"))["stuck"]
    assert (stuck["id"], stuck["waitsFor"]) == (surplus["id"], "REVIEWER")
    # Chain observers get an answer, however often they report the coins.
    await arrive(scenario, created, COINS)
    assert len(await disbursed(scenario, created)) == 1
    await scenario.pass_time(days=1)
    assert (await disbursed(scenario, created))[0]["status"] == "COMPLETED"
    keys = [order.key for order in scenario.chains.orders]
    assert (len(keys), len(set(keys))) == (8, 8)
    await check_settled(scenario)


@pytest.mark.parametrize("error", [Unavailable("x"), Unclear("x")])
async def test_unanswered_chain_does_not_delay_the_report(
    scenario: OfframpScenario, error: Exception
) -> None:
    created = await _late(scenario)
    await arrive(scenario, created, COINS)
    scenario.chains.raise_after_next = error
    await scenario.run()
    await scenario.run()
    assert (await disbursed(scenario, created))[0]["status"] == "COMPLETED"
    assert len({order.key for order in scenario.chains.orders}) == 1
    await check_settled(scenario)


async def test_coins_are_returned_to_an_internal_wallet_despite_a_freeze(
    scenario: OfframpScenario,
) -> None:
    bob = await make_user(scenario.org)
    created = await _late(scenario, source={"returnAddress": await address_of(scenario, bob)})
    await arrive(scenario, created, COINS)
    await scenario.org.post(f"/v2/users/{bob}/freeze", {"reason": "a"})
    erase = ("DELETE", f"/v2/users/{bob}/personal-data")
    assert await scenario.org.refused(*erase) == "409 RESOURCE_CONFLICT"
    await scenario.run()
    assert await held(scenario.org, bob) == "100"
    await check_settled(scenario)


async def test_wrong_coins_are_returned_and_the_right_ones_still_expected(
    scenario: OfframpScenario,
) -> None:
    bob = await make_user(scenario.org)
    ends = {"returnAddress": await address_of(scenario, bob)}
    created = await accept(scenario.org, await scenario.from_outside(source=ends))
    await arrive(scenario, created, Money(7_000_000, USDT))
    assert await scenario.status(created) == "AWAITING_FUNDS"
    # In the same on-chain transaction.
    await arrive(scenario, created, COINS)
    assert await scenario.status(created) == "CRYPTO_INITIATED"
    await arrive(scenario, created, Money(7_000_000, USDT))
    await scenario.run()
    assert await scenario.status(created) == "COMPLETED"
    (surplus,) = await disbursed(scenario, created)
    assert (surplus["amount"], surplus["currency"]) == (7, "usdt")
    balance = await scenario.org.get(
        f"/v2/users/{bob}/wallets/balance", chain="POLYGON", currency="usdt"
    )
    assert balance["displayBalance"] == "7"
    await check_settled(scenario)


async def test_coins_on_a_chain_where_a_user_has_no_wallet_wait_for_that_wallet(
    scenario: OfframpScenario,
) -> None:
    bob = await make_user(scenario.org)
    created = await _late(scenario, source={"returnAddress": await address_of(scenario, bob)})
    elsewhere = Money(5_000_000, TOKENS[Chain.BASE, "usdc"].asset)
    with pytest.raises(WalletNotFound):
        await arrive(scenario, created, elsewhere)
    await scenario.org.post(f"/v2/users/{bob}/wallets/add", {"chains": ["BASE"]})
    await arrive(scenario, created, elsewhere)
    await scenario.run()
    query = {"chain": "BASE", "currency": "usdc"}
    balance = await scenario.org.get(f"/v2/users/{bob}/wallets/balance", **query)
    assert balance["displayBalance"] == "5"
    await check_settled(scenario)


async def test_a_second_report_with_another_amount_is_refused(scenario: OfframpScenario) -> None:
    created = await _late(scenario)
    await arrive(scenario, created, COINS)
    with pytest.raises(RequestIdTaken):
        await arrive(scenario, created, Money(1, USDC))
    assert len(await disbursed(scenario, created)) == 1
    await arrive(scenario, created, Money(1_000_000, USDC), "0x2")
    await scenario.run()
    assert [each["amount"] for each in await disbursed(scenario, created)] == [100, 1]
    await check_settled(scenario)


async def test_coins_received_before_the_accept_are_returned(scenario: OfframpScenario) -> None:
    created = await scenario.from_outside()
    await arrive(scenario, created, COINS)
    await accept(scenario.org, created)
    # Reported again after a lost answer: the coins are being returned and are not credited.
    await arrive(scenario, created, COINS)
    assert await scenario.status(created) == "AWAITING_FUNDS"
    await scenario.run()
    assert len(scenario.chains.orders) == 1
    await arrive(scenario, created, COINS, "0x2")
    await scenario.run()
    assert await scenario.status(created) == "COMPLETED"
    await check_settled(scenario)


async def test_coins_reported_during_the_accept_count_once(scenario: OfframpScenario) -> None:
    first = await scenario.from_outside(10)
    ends = {"userId": None, "externalWalletId": first["source"]["externalWalletId"]}
    created = [
        await make_offramp(scenario.org, None, scenario.account, 10, source=ends) for _ in range(12)
    ]
    coins = Money(10_000_000, USDC)
    work = [
        verb
        for each in created
        for verb in (
            arrive(scenario, each, coins),
            scenario.org.send("POST", f"{OFFRAMPS}/{each['id']}/quote/accept"),
            arrive(scenario, each, coins),
        )
    ]
    failures = [each for each in await asyncio.gather(*work, return_exceptions=True) if each]
    assert not [each for each in failures if isinstance(each, Refused)]
    await scenario.run()
    for each in created:
        returned = len(await disbursed(scenario, each))
        assert returned + (await scenario.status(each) == "COMPLETED") == 1
    await check_settled(scenario)


async def test_lost_commit_answer_creates_one_record(scenario: OfframpScenario, dsn: str) -> None:
    created = await _late(scenario)
    database = await Forgetful.connect(dsn, name="tests", size_max=2)
    container = wire(
        SETTINGS, database, scenario.clock, chains=scenario.chains, rails=scenario.rails
    )
    for _ in range(2):
        await container.offramps.coins_arrived(
            scenario.org.caller, UUID(created["id"]), COINS, "0x1"
        )
    for _ in range(6):
        scenario.clock.at += timedelta(milliseconds=10)
        await container.scheduler.run_all({scenario.org.org_id: timedelta()})
    await database.close()
    (surplus,) = await disbursed(scenario, created)
    assert surplus["status"] == "COMPLETED"
    assert len({order.key for order in scenario.chains.orders}) == 1
    await check_settled(scenario)


async def test_disbursements_are_listed_and_found(scenario: OfframpScenario) -> None:
    created = await _late(scenario)
    await arrive(scenario, created, COINS)
    await arrive(scenario, created, COINS, "0x2")
    await scenario.run()
    page = await scenario.org.get(DISBURSEMENTS, limit=1)
    assert page["count"] == 1
    rest = await scenario.org.get(DISBURSEMENTS, cursor=page["nextCursor"])
    found = [*page["records"], *rest["records"]]
    ids = {each["transferDetails"]["id"] for each in found}
    assert ids == {each["id"] for each in await disbursed(scenario, created)}
    one = found[0]["transferDetails"]
    shown = await scenario.org.get(f"{DISBURSEMENTS}/{one['id']}", expand="timeline")
    stations = [each["status"] for each in shown["timeline"]["steps"]]
    assert stations == ["CREATED", "INITIATED", "COMPLETED"]
    assert shown["timeline"]["waitsFor"] is None
    everything = await scenario.org.get("/v2/transactions", type="DISBURSEMENT")
    assert everything["count"] == 2
    found = await scenario.org.get("/v2/search", q=one["receipt"]["transactionHash"])
    assert [each["id"] for each in found["results"]] == [one["id"]]
    path = f"{DISBURSEMENTS}/{uuid4()}"
    assert await scenario.org.refused("GET", path) == "404 TRANSACTION_NOT_FOUND"
