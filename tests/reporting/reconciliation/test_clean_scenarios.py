"""Every scenario of the sandbox leaves ledger and chains in agreement."""

import pytest

from landbridge.sandbox.scenarios import travel_rule
from landbridge.sandbox.scenarios.trigger import SCENARIOS, trigger
from tests.reporting.reconciliation.compared import compared, position
from tests.sandbox.scenarios.in_process_client import client_of
from tests.tenants import Tenant


@pytest.mark.long
async def test_no_scenario_leaves_a_difference(org: Tenant) -> None:
    await compared(org)
    client = client_of(org)
    for type_ in SCENARIOS:
        if type_ in travel_rule.SCENARIOS:
            continue  # needs a server that applies the travel rule, and is an ordinary transfer
        await trigger(client, type_)
        assert [(type_, each) for each in (await compared(org)).differences] == []
    # Not because nothing was compared.
    assert position(await compared(org), "usdc:POLYGON").outside_units > 0
    matches = await org.container.database.rows(
        "select count(*) as count from recon_matches where org_id = $1", org.org_id
    )
    assert matches[0]["count"] > 30
