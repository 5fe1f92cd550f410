"""Chains and banks that refuse, fall silent, or die between the call and the record."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from landbridge.core.errors import Rejected, Unavailable, Unclear
from landbridge.core.ids import derived_id
from landbridge.core.tries import key_of_try
from landbridge.kyc.model import Rail
from landbridge.ledger.model import Role
from landbridge.verification.model import case_id
from tests.payouts import OFFRAMPS, accept, check_books, make_account, make_payee, shown, way
from tests.tenants import held, make_user, refusal, sentence

from .playing import Play


def _key(offramp: dict[str, Any], name: str) -> UUID:
    return derived_id(UUID(offramp["id"]), name)


async def _settled(play: Play, offramp: dict[str, Any], *, left: str) -> dict[str, Any]:
    """The details at the end: the wallet has this left, and nothing is between two places."""
    done = await shown(play.org, offramp)
    assert await held(play.org, play.ada) == left
    assert await play.house(Role.IN_TRANSIT) == {}
    assert (await play.of(offramp)).details.held_units == 0
    await check_books(play.org)
    return done


async def test_a_debit_that_the_chain_refuses(play: Play) -> None:
    made = await play.accepted()
    play.chains.fail_next = "reverted"
    await play.run()
    done = await _settled(play, made, left="1000")
    assert (done["status"], done["failedReason"]) == ("CRYPTO_FAILED", "reverted")
    assert done["receipt"]["transactionHash"] is None
    assert play.rails.asked == []


async def test_a_debit_that_is_rejected_out_of_hand(play: Play) -> None:
    made = await play.accepted()
    play.chains.raise_before_next = Rejected("no such wallet")
    await play.run()
    done = await _settled(play, made, left="1000")
    assert (done["status"], done["failedReason"]) == ("CRYPTO_FAILED", "no such wallet")


async def test_a_slow_chain(play: Play) -> None:
    made = await play.accepted()
    play.chains.late_by = timedelta(minutes=3)
    await play.run()
    waiting = await shown(play.org, made)
    assert waiting["status"] == "CRYPTO_PENDING"
    assert waiting["receipt"]["transactionHash"] is None
    play.chains.late_by = None
    await play.pass_time(minutes=2)
    assert await play.status(made) == "CRYPTO_PENDING"
    await play.pass_time(minutes=2)
    assert (await _settled(play, made, left="900"))["status"] == "COMPLETED"
    assert {order.key for order in play.chains.asked} == {_key(made, "debit")}


async def test_what_is_on_its_way_is_due_when_it_is_expected(play: Play) -> None:
    made = await play.accepted()
    play.chains.late_by = timedelta(minutes=3)
    await play.run()
    arrives_at = play.chains.asked[0].at + timedelta(minutes=3)
    assert (await play.of(made)).record.due_at == arrives_at
    assert await play.review(made, "open") == await play.review(made, "close") == "200"
    await play.run()
    assert (await play.of(made)).record.due_at == arrives_at
    play.rails.fail_next = "closed"
    await play.pass_time(minutes=3)
    assert await play.status(made) == "FIAT_FAILED"
    comes_back_at = play.chains.asked[-1].at + timedelta(minutes=3)
    assert (await play.of(made)).record.due_at == comes_back_at
    await play.pass_time(minutes=3)
    assert (await _settled(play, made, left="1000"))["status"] == "CRYPTO_RETURNED"


async def test_a_slow_bank(play: Play) -> None:
    made = await play.accepted()
    play.rails.late_by = timedelta(days=1)
    await play.run()
    waiting = await shown(play.org, made)
    assert waiting["status"] == "FIAT_PENDING"
    assert waiting["receipt"]["paymentTracking"]["imad"]
    assert await play.house(Role.IN_TRANSIT) == {"usd:BANK": 10_000}
    play.rails.late_by = None
    await play.pass_time(hours=23)
    assert await play.status(made) == "FIAT_PENDING"
    await play.pass_time(hours=1)
    assert (await _settled(play, made, left="900"))["status"] == "COMPLETED"
    assert play.rails.count("pay") == 1


async def test_a_bank_that_refuses(play: Play) -> None:
    made = await play.accepted()
    play.rails.fail_next = "the account is closed"
    await play.run()
    done = await _settled(play, made, left="1000")
    assert (done["status"], done["failedReason"]) == ("CRYPTO_RETURNED", "the account is closed")
    assert [status for _, status in await play.told(made)][-3:] == [
        *("FIAT_INITIATED", "FIAT_FAILED", "CRYPTO_RETURNED")
    ]
    debit, back = play.chains.asked
    assert (back.source, back.wallet_id) == (await play.treasury(), None)
    assert [(leg.address, leg.money) for leg in back.legs] == [(debit.source, debit.legs[0].money)]
    assert await play.house(Role.LIQUIDITY) == {}
    assert (
        done["receipt"]["transactionHash"] != (await play.of(made)).details.return_transaction_hash
    )


async def test_a_payout_that_comes_back_after_days(play: Play) -> None:
    made = await play.accepted()
    play.rails.late_by, play.rails.fail_next = timedelta(days=3), "no such account"
    await play.run()
    assert await play.status(made) == "FIAT_PENDING"
    await play.pass_time(days=3, minutes=1)
    done = await _settled(play, made, left="1000")
    assert (done["status"], done["failedReason"]) == ("CRYPTO_RETURNED", "no such account")


@pytest.mark.parametrize("part", ["chains", "rails"])
@pytest.mark.parametrize("error", [Unavailable("x"), Unclear("x")])
@pytest.mark.parametrize("when", ["before", "after"])
async def test_each_call_may_die(play: Play, part: str, error: Exception, when: str) -> None:
    made = await play.accepted()
    faulty = play.chains if part == "chains" else play.rails
    if when == "before":
        faulty.raise_before_next = error
    else:
        faulty.raise_after_next = error
    await play.run()
    assert await play.status(made) == ("CRYPTO_PENDING" if part == "chains" else "FIAT_INITIATED")
    await play.run()
    assert (await _settled(play, made, left="900"))["status"] == "COMPLETED"
    assert {each.key for each in play.chains.asked} == {_key(made, "debit")}
    assert {each.key for each in play.rails.asked} == {_key(made, "payout")}


async def test_a_refund_may_die_and_be_refused(play: Play) -> None:
    made = await play.accepted()
    play.rails.fail_next = "closed"
    play.chains.only = lambda order: order.key == _key(made, "refund")
    play.chains.raise_after_next = Unclear("x")
    await play.run()
    assert await play.status(made) == "FIAT_FAILED"
    await play.run()
    assert (await _settled(play, made, left="1000"))["status"] == "CRYPTO_RETURNED"
    assert len({order.key for order in play.chains.asked}) == 2


async def test_a_refund_that_is_refused_is_sent_again(play: Play) -> None:
    made = await play.accepted()
    play.rails.fail_next = "closed"
    play.chains.failing[_key(made, "refund")] = "no gas"
    await play.run()
    assert await play.status(made) == "FIAT_FAILED"
    await play.pass_time(minutes=1)
    assert (await _settled(play, made, left="1000"))["status"] == "CRYPTO_RETURNED"
    assert len(play.chains.asked) == 3


async def test_a_refund_that_is_refused_on_and_on_is_tried_more_and_more_rarely(
    play: Play,
) -> None:
    made = await play.accepted()
    play.rails.fail_next = "closed"
    tries = 8
    keys = [key_of_try(_key(made, "refund"), each) for each in range(tries)]
    play.chains.failing.update(dict.fromkeys(keys, "no gas"))
    await play.run()
    for each in range(1, tries):
        before = play.chains.count("send")
        await play.run()
        assert play.chains.count("send") == before
        await play.pass_time(minutes=2 ** (each - 1))
        assert play.chains.count("send") == before + 1
        assert await play.status(made) == "FIAT_FAILED"
    await play.pass_time(days=1)
    assert (await _settled(play, made, left="1000"))["status"] == "CRYPTO_RETURNED"
    assert [order.key for order in play.chains.asked][1:-1] == keys


async def test_silence_is_waited_out(play: Play) -> None:
    made = await play.accepted()
    play.chains.is_silent = True
    await play.run()
    assert await play.status(made) == "CRYPTO_PENDING"
    await play.pass_time(days=3)
    assert await play.status(made) == "CRYPTO_PENDING"
    play.chains.is_silent, play.rails.is_silent = False, True
    await play.run()
    assert await play.status(made) == "FIAT_INITIATED"
    await play.pass_time(days=3)
    assert await play.status(made) == "FIAT_INITIATED"
    play.rails.is_silent = False
    await play.run()
    assert (await _settled(play, made, left="900"))["status"] == "COMPLETED"


async def test_a_bank_that_forgets_is_asked_on(play: Play) -> None:
    made = await play.accepted()
    play.rails.late_by = timedelta(hours=1)
    await play.run()
    play.rails.forgets = True
    await play.pass_time(hours=30)
    assert await play.status(made) == "FIAT_PENDING"
    play.rails.forgets = False
    await play.run()
    assert (await _settled(play, made, left="900"))["status"] == "COMPLETED"


async def test_frozen_before_the_debit(play: Play) -> None:
    made = await play.accepted()
    await play.org.post(f"/v2/users/{play.ada}/freeze", {"reason": "a"})
    await play.run()
    done = await _settled(play, made, left="1000")
    assert done["status"] == "NOT_INITIATED"
    assert "frozen" in done["failedReason"]
    assert play.chains.asked == []
    path = f"{OFFRAMPS}/{made['id']}/quote/accept"
    assert await play.org.refused("POST", path) == "400 INVALID_QUOTE"


async def test_whose_fee_it_is_frozen_before_the_debit(play: Play) -> None:
    bob = await make_user(play.org)
    wallets = (await play.org.get(f"/v2/users/{bob}"))["wallets"]["INDIVIDUAL"]
    line = {"type": "FLAT", "value": "2", "walletAddress": wallets["POLYGON"]["address"]}
    fees = {"developerFee": {"fees": [line]}}
    made, open_still = await play.accepted(**fees), await play.quoted(**fees)
    await play.org.post(f"/v2/users/{bob}/freeze", {"reason": "a"})
    await play.run()
    done = await _settled(play, made, left="1000")
    assert (done["status"], done["failedReason"]) == ("NOT_INITIATED", f"user {bob} is frozen")
    assert await held(play.org, bob) == "0"
    path = f"{OFFRAMPS}/{open_still['id']}/quote/accept"
    assert await play.org.refused("POST", path) == "403 USER_FROZEN"


async def test_whose_fee_it_is_frozen_after_the_debit(play: Play) -> None:
    bob = await make_user(play.org)
    wallets = (await play.org.get(f"/v2/users/{bob}"))["wallets"]["INDIVIDUAL"]
    line = {"type": "FLAT", "value": "2", "walletAddress": wallets["POLYGON"]["address"]}
    made = await _debited(play, developerFee={"fees": [line]})
    await play.org.post(f"/v2/users/{bob}/freeze", {"reason": "a"})
    await play.pass_time(minutes=2)
    assert (await _settled(play, made, left="898"))["status"] == "COMPLETED"
    assert await held(play.org, bob) == "2"


async def test_an_organisation_that_is_frozen_before_the_debit(play: Play) -> None:
    made = await play.accepted()
    await play.org.house.orgs.freeze(play.org.org_id)
    await play.run()
    assert (await _settled(play, made, left="1000"))["status"] == "NOT_INITIATED"


async def _debited(play: Play, **changes: Any) -> dict[str, Any]:
    """An offramp whose debit is on its way, for as long as the clock stands."""
    made = await play.accepted(**changes)
    play.chains.late_by = timedelta(minutes=1)
    await play.run()
    assert await play.status(made) == "CRYPTO_PENDING"
    play.chains.late_by = None
    return made


async def test_frozen_between_debit_and_payout(play: Play) -> None:
    made = await _debited(play)
    await play.org.post(f"/v2/users/{play.ada}/freeze", {"reason": "a"})
    await play.pass_time(minutes=2)
    done = await _settled(play, made, left="1000")
    assert done["status"] == "CRYPTO_RETURNED"
    assert "frozen" in done["failedReason"]
    assert play.rails.asked == []


async def test_an_account_that_is_deleted_between_debit_and_payout(play: Play) -> None:
    made = await _debited(play)
    await play.org.send("DELETE", f"/v2/users/{play.ada}/accounts/{play.account}")
    await play.pass_time(minutes=2)
    done = await _settled(play, made, left="1000")
    assert done["status"] == "CRYPTO_RETURNED"
    assert "INACTIVE" in done["failedReason"]


async def test_a_verification_that_is_revoked_between_debit_and_payout(play: Play) -> None:
    made = await _debited(play)
    case = case_id(UUID(play.ada), Rail.USD)
    await play.org.post(f"/v2/reviews/kyc/{case}", {"decision": "revoke"})
    await play.pass_time(minutes=2)
    assert (await _settled(play, made, left="1000"))["status"] == "CRYPTO_RETURNED"


async def test_an_account_that_is_deleted_after_the_bank_may_know(play: Play) -> None:
    made = await play.accepted()
    play.rails.raise_before_next = Unavailable("x")
    await play.run()
    assert await play.status(made) == "FIAT_INITIATED"
    await play.org.send("DELETE", f"/v2/users/{play.ada}/accounts/{play.account}")
    await play.run()
    assert (await _settled(play, made, left="900"))["status"] == "COMPLETED"


async def test_a_payee_is_erased_after_the_bank_has_answered(play: Play) -> None:
    bob = await make_payee(play.org, funds=None, firstName="Bob")
    account = await make_account(play.org, bob, way("us", "ach"))
    made = await play.quoted(destination={"userId": bob, "accountId": account})
    await accept(play.org, made)
    play.rails.raise_after_next = Unclear("x")
    await play.run()
    assert await play.status(made) == "FIAT_INITIATED"
    await play.org.post(f"/v2/users/{bob}/freeze", {"reason": "a"})
    erasure = f"/v2/users/{bob}/personal-data"
    assert await play.org.refused("DELETE", erasure) == "409 RESOURCE_CONFLICT"
    await play.run()
    assert (await play.org.send("DELETE", erasure)).status_code == 200
    done = await _settled(play, made, left="900")
    assert done["status"] == "COMPLETED"
    assert done["destination"]["user"]["firstName"] is None


async def test_what_has_failed_is_not_accepted_again(play: Play) -> None:
    made = await play.accepted()
    play.rails.fail_next = "closed"
    await play.run()
    assert await play.status(made) == "CRYPTO_RETURNED"
    answer = await play.org.send("POST", f"{OFFRAMPS}/{made['id']}/quote/accept")
    assert refusal(answer) == "400 INVALID_QUOTE"
    assert sentence(answer) == "this offramp was accepted and has failed; create a new one"
