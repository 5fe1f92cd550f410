"""Chains and banks that refuse, fall silent, or die between the call and the record."""

from datetime import timedelta
from itertools import product
from typing import Any
from uuid import UUID

import pytest

from landbridge.customers.kyc.model import Rail
from landbridge.customers.verification.model import case_id
from landbridge.ledger.model import HouseRole
from landbridge.platform.core.errors import Rejected, Unavailable, Unclear
from landbridge.platform.core.retry_policy import key_of_attempt
from tests.matrices import each_value_once
from tests.order_keys import key_of
from tests.payments.offramps.offramp_scenario import OfframpScenario
from tests.payouts import OFFRAMPS, accept, check_books, make_account, make_payee, shown, way
from tests.tenants import held, make_user, refusal, sentence


async def _settled(
    scenario: OfframpScenario, offramp: dict[str, Any], *, left: str
) -> dict[str, Any]:
    """Return the final details; check the wallet's balance, and that nothing is in transit."""
    done = await shown(scenario.org, offramp)
    assert await held(scenario.org, scenario.ada) == left
    assert await scenario.container(HouseRole.IN_TRANSIT) == {}
    assert (await scenario.of(offramp)).details.held_units == 0
    await check_books(scenario.org)
    return done


async def test_debit_refused_by_the_chain_fails_the_offramp(scenario: OfframpScenario) -> None:
    created = await scenario.accepted()
    scenario.chains.fail_next = "reverted"
    await scenario.run()
    done = await _settled(scenario, created, left="1000")
    assert (done["status"], done["failedReason"]) == ("CRYPTO_FAILED", "reverted")
    assert done["receipt"]["transactionHash"] is None
    assert scenario.rails.orders == []


async def test_debit_rejected_immediately_fails_the_offramp(scenario: OfframpScenario) -> None:
    created = await scenario.accepted()
    scenario.chains.raise_before_next = Rejected("no such wallet")
    await scenario.run()
    done = await _settled(scenario, created, left="1000")
    assert (done["status"], done["failedReason"]) == ("CRYPTO_FAILED", "no such wallet")


async def test_a_slow_chain(scenario: OfframpScenario) -> None:
    created = await scenario.accepted()
    scenario.chains.late_by = timedelta(minutes=3)
    await scenario.run()
    waiting = await shown(scenario.org, created)
    assert waiting["status"] == "CRYPTO_PENDING"
    assert waiting["receipt"]["transactionHash"] is None
    scenario.chains.late_by = None
    await scenario.pass_time(minutes=2)
    assert await scenario.status(created) == "CRYPTO_PENDING"
    await scenario.pass_time(minutes=2)
    assert (await _settled(scenario, created, left="900"))["status"] == "COMPLETED"
    assert {order.key for order in scenario.chains.orders} == {
        await key_of(scenario.org, created["id"], "debit")
    }


async def test_order_under_way_is_due_when_its_result_is_expected(
    scenario: OfframpScenario,
) -> None:
    created = await scenario.accepted()
    scenario.chains.late_by = timedelta(minutes=3)
    await scenario.run()
    arrives_at = scenario.chains.orders[0].at + timedelta(minutes=3)
    assert (await scenario.of(created)).record.due_at == arrives_at
    assert (
        await scenario.review(created, "open") == await scenario.review(created, "close") == "200"
    )
    await scenario.run()
    assert (await scenario.of(created)).record.due_at == arrives_at
    scenario.rails.fail_next = "closed"
    await scenario.pass_time(minutes=3)
    assert await scenario.status(created) == "FIAT_FAILED"
    comes_back_at = scenario.chains.orders[-1].at + timedelta(minutes=3)
    assert (await scenario.of(created)).record.due_at == comes_back_at
    await scenario.pass_time(minutes=3)
    assert (await _settled(scenario, created, left="1000"))["status"] == "CRYPTO_RETURNED"


async def test_a_slow_bank(scenario: OfframpScenario) -> None:
    created = await scenario.accepted()
    scenario.rails.late_by = timedelta(days=1)
    await scenario.run()
    waiting = await shown(scenario.org, created)
    assert waiting["status"] == "FIAT_PENDING"
    assert waiting["receipt"]["paymentTracking"]["imad"]
    assert await scenario.container(HouseRole.IN_TRANSIT) == {"usd:BANK": 10_000}
    scenario.rails.late_by = None
    await scenario.pass_time(hours=23)
    assert await scenario.status(created) == "FIAT_PENDING"
    await scenario.pass_time(hours=1)
    assert (await _settled(scenario, created, left="900"))["status"] == "COMPLETED"
    assert scenario.rails.count("pay") == 1


async def test_payout_refused_by_the_bank_is_refunded(scenario: OfframpScenario) -> None:
    created = await scenario.accepted()
    scenario.rails.fail_next = "the account is closed"
    await scenario.run()
    done = await _settled(scenario, created, left="1000")
    assert (done["status"], done["failedReason"]) == ("CRYPTO_RETURNED", "the account is closed")
    assert [status for _, status in await scenario.changes(created)][-3:] == [
        *("FIAT_INITIATED", "FIAT_FAILED", "CRYPTO_RETURNED")
    ]
    debit, back = scenario.chains.orders
    assert (back.source, back.wallet_id) == (await scenario.treasury(), None)
    assert [(leg.address, leg.money) for leg in back.legs] == [(debit.source, debit.legs[0].money)]
    assert await scenario.container(HouseRole.LIQUIDITY) == {}
    assert (
        done["receipt"]["transactionHash"]
        != (await scenario.of(created)).details.return_transaction_hash
    )


async def test_payout_returned_after_days_is_refunded(scenario: OfframpScenario) -> None:
    created = await scenario.accepted()
    scenario.rails.late_by, scenario.rails.fail_next = timedelta(days=3), "no such account"
    await scenario.run()
    assert await scenario.status(created) == "FIAT_PENDING"
    await scenario.pass_time(days=3, minutes=1)
    done = await _settled(scenario, created, left="1000")
    assert (done["status"], done["failedReason"]) == ("CRYPTO_RETURNED", "no such account")


@pytest.mark.parametrize(
    ("part", "error", "when"),
    each_value_once(
        product(["chains", "rails"], [Unavailable("x"), Unclear("x")], ["before", "after"])
    ),
)
async def test_worker_death_at_each_call_repeats_nothing(
    scenario: OfframpScenario, part: str, error: Exception, when: str
) -> None:
    created = await scenario.accepted()
    faulty = scenario.chains if part == "chains" else scenario.rails
    if when == "before":
        faulty.raise_before_next = error
    else:
        faulty.raise_after_next = error
    await scenario.run()
    assert await scenario.status(created) == (
        "CRYPTO_PENDING" if part == "chains" else "FIAT_INITIATED"
    )
    await scenario.run()
    assert (await _settled(scenario, created, left="900"))["status"] == "COMPLETED"
    assert {each.key for each in scenario.chains.orders} == {
        await key_of(scenario.org, created["id"], "debit")
    }
    assert {each.key for each in scenario.rails.orders} == {
        await key_of(scenario.org, created["id"], "payout")
    }


async def test_refund_survives_worker_death_and_refusal(scenario: OfframpScenario) -> None:
    created = await scenario.accepted()
    scenario.rails.fail_next = "closed"
    refund = await key_of(scenario.org, created["id"], "refund")
    scenario.chains.only = lambda order: order.key == refund
    scenario.chains.raise_after_next = Unclear("x")
    await scenario.run()
    assert await scenario.status(created) == "FIAT_FAILED"
    await scenario.run()
    assert (await _settled(scenario, created, left="1000"))["status"] == "CRYPTO_RETURNED"
    assert len({order.key for order in scenario.chains.orders}) == 2


async def test_refused_refund_is_sent_again(scenario: OfframpScenario) -> None:
    created = await scenario.accepted()
    scenario.rails.fail_next = "closed"
    refund = await key_of(scenario.org, created["id"], "refund")
    scenario.chains.failing[refund] = "no gas"
    await scenario.run()
    assert await scenario.status(created) == "FIAT_FAILED"
    await scenario.pass_time(minutes=1)
    assert (await _settled(scenario, created, left="1000"))["status"] == "CRYPTO_RETURNED"
    assert len(scenario.chains.orders) == 3


async def test_repeatedly_refused_refund_backs_off(
    scenario: OfframpScenario,
) -> None:
    created = await scenario.accepted()
    scenario.rails.fail_next = "closed"
    attempts = 8
    refund = await key_of(scenario.org, created["id"], "refund")
    keys = [key_of_attempt(refund, each) for each in range(attempts)]
    scenario.chains.failing.update(dict.fromkeys(keys, "no gas"))
    await scenario.run()
    for each in range(1, attempts):
        before = scenario.chains.count("send")
        await scenario.run()
        assert scenario.chains.count("send") == before
        await scenario.pass_time(minutes=2 ** (each - 1))
        assert scenario.chains.count("send") == before + 1
        assert await scenario.status(created) == "FIAT_FAILED"
    await scenario.pass_time(days=1)
    assert (await _settled(scenario, created, left="1000"))["status"] == "CRYPTO_RETURNED"
    assert [order.key for order in scenario.chains.orders][1:-1] == keys


async def test_silence_is_waited_out(scenario: OfframpScenario) -> None:
    created = await scenario.accepted()
    scenario.chains.is_silent = True
    await scenario.run()
    assert await scenario.status(created) == "CRYPTO_PENDING"
    await scenario.pass_time(days=3)
    assert await scenario.status(created) == "CRYPTO_PENDING"
    scenario.chains.is_silent, scenario.rails.is_silent = False, True
    await scenario.run()
    assert await scenario.status(created) == "FIAT_INITIATED"
    await scenario.pass_time(days=3)
    assert await scenario.status(created) == "FIAT_INITIATED"
    scenario.rails.is_silent = False
    await scenario.run()
    assert (await _settled(scenario, created, left="900"))["status"] == "COMPLETED"


async def test_forgetful_bank_is_queried_until_it_answers(scenario: OfframpScenario) -> None:
    created = await scenario.accepted()
    scenario.rails.late_by = timedelta(hours=1)
    await scenario.run()
    scenario.rails.forgets = True
    await scenario.pass_time(hours=30)
    assert await scenario.status(created) == "FIAT_PENDING"
    scenario.rails.forgets = False
    await scenario.run()
    assert (await _settled(scenario, created, left="900"))["status"] == "COMPLETED"


async def test_frozen_before_the_debit(scenario: OfframpScenario) -> None:
    created = await scenario.accepted()
    await scenario.org.post(f"/v2/users/{scenario.ada}/freeze", {"reason": "a"})
    await scenario.run()
    done = await _settled(scenario, created, left="1000")
    assert done["status"] == "NOT_INITIATED"
    assert "frozen" in done["failedReason"]
    assert scenario.chains.orders == []
    path = f"{OFFRAMPS}/{created['id']}/quote/accept"
    assert await scenario.org.refused("POST", path) == "400 INVALID_QUOTE"


async def test_fee_beneficiary_frozen_before_the_debit(scenario: OfframpScenario) -> None:
    bob = await make_user(scenario.org)
    wallets = (await scenario.org.get(f"/v2/users/{bob}"))["wallets"]["INDIVIDUAL"]
    line = {"type": "FLAT", "value": "2", "walletAddress": wallets["POLYGON"]["address"]}
    fees = {"developerFee": {"fees": [line]}}
    created, open_still = await scenario.accepted(**fees), await scenario.quoted(**fees)
    await scenario.org.post(f"/v2/users/{bob}/freeze", {"reason": "a"})
    await scenario.run()
    done = await _settled(scenario, created, left="1000")
    assert (done["status"], done["failedReason"]) == ("NOT_INITIATED", f"user {bob} is frozen")
    assert await held(scenario.org, bob) == "0"
    path = f"{OFFRAMPS}/{open_still['id']}/quote/accept"
    assert await scenario.org.refused("POST", path) == "403 USER_FROZEN"


async def test_fee_beneficiary_frozen_after_the_debit(scenario: OfframpScenario) -> None:
    bob = await make_user(scenario.org)
    wallets = (await scenario.org.get(f"/v2/users/{bob}"))["wallets"]["INDIVIDUAL"]
    line = {"type": "FLAT", "value": "2", "walletAddress": wallets["POLYGON"]["address"]}
    created = await _debited(scenario, developerFee={"fees": [line]})
    await scenario.org.post(f"/v2/users/{bob}/freeze", {"reason": "a"})
    await scenario.pass_time(minutes=2)
    assert (await _settled(scenario, created, left="898"))["status"] == "COMPLETED"
    assert await held(scenario.org, bob) == "2"


async def test_organisation_frozen_before_the_debit(scenario: OfframpScenario) -> None:
    created = await scenario.accepted()
    await scenario.org.container.orgs.freeze(scenario.org.org_id)
    await scenario.run()
    assert (await _settled(scenario, created, left="1000"))["status"] == "NOT_INITIATED"


async def _debited(scenario: OfframpScenario, **changes: Any) -> dict[str, Any]:
    """Return an offramp whose debit is pending while the clock is stopped."""
    created = await scenario.accepted(**changes)
    scenario.chains.late_by = timedelta(minutes=1)
    await scenario.run()
    assert await scenario.status(created) == "CRYPTO_PENDING"
    scenario.chains.late_by = None
    return created


async def test_frozen_between_debit_and_payout(scenario: OfframpScenario) -> None:
    created = await _debited(scenario)
    await scenario.org.post(f"/v2/users/{scenario.ada}/freeze", {"reason": "a"})
    await scenario.pass_time(minutes=2)
    done = await _settled(scenario, created, left="1000")
    assert done["status"] == "CRYPTO_RETURNED"
    assert "frozen" in done["failedReason"]
    assert scenario.rails.orders == []


async def test_account_deleted_between_debit_and_payout(scenario: OfframpScenario) -> None:
    created = await _debited(scenario)
    await scenario.org.send("DELETE", f"/v2/users/{scenario.ada}/accounts/{scenario.account}")
    await scenario.pass_time(minutes=2)
    done = await _settled(scenario, created, left="1000")
    assert done["status"] == "CRYPTO_RETURNED"
    assert "INACTIVE" in done["failedReason"]


async def test_verification_revoked_between_debit_and_payout(scenario: OfframpScenario) -> None:
    created = await _debited(scenario)
    case = case_id(UUID(scenario.ada), Rail.USD)
    await scenario.org.post(f"/v2/reviews/kyc/{case}", {"decision": "revoke"})
    await scenario.pass_time(minutes=2)
    assert (await _settled(scenario, created, left="1000"))["status"] == "CRYPTO_RETURNED"


async def test_account_deleted_after_the_order_may_have_been_sent(
    scenario: OfframpScenario,
) -> None:
    created = await scenario.accepted()
    scenario.rails.raise_before_next = Unavailable("x")
    await scenario.run()
    assert await scenario.status(created) == "FIAT_INITIATED"
    await scenario.org.send("DELETE", f"/v2/users/{scenario.ada}/accounts/{scenario.account}")
    await scenario.run()
    assert (await _settled(scenario, created, left="900"))["status"] == "COMPLETED"


async def test_payee_erased_after_the_bank_answered(scenario: OfframpScenario) -> None:
    bob = await make_payee(scenario.org, funds=None, firstName="Bob")
    account = await make_account(scenario.org, bob, way("us", "ach"))
    created = await scenario.quoted(destination={"userId": bob, "accountId": account})
    await accept(scenario.org, created)
    scenario.rails.raise_after_next = Unclear("x")
    await scenario.run()
    assert await scenario.status(created) == "FIAT_INITIATED"
    await scenario.org.post(f"/v2/users/{bob}/freeze", {"reason": "a"})
    erasure = f"/v2/users/{bob}/personal-data"
    assert await scenario.org.refused("DELETE", erasure) == "409 RESOURCE_CONFLICT"
    await scenario.run()
    assert (await scenario.org.send("DELETE", erasure)).status_code == 200
    done = await _settled(scenario, created, left="900")
    assert done["status"] == "COMPLETED"
    assert done["destination"]["user"]["firstName"] is None


async def test_failed_offramp_is_not_accepted_again(scenario: OfframpScenario) -> None:
    created = await scenario.accepted()
    scenario.rails.fail_next = "closed"
    await scenario.run()
    assert await scenario.status(created) == "CRYPTO_RETURNED"
    answer = await scenario.org.send("POST", f"{OFFRAMPS}/{created['id']}/quote/accept")
    assert refusal(answer) == "400 INVALID_QUOTE"
    assert sentence(answer) == "this offramp was accepted and has failed; create a new one"
