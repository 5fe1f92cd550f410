"""Connected providers: their route and page."""

from pathlib import Path
from typing import Any

import pytest
from prometheus_client import REGISTRY

from landbridge.platform.core.errors import Unavailable
from landbridge.platform.db.pool import Database
from landbridge.platform.http.caller import MemberRole
from landbridge.providers.sidecar import order_store
from landbridge.providers.sidecar.monitoring import watch_providers
from tests.dashboard.browsing import visit
from tests.providers.sidecar.deposit_world import DepositScenario, account_of, deposit_scenario
from tests.providers.sidecar.kit import payment
from tests.tenants import Tenant

API, PAGE = "/v2/providers", "/dashboard/providers"


async def test_without_a_providers_file_there_are_bank_and_identity(org: Tenant) -> None:
    bank, identity = (await org.get(API))["providers"]
    assert (bank["kind"], identity["kind"]) == ("SANDBOX", "SANDBOX")
    assert [each["service"] for each in bank["serves"]] == ["PAYOUTS", "DEPOSITS"]
    assert not bank["hasRunLive"]
    page = await (await visit(org)).load(PAGE)
    badges = page.tree.xpath("//section//h2/following-sibling::span/text()")
    assert badges == ["Simulated", "Simulated"]
    assert "No request is waiting for an answer." in page.text
    # Each simulator is named by what it stands for.
    titles = ["Simulated bank", "Simulated identity provider"]
    assert page.tree.xpath("//section[starts-with(@id, 'provider-')]//h2/text()") == titles
    # Without a route it verifies users of all rails.
    served = page.tree.xpath("//tr[th[contains(., 'Verification of users')]]/td")
    assert served[0].text_content().strip() == "All"
    for names in (
        page.tree.xpath("//main//@id"),
        page.tree.xpath("//*[@role='region']/@aria-label"),
    ):
        assert len(names) == len(set(names))


async def test_a_sidecar_has_routes_health_and_calls(
    tmp_path: Path, own_database: Database
) -> None:
    async with deposit_scenario(own_database, tmp_path) as world:
        before = await _sidecar(world)
        assert (before["health"], before["lastAnswerAt"]) == ("UNKNOWN", None)
        await account_of(world)
        healthy = await _sidecar(world)
        assert (healthy["health"], healthy["calls"]["failed"]) == ("HEALTHY", 0)
        assert healthy["calls"]["count"] == len(world.bank.calls)
        assert healthy["serves"] == [
            {
                "service": "DEPOSITS",
                "rails": None,
                "countries": None,
                "currencies": ["usd"],
                "isFallback": False,
            }
        ]
        world.bank.status = 503
        with pytest.raises(Unavailable):
            await _client(world).credits(None, 50)
        world.bank.status = 500
        await world.poll()
        failing = await _sidecar(world)
        assert (failing["health"], failing["calls"]["lastFailure"]) == ("FAILING", "ANSWER_INVALID")
        assert failing["calls"]["failed"] == 2
        assert failing["calls"]["count"] == healthy["calls"]["count"] + 2
        page = await (await visit(world.org)).load(PAGE)
        assert "Last call failed" in page.text
        assert "Never run live" in page.text
        world.bank.status = 200
        await world.poll()
        assert (await _sidecar(world))["health"] == "HEALTHY"


async def test_waiting_payouts_are_listed_and_stuck_after_their_time(
    tmp_path: Path, own_database: Database
) -> None:
    async with deposit_scenario(own_database, tmp_path) as world:
        orders = [payment(org_id=world.org.org_id) for _ in range(12)]
        for order in orders:
            await own_database.single(
                lambda tx, order=order: order_store.add(tx, order, world.name)
            )
        found = await _sidecar(world)
        assert found["waitingCount"] == 12
        assert [each["recordId"] for each in found["waiting"]] == [
            str(each.record_id) for each in orders[:10]
        ]
        assert not any(each["isStuck"] for each in found["waiting"])
        await own_database.single(
            lambda tx: tx.execute(
                "update provider_orders set created_at = created_at - interval '30 days',"
                " problem = 'CONTRADICTION' where key = $1",
                orders[-1].key,
            )
        )
        found = await _sidecar(world)
        stuck = found["waiting"][0]
        assert (stuck["recordId"], stuck["isStuck"]) == (str(orders[-1].record_id), True)
        assert (stuck["problem"], found["problemCount"]) == ("CONTRADICTION", 1)
        page = await (await visit(world.org)).load(PAGE)
        assert "Waiting for it: 12" in page.text
        assert "Contradicting answers" in page.text
        await watch_providers(own_database, world.org.container.clock, [world.name])
        assert _metric("waiting_orders", world.name) == 12
        assert _metric("oldest_order_seconds", world.name) > 29 * 86_400


async def test_no_organisation_sees_the_calls_of_another(
    tmp_path: Path, own_database: Database
) -> None:
    async with deposit_scenario(own_database, tmp_path) as world:
        await account_of(world)
        assert (await _sidecar(world))["calls"]["count"] > 0
        await world.org.container.orgs.create("Another organisation")
        assert (await _sidecar(world))["calls"] is None
        page = await (await visit(world.org)).load(PAGE)
        assert "Healthy" in page.text
        assert "Calls in 24 hours" not in page.text


async def test_only_admins_see_the_calls(tmp_path: Path, own_database: Database) -> None:
    async with deposit_scenario(own_database, tmp_path) as world:
        await account_of(world)
        analyst = await visit(world.org, MemberRole.ANALYST)
        page = await analyst.load(PAGE)
        assert "Healthy" in page.text
        assert "Calls in 24 hours" not in page.text
        assert "Calls in 24 hours" in (await (await visit(world.org)).load(PAGE)).text


async def _sidecar(world: DepositScenario) -> dict[str, Any]:
    found = (await world.org.get(API))["providers"]
    assert [each["kind"] for each in found] == ["SIDECAR", "SANDBOX", "SANDBOX"]
    return found[0]


def _client(world: DepositScenario) -> Any:
    assert world.org.container.providers is not None
    return world.org.container.providers.clients[world.name]


def _metric(name: str, provider: str) -> float:
    found = REGISTRY.get_sample_value(f"landbridge_provider_{name}", {"provider": provider})
    assert found is not None
    return found
