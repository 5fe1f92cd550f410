"""The worker's steps, with chains and banks that fail, crash or stay silent."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from landbridge.customers.kyc.model import Rail
from landbridge.customers.verification.model import case_id
from landbridge.ledger.model import HouseRole
from landbridge.payments.onramps.model import OnrampStatus
from landbridge.platform.core.clock import Clock, FrozenClock
from landbridge.platform.core.errors import Rejected, Unavailable, Unclear
from landbridge.platform.http.caller import KeyScope
from landbridge.providers.simulation.model import SimulatedSystem
from tests.onramps import (
    check_books,
    deposit,
    house_units,
    make_onramp,
    make_payer,
    onramp_of,
    retrieve,
    settle,
    statuses,
)
from tests.order_keys import key_of
from tests.payments.onramps.onramp_scenario import OnrampScenario
from tests.providers.simulation.external_state import orders, paid_out
from tests.tenants import Tenant, held, make_user


@pytest.mark.parametrize("error", [Unclear("lost"), Unavailable("died")])
async def test_worker_death_after_the_call_sends_nothing_twice(
    scenario: OnrampScenario, error: Exception
) -> None:
    onramp = await scenario.paid()
    scenario.chains.raise_after_next = error
    await scenario.settle()
    assert (await retrieve(scenario.org, onramp))["status"] == "CRYPTO_INITIATED"
    await scenario.settle()
    assert (await retrieve(scenario.org, onramp))["status"] == "COMPLETED"
    assert {key for _, key in scenario.chains.calls} == {
        await key_of(scenario.org, onramp["id"], "send")
    }
    assert scenario.chains.count("send") == 2
    assert await held(scenario.org, scenario.user) == "100"
    await check_books(scenario.org)


async def test_unavailable_chain_is_retried(scenario: OnrampScenario) -> None:
    onramp = await scenario.paid()
    scenario.chains.raise_before_next = Unavailable("away")
    await scenario.settle()
    assert (await retrieve(scenario.org, onramp))["status"] == "CRYPTO_INITIATED"
    await scenario.settle()
    assert (await retrieve(scenario.org, onramp))["status"] == "COMPLETED"


async def test_coins_wait_for_confirmation(scenario: OnrampScenario) -> None:
    onramp = await scenario.paid()
    scenario.chains.late_by = timedelta(minutes=5)
    await scenario.settle()
    found = await retrieve(scenario.org, onramp)
    assert found["status"] == "CRYPTO_PENDING"
    assert found["receipt"]["transactionHash"] is not None
    assert await held(scenario.org, scenario.user) == "0"
    await scenario.settle(timedelta(minutes=1))
    assert (await retrieve(scenario.org, onramp))["status"] == "CRYPTO_PENDING"
    await scenario.settle(timedelta(minutes=4))
    assert (await retrieve(scenario.org, onramp))["status"] == "COMPLETED"
    await check_books(scenario.org)


@pytest.mark.parametrize("how", ["at once", "late", "rejected"])
async def test_refusal_by_the_chain_returns_the_fiat(scenario: OnrampScenario, how: str) -> None:
    onramp = await scenario.paid(fee={"type": "FIX", "value": 3})
    if how == "rejected":
        scenario.chains.raise_before_next = Rejected("no gas")
    else:
        scenario.chains.fail_next = "no gas"
    scenario.chains.late_by = timedelta(minutes=5) if how == "late" else None
    await scenario.settle()
    await scenario.settle(timedelta(minutes=6))
    found = await retrieve(scenario.org, onramp)
    assert (found["status"], found["failedReason"]) == ("FIAT_RETURNED", "no gas")
    assert (await statuses(scenario.org, onramp))[-2:] == ["CRYPTO_FAILED", "FIAT_RETURNED"]
    assert await held(scenario.org, scenario.user) == "0"
    for role in HouseRole:
        assert await house_units(scenario.org, role, "usd:BANK") == 0
    key = await key_of(scenario.org, onramp["id"], "return")
    (paid,) = [each for each in scenario.rails.orders if each.key == key]
    assert str(paid.money) == "100"
    assert paid.payee["accountNumber"] == "000123456789"
    await check_books(scenario.org)


async def test_transfer_unanswered_for_a_day_arrives(scenario: OnrampScenario) -> None:
    onramp = await scenario.paid()
    scenario.chains.late_by = timedelta(minutes=5)
    await scenario.settle()
    scenario.chains.is_silent = True
    await scenario.settle(timedelta(hours=23))
    assert (await retrieve(scenario.org, onramp))["status"] == "CRYPTO_PENDING"
    await scenario.settle(timedelta(hours=2))
    assert (await retrieve(scenario.org, onramp))["status"] == "UNKNOWN"
    await scenario.settle(timedelta(hours=2))
    assert (await retrieve(scenario.org, onramp))["status"] == "UNKNOWN"
    assert await house_units(scenario.org, HouseRole.LIQUIDITY, "usd:BANK") == 100_00
    scenario.chains.is_silent = False
    await scenario.settle(timedelta(hours=2))
    assert (await retrieve(scenario.org, onramp))["status"] == "COMPLETED"
    assert await held(scenario.org, scenario.user) == "100"
    await check_books(scenario.org)


async def test_order_that_never_arrived_is_sent_again(scenario: OnrampScenario) -> None:
    onramp = await scenario.paid()
    scenario.chains.is_silent = True
    await scenario.settle()
    await scenario.settle(timedelta(hours=25))
    assert (await retrieve(scenario.org, onramp))["status"] == "UNKNOWN"
    scenario.chains.is_silent = False
    await scenario.settle(timedelta(hours=2))
    assert (await retrieve(scenario.org, onramp))["status"] == "COMPLETED"
    assert {key for _, key in scenario.chains.calls} == {
        await key_of(scenario.org, onramp["id"], "send")
    }


async def test_order_that_never_arrived_is_not_sent_while_frozen(scenario: OnrampScenario) -> None:
    onramp = await scenario.paid()
    scenario.chains.is_silent = True
    await scenario.settle()
    await scenario.settle(timedelta(hours=25))
    await scenario.org.post(f"/v2/users/{scenario.user}/freeze", {})
    scenario.chains.is_silent = False
    await scenario.settle(timedelta(hours=2))
    assert (await retrieve(scenario.org, onramp))["status"] == "UNKNOWN"
    assert not await orders(
        scenario.org.container.database, scenario.org.org_id, SimulatedSystem.CHAIN
    )
    await scenario.org.post(f"/v2/users/{scenario.user}/unfreeze")
    await scenario.settle(timedelta(hours=2))
    assert (await retrieve(scenario.org, onramp))["status"] == "COMPLETED"
    await check_books(scenario.org)


async def test_claimed_but_unsent_coins_wait_for_the_unfreezing(scenario: OnrampScenario) -> None:
    onramp = await scenario.paid()
    scenario.chains.raise_before_next = RuntimeError("killed")
    await scenario.settle()
    assert (await retrieve(scenario.org, onramp))["status"] == "CRYPTO_INITIATED"
    await scenario.org.post(f"/v2/users/{scenario.user}/freeze", {})
    await scenario.settle(timedelta(minutes=2))
    assert (await retrieve(scenario.org, onramp))["status"] == "CRYPTO_INITIATED"
    assert scenario.chains.orders == []
    await scenario.org.post(f"/v2/users/{scenario.user}/unfreeze")
    await scenario.settle(timedelta(minutes=2))
    assert (await retrieve(scenario.org, onramp))["status"] == "COMPLETED"
    await check_books(scenario.org)


async def test_return_is_paid_once_despite_crashes_of_the_worker(scenario: OnrampScenario) -> None:
    onramp = await make_onramp(scenario.org, scenario.user)
    await deposit(scenario.org, onramp, amount="7", rail="ach")
    scenario.rails.raise_before_next = Unavailable("away")
    await scenario.settle()
    assert (await retrieve(scenario.org, onramp))["status"] == "FIAT_FAILED"
    scenario.rails.raise_after_next = Unclear("lost")
    await scenario.settle()
    assert (await retrieve(scenario.org, onramp))["status"] == "FIAT_FAILED"
    assert await house_units(scenario.org, HouseRole.IN_TRANSIT, "usd:BANK") == 7_00
    scenario.rails.late_by = timedelta(days=2)
    await scenario.settle()
    assert (await retrieve(scenario.org, onramp))["status"] == "FIAT_RETURNED"
    assert {each.key for each in scenario.rails.orders} == {
        await key_of(scenario.org, onramp["id"], "return")
    }
    assert {each.rail for each in scenario.rails.orders} == {"ach"}
    await check_books(scenario.org)


async def test_slow_return_is_awaited(scenario: OnrampScenario) -> None:
    onramp = await make_onramp(scenario.org, scenario.user)
    await deposit(scenario.org, onramp, amount="7")
    scenario.rails.late_by = timedelta(days=2)
    await scenario.settle()
    assert (await retrieve(scenario.org, onramp))["status"] == "FIAT_FAILED"
    await scenario.settle(timedelta(days=2))
    assert (await retrieve(scenario.org, onramp))["status"] == "FIAT_RETURNED"


@pytest.mark.parametrize("how", ["failed", "rejected"])
async def test_refused_return_is_repeated_under_another_key(
    scenario: OnrampScenario, how: str, logged: Callable[[], str]
) -> None:
    onramp = await make_onramp(scenario.org, scenario.user)
    await deposit(scenario.org, onramp, amount="7")
    for attempts, pause in enumerate([timedelta(), *(timedelta(minutes=2**n) for n in range(6))]):
        if how == "failed":
            scenario.rails.fail_next = "the account is closed"
        else:
            scenario.rails.raise_before_next = Rejected("the account is closed")
        if pause:
            await scenario.settle(pause - timedelta(seconds=30))
            assert len(scenario.rails.calls) == attempts
        await scenario.settle(timedelta(seconds=31))
        assert len(scenario.rails.calls) == attempts + 1
        assert (await retrieve(scenario.org, onramp))["status"] == "FIAT_FAILED"
        assert await house_units(scenario.org, HouseRole.IN_TRANSIT, "usd:BANK") == 7_00
    assert scenario.rails.calls[0] == ("pay", await key_of(scenario.org, onramp["id"], "return"))
    assert len({key for _, key in scenario.rails.calls}) == 7
    assert logged().count("due.refused") == 7
    assert onramp["id"] in logged()
    assert "000123456789" not in logged()
    scenario.rails.fail_next = scenario.rails.raise_before_next = None
    await scenario.settle(timedelta(days=1))
    found = await retrieve(scenario.org, onramp)
    assert found["status"] == "FIAT_RETURNED"
    assert "arrived instead of" in found["failedReason"]
    assert await paid_out(scenario.org.container.database, scenario.org.org_id) == {
        "usd:BANK": 7_00
    }
    await check_books(scenario.org)


async def test_late_refused_return_is_repeated_under_another_key(scenario: OnrampScenario) -> None:
    onramp = await make_onramp(scenario.org, scenario.user)
    await deposit(scenario.org, onramp, amount="7")
    scenario.rails.late_by, scenario.rails.fail_next = timedelta(days=2), "the account is closed"
    await scenario.settle()
    scenario.rails.late_by = None
    await scenario.settle(timedelta(days=2))
    assert (await retrieve(scenario.org, onramp))["status"] == "FIAT_FAILED"
    await scenario.settle(timedelta(minutes=2))
    assert (await retrieve(scenario.org, onramp))["status"] == "FIAT_RETURNED"
    assert await paid_out(scenario.org.container.database, scenario.org.org_id) == {
        "usd:BANK": 7_00
    }
    await check_books(scenario.org)


async def test_fiat_of_a_frozen_user_is_returned(scenario: OnrampScenario) -> None:
    bob = await make_user(scenario.org)
    to_bob = await make_onramp(scenario.org, scenario.user, destination={"userId": bob})
    await deposit(scenario.org, to_bob)
    await scenario.org.post(f"/v2/users/{bob}/freeze", {})
    await scenario.settle()
    found = await retrieve(scenario.org, to_bob)
    assert found["status"] == "FIAT_RETURNED"
    assert found["failedReason"] == f"user {bob} is frozen"
    assert (await statuses(scenario.org, to_bob))[-3:] == [
        *("FIAT_PENDING", "FIAT_FAILED", "FIAT_RETURNED")
    ]
    await check_books(scenario.org)


async def test_fiat_of_a_frozen_organisation_is_returned(scenario: OnrampScenario) -> None:
    onramp = await scenario.paid()
    await scenario.org.container.orgs.freeze(scenario.org.org_id)
    await scenario.settle()
    found = await retrieve(scenario.org, onramp)
    assert found["status"] == "FIAT_RETURNED"
    assert "frozen" in found["failedReason"]


async def test_chain_transfer_under_way_completes_while_frozen(scenario: OnrampScenario) -> None:
    onramp = await scenario.paid()
    scenario.chains.late_by = timedelta(minutes=5)
    await scenario.settle()
    await scenario.org.post(f"/v2/users/{scenario.user}/freeze", {})
    await scenario.settle(timedelta(minutes=5))
    assert (await retrieve(scenario.org, onramp))["status"] == "COMPLETED"


async def test_fiat_of_an_unverified_user_is_returned(scenario: OnrampScenario) -> None:
    onramp = await scenario.paid()
    _, secret = await scenario.org.container.orgs.create_key(
        scenario.org.org_id, "reviewer", expires_at=None, scopes=[KeyScope.REVIEW]
    )
    case = case_id(UUID(scenario.user), Rail.USD)
    body = {"decision": "revoke", "rejectReasons": ["FRAUD"], "comment": "Closed."}
    await replace(scenario.org, key=secret).post(f"/v2/reviews/kyc/{case}", body)
    await scenario.settle()
    found = await retrieve(scenario.org, onramp)
    assert found["status"] == "FIAT_RETURNED"
    assert "not verified for USD" in found["failedReason"]


async def test_quote_expires_when_due(scenario: OnrampScenario) -> None:
    quoted = await make_onramp(scenario.org, scenario.user, is_accepted=False)
    accepted = await make_onramp(scenario.org, scenario.user)
    await scenario.settle(timedelta(hours=23))
    assert (await onramp_of(scenario.org, quoted["id"])).status is OnrampStatus.OPEN_QUOTE
    await scenario.settle(timedelta(hours=1))
    reasons = [(await retrieve(scenario.org, each))["failedReason"] for each in (quoted, accepted)]
    assert reasons == [
        "the quote expired before it was accepted",
        "the quote expired before the deposit arrived",
    ]
    for each in (quoted, accepted):
        assert (await retrieve(scenario.org, each))["status"] == "QUOTE_FAILED"


async def test_running_clock_makes_no_difference(org: Tenant) -> None:
    assert not isinstance(org.container.clock, FrozenClock)
    assert isinstance(org.container.clock, Clock)
    onramp = await make_onramp(org, await make_payer(org))
    await deposit(org, onramp)
    await settle(org)
    assert (await retrieve(org, onramp))["status"] == "COMPLETED"
