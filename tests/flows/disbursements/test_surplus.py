"""Coins from outside that no offramp waits for: recorded at once, and sent back by the worker."""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from landbridge.chains.tokens import TOKENS, Chain
from landbridge.core.errors import Refused, Unavailable, Unclear
from landbridge.core.money import Money
from landbridge.ledger.errors import RequestIdTaken
from landbridge.ledger.model import Role
from landbridge.wallets.errors import WalletNotFound
from landbridge.wiring import wire
from tests.db.test_lost_commits import Forgetful
from tests.flows.disbursements.disbursing import (
    DISBURSEMENTS,
    USDC,
    address_of,
    arrive,
    check_settled,
    disbursed,
)
from tests.flows.offramps.playing import Play
from tests.payouts import OFFRAMPS, OUTSIDE, accept, make_offramp
from tests.tenants import SETTINGS, held, make_user

COINS = Money(100_000_000, USDC)
USDT = TOKENS[Chain.POLYGON, "usdt"].asset


async def _late(play: Play, **changes: Any) -> dict[str, Any]:
    """Return an offramp whose coins did not arrive in time."""
    made = await accept(play.org, await play.from_outside(**changes))
    await play.pass_time(minutes=11)
    assert await play.status(made) == "QUOTE_FAILED"
    return made


async def test_late_coins_are_answered_at_once_and_go_back(play: Play) -> None:
    made = await _late(play)
    await arrive(play, made, COINS)
    assert play.chains.asked == []
    assert await play.house(Role.IN_TRANSIT) == {"usdc:POLYGON": 100_000_000}
    (surplus,) = await disbursed(play, made)
    assert (surplus["status"], surplus["purpose"]) == ("CREATED", "SURPLUS_RETURN")
    assert surplus["payment"] == {"id": made["id"], "type": "OFFRAMP"}
    await play.run()
    (order,) = play.chains.asked
    assert (order.source, order.wallet_id) == (await play.treasury(), None)
    assert [(leg.address, str(leg.money)) for leg in order.legs] == [(OUTSIDE, "100")]
    (surplus,) = await disbursed(play, made)
    assert surplus["status"] == "COMPLETED"
    assert await play.house(Role.OUTSIDE) == {"usdc:POLYGON": -1_000_000_000}
    await check_settled(play)


async def test_coins_that_the_chain_will_not_carry_back_are_a_record_that_is_stuck(
    play: Play,
) -> None:
    made = await _late(play)
    await arrive(play, made, COINS)
    for minutes in (0, 1, 2, 4, 8, 16, 32):
        play.chains.fail_next = "no gas"
        await play.pass_time(minutes=minutes)
    (surplus,) = await disbursed(play, made)
    assert (surplus["status"], surplus["refusalCount"]) == ("INITIATED", 7)
    (stuck,) = (await play.org.get("/v2/stuck"))["stuck"]
    assert (stuck["id"], stuck["waitsFor"]) == (surplus["id"], "REVIEWER")
    # Whoever watches the chain has its answer, however often it reports them.
    await arrive(play, made, COINS)
    assert len(await disbursed(play, made)) == 1
    await play.pass_time(days=1)
    assert (await disbursed(play, made))[0]["status"] == "COMPLETED"
    keys = [order.key for order in play.chains.asked]
    assert (len(keys), len(set(keys))) == (8, 8)
    await check_settled(play)


@pytest.mark.parametrize("error", [Unavailable("x"), Unclear("x")])
async def test_a_chain_without_an_answer_keeps_nobody_waiting(play: Play, error: Exception) -> None:
    made = await _late(play)
    await arrive(play, made, COINS)
    play.chains.raise_after_next = error
    await play.run()
    await play.run()
    assert (await disbursed(play, made))[0]["status"] == "COMPLETED"
    assert len({order.key for order in play.chains.asked}) == 1
    await check_settled(play)


async def test_coins_go_back_to_a_wallet_of_ours_whoever_is_frozen(play: Play) -> None:
    bob = await make_user(play.org)
    made = await _late(play, source={"returnAddress": await address_of(play, bob)})
    await arrive(play, made, COINS)
    await play.org.post(f"/v2/users/{bob}/freeze", {"reason": "a"})
    erase = ("DELETE", f"/v2/users/{bob}/personal-data")
    assert await play.org.refused(*erase) == "409 RESOURCE_CONFLICT"
    await play.run()
    assert await held(play.org, bob) == "100"
    await check_settled(play)


async def test_coins_of_another_kind_go_back_and_the_right_ones_are_waited_for(play: Play) -> None:
    bob = await make_user(play.org)
    ends = {"returnAddress": await address_of(play, bob)}
    made = await accept(play.org, await play.from_outside(source=ends))
    await arrive(play, made, Money(7_000_000, USDT))
    assert await play.status(made) == "AWAITING_FUNDS"
    # In the same transaction on the chain.
    await arrive(play, made, COINS)
    assert await play.status(made) == "CRYPTO_INITIATED"
    await arrive(play, made, Money(7_000_000, USDT))
    await play.run()
    assert await play.status(made) == "COMPLETED"
    (surplus,) = await disbursed(play, made)
    assert (surplus["amount"], surplus["currency"]) == (7, "usdt")
    balance = await play.org.get(
        f"/v2/users/{bob}/wallets/balance", chain="POLYGON", currency="usdt"
    )
    assert balance["displayBalance"] == "7"
    await check_settled(play)


async def test_coins_on_a_chain_where_a_user_has_no_wallet_wait_for_that_wallet(
    play: Play,
) -> None:
    bob = await make_user(play.org)
    made = await _late(play, source={"returnAddress": await address_of(play, bob)})
    elsewhere = Money(5_000_000, TOKENS[Chain.BASE, "usdc"].asset)
    with pytest.raises(WalletNotFound):
        await arrive(play, made, elsewhere)
    await play.org.post(f"/v2/users/{bob}/wallets/add", {"chains": ["BASE"]})
    await arrive(play, made, elsewhere)
    await play.run()
    query = {"chain": "BASE", "currency": "usdc"}
    balance = await play.org.get(f"/v2/users/{bob}/wallets/balance", **query)
    assert balance["displayBalance"] == "5"
    await check_settled(play)


async def test_a_second_report_with_another_amount_is_refused(play: Play) -> None:
    made = await _late(play)
    await arrive(play, made, COINS)
    with pytest.raises(RequestIdTaken):
        await arrive(play, made, Money(1, USDC))
    assert len(await disbursed(play, made)) == 1
    await arrive(play, made, Money(1_000_000, USDC), "0x2")
    await play.run()
    assert [each["amount"] for each in await disbursed(play, made)] == [100, 1]
    await check_settled(play)


async def test_coins_that_came_before_the_accept_do_not_pay_for_it(play: Play) -> None:
    made = await play.from_outside()
    await arrive(play, made, COINS)
    await accept(play.org, made)
    # Reported once more, as its answer was lost: they are on their way back, not here.
    await arrive(play, made, COINS)
    assert await play.status(made) == "AWAITING_FUNDS"
    await play.run()
    assert len(play.chains.asked) == 1
    await arrive(play, made, COINS, "0x2")
    await play.run()
    assert await play.status(made) == "COMPLETED"
    await check_settled(play)


async def test_coins_that_are_reported_while_it_is_accepted_count_once(play: Play) -> None:
    first = await play.from_outside(10)
    ends = {"userId": None, "externalWalletId": first["source"]["externalWalletId"]}
    made = [await make_offramp(play.org, None, play.account, 10, source=ends) for _ in range(12)]
    coins = Money(10_000_000, USDC)
    work = [
        verb
        for each in made
        for verb in (
            arrive(play, each, coins),
            play.org.send("POST", f"{OFFRAMPS}/{each['id']}/quote/accept"),
            arrive(play, each, coins),
        )
    ]
    failures = [each for each in await asyncio.gather(*work, return_exceptions=True) if each]
    assert not [each for each in failures if isinstance(each, Refused)]
    await play.run()
    for each in made:
        returned = len(await disbursed(play, each))
        assert returned + (await play.status(each) == "COMPLETED") == 1
    await check_settled(play)


async def test_a_commit_whose_answer_is_lost_opens_one_record(play: Play, dsn: str) -> None:
    made = await _late(play)
    database = await Forgetful.connect(dsn, name="tests", size_max=2)
    house = wire(SETTINGS, database, play.clock, chains=play.chains, rails=play.rails)
    for _ in range(2):
        await house.offramps.coins_arrived(play.org.caller, UUID(made["id"]), COINS, "0x1")
    for _ in range(6):
        play.clock.at += timedelta(milliseconds=10)
        await house.due.run_all({play.org.org_id: timedelta()})
    await database.close()
    (surplus,) = await disbursed(play, made)
    assert surplus["status"] == "COMPLETED"
    assert len({order.key for order in play.chains.asked}) == 1
    await check_settled(play)


async def test_they_are_listed_and_found(play: Play) -> None:
    made = await _late(play)
    await arrive(play, made, COINS)
    await arrive(play, made, COINS, "0x2")
    await play.run()
    page = await play.org.get(DISBURSEMENTS, limit=1)
    assert page["count"] == 1
    rest = await play.org.get(DISBURSEMENTS, cursor=page["nextCursor"])
    found = [*page["records"], *rest["records"]]
    ids = {each["transferDetails"]["id"] for each in found}
    assert ids == {each["id"] for each in await disbursed(play, made)}
    one = found[0]["transferDetails"]
    shown = await play.org.get(f"{DISBURSEMENTS}/{one['id']}", expand="timeline")
    stations = [each["status"] for each in shown["timeline"]["stations"]]
    assert stations == ["CREATED", "INITIATED", "COMPLETED"]
    assert shown["timeline"]["waitsFor"] is None
    everything = await play.org.get("/v2/transactions", type="DISBURSEMENT")
    assert everything["count"] == 2
    found = await play.org.get("/v2/search", q=one["receipt"]["transactionHash"])
    assert [each["id"] for each in found["results"]] == [one["id"]]
    path = f"{DISBURSEMENTS}/{uuid4()}"
    assert await play.org.refused("GET", path) == "404 TRANSACTION_NOT_FOUND"
