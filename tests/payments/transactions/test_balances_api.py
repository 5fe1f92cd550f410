"""Totals of customer balances, and the house accounts."""

from typing import Any

from landbridge.payments.swaps.model import SwapStatus
from tests.tenants import (
    Tenant,
    make_bridge,
    make_swap,
    make_tenant,
    make_transfer,
    make_user,
    run_due,
)

PATH = "/v2/balances"


def _of(held: list[dict[str, Any]], currency: str, chain: str = "POLYGON") -> dict[str, Any]:
    (found,) = [each for each in held if (each["currency"], each["chain"]) == (currency, chain)]
    return found


async def test_empty_organisation_has_no_balances(org: Tenant) -> None:
    assert await org.get(PATH) == {"users": [], "house": [], "inTransit": []}


async def test_customer_balances_are_summed(org: Tenant) -> None:
    ada = await make_user(org, funds="10.000001")
    bob = await make_user(org, funds="5")
    await make_transfer(org, ada, bob, 2)
    found = await org.get(PATH)
    held = _of(found["users"], "usdc")
    assert held == {
        "currency": "usdc",
        "chain": "POLYGON",
        "available": "13.000001",
        "held": "2",
    }
    outside = [each for each in found["house"] if each["role"] == "outside"]
    assert _of(outside, "usdc")["balance"] == "-15.000001"
    other = await make_tenant(org.container, org.client, name="Other")
    assert (await other.get(PATH))["users"] == []


async def test_house_accounts_have_roles(org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    await make_swap(org, ada, "5", status=SwapStatus.COMPLETED)
    found = await org.get(PATH)
    assert {each["role"] for each in found["house"]} == {"outside", "liquidity", "fees"}
    assert found["inTransit"] == []


async def test_balance_between_two_legs_is_in_transit(org: Tenant) -> None:
    await org.post("/v2/sandbox/latency", {"pace": "real"})
    ada = await make_user(org, funds="10", chains=["POLYGON", "BASE"])
    created = await make_bridge(org, ada, ada)
    await org.post(f"/v2/wallets/bridges/{created['id']}/accept")
    await run_due(org)
    await org.post("/v2/sandbox/clock/advance", {"seconds": 600})
    found = await org.get(PATH)
    status = (await org.get(f"/v2/transactions/{created['id']}"))["status"]
    assert (status == "COMPLETED") == (found["inTransit"] == [])
