"""Swaps on a market through the API: real pools on a local chain, and the ledger says the same."""

from pathlib import Path

import pytest

from landbridge.ledger.model import HouseRole
from landbridge.platform.db.pool import Database
from landbridge.providers.evm.outbox.model import OutboxState
from tests.market_world import COIN, market_world
from tests.payouts import check_books
from tests.providers.evm.gas.orders import native_units
from tests.reporting.reconciliation.compared import compared, position
from tests.tenants import held

pytestmark = pytest.mark.long


@pytest.mark.parametrize("interface", ["swap-router", "swap-router-02"])
async def test_the_market_gives_and_the_books_say_what(
    tmp_path: Path, own_database: Database, interface: str
) -> None:
    async with market_world(tmp_path, own_database, interface=interface) as world:
        user, org, chain = await world.user(), world.chain.org, world.chain
        wallet, treasury = await world.address(user), await world.treasury()
        await compared(org, chain.container.reconciliation)
        swap_id = await world.accepted(user)
        # The quote promises less than the market is expected to give.
        quoted = await world.get(swap_id)
        assert quoted["quoteInformation"]["sendNet"]["amount"] == "4.995"
        promised = (await world.swap(swap_id)).destination
        assert quoted["market"] == {"received": None}
        swap = await world.run_until(swap_id, "COMPLETED")
        assert swap.received is not None
        assert promised.units < swap.received.units < 4_995_000
        assert await chain.balance("usdc", wallet) == 5 * COIN
        assert await chain.balance("usdt", wallet) == swap.received.units
        assert await chain.balance("usdc", treasury) == 5_000
        assert await held(org, user) == "5"
        assert await held(org, user, "usdt") == str(swap.received)
        assert (await world.get(swap_id))["market"] == {"received": float(str(swap.received))}
        # What the pool has transferred is no deposit.
        await world.follow()
        assert await held(org, user, "usdt") == str(swap.received)
        assert await world.allowance(wallet) == 0
        assert chain.container.evm is not None
        await chain.container.evm.gas_costs.book(await chain.container.orgs.clock_offsets())
        gas = await native_units(chain.container.database, org.org_id)
        assert any(role is HouseRole.GAS and wei for (role, _), wei in gas.items())
        await check_books(org)
        status = await compared(org, chain.container.reconciliation)
        assert not status.differences
        for asset in ("usdc:POLYGON", "usdt:POLYGON"):
            found = position(status, asset)
            assert found.outside_units == found.ledger_units
        order = await world.order(swap_id)
        assert order is not None
        assert (order.state, order.received_units) == (OutboxState.FINAL, swap.received.units)
