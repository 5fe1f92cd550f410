"""Bridges from POLYGON to BASE through the API, with real coins on two local chains."""

from pathlib import Path

import pytest

from landbridge.ledger.model import HouseRole
from landbridge.platform.db.pool import Database
from landbridge.providers.chains.tokens import Chain, Network
from landbridge.providers.evm.outbox.model import OutboxState
from tests.bridge_world import COIN, FINAL_DEPTH, bridge_world
from tests.payouts import check_books
from tests.providers.evm.gas.orders import native_units
from tests.reporting.reconciliation.compared import compared, position
from tests.tenants import held

pytestmark = pytest.mark.long

POLYGON = Network.POLYGON


@pytest.mark.parametrize(
    ("currency", "into", "sponsor"),
    [
        ("usdc", Chain.BASE, ["eip3009", "eip7702", "top-up"]),
        ("usdc", Chain.BASE, ["top-up"]),
        ("usdt", Chain.ETHEREUM, ["eip7702"]),
        ("usdt", Chain.ETHEREUM, ["top-up"]),
    ],
)
async def test_coins_are_burned_on_one_chain_and_minted_on_the_other(
    tmp_path: Path, own_database: Database, currency: str, into: Chain, sponsor: list[str]
) -> None:
    async with bridge_world(tmp_path, own_database, into=into, sponsor=sponsor) as world:
        ada, bob = await world.user(**{currency: 25}), await world.user()
        there = Network(into)
        # In total only: what was there before the first run.
        await compared(world.org, world.container.reconciliation)
        before = await world.supply(currency, POLYGON), await world.supply(currency, there)
        bridge = await world.accepted(ada, 10, currency=currency, userId=bob)
        await world.run_until(bridge, "COMPLETED")
        await world.finish()
        receipt = (await world.get(bridge))["receipt"]
        burn, mint = (receipt["operations"][name]["transactionHash"] for name in ("burn", "mint"))
        assert receipt["transactionHash"] == burn
        for rpc, transaction in ((world.rpcs[POLYGON], burn), (world.rpcs[there], mint)):
            assert rpc.call("eth_getTransactionReceipt", transaction)["status"] == "0x1"
        assert await world.supply(currency, POLYGON) == before[0] - 10 * COIN
        assert await world.supply(currency, there) == before[1] + 10 * COIN
        assert await world.units(currency, await world.address(bob, into), there) == 10 * COIN
        assert await held(world.org, ada, currency) == "15"
        # The mint is no deposit from outside.
        world.mine(FINAL_DEPTH + 1)
        await world.follow()
        assert await held(world.org, bob, currency, into) == "10"
        assert world.container.evm is not None
        await world.container.evm.gas_costs.book(await world.container.orgs.clock_offsets())
        gas = await native_units(world.database, world.org.org_id)
        assert {asset for (role, asset), wei in gas.items() if role is HouseRole.GAS and wei} == {
            "pol:POLYGON",
            f"eth:{into}",
        }
        await check_books(world.org)
        status = await compared(world.org, world.container.reconciliation)
        assert not status.differences
        for asset in (f"{currency}:POLYGON", f"{currency}:{into}"):
            found = position(status, asset)
            assert found.outside_units == found.ledger_units
        # No allowance is left behind.
        assert await world.allowance(currency, await world.address(ada, Chain.POLYGON)) == 0
        for name in ("approve", "burn", "mint"):
            order = await world.order(bridge, name)
            assert order is not None
            assert order.state is OutboxState.FINAL
