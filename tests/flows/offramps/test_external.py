"""Coins that come from a registered wallet outside."""

import asyncio
from typing import Any
from uuid import UUID

import pytest

from landbridge.chains.tokens import TOKENS, Chain
from landbridge.core.money import Money
from landbridge.db.pool import Database, Tx
from landbridge.ledger.model import Role
from tests.payouts import OFFRAMPS, OUTSIDE, accept, check_books, shown
from tests.tenants import good, held, make_user
from tests.waiting import waits_for

from .playing import Play, playing

USDC = TOKENS[Chain.POLYGON, "usdc"]
BACK = "0x52908400098527886E0F7030069857D2E4169EE7"


async def _deposit(play: Play, offramp: dict[str, Any], amount: str | None = None) -> str:
    """Coins arrive; the status then."""
    body = {} if amount is None else {"amount": amount}
    path = f"/v2/sandbox/offramps/{offramp['id']}/deposit"
    answer = await play.org.send("POST", path, body)
    assert answer.status_code == 200, answer.text
    return await play.status(offramp)


def _accept(offramp: dict[str, Any]) -> str:
    return f"{OFFRAMPS}/{offramp['id']}/quote/accept"


async def _awaited(play: Play, amount: Any = 100, **changes: Any) -> dict[str, Any]:
    return await accept(play.org, await play.from_outside(amount, **changes))


async def test_an_accept_says_where_the_coins_go(play: Play) -> None:
    made = await play.from_outside("100.5")
    assert made["source"]["walletAddress"] == OUTSIDE
    assert made["source"]["userId"] == play.ada
    assert made["depositInformation"] == []
    accepted = await accept(play.org, made)
    assert accepted["status"] == "AWAITING_FUNDS"
    (deposit,) = accepted["depositInformation"]
    assert str(UUID(deposit.pop("id")))
    assert deposit == {
        "fromAddress": OUTSIDE,
        "toAddress": await play.treasury(),
        "currency": "usdc",
        "contractAddress": USDC.address,
        "rawAmount": "100500000",
        "amount": 100.5,
        "chain": "POLYGON",
        "collected": False,
        "collectable": True,
        "expiresAt": made["quoteInformation"]["expiresAt"],
        "transactionHash": None,
    }
    assert await held(play.org, play.ada) == "1000"


async def test_the_exact_amount_is_paid_out(play: Play) -> None:
    made = await _awaited(play)
    assert await _deposit(play, made) == "CRYPTO_INITIATED"
    await play.run()
    done = await shown(play.org, made)
    assert done["status"] == "COMPLETED"
    (deposit,) = done["depositInformation"]
    assert (deposit["collected"], deposit["collectable"]) == (True, False)
    assert deposit["transactionHash"] == done["receipt"]["transactionHash"]
    assert play.chains.asked == []
    assert await play.house(Role.LIQUIDITY) == {"usdc:POLYGON": 100_000_000, "usd:BANK": -10_000}
    assert await play.house(Role.IN_TRANSIT) == {}
    assert await held(play.org, play.ada) == "1000"
    await check_books(play.org)


@pytest.mark.parametrize("amount", ["99.999999", "100.000001", "1"])
async def test_another_amount_goes_back(play: Play, amount: str) -> None:
    made = await _awaited(play)
    assert await _deposit(play, made, amount) == "FIAT_FAILED"
    await play.run()
    done = await shown(play.org, made)
    assert done["status"] == "CRYPTO_RETURNED"
    assert done["failedReason"] == f"{amount} usdc arrived in place of 100; they go back"
    assert done["depositInformation"][0]["collected"] is False
    (order,) = play.chains.asked
    assert [(leg.address, str(leg.money)) for leg in order.legs] == [(OUTSIDE, amount)]
    assert await play.house(Role.IN_TRANSIT) == await play.house(Role.LIQUIDITY) == {}
    assert play.rails.asked == []
    await check_books(play.org)


async def test_coins_go_back_to_the_return_address(play: Play) -> None:
    made = await _awaited(play, source={"returnAddress": BACK.lower()})
    await _deposit(play, made)
    play.rails.fail_next = "closed"
    await play.run()
    assert await play.status(made) == "CRYPTO_RETURNED"
    (order,) = play.chains.asked
    assert [(leg.address, str(leg.money)) for leg in order.legs] == [(BACK, "100")]
    await check_books(play.org)


async def test_a_return_address_may_be_a_wallet_of_ours(play: Play) -> None:
    made = await _awaited(play, source={"returnAddress": await _wallet(play, play.ada)})
    await _deposit(play, made)
    play.rails.fail_next = "closed"
    await play.run()
    assert await play.status(made) == "CRYPTO_RETURNED"
    assert await held(play.org, play.ada) == "1100"
    await check_books(play.org)


async def _wallet(play: Play, user: str) -> str:
    """The address of a user's wallet on POLYGON."""
    found = await play.org.get(f"/v2/users/{user}")
    return str(found["wallets"]["INDIVIDUAL"]["POLYGON"]["address"])


async def test_who_would_get_the_coins_back_is_not_erased_meanwhile(play: Play) -> None:
    bob = await make_user(play.org)
    made = await play.from_outside(source={"returnAddress": await _wallet(play, bob)})
    await play.org.post(f"/v2/users/{bob}/freeze", {})
    erase = ("DELETE", f"/v2/users/{bob}/personal-data")
    assert await play.org.refused(*erase) == "409 RESOURCE_CONFLICT"
    assert await play.org.refused("POST", _accept(made)) == "403 USER_FROZEN"
    await play.pass_time(minutes=11)
    good(await play.org.send(*erase))


async def test_who_was_erased_while_it_was_opened_gets_no_coins_back(play: Play) -> None:
    bob = await make_user(play.org)
    ends = {"returnAddress": await _wallet(play, bob)}

    async def erase_meanwhile(tx: Tx) -> asyncio.Task[dict[str, Any]]:
        await tx.execute("lock table transfers in share row exclusive mode")
        mine = await tx.fetchval("select pg_backend_pid()")
        opening = asyncio.create_task(play.from_outside(source=ends))
        # It has seen that Bob is there; the record, which alone names him, waits for us.
        await waits_for(play.org.house.database, mine)
        await play.org.post(f"/v2/users/{bob}/freeze", {})
        good(await play.org.send("DELETE", f"/v2/users/{bob}/personal-data"))
        return opening

    made = await (await play.org.house.database.transact(erase_meanwhile))
    assert await play.org.refused("POST", _accept(made)) == "403 USER_FROZEN"
    assert await play.status(made) == "OPEN_QUOTE"


async def test_nobody_approves_what_would_go_back_to_who_is_frozen(play: Play) -> None:
    bob = await make_user(play.org)
    ends = {"returnAddress": await _wallet(play, bob)}
    made = await play.from_outside(source=ends, requireApproval=True)
    await play.org.post(f"/v2/users/{bob}/freeze", {})
    path = f"/v2/transfer-approvals/{made['approval']['id']}/approve"
    assert await play.org.refused("POST", path, {}) == "403 USER_FROZEN"
    await play.org.post(f"/v2/users/{bob}/unfreeze", {})
    await play.org.post(path, {})
    assert (await accept(play.org, made))["status"] == "AWAITING_FUNDS"


async def test_who_is_frozen_after_the_accept_gets_the_coins_back_all_the_same(play: Play) -> None:
    bob = await make_user(play.org)
    made = await _awaited(play, source={"returnAddress": await _wallet(play, bob)})
    await play.org.post(f"/v2/users/{bob}/freeze", {})
    assert await _deposit(play, made, "5") == "FIAT_FAILED"
    await play.run()
    assert await play.status(made) == "CRYPTO_RETURNED"
    assert await held(play.org, bob) == "5"
    await check_books(play.org)


async def test_coins_that_come_too_late_go_back(play: Play) -> None:
    made = await _awaited(play)
    await play.pass_time(minutes=10, seconds=1)
    ended = await shown(play.org, made)
    assert (ended["status"], ended["failedReason"]) == (
        "QUOTE_FAILED",
        "the coins did not arrive in time",
    )
    assert ended["depositInformation"][0]["collectable"] is False
    assert await _deposit(play, made) == "QUOTE_FAILED"
    await play.run()
    (order,) = play.chains.asked
    assert [(leg.address, str(leg.money)) for leg in order.legs] == [(OUTSIDE, "100")]
    await check_books(play.org)


async def test_coins_that_come_a_moment_too_late_end_it_and_go_back(play: Play) -> None:
    made = await _awaited(play)
    play.clock.at = (await play.of(made)).record.due_at or play.clock.at
    assert await _deposit(play, made) == "QUOTE_FAILED"
    await play.run()
    assert len(play.chains.asked) == 1
    await check_books(play.org)


async def test_the_same_coins_count_once_and_others_go_back(play: Play) -> None:
    made = await _awaited(play)
    arrive = play.org.house.offramps.coins_arrived
    money = Money(100_000_000, USDC.asset)
    first = await arrive(play.org.caller, UUID(made["id"]), money, "0x1")
    again = await arrive(play.org.caller, UUID(made["id"]), money, "0x1")
    assert first == again
    await arrive(play.org.caller, UUID(made["id"]), money, "0x2")
    await arrive(play.org.caller, UUID(made["id"]), money, "0x2")
    await play.run()
    assert len({order.key for order in play.chains.asked}) == 1
    assert await play.status(made) == "COMPLETED"
    await check_books(play.org)


async def test_a_wallet_of_the_platform_waits_for_no_coins(play: Play) -> None:
    made = await play.accepted()
    path = f"/v2/sandbox/offramps/{made['id']}/deposit"
    assert await play.org.refused("POST", path, {}) == "409 RESOURCE_CONFLICT"


async def test_who_is_frozen_gets_the_coins_back(play: Play) -> None:
    made = await _awaited(play)
    await _deposit(play, made)
    await play.org.post(f"/v2/users/{play.ada}/freeze", {"reason": "a"})
    await play.run()
    done = await shown(play.org, made)
    assert done["status"] == "CRYPTO_RETURNED"
    assert "frozen" in done["failedReason"]
    assert play.rails.asked == []
    assert await play.house(Role.IN_TRANSIT) == {}
    await check_books(play.org)


async def test_an_approved_one_is_waited_for(play: Play) -> None:
    made = await play.from_outside(requireApproval=True)
    assert made["status"] == "PENDING_APPROVAL"
    await play.org.post(f"/v2/transfer-approvals/{made['approval']['id']}/approve", {})
    assert (await accept(play.org, made))["status"] == "AWAITING_FUNDS"
    await _deposit(play, made)
    await play.run()
    assert await play.status(made) == "COMPLETED"
    assert await held(play.org, play.ada) == "1000"


@pytest.mark.parametrize("is_exact", [True, False])
async def test_coins_may_come_while_it_is_reviewed(play: Play, *, is_exact: bool) -> None:
    made = await _awaited(play)
    assert await play.review(made, "open") == "200"
    assert await _deposit(play, made, None if is_exact else "5") == "IN_REVIEW"
    await play.pass_time(minutes=30)
    assert await play.status(made) == "IN_REVIEW"
    assert await play.review(made, "close") == "200"
    await play.run()
    assert await play.status(made) == ("COMPLETED" if is_exact else "CRYPTO_RETURNED")
    await check_books(play.org)


async def test_a_cancel_gives_coins_back_that_came(play: Play) -> None:
    made = await _awaited(play)
    await _deposit(play, made)
    assert await play.review(made, "open") == "200"
    assert await play.cancel(made) == "FIAT_FAILED"
    await play.run()
    assert await play.status(made) == "CRYPTO_RETURNED"
    assert await play.house(Role.IN_TRANSIT) == {}
    await check_books(play.org)


async def test_a_large_one_is_reviewed_when_the_coins_are_here(database: Database) -> None:
    async with playing(database, review_above_usd=100) as play:
        made = await _awaited(play)
        assert made["status"] == "AWAITING_FUNDS"
        assert await _deposit(play, made) == "IN_REVIEW"
        await play.pass_time(hours=5)
        assert await play.review(made, "close") == "200"
        await play.run()
        assert await play.status(made) == "COMPLETED"
        await check_books(play.org)


async def test_an_inactive_wallet_is_no_source(play: Play) -> None:
    body = {
        "requestId": str(UUID(int=9)),
        "source": {
            "externalWalletId": str(UUID(int=1)),
            "chain": "POLYGON",
            "currency": "usdc",
            "amount": 5,
        },
        "destination": {"accountId": play.account, "currency": "usd"},
    }
    assert await play.org.refused("POST", OFFRAMPS, body) == "404 WALLET_NOT_FOUND"
