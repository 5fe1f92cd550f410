"""Accepting quotes before and after expiry, and the hold of a quote."""

from uuid import UUID

from landbridge.customers.kyc.model import Rail
from landbridge.customers.verification.model import case_id
from tests.payments.offramps.offramp_scenario import OfframpScenario
from tests.payouts import OFFRAMPS, accept, check_books, make_account, shown
from tests.tenants import TRANSFERS, make_user, transfer_body


async def _refused(scenario: OfframpScenario, offramp: dict[str, str]) -> str:
    return await scenario.org.refused("POST", f"{OFFRAMPS}/{offramp['id']}/quote/accept")


async def test_repeated_accept_returns_the_first_result(scenario: OfframpScenario) -> None:
    created = await scenario.quoted()
    first = await accept(scenario.org, created)
    assert await accept(scenario.org, created) == first
    await scenario.run()
    assert (await accept(scenario.org, created))["status"] == "COMPLETED"
    assert len(scenario.rails.orders) == 1


async def test_a_late_accept_fails_the_quote(scenario: OfframpScenario) -> None:
    created = await scenario.quoted()
    scenario.clock.at = (await scenario.of(created)).record.due_at or scenario.clock.at
    assert await _refused(scenario, created) == "400 INVALID_QUOTE"
    ended = await shown(scenario.org, created)
    assert ended["status"] == "QUOTE_FAILED"
    assert ended["failedReason"] == "the quote expired before it was accepted"
    assert await _refused(scenario, created) == "400 INVALID_QUOTE"
    await check_books(scenario.org)


async def test_worker_expires_a_quote(scenario: OfframpScenario) -> None:
    created = await scenario.quoted()
    await scenario.pass_time(minutes=9, seconds=59)
    assert await scenario.status(created) == "OPEN_QUOTE"
    await scenario.pass_time(seconds=2)
    assert await scenario.status(created) == "QUOTE_FAILED"
    assert (await scenario.changes(created))[-1] == ("expire", "QUOTE_FAILED")


async def test_quote_holds_nothing_and_accept_checks_the_balance_again(
    scenario: OfframpScenario,
) -> None:
    first, second = await scenario.quoted(600), await scenario.quoted(600)
    await accept(scenario.org, first)
    assert await _refused(scenario, second) == "400 INSUFFICIENT_BALANCE"
    assert await scenario.status(second) == "OPEN_QUOTE"


async def test_held_money_is_not_spent_otherwise(scenario: OfframpScenario) -> None:
    await scenario.accepted(600)
    bob = await make_user(scenario.org)
    body = transfer_body(scenario.ada, bob, 500)
    assert await scenario.org.refused("POST", TRANSFERS, body) == "400 INSUFFICIENT_BALANCE"


async def test_offramp_that_lost_a_precondition_is_not_accepted(scenario: OfframpScenario) -> None:
    created = await scenario.quoted()
    await scenario.org.post(f"/v2/users/{scenario.ada}/freeze", {"reason": "a"})
    assert await _refused(scenario, created) == "403 USER_FROZEN"
    await scenario.org.post(f"/v2/users/{scenario.ada}/unfreeze")
    await scenario.org.send("DELETE", f"/v2/users/{scenario.ada}/accounts/{scenario.account}")
    assert await _refused(scenario, created) == "409 INACTIVE_ACCOUNT"
    account = await make_account(scenario.org, scenario.ada)
    created = await scenario.quoted(destination={"accountId": account})
    case = case_id(UUID(scenario.ada), Rail.USD)
    await scenario.org.post(f"/v2/reviews/kyc/{case}", {"decision": "revoke"})
    assert await _refused(scenario, created) == "403 USER_COMPLIANCE_VERIFICATION_FAILED"


async def test_quote_keeps_its_price(scenario: OfframpScenario) -> None:
    await scenario.set_price("0.9")
    created = await scenario.quoted()
    await scenario.set_price("0.5")
    await accept(scenario.org, created)
    await scenario.run()
    assert str(scenario.rails.orders[0].money) == "90"
