"""Disbursements to destinations on a list of the limits."""

from tests.payments.disbursements.disbursement_world import (
    BENEFICIARY,
    check_settled,
    disbursed,
    make_paid_for,
    refuse,
)
from tests.payments.limits.limit_setup import set_rules
from tests.payments.offramps.offramp_scenario import OfframpScenario
from tests.payouts import OUTSIDE
from tests.resolution_team import make_resolution_team
from tests.tenants import refusal


async def test_a_fee_waits_while_its_beneficiary_is_blocked(scenario: OfframpScenario) -> None:
    created = await make_paid_for(scenario)
    chain = refuse(scenario, BENEFICIARY)
    await scenario.run()
    chain.is_refusing = False
    await set_rules(scenario.org, block={"destinations": [BENEFICIARY]})
    await scenario.pass_time(hours=1)
    (fee,) = await disbursed(scenario, created)
    assert fee["status"] == "INITIATED"
    await set_rules(scenario.org)
    await scenario.pass_time(days=1)
    (fee,) = await disbursed(scenario, created)
    assert fee["status"] == "COMPLETED"
    await check_settled(scenario)


async def test_a_fee_is_not_redirected_to_a_listed_address(scenario: OfframpScenario) -> None:
    created = await make_paid_for(scenario)
    refuse(scenario, BENEFICIARY)
    for _ in range(4):
        await scenario.pass_time(minutes=30)
    (fee,) = await disbursed(scenario, created)
    team = await make_resolution_team(scenario.org, scenario.clock, scenario.run)
    for rules in (
        {"block": {"destinations": [OUTSIDE]}},
        {"allow": {"destinations": [BENEFICIARY]}},
    ):
        await set_rules(scenario.org, **rules)
        answer = await team.send(fee["id"], "REDIRECT", address=OUTSIDE)
        assert refusal(answer) == "403 LIMIT_EXCEEDED"
