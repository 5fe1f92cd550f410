"""Fees of offramps whose coins come from outside: paid beside the payout, which never waits."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from landbridge.core.errors import Unavailable, Unclear
from landbridge.ledger.model import Role
from landbridge.wiring import wire
from tests.db.test_lost_commits import Forgetful
from tests.flows.disbursements.disbursing import (
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
from tests.flows.offramps.playing import Play
from tests.payouts import OUTSIDE, check_books, shown
from tests.tenants import SETTINGS, good, held, make_user


async def _stuck(play: Play) -> list[tuple[str, str]]:
    return [(each["id"], each["type"]) for each in (await play.org.get("/v2/stuck"))["stuck"]]


async def test_a_beneficiary_who_is_always_refused_holds_up_no_payout(play: Play) -> None:
    made = await make_paid_for(play)
    chain = refuse(play, BENEFICIARY)
    await play.run()
    done = await shown(play.org, made)
    assert done["status"] == "COMPLETED"
    assert len(play.rails.asked) == 1
    assert await play.house(Role.LIQUIDITY) == {"usdc:POLYGON": 100_000_000, "usd:BANK": -10_000}
    assert await play.house(Role.PAYABLE) == {"usdc:POLYGON": 2_000_000}
    assert await play.house(Role.IN_TRANSIT) == {}
    (fee,) = await disbursed(play, made)
    assert (fee["status"], fee["refusalCount"]) == ("INITIATED", 1)
    assert fee["lastRefusal"] == "the beneficiary refuses coins"
    await check_books(play.org)
    for _ in range(4):
        await play.pass_time(minutes=30)
    (fee,) = await disbursed(play, made)
    assert fee["status"] == "INITIATED"
    assert fee["refusalCount"] > 3
    assert await _stuck(play) == [(fee["id"], "DISBURSEMENT")]
    # Another day the chain takes it.
    chain.is_refusing = False
    await play.pass_time(days=1)
    (fee,) = await disbursed(play, made)
    assert fee["status"] == "COMPLETED"
    assert fee["receipt"]["transactionHash"] is not None
    assert await _stuck(play) == []
    assert await play.house(Role.OUTSIDE) == {"usdc:POLYGON": -1_100_000_000, "usd:BANK": 10_000}
    await check_settled(play)


async def test_each_beneficiary_has_an_order_of_their_own(play: Play) -> None:
    bob = await make_user(play.org)
    to_bob = await address_of(play, bob)
    wanted = fees(("2", BENEFICIARY), ("1", to_bob), ("0.5", to_bob))
    made = await make_paid_for(play, developerFee=wanted)
    assert made["depositInformation"][0]["amount"] == 103.5
    play.chains.only, play.chains.fail_next = is_to(to_bob), "no gas"
    await play.run()
    done = await shown(play.org, made)
    assert done["status"] == "COMPLETED"
    # Their hashes are with the disbursements.
    assert done["developerFee"]["transactionHash"] is None
    lines = await disbursed(play, made)
    assert sorted(each["status"] for each in lines) == ["COMPLETED", "COMPLETED", "INITIATED"]
    await play.pass_time(minutes=1)
    lines = await disbursed(play, made)
    assert {each["status"] for each in lines} == {"COMPLETED"}
    assert [each["amount"] for each in lines] == [2, 1, 0.5]
    assert [each["destination"]["userId"] for each in lines] == [None, bob, bob]
    assert len({each["receipt"]["transactionHash"] for each in lines}) == 3
    for order in play.chains.asked:
        assert (order.source, order.wallet_id) == (await play.treasury(), None)
    # Each is a deposit, once.
    assert await held(play.org, bob) == "1.5"
    query = {"chain": "POLYGON", "currency": "usdc"}
    deposits = (await play.org.get(f"/v2/users/{bob}/wallets/deposits", **query))["records"]
    assert sorted(each["transaction"]["amount"] for each in deposits) == ["0.5", "1"]
    hashes = {each["transaction"]["transactionHash"] for each in deposits}
    assert hashes == {each["receipt"]["transactionHash"] for each in lines[1:]}
    await check_settled(play)


async def test_fees_stay_paid_when_the_payout_fails(play: Play) -> None:
    made = await make_paid_for(play)
    play.rails.fail_next = "the account is closed"
    await play.run()
    assert await play.status(made) == "CRYPTO_RETURNED"
    (fee,) = await disbursed(play, made)
    assert fee["status"] == "COMPLETED"
    legs = {(leg.address, str(leg.money)) for order in play.chains.asked for leg in order.legs}
    assert legs == {(OUTSIDE, "100"), (BENEFICIARY, "2")}
    await check_settled(play)


@pytest.mark.parametrize(
    "fault",
    [Unavailable("not now"), RuntimeError("killed before"), None],
    ids=["no answer", "dies before", "dies after"],
)
async def test_between_claim_call_and_record_a_fee_is_paid_once(
    play: Play, fault: Exception | None
) -> None:
    made = await make_paid_for(play)
    play.chains.only = is_to(BENEFICIARY)
    if fault is None:
        play.chains.raise_after_next = Unclear("killed after")
    else:
        play.chains.raise_before_next = fault
    await play.run()
    assert await play.status(made) == "COMPLETED"
    assert (await disbursed(play, made))[0]["status"] == "INITIATED"
    await check_books(play.org)
    await play.run()
    assert (await disbursed(play, made))[0]["status"] == "COMPLETED"
    assert len({order.key for order in play.chains.asked}) == 1
    assert await play.house(Role.OUTSIDE) == {"usdc:POLYGON": -1_100_000_000, "usd:BANK": 10_000}
    await check_settled(play)


async def test_commits_whose_answers_are_lost_open_and_pay_each_fee_once(
    play: Play, dsn: str
) -> None:
    wanted = fees(("2", BENEFICIARY), ("1", BENEFICIARY))
    made = await make_paid_for(play, developerFee=wanted)
    database = await Forgetful.connect(dsn, name="tests", size_max=2)
    house = wire(SETTINGS, database, play.clock, chains=play.chains, rails=play.rails)
    for _ in range(8):
        play.clock.at += timedelta(milliseconds=10)
        await house.due.run_all({play.org.org_id: timedelta()})
    await database.close()
    assert await play.status(made) == "COMPLETED"
    lines = await disbursed(play, made)
    assert [(each["amount"], each["status"]) for each in lines] == [
        (2, "COMPLETED"),
        (1, "COMPLETED"),
    ]
    assert len({order.key for order in play.chains.asked}) == 2
    await check_settled(play)


async def test_the_fee_of_a_frozen_beneficiary_waits_until_they_are_unfrozen(play: Play) -> None:
    bob = await make_user(play.org)
    made = await make_paid_for(play, developerFee=fees(("2", await address_of(play, bob))))
    await play.org.post(f"/v2/users/{bob}/freeze", {"reason": "a"})
    await play.run()
    assert await play.status(made) == "COMPLETED"
    (fee,) = await disbursed(play, made)
    assert (fee["status"], fee["blockedReason"]) == ("CREATED", f"user {bob} is frozen")
    assert play.chains.asked == []
    for _ in range(4):
        await play.pass_time(minutes=20)
    assert await _stuck(play) == [(fee["id"], "DISBURSEMENT")]
    await play.org.post(f"/v2/users/{bob}/unfreeze", {})
    await play.pass_time(minutes=20)
    (fee,) = await disbursed(play, made)
    assert (fee["status"], fee["blockedReason"]) == ("COMPLETED", None)
    assert await held(play.org, bob) == "2"
    await check_settled(play)


async def test_a_beneficiary_who_is_frozen_between_two_tries_waits_likewise(play: Play) -> None:
    bob = await make_user(play.org)
    made = await make_paid_for(play, developerFee=fees(("2", await address_of(play, bob))))
    play.chains.fail_next = "no gas"
    await play.run()
    await play.org.post(f"/v2/users/{bob}/freeze", {"reason": "a"})
    await play.pass_time(minutes=5)
    await play.pass_time(hours=5)
    assert len(play.chains.asked) == 1
    assert (await disbursed(play, made))[0]["status"] == "INITIATED"
    await play.org.post(f"/v2/users/{bob}/unfreeze", {})
    await play.pass_time(minutes=20)
    assert (await disbursed(play, made))[0]["status"] == "COMPLETED"
    await check_settled(play)


async def test_an_order_that_may_be_out_already_is_looked_up_while_they_are_frozen(
    play: Play,
) -> None:
    bob = await make_user(play.org)
    made = await make_paid_for(play, developerFee=fees(("2", await address_of(play, bob))))
    play.chains.raise_after_next = Unclear("the line broke")
    await play.run()
    await play.org.post(f"/v2/users/{bob}/freeze", {"reason": "a"})
    await play.pass_time(minutes=5)
    # It was given before the freeze: what the chain says of it counts, and it isn't given again.
    assert (await disbursed(play, made))[0]["status"] == "COMPLETED"
    assert len(play.chains.asked) == 1
    await check_settled(play)


async def test_who_is_owed_a_fee_is_not_erased_before_it_is_paid(play: Play) -> None:
    bob = await make_user(play.org)
    address = await address_of(play, bob)
    made = await make_paid_for(play, developerFee=fees(("2", address)))
    chain = refuse(play, address)
    await play.run()
    assert await play.status(made) == "COMPLETED"
    await play.org.post(f"/v2/users/{bob}/freeze", {"reason": "a"})
    erase = ("DELETE", f"/v2/users/{bob}/personal-data")
    assert await play.org.refused(*erase) == "409 RESOURCE_CONFLICT"
    # The customer's own data waits for nobody.
    await play.org.post(f"/v2/users/{play.ada}/freeze", {"reason": "a"})
    own = await play.org.send("DELETE", f"/v2/users/{play.ada}/personal-data")
    assert "DISBURSEMENT" not in own.text
    await play.org.post(f"/v2/users/{bob}/unfreeze", {})
    chain.is_refusing = False
    await play.pass_time(days=1)
    assert await held(play.org, bob) == "2"
    await check_settled(play)


async def test_an_organisation_that_is_frozen_pays_its_fees_later(play: Play) -> None:
    made = await make_paid_for(play)
    play.chains.only, play.chains.fail_next = is_to(BENEFICIARY), "no gas"
    await play.run()
    await play.org.house.orgs.freeze(play.org.org_id)
    await play.pass_time(minutes=5)
    assert len(play.chains.asked) == 1
    await play.org.house.orgs.unfreeze(play.org.org_id)
    await play.pass_time(minutes=20)
    assert (await disbursed(play, made))[0]["status"] == "COMPLETED"
    await check_settled(play)


async def test_without_fees_nothing_is_opened(play: Play) -> None:
    made = await make_paid_for(play, developerFee=None)
    await play.run()
    assert await play.status(made) == "COMPLETED"
    assert (await play.org.get(DISBURSEMENTS))["count"] == 0
    await check_settled(play)


async def test_a_wallet_of_ours_pays_its_fees_with_the_debit(play: Play) -> None:
    made = await play.accepted(100, developerFee=fees(("2", BENEFICIARY)))
    play.chains.fail_next = "the beneficiary refuses coins"
    await play.run()
    # One order: a refusal fails the payment and gives back what was held.
    assert await play.status(made) == "CRYPTO_FAILED"
    assert (await play.org.get(DISBURSEMENTS))["count"] == 0
    assert await held(play.org, play.ada) == "1000"
    await check_settled(play)


async def test_a_user_who_is_owed_nothing_is_not_in_the_way_of_erasing(play: Play) -> None:
    bob = await make_user(play.org)
    await make_paid_for(play, developerFee=fees(("2", await address_of(play, bob))))
    await play.run()
    assert await held(play.org, bob) == "2"
    await play.org.post("/v2/wallets/transfers", _emptying(bob, play.ada))
    await play.run()
    await play.org.post(f"/v2/users/{bob}/freeze", {"reason": "a"})
    good(await play.org.send("DELETE", f"/v2/users/{bob}/personal-data"))
    await check_settled(play)


def _emptying(payer: str, payee: str) -> dict[str, Any]:
    return {
        "requestId": str(UUID(int=7)),
        "source": {"userId": payer},
        "destination": {"userId": payee},
        "amount": 2,
        "currency": "usdc",
        "chain": "POLYGON",
    }
