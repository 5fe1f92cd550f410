"""Orders of an offramp that a crashed worker had claimed, while a party is frozen."""

from collections.abc import Callable
from datetime import timedelta
from itertools import product
from typing import Any

import pytest

from landbridge.ledger.model import HouseRole
from landbridge.platform.core.errors import Unavailable, Unclear
from landbridge.providers.screening.model import OFAC_SDN
from tests.matrices import each_value_once
from tests.payments.limits.limit_setup import set_rules
from tests.payments.offramps.offramp_scenario import OfframpScenario
from tests.payouts import check_books, shown
from tests.providers.screening.lists import person, sanctions_list
from tests.tenants import held, make_user

KILLED = [Unavailable("not now"), RuntimeError("killed")]


def _debit(scenario: OfframpScenario) -> Any:
    return scenario.chains


def _payout(scenario: OfframpScenario) -> Any:
    return scenario.rails


async def _freeze(scenario: OfframpScenario, party: str) -> None:
    if party == "organisation":
        await scenario.org.container.orgs.freeze(scenario.org.org_id)
    else:
        await scenario.org.post(f"/v2/users/{party}/freeze", {"reason": "a"})


async def _unfreeze(scenario: OfframpScenario, party: str) -> None:
    if party == "organisation":
        await scenario.org.container.orgs.unfreeze(scenario.org.org_id)
    else:
        await scenario.org.post(f"/v2/users/{party}/unfreeze", {})


@pytest.mark.parametrize(
    ("fault", "is_org", "side", "status", "left"),
    each_value_once(
        (fault, is_org, *order)
        for fault, is_org, order in product(
            KILLED,
            [True, False],
            [(_debit, "CRYPTO_PENDING", "1000"), (_payout, "FIAT_INITIATED", "900")],
        )
    ),
)
async def test_unsent_order_waits_for_the_unfreezing(
    scenario: OfframpScenario,
    side: Callable[[OfframpScenario], Any],
    status: str,
    left: str,
    fault: Exception,
    *,
    is_org: bool,
) -> None:
    party = "organisation" if is_org else scenario.ada
    created = await scenario.accepted()
    side(scenario).raise_before_next = fault
    await scenario.run()
    assert await scenario.status(created) == status
    await _freeze(scenario, party)
    for _ in range(3):
        await scenario.pass_time(hours=20)
        assert await scenario.status(created) == status
    assert side(scenario).orders == []
    assert await held(scenario.org, scenario.ada) == left
    await check_books(scenario.org)
    await _unfreeze(scenario, party)
    await scenario.run()
    assert await scenario.status(created) == "COMPLETED"
    assert len(side(scenario).orders) == 1
    assert await held(scenario.org, scenario.ada) == "900"
    assert await scenario.container(HouseRole.IN_TRANSIT) == {}
    await check_books(scenario.org)


@pytest.mark.parametrize(
    ("side", "status"),
    [(_debit, "CRYPTO_PENDING"), (_payout, "FIAT_INITIATED")],
    ids=["debit", "payout"],
)
async def test_possibly_sent_order_is_looked_up(
    scenario: OfframpScenario, side: Callable[[OfframpScenario], Any], status: str
) -> None:
    created = await scenario.accepted()
    side(scenario).raise_after_next = Unclear("the line broke")
    await scenario.run()
    assert await scenario.status(created) == status
    await _freeze(scenario, scenario.ada)
    order_key = side(scenario).orders[0].key
    await scenario.pass_time(minutes=2)
    assert [each.key for each in side(scenario).orders].count(order_key) == 1
    # The other side has the order, and its report counts. A debit is not followed by a payout.
    ended = "CRYPTO_RETURNED" if side is _debit else "COMPLETED"
    assert await scenario.status(created) == ended
    assert await scenario.container(HouseRole.IN_TRANSIT) == {}
    await check_books(scenario.org)


async def test_coins_come_back_if_the_account_is_blocked_before_the_payout(
    scenario: OfframpScenario,
) -> None:
    created = await scenario.accepted()
    scenario.chains.raise_after_next = Unclear("the line broke")
    await scenario.run()
    await set_rules(scenario.org, block={"destinations": [scenario.account]})
    await scenario.pass_time(minutes=2)
    done = await shown(scenario.org, created)
    assert done["status"] == "CRYPTO_RETURNED"
    assert done["failedReason"] == "a destination is on the organisation's block list"
    assert (scenario.rails.orders, await held(scenario.org, scenario.ada)) == ([], "1000")
    await check_books(scenario.org)


async def test_an_unsent_payout_waits_while_a_list_names_the_holder(
    scenario: OfframpScenario,
) -> None:
    created = await scenario.accepted()
    scenario.rails.raise_before_next = Unavailable("not now")
    await scenario.run()
    container = scenario.org.container
    await container.screening.load(sanctions_list([person(1, "Ada Example")]), is_forced=True)
    await container.account_rescreening.run({scenario.org.org_id: timedelta()})
    await container.screening.unload(OFAC_SDN)
    for _ in range(2):
        await scenario.pass_time(hours=2)
        assert (await scenario.status(created), scenario.rails.orders) == ("FIAT_INITIATED", [])
    path = f"/v2/reviews/accounts/{scenario.account}"
    await scenario.org.post(path, {"decision": "approve"})
    await scenario.pass_time(hours=2)
    assert await scenario.status(created) == "COMPLETED"
    await check_books(scenario.org)


async def test_debit_waits_for_a_frozen_fee_beneficiary(scenario: OfframpScenario) -> None:
    bob = await make_user(scenario.org)
    wallets = (await scenario.org.get(f"/v2/users/{bob}"))["wallets"]["INDIVIDUAL"]
    line = {"type": "FLAT", "value": "2", "walletAddress": wallets["POLYGON"]["address"]}
    created = await scenario.accepted(developerFee={"fees": [line]})
    scenario.chains.raise_before_next = RuntimeError("killed")
    await scenario.run()
    await _freeze(scenario, bob)
    await scenario.pass_time(hours=2)
    assert (await scenario.status(created), scenario.chains.orders) == ("CRYPTO_PENDING", [])
    await _unfreeze(scenario, bob)
    await scenario.run()
    assert await scenario.status(created) == "COMPLETED"
    assert await held(scenario.org, bob) == "2"
    await check_books(scenario.org)


async def test_refund_is_sent_whoever_is_frozen(scenario: OfframpScenario) -> None:
    created = await scenario.accepted()
    scenario.rails.fail_next = "closed"
    scenario.chains.only = lambda order: order.wallet_id is None
    scenario.chains.raise_before_next = RuntimeError("killed")
    await scenario.run()
    assert await scenario.status(created) == "FIAT_FAILED"
    await _freeze(scenario, scenario.ada)
    scenario.clock.at += timedelta(minutes=1)
    await scenario.run()
    assert await scenario.status(created) == "CRYPTO_RETURNED"
    assert await held(scenario.org, scenario.ada) == "1000"
    await check_books(scenario.org)
