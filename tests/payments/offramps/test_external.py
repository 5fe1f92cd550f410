"""Coins that come from a registered external wallet."""

import asyncio
from typing import Any
from uuid import UUID

import pytest

from landbridge.ledger.model import HouseRole
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database, Tx
from landbridge.providers.chains.tokens import TOKENS, Chain
from tests.payments.offramps.offramp_scenario import OfframpScenario, open_scenario
from tests.payouts import OFFRAMPS, OUTSIDE, accept, check_books, shown
from tests.tenants import good, held, make_user
from tests.waiting import waits_for

USDC = TOKENS[Chain.POLYGON, "usdc"]
BACK = "0x52908400098527886E0F7030069857D2E4169EE7"


async def _deposit(
    scenario: OfframpScenario, offramp: dict[str, Any], amount: str | None = None
) -> str:
    """Coins arrive; the status then."""
    body = {} if amount is None else {"amount": amount}
    path = f"/v2/sandbox/offramps/{offramp['id']}/deposit"
    answer = await scenario.org.send("POST", path, body)
    assert answer.status_code == 200, answer.text
    return await scenario.status(offramp)


def _accept(offramp: dict[str, Any]) -> str:
    return f"{OFFRAMPS}/{offramp['id']}/quote/accept"


async def _awaited(scenario: OfframpScenario, amount: Any = 100, **changes: Any) -> dict[str, Any]:
    return await accept(scenario.org, await scenario.from_outside(amount, **changes))


async def test_accept_returns_the_deposit_address(scenario: OfframpScenario) -> None:
    created = await scenario.from_outside("100.5")
    assert created["source"]["walletAddress"] == OUTSIDE
    assert created["source"]["userId"] == scenario.ada
    assert created["depositInformation"] == []
    accepted = await accept(scenario.org, created)
    assert accepted["status"] == "AWAITING_FUNDS"
    (deposit,) = accepted["depositInformation"]
    assert str(UUID(deposit.pop("id")))
    assert deposit == {
        "fromAddress": OUTSIDE,
        "toAddress": await scenario.treasury(),
        "currency": "usdc",
        "contractAddress": USDC.address,
        "rawAmount": "100500000",
        "amount": 100.5,
        "chain": "POLYGON",
        "collected": False,
        "collectable": True,
        "expiresAt": created["quoteInformation"]["expiresAt"],
        "transactionHash": None,
    }
    assert await held(scenario.org, scenario.ada) == "1000"


async def test_the_exact_amount_is_paid_out(scenario: OfframpScenario) -> None:
    created = await _awaited(scenario)
    assert await _deposit(scenario, created) == "CRYPTO_INITIATED"
    await scenario.run()
    done = await shown(scenario.org, created)
    assert done["status"] == "COMPLETED"
    (deposit,) = done["depositInformation"]
    assert (deposit["collected"], deposit["collectable"]) == (True, False)
    assert deposit["transactionHash"] == done["receipt"]["transactionHash"]
    assert scenario.chains.orders == []
    assert await scenario.container(HouseRole.LIQUIDITY) == {
        "usdc:POLYGON": 100_000_000,
        "usd:BANK": -10_000,
    }
    assert await scenario.container(HouseRole.IN_TRANSIT) == {}
    assert await held(scenario.org, scenario.ada) == "1000"
    await check_books(scenario.org)


@pytest.mark.parametrize("amount", ["99.999999", "100.000001", "1"])
async def test_wrong_amount_is_returned(scenario: OfframpScenario, amount: str) -> None:
    created = await _awaited(scenario)
    assert await _deposit(scenario, created, amount) == "FIAT_FAILED"
    await scenario.run()
    done = await shown(scenario.org, created)
    assert done["status"] == "CRYPTO_RETURNED"
    assert done["failedReason"] == f"{amount} usdc arrived instead of 100; they are returned"
    assert done["depositInformation"][0]["collected"] is False
    (order,) = scenario.chains.orders
    assert [(leg.address, str(leg.money)) for leg in order.legs] == [(OUTSIDE, amount)]
    assert (
        await scenario.container(HouseRole.IN_TRANSIT)
        == await scenario.container(HouseRole.LIQUIDITY)
        == {}
    )
    assert scenario.rails.orders == []
    await check_books(scenario.org)


async def test_coins_go_back_to_the_return_address(scenario: OfframpScenario) -> None:
    created = await _awaited(scenario, source={"returnAddress": BACK.lower()})
    await _deposit(scenario, created)
    scenario.rails.fail_next = "closed"
    await scenario.run()
    assert await scenario.status(created) == "CRYPTO_RETURNED"
    (order,) = scenario.chains.orders
    assert [(leg.address, str(leg.money)) for leg in order.legs] == [(BACK, "100")]
    await check_books(scenario.org)


async def test_return_address_may_be_a_platform_wallet(scenario: OfframpScenario) -> None:
    created = await _awaited(
        scenario, source={"returnAddress": await _wallet(scenario, scenario.ada)}
    )
    await _deposit(scenario, created)
    scenario.rails.fail_next = "closed"
    await scenario.run()
    assert await scenario.status(created) == "CRYPTO_RETURNED"
    assert await held(scenario.org, scenario.ada) == "1100"
    await check_books(scenario.org)


async def _wallet(scenario: OfframpScenario, user: str) -> str:
    """Return the address of a user's wallet on POLYGON."""
    found = await scenario.org.get(f"/v2/users/{user}")
    return str(found["wallets"]["INDIVIDUAL"]["POLYGON"]["address"])


async def test_refund_recipient_cannot_be_erased_during_the_payment(
    scenario: OfframpScenario,
) -> None:
    bob = await make_user(scenario.org)
    created = await scenario.from_outside(source={"returnAddress": await _wallet(scenario, bob)})
    await scenario.org.post(f"/v2/users/{bob}/freeze", {})
    erase = ("DELETE", f"/v2/users/{bob}/personal-data")
    assert await scenario.org.refused(*erase) == "409 RESOURCE_CONFLICT"
    assert await scenario.org.refused("POST", _accept(created)) == "403 USER_FROZEN"
    await scenario.pass_time(minutes=11)
    good(await scenario.org.send(*erase))


async def test_user_erased_during_creation_gets_no_refund(scenario: OfframpScenario) -> None:
    bob = await make_user(scenario.org)
    parties = {"returnAddress": await _wallet(scenario, bob)}

    async def erase_meanwhile(tx: Tx) -> asyncio.Task[dict[str, Any]]:
        await tx.execute("lock table transfers in share row exclusive mode")
        mine = await tx.fetchval("select pg_backend_pid()")
        opening = asyncio.create_task(scenario.from_outside(source=parties))
        # The request has read Bob; the record, which alone names him, is still uncommitted.
        await waits_for(scenario.org.container.database, mine)
        await scenario.org.post(f"/v2/users/{bob}/freeze", {})
        good(await scenario.org.send("DELETE", f"/v2/users/{bob}/personal-data"))
        return opening

    created = await (await scenario.org.container.database.transact(erase_meanwhile))
    assert await scenario.org.refused("POST", _accept(created)) == "403 USER_FROZEN"
    assert await scenario.status(created) == "OPEN_QUOTE"


async def test_approval_is_refused_when_the_refund_recipient_is_frozen(
    scenario: OfframpScenario,
) -> None:
    bob = await make_user(scenario.org)
    parties = {"returnAddress": await _wallet(scenario, bob)}
    created = await scenario.from_outside(source=parties, requireApproval=True)
    await scenario.org.post(f"/v2/users/{bob}/freeze", {})
    path = f"/v2/transfer-approvals/{created['approval']['id']}/approve"
    assert await scenario.org.refused("POST", path, {}) == "403 USER_FROZEN"
    await scenario.org.post(f"/v2/users/{bob}/unfreeze", {})
    await scenario.org.post(path, {})
    assert (await accept(scenario.org, created))["status"] == "AWAITING_FUNDS"


async def test_recipient_frozen_after_the_accept_is_still_refunded(
    scenario: OfframpScenario,
) -> None:
    bob = await make_user(scenario.org)
    created = await _awaited(scenario, source={"returnAddress": await _wallet(scenario, bob)})
    await scenario.org.post(f"/v2/users/{bob}/freeze", {})
    assert await _deposit(scenario, created, "5") == "FIAT_FAILED"
    await scenario.run()
    assert await scenario.status(created) == "CRYPTO_RETURNED"
    assert await held(scenario.org, bob) == "5"
    await check_books(scenario.org)


async def test_late_coins_are_returned(scenario: OfframpScenario) -> None:
    created = await _awaited(scenario)
    await scenario.pass_time(minutes=10, seconds=1)
    ended = await shown(scenario.org, created)
    assert (ended["status"], ended["failedReason"]) == (
        "QUOTE_FAILED",
        "the coins did not arrive in time",
    )
    assert ended["depositInformation"][0]["collectable"] is False
    assert await _deposit(scenario, created) == "QUOTE_FAILED"
    await scenario.run()
    (order,) = scenario.chains.orders
    assert [(leg.address, str(leg.money)) for leg in order.legs] == [(OUTSIDE, "100")]
    await check_books(scenario.org)


async def test_coins_arriving_just_after_the_deadline_are_returned(
    scenario: OfframpScenario,
) -> None:
    created = await _awaited(scenario)
    scenario.clock.at = (await scenario.of(created)).record.due_at or scenario.clock.at
    assert await _deposit(scenario, created) == "QUOTE_FAILED"
    await scenario.run()
    assert len(scenario.chains.orders) == 1
    await check_books(scenario.org)


async def test_repeated_coins_count_once_and_others_are_returned(scenario: OfframpScenario) -> None:
    created = await _awaited(scenario)
    arrive = scenario.org.container.offramps.coins_arrived
    money = Money(100_000_000, USDC.asset)
    first = await arrive(scenario.org.caller, UUID(created["id"]), money, "0x1")
    again = await arrive(scenario.org.caller, UUID(created["id"]), money, "0x1")
    assert first == again
    await arrive(scenario.org.caller, UUID(created["id"]), money, "0x2")
    await arrive(scenario.org.caller, UUID(created["id"]), money, "0x2")
    await scenario.run()
    assert len({order.key for order in scenario.chains.orders}) == 1
    assert await scenario.status(created) == "COMPLETED"
    await check_books(scenario.org)


async def test_wallet_funded_offramp_expects_no_deposit(scenario: OfframpScenario) -> None:
    created = await scenario.accepted()
    path = f"/v2/sandbox/offramps/{created['id']}/deposit"
    assert await scenario.org.refused("POST", path, {}) == "409 RESOURCE_CONFLICT"


async def test_frozen_sender_is_refunded(scenario: OfframpScenario) -> None:
    created = await _awaited(scenario)
    await _deposit(scenario, created)
    await scenario.org.post(f"/v2/users/{scenario.ada}/freeze", {"reason": "a"})
    await scenario.run()
    done = await shown(scenario.org, created)
    assert done["status"] == "CRYPTO_RETURNED"
    assert "frozen" in done["failedReason"]
    assert scenario.rails.orders == []
    assert await scenario.container(HouseRole.IN_TRANSIT) == {}
    await check_books(scenario.org)


async def test_an_approved_one_is_waited_for(scenario: OfframpScenario) -> None:
    created = await scenario.from_outside(requireApproval=True)
    assert created["status"] == "PENDING_APPROVAL"
    await scenario.org.post(f"/v2/transfer-approvals/{created['approval']['id']}/approve", {})
    assert (await accept(scenario.org, created))["status"] == "AWAITING_FUNDS"
    await _deposit(scenario, created)
    await scenario.run()
    assert await scenario.status(created) == "COMPLETED"
    assert await held(scenario.org, scenario.ada) == "1000"


@pytest.mark.parametrize("is_exact", [True, False])
async def test_coins_may_arrive_during_a_review(
    scenario: OfframpScenario, *, is_exact: bool
) -> None:
    created = await _awaited(scenario)
    assert await scenario.review(created, "open") == "200"
    assert await _deposit(scenario, created, None if is_exact else "5") == "IN_REVIEW"
    await scenario.pass_time(minutes=30)
    assert await scenario.status(created) == "IN_REVIEW"
    assert await scenario.review(created, "close") == "200"
    await scenario.run()
    assert await scenario.status(created) == ("COMPLETED" if is_exact else "CRYPTO_RETURNED")
    await check_books(scenario.org)


async def test_cancel_returns_arrived_coins(scenario: OfframpScenario) -> None:
    created = await _awaited(scenario)
    await _deposit(scenario, created)
    assert await scenario.review(created, "open") == "200"
    assert await scenario.cancel(created) == "FIAT_FAILED"
    await scenario.run()
    assert await scenario.status(created) == "CRYPTO_RETURNED"
    assert await scenario.container(HouseRole.IN_TRANSIT) == {}
    await check_books(scenario.org)


async def test_a_large_one_is_reviewed_when_the_coins_are_here(database: Database) -> None:
    async with open_scenario(database, review_above_usd=100) as scenario:
        created = await _awaited(scenario)
        assert created["status"] == "AWAITING_FUNDS"
        assert await _deposit(scenario, created) == "IN_REVIEW"
        await scenario.pass_time(hours=5)
        assert await scenario.review(created, "close") == "200"
        await scenario.run()
        assert await scenario.status(created) == "COMPLETED"
        await check_books(scenario.org)


async def test_an_inactive_wallet_is_no_source(scenario: OfframpScenario) -> None:
    body = {
        "requestId": str(UUID(int=9)),
        "source": {
            "externalWalletId": str(UUID(int=1)),
            "chain": "POLYGON",
            "currency": "usdc",
            "amount": 5,
        },
        "destination": {"accountId": scenario.account, "currency": "usd"},
    }
    assert await scenario.org.refused("POST", OFFRAMPS, body) == "404 WALLET_NOT_FOUND"
